//! A [`SourceError`]: everything that is wrong with one text, at its places.

use std::fmt;
use std::ops::{Deref, Range};

use miette::{Diagnostic, LabeledSpan, MietteDiagnostic, Severity, SourceCode};

use super::place::SourceText;

/// How many problems of one text are kept; the others are counted.
const MOST: usize = 50;

/// Everything that is wrong with one text, such as a header or a profile: at
/// least one problem, each with its own code, labels and help.
#[derive(Clone, Debug)]
pub struct SourceError {
    what: String,
    source: SourceText,
    problems: Vec<Problem>,
    /// How many there are beside those.
    more: usize,
}

impl SourceError {
    /// Collects the `problems` of a text. `what` names the text in a sentence:
    /// ``the header of `checks/a.rhai` ``. They are put in the text's order.
    pub fn new(what: impl Into<String>, source: SourceText, mut problems: Vec<Problem>) -> Self {
        problems.sort_by_key(first_offset);
        let more = problems.len().saturating_sub(MOST);
        problems.truncate(MOST);
        let text: &str = source.inner();
        for label in problems.iter_mut().flat_map(|problem| problem.0.labels.iter_mut().flatten()) {
            let span = whole_characters(label.offset()..label.offset() + label.len(), text);
            let words = label.label().map(str::to_owned);
            *label = LabeledSpan::new(words, span.start, span.len());
        }
        SourceError { what: what.into(), source, problems, more }
    }

    /// The first fifty problems, in the text's order.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// A lone problem speaks for itself.
    fn lone(&self) -> Option<&Problem> {
        match self.problems.as_slice() {
            [problem] => Some(problem),
            _ => None,
        }
    }
}

/// What of a span can be shown: whole characters of the text, where a parser may have
/// counted otherwise, and never its very end.
pub(crate) fn whole_characters(span: Range<usize>, text: &str) -> Range<usize> {
    let is_whole = |at: &usize| text.is_char_boundary(*at);
    let before = |at: usize| (0..=at.min(text.len())).rev().find(is_whole).unwrap_or(0);
    let end = (span.end.min(text.len())..text.len()).find(is_whole).unwrap_or(text.len());
    let start = before(span.start);
    if start == text.len() {
        let last = before(start.saturating_sub(1));
        return last..last;
    }
    start..end.max(start)
}

fn first_offset(problem: &Problem) -> usize {
    let labels = problem.labels.iter().flatten();
    labels.map(LabeledSpan::offset).next().unwrap_or_default()
}

impl fmt::Display for SourceError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lone() {
            Some(problem) => problem.fmt(formatter),
            None => {
                write!(
                    formatter,
                    "{} has {} problems",
                    self.what,
                    self.problems.len() + self.more
                )?;
                match self.more {
                    0 => Ok(()),
                    _ => write!(formatter, ", of which these are the first {MOST}"),
                }
            }
        }
    }
}

impl std::error::Error for SourceError {}

impl Diagnostic for SourceError {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.lone()?.code()
    }

    fn severity(&self) -> Option<Severity> {
        self.lone()?.severity()
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.lone()?.help()
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.lone()?.labels()
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        match self.lone() {
            Some(_) => None,
            None => {
                Some(Box::new(self.problems.iter().map(|problem| &**problem as &dyn Diagnostic)))
            }
        }
    }
}

/// One thing that is wrong at one place of a text, with a code and help.
#[derive(Clone, Debug)]
pub struct Problem(Box<MietteDiagnostic>);

impl Problem {
    /// Says what to do about it.
    pub(crate) fn with_help(self, help: impl Into<String>) -> Self {
        Problem(Box::new(self.0.with_help(help)))
    }

    /// Says that it stops nothing.
    pub(crate) fn into_warning(self) -> Self {
        Problem(Box::new(self.0.with_severity(Severity::Warning)))
    }

    /// Points to one more place.
    pub(crate) fn and_label(self, span: Range<usize>, label: impl Into<String>) -> Self {
        Problem(Box::new(self.0.and_label(LabeledSpan::new_with_span(Some(label.into()), span))))
    }
}

impl Deref for Problem {
    type Target = MietteDiagnostic;

    fn deref(&self) -> &MietteDiagnostic {
        &self.0
    }
}

/// A problem at one span, with its `code`, what is wrong, and the words under
/// the span, which may be none.
pub(crate) fn problem(
    code: &str,
    message: impl Into<String>,
    span: Range<usize>,
    label: impl Into<String>,
) -> Problem {
    let words = Some(label.into()).filter(|words| !words.is_empty());
    let label = LabeledSpan::new_with_span(words, span);
    Problem(Box::new(MietteDiagnostic::new(message).with_code(code).with_label(label)))
}

/// Renders a diagnostic the way a person sees it, without colours.
#[cfg(test)]
pub(crate) fn rendered(diagnostic: &dyn Diagnostic) -> String {
    let mut text = String::new();
    miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor())
        .with_width(100)
        .render_report(&mut text, diagnostic)
        .expect("a string can be written to");
    text
}
