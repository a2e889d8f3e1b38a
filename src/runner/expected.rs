//! What is known not to hold: a file of [`Expectations`].
//!
//! ```yaml
//! client:                                   # names of the official suite
//!   - sse-retry:client-sse-retry-timing
//! reasons:                                  # what the lists have no place for
//!   sse-retry:client-sse-retry-timing: {reason: "…", issue: "…", until: 2027-03-01}
//! expected:                                 # checks of this program
//!   - id: client/session-echo#echoed
//!     reason: the transport drops the header on a DELETE
//!     revision: 2025-11-25
//! ```
//!
//! The official suite reads `client` and `server` and passes over every other
//! key. Here these lists are held against their form alone.
//!
//! - `read` makes [`Expectations`] of a text, or says at which places it is wrong.
//! - [`Tally`] marks what was expected in each execution, and knows in the end
//!   which entries are [`Stale`].
//! - [`mod@write`] puts entries for what is red into the text, and takes stale ones out.

mod entry;
mod excused;
mod known;
mod layout;
mod lists;
mod matching;
mod reading;
pub mod scope;
mod tally;
mod values;
pub mod write;
mod yaml;

pub use self::entry::{Entry, Expectations, Known, Purpose};
pub use self::excused::{Expected, Stale, does_not_hold};
pub use self::tally::Tally;

/// How large a file may be, in bytes.
pub const LARGEST: usize = 1024 * 1024;

#[cfg(test)]
mod tests;
