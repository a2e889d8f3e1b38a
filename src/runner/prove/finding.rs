//! What a proof has to say: [`Finding`], a diagnostic at its place.

use std::fmt;
use std::sync::Arc;

use miette::{Diagnostic, LabeledSpan, Severity, SourceCode};

use crate::check::Place;

/// What kind of thing was found, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// A check cannot be used.
    BrokenCheck,
    /// A fault cannot be used.
    BrokenFault,
    /// An execution under a fault came to something else than playing the fault
    /// showed.
    ContradictsPlay,
    /// A claim does not hold, or is not exercised, without any fault.
    DoesNotHold,
    /// No fault that counts turned a claim red.
    Survivor,
    /// A check fails to judge under a fault: it is broken for whoever
    /// misbehaves like that.
    BreaksUnderFault,
    /// A fault kills more than a quarter of what it could reach.
    LargeFault,
    /// A fault never changed anything.
    IdleFault,
    /// A fault turned nothing red.
    HarmlessFault,
}

impl FindingKind {
    /// The kind's name, in kebab-case.
    pub fn as_str(self) -> &'static str {
        match self {
            FindingKind::BrokenCheck => "broken-check",
            FindingKind::BrokenFault => "broken-fault",
            FindingKind::ContradictsPlay => "contradicts-play",
            FindingKind::DoesNotHold => "does-not-hold",
            FindingKind::Survivor => "survivor",
            FindingKind::BreaksUnderFault => "breaks-under-fault",
            FindingKind::LargeFault => "large-fault",
            FindingKind::IdleFault => "idle-fault",
            FindingKind::HarmlessFault => "harmless-fault",
        }
    }

    /// Whether nothing is proven while it is there; the others are warnings.
    pub fn is_error(self) -> bool {
        self <= FindingKind::Survivor
    }

    /// Whether something could not be used at all.
    pub fn is_broken(self) -> bool {
        self <= FindingKind::BrokenFault
    }
}

/// One thing that is wrong with a check, a claim or a fault.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What kind of thing it is.
    pub kind: FindingKind,
    /// The check that it is about.
    pub check: Option<String>,
    /// The checkpoint that it is about.
    pub checkpoint: Option<String>,
    /// The fault that it is about.
    pub fault: Option<String>,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to do about it.
    pub help: String,
    /// Where it is to be seen, and the words under that place.
    pub place: Option<(Place, String)>,
    /// The error behind it.
    pub cause: Option<Arc<miette::Report>>,
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Finding {}

impl Diagnostic for Finding {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(format!("prove::{}", self.kind.as_str())))
    }

    fn severity(&self) -> Option<Severity> {
        Some(if self.kind.is_error() { Severity::Error } else { Severity::Warning })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.place.as_ref().map(|(place, _)| &*place.source as _)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let (place, words) = self.place.as_ref()?;
        let label = LabeledSpan::new_with_span(Some(words.clone()), place.span.clone());
        Some(Box::new(std::iter::once(label)))
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        let cause: &dyn Diagnostic = self.cause.as_deref()?.as_ref();
        Some(Box::new(std::iter::once(cause)))
    }
}
