//! What is red: `Execution::weigh` decides it once, when the execution is finished.
//! Reports, `--fail-fast` and the exit code read it.

use super::event::{Execution, SnapshotOutcome, Trouble};
use super::outcome::Outcome;
use super::subject::Settings;
use crate::check::{CheckpointResult, Level, Verdict, Weight};

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
