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
mod revisions;
mod statement;

use std::ops::Range;

pub use self::fault::{Effect, FaultHeader, Side, parse_fault};

use self::keys::Keys;
use self::statement::Statement;
use super::checkpoint::Checkpoint;
use super::discovery::CheckKind;
use super::need::Need;
use super::place::SourceText;
use super::source_error::{Problem, SourceError, problem};
use crate::mcp::Revision;

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

/// Reads the header of a script.
///
/// # Errors
///
/// Every problem of the header at once, each at its place.
pub fn parse(source: &SourceText) -> Result<Header, SourceError> {
    let text: &str = source.inner();
    let mut problems = Vec::new();
    let header = read(text, &mut problems);
    if problems.is_empty() {
        Ok(header)
    } else {
        Err(SourceError::new(
            format!("the header of `{}`", source.name()),
            source.clone(),
            problems,
        ))
    }
}

fn read(text: &str, problems: &mut Vec<Problem>) -> Header {
    let lines = statement::header_lines(text, problems);
    if lines.is_empty() {
        problems.push(
            problem("header::missing", "the check has no header", 0..first_line(text), "")
                .with_help(
                    "begin the script with `//!` lines: a sentence that says what it does, \
                     then one line for each checkpoint: `id MUST Sentence`",
                ),
        );
        return Header::default();
    }
    let statements = statement::statements(text, &lines, problems);

    // Keys come first, wherever they stand: checkpoints depend on them.
    let mut keys = Keys::default();
    for statement in &statements {
        if let Statement::Key { key, value } = statement {
            keys.read(*key, *value, problems);
        }
    }
    keys.refuse_server_of(CheckKind::of(text), problems);
    let mut header = keys.header;
    if header.revisions.is_empty() {
        header.revisions = Revision::ALL.to_vec();
    }

    let checkpoints_before = problems.len();
    for statement in &statements {
        if let Statement::Checkpoint(line) = statement {
            let (read, span) =
                (checkpoint_line::read(*line, &header.revisions, problems), line.span());
            header.checkpoints.extend(read.iter().cloned());
            header.checkpoint_spans.extend(read.iter().map(|_| span.clone()));
        }
    }
    checkpoint_line::refuse_duplicates(&header, problems);

    let end = lines.last().map_or(0, |line| line.span().end);
    if header.checkpoints.is_empty() && problems.len() == checkpoints_before {
        problems.push(
            problem(
                "header::no-checkpoint",
                "the check declares no checkpoint",
                end..end,
                "expected a checkpoint line",
            )
            .with_help(
                "a checkpoint line is `id LEVEL Sentence`; LEVEL is MUST, SHOULD, MAY or INTEROP",
            ),
        );
    }
    let prose = statements.iter().filter_map(|statement| match statement {
        Statement::Prose(paragraph) => Some(paragraph.flat_lines()),
        _ => None,
    });
    (header.title, header.description) = title_and_description(prose.collect());
    if header.title.is_empty() {
        let start = lines.first().map_or(0, |line| line.span().start);
        problems.push(
            problem(
                "header::no-title",
                "the check has no title",
                start..start,
                "expected a sentence",
            )
            .with_help("the first line of the header says in one sentence what the check does"),
        );
    }
    header
}

/// The length of the first line, at least nothing.
fn first_line(text: &str) -> usize {
    text.lines().next().map_or(0, str::len)
}

/// The first sentence of the first paragraph, and all that follows it. Every
/// paragraph is a list of its lines.
fn title_and_description(paragraphs: Vec<Vec<&str>>) -> (String, String) {
    let mut paragraphs = paragraphs.into_iter().map(|lines| lines.join("\n"));
    let first = paragraphs.next().unwrap_or_default();
    let end = sentence_end(&first);
    let title = first[..end].replace('\n', " ");
    let rest = first[end..].trim_start().to_owned();
    let description: Vec<String> =
        std::iter::once(rest).chain(paragraphs).filter(|paragraph| !paragraph.is_empty()).collect();
    (title, description.join("\n\n"))
}

/// Where the first sentence ends: after a full stop, question or exclamation
/// mark that is followed by white space and no lower-case letter ("e.g. this").
fn sentence_end(text: &str) -> usize {
    for (offset, mark) in text.match_indices(['.', '!', '?']) {
        let end = offset + mark.len();
        let after = &text[end..];
        let next = after.trim_start();
        if next.len() < after.len() && !next.starts_with(char::is_lowercase) {
            return end;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests;
