//! Errors of scripts as diagnostics: [`ScriptError`].

use std::collections::BTreeMap;

use miette::{Diagnostic, LabeledSpan};
use rhai::{Engine, EvalAltResult, ParseError, Position};

use super::value::Absent;
use crate::check::nearest::nearest;
use crate::check::{Place, SourceText};

/// A script that does not compile, or that failed while it ran.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ScriptError {
    message: String,
    label: String,
    help: Option<String>,
    place: Option<Place>,
    /// What happened, for those who have to tell the cases apart.
    pub cause: Cause,
}

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
            cause: Cause::Script,
        }
    }

    /// An error of an evaluation. `names` are the names a script can reach.
    pub(super) fn from_evaluation(
        error: &EvalAltResult,
        main: &SourceText,
        sources: &Sources,
        names: impl FnOnce() -> Vec<String>,
    ) -> Self {
        let mut innermost = error;
        let mut source = main;
        let mut position = error.position();
        while let EvalAltResult::ErrorInFunctionCall(_, name, inner, _) = innermost {
            if let Some(found) = sources.get(name.as_str()) {
                source = found;
            } else if name == main.name() {
                source = main;
            }
            innermost = inner;
            if !inner.position().is_none() {
                position = inner.position();
            }
        }
        let (message, help, cause) = explain(innermost, names);
        ScriptError {
            message,
            label: "here".to_owned(),
            help,
            place: place(source, position),
            cause,
        }
    }
}

fn lower_first(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_lowercase().chain(characters).collect(),
        None => String::new(),
    }
}

fn reserved_help(message: &str) -> Option<String> {
    message.contains("reserved").then(|| {
        "this word is reserved by Rhai, or is not available to scripts; choose another name"
            .to_owned()
    })
}

fn explain(
    error: &EvalAltResult,
    names: impl FnOnce() -> Vec<String>,
) -> (String, Option<String>, Cause) {
    let absent = std::any::type_name::<Absent>();
    match error {
        EvalAltResult::ErrorTerminated(word, _) => {
            let word = word.to_string();
            match word.as_str() {
                super::blocking::INTERRUPTED => {
                    ("the run was interrupted".to_owned(), None, Cause::Interrupted)
                }
                super::engine::TOO_MUCH_MEMORY => {
                    let mebibytes = super::engine::MEMORY_LIMIT / (1024 * 1024);
                    let help = format!("one call of a script may take {mebibytes} MiB");
                    ("the script takes too much memory".to_owned(), Some(help), Cause::Script)
                }
                _ => ("the time for one execution is up".to_owned(), None, Cause::TimeIsUp),
            }
        }
        EvalAltResult::ErrorFunctionNotFound(signature, _) => {
            let operand = |part: &str| part.contains("absent") || part.contains(absent);
            let (name, types) = signature.split_once('(').unwrap_or((signature, ""));
            if operand(types) {
                let message = "the script goes on from something that never happened".to_owned();
                return (message, None, Cause::Absent);
            }
            let name = name.trim();
            let known = names();
            let suggestions = nearest(name, known.iter().map(String::as_str));
            if suggestions.first().is_some_and(|first| *first == name) {
                let message = format!("`{name}` cannot take these arguments: ({types}");
                let help = "`mcp-checks api` prints what each function takes".to_owned();
                return (message, Some(help), Cause::Script);
            }
            let help = match suggestions.first() {
                Some(near) => format!("did you mean `{near}`? `mcp-checks api` prints every name"),
                None => "`mcp-checks api` prints every name that a script can reach".to_owned(),
            };
            let shown = name.strip_prefix("get$").or(name.strip_prefix("set$"));
            (format!("there is no `{}`", shown.unwrap_or(name)), Some(help), Cause::Script)
        }
        EvalAltResult::ErrorDotExpr(message, _) => {
            let name = message.split('\'').nth(1).unwrap_or("").to_owned();
            let known = names();
            let near = nearest(&name, known.iter().map(String::as_str));
            let help = near.first().map(|near| format!("did you mean `{near}`?"));
            let scalars = ["'i64'", "'f64'", "'bool'", "'string'"];
            let is_scalar = scalars.iter().any(|kind| message.ends_with(kind));
            let cause = if is_scalar { Cause::Shape } else { Cause::Script };
            (lower_first(message), help, cause)
        }
        EvalAltResult::ErrorVariableNotFound(name, _) => {
            let help = "a function sees its parameters and its own variables alone".to_owned();
            (format!("there is no variable `{name}`"), Some(help), Cause::Script)
        }
        EvalAltResult::ErrorModuleNotFound(path, _) => {
            let help = "scripts import nothing; support code in `checks/_lib` is there by its \
                        file's name, as in `wire::accept_header(seen)`";
            (format!("`{path}` cannot be imported"), Some(help.to_owned()), Cause::Script)
        }
        EvalAltResult::ErrorTooManyOperations(_) => (
            "the script runs without end".to_owned(),
            Some(format!("one call of a script has {} operations", super::engine::OPERATION_LIMIT)),
            Cause::Script,
        ),
        EvalAltResult::ErrorStackOverflow(_) => (
            "the script's functions call each other without end".to_owned(),
            Some(format!("calls go {} deep", super::engine::CALL_DEPTH_LIMIT)),
            Cause::Script,
        ),
        EvalAltResult::ErrorDataTooLarge(what, _) => (
            format!("the script makes a value that is too large: {}", lower_first(what)),
            Some("`mcp-checks api` prints the limits".to_owned()),
            Cause::Script,
        ),
        EvalAltResult::ErrorMismatchDataType(_, actual, _)
            if actual.contains("absent") || actual.contains(absent) =>
        {
            (
                "the script goes on from something that never happened".to_owned(),
                None,
                Cause::Absent,
            )
        }
        EvalAltResult::ErrorRuntime(value, _) => {
            let message = value.to_string();
            let message = if message.is_empty() { "the script threw".to_owned() } else { message };
            (message, None, Cause::Script)
        }
        other => {
            let text = other.to_string();
            // The position is shown as the place.
            let text = text.rsplit_once(" (line ").map_or(text.as_str(), |(text, _)| text);
            (lower_first(text), None, Cause::Script)
        }
    }
}

/// The place of the expression that begins at `position`: up to the end of the
/// call, if it is one, since an error carries the start of its place alone.
pub fn place(source: &SourceText, position: Position) -> Option<Place> {
    let text: &str = source.inner();
    let line = position.line()?;
    let line_start = match line {
        1 => 0,
        _ => text.match_indices('\n').nth(line - 2)?.0 + 1,
    };
    let rest = text.get(line_start..)?;
    let column = position.position().unwrap_or(1).max(1) - 1;
    let start = line_start + rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at);
    let start = start.min(text.len());
    let start = receiver_start(text, line_start, start);
    let end = call_end(text, start);
    Some(Place { source: source.clone(), span: start..end })
}

/// The start of `seen.` before a method's name: Rhai points at the name.
fn receiver_start(text: &str, line_start: usize, start: usize) -> usize {
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
fn call_end(text: &str, start: usize) -> usize {
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

/// Every name that a script can reach in `engine`.
pub(super) fn reachable_names(engine: &Engine) -> Vec<String> {
    let mut names: Vec<String> = engine
        .gen_fn_signatures(false)
        .iter()
        .filter_map(|signature| signature.split(['(', ' ']).next().map(str::to_owned))
        .map(|name| name.trim_start_matches("get$").trim_start_matches("set$").to_owned())
        .filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
        .collect();
    names.sort();
    names.dedup();
    names
}
