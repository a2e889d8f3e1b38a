//! One step of a run, as it is stored: [`Step`].

use super::outcome::Outcome;

/// One step of a run.
///
/// Whether a step is an error is derived from its outcome when it is stored,
/// and read before it: rows that were written when there was no outcome yet say
/// by it alone whether the step failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A call that is about to be sent. If nothing follows, the host ended
    /// before it knew what became of the call.
    Declared {
        /// The tool's local name.
        tool: String,
        /// What the call may do.
        effect: String,
    },
    /// What a call came to.
    Tool {
        /// The tool's local name.
        tool: String,
        /// What it came to.
        outcome: Outcome,
        /// The text that it gave back.
        text: String,
    },
}

/// A step as it stands in the store, field by field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// `declared` or `tool`.
    pub kind: String,
    /// The tool's local name.
    pub tool: Option<String>,
    /// What a declared call may do.
    pub effect: Option<String>,
    /// Whether a tool step is an error: 0 or 1.
    pub is_error: Option<i64>,
    /// What a tool step came to; nothing in a row from before there were
    /// outcomes.
    pub outcome: Option<String>,
    /// The text that a tool gave back.
    pub text: Option<String>,
}

/// Why what is stored is no step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAStep {
    /// Its kind is none that is known.
    #[error("`{0}` is no kind of step")]
    UnknownKind(String),
    /// A field is not UTF-8, so that nobody can say what it was.
    #[error("a field of it is not UTF-8")]
    NotText,
    /// A field that its kind has is missing.
    #[error("a step of the kind {kind} has a field `{field}`")]
    Missing {
        /// Its kind.
        kind: &'static str,
        /// The field.
        field: &'static str,
    },
    /// It has an outcome and is no tool step.
    #[error("only a tool step has an outcome")]
    OutcomeWithoutTool,
    /// Its outcome is none that is known.
    #[error(transparent)]
    UnknownOutcome(#[from] super::outcome::UnknownOutcome),
    /// Its boolean and its outcome say different things.
    #[error("it says is_error = {is_error}, and the outcome {outcome}")]
    Contradiction {
        /// What its boolean says.
        is_error: bool,
        /// What its outcome says.
        outcome: Outcome,
    },
}

impl Step {
    const DECLARED: &'static str = "declared";
    const TOOL: &'static str = "tool";

    /// The step's kind in a word: `declared`, `tool`.
    pub fn kind(&self) -> &'static str {
        match self {
            Step::Declared { .. } => Self::DECLARED,
            Step::Tool { .. } => Self::TOOL,
        }
    }

    /// The step as it is stored.
    pub fn fields(&self) -> Fields {
        let kind = self.kind().to_owned();
        match self {
            Step::Declared { tool, effect } => Fields {
                kind,
                tool: Some(tool.clone()),
                effect: Some(effect.clone()),
                ..Fields::default()
            },
            Step::Tool { tool, outcome, text } => Fields {
                kind,
                tool: Some(tool.clone()),
                is_error: Some(outcome.is_error().into()),
                outcome: Some(outcome.as_str().to_owned()),
                text: Some(text.clone()),
                ..Fields::default()
            },
        }
    }

    /// Reads a step. The boolean says whether it has an outcome, the outcome
    /// says which.
    ///
    /// # Errors
    /// [`NotAStep`] if what is stored contradicts itself, or is no step at all.
    pub fn read(fields: Fields) -> Result<Step, NotAStep> {
        let missing = |kind, field| NotAStep::Missing { kind, field };
        match fields.kind.as_str() {
            Self::DECLARED => {
                if fields.is_error.is_some() || fields.outcome.is_some() {
                    return Err(NotAStep::OutcomeWithoutTool);
                }
                let tool = fields.tool.ok_or_else(|| missing(Self::DECLARED, "tool"))?;
                let effect = fields.effect.ok_or_else(|| missing(Self::DECLARED, "effect"))?;
                Ok(Step::Declared { tool, effect })
            }
            Self::TOOL => {
                let is_error = fields.is_error.ok_or_else(|| missing(Self::TOOL, "is_error"))? != 0;
                let outcome = match fields.outcome {
                    None if is_error => Outcome::Failed,
                    None => Outcome::Ok,
                    Some(word) => word.parse::<Outcome>()?,
                };
                if outcome.is_error() != is_error {
                    return Err(NotAStep::Contradiction { is_error, outcome });
                }
                let tool = fields.tool.ok_or_else(|| missing(Self::TOOL, "tool"))?;
                Ok(Step::Tool { tool, outcome, text: fields.text.unwrap_or_default() })
            }
            _ => Err(NotAStep::UnknownKind(fields.kind)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(is_error: Option<i64>, outcome: Option<&str>) -> Fields {
        Fields {
            kind: "tool".to_owned(),
            tool: Some("t".to_owned()),
            is_error,
            outcome: outcome.map(str::to_owned),
            ..Fields::default()
        }
    }

    #[test]
    fn what_is_stored_is_read_again() {
        let steps = Outcome::ALL.map(|outcome| Step::Tool {
            tool: "t".to_owned(),
            outcome,
            text: "x".to_owned(),
        });
        let declared = Step::Declared { tool: "t".to_owned(), effect: "read".to_owned() };
        for step in steps.into_iter().chain([declared]) {
            assert_eq!(Step::read(step.fields()), Ok(step.clone()));
        }
    }

    #[test]
    fn a_row_from_before_there_were_outcomes_reads_as_it_did() {
        for (is_error, expected) in [(0, Outcome::Ok), (1, Outcome::Failed)] {
            let step = Step::read(tool(Some(is_error), None)).unwrap();
            assert!(matches!(step, Step::Tool { outcome, .. } if outcome == expected));
        }
    }

    #[test]
    fn a_step_cannot_disagree_with_itself() {
        for (is_error, outcome) in [(0, "failed"), (0, "cancelled"), (1, "ok")] {
            let read = Step::read(tool(Some(is_error), Some(outcome)));
            assert!(matches!(read, Err(NotAStep::Contradiction { .. })), "{is_error} {outcome}");
        }
        let missing = NotAStep::Missing { kind: "tool", field: "is_error" };
        assert_eq!(Step::read(tool(None, Some("ok"))), Err(missing));
        assert!(matches!(
            Step::read(tool(Some(1), Some("error"))),
            Err(NotAStep::UnknownOutcome(_))
        ));
        for (is_error, outcome) in [(Some(0), None), (None, Some("ok"))] {
            let fields = Fields {
                kind: "declared".to_owned(),
                effect: Some("read".to_owned()),
                ..tool(is_error, outcome)
            };
            assert_eq!(Step::read(fields), Err(NotAStep::OutcomeWithoutTool));
        }
        let other = Fields { kind: "answer".to_owned(), ..tool(None, None) };
        assert_eq!(Step::read(other), Err(NotAStep::UnknownKind("answer".to_owned())));
    }
}
