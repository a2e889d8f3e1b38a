//! A YAML text as a tree in which everything knows its place: [`Node`].
//!
//! Nothing is made of a text but what stands in it: an alias stays an alias, so
//! that a small file cannot become a large tree.

use std::collections::HashMap;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};

use crate::check::source_error::{Problem, problem};

/// How deep a file may nest. What is read here nests four deep.
const DEPTH: usize = 32;

/// A value and where it stands.
#[derive(Debug)]
pub(super) struct Node {
    /// Its bytes in the text; what is written as a block ends with its last value.
    pub(super) span: Range<usize>,
    /// What it is.
    pub(super) kind: Kind,
}

/// What a value is.
#[derive(Debug)]
pub(super) enum Kind {
    /// A text, a number or a word.
    Scalar {
        /// Its text, without quotes.
        text: String,
        /// Whether it has no quotes: then `true` and `null` are no texts.
        is_plain: bool,
    },
    /// A list.
    List {
        /// What stands in it.
        items: Vec<Node>,
        /// Whether it is written as `[…]`.
        is_flow: bool,
    },
    /// A mapping.
    Mapping {
        /// Its keys and their values.
        pairs: Vec<(Node, Node)>,
        /// Whether it is written as `{…}`.
        is_flow: bool,
    },
    /// `*name`, which stands for another value.
    Alias,
}

impl Node {
    /// Whether nothing stands there: `null`, `~`, or no value at all.
    pub(super) fn is_null(&self) -> bool {
        let Kind::Scalar { text, is_plain: true } = &self.kind else { return false };
        matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL")
    }

    /// What it is, for a sentence: `a list`.
    pub(super) fn what(&self) -> &'static str {
        match &self.kind {
            _ if self.is_null() => "empty",
            Kind::Scalar { .. } => "a text",
            Kind::List { items, .. } if items.is_empty() => "an empty list",
            Kind::List { .. } => "a list",
            Kind::Mapping { .. } => "a mapping",
            Kind::Alias => "an alias",
        }
    }
}

/// A whole text.
#[derive(Debug)]
pub(super) struct Document {
    /// The value; `None` if there are comments at most.
    pub(super) root: Option<Node>,
    /// Where the text of the document ends: before a line `...`, if there is one.
    pub(super) end: usize,
}

/// Reads a text.
///
/// # Errors
///
/// A text that is not YAML, holds a second document, names a key twice in one
/// mapping, or nests too deep.
pub(super) fn read(text: &str) -> Result<Document, Problem> {
    let mut reader = Reader {
        events: Parser::new_from_str(text),
        offsets: text.char_indices().map(|(offset, _)| offset).chain([text.len()]).collect(),
        text,
    };
    reader.document()
}

struct Reader<'a> {
    events: Parser<'a, StrInput<'a>>,
    /// The byte at which each character begins: the parser counts characters.
    offsets: Vec<usize>,
    text: &'a str,
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Result<Document, Problem> {
        let mut document = Document { root: None, end: self.text.len() };
        loop {
            match self.next()? {
                (Event::StreamEnd, _) => return Ok(document),
                (Event::DocumentStart(_), span) if document.root.is_some() => {
                    let message = "the file holds a second document";
                    let help = "write one file for each, or take this line away";
                    return Err(problem("expected::not-yaml", message, span, "it begins here")
                        .with_help(help));
                }
                (Event::DocumentStart(_), _) => {
                    let (event, span) = self.next()?;
                    document.root = Some(self.node(event, span, 0)?);
                }
                (Event::DocumentEnd, span) if !span.is_empty() => document.end = span.start,
                _ => {}
            }
        }
    }

    fn node(
        &mut self,
        event: Event<'a>,
        span: Range<usize>,
        depth: usize,
    ) -> Result<Node, Problem> {
        if depth > DEPTH {
            return Err(too_deep(span));
        }
        match event {
            Event::Scalar(text, style, ..) => {
                let end = match style {
                    // A block scalar ends where the next thing begins.
                    ScalarStyle::Literal | ScalarStyle::Folded => {
                        let written = self.text[span.clone()].trim_end();
                        span.start + written.len()
                    }
                    _ => span.end,
                };
                let is_plain = style == ScalarStyle::Plain;
                let kind = Kind::Scalar { text: text.into_owned(), is_plain };
                Ok(Node { span: span.start..end, kind })
            }
            Event::SequenceStart(..) => {
                let mut items = Vec::new();
                let end = loop {
                    match self.next()? {
                        (Event::SequenceEnd, end) => break end,
                        (event, span) => items.push(self.node(event, span, depth + 1)?),
                    }
                };
                let last = items.last().map_or(span.end, |item| item.span.end);
                let is_flow = self.text[end.start..].starts_with(']');
                let end = if is_flow { end.start + 1 } else { last };
                Ok(Node { span: span.start..end, kind: Kind::List { items, is_flow } })
            }
            Event::MappingStart(..) => {
                let mut pairs = Vec::new();
                let end = loop {
                    match self.next()? {
                        (Event::MappingEnd, end) => break end,
                        (event, span) => {
                            let key = self.node(event, span, depth + 1)?;
                            let (event, span) = self.next()?;
                            pairs.push((key, self.node(event, span, depth + 1)?));
                        }
                    }
                };
                refuse_doubles(&pairs)?;
                let last = pairs.last().map_or(span.end, |(_, value)| value.span.end);
                let is_flow = self.text[end.start..].starts_with('}');
                let end = if is_flow { end.start + 1 } else { last };
                Ok(Node { span: span.start..end, kind: Kind::Mapping { pairs, is_flow } })
            }
            _ => Ok(Node { span, kind: Kind::Alias }),
        }
    }

    fn next(&mut self) -> Result<(Event<'a>, Range<usize>), Problem> {
        match self.events.next() {
            Some(Ok((event, span))) => Ok((event, self.bytes(span))),
            Some(Err(error)) => {
                let at = self.offset(error.marker().index());
                Err(match error.info() {
                    "recursion limit exceeded" => too_deep(at..at),
                    info => not_yaml(info, at),
                })
            }
            None => Err(not_yaml("the text ends too early", self.text.len())),
        }
    }

    fn bytes(&self, span: Span) -> Range<usize> {
        let start = self.offset(span.start.index());
        start..self.offset(span.end.index()).max(start)
    }

    fn offset(&self, character: usize) -> usize {
        self.offsets.get(character).copied().unwrap_or(self.text.len())
    }
}

fn too_deep(at: Range<usize>) -> Problem {
    let message = format!("the file nests deeper than {DEPTH} levels");
    let help = "`expected` is a list of entries, whose values are texts or lists of texts";
    problem("expected::nesting", message, at, "too deep").with_help(help)
}

fn not_yaml(what: &str, at: usize) -> Problem {
    problem("expected::not-yaml", "the file is not YAML", at..at, what.to_owned()).with_help(
        "quote a text that holds `: ` or ` #`, or begins with a sign, as in `reason: \"…\"`",
    )
}

fn refuse_doubles(pairs: &[(Node, Node)]) -> Result<(), Problem> {
    let mut known: HashMap<&str, &Node> = HashMap::new();
    for (key, _) in pairs {
        let Kind::Scalar { text, .. } = &key.kind else { continue };
        if let Some(first) = known.insert(text, key) {
            let message = format!("the key `{text}` stands twice in one mapping");
            return Err(problem(
                "expected::duplicate-key",
                message,
                key.span.clone(),
                "again here",
            )
            .and_label(first.span.clone(), "first here")
            .with_help("put both values under one key, or take one away"));
        }
    }
    Ok(())
}
