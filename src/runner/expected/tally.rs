//! What was expected in each execution, and what became of each entry: [`Tally`].

use std::sync::Arc;

use super::entry::Expectations;
use super::excused::{Expected, Stale, does_not_hold};
use super::scope::{Where, smallest};
use crate::check::Verdict;
use crate::runner::Execution;
use crate::runner::event::Trouble;

/// Follows a run and knows what became of each entry.
#[derive(Debug)]
pub struct Tally<'a> {
    expectations: &'a Expectations,
    /// Whether some claims of a check are not reported: then it is not known
    /// whether a whole check holds.
    is_partial: bool,
    seen: Vec<Seen>,
}

/// What became of one entry.
#[derive(Clone, Debug, Default)]
struct Seen {
    failed: Vec<Where>,
    held: Vec<Where>,
}

impl<'a> Tally<'a> {
    /// Nothing ran yet. `is_partial` says that claims below some level are left
    /// out of the run.
    pub fn new(expectations: &'a Expectations, is_partial: bool) -> Self {
        let seen = vec![Seen::default(); expectations.entries.len()];
        Tally { expectations, is_partial, seen }
    }

    /// What of an execution was expected, noted for the end. An execution that
    /// says nothing of its subject was not expected: a broken check, a subject
    /// that cannot be run, what is skipped or cancelled.
    pub fn expected(&mut self, execution: &Execution) -> Expected {
        let mut expected = Expected::default();
        let is_late = match execution.trouble {
            None => false,
            Some(Trouble::TimedOut(_)) => true,
            Some(_) => return expected,
        };
        for (entry, seen) in self.expectations.entries.iter().zip(&mut self.seen) {
            if !entry.counts() || !entry.is_about(execution) {
                continue;
            }
            let named = || {
                let results = execution.checkpoints.iter();
                results.filter(|result| entry.names(&result.checkpoint.id))
            };
            let mut failed = false;
            for result in named().filter(|result| does_not_hold(result.verdict)) {
                failed = true;
                let id = result.checkpoint.id.clone();
                expected.checkpoints.entry(id).or_insert_with(|| Arc::clone(entry));
            }
            if is_late && entry.checkpoint.is_none() {
                failed = true;
                expected.timeout.get_or_insert_with(|| Arc::clone(entry));
            }
            let held = named().any(|result| result.verdict == Verdict::Pass);
            if failed {
                seen.failed.push(Where::of(execution));
            } else if held && !(self.is_partial && entry.checkpoint.is_none()) {
                seen.held.push(Where::of(execution));
            }
        }
        expected
    }

    /// The entries that expect what holds, in the order of the file.
    pub fn stale(&self) -> Vec<Stale> {
        let entries = self.expectations.entries.iter().zip(&self.seen);
        entries
            .filter(|(entry, seen)| !entry.flaky && !seen.held.is_empty())
            .map(|(entry, Seen { failed, held })| {
                let all: Vec<Where> = failed.iter().chain(held).cloned().collect();
                Stale {
                    entry: Arc::clone(entry),
                    place: self.expectations.place(entry),
                    holds: smallest(held, &all),
                    remains: smallest(failed, &all),
                }
            })
            .collect()
    }
}
