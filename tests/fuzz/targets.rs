//! The targets, one file each, and what several of them do.

pub mod challenges;
pub mod event_stream;
pub mod expected_failures;
pub mod header;
pub mod http_text;
pub mod json_rpc;
pub mod profile;
pub mod redaction;

use std::hash::DefaultHasher;
use std::sync::Arc;

use mcp_checks::check::{SourceError, SourceText};
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, NamedSource};

use crate::engine::{about, note};

/// An input as the text of a file.
fn source(text: &str) -> SourceText {
    Arc::new(NamedSource::new("a file", Arc::from(text)))
}

/// Everything that is wrong with a text: each problem stands within it, can be shown, and
/// says what to do.
fn are_well_told(error: &SourceError, text: &str, hasher: &mut DefaultHasher) {
    assert!(!error.problems().is_empty());
    // What is shown of a profile is as long as its text, and hides most of it.
    let source = error.source_code().expect("there is a text");
    let whole = source.read_span(&(0, 0).into(), usize::MAX, usize::MAX).expect("it can be read");
    let shown = std::str::from_utf8(whole.data()).expect("it is a text");
    assert_eq!(shown.len(), text.len());
    note(hasher, about(error.problems().len()));
    for problem in error.problems().iter().take(20) {
        note(hasher, &problem.code);
        assert!(problem.code.is_some() && problem.help.is_some(), "{problem:?}");
        for label in problem.labels.iter().flatten() {
            let (start, end) = (label.offset(), label.offset() + label.len());
            assert!(shown.get(start..end).is_some(), "{start}..{end} is no part of the text");
        }
    }
    // What is long is shown in parts; how, the tests of the reports hold.
    if text.len() <= 4096 {
        rendered(error);
    }
}

/// A diagnostic as a person sees it.
fn rendered(error: &dyn Diagnostic) -> String {
    let mut shown = String::new();
    GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor())
        .with_width(100)
        .render_report(&mut shown, error)
        .expect("it can be shown");
    shown
}
