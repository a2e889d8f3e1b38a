//! The [`Header`] of a check, read without running the script.
//!
//! The header is the first block of `//!` lines of a script. Only blank lines
//! and `//` comments may stand before it. It has three kinds of lines, told
//! apart by their first words alone:
//!
//! - A **key line** begins with a word and a colon, `tags: tools`. The keys are
//!   `revisions`, `tags`, `spec`, `task`, `needs`, `cases`, `scenario`, `server`
//!   and `invalid`, each at most once. `cases` are separated by semicolons;
//!   `revisions`, `tags`, `spec` and `needs` by commas; `task`, `scenario`,
//!   `server` and `invalid` are one value.
//! - A **checkpoint line** begins with a lower-case id and a word in capitals,
//!   `accept-header MUST [task] Each POST accepts JSON`. Its parts are the id,
//!   the level, marks between brackets that are separated by semicolons (left
//!   out if there are none), and one sentence. The marks are `task` (a goal of
//!   the task, not a claim about the protocol), `builtin` (only the built-in
//!   client or host can show it), `sent` (the claim is that something is sent at
//!   all), a revision or a range of them, and `spec: LEVEL`.
//! - Everything else is **prose**, and prose stands before the first key or
//!   checkpoint. Its first sentence is the title, the rest the description. So
//!   a misspelt checkpoint further down is never taken for prose. A checkpoint
//!   whose level is misspelt in lower case is recognised above it too, if it
//!   begins a paragraph.
//!
//! A line that is indented deeper than the key or the checkpoint before it, with
//! no blank line between, continues it.

mod checkpoint_line;
mod fault;
mod keys;
mod piece;
mod reading;
mod revisions;
mod statement;

use std::ops::Range;

pub use self::fault::{Effect, FaultHeader, Side, parse_fault};
pub use self::reading::parse;

use super::checkpoint::Checkpoint;
use super::need::Need;
use crate::mcp::Revision;
use crate::profile::Profile;

/// What a check says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The first sentence, with its full stop.
    pub title: String,
    /// The rest of the prose, its lines as they were written; may be empty.
    pub description: String,
    /// The revisions at which the check runs, in their order; never empty.
    pub revisions: Vec<Revision>,
    /// Words by which checks are selected.
    pub tags: Vec<String>,
    /// Sections of the specification, as `server/tools#calling-tools`.
    pub spec: Vec<String>,
    /// What an external client is asked to do, in words.
    pub task: Option<String>,
    /// Which profiles it can run on, as written; `accepted` is implied.
    pub needs: Vec<Need>,
    /// The names of its cases; empty if it has none.
    pub cases: Vec<String>,
    /// The name by which conformance clients in the field know the task.
    pub scenario: Option<String>,
    /// The script of `_servers` against which a check of a server runs if no
    /// server is named; `reference` if left out.
    pub server: Option<String>,
    /// What the far side of the subject sends that is not valid for the revision,
    /// and why: then it may.
    pub invalid: Option<String>,
    /// Its claims, in the order in which they stand; never empty.
    pub checkpoints: Vec<Checkpoint>,
    /// Where each of the `checkpoints` stands in the script, in bytes.
    pub checkpoint_spans: Vec<Range<usize>>,
}

impl Header {
    /// The checkpoints that are declared for `revision`, in their order.
    pub fn checkpoints_at(&self, revision: Revision) -> impl Iterator<Item = &Checkpoint> {
        self.checkpoints.iter().filter(move |checkpoint| checkpoint.applies_to(revision))
    }
}

/// The first need of a check that `profile` does not meet; `None` if the check
/// can run on it. A check that does not need `refused` needs `accepted`.
pub fn unmet_need(header: &Header, profile: &Profile) -> Option<Need> {
    let implied = (!header.needs.contains(&Need::Refused)).then_some(Need::Accepted);
    header.needs.iter().copied().chain(implied).find(|need| !need.is_met_by(profile))
}

#[cfg(test)]
mod tests;
