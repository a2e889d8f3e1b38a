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

mod known;
mod lists;
mod reading;
pub mod scope;
mod tally;
mod values;
pub mod write;
mod yaml;

use std::ops::Range;
use std::sync::Arc;

use chrono::NaiveDate;

use super::Execution;
use crate::check::{Library, SourceError, SourceText};
use crate::mcp::Revision;
use crate::profile::Profile;

pub use self::tally::{Expected, Stale, Tally, does_not_hold};

/// How large a file may be, in bytes.
pub const LARGEST: usize = 1024 * 1024;

/// A file of what is known not to hold.
#[derive(Clone, Debug)]
pub struct Expectations {
    /// The entries of `expected`, in the order of the file.
    pub entries: Vec<Arc<Entry>>,
    /// What a person should know, and what stops no run: a key that nothing reads.
    pub notes: Vec<SourceError>,
    /// The file and its text.
    pub source: SourceText,
    /// Where entries can be added.
    layout: write::Layout,
}

/// One thing that is known not to hold.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The id of the check.
    pub check: String,
    /// The checkpoint; `None` stands for any of the check's.
    pub checkpoint: Option<String>,
    /// In which cases; every one if empty.
    pub cases: Vec<String>,
    /// At which profiles; every one if empty.
    pub profiles: Vec<String>,
    /// At which revisions; every one if empty.
    pub revisions: Vec<Revision>,
    /// Why it does not hold; empty if nobody has written it yet.
    pub reason: String,
    /// The address of the issue in which it is worked on.
    pub issue: Option<String>,
    /// It holds at one time and not at another: never stale.
    pub flaky: bool,
    /// The last day on which the entry counts, in UTC.
    pub until: Option<NaiveDate>,
    /// Whether that day has passed: then the entry is as if it were not there.
    pub is_over: bool,
    /// The line of the file in which the entry begins, counted from 1.
    pub line: usize,
    /// Its bytes in the file.
    span: Range<usize>,
}

impl Entry {
    /// Whether it excuses what it names: it has a reason, and its day has not passed.
    pub fn counts(&self) -> bool {
        !self.is_over && !self.reason.is_empty()
    }

    /// The entry's `id`: `client/session-echo#echoed`.
    pub fn id(&self) -> String {
        match &self.checkpoint {
            Some(checkpoint) => format!("{}#{checkpoint}", self.check),
            None => self.check.clone(),
        }
    }

    /// Whether it is about this execution.
    pub fn is_about(&self, execution: &Execution) -> bool {
        let is_case = |case: &String| execution.case.as_ref() == Some(case);
        self.check == execution.check
            && (self.cases.is_empty() || self.cases.iter().any(is_case))
            && (self.profiles.is_empty() || self.profiles.contains(&execution.profile))
            && (self.revisions.is_empty() || self.revisions.contains(&execution.revision))
    }

    /// Whether it is about the checkpoint of this id.
    pub fn names(&self, checkpoint: &str) -> bool {
        self.checkpoint.as_deref().is_none_or(|named| named == checkpoint)
    }
}

/// What a file is held against.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The checks that there are.
    pub library: &'a Library,
    /// The profiles that there are.
    pub profiles: &'a [Profile],
    /// The day, in UTC.
    pub today: NaiveDate,
}

/// What a file is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Each entry has to have a reason.
    Excuse,
    /// Entries are going to be added: one without a reason excuses nothing, and
    /// there has to be a place for more.
    Write,
}

impl Expectations {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, each at its place: a text that is not
    /// YAML, a value of another type, a key that an entry does not have, an entry
    /// without a reason, the name of a check, checkpoint, case, profile or
    /// revision that there is not.
    pub fn read(
        source: &SourceText,
        known: Known<'_>,
        purpose: Purpose,
    ) -> Result<Expectations, SourceError> {
        reading::read(source, known, purpose)
    }

    /// `FILE:LINE` of an entry.
    pub fn place(&self, entry: &Entry) -> String {
        format!("{}:{}", self.source.name(), entry.line)
    }
}

#[cfg(test)]
mod tests;
