//! Errors of scripts as diagnostics: [`ScriptError`].

mod explain;
mod site;

use std::collections::BTreeMap;

use miette::{Diagnostic, LabeledSpan};
use rhai::{EvalAltResult, ParseError, Position};

use self::explain::{Explained, explain, lower_first, reserved_help};
use self::site::Site;
use super::names::Names;
use super::words::without_mark;
use crate::check::{Place, SourceText};

/// A script that does not compile, or that failed while it ran.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ScriptError {
    message: String,
    label: String,
    help: Option<String>,
    place: Option<Place>,
    /// The calls that it happened in, the outermost first.
    frames: Box<[Frame]>,
    /// What happened, for those who have to tell the cases apart.
    pub cause: Cause,
}

/// A place that a script was at: a source text and an offset in it, in bytes.
pub(super) type Frame = (SourceText, usize);

/// What kind of end a script came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The script is wrong.
    Script,
    /// It went on from something that never happened: the subject was silent.
    Absent,
    /// It asked for a member of a number, a string or a boolean: the script is
    /// wrong, or the subject sent something of the wrong shape.
    Shape,
    /// It would never have come to its end: it ran or waited too often.
    WithoutEnd,
    /// Its time was up.
    TimeIsUp,
    /// The user interrupted the run.
    Interrupted,
}

impl Cause {
    /// Whether the script was ended, rather than failed.
    pub fn is_an_end(self) -> bool {
        matches!(self, Cause::TimeIsUp | Cause::Interrupted)
    }
}

impl Diagnostic for ScriptError {
    fn code<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        Some(Box::new("script"))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as _)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        self.place.as_ref().map(|place| &*place.source as _)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let place = self.place.as_ref()?;
        let label = LabeledSpan::new_with_span(Some(self.label.clone()), place.span.clone());
        Some(Box::new(std::iter::once(label)))
    }
}

/// The source texts that errors can point into, by name.
pub type Sources = BTreeMap<String, SourceText>;

impl ScriptError {
    /// An error without a place in a script.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        ScriptError {
            message: message.into(),
            label: String::new(),
            help: Some(help.into()),
            place: None,
            frames: Box::default(),
            cause: Cause::Script,
        }
    }

    /// The same error at a place.
    #[must_use]
    pub fn at(mut self, place: Place, label: impl Into<String>) -> Self {
        self.place = Some(place);
        self.label = label.into();
        self
    }

    /// Where in the script it happened.
    pub fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }

    pub(super) fn from_parse(error: &ParseError, source: &SourceText) -> Self {
        let message = format!("the script does not compile: {}", lower_first(&error.0.to_string()));
        let place = place(source, error.1);
        ScriptError {
            message,
            label: "here".to_owned(),
            help: reserved_help(&error.0.to_string()),
            place,
            frames: Box::default(),
            cause: Cause::Script,
        }
    }

    /// An error of an evaluation. `names` gives the names that the script can reach.
    pub(super) fn from_evaluation(
        error: &EvalAltResult,
        main: &SourceText,
        sources: &Sources,
        names: impl FnOnce() -> Names,
    ) -> Self {
        let mut innermost = error;
        let mut source = main;
        let mut position = error.position();
        let mut frames = Vec::new();
        frames.extend(offset(source, position).map(|at| (source.clone(), at)));
        while let EvalAltResult::ErrorInFunctionCall(_, name, inner, _) = innermost {
            if let Some(found) = sources.get(name.as_str()) {
                source = found;
            } else if name == main.name() {
                source = main;
            }
            innermost = inner;
            if !inner.position().is_none() {
                position = inner.position();
                frames.extend(offset(source, position).map(|at| (source.clone(), at)));
            }
        }
        let site = Site { text: source.inner(), at: offset(source, position) };
        let Explained { message, help, cause, at } = explain(innermost, site, names);
        let place = match at {
            Some(at) => Some(place_at(source, at)),
            None => place(source, position),
        };
        ScriptError {
            message: without_mark(&message),
            label: "here".to_owned(),
            help: help.as_deref().map(without_mark),
            place,
            frames: frames.into(),
            cause,
        }
    }

    /// The calls that it happened in, the outermost first.
    pub(super) fn frames(&self) -> &[Frame] {
        &self.frames
    }
}

/// The place of the expression that begins at `position`: up to the end of the
/// call, if it is one, since an error carries the start of its place alone.
pub fn place(source: &SourceText, position: Position) -> Option<Place> {
    Some(place_at(source, offset(source, position)?))
}

/// The place of the expression whose name begins at `at`, an offset in bytes.
fn place_at(source: &SourceText, at: usize) -> Place {
    let text: &str = source.inner();
    let start = receiver_start(text, at);
    Place { source: source.clone(), span: start..call_end(text, start) }
}

/// Where a position stands in its text, in bytes.
pub(super) fn offset(source: &SourceText, position: Position) -> Option<usize> {
    let text: &str = source.inner();
    let line_start = match position.line()? {
        1 => 0,
        line => text.match_indices('\n').nth(line - 2)?.0 + 1,
    };
    let rest = text.get(line_start..)?;
    let column = position.position().unwrap_or(1).max(1) - 1;
    let start = line_start + rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at);
    Some(start.min(text.len()))
}

/// The start of `seen.` before a method's name: Rhai points at the name.
fn receiver_start(text: &str, start: usize) -> usize {
    let line_start = text[..start].rfind('\n').map_or(0, |end| end + 1);
    let before = &text[line_start..start];
    let receiver = before.strip_suffix('.').or_else(|| before.strip_suffix("::"));
    let Some(receiver) = receiver else { return start };
    let word = receiver
        .char_indices()
        .rev()
        .take_while(|(_, c)| c.is_alphanumeric() || *c == '_')
        .last()
        .map(|(at, _)| line_start + at);
    word.unwrap_or(start)
}

/// The end of a name and of the arguments in parentheses that follow it.
pub(super) fn call_end(text: &str, start: usize) -> usize {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    for (at, character) in text[start..].char_indices() {
        let end = start + at;
        if in_string {
            match character {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => in_string = false,
                '\n' => return end,
                _ => {}
            }
            continue;
        }
        match character {
            '"' => in_string = true,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return end.max(start),
            ')' | ']' | '}' => {
                depth -= 1;
                if depth == 0 {
                    return end + 1;
                }
            }
            ';' | '\n' | ',' | ' ' if depth == 0 && at > 0 => return end,
            _ => {}
        }
    }
    text.len()
}
