//! A [`Checkpoint`]: one named claim inside a check.

use std::fmt;
use std::str::FromStr;

use crate::mcp::Revision;

/// How strongly a claim binds: the specification's own keywords, and one for
/// what it does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Required by the specification.
    Must,
    /// Recommended by the specification.
    Should,
    /// Permitted by the specification.
    May,
    /// Not in the specification, but peers in the field depend on it.
    Interop,
}

impl Level {
    /// Every level, the strongest first.
    pub const ALL: [Level; 4] = [Level::Must, Level::Should, Level::May, Level::Interop];

    /// The level as it stands in a header: `MUST`, `SHOULD`, `MAY`, `INTEROP`.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Must => "MUST",
            Level::Should => "SHOULD",
            Level::May => "MAY",
            Level::Interop => "INTEROP",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

/// A word that names no level.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a level; the levels are MUST, SHOULD, MAY and INTEROP")]
pub struct UnknownLevel(pub String);

impl FromStr for Level {
    type Err = UnknownLevel;

    /// Reads a level in any letter case.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Level::ALL
            .into_iter()
            .find(|level| level.as_str().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownLevel(text.to_owned()))
    }
}

/// What a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum About {
    /// The protocol, or what peers in the field depend on.
    Protocol,
    /// The task that a client was given: one of its goals.
    Task,
    /// The built-in host: its own policy, not the protocol's.
    Host,
}

impl About {
    /// What it is about, in a word: `protocol`, `task`, `host`.
    pub fn as_str(self) -> &'static str {
        match self {
            About::Protocol => "protocol",
            About::Task => "task",
            About::Host => "host",
        }
    }
}

/// The checkpoint that every check has and none declares: see
/// [`Checkpoint::wire_schema`].
pub const WIRE_SCHEMA: &str = "wire-schema";

/// One named claim inside a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The name by which the script decides it.
    pub id: String,
    /// How strongly it binds.
    pub level: Level,
    /// What it is about; what is not about the protocol is counted apart.
    pub about: About,
    /// Only the built-in client or host can show it.
    pub builtin: bool,
    /// It claims that something is sent at all: that nothing came is the failure
    /// it speaks of, so a proof takes "not exercised" for a fail.
    pub sent: bool,
    /// The specification's own keyword, where a requirement list sets another.
    pub spec_level: Option<Level>,
    /// The revisions in which the claim holds, in their order; empty means
    /// every revision of the check.
    pub revisions: Vec<Revision>,
    /// The claim in one sentence.
    pub sentence: String,
}

impl Checkpoint {
    /// What the runner decides in every execution, from what was recorded.
    pub fn wire_schema() -> Self {
        Checkpoint {
            id: WIRE_SCHEMA.to_owned(),
            level: Level::Must,
            about: About::Protocol,
            builtin: false,
            sent: false,
            spec_level: None,
            revisions: Vec::new(),
            sentence: "Every message that the subject sent is valid for its revision".to_owned(),
        }
    }

    /// Whether the claim holds at `revision`.
    pub fn applies_to(&self, revision: Revision) -> bool {
        self.revisions.is_empty() || self.revisions.contains(&revision)
    }
}
