//! Entries put into a file, and taken out of it, with every other byte left as it
//! is: [`Survey`] and [`edited`].

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::entry::{Entry, Expectations};
use super::excused::{Stale, does_not_hold};
use super::layout::{Layout, line_end, lines_of};
use super::scope::{Where, scalar, smallest};
use crate::check::{Verdict, Weight};
use crate::runner::event::Trouble;
use crate::runner::{Execution, Outcome};

/// The first lines of a new file.
const HEAD: &str = "\
# What is known not to hold. Each entry needs a reason: why it does not hold, and
# whose fault it is.
";

/// What did not hold in a run, and where it could have.
#[derive(Debug, Default)]
pub struct Survey {
    /// By check and checkpoint; the whole check, where time was up and every
    /// checkpoint was decided.
    claims: BTreeMap<(String, Option<String>), Claim>,
}

#[derive(Debug, Default)]
struct Claim {
    red: Vec<Where>,
    all: Vec<Where>,
}

impl Survey {
    /// Takes in an execution that has been weighed.
    pub fn add(&mut self, execution: &Execution) {
        if !matches!(execution.trouble, None | Some(Trouble::TimedOut(_))) {
            return;
        }
        let mut named = false;
        for result in &execution.checkpoints {
            if result.verdict != Verdict::Pass && !does_not_hold(result.verdict) {
                continue;
            }
            let is_red = result.weight == Weight::Red;
            named |= is_red;
            self.claim(execution, Some(result.checkpoint.id.clone()), is_red);
        }
        self.claim(execution, None, execution.outcome == Outcome::Timeout && !named);
    }

    fn claim(&mut self, execution: &Execution, checkpoint: Option<String>, is_red: bool) {
        let claim = self.claims.entry((execution.check.clone(), checkpoint)).or_default();
        let place = Where::of(execution);
        if is_red {
            claim.red.push(place.clone());
        }
        claim.all.push(place);
    }

    /// The new entries: what is red and is in no entry of the file, whether that
    /// counts or not. Each is the lines of an entry, without indentation.
    fn entries(&self, known: &[Arc<Entry>]) -> Vec<Vec<String>> {
        let mut entries = Vec::new();
        for ((check, checkpoint), claim) in &self.claims {
            let is_known = |place: &&Where| {
                known.iter().any(|entry| {
                    entry.check == *check
                        && (entry.checkpoint.is_none() || entry.checkpoint == *checkpoint)
                        && (entry.cases.is_empty()
                            || place.case.as_ref().is_some_and(|case| entry.cases.contains(case)))
                        && (entry.profiles.is_empty() || entry.profiles.contains(&place.profile))
                        && (entry.revisions.is_empty() || entry.revisions.contains(&place.revision))
                })
            };
            let red: Vec<Where> =
                claim.red.iter().filter(|place| !is_known(place)).cloned().collect();
            let id = match checkpoint {
                Some(checkpoint) => format!("{check}#{checkpoint}"),
                None => check.clone(),
            };
            for scope in smallest(&red, &claim.all) {
                let mut lines = vec![format!("id: {}", scalar(&id))];
                lines.extend(scope.pairs());
                lines.push("reason: \"\"".to_owned());
                entries.push(lines);
            }
        }
        entries
    }
}

/// A file's text with entries for what is red, and how many they are; without
/// the `pruned` entries.
pub fn edited(expectations: &Expectations, survey: &Survey, pruned: &[Stale]) -> (String, usize) {
    let text: &str = expectations.source.inner();
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let new = survey.entries(&expectations.entries);
    let added = |indent: &str| -> String {
        let line = |entry: &Vec<String>| {
            let lines = entry.join(&format!("{newline}{indent}  "));
            format!("{indent}- {lines}{newline}")
        };
        new.iter().map(line).collect()
    };
    let mut edits: Vec<(Range<usize>, String)> =
        pruned.iter().map(|stale| (lines_of(text, &stale.entry.span), String::new())).collect();
    let is_emptied = !expectations.entries.is_empty()
        && new.is_empty()
        && edits.len() == expectations.entries.len();
    match &expectations.layout {
        Layout::Behind { indent, .. } if is_emptied => {
            // A key with nothing under it is no list.
            let first = edits.iter().map(|(lines, _)| lines.start).min().unwrap_or_default();
            edits.push((first..first, format!("{indent}[]{newline}")));
        }
        Layout::Behind { at, indent } => edits.push((*at..*at, added(indent))),
        Layout::Instead { empty, indent } if !new.is_empty() => {
            let colon = text[..empty.start].trim_end().len();
            edits.push((colon..empty.end, String::new()));
            let behind = line_end(text, empty.end);
            edits.push((behind..behind, added(indent)));
        }
        Layout::Key { at, indent } => {
            let head = if text.is_empty() { HEAD } else { "" };
            let list = match new.is_empty() {
                true if text.is_empty() => format!("{head}expected: []{newline}"),
                true => String::new(),
                false => {
                    format!("{head}{indent}expected:{newline}{}", added(&format!("{indent}  ")))
                }
            };
            edits.push((*at..*at, list));
        }
        Layout::Instead { .. } | Layout::Brackets(_) => {}
    }
    (apply(text, edits, newline), new.len())
}

/// Makes the edits. What is put behind a line that does not end begins a new one.
fn apply(text: &str, mut edits: Vec<(Range<usize>, String)>, newline: &str) -> String {
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (range, new) in edits {
        out.push_str(&text[done..range.start.max(done)]);
        if !new.is_empty() && !out.is_empty() && !out.ends_with('\n') {
            out.push_str(newline);
        }
        out.push_str(&new);
        done = range.end.max(done);
    }
    out.push_str(&text[done..]);
    out
}
