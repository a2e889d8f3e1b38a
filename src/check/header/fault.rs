//! The [`FaultHeader`] of a fault: what it does in one sentence, and where.
//!
//! ```text
//! //! Leaves out the field Accept.
//! //!
//! //! side: client
//! //! revisions: 2025-03-26..2025-11-25
//! ```
//!
//! Both keys may be left out: a fault is at every revision, and its side follows
//! from what it changes.

use super::piece::Piece;
use super::reading::{first_line, title_and_description};
use super::revisions;
use super::statement::{Statement, header_lines, statements};
use crate::check::kind::defines;
use crate::check::nearest::did_you_mean;
use crate::check::place::SourceText;
use crate::check::source_error::{Problem, SourceError, problem};
use crate::mcp::Revision;

/// Who misbehaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The client, in checks of a client.
    Client,
    /// The server, in checks of a server.
    Server,
    /// The host, or the client inside of it, in checks of a host.
    Host,
}

impl Side {
    /// The side in one word: `client`, `server`, `host`.
    pub fn as_str(self) -> &'static str {
        match self {
            Side::Client => "client",
            Side::Server => "server",
            Side::Host => "host",
        }
    }
}

/// What a fault changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// What is done: messages on their way, whatever else it changes.
    Behaviour,
    /// What the judge is shown, and nothing that is done.
    Seen,
}

impl Effect {
    /// The effect in a word: `behaviour`, `seen`.
    pub fn as_str(self) -> &'static str {
        match self {
            Effect::Behaviour => "behaviour",
            Effect::Seen => "seen",
        }
    }
}

/// What a fault says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultHeader {
    /// What it does, in one sentence.
    pub description: String,
    /// Who misbehaves: the server if the script changes responses alone, the
    /// client otherwise, unless the header says so.
    pub side: Side,
    /// What it changes, as its functions say.
    pub effect: Effect,
    /// The revisions at which it misbehaves, in their order.
    pub revisions: Vec<Revision>,
}

/// Reads the header of a fault.
///
/// # Errors
/// Every problem of the header at once, each at its place.
pub fn parse_fault(source: &SourceText) -> Result<FaultHeader, SourceError> {
    let text: &str = source.inner();
    let mut problems = Vec::new();
    let header = read(text, &mut problems);
    if problems.is_empty() {
        return Ok(header);
    }
    let what = format!("the header of the fault `{}`", source.name());
    Err(SourceError::new(what, source.clone(), problems))
}

fn read(text: &str, problems: &mut Vec<Problem>) -> FaultHeader {
    let responses_alone = defines(text, "response")
        && !["request", "seen"].iter().any(|function| defines(text, function));
    let side = if responses_alone { Side::Server } else { Side::Client };
    let acts = ["request", "response"].iter().any(|function| defines(text, function));
    let effect = if acts { Effect::Behaviour } else { Effect::Seen };
    let mut header =
        FaultHeader { description: String::new(), side, effect, revisions: Vec::new() };
    let lines = header_lines(text, problems);
    let mut prose = Vec::new();
    for statement in statements(text, &lines, problems) {
        match statement {
            Statement::Prose(paragraph) => prose.push(paragraph.flat_lines()),
            Statement::Key { key, value } if key.text == "side" => match value.text {
                "client" => header.side = Side::Client,
                "server" => header.side = Side::Server,
                "host" => header.side = Side::Host,
                _ => problems.push(
                    problem("fault::unknown-side", "this is no side", value.span(), "")
                        .with_help("a fault misbehaves as a `client`, a `server` or a `host`"),
                ),
            },
            Statement::Key { key, value } if key.text == "revisions" => {
                for item in value.split(',') {
                    match revisions::read(item, &Revision::ALL) {
                        Ok(revisions) => header.revisions.extend(revisions),
                        Err(problem) => problems.push(problem),
                    }
                }
            }
            Statement::Key { key, .. } => problems.push(unknown_key(key)),
            Statement::Checkpoint(line) => problems.push(
                problem("fault::checkpoint", "a fault claims nothing", line.span(), "")
                    .with_help("a fault has a sentence, and the keys `side` and `revisions`"),
            ),
        }
    }
    (header.description, _) = title_and_description(prose);
    if header.description.is_empty() {
        problems.push(
            problem(
                "fault::no-description",
                "the fault does not say what it does",
                0..first_line(text),
                "",
            )
            .with_help("begin it with one sentence: `//! Leaves out the field Accept.`"),
        );
    }
    if header.revisions.is_empty() {
        header.revisions = Revision::ALL.to_vec();
    }
    header.revisions.sort();
    header.revisions.dedup();
    header
}

fn unknown_key(key: Piece<'_>) -> Problem {
    let known = ["side", "revisions"];
    let help = did_you_mean(key.text, known)
        .unwrap_or_else(|| "the keys of a fault are `side` and `revisions`".to_owned());
    problem("fault::unknown-key", format!("`{}` is not a key of a fault", key.text), key.span(), "")
        .with_help(help)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::check::source_error::rendered;

    fn source(text: &str) -> SourceText {
        Arc::new(miette::NamedSource::new("a.rhai", text.into()))
    }

    #[test]
    fn a_header_says_what_who_and_where() {
        let header = parse_fault(&source(
            "//! Does it. And more.\n//!\n//! side: client\n//! revisions: 2025-06-18..2025-11-25\n\
             fn response(response) {}",
        ));
        let header = header.expect("the header can be read");
        assert_eq!(header.description, "Does it.");
        assert_eq!(header.side, Side::Client);
        assert_eq!(header.revisions, [Revision::V2025_06_18, Revision::V2025_11_25]);
    }

    #[test]
    fn the_side_follows_from_what_is_changed() {
        for (functions, side) in [
            ("fn request(request) {}", Side::Client),
            ("fn seen(seen) {}", Side::Client),
            ("fn response(response) {}", Side::Server),
            ("fn request(r, m) {} fn response(r, m) {}", Side::Client),
            ("fn response(r) {} fn seen(seen) {}", Side::Client),
        ] {
            let header = parse_fault(&source(&format!("//! Does it.\n{functions}")));
            let header = header.expect("the header can be read");
            assert_eq!(header.side, side, "{functions}");
            assert_eq!(header.revisions, Revision::ALL);
        }
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (header, expected) in [
            ("", "does not say what it does"),
            ("//! T.\n//! sid: client", "did you mean `side`?"),
            ("//! T.\n//! side: both", "misbehaves as a `client`, a `server` or a `host`"),
            ("//! T.\n//! revisions: 2025-06-19", "is not a known revision"),
            ("//! T.\n//! a MUST The claim", "a fault claims nothing"),
        ] {
            let error = parse_fault(&source(header)).expect_err(header);
            assert!(rendered(&error).contains(expected), "{header}: {}", rendered(&error));
        }
    }
}
