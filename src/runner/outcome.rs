//! What an execution came to, and what is red: `Execution::weigh` decides it
//! once, when the execution is finished. Reports, `--fail-fast` and the exit code
//! read it.

use super::event::{Execution, SnapshotOutcome, Trouble};
use super::subject::Settings;
use crate::check::{CheckpointResult, Level, Verdict, Weight};

/// What one execution came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// Everything held that was judged.
    #[default]
    Pass,
    /// What did not hold was expected not to.
    Expected,
    /// A MAY or INTEROP did not hold, or was not exercised.
    Note,
    /// A SHOULD did not hold, or was not exercised.
    Warn,
    /// Something is wrong with the subject or its wire.
    Fail,
    /// Its time was up.
    Timeout,
    /// The check is broken, and says nothing about the subject.
    Error,
    /// It does not apply.
    Skip,
    /// The run was interrupted first.
    Cancelled,
}

impl Outcome {
    /// Whether the subject does not conform: then the run fails.
    pub fn is_red(self) -> bool {
        matches!(self, Outcome::Fail | Outcome::Timeout)
    }

    /// The word that reports use: `pass`, `warn`, `timeout`, …
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Expected => "expected",
            Outcome::Note => "note",
            Outcome::Warn => "warn",
            Outcome::Fail => "fail",
            Outcome::Timeout => "timeout",
            Outcome::Error => "error",
            Outcome::Skip => "skip",
            Outcome::Cancelled => "cancelled",
        }
    }
}

impl From<Weight> for Outcome {
    fn from(weight: Weight) -> Self {
        match weight {
            Weight::None => Outcome::Pass,
            Weight::Expected => Outcome::Expected,
            Weight::Note => Outcome::Note,
            Weight::Warning => Outcome::Warn,
            Weight::Red => Outcome::Fail,
        }
    }
}

/// How many executions came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Those that ran: whatever came of it, but for broken checks.
    pub ran: usize,
    /// Those that do not apply.
    pub skipped: usize,
    /// Those whose check is broken.
    pub broken: usize,
    /// Those that were cancelled.
    pub cancelled: usize,
    /// Those that are red.
    pub failed: usize,
    /// Those in which nothing failed but what was expected to.
    pub expected: usize,
    /// Those with warnings and nothing red.
    pub warned: usize,
    /// Those with notes and nothing graver.
    pub noted: usize,
}

impl Counts {
    /// Counts one execution more.
    pub fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Skip => self.skipped += 1,
            Outcome::Error => self.broken += 1,
            Outcome::Cancelled => self.cancelled += 1,
            Outcome::Pass => self.ran += 1,
            Outcome::Expected => {
                self.ran += 1;
                self.expected += 1;
            }
            Outcome::Note => {
                self.ran += 1;
                self.noted += 1;
            }
            Outcome::Warn => {
                self.ran += 1;
                self.warned += 1;
            }
            Outcome::Fail | Outcome::Timeout => {
                self.ran += 1;
                self.failed += 1;
            }
        }
    }
}

impl Execution {
    /// Decides what is red in it, and what it came to. It has to be as it will be
    /// reported.
    pub(crate) fn weigh(&mut self, settings: &Settings) {
        for result in &mut self.checkpoints {
            result.weight = match self.expected.checkpoint(&result.checkpoint.id) {
                Some(_) => Weight::Expected,
                None => weight(result, settings.fail_on),
            };
        }
        self.snapshot_is_red = match self.snapshot {
            SnapshotOutcome::Different { .. } | SnapshotOutcome::Unusable(_) => true,
            SnapshotOutcome::New { .. } => settings.fail_on_new_snapshot,
            SnapshotOutcome::NotCompared | SnapshotOutcome::Same | SnapshotOutcome::Updated => {
                false
            }
        };
        self.outcome = match &self.trouble {
            Some(Trouble::Subject(_)) => Outcome::Fail,
            Some(Trouble::TimedOut(_)) if !self.is_late_as_expected() => Outcome::Timeout,
            Some(Trouble::Broken(_)) => Outcome::Error,
            Some(Trouble::Cancelled) => Outcome::Cancelled,
            Some(Trouble::Skipped(_)) => Outcome::Skip,
            _ if self.snapshot_is_red => Outcome::Fail,
            Some(Trouble::TimedOut(_)) => Outcome::Expected,
            None => {
                let weights = self.checkpoints.iter().map(|result| result.weight);
                weights.max().unwrap_or_default().into()
            }
        };
    }
}

impl Execution {
    /// Whether that time was up was expected: of the whole check, or of every
    /// checkpoint that was not decided.
    fn is_late_as_expected(&self) -> bool {
        let mut late =
            self.checkpoints.iter().filter(|result| result.verdict == Verdict::Timeout).peekable();
        self.expected.timeout().is_some()
            || (late.peek().is_some() && late.all(|result| result.weight == Weight::Expected))
    }
}

/// What a verdict weighs if claims from the level `fail_on` on have to hold. What
/// was not exercised weighs as what did not hold does.
fn weight(result: &CheckpointResult, fail_on: Level) -> Weight {
    let level = result.checkpoint.level;
    match result.verdict {
        Verdict::Pass | Verdict::Skip | Verdict::Cancelled | Verdict::Error => Weight::None,
        Verdict::Timeout => Weight::Red,
        Verdict::Fail | Verdict::Warn | Verdict::Note | Verdict::NotExercised => match level {
            _ if level <= fail_on => Weight::Red,
            Level::Must | Level::Should => Weight::Warning,
            Level::May | Level::Interop => Weight::Note,
        },
    }
}
