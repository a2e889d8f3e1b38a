//! The lines of a header, told apart: one [`Statement`] for each paragraph of
//! prose, key and checkpoint, with the lines that continue it.

use super::piece::Piece;
use crate::check::checkpoint::Level;
use crate::check::nearest::nearest;
use crate::check::source_error::{Problem, problem};

/// One thing that a header says.
#[derive(Clone, Copy, Debug)]
pub enum Statement<'a> {
    /// A paragraph of prose.
    Prose(Piece<'a>),
    /// A key line.
    Key {
        /// The word before the colon.
        key: Piece<'a>,
        /// All after the colon.
        value: Piece<'a>,
    },
    /// A line that is, or should have been, a checkpoint.
    Checkpoint(Piece<'a>),
}

/// The contents of the header's lines, without `//!` and line ends.
pub fn header_lines<'a>(text: &'a str, problems: &mut Vec<Problem>) -> Vec<Piece<'a>> {
    let mut lines: Vec<Piece<'a>> = Vec::new();
    let mut ended = false;
    let mut start = 0;
    for whole in text.split_inclusive('\n') {
        let line = Piece { text: whole, start };
        start += whole.len();
        // A byte order mark may stand before the first line.
        let content = line.text.trim_start_matches('\u{feff}').trim_start();
        let indent = line.text.len() - content.len();
        match content.strip_prefix("//!") {
            Some(_) if ended => {
                problems.push(
                    problem(
                        "header::second-block",
                        "the header ended above this line",
                        line.trim().span(),
                        "this is not read",
                    )
                    .with_help("write `//!` on the blank lines of the header, or `//` here"),
                );
                break;
            }
            Some(_) => {
                let end = line.text.trim_end().len();
                lines.push(line.slice(indent + 3..end));
            }
            // A blank line ends the header; one more block of `//!` would be
            // lost in silence.
            None if content.is_empty() => ended = !lines.is_empty(),
            None if lines.is_empty() && content.starts_with("//") => {}
            None => break,
        }
    }
    lines
}

/// Puts the header's lines together into statements.
pub fn statements<'a>(
    text: &'a str,
    lines: &[Piece<'a>],
    problems: &mut Vec<Problem>,
) -> Vec<Statement<'a>> {
    let mut statements: Vec<Statement<'a>> = Vec::new();
    let mut in_prose = true;
    // The indentation of the statement that the next line may continue.
    let mut open: Option<usize> = None;
    for line in lines {
        let content = line.trim();
        if content.text.is_empty() {
            open = None;
            continue;
        }
        let indent = content.start - line.start;
        let last = statements.last_mut();
        match (last, open) {
            (
                Some(Statement::Key { value: piece, .. } | Statement::Checkpoint(piece)),
                Some(before),
            ) if indent > before => {
                if is_checkpoint(content) {
                    problems.push(ambiguous(content));
                }
                extend(text, piece, content);
                continue;
            }
            (Some(Statement::Prose(paragraph)), Some(_))
                if key_line(content).is_none() && !is_checkpoint(content) =>
            {
                extend(text, paragraph, content);
                continue;
            }
            _ => {}
        }
        let statement = if let Some((key, value)) = key_line(content) {
            Statement::Key { key, value }
        } else if !in_prose || is_checkpoint(content) || is_misspelt_checkpoint(content) {
            Statement::Checkpoint(content)
        } else {
            Statement::Prose(content)
        };
        in_prose = matches!(statement, Statement::Prose(_));
        open = Some(indent);
        statements.push(statement);
    }
    statements
}

/// Lets `piece` reach to the end of `line`, which follows it.
fn extend<'a>(text: &'a str, piece: &mut Piece<'a>, line: Piece<'a>) {
    piece.text = &text[piece.start..line.span().end];
}

fn ambiguous(line: Piece<'_>) -> Problem {
    problem(
        "header::ambiguous-line",
        "an indented line reads like a checkpoint",
        line.span(),
        "continues the line above it",
    )
    .with_help("take back the indentation if it is a checkpoint; break the line elsewhere if not")
}

/// The key and the value of a line that begins with a word and a colon. Two
/// colons (`wire::…`) or an address (`https://…`) make no key.
fn key_line(line: Piece<'_>) -> Option<(Piece<'_>, Piece<'_>)> {
    let colon = line.text.find(':')?;
    let (word, after) = (&line.text[..colon], &line.text[colon + 1..]);
    let is_word = word.starts_with(|first: char| first.is_ascii_alphabetic())
        && word.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter));
    let is_key = is_word && !after.starts_with([':', '/']);
    is_key.then(|| (line.slice(0..colon), line.from(colon + 1).trim()))
}

/// Whether a line begins with a lower-case name and a word in capitals. A name
/// that is no proper id counts if the word is a level.
fn is_checkpoint(line: Piece<'_>) -> bool {
    let (id, rest) = line.split_word(|_| false);
    let (level, _) = rest.split_word(|character| character == '[');
    let is_level = Level::ALL.iter().any(|known| known.as_str() == level.text);
    let is_capitals = level.text.len() > 1 && level.text.chars().all(|c| c.is_ascii_uppercase());
    let is_name =
        |allowed: &str| id.text.chars().all(|c| c.is_ascii_alphanumeric() || allowed.contains(c));
    let is_lower = id.text.chars().all(|c| !c.is_uppercase());
    // A plain capitalised word before a level is prose: "Clients MUST …".
    let is_plain_word = id.text.chars().all(char::is_alphabetic) && !is_lower;
    is_name("-") && is_lower && is_capitals || is_name("-_./") && is_level && !is_plain_word
}

/// Whether a line that begins a paragraph begins with a lower-case name and
/// something near to a level.
fn is_misspelt_checkpoint(line: Piece<'_>) -> bool {
    let (id, rest) = line.split_word(|_| false);
    let (level, _) = rest.split_word(|character| character == '[');
    let is_id = id.text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    is_id && !nearest(level.text, Level::ALL.map(Level::as_str)).is_empty()
}
