//! A finished matrix, for a person (`text`) and for programs (`json`).
//!
//! ```json
//! {"format": "mcp-checks-matrix/1",
//!  "summary": {"holds": false, "interrupted": false, "differences": 1, "failures": 1,
//!     "run_again": 1, "elapsed_ms": 1234},
//!  "environments": [
//!    {"name": "double", "subject": "embedded", "ran": 1, "skipped": 0, "broken": 0,
//!     "cancelled": 0, "failed": 0, "warned": 0, "noted": 0}],
//!  "executions": [
//!    {"check": "client/tool-call-basic", "case": null, "profile": "json",
//!     "revision": "2025-11-25",
//!     "verdicts": {"double": "pass", "socket": "fail", "client": "skip"},
//!     "wire": "same",
//!     "checkpoints": [
//!       {"id": "handshake",
//!        "verdicts": {"double": "pass", "socket": "fail", "client": "skip"}}]}],
//!  "findings": [
//!    {"check": "client/tool-call-basic", "case": null, "profile": "json",
//!     "revision": "2025-11-25", "checkpoint": "handshake", "level": "MUST",
//!     "sentence": "The call comes after the handshake", "differs": true, "fails": true, "wire": null,
//!     "environments": {
//!       "double": {"verdict": "pass", "reason": null, "expected": null, "actual": null,
//!                  "place": null, "ended": null}}}]}
//! ```
//!
//! - Keys stand in this order; each execution is one line. A reader should pass
//!   over keys that it does not know.
//! - Where there is no such execution, since the environment cannot tell the
//!   profile from another, the verdict is `null`; what does not apply is `skip`.
//! - `wire` of an execution is `same`, `different` or, if it was not compared,
//!   `null`.
//! - `ended` is how a client process ended where a claim was not exercised.
//! - A finding without a `checkpoint` is about the execution as a whole, or, if
//!   it has a `wire`, about what crossed it.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::describe::{count, counted, level, time};
use super::paint::Paint;
use super::places::Places;
use crate::check::Verdict;
use crate::runner::Outcome;
use crate::runner::matrix::{Cell, Finding, Matrix, OUTSIDE, Of, Row, Wire};

/// The version of the document's shape; it changes when a key changes its
/// meaning or goes away, not when one is added.
pub const FORMAT: &str = "mcp-checks-matrix/1";

/// What is said of a profile that has no execution of its own somewhere.
const NOT_TOLD_APART: &str = "it cannot tell this profile from another one, which ran";

/// How many lines of a wire that differs a person is shown.
const WIRE_LINES: usize = 40;

/// How wide the first column of the table may be, in columns of a terminal.
const NAME_WIDTH: usize = 48;

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

/// Check by environment.
struct Table<'a> {
    matrix: &'a Matrix,
    paint: Paint,
    /// Why something does not apply, in the order in which it is met.
    reasons: Vec<&'a str>,
    lines: Vec<Line>,
}

/// A line of the table: a name, a word for each environment, and a remark.
struct Line {
    name: String,
    cells: Vec<(String, Option<Outcome>)>,
    remark: Remark,
}

/// Between which environments a row differs; the last of several is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Remark {
    #[default]
    Alike,
    OutsideDiffers,
    WiresDiffer,
    DoubleAndSocketDiffer,
}

/// Rows of one check that say the same in every environment.
struct Group<'a> {
    rows: Vec<&'a Row>,
    cells: Vec<Option<&'a Cell>>,
    remark: Remark,
}

impl Remark {
    fn of(finding: &Finding) -> Self {
        match (&finding.of, finding.fails) {
            _ if !finding.differs => Remark::Alike,
            (Of::Wire(_), _) => Remark::WiresDiffer,
            (_, true) => Remark::DoubleAndSocketDiffer,
            (_, false) => Remark::OutsideDiffers,
        }
    }

    fn text(self, matrix: &Matrix) -> String {
        match self {
            Remark::Alike => String::new(),
            Remark::OutsideDiffers => {
                let outside = matrix.environments.get(OUTSIDE);
                format!("  ← the {} differs", outside.map_or("other", |outside| outside.name))
            }
            Remark::WiresDiffer => "  ← the wires differ".to_owned(),
            Remark::DoubleAndSocketDiffer => "  ← double and socket differ".to_owned(),
        }
    }
}

impl<'a> Table<'a> {
    fn new(matrix: &'a Matrix, paint: Paint) -> Self {
        let mut remarks: HashMap<_, Remark> = HashMap::new();
        for finding in &matrix.findings {
            let known = remarks.entry(&finding.name).or_default();
            *known = Remark::of(finding).max(*known);
        }
        let mut table = Table { matrix, paint, reasons: Vec::new(), lines: Vec::new() };
        for rows in matrix.rows.chunk_by(|one, other| one.name.check == other.name.check) {
            table.check(rows, |row| remarks.get(&row.name).copied().unwrap_or_default());
        }
        table
    }

    fn check(&mut self, rows: &'a [Row], remark: impl Fn(&Row) -> Remark) {
        let Some(check) = rows.first().map(|row| &row.name.check) else { return };
        let applies = |row: &&Row| row.cells.iter().flatten().any(|cell| !is_skipped(cell));
        let told: Vec<&Row> = rows.iter().filter(applies).collect();
        if told.is_empty() {
            self.nowhere(check.clone(), rows);
            return;
        }
        let groups = groups(&told, remark);
        if let [group] = groups.as_slice() {
            self.line(check.clone(), group);
            return;
        }
        self.lines.push(Line { name: check.clone(), cells: Vec::new(), remark: Remark::Alike });
        let largest = groups.iter().map(|group| group.rows.len()).max();
        let others = groups.iter().position(|group| Some(group.rows.len()) == largest);
        for (index, group) in groups.iter().enumerate() {
            let name = if Some(index) == others && group.rows.len() > 1 {
                format!("  the other {}", group.rows.len())
            } else {
                format!("  {}", names(&group.rows, &told))
            };
            self.line(name, group);
        }
    }

    fn line(&mut self, name: String, group: &Group<'a>) {
        let cells = group.cells.iter().map(|cell| match cell {
            Some(cell) if !is_skipped(cell) => (cell.verdict.to_string(), Some(cell.outcome())),
            cell => (self.not_here(&[reason(*cell)]), None),
        });
        let cells = cells.collect();
        self.lines.push(Line { name, cells, remark: group.remark });
    }

    /// A check that applies to none of its rows, for one reason or for several.
    fn nowhere(&mut self, name: String, rows: &'a [Row]) {
        let columns = 0..self.matrix.environments.len();
        let cells = columns.map(|column| {
            let cells = rows.iter().filter_map(|row| row.cells.get(column));
            let reasons: Vec<&str> = cells.map(|cell| reason(cell.as_ref())).collect();
            (self.not_here(&reasons), None)
        });
        let cells = cells.collect();
        self.lines.push(Line { name, cells, remark: Remark::Alike });
    }

    /// The mark of what does not apply, with the numbers of its reasons.
    fn not_here(&mut self, reasons: &[&'a str]) -> String {
        let mut numbers = BTreeSet::new();
        for reason in reasons {
            let known = self.reasons.iter().position(|known| known == reason);
            numbers.insert(known.unwrap_or_else(|| {
                self.reasons.push(reason);
                self.reasons.len() - 1
            }));
        }
        let numbers: Vec<String> = numbers.iter().map(|index| (index + 1).to_string()).collect();
        format!("– ({})", numbers.join(", "))
    }

    fn write(&self, out: &mut String) {
        let names: Vec<&str> = self.matrix.environments.iter().map(|one| one.name).collect();
        let lengths = self.lines.iter().map(|line| line.name.chars().count());
        let name_width = lengths.filter(|length| *length <= NAME_WIDTH).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.lines.iter().filter_map(|line| line.cells.get(column));
            let cells = cells.map(|(word, _)| word.chars().count());
            cells.chain(names.get(column).map(|name| name.len())).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..names.len()).map(width).collect();
        let header = names.iter().zip(&widths).map(|(name, width)| format!("  {name:<width$}"));
        let header = format!("{:<name_width$}{}", "", header.collect::<String>());
        let _ = writeln!(out, "{}", self.paint.bold(header.trim_end()));
        for line in &self.lines {
            // A name that is too long has a line of its own.
            let fits = line.name.chars().count() <= name_width;
            if !fits || line.cells.is_empty() {
                let _ = writeln!(out, "{}", line.name);
            }
            if line.cells.is_empty() {
                continue;
            }
            let name = if fits { &line.name } else { "" };
            let mut text = format!("{name:<name_width$}");
            for ((word, outcome), width) in line.cells.iter().zip(&widths) {
                let shown = match outcome {
                    Some(Outcome::Fail | Outcome::Timeout | Outcome::Error) => self.paint.red(word),
                    Some(_) => word.clone(),
                    None => self.paint.dim(word),
                };
                let room = width.saturating_sub(word.chars().count());
                let _ = write!(text, "  {shown}{:room$}", "");
            }
            text.push_str(&line.remark.text(self.matrix));
            let _ = writeln!(out, "{}", text.trim_end());
        }
        if !self.reasons.is_empty() {
            out.push('\n');
        }
        for (index, reason) in self.reasons.iter().enumerate() {
            let _ = writeln!(out, "– ({}) {reason}", index + 1);
        }
    }
}

/// Why something does not apply.
fn reason(cell: Option<&Cell>) -> &str {
    cell.map_or(NOT_TOLD_APART, |cell| cell.reason.as_deref().unwrap_or_default())
}

fn is_skipped(cell: &Cell) -> bool {
    cell.verdict == Verdict::Skip
}

/// Rows that say the same, in the order in which they are met. What an
/// environment has no execution of says the same as anything.
fn groups<'a>(rows: &[&'a Row], remark: impl Fn(&Row) -> Remark) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    // Those that lack nothing come first, so that it does not depend on the order
    // what the others are taken to say.
    let (whole, partial): (Vec<&Row>, Vec<&Row>) =
        rows.iter().copied().partition(|row| row.cells.iter().all(Option::is_some));
    for row in whole.into_iter().chain(partial) {
        let cells: Vec<Option<&Cell>> = row.cells.iter().map(Option::as_ref).collect();
        let remark = remark(row);
        let is_partial = cells.contains(&None);
        let fitting = groups.iter_mut().find(|group| {
            let agrees = group.remark == remark
                || is_partial && group.remark.max(remark) <= Remark::OutsideDiffers;
            agrees
                && group.cells.iter().zip(&cells).all(|(one, other)| match (one, other) {
                    (Some(one), Some(other)) => says_the_same(one, other),
                    _ => true,
                })
        });
        match fitting {
            Some(group) => group.rows.push(row),
            None => groups.push(Group { rows: vec![row], cells, remark }),
        }
    }
    groups
}

fn says_the_same(one: &Cell, other: &Cell) -> bool {
    one.verdict == other.verdict
        && one.weight == other.weight
        && (!is_skipped(one) || one.reason == other.reason)
}

/// The rows by profile, and by case where not all cases of the profile among
/// `all` are meant: `session-http, stateless-http[a case]`.
fn names(rows: &[&Row], all: &[&Row]) -> String {
    let of = |rows: &[&Row], profile: &str| {
        rows.iter().filter(|row| row.name.profile == profile).count()
    };
    let mut names: Vec<String> = Vec::new();
    for row in rows {
        let profile = &row.name.profile;
        let name = match &row.name.case {
            Some(case) if of(rows, profile) < of(all, profile) => format!("{profile}[{case}]"),
            _ => profile.clone(),
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
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

/// The matrix for programs, one execution a line.
pub fn json(matrix: &Matrix, holds: bool) -> String {
    let elapsed = u64::try_from(matrix.elapsed.as_millis()).unwrap_or(u64::MAX);
    let number =
        |test: fn(&Finding) -> bool| matrix.findings.iter().filter(|finding| test(finding)).count();
    let summary = json!({
        "holds": holds,
        "interrupted": matrix.interrupted,
        "differences": number(|finding| finding.differs),
        "failures": number(|finding| finding.fails),
        "run_again": matrix.run_again,
        "elapsed_ms": elapsed,
    });
    let environments: Vec<Value> = matrix
        .environments
        .iter()
        .enumerate()
        .map(|(column, environment)| {
            let mut told = json!({ "name": environment.name, "subject": environment.subject });
            let counts = super::json::counted(&matrix.counts(column));
            for (name, count) in counts.as_object().into_iter().flatten() {
                told[name] = count.clone();
            }
            told
        })
        .collect();
    let mut text = format!(
        "{{\"format\":{},\n\"summary\":{summary},\n\"environments\":{},\n",
        Value::from(FORMAT),
        Value::from(environments)
    );
    let lines = |values: Vec<Value>| {
        let lines: Vec<String> = values.iter().map(|value| format!("\n{value}")).collect();
        lines.join(",")
    };
    let executions = matrix.rows.iter().map(|row| execution(matrix, row)).collect();
    let findings = matrix.findings.iter().map(|one| finding(matrix, one)).collect();
    let _ = writeln!(
        text,
        "\"executions\":[{}],\n\"findings\":[{}]}}",
        lines(executions),
        lines(findings)
    );
    text
}

/// A value for each environment, by its name.
fn by_environment(
    matrix: &Matrix,
    cells: &[Option<Cell>],
    value: impl Fn(&Cell) -> Value,
) -> Value {
    let pairs = matrix.environments.iter().zip(cells);
    let pairs = pairs.map(|(environment, cell)| {
        (environment.name.to_owned(), cell.as_ref().map_or(Value::Null, &value))
    });
    Value::Object(pairs.collect::<Map<_, _>>())
}

fn execution(matrix: &Matrix, row: &Row) -> Value {
    let verdict = |cell: &Cell| Value::from(cell.verdict.as_str());
    let checkpoints: Vec<Value> = row
        .checkpoints
        .iter()
        .map(|(claim, cells)| json!({ "id": claim.id, "verdicts": by_environment(matrix, cells, verdict) }))
        .collect();
    json!({
        "check": row.name.check,
        "case": row.name.case,
        "profile": row.name.profile,
        "revision": row.revision.as_str(),
        "verdicts": by_environment(matrix, &row.cells, verdict),
        "wire": match row.wire {
            Wire::NotCompared => None,
            Wire::Same => Some("same"),
            Wire::Different(_) => Some("different"),
        },
        "checkpoints": checkpoints,
    })
}

fn finding(matrix: &Matrix, finding: &Finding) -> Value {
    let (claim, wire) = match &finding.of {
        Of::Checkpoint(claim) => (Some(claim), None),
        Of::Whole => (None, None),
        Of::Wire(lines) => (None, Some(lines)),
    };
    let cell = |cell: &Cell| {
        json!({
            "verdict": cell.verdict.as_str(),
            "reason": cell.reason,
            "expected": cell.expected,
            "actual": cell.actual,
            "place": cell.place,
            "ended": cell.ended,
        })
    };
    json!({
        "check": finding.name.check,
        "case": finding.name.case,
        "profile": finding.name.profile,
        "revision": finding.revision.as_str(),
        "checkpoint": claim.map(|claim| &claim.id),
        "level": claim.map(|claim| claim.level.as_str()),
        "sentence": claim.map(|claim| &claim.sentence),
        "differs": finding.differs,
        "fails": finding.fails,
        "wire": wire,
        "environments": by_environment(matrix, &finding.cells, cell),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::check::{Checkpoint, Weight};
    use crate::mcp::Revision;
    use crate::runner::matrix::{Environment, Name, findings};

    fn cell(verdict: Verdict, reason: Option<&str>) -> Cell {
        let reason = reason.map(str::to_owned);
        let weight = if verdict == Verdict::Fail { Weight::Red } else { Weight::None };
        Cell { verdict, weight, reason, expected: None, actual: None, place: None, ended: None }
    }

    fn claim() -> Checkpoint {
        let sentence = "The call comes after the handshake".to_owned();
        Checkpoint { id: "a".to_owned(), sentence, ..Checkpoint::wire_schema() }
    }

    /// An execution with one claim, `a`, which holds in memory.
    fn row(profile: &str, case: &str, socket: Verdict, client: Option<Cell>) -> Row {
        let cells = vec![Some(cell(Verdict::Pass, None)), Some(cell(socket, None)), client];
        Row {
            name: Name::new("client/one", profile, Some(case)),
            revision: Revision::V2025_11_25,
            checkpoints: vec![(claim(), cells.clone())],
            cells,
            wire: Wire::Same,
        }
    }

    fn matrix_of(rows: Vec<Row>) -> Matrix {
        let environment = |name, subject: &str| Environment { name, subject: subject.to_owned() };
        Matrix {
            environments: vec![
                environment("double", "embedded"),
                environment("socket", "loopback"),
                environment("client", "client: node client.mjs"),
            ],
            findings: findings(&rows),
            rows,
            run_again: 1,
            interrupted: true,
            elapsed: Duration::from_secs(2),
        }
    }

    /// A check in two cases for two profiles; it fails over the socket for one of
    /// them, and the client cannot tell the other apart.
    fn matrix() -> Matrix {
        let skip = || Some(cell(Verdict::Skip, Some("only the built-in client can show it")));
        matrix_of(vec![
            row("json", "first", Verdict::Pass, skip()),
            row("json", "second", Verdict::Fail, skip()),
            row("sse", "first", Verdict::Pass, None),
            row("sse", "second", Verdict::Pass, None),
        ])
    }

    #[test]
    fn a_profile_that_is_not_told_apart_stands_with_one_that_ran() {
        let failed = Some(cell(Verdict::Fail, Some("not equal")));
        let rows = vec![
            row("json", "first", Verdict::Pass, None),
            row("sse", "first", Verdict::Pass, failed),
        ];
        let text = text(&matrix_of(rows), Paint(false));
        let line = text.lines().nth(1).unwrap();
        assert_eq!(line, "client/one  pass    pass    fail    ← the client differs");
        assert!(
            text.contains(
                "client    fail: not equal\n  case      first\n  profile   sse (2025-11-25)"
            ),
            "{text}"
        );
    }

    #[test]
    fn a_person_sees_check_by_environment_and_what_differs() {
        assert_eq!(
            format!("\n{}", text(&matrix(), Paint(false))),
            "
                double  socket  client
client/one
  the other 3   pass    pass    – (1)
  json[second]  pass    fail    – (1)   ← double and socket differ

– (1) only the built-in client can show it

what differs

client/one#a
  The call comes after the handshake
  level     MUST
  double    pass
  socket    fail
  client    –: only the built-in client can show it
  case      second
  profile   json (2025-11-25)

double  4 ran, all held  embedded
socket  4 ran, 1 failed  loopback
client  0 ran, 2 skipped  client: node client.mjs
1 execution differed at first and ran again over the socket, where a busy machine may be late
1 check in 3 environments: double and socket differ in 1 execution; the client has nothing to say
Interrupted: not everything ran.
in 2 s
"
        );
    }

    #[test]
    fn colours_change_nothing_else() {
        let mut pieces = vec![];
        let coloured = text(&matrix(), Paint(true));
        for (index, piece) in coloured.split("\x1b[").enumerate() {
            let end = if index == 0 { 0 } else { piece.find('m').map_or(0, |end| end + 1) };
            pieces.push(&piece[end..]);
        }
        assert!(pieces.len() > 1, "there are some");
        assert_eq!(pieces.concat(), text(&matrix(), Paint(false)));
    }

    #[test]
    fn a_program_reads_the_same() {
        let text = json(&matrix(), false);
        let document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(document["format"], FORMAT);
        assert_eq!(document["summary"]["failures"], 1);
        assert_eq!(document["environments"][1]["failed"], 1);
        let verdicts = |index: usize| document["executions"][index]["verdicts"].clone();
        assert_eq!(verdicts(1), json!({ "double": "pass", "socket": "fail", "client": "skip" }));
        assert_eq!(verdicts(2), json!({ "double": "pass", "socket": "pass", "client": null }));
        assert_eq!(document["findings"][0]["case"], "second");
        assert_eq!(document["findings"][0]["fails"], true);
    }
}
