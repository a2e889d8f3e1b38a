//! What a file of expected failures says: its [`Expectations`], each of which is an
//! [`Entry`]; and what it is held against.

use std::ops::Range;
use std::sync::Arc;

use chrono::NaiveDate;

use super::layout::Layout;
use crate::check::{Library, SourceError, SourceText};
use crate::mcp::Revision;
use crate::profile::Profile;

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
    pub(super) layout: Layout,
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
    pub(super) span: Range<usize>,
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

    /// Whether it is about the checkpoint of this id.
    pub fn names(&self, checkpoint: &str) -> bool {
        self.checkpoint.as_deref().is_none_or(|named| named == checkpoint)
    }
}

impl Expectations {
    /// `FILE:LINE` of an entry.
    pub fn place(&self, entry: &Entry) -> String {
        format!("{}:{}", self.source.name(), entry.line)
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
