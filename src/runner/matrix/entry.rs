//! What is kept of an execution to compare it: an [`Entry`], whose verdicts are
//! [`Cell`]s.

use crate::check::{Checkpoint, CheckpointResult, Decision, Verdict, Weight};
use crate::mcp::Revision;
use crate::runner::event::{Execution, Trouble};
use crate::runner::outcome::Outcome;
use crate::runner::subject::Settings;
use crate::wire::text::{Style, render_to_compare};

/// What an execution is called in every environment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// The check's id.
    pub check: String,
    /// The profile's name.
    pub profile: String,
    /// The case's name, if the check has cases.
    pub case: Option<String>,
}

impl Name {
    /// The execution of this check for this profile and case.
    pub fn new(check: &str, profile: &str, case: Option<&str>) -> Self {
        Name { check: check.to_owned(), profile: profile.to_owned(), case: case.map(str::to_owned) }
    }
}

/// One execution, as one environment had it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What it is called.
    pub name: Name,
    /// The revision in force.
    pub revision: Revision,
    /// The gravest of its verdicts. It has a reason if the execution as a whole is
    /// in trouble, or does not apply.
    pub whole: Cell,
    /// The verdict on each checkpoint, in the header's order. There are none if
    /// nothing ran.
    pub checkpoints: Vec<(Checkpoint, Cell)>,
    /// What crossed the wire, written to be compared; `None` where it is not, or
    /// where the execution came to no ordinary end.
    pub wire: Option<String>,
}

/// A verdict in one environment, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The verdict; [`Verdict::Skip`] is what does not apply here.
    pub verdict: Verdict,
    /// What it does to the execution.
    pub weight: Weight,
    /// Why.
    pub reason: Option<String>,
    /// What was expected.
    pub expected: Option<String>,
    /// What was found.
    pub actual: Option<String>,
    /// The call that decided: `checks/one.rhai:21:5`.
    pub place: Option<String>,
    /// How a client process ended in whose execution a claim was not exercised.
    pub ended: Option<String>,
}

impl Entry {
    /// What is kept of `execution`, which ran with `settings`.
    pub(super) fn new(execution: &Execution, settings: &Settings) -> Self {
        let style = settings.style.with_origins(&execution.origins);
        let is_compared = !settings.subject.is_external() && execution.trouble.is_none();
        let ended = execution.client.as_ref().map(|client| style.text(client.ended.as_bytes()));
        let cell = |result: &CheckpointResult| {
            let mut cell = Cell::new(result, &style);
            if cell.verdict == Verdict::NotExercised {
                cell.ended.clone_from(&ended);
            }
            (result.checkpoint.clone(), cell)
        };
        let checkpoints: Vec<_> = execution.checkpoints.iter().map(cell).collect();
        Entry {
            name: Name::new(&execution.check, &execution.profile, execution.case.as_deref()),
            revision: execution.revision,
            whole: match &execution.trouble {
                Some(trouble) => {
                    let is_red = execution.outcome.is_red();
                    let weight = if is_red { Weight::Red } else { Weight::None };
                    Cell { weight, ..Cell::of_trouble(trouble, &style) }
                }
                None => Cell::gravest(&checkpoints),
            },
            checkpoints,
            wire: is_compared.then(|| render_to_compare(&execution.exchanges, &style)),
        }
    }

    /// Whether it stands for whatever cases there are: nothing of it ran.
    pub(super) fn is_bare(&self) -> bool {
        self.checkpoints.is_empty()
    }
}

impl Cell {
    /// A verdict of no weight, and a reason if it is not empty.
    pub(super) fn of(verdict: Verdict, reason: &str) -> Self {
        let reason = (!reason.is_empty()).then(|| reason.to_owned());
        Cell {
            verdict,
            weight: Weight::None,
            reason,
            expected: None,
            actual: None,
            place: None,
            ended: None,
        }
    }

    fn new(result: &CheckpointResult, style: &Style) -> Self {
        let text = |text: &String| style.text(text.as_bytes());
        let Some(Decision { reason, expected, actual, place, .. }) = &result.decision else {
            return Cell { weight: result.weight, ..Cell::of(result.verdict, "") };
        };
        Cell {
            weight: result.weight,
            expected: expected.as_ref().map(text),
            actual: actual.as_ref().map(text),
            place: place.as_ref().map(|place| {
                let (line, column) = place.line_and_column();
                format!("{}:{line}:{column}", place.source.name())
            }),
            ..Cell::of(result.verdict, &text(reason))
        }
    }

    /// What the trouble of a whole execution comes to.
    fn of_trouble(trouble: &Trouble, style: &Style) -> Self {
        let (verdict, reason) = match trouble {
            Trouble::Broken(report) => (Verdict::Error, format!("the check is broken: {report}")),
            Trouble::Subject(report) => (Verdict::Fail, report.to_string()),
            Trouble::TimedOut(limit) => {
                (Verdict::Timeout, format!("it was not finished after {} s", limit.as_secs_f64()))
            }
            Trouble::Cancelled => (Verdict::Cancelled, String::new()),
            Trouble::Skipped(reason) => (Verdict::Skip, reason.clone()),
        };
        Cell::of(verdict, &style.text(reason.as_bytes()))
    }

    /// The gravest verdict; if all are skipped, with the first of their reasons.
    pub(super) fn gravest(checkpoints: &[(Checkpoint, Cell)]) -> Self {
        let cells = checkpoints.iter().map(|(_, cell)| cell);
        match cells.clone().max_by_key(|cell| (cell.weight, gravity(cell.verdict))) {
            None | Some(Cell { verdict: Verdict::Skip, .. }) => {
                let reason = cells.clone().find_map(|cell| cell.reason.as_deref());
                Cell::of(Verdict::Skip, reason.unwrap_or("it claims nothing here"))
            }
            Some(cell) => Cell { weight: cell.weight, ..Cell::of(cell.verdict, "") },
        }
    }

    /// What an execution came to whose gravest verdict it is.
    pub fn outcome(&self) -> Outcome {
        match self.verdict {
            Verdict::Skip => Outcome::Skip,
            Verdict::Cancelled => Outcome::Cancelled,
            Verdict::Error => Outcome::Error,
            Verdict::Timeout => Outcome::Timeout,
            _ => self.weight.into(),
        }
    }

    /// Whether it says something of its environment.
    pub fn counts(&self) -> bool {
        !matches!(self.verdict, Verdict::Skip | Verdict::Cancelled)
    }

    /// Whether a reader wants to hear why.
    pub fn is_remarkable(&self) -> bool {
        self.counts() && self.verdict != Verdict::Pass
    }
}

/// Which of two verdicts of the same weight an execution is called by.
fn gravity(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Skip => 0,
        Verdict::Pass => 1,
        Verdict::Note => 2,
        Verdict::Warn => 3,
        Verdict::Cancelled => 4,
        Verdict::NotExercised => 5,
        Verdict::Timeout => 6,
        Verdict::Fail => 7,
        Verdict::Error => 8,
    }
}
