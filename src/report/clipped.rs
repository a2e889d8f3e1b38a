//! A diagnostic of whatever length, so short that a person reads it: [`Clipped`].

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::ops::Range;

use miette::{
    Diagnostic, LabeledSpan, MietteError, MietteSpanContents, Severity, SourceCode, SourceSpan,
    SpanContents,
};

use crate::wire::redact::Redactor;

/// The longest line of a source that is shown whole, in bytes.
const LONGEST_LINE: usize = 400;
/// How many bytes of a longer line are shown at its beginning, and around each place that a
/// label begins or ends at.
const AROUND: usize = 80;
/// How many lines one label can cover.
const LINES: usize = 8;
/// The longest message, help or label, in bytes.
const LONGEST_TEXT: usize = 2_000;
/// What stands for what is left out.
const LEFT_OUT: &str = "…";

/// A diagnostic in which long texts, and long lines of the source, are cut.
#[derive(Debug)]
pub(super) struct Clipped<'a> {
    inner: &'a dyn Diagnostic,
    message: String,
    help: Option<String>,
    /// The source with shorter lines, and the labels in it; `None` if it has none.
    source: Option<Shortened>,
    labels: Vec<LabeledSpan>,
    related: Vec<Clipped<'a>>,
}

impl<'a> Clipped<'a> {
    /// `diagnostic`, whose source is that of the diagnostic that it belongs to if it has
    /// none of its own. What is cut has no credential in it, so that none is cut in two.
    pub(super) fn new(
        diagnostic: &'a dyn Diagnostic,
        source: Option<&'a dyn SourceCode>,
        redactor: &Redactor,
    ) -> Self {
        let source = diagnostic.source_code().or(source);
        let labels: Vec<LabeledSpan> = diagnostic.labels().into_iter().flatten().collect();
        let labels: Vec<LabeledSpan> = labels
            .into_iter()
            .map(|label| {
                let words = label.label().map(|words| cut(words, redactor));
                match label.primary() {
                    true => LabeledSpan::new_primary_with_span(words, *label.inner()),
                    false => LabeledSpan::new_with_span(words, *label.inner()),
                }
            })
            .collect();
        let shortened = source.and_then(|source| Shortened::of(source, &labels, redactor)).unzip();
        let related = diagnostic.related().into_iter().flatten();
        Clipped {
            inner: diagnostic,
            message: cut(&diagnostic.to_string(), redactor),
            help: diagnostic.help().map(|help| cut(&help.to_string(), redactor)),
            source: shortened.0,
            labels: shortened.1.unwrap_or(labels),
            related: related.map(|inner| Clipped::new(inner, source, redactor)).collect(),
        }
    }
}

/// The beginning and the end of a text that is too long.
fn cut(text: &str, redactor: &Redactor) -> String {
    if text.len() <= LONGEST_TEXT {
        return text.to_owned();
    }
    let text = redactor.redact(text);
    let (start, end) = (floor(&text, LONGEST_TEXT / 2), ceil(&text, text.len() - AROUND));
    if start >= end {
        return text;
    }
    format!("{}{LEFT_OUT}{}", &text[..start], &text[end..])
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

fn ceil(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

/// A source whose long lines are shown in parts.
#[derive(Debug)]
struct Shortened {
    name: Option<String>,
    text: String,
    parts: Vec<Part>,
}

/// What was kept of a line.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// Where it begins in the whole source.
    old: usize,
    /// Where it begins in the shortened one.
    new: usize,
    length: usize,
    /// The column of its beginning in the whole source, in bytes.
    column: usize,
}

impl Shortened {
    /// The whole of `source` with its long lines cut, and the labels in it; `None` if
    /// there is nothing to cut, or no label.
    fn of(
        source: &dyn SourceCode,
        labels: &[LabeledSpan],
        redactor: &Redactor,
    ) -> Option<(Self, Vec<LabeledSpan>)> {
        let first = labels.first()?;
        let whole = source.read_span(first.inner(), usize::MAX, usize::MAX).ok()?;
        let text = String::from_utf8_lossy(whole.data());
        let Cow::Borrowed(text) = text else { return None };
        let spans: Vec<Range<usize>> = labels.iter().map(|label| short_span(text, label)).collect();
        let is_long = |line: &str| line.len() > LONGEST_LINE;
        let is_short = labels.iter().zip(&spans).all(|(label, span)| label.len() == span.len());
        if is_short && !text.split('\n').any(is_long) {
            return None;
        }
        let has_credential = redactor.redact(text) != text;
        let mut edges: Vec<usize> = spans.iter().flat_map(|span| [span.start, span.end]).collect();
        edges.sort_unstable();
        let name = whole.name().map(str::to_owned);
        let mut shortened = Shortened { name, text: String::new(), parts: Vec::new() };
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            match (is_long(line), has_credential) {
                (false, _) => shortened.keep(line, start, 0..line.len()),
                // Half a credential is told by nothing.
                (true, true) => shortened.leave_out(line, start, &[]),
                (true, false) => {
                    let from = edges.partition_point(|edge| *edge < start);
                    let edges = edges[from..].iter().take_while(|edge| **edge < start + line.len());
                    let edges: Vec<usize> = edges.map(|edge| edge - start).collect();
                    shortened.leave_out(line, start, &edges);
                }
            }
            start += line.len();
        }
        let moved = labels.iter().zip(spans).map(|(label, span)| {
            let (start, end) = (shortened.place(span.start), shortened.place(span.end));
            let words = label.label().map(str::to_owned);
            match label.primary() {
                true => LabeledSpan::new_primary_with_span(words, start..end.max(start)),
                false => LabeledSpan::new_with_span(words, start..end.max(start)),
            }
        });
        let moved = moved.collect();
        Some((shortened, moved))
    }

    fn keep(&mut self, line: &str, start: usize, part: Range<usize>) {
        let (old, new, length) = (start + part.start, self.text.len(), part.len());
        self.parts.push(Part { old, new, length, column: part.start });
        self.text.push_str(&line[part]);
    }

    /// Keeps what is around the `edges` of a line, its beginning and its end.
    fn leave_out(&mut self, line: &str, start: usize, edges: &[usize]) {
        let end = line.trim_end_matches(['\r', '\n']).len();
        let beginning = if edges.is_empty() { 0 } else { AROUND };
        let mut done = floor(line, beginning.min(end));
        self.keep(line, start, 0..done);
        for edge in edges {
            let from = floor(line, edge.saturating_sub(AROUND)).max(done);
            let to = ceil(line, edge + AROUND).min(end);
            if to <= done {
                continue;
            }
            if from > done {
                self.text.push_str(LEFT_OUT);
            }
            self.keep(line, start, from..to);
            done = to;
        }
        if done < end {
            self.text.push_str(LEFT_OUT);
        }
        self.keep(line, start, end..line.len());
    }

    /// The part of a place in either source.
    fn part(&self, at: usize, begin: impl Fn(&Part) -> usize) -> Option<&Part> {
        let after = self.parts.partition_point(|part| begin(part) <= at);
        self.parts[..after].last()
    }

    /// Where a place of the whole source is in this one.
    fn place(&self, at: usize) -> usize {
        self.part(at, |part| part.old).map_or(0, |part| part.new + (at - part.old).min(part.length))
    }
}

impl SourceCode for Shortened {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let read = self.text.as_bytes().read_span(span, before, after)?;
        // What begins within a line tells in which column that is.
        let column = match self.part(span.offset(), |part| part.new) {
            Some(part) if before == 0 => part.column + (span.offset() - part.new).min(part.length),
            _ => read.column(),
        };
        let (data, span) = (self.text.as_bytes(), *read.span());
        let data = &data[span.offset()..span.offset() + span.len()];
        let (line, lines) = (read.line(), read.line_count());
        Ok(match self.name.clone() {
            Some(name) => {
                Box::new(MietteSpanContents::new_named(name, data, span, line, column, lines))
            }
            None => Box::new(MietteSpanContents::new(data, span, line, column, lines)),
        })
    }
}

/// What a label covers, up to the end of its last line that is shown.
fn short_span(text: &str, label: &LabeledSpan) -> Range<usize> {
    let (start, end) = (label.offset(), label.offset() + label.len());
    let covered = text.get(start..end).unwrap_or_default();
    let cut = covered.match_indices('\n').nth(LINES - 1).map_or(end, |(at, _)| start + at);
    start..cut
}

impl fmt::Display for Clipped<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl Error for Clipped<'_> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.inner.source()
    }
}

impl Diagnostic for Clipped<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.inner.code()
    }

    fn severity(&self) -> Option<Severity> {
        self.inner.severity()
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn url<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.inner.url()
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        match &self.source {
            Some(source) => Some(source),
            None => self.inner.source_code(),
        }
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        (!self.labels.is_empty())
            .then(|| Box::new(self.labels.iter().cloned()) as Box<dyn Iterator<Item = LabeledSpan>>)
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        (!self.related.is_empty()).then(|| {
            let related = self.related.iter().map(|related| related as &dyn Diagnostic);
            Box::new(related) as Box<dyn Iterator<Item = &'a dyn Diagnostic>>
        })
    }

    fn diagnostic_source(&self) -> Option<&dyn Diagnostic> {
        self.inner.diagnostic_source()
    }
}

#[cfg(test)]
mod tests;
