//! Reading the header of a check: [`parse`].

use super::keys::Keys;
use super::statement::Statement;
use super::{Header, checkpoint_line, statement};
use crate::check::kind::CheckKind;
use crate::check::place::SourceText;
use crate::check::source_error::{Problem, SourceError, problem};
use crate::mcp::Revision;

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
pub(super) fn first_line(text: &str) -> usize {
    text.lines().next().map_or(0, str::len)
}

/// The first sentence of the first paragraph, and all that follows it. Every
/// paragraph is a list of its lines.
pub(super) fn title_and_description(paragraphs: Vec<Vec<&str>>) -> (String, String) {
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
