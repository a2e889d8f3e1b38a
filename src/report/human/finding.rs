//! What one execution has to say for itself. The main type is [`Finding`].

use std::fmt::Write as _;

use miette::{Diagnostic, MietteDiagnostic, Severity};

use super::Look;
use super::failure::Failure;
use crate::check::CheckpointResult;
use crate::report::describe;
use crate::runner::Execution;
use crate::runner::event::{SnapshotOutcome, Trouble};
use crate::snapshot::{diff, diff_coloured};
use crate::wire::text::{Style, render};

/// One thing that a person should look at.
pub(super) struct Finding {
    /// What is the matter; what is the same for two profiles is shown once.
    pub(super) text: String,
    /// The profiles it was found for, with their revisions.
    pub(super) profiles: Vec<String>,
    /// What it can be seen from; may differ between profiles.
    pub(super) evidence: String,
}

/// The findings of one execution.
pub(super) struct Findings<'a> {
    execution: &'a Execution,
    style: &'a Style,
    look: Look,
    list: Vec<Finding>,
}

impl<'a> Findings<'a> {
    pub(super) fn new(execution: &'a Execution, style: &'a Style, look: Look) -> Self {
        Findings { execution, style, look, list: Vec::new() }
    }

    pub(super) fn list(mut self) -> Vec<Finding> {
        self.trouble();
        for result in &self.execution.checkpoints {
            if describe::is_remarkable(result.verdict)
                && !describe::is_explained(self.execution, result.verdict)
            {
                self.checkpoint(result);
            }
        }
        self.snapshot();
        self.client();
        self.list
    }

    /// The execution's name, of which a case is a script's own words.
    fn name(&self) -> String {
        self.style.text(self.execution.name().as_bytes())
    }

    fn trouble(&mut self) {
        let name = self.name();
        match &self.execution.trouble {
            Some(Trouble::Broken(report)) => {
                let text = self.rendered(report.as_ref().as_ref());
                self.add(format!("{name}: the check is broken\n{text}"), String::new());
            }
            Some(Trouble::Subject(report)) => {
                let text = self.rendered(report.as_ref().as_ref());
                self.add(format!("{name}: the subject could not be run\n{text}"), String::new());
            }
            Some(Trouble::TimedOut(limit)) => {
                let undecided = describe::undecided(self.execution);
                let limit = describe::time(*limit);
                let mut diagnostic =
                    MietteDiagnostic::new(format!("It was not finished after {limit}"))
                        .with_code(name)
                        .with_severity(Severity::Error);
                if !undecided.is_empty() {
                    diagnostic = diagnostic.with_help(format!("Not decided: {undecided}"));
                }
                let text = self.rendered(&diagnostic);
                self.add(text, self.last_exchange());
            }
            Some(Trouble::Cancelled | Trouble::Skipped(_)) | None => {}
        }
    }

    fn checkpoint(&mut self, result: &CheckpointResult) {
        let failure = Failure::new(self.execution, result, self.style);
        let mut text = self.rendered(&failure);
        for (name, value) in describe::facts(result, self.style) {
            if name != "reason" || !failure.has_place() {
                let value = value.replace('\n', "\n            ");
                let _ = writeln!(text, "  {name:<9} {value}");
            }
        }
        let index = result.decision.as_ref().and_then(|decision| decision.exchange);
        let evidence = index.map(|index| self.exchange(index)).unwrap_or_default();
        self.add(text, evidence);
    }

    fn snapshot(&mut self) {
        let name = self.name();
        match &self.execution.snapshot {
            SnapshotOutcome::Different { pending, old, new } => {
                let show = if self.look.paint.0 { diff_coloured } else { diff };
                let redacted = |text| self.style.redactor.redact(text);
                let lines = show(&redacted(old), &redacted(new));
                let text = format!(
                    "{}\n  pending   {}\n",
                    self.look.paint.bold(&format!("{name}: the wire differs from its snapshot")),
                    pending.display()
                );
                self.add(text, indented(&lines));
            }
            SnapshotOutcome::Unusable(reason) => {
                let reason = self.style.text(reason.as_bytes());
                let diagnostic = MietteDiagnostic::new(reason)
                    .with_code(format!("{name}: snapshot"))
                    .with_severity(Severity::Error);
                let text = self.rendered(&diagnostic);
                self.add(text, String::new());
            }
            _ => {}
        }
    }

    fn client(&mut self) {
        let Some(client) = &self.execution.client else { return };
        if !describe::execution_is_red(self.execution) {
            return;
        }
        let text = format!(
            "{}\n  command   {}\n  ended     {}\n",
            self.look.paint.bold(&format!("{}: the client's output", self.name())),
            self.style.text(client.command.as_bytes()),
            self.style.text(client.ended.as_bytes())
        );
        let output = describe::client_output(client, self.style);
        let output = if output.is_empty() { "(it printed nothing)" } else { &output };
        self.add(text, indented(output));
    }

    fn add(&mut self, text: String, evidence: String) {
        let profile = format!("{} ({})", self.execution.profile, self.execution.revision);
        self.list.push(Finding { text, profiles: vec![profile], evidence });
    }

    /// The exchange of that index, if it was kept.
    fn exchange(&self, index: usize) -> String {
        let found = self.execution.exchanges.iter().find(|exchange| exchange.index == index);
        match found {
            Some(exchange) => {
                let text = render(exchange, self.style);
                format!("  exchange  number {index}, counted from 0\n{}", indented(&text))
            }
            None => format!("  exchange  number {index}, counted from 0 (not kept)\n"),
        }
    }

    fn last_exchange(&self) -> String {
        self.execution
            .exchanges
            .last()
            .map(|exchange| self.exchange(exchange.index))
            .unwrap_or_default()
    }

    /// A diagnostic as text that ends with a newline.
    fn rendered(&self, diagnostic: &dyn Diagnostic) -> String {
        let Look { paint, width } = self.look;
        describe::rendered(diagnostic, self.style, paint.0, width) + "\n"
    }
}

/// `text` with four spaces before each line.
fn indented(text: &str) -> String {
    text.lines().fold(String::new(), |mut out, line| {
        let _ = writeln!(out, "{}", format!("    {line}").trim_end());
        out
    })
}
