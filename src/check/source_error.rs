//! A [`SourceError`]: everything that is wrong with one text, at its places.

use std::fmt;
use std::ops::Range;

use miette::{Diagnostic, LabeledSpan, MietteDiagnostic, SourceCode};

use super::place::SourceText;

/// Everything that is wrong with one text, such as a header or a profile: at
/// least one problem, each with its own code, labels and help.
#[derive(Clone, Debug)]
pub struct SourceError {
    what: String,
    source: SourceText,
    problems: Vec<MietteDiagnostic>,
}

impl SourceError {
    /// Collects the `problems` of a text. `what` names the text in a sentence:
    /// ``the header of `checks/a.rhai` ``. They are put in the text's order.
    pub fn new(
        what: impl Into<String>,
        source: SourceText,
        mut problems: Vec<MietteDiagnostic>,
    ) -> Self {
        problems.sort_by_key(first_offset);
        SourceError { what: what.into(), source, problems }
    }

    /// The problems, in the text's order.
    pub fn problems(&self) -> &[MietteDiagnostic] {
        &self.problems
    }

    /// A lone problem speaks for itself.
    fn lone(&self) -> Option<&MietteDiagnostic> {
        match self.problems.as_slice() {
            [problem] => Some(problem),
            _ => None,
        }
    }
}

fn first_offset(problem: &MietteDiagnostic) -> usize {
    let labels = problem.labels.iter().flatten();
    labels.map(LabeledSpan::offset).next().unwrap_or_default()
}

impl fmt::Display for SourceError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lone() {
            Some(problem) => problem.fmt(formatter),
            None => write!(formatter, "{} has {} problems", self.what, self.problems.len()),
        }
    }
}

impl std::error::Error for SourceError {}

impl Diagnostic for SourceError {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.lone()?.code()
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
            None => Some(Box::new(self.problems.iter().map(|problem| problem as &dyn Diagnostic))),
        }
    }
}

/// A problem at one span, with its `code`, what is wrong, and the words under
/// the span.
pub(crate) fn problem(
    code: &str,
    message: impl Into<String>,
    span: Range<usize>,
    label: impl Into<String>,
) -> MietteDiagnostic {
    MietteDiagnostic::new(message)
        .with_code(code)
        .with_label(LabeledSpan::new_with_span(Some(label.into()), span))
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
