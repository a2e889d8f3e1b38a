//! What failed as expected, and entries that expect what holds:
//! [`ExpectedFailures`].

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::look::Look;
use crate::report::describe::{count, cut};
use crate::runner::expected::Entry;
use crate::runner::{Execution, Outcome, Summary};
use crate::wire::text::Style;

/// How many entries are shown.
const SHOWN: usize = 12;

/// How much of a reason is shown at least, in columns.
const LEAST_REASON: usize = 30;

/// What failed as expected, by the line of its entry.
#[derive(Default)]
pub(super) struct ExpectedFailures(BTreeMap<usize, Met>);

/// An entry that was met.
struct Met {
    id: String,
    reason: String,
    executions: usize,
}

impl ExpectedFailures {
    /// Adds what of an execution was expected.
    pub(super) fn add(&mut self, execution: &Execution, style: &Style) {
        let expected = &execution.expected;
        let late = expected.timeout().filter(|_| execution.outcome == Outcome::Expected);
        let mut entries: Vec<&Entry> =
            expected.iter().map(|(_, entry)| &**entry).chain(late.map(|entry| &**entry)).collect();
        entries.sort_by_key(|entry| entry.line);
        entries.dedup_by_key(|entry| entry.line);
        for entry in entries {
            let met = self.0.entry(entry.line).or_insert_with(|| Met {
                id: style.text(entry.id().as_bytes()),
                reason: style.text(entry.reason.as_bytes()),
                executions: 0,
            });
            met.executions += 1;
        }
    }

    /// One line an entry; of what is stale the place in the file and what to do.
    pub(super) fn text(&self, summary: &Summary, style: &Style, look: Look) -> String {
        let Look { paint, width } = look;
        let mut out = String::new();
        if !self.0.is_empty() {
            let _ = writeln!(out, "{}", paint.bold("failed as expected"));
        }
        for met in self.0.values().take(SHOWN) {
            let head = format!("  {} in {}: ", met.id, count(met.executions, "execution"));
            let room = width.saturating_sub(head.chars().count()).max(LEAST_REASON);
            let _ = writeln!(out, "{head}{}", cut(&met.reason, room));
        }
        if let Some(more) = self.0.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            let _ = writeln!(out, "  and by {more} more entries, which JSON has");
        }
        if !summary.stale.is_empty() {
            let heading = paint.bold("expected to fail, and holds");
            let heading = if summary.stale_is_red { paint.red(&heading) } else { heading };
            let _ = writeln!(out, "{heading}");
        }
        for stale in &summary.stale {
            let text = |text: &str| style.text(text.as_bytes());
            let (place, id) = (text(&stale.place), text(&stale.entry.id()));
            let _ = writeln!(out, "  {place}: {id}: {}", text(&stale.advice()));
        }
        if !out.is_empty() {
            out.push('\n');
        }
        out
    }
}
