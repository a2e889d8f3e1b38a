//! What one execution has to say for itself: a list of [`Told`].

use std::borrow::Cow;
use std::fmt::Write as _;

use miette::{Diagnostic, MietteDiagnostic, Severity};

use super::exchange::short;
use super::failure::Failure;
use super::look::Look;
use crate::check::{CheckpointResult, Verdict, Weight};
use crate::report::describe::{self, cut};
use crate::runner::event::{ClientProcess, SnapshotOutcome, Trouble};
use crate::runner::{Execution, Outcome};
use crate::snapshot::{diff, diff_coloured};
use crate::wire::text::{Style, render};

/// How many lines of a wire that differs are shown.
const DIFF_LINES: usize = 40;

/// How many lines of what a client printed are shown, at its end.
const OUTPUT_LINES: usize = 20;

/// The same where there is much to show.
const FEW_OUTPUT_LINES: usize = 5;

/// How long a value or a reason may be where there is much to show, in columns.
const VALUE_WIDTH: usize = 160;

/// One thing that a person should look at.
pub(super) struct Told<'a> {
    pub(super) gravity: Gravity,
    /// What is the same where the same is the matter, whatever the execution.
    pub(super) cause: Cause,
    pub(super) of: Of<'a>,
}

/// The order in which findings are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Gravity {
    /// A check is broken.
    Broken,
    /// It is red.
    Red,
    /// It is red because it was not exercised.
    Unexercised,
    Warning,
    Note,
}

/// What is the matter, without what differs between executions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Cause {
    /// A claim, by its id and its sentence, and why it does not hold. Several
    /// checks may have it.
    Claim { verdict: Verdict, id: String, sentence: String, why: String },
    /// What a check claims was not exercised.
    Unexercised { check: String },
    /// What is shown of it.
    Text(String),
}

/// What of an execution it is.
pub(super) enum Of<'a> {
    Claim(Cow<'a, CheckpointResult>),
    Trouble { heading: Option<&'static str>, sentence: String, text: String },
    Wire { old: String, new: String, pending: String },
    SnapshotFile(String),
}

/// A finding as it is shown.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    /// The claim's id or what the matter is: after the check, the heading.
    pub(super) heading: String,
    /// What stands behind the heading where there is little room.
    pub(super) words: String,
    /// The claim, or what the matter is.
    pub(super) sentence: String,
    /// Why, for one line.
    pub(super) reason: String,
    /// Everything, with the line of the script.
    pub(super) full: String,
    /// The same where there is much to show.
    pub(super) compact: String,
    /// What it can be seen from: whole, and short.
    pub(super) evidence: [String; 2],
}

/// What tells the findings of one execution.
pub(super) struct Teller<'a> {
    pub(super) execution: &'a Execution,
    pub(super) style: &'a Style,
    pub(super) look: Look,
}

impl<'a> Teller<'a> {
    /// Everything that there is to tell.
    pub(super) fn list(&self) -> Vec<Told<'a>> {
        let mut list = Vec::new();
        list.extend(self.trouble());
        for result in &self.execution.checkpoints {
            if result.weight > Weight::Expected
                && !describe::is_explained(self.execution, result.verdict)
            {
                list.extend(result.by_decision().map(|result| self.claim(result)));
            }
        }
        list.extend(self.snapshot());
        list
    }

    fn trouble(&self) -> Option<Told<'a>> {
        if self.execution.outcome == Outcome::Expected {
            return None;
        }
        let (gravity, heading, sentence, text) = match self.execution.trouble.as_ref()? {
            Trouble::Broken(report) => {
                let text = self.rendered(report.as_ref().as_ref());
                let sentence = self.style.text(report.to_string().as_bytes());
                (Gravity::Broken, Some("the check is broken"), sentence, text)
            }
            Trouble::Subject(report) => {
                let text = self.rendered(report.as_ref().as_ref());
                let sentence = self.style.text(report.to_string().as_bytes());
                (Gravity::Red, Some("the subject could not be run"), sentence, text)
            }
            Trouble::TimedOut(limit) => {
                let undecided = describe::undecided(self.execution);
                let limit = describe::time(*limit);
                let sentence = format!("It was not finished after {limit}");
                let mut diagnostic =
                    MietteDiagnostic::new(sentence.clone()).with_severity(Severity::Error);
                if !undecided.is_empty() {
                    diagnostic = diagnostic.with_help(format!("Not decided: {undecided}"));
                }
                (Gravity::Red, None, sentence, self.rendered(&diagnostic))
            }
            Trouble::Cancelled | Trouble::Skipped(_) => return None,
        };
        let cause = match self.execution.trouble {
            // What was undecided differs.
            Some(Trouble::TimedOut(_)) => Cause::Text("time was up".to_owned()),
            _ => Cause::Text(text.clone()),
        };
        Some(Told { gravity, cause, of: Of::Trouble { heading, sentence, text } })
    }

    fn claim(&self, result: Cow<'a, CheckpointResult>) -> Told<'a> {
        let checkpoint = &result.checkpoint;
        let is_unexercised = result.verdict == Verdict::NotExercised;
        let cause = if is_unexercised {
            Cause::Unexercised { check: self.execution.check.clone() }
        } else {
            let decision = result.decision.as_ref();
            let why = decision.map(|decision| match &decision.cause {
                Some(cause) => cause.clone(),
                None => without_small_numbers(&decision.reason),
            });
            Cause::Claim {
                verdict: result.verdict,
                id: checkpoint.id.clone(),
                sentence: checkpoint.sentence.clone(),
                why: why.unwrap_or_default(),
            }
        };
        let gravity = match result.weight {
            Weight::Red if is_unexercised => Gravity::Unexercised,
            Weight::Red => Gravity::Red,
            Weight::Warning => Gravity::Warning,
            Weight::Note | Weight::Expected | Weight::None => Gravity::Note,
        };
        Told { gravity, cause, of: Of::Claim(result) }
    }

    fn snapshot(&self) -> Option<Told<'a>> {
        let (cause, of) = match &self.execution.snapshot {
            SnapshotOutcome::Different { pending, old, new } => {
                let redacted = |text| self.style.redactor.redact(text);
                let (old, new) = (redacted(old), redacted(new));
                let pending = pending.display().to_string();
                (Cause::Text(diff(&old, &new)), Of::Wire { old, new, pending })
            }
            SnapshotOutcome::Unusable(reason) => {
                let reason = self.style.text(reason.as_bytes());
                (Cause::Text(reason.clone()), Of::SnapshotFile(reason))
            }
            _ => return None,
        };
        Some(Told { gravity: Gravity::Red, cause, of })
    }

    /// One of them, as it is shown.
    pub(super) fn shown(&self, of: &Of<'_>) -> Shown {
        match of {
            Of::Claim(result) => self.shown_claim(result),
            Of::Trouble { heading, sentence, text } => {
                let last = self.execution.exchanges.last();
                let is_late = heading.is_none();
                Shown {
                    heading: heading.map(|words| format!(": {words}")).unwrap_or_default(),
                    sentence: sentence.clone(),
                    full: text.clone(),
                    compact: text.clone(),
                    evidence: match last.filter(|_| is_late) {
                        Some(last) => self.exchange(last.index),
                        None => Default::default(),
                    },
                    ..Shown::default()
                }
            }
            Of::Wire { old, new, pending } => {
                let show = if self.look.paint.0 { diff_coloured } else { diff };
                let diff = show(old, new);
                let mut lines = indented(diff.lines().take(DIFF_LINES));
                let more = diff.lines().count().saturating_sub(DIFF_LINES);
                if more > 0 {
                    let _ = writeln!(lines, "    (and {})", describe::count(more, "more line"));
                }
                Shown {
                    heading: ": the wire differs from its snapshot".to_owned(),
                    full: format!("  pending   {pending}\n"),
                    compact: format!("  pending   {pending}\n"),
                    evidence: [lines.clone(), lines],
                    ..Shown::default()
                }
            }
            Of::SnapshotFile(reason) => {
                let text = format!("  {reason}\n");
                Shown {
                    heading: ": the snapshot cannot be used".to_owned(),
                    sentence: reason.clone(),
                    full: text.clone(),
                    compact: text,
                    ..Shown::default()
                }
            }
        }
    }

    fn shown_claim(&self, result: &CheckpointResult) -> Shown {
        let failure = Failure::new(result, self.style);
        let facts = describe::facts(result, self.style);
        let mut full = self.rendered(&failure);
        for (name, value) in &facts {
            if *name != "reason" || !failure.has_place() {
                let value = value.replace('\n', "\n            ");
                let _ = writeln!(full, "  {name:<9} {value}");
            }
        }
        let fact = |wanted: &str| {
            let found = facts.iter().find(|(name, _)| *name == wanted);
            found.map(|(_, value)| value.as_str()).unwrap_or_default()
        };
        let sentence = self.style.text(result.checkpoint.sentence.as_bytes());
        let reason = fact("reason").to_owned();
        let mut compact = format!("  {sentence}\n");
        for name in ["reason", "expected", "actual"] {
            let value = fact(name);
            let is_said = name != "reason" && reason.ends_with(value);
            if !value.is_empty() && !is_said {
                let value = cut(&value.replace('\n', " "), VALUE_WIDTH);
                let _ = writeln!(compact, "  {name:<9} {value}");
            }
        }
        if let Some(place) = describe::place(result) {
            let _ = writeln!(compact, "  {:<9} {place}", "decided");
        }
        let decision = result.decision.as_ref();
        let index = decision.and_then(|decision| decision.exchange);
        let cause = decision.and_then(|decision| decision.cause.as_ref());
        let cause = cause.map(|cause| self.style.text(cause.as_bytes()));
        Shown {
            heading: format!("#{}", result.checkpoint.id),
            words: format!("{} ({})", fact("verdict"), fact("level")),
            sentence,
            reason: cut(&cause.unwrap_or(reason).replace('\n', " "), VALUE_WIDTH),
            full,
            compact,
            evidence: index.map(|index| self.exchange(index)).unwrap_or_default(),
        }
    }

    /// What the client's process printed, how it ended, and what the script logged,
    /// whole and short.
    pub(super) fn printed(&self) -> [String; 2] {
        if self.execution.outcome < Outcome::Fail {
            return Default::default();
        }
        [OUTPUT_LINES, FEW_OUTPUT_LINES].map(|most| {
            let client = self.execution.client.as_ref();
            client.map_or_else(String::new, |client| self.output(client, most))
                + self.log(most).as_str()
        })
    }

    /// The first lines of what the script logged; under `--trace` all of it stands
    /// beside the wire.
    fn log(&self, most: usize) -> String {
        let log = &self.execution.log;
        let lines = describe::log_lines(log, self.style);
        if lines.is_empty() || self.execution.traced {
            return String::new();
        }
        let shown = log.entries.len().min(most);
        let mut text = format!("  log\n{}", indented(lines.iter().take(shown).map(String::as_str)));
        let more = log.entries.len() - shown + log.dropped;
        if more > 0 {
            let _ = writeln!(text, "    and {more} more");
        }
        text
    }

    fn output(&self, client: &ClientProcess, most: usize) -> String {
        let ended = self.style.text(client.ended.as_bytes());
        let output = describe::client_output(client, self.style);
        let lines: Vec<&str> = output.lines().collect();
        let shown = lines.len().min(if self.execution.traced { usize::MAX } else { most });
        let left_out = lines.len() - shown;
        let what = match (shown, left_out) {
            (0, _) => "; it printed nothing".to_owned(),
            (_, 0) => "; it printed".to_owned(),
            _ => format!(
                "; the end of what it printed, {} before",
                describe::count(left_out, "line")
            ),
        };
        let text = indented(lines.into_iter().skip(left_out));
        format!("  client    {ended}{what}\n{text}")
    }

    /// The exchange of that index, if it was kept: whole, and in a few lines.
    fn exchange(&self, index: usize) -> [String; 2] {
        let found = self.execution.exchanges.iter().find(|exchange| exchange.index == index);
        let Some(exchange) = found else {
            return [(); 2]
                .map(|()| format!("  exchange  number {index}, counted from 0 (not kept)\n"));
        };
        let width = self.look.width.saturating_sub(4);
        [render(exchange, self.style), short(exchange, self.style, width)].map(|text| {
            format!("  exchange  number {index}, counted from 0\n{}", indented(text.lines()))
        })
    }

    /// A diagnostic as text that ends with a newline.
    fn rendered(&self, diagnostic: &dyn Diagnostic) -> String {
        let Look { paint, width } = self.look;
        describe::rendered(diagnostic, self.style, paint.0, width) + "\n"
    }
}

/// `text` without what tells one item, or one exchange, from the next: numbers of
/// one or two digits. Longer ones may be status codes.
fn without_small_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|character: char| character.is_ascii_digit()) {
        let (before, digits) = rest.split_at(start);
        let end = digits.find(|character: char| !character.is_ascii_digit());
        let (digits, after) = digits.split_at(end.unwrap_or(digits.len()));
        out.push_str(before);
        out.push_str(if digits.len() > 2 { digits } else { "#" });
        rest = after;
    }
    out + rest
}

/// Lines with four spaces before each.
fn indented<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    lines.fold(String::new(), |mut out, line| {
        let _ = writeln!(out, "{}", format!("    {line}").trim_end());
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_tell_no_cause_from_another() {
        let same = |one, other| without_small_numbers(one) == without_small_numbers(other);
        assert!(same("it does not hold for item 3 of 7", "it does not hold for item 12 of 20"));
        assert!(!same("refused with 404", "refused with 400"));
        assert!(!same("the values differ", "the condition is false"));
    }
}
