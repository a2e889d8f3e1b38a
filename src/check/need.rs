//! A [`Need`]: what a profile must be like for a check to run on it.

use std::fmt;
use std::str::FromStr;

use crate::profile::{Framing, Profile};

/// What a profile must be like for a check to run on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Need {
    /// The far side issues a session.
    Session,
    /// The far side issues no session.
    NoSession,
    /// The policy accepts the far side; what every check needs unless it
    /// says `refused`.
    Accepted,
    /// The policy refuses the far side.
    Refused,
    /// The far side answers in JSON.
    Json,
    /// The far side answers with event streams.
    EventStream,
    /// The model's zone may read what the far side's tools return.
    WithinCeiling,
    /// The model's zone may not.
    AboveCeiling,
}

impl Need {
    /// Every need that a header can name.
    pub const ALL: [Need; 8] = [
        Need::Session,
        Need::NoSession,
        Need::Accepted,
        Need::Refused,
        Need::Json,
        Need::EventStream,
        Need::WithinCeiling,
        Need::AboveCeiling,
    ];

    /// The need as it stands in a header.
    pub fn as_str(self) -> &'static str {
        match self {
            Need::Session => "session",
            Need::NoSession => "no-session",
            Need::Accepted => "accepted",
            Need::Refused => "refused",
            Need::Json => "json",
            Need::EventStream => "event-stream",
            Need::WithinCeiling => "within-ceiling",
            Need::AboveCeiling => "above-ceiling",
        }
    }

    /// The need that can never be met together with this one.
    pub fn opposite(self) -> Need {
        match self {
            Need::Session => Need::NoSession,
            Need::NoSession => Need::Session,
            Need::Accepted => Need::Refused,
            Need::Refused => Need::Accepted,
            Need::Json => Need::EventStream,
            Need::EventStream => Need::Json,
            Need::WithinCeiling => Need::AboveCeiling,
            Need::AboveCeiling => Need::WithinCeiling,
        }
    }

    /// Whether `profile` is like that.
    pub fn is_met_by(self, profile: &Profile) -> bool {
        match self {
            Need::Session => profile.server.session.is_some(),
            Need::NoSession => profile.server.session.is_none(),
            Need::Accepted => profile.is_accepted(),
            Need::Refused => !profile.is_accepted(),
            Need::Json => profile.server.framing == Framing::Json,
            Need::EventStream => profile.server.framing == Framing::EventStream,
            Need::WithinCeiling => profile.operator.is_within_ceiling(),
            Need::AboveCeiling => !profile.operator.is_within_ceiling(),
        }
    }

    /// Why a check with this need is skipped for a profile that does not meet
    /// it: `the profile issues no session`.
    pub fn reason(self) -> &'static str {
        match self {
            Need::Session => "the profile issues no session",
            Need::NoSession => "the profile issues a session",
            Need::Accepted => "the profile's policy refuses the server",
            Need::Refused => "the profile's policy accepts the server",
            Need::Json => "the profile answers with event streams",
            Need::EventStream => "the profile answers in JSON",
            Need::WithinCeiling => "the profile's zone may not read what its tools return",
            Need::AboveCeiling => "the profile's zone may read what its tools return",
        }
    }
}

impl fmt::Display for Need {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

/// A word that names no need.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a known need")]
pub struct UnknownNeed(pub String);

impl FromStr for Need {
    type Err = UnknownNeed;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Need::ALL
            .into_iter()
            .find(|need| need.as_str() == text)
            .ok_or_else(|| UnknownNeed(text.to_owned()))
    }
}
