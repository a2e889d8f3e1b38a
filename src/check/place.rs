//! A [`Place`]: a span of a named source text, for diagnostics.

use std::ops::Range;
use std::sync::Arc;

/// A named source text that many places point into.
pub type SourceText = Arc<miette::NamedSource<Arc<str>>>;

/// A span of a source text, in bytes.
#[derive(Clone, Debug)]
pub struct Place {
    /// The file and its text.
    pub source: SourceText,
    /// The bytes that are meant.
    pub span: Range<usize>,
}

impl Place {
    /// The 1-based line and column at which the span begins.
    pub fn line_and_column(&self) -> (usize, usize) {
        let text: &str = self.source.inner();
        let before = text.get(..self.span.start).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let column = before.get(line_start..).map_or(0, |rest| rest.chars().count()) + 1;
        (line, column)
    }
}
