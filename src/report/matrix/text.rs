//! A finished matrix for a person: [`text`].

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::table::{NOT_TOLD_APART, Table, is_skipped};
use crate::report::describe::{count, counted, level, time};
use crate::report::paint::Paint;
use crate::report::places::Places;
use crate::runner::matrix::{Finding, Matrix, OUTSIDE, Of};

/// How many lines of a wire that differs a person is shown.
const WIRE_LINES: usize = 40;

/// The matrix for a person: check by environment, what differs, what does not
/// hold anywhere, and the counts.
pub(crate) fn text(matrix: &Matrix, paint: Paint) -> String {
    let mut out = String::new();
    Table::new(matrix, paint).write(&mut out);
    let (differing, alike): (Vec<&Finding>, Vec<&Finding>) =
        matrix.findings.iter().partition(|finding| finding.differs);
    write_findings(&mut out, matrix, "what differs", &differing, paint);
    write_findings(&mut out, matrix, "what does not hold in any", &alike, paint);
    write_summary(&mut out, matrix, paint);
    out
}

/// What is found, with what is the same for several cases and profiles said once.
fn write_findings(
    out: &mut String,
    matrix: &Matrix,
    heading: &str,
    findings: &[&Finding],
    paint: Paint,
) {
    if findings.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{}", paint.bold(heading));
    let mut told: Vec<(String, Vec<&Finding>)> = Vec::new();
    for finding in findings {
        let text = finding_text(matrix, finding, paint);
        match told.iter_mut().find(|(known, _)| *known == text) {
            Some((_, same)) => same.push(finding),
            None => told.push((text, vec![finding])),
        }
    }
    for (text, same) in told {
        let _ = write!(out, "\n{text}");
        let mut places = Places::default();
        for finding in same {
            let name = &finding.name;
            places.add(&name.check, name.case.as_deref(), &name.profile, finding.revision);
        }
        for (noun, names) in places.lines() {
            let _ = writeln!(out, "  {noun:<9} {names}");
        }
    }
}

fn finding_text(matrix: &Matrix, finding: &Finding, paint: Paint) -> String {
    let check = &finding.name.check;
    let title = match &finding.of {
        Of::Checkpoint(claim) => format!("{check}#{}", claim.id),
        Of::Whole => check.clone(),
        Of::Wire(_) => format!("{check}: the wires of double (-) and socket (+) differ"),
    };
    let mut text = format!("{}\n", if finding.fails { paint.red(&title) } else { title });
    if let Of::Checkpoint(claim) = &finding.of {
        let _ = writeln!(text, "  {}\n  {:<9} {}", claim.sentence, "level", level(claim));
    }
    if let Of::Wire(lines) = &finding.of {
        for line in lines.lines().take(WIRE_LINES) {
            let _ = writeln!(text, "{}", format!("    {line}").trim_end());
        }
        let more = lines.lines().count().saturating_sub(WIRE_LINES);
        if more > 0 {
            let _ = writeln!(text, "    (and {}; JSON has them all)", count(more, "more line"));
        }
        return text;
    }
    for (environment, cell) in matrix.environments.iter().zip(&finding.cells) {
        let (word, cell) = match cell {
            Some(cell) if !is_skipped(cell) => (cell.verdict.as_str(), Some(cell)),
            Some(cell) => ("–", Some(cell)),
            None => ("–", None),
        };
        let reason = cell.map_or(Some(NOT_TOLD_APART), |cell| cell.reason.as_deref());
        let mut line = format!("  {:<9} {word}", environment.name);
        // A reason may begin with the word itself.
        let reason = reason.map(|reason| {
            let rest = reason.strip_prefix(word).unwrap_or(reason);
            rest.strip_prefix(": ").unwrap_or(rest)
        });
        if let Some(reason) = reason.filter(|reason| !reason.is_empty()) {
            let _ = write!(line, ": {}", reason.replace('\n', "\n            "));
        }
        if let Some(place) = cell.and_then(|cell| cell.place.as_ref()) {
            let _ = write!(line, "  {}", paint.dim(place));
        }
        let _ = writeln!(text, "{line}");
        let Some(cell) = cell.filter(|cell| cell.is_remarkable()) else { continue };
        for (name, value) in
            [("expected", &cell.expected), ("actual", &cell.actual), ("ended", &cell.ended)]
        {
            if let Some(value) = value {
                let value = value.replace('\n', "\n              ");
                let _ = writeln!(text, "            {name:<9} {value}");
            }
        }
    }
    text
}

fn write_summary(out: &mut String, matrix: &Matrix, paint: Paint) {
    out.push('\n');
    for (column, environment) in matrix.environments.iter().enumerate() {
        let counts = matrix.counts(column);
        let _ = writeln!(
            out,
            "{:<7} {}  {}",
            environment.name,
            format_args!("{} ran, {}", counts.ran, counted(&counts, paint)),
            paint.dim(&environment.subject)
        );
    }
    if matrix.run_again > 0 {
        let _ = writeln!(
            out,
            "{} differed at first and ran again over the socket, where a busy machine may be late",
            count(matrix.run_again, "execution")
        );
    }
    let checks: BTreeSet<&str> = matrix.rows.iter().map(|row| row.name.check.as_str()).collect();
    let differing = |fails: bool| {
        let findings =
            matrix.findings.iter().filter(|finding| finding.differs && finding.fails == fails);
        findings
            .map(|finding| (&finding.name.check, &finding.name.profile, &finding.name.case))
            .collect::<BTreeSet<_>>()
            .len()
    };
    let mut line = format!(
        "{} in {}: double and socket ",
        count(checks.len(), "check"),
        count(matrix.environments.len(), "environment")
    );
    line.push_str(&match differing(true) {
        0 => "agree".to_owned(),
        number => paint.red(&format!("differ in {}", count(number, "execution"))),
    });
    if let Some(outside) = matrix.environments.get(OUTSIDE) {
        let _ = match differing(false) {
            0 if matrix.counts(OUTSIDE).ran == 0 => {
                write!(line, "; the {} has nothing to say", outside.name)
            }
            0 if matrix.fails() => write!(line, "; the {} differs nowhere else", outside.name),
            0 => write!(line, ", and the {} with them", outside.name),
            number => {
                write!(line, "; the {} differs in {}", outside.name, count(number, "execution"))
            }
        };
    }
    let _ = writeln!(out, "{line}");
    if matrix.interrupted {
        out.push_str("Interrupted: not everything ran.\n");
    }
    let _ = writeln!(out, "{}", paint.dim(&format!("in {}", time(matrix.elapsed))));
}
