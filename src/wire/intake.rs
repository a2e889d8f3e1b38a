//! How much of one execution is taken in from the side that is under test:
//! [`Intake`]. Beyond it nothing is kept, so that no peer fills the memory.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use ::http::HeaderMap;

/// How many bytes of requests, bodies and heads, are taken in from a client in one
/// execution, each value of JSON weighed as 32 more: 8 MiB.
pub const REQUEST_BYTES: usize = 8 * 1024 * 1024;
/// How many bytes of responses are taken in from a server in one execution, or by one
/// command of an operator, each value of JSON weighed as 32 more: 24 MiB.
pub const RESPONSE_BYTES: usize = 24 * 1024 * 1024;
/// How many exchanges are taken in.
pub const EXCHANGES: usize = 5_000;

/// What was too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooMuch {
    /// This many bytes, and more.
    Bytes(usize),
    /// This many exchanges, and more.
    Exchanges(usize),
}

impl fmt::Display for TooMuch {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TooMuch::Bytes(limit) => write!(text, "more than {limit} bytes"),
            TooMuch::Exchanges(limit) => write!(text, "more than {limit} requests"),
        }
    }
}

/// Who sends what is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// The client: its requests.
    Requests,
    /// The server: its responses.
    Responses,
}

/// Counts what came. A clone counts together with it.
#[derive(Clone, Debug, Default)]
pub struct Intake {
    counted: Option<Counted>,
    taken: Arc<AtomicUsize>,
    too_much: Arc<OnceLock<TooMuch>>,
}

impl Intake {
    /// Counts what one side sends; what the other does is our own.
    pub fn of(counted: Counted) -> Self {
        Intake { counted: Some(counted), ..Intake::default() }
    }

    /// What was too much, if anything.
    pub fn too_much(&self) -> Option<TooMuch> {
        self.too_much.get().copied()
    }

    /// Takes `bytes` that `side` sent; false if they are not to be kept.
    pub(super) fn take(&self, side: Counted, bytes: usize) -> bool {
        if self.counted != Some(side) {
            return true;
        }
        let limit = match side {
            Counted::Requests => REQUEST_BYTES,
            Counted::Responses => RESPONSE_BYTES,
        };
        let taken = self.taken.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        self.within(taken <= limit, TooMuch::Bytes(limit))
    }

    /// Takes one more exchange, after `begun` of them; false if it is not to be kept.
    pub(super) fn begin(&self, begun: usize) -> bool {
        let is_within = self.counted.is_none() || begun < EXCHANGES;
        self.within(is_within, TooMuch::Exchanges(EXCHANGES))
    }

    /// Once something was too much, nothing more is taken.
    fn within(&self, is_within: bool, otherwise: TooMuch) -> bool {
        if !is_within {
            self.too_much.get_or_init(|| otherwise);
        }
        self.too_much.get().is_none()
    }
}

/// How much a body, or a piece of one, counts for: its bytes, and 32 for each value that
/// may be in it, were it JSON. Read, `[[],[],…]` takes twenty times its length and more.
pub(super) fn weight(body: &[u8]) -> usize {
    const VALUE: usize = 32;
    body.len() + VALUE * memchr::memchr3_iter(b',', b'[', b'{', body).count()
}

/// How many bytes the head of a message takes, about.
pub(super) fn head_size(headers: &HeaderMap) -> usize {
    /// What is kept beside the bytes of a field.
    const BESIDE: usize = 64;
    headers.iter().map(|(name, value)| name.as_str().len() + value.len() + BESIDE).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_side_sends_is_counted_and_the_other_is_not() {
        let intake = Intake::of(Counted::Requests);
        assert!(intake.take(Counted::Responses, usize::MAX));
        assert!(intake.take(Counted::Requests, REQUEST_BYTES));
        assert_eq!(intake.too_much(), None);
        assert!(!intake.take(Counted::Requests, 1));
        assert_eq!(intake.too_much(), Some(TooMuch::Bytes(REQUEST_BYTES)));
        assert!(!intake.begin(0), "nothing more is taken");
        assert!(Intake::default().take(Counted::Requests, usize::MAX));
    }

    #[test]
    fn exchanges_are_counted() {
        let intake = Intake::of(Counted::Responses);
        assert!(intake.begin(EXCHANGES - 1));
        assert!(!intake.begin(EXCHANGES));
        assert_eq!(intake.too_much().unwrap().to_string(), "more than 5000 requests");
    }
}
