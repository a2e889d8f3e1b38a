//! A checkpoint that did not hold, as a diagnostic. The main type is
//! [`Failure`].

use std::fmt;

use miette::{Diagnostic, LabeledSpan, Severity, SourceCode};

use crate::check::{CheckpointResult, Place, Weight};
use crate::wire::text::Style;

/// A diagnostic whose message is the checkpoint's sentence, and whose label stands
/// under the call that decided.
#[derive(Debug)]
pub(super) struct Failure {
    sentence: String,
    severity: Severity,
    place: Option<Place>,
    label: String,
}

impl Failure {
    pub(super) fn new(result: &CheckpointResult, style: &Style) -> Self {
        let decision = result.decision.as_ref();
        let reason = decision.map_or("", |decision| &decision.reason);
        let label = if reason.is_empty() {
            result.verdict.to_string()
        } else {
            style.text(reason.as_bytes())
        };
        Failure {
            sentence: style.text(result.checkpoint.sentence.as_bytes()),
            severity: match result.weight {
                Weight::None | Weight::Expected | Weight::Note => Severity::Advice,
                Weight::Warning => Severity::Warning,
                Weight::Red => Severity::Error,
            },
            place: decision.and_then(|decision| decision.place.clone()).filter(is_inside),
            label,
        }
    }

    /// Whether the reason is shown under the script's line already.
    pub(super) fn has_place(&self) -> bool {
        self.place.is_some()
    }
}

/// Whether the place lies in its text: a diagnostic must not fail because the
/// file it points into was read differently.
fn is_inside(place: &Place) -> bool {
    place.source.inner().get(place.span.clone()).is_some()
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.sentence)
    }
}

impl std::error::Error for Failure {}

impl Diagnostic for Failure {
    fn severity(&self) -> Option<Severity> {
        Some(self.severity)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.place.as_ref().map(|place| &*place.source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let place = self.place.as_ref()?;
        let label =
            LabeledSpan::new_primary_with_span(Some(self.label.clone()), place.span.clone());
        Some(Box::new(std::iter::once(label)))
    }
}
