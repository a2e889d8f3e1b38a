//! What an execution came to: its [`Outcome`], and [`Counts`] of them. `weighing`
//! decides it.

use crate::check::Weight;

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
