//! A JUnit report, for continuous integration. The main type is [`JUnit`].
//!
//! A test suite is a profile; a test case is an execution, its class name the
//! check's id. A claim that did not hold, a subject that could not be run, a
//! timeout and a wire that differs are a `failure`; a broken check is an
//! `error`. Warnings and notes do not fail a case: they are in its
//! `system-out`, as is what a client printed. Cancelled is skipped, with the
//! reason `cancelled`. Exchanges are left out: continuous integration keeps
//! these files whole in memory.

use std::io::{self, Write};

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::Reporter;
use super::describe::{
    DIAGNOSTIC_WIDTH, client_output, facts, is_explained, log_lines, place, rendered, style_for,
    time, undecided,
};
use crate::check::{CheckpointResult, Weight};
use crate::runner::event::{SnapshotOutcome, Trouble};
use crate::runner::expected::Entry;
use crate::runner::{Event, Execution, Outcome, Summary};
use crate::snapshot::diff;
use crate::wire::text::Style;

/// Writes a run as JUnit's XML, at its end.
pub struct JUnit<W> {
    out: W,
    style: Style,
    suites: Vec<TestSuite>,
}

impl<W: Write> JUnit<W> {
    /// A report on `out`; values are shown in `style`.
    pub fn new(out: W, style: Style) -> Self {
        JUnit { out, style, suites: Vec::new() }
    }

    fn suite(&mut self, profile: &str) -> &mut TestSuite {
        let found = self.suites.iter().position(|suite| suite.name.as_str() == profile);
        let index = found.unwrap_or_else(|| {
            self.suites.push(TestSuite::new(profile));
            self.suites.len() - 1
        });
        &mut self.suites[index]
    }
}

impl<W: Write> Reporter for JUnit<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::RunStarted(plan) => {
                for profile in &plan.profiles {
                    self.suite(profile);
                }
                Ok(())
            }
            Event::Progress { .. } => Ok(()),
            Event::ExecutionFinished(execution) => {
                let style = style_for(&self.style, execution);
                let case = test_case(execution, &style);
                self.suite(&execution.profile).add_test_case(case);
                Ok(())
            }
            Event::RunFinished(summary) => {
                let mut report = Report::new("mcp-checks");
                report.set_time(summary.elapsed);
                if let Some(suite) = stale(summary, &self.style) {
                    self.suites.push(suite);
                }
                for mut suite in std::mem::take(&mut self.suites) {
                    let times = suite.test_cases.iter().filter_map(|case| case.time);
                    let sum = times.sum();
                    suite.set_time(sum);
                    report.add_test_suite(suite);
                }
                // Beforehand, so that what the writer says of its reader stays what it is.
                let text = report.to_string().map_err(io::Error::other)?;
                self.out.write_all(text.as_bytes())?;
                self.out.flush()
            }
        }
    }
}

fn test_case(execution: &Execution, style: &Style) -> TestCase {
    let mut case = TestCase::new(style.text(execution.name().as_bytes()), status(execution, style));
    case.set_classname(&execution.check);
    case.set_time(execution.elapsed);
    case.set_assertions(execution.checkpoints.len());
    case.add_property(("revision", execution.revision.as_str()));
    let remarks: Vec<String> = execution
        .checkpoints
        .iter()
        .filter(|result| matches!(result.weight, Weight::Note | Weight::Warning))
        .map(|result| description(result, style))
        .collect();
    let expected: Vec<String> =
        execution.expected.iter().map(|(id, entry)| expected(id, entry, style)).collect();
    let output = execution.client.as_ref().map(|client| {
        let command = style.text(client.command.as_bytes());
        let ended = style.text(client.ended.as_bytes());
        format!("$ {command}\n{}\n({ended})\n", client_output(client, style))
    });
    // That of what holds is kept for other reports.
    let is_log_shown = execution.traced || execution.outcome != Outcome::Pass;
    let log = if is_log_shown { log_lines(&execution.log, style) } else { Vec::new() };
    let log = (!log.is_empty()).then(|| format!("log\n{}\n", log.join("\n")));
    let system_out: Vec<String> =
        expected.into_iter().chain(remarks).chain(output).chain(log).collect();
    if !system_out.is_empty() {
        case.set_system_out(system_out.join("\n"));
    }
    case
}

/// A failure that was expected: its reason, and where that is worked on.
fn expected(id: &str, entry: &Entry, style: &Style) -> String {
    let text = |text: &str| style.text(text.as_bytes());
    let issue = entry.issue.as_deref().map(|issue| format!(" ({})", text(issue)));
    format!("{id}: failed as expected: {}{}\n", text(&entry.reason), issue.unwrap_or_default())
}

fn status(execution: &Execution, style: &Style) -> TestCaseStatus {
    let skipped = |reason: &str| {
        let mut status = TestCaseStatus::skipped();
        status.set_message(style.text(reason.as_bytes()));
        status
    };
    let (kind, of_type, message) = match &execution.trouble {
        Some(Trouble::Skipped(reason)) => return skipped(reason),
        Some(Trouble::Cancelled) => return skipped("cancelled"),
        Some(Trouble::Broken(report)) => {
            (NonSuccessKind::Error, "broken check", Some(report.to_string()))
        }
        Some(Trouble::Subject(report)) => {
            (NonSuccessKind::Failure, "subject", Some(report.to_string()))
        }
        Some(Trouble::TimedOut(limit)) => {
            let limit = time(*limit);
            (NonSuccessKind::Failure, "timeout", Some(format!("It was not finished after {limit}")))
        }
        _ if execution.outcome == Outcome::Expected => return TestCaseStatus::success(),
        None if execution.outcome.is_red() => (NonSuccessKind::Failure, "conformance", None),
        None => return TestCaseStatus::success(),
    };
    let mut details = details(execution, style);
    let message = match message {
        Some(message) => style.text(message.as_bytes()),
        None => details.first().and_then(|first| first.lines().next()).unwrap_or_default().into(),
    };
    if let Some(Trouble::Broken(report) | Trouble::Subject(report)) = &execution.trouble {
        let text = rendered(report.as_ref().as_ref(), style, false, DIAGNOSTIC_WIDTH);
        details.insert(0, style.text(format!("{text}\n").as_bytes()));
    }
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(of_type).set_message(message).set_description(details.join("\n"));
    status
}

/// A suite of its own for entries that expect what holds, since they fail the run.
fn stale(summary: &Summary, style: &Style) -> Option<TestSuite> {
    if !summary.stale_is_red {
        return None;
    }
    let mut suite = TestSuite::new("expected failures");
    for stale in &summary.stale {
        let text = |text: &str| style.text(text.as_bytes());
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        let message = format!("{} holds: {}", text(&stale.entry.id()), text(&stale.advice()));
        status.set_type("stale").set_message(message);
        let mut case = TestCase::new(text(&stale.place), status);
        case.set_classname(text(&stale.entry.check));
        suite.add_test_case(case);
    }
    Some(suite)
}

/// What makes the execution red, one text each.
fn details(execution: &Execution, style: &Style) -> Vec<String> {
    let mut details: Vec<String> = execution
        .checkpoints
        .iter()
        .filter(|result| result.weight == Weight::Red && !is_explained(execution, result.verdict))
        .flat_map(CheckpointResult::by_decision)
        .map(|result| description(&result, style))
        .collect();
    if let Some(Trouble::TimedOut(_)) = execution.trouble {
        details.insert(0, format!("Not decided: {}\n", undecided(execution)));
    }
    match &execution.snapshot {
        SnapshotOutcome::Different { pending, old, new } => {
            let redacted = |text: &str| style.redactor.redact(text);
            details.push(format!(
                "The wire differs from its snapshot; pending: {}\n{}",
                pending.display(),
                diff(&redacted(old), &redacted(new))
            ));
        }
        SnapshotOutcome::Unusable(reason) => {
            details.push(format!("{}\n", style.text(reason.as_bytes())));
        }
        SnapshotOutcome::New { pending } if execution.snapshot_is_red => {
            details.push(format!("The snapshot is new; pending: {}\n", pending.display()));
        }
        _ => {}
    }
    details
}

/// A checkpoint, its sentence and what is known of its decision.
fn description(result: &CheckpointResult, style: &Style) -> String {
    let checkpoint = &result.checkpoint;
    let sentence = style.text(checkpoint.sentence.as_bytes());
    let mut lines = vec![format!("{}: {sentence}", checkpoint.id)];
    let facts = facts(result, style);
    lines.extend(facts.into_iter().map(|(name, value)| format!("  {name}: {value}")));
    lines.extend(place(result).map(|place| format!("  place: {place}")));
    lines.join("\n") + "\n"
}
