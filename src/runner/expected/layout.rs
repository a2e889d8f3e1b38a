//! Where a file has a place for more entries: [`Layout`], and the lines of those that
//! it has.

use std::ops::Range;

use super::yaml::{Document, Kind, Node};
use crate::check::source_error::{Problem, problem};

/// Where a file has a place for more entries.
#[derive(Clone, Debug)]
pub(super) enum Layout {
    /// Behind the last entry: at this byte, with this before the dash.
    Behind { at: usize, indent: String },
    /// In place of `[]`, which stands here.
    Instead { empty: Range<usize>, indent: String },
    /// Under a new key `expected` at this byte, with this before the key.
    Key { at: usize, indent: String },
    /// Nowhere: what stands here is written between brackets.
    Brackets(Range<usize>),
}

impl Layout {
    pub(super) fn of(text: &str, document: &Document) -> Self {
        let at = document.end;
        let brackets = |span: &Range<usize>| {
            let first = text[span.start..].chars().next().map_or(0, char::len_utf8);
            Layout::Brackets(span.start..span.start + first)
        };
        let Some(root) = document.root.as_ref().filter(|root| !root.is_null()) else {
            return Layout::Key { at, indent: String::new() };
        };
        let Kind::Mapping { pairs, is_flow: false } = &root.kind else {
            return brackets(&root.span);
        };
        let is_expected =
            |key: &Node| matches!(&key.kind, Kind::Scalar { text, .. } if text == "expected");
        let indent = |at: usize| white_space(&text[line_start(text, at)..at]);
        let Some((key, list)) = pairs.iter().find(|(key, _)| is_expected(key)) else {
            return Layout::Key { at, indent: indent(root.span.start) };
        };
        match &list.kind {
            Kind::List { items, is_flow: false } => match items.last() {
                Some(last) => {
                    let lines = lines_of(text, &last.span);
                    Layout::Behind { at: lines.end, indent: white_space(&text[lines]) }
                }
                None => brackets(&list.span),
            },
            Kind::List { items, .. } if items.is_empty() => {
                Layout::Instead { empty: list.span.clone(), indent: indent(key.span.start) + "  " }
            }
            _ => brackets(&list.span),
        }
    }

    /// What is wrong if no entry can be added.
    pub(super) fn problem(&self) -> Option<Problem> {
        let Layout::Brackets(span) = self else { return None };
        let message = "nothing can be added to what is written between brackets";
        let label = "expected lines";
        let help = "write `expected:` on a line of its own, and each entry below it with `- `";
        Some(problem("expected::brackets", message, span.clone(), label).with_help(help))
    }
}

/// The lines of an item of a list that is written with dashes: from the dash to
/// the end of its last line, and comments below that are indented farther than
/// the dash.
pub(super) fn lines_of(text: &str, span: &Range<usize>) -> Range<usize> {
    let mut start = line_start(text, span.start);
    while !text[start..].trim_start_matches(' ').starts_with('-') && start > 0 {
        start = line_start(text, start - 1);
    }
    let column = white_space(&text[start..]).len();
    let mut end = line_end(text, span.end);
    let mut next = end;
    while next < text.len() {
        let line_end = line_end(text, next);
        let line = text[next..line_end].trim_end();
        let indent = white_space(line).len();
        if line[indent..].starts_with('#') && indent > column {
            end = line_end;
        } else if !line.is_empty() {
            break;
        }
        next = line_end;
    }
    start..end
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// The byte behind the newline of the line.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1)
}

/// The spaces at the beginning of a line.
fn white_space(line: &str) -> String {
    line.chars().take_while(|letter| *letter == ' ').collect()
}
