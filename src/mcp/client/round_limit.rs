//! How often a request is sent again: [`RoundLimit`].

use std::str::FromStr;

/// How often a request is sent again for which the server wants more: from 0 to
/// [`RoundLimit::MOST`], and 10 unless it is said. The specification sets no
/// bound (policy).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundLimit(u32);

/// What is no round limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a limit of rounds is a whole number from 0 to {}", RoundLimit::MOST)]
pub struct InvalidRoundLimit;

impl RoundLimit {
    /// The highest limit: beyond it a server that never has enough would keep
    /// the client busy.
    pub const MOST: u32 = 1000;

    /// The number.
    pub fn get(self) -> u32 {
        self.0
    }
}

impl Default for RoundLimit {
    fn default() -> Self {
        RoundLimit(10)
    }
}

impl TryFrom<i64> for RoundLimit {
    type Error = InvalidRoundLimit;

    fn try_from(limit: i64) -> Result<Self, InvalidRoundLimit> {
        let limit = u32::try_from(limit).map_err(|_| InvalidRoundLimit)?;
        if limit <= Self::MOST { Ok(RoundLimit(limit)) } else { Err(InvalidRoundLimit) }
    }
}

impl FromStr for RoundLimit {
    type Err = InvalidRoundLimit;

    fn from_str(text: &str) -> Result<Self, InvalidRoundLimit> {
        text.parse::<i64>().map_err(|_| InvalidRoundLimit)?.try_into()
    }
}
