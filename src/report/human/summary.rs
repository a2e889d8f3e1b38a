//! The end of a report for a person: the counts of a run.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use crate::check::{About, Level, Verdict};
use crate::report::describe::{count, counted, time};
use crate::report::paint::Paint;
use crate::runner::Summary;
use crate::runner::event::{Counted, Plan};

/// The verdicts in the order of the table's columns.
const COLUMNS: [Verdict; 9] = [
    Verdict::Pass,
    Verdict::Fail,
    Verdict::NotExercised,
    Verdict::Timeout,
    Verdict::Error,
    Verdict::Warn,
    Verdict::Note,
    Verdict::Skip,
    Verdict::Cancelled,
];

/// The table's rows: what they are about, the level or every one, the heading.
/// What is not counted as conformance comes last.
const ROWS: [(About, Option<Level>, &str); 6] = [
    (About::Protocol, Some(Level::Must), "MUST"),
    (About::Protocol, Some(Level::Should), "SHOULD"),
    (About::Protocol, Some(Level::May), "MAY"),
    (About::Task, None, "task goals"),
    (About::Protocol, Some(Level::Interop), "INTEROP"),
    (About::Host, None, "host"),
];

/// How many new snapshots are named.
const NAMED: usize = 10;

/// How many reasons for a skip are named.
const REASONS: usize = 6;

/// The summary as text.
pub(super) fn text(
    summary: &Summary,
    plan: Option<&Plan>,
    skipped: &BTreeMap<String, [usize; 2]>,
    new_snapshots: &[PathBuf],
    paint: Paint,
) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}", headline(summary, plan, paint));
    table(&mut out, summary, paint);
    skips(&mut out, skipped);
    snapshots(&mut out, summary, new_snapshots);
    let _ = writeln!(out, "{}", paint.dim(&format!("in {}", time(summary.elapsed))));
    out
}

fn headline(summary: &Summary, plan: Option<&Plan>, paint: Paint) -> String {
    let counts = &summary.executions;
    let mut words = counted(counts, paint);
    if !summary.stale.is_empty() {
        let number = summary.stale.len();
        let stale = format!("{number} stale {}", if number == 1 { "entry" } else { "entries" });
        let stale = if summary.stale_is_red { paint.red(&stale) } else { stale };
        words = if words.is_empty() { stale } else { format!("{words}, {stale}") };
    }
    if counts.ran > 0 {
        return format!("{} ran, {words}", count(counts.ran, "execution"));
    }
    let why = match plan {
        Some(_) if counts.skipped > 0 => "Nothing ran: see below why.",
        Some(plan) if plan.executions > 0 => "Nothing ran.",
        _ => "Nothing ran: no check was selected. `mcp-checks list` shows what there is.",
    };
    let why = paint.red(why);
    if words.is_empty() { why } else { format!("{why} ({words})") }
}

fn table(out: &mut String, summary: &Summary, paint: Paint) {
    let matching = |about: About, level: Option<Level>, verdict: Verdict| {
        summary.checkpoints.iter().filter(move |counted| {
            counted.about == about
                && level.is_none_or(|level| counted.level == level)
                && counted.verdict == verdict
        })
    };
    let number = |about: About, level: Option<Level>, verdict: Verdict| -> usize {
        matching(about, level, verdict).map(|counted| counted.count).sum()
    };
    let is_bad = |counted: &Counted| counted.red > 0 || counted.verdict == Verdict::Error;
    let columns: Vec<Verdict> = COLUMNS
        .into_iter()
        .filter(|&verdict| ROWS.iter().any(|&(about, level, _)| number(about, level, verdict) > 0))
        .collect();
    if columns.is_empty() {
        return;
    }
    let _ = write!(out, "\n  {:<10}", "");
    for verdict in &columns {
        let _ = write!(out, "  {:>1$}", verdict, width(*verdict));
    }
    out.push('\n');
    for (about, level, name) in ROWS {
        if columns.iter().all(|&verdict| number(about, level, verdict) == 0) {
            continue;
        }
        let _ = write!(out, "  {name:<10}");
        for &verdict in &columns {
            let cell = match number(about, level, verdict) {
                0 => format!("{:>1$}", "-", width(verdict)),
                number => format!("{:>1$}", number, width(verdict)),
            };
            let is_bad = matching(about, level, verdict).any(is_bad);
            let _ = write!(out, "  {}", if is_bad { paint.red(&cell) } else { cell });
        }
        match (about, level) {
            (About::Protocol, Some(Level::Interop)) => {
                out.push_str("  (not counted as conformance)");
            }
            (About::Host, _) => out.push_str("  (what the built-in host promises)"),
            _ => {}
        }
        out.push('\n');
    }
    out.push('\n');
}

fn width(verdict: Verdict) -> usize {
    verdict.as_str().len().max(5)
}

fn skips(out: &mut String, skipped: &BTreeMap<String, [usize; 2]>) {
    if skipped.is_empty() {
        return;
    }
    out.push_str("skipped\n");
    let mut reasons: Vec<_> = skipped.iter().collect();
    // Executions first; reasons that were given as often stay in the order of
    // their words.
    reasons.sort_by_key(|(_, numbers)| std::cmp::Reverse(**numbers));
    let words = |[executions, checkpoints]: [usize; 2]| {
        let numbers: Vec<String> = [(executions, "execution"), (checkpoints, "checkpoint")]
            .into_iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, noun)| count(number, noun))
            .collect();
        numbers.join(", ")
    };
    let shown = if reasons.len() > REASONS + 1 { REASONS } else { reasons.len() };
    for (reason, numbers) in &reasons[..shown] {
        let _ = writeln!(out, "  {}: {reason}", words(**numbers));
    }
    let rest = &reasons[shown..];
    if !rest.is_empty() {
        let sum = |which: usize| rest.iter().map(|(_, numbers)| numbers[which]).sum();
        let (number, words) = (rest.len(), words([sum(0), sum(1)]));
        let _ = writeln!(out, "  {words}: for {number} other reasons, which JSON has");
    }
}

fn snapshots(out: &mut String, summary: &Summary, new_snapshots: &[PathBuf]) {
    let counts = [
        (summary.snapshots_new, "new"),
        (summary.snapshots_different, "different"),
        (summary.snapshots_updated, "updated"),
        (summary.snapshots_unreferenced.len(), "unreferenced"),
    ];
    let words: Vec<String> = counts
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| format!("{number} {word}"))
        .collect();
    if words.is_empty() {
        return;
    }
    let _ = writeln!(out, "snapshots: {}", words.join(", "));
    for path in new_snapshots.iter().take(NAMED) {
        let _ = writeln!(out, "  new           {}", path.display());
    }
    if new_snapshots.len() > NAMED {
        let _ = writeln!(out, "  new           and {} more", new_snapshots.len() - NAMED);
    }
    for name in &summary.snapshots_unreferenced {
        let _ = writeln!(out, "  unreferenced  {name}");
    }
    if summary.snapshots_new + summary.snapshots_different > 0 {
        out.push_str("  `mcp-checks review` shows each change once, to accept or to reject\n");
    }
}
