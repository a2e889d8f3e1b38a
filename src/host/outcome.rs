//! What a tool call came to: [`Outcome`].

use std::fmt;
use std::str::FromStr;

/// What a tool call came to.
///
/// One word stands for each, and the same word stands in the type, in the
/// audit, in every report and on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The tool did what it was asked to do.
    Ok,
    /// The tool, the server or the way to it failed.
    Failed,
    /// The run was cancelled; nothing is known about what the server did.
    Cancelled,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Outcome; 3] = [Outcome::Ok, Outcome::Failed, Outcome::Cancelled];

    /// The outcome in its one word: `ok`, `failed`, `cancelled`.
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Ok => "ok",
            Outcome::Failed => "failed",
            Outcome::Cancelled => "cancelled",
        }
    }

    /// Whether it is an error for whoever asks no further: everything but `ok`.
    pub fn is_error(self) -> bool {
        self != Outcome::Ok
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

/// A word that names no outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no outcome; the outcomes are ok, failed and cancelled")]
pub struct UnknownOutcome(pub String);

impl FromStr for Outcome {
    type Err = UnknownOutcome;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Outcome::ALL
            .into_iter()
            .find(|outcome| outcome.as_str() == word)
            .ok_or_else(|| UnknownOutcome(word.to_owned()))
    }
}
