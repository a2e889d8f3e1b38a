//! What became of a checkpoint: its [`Verdict`], and the [`Decision`] behind it.

use std::borrow::Cow;
use std::fmt;

use super::checkpoint::{Checkpoint, Level};
use super::place::Place;

/// What became of one checkpoint in one execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It was exercised and held.
    Pass,
    /// A MUST that did not hold.
    Fail,
    /// A SHOULD that did not hold.
    Warn,
    /// A MAY or INTEROP that did not hold.
    Note,
    /// It does not apply here, for a stated reason.
    Skip,
    /// It applies, but what it is about never happened.
    NotExercised,
    /// The run was interrupted before it was decided.
    Cancelled,
    /// The check's time was up before it was decided.
    Timeout,
    /// The check itself is broken.
    Error,
}

impl Verdict {
    /// The verdict on a claim of `level` that did not hold.
    pub fn not_held(level: Level) -> Self {
        match level {
            Level::Must => Verdict::Fail,
            Level::Should => Verdict::Warn,
            Level::May | Level::Interop => Verdict::Note,
        }
    }

    /// The word that reports use: `pass`, `fail`, `not exercised`, …
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::Warn => "warn",
            Verdict::Note => "note",
            Verdict::Skip => "skip",
            Verdict::NotExercised => "not exercised",
            Verdict::Cancelled => "cancelled",
            Verdict::Timeout => "timeout",
            Verdict::Error => "error",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

/// What a verdict does to its execution: nothing, or the more the later it stands
/// here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weight {
    /// Nothing: it holds, does not apply, or was not judged.
    #[default]
    None,
    /// It does not hold, as was expected of it.
    Expected,
    /// Worth knowing.
    Note,
    /// Not as it should be.
    Warning,
    /// It makes the execution red.
    Red,
}

/// What decided a checkpoint, and where in the script.
#[derive(Clone, Debug, Default)]
pub struct Decision {
    /// Why: the reason of a skip, or what did not hold, in a few words.
    pub reason: String,
    /// What was expected, written as a script would write it.
    pub expected: Option<String>,
    /// What was found instead.
    pub actual: Option<String>,
    /// The call that decided.
    pub place: Option<Place>,
    /// The exchange that it was about, by its index.
    pub exchange: Option<usize>,
    /// What the reason comes down to, where it also names what differs from one
    /// execution to the next.
    pub cause: Option<String>,
    /// What else is the matter with the same claim in the same execution, each with
    /// another cause.
    pub further: Vec<Decision>,
}

/// One checkpoint and what became of it in one execution.
#[derive(Clone, Debug)]
pub struct CheckpointResult {
    /// The claim.
    pub checkpoint: Checkpoint,
    /// What became of it.
    pub verdict: Verdict,
    /// What decided it; a pass needs none.
    pub decision: Option<Decision>,
    /// What the verdict does to the execution. The runner says so when the
    /// execution is finished; until then it is nothing.
    pub weight: Weight,
}

impl CheckpointResult {
    /// A verdict that was not weighed yet.
    pub fn new(checkpoint: Checkpoint, verdict: Verdict, decision: Option<Decision>) -> Self {
        CheckpointResult { checkpoint, verdict, decision, weight: Weight::None }
    }

    /// The result as it would be if each of its decisions stood alone, in order.
    pub fn by_decision(&self) -> impl Iterator<Item = Cow<'_, Self>> {
        let further = self.decision.iter().flat_map(|decision| &decision.further);
        let alone = |decision: &Decision| {
            Cow::Owned(CheckpointResult {
                checkpoint: self.checkpoint.clone(),
                decision: Some(decision.clone()),
                ..*self
            })
        };
        std::iter::once(Cow::Borrowed(self)).chain(further.map(alone))
    }
}
