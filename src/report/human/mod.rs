//! A report for a person. The main type is [`Human`].
//!
//! - An execution in which everything held writes nothing.
//! - Every other one writes a line at once, and its diagnostics when its check
//!   is through: what failed in the same way for several profiles is then shown
//!   once, with the profiles named. The evidence (an exchange, a client's
//!   output) is that of the first of them.
//! - What was skipped is counted by its reason; the summary names it.

mod failure;
mod finding;
mod summary;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use super::Reporter;
use super::describe::{count, execution_is_red, snapshot_is_red, style_for};
use super::paint::Paint;
use crate::check::Verdict;
use crate::runner::event::{Plan, SnapshotOutcome, Trouble};
use crate::runner::{Event, Execution};
use crate::wire::text::{Style, render_all};
use finding::{Finding, Findings};

/// Writes what a person wants to know about a run.
pub struct Human<W> {
    out: W,
    style: Style,
    look: Look,
    plan: Option<Plan>,
    /// The check whose findings are being gathered.
    check: String,
    findings: Vec<Finding>,
    /// How often each reason for a skip was given: to executions, to
    /// checkpoints.
    skipped: BTreeMap<String, [usize; 2]>,
    /// The pending files of new snapshots.
    new_snapshots: Vec<PathBuf>,
}

/// How a report looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    paint: Paint,
    /// The width that diagnostics are wrapped to, in columns.
    width: usize,
}

impl<W: Write> Human<W> {
    /// A report on `out`, with ANSI colours if `colour`, wrapped to `width`
    /// columns. Values are shown in `style`; an execution's own origins take
    /// the place of the style's.
    pub fn new(out: W, style: Style, colour: bool, width: usize) -> Self {
        Human {
            out,
            style,
            look: Look { paint: Paint(colour), width },
            plan: None,
            check: String::new(),
            findings: Vec::new(),
            skipped: BTreeMap::new(),
            new_snapshots: Vec::new(),
        }
    }

    fn execution(&mut self, execution: &Execution) -> io::Result<()> {
        if self.check != execution.check {
            self.flush_findings()?;
            self.check.clone_from(&execution.check);
        }
        if let SnapshotOutcome::New { pending } = &execution.snapshot {
            self.new_snapshots.push(pending.clone());
        }
        self.count_skips(execution);
        if let Some(line) = self.line(execution) {
            writeln!(self.out, "{line}")?;
            self.out.flush()?;
        }
        let style = style_for(&self.style, execution);
        if execution.traced && !matches!(execution.trouble, Some(Trouble::Skipped(_))) {
            let name = style.text(execution.name().as_bytes());
            writeln!(self.out, "wire    {name}  {}", execution.profile)?;
            for line in render_all(&execution.exchanges, &style).lines() {
                writeln!(self.out, "    {line}")?;
            }
            writeln!(self.out)?;
        }
        for new in Findings::new(execution, &style, self.look).list() {
            match self.findings.iter_mut().find(|old| old.text == new.text) {
                Some(old) => old.profiles.extend(new.profiles),
                None => self.findings.push(new),
            }
        }
        Ok(())
    }

    fn count_skips(&mut self, execution: &Execution) {
        if let Some(Trouble::Skipped(reason)) = &execution.trouble {
            self.skipped.entry(self.style.text(reason.as_bytes())).or_default()[0] += 1;
            return; // Its checkpoints are skipped for the same reason.
        }
        for result in &execution.checkpoints {
            if result.verdict == Verdict::Skip {
                let reason = result.decision.as_ref().map_or("", |decision| &decision.reason);
                let reason = if reason.is_empty() { "no reason given" } else { reason };
                self.skipped.entry(self.style.text(reason.as_bytes())).or_default()[1] += 1;
            }
        }
    }

    /// The one line about an execution; `None` if all held or nothing ran.
    fn line(&self, execution: &Execution) -> Option<String> {
        let paint = self.look.paint;
        let mut remarks = Vec::new();
        let word = match &execution.trouble {
            Some(Trouble::Skipped(_) | Trouble::Cancelled) => return None,
            Some(Trouble::Broken(_)) => {
                remarks.push("the check is broken".to_owned());
                "broken"
            }
            Some(Trouble::Subject(_)) => {
                remarks.push("the subject could not be run".to_owned());
                "fail"
            }
            Some(Trouble::TimedOut(_)) => {
                remarks.push("time was up".to_owned());
                "timeout"
            }
            None if execution_is_red(execution) => "fail",
            None if execution.checkpoints.iter().any(|result| result.verdict == Verdict::Warn) => {
                "warn"
            }
            None => "note",
        };
        for verdict in [
            Verdict::Fail,
            Verdict::NotExercised,
            Verdict::Timeout,
            Verdict::Error,
            Verdict::Warn,
            Verdict::Note,
        ] {
            let number =
                execution.checkpoints.iter().filter(|result| result.verdict == verdict).count();
            if number > 0 {
                remarks.push(format!("{number} {verdict}"));
            }
        }
        if snapshot_is_red(&execution.snapshot) {
            remarks.push("snapshot".to_owned());
        }
        if remarks.is_empty() {
            return None;
        }
        let word = format!("{word:<7}");
        let word = if execution_is_red(execution) { paint.red(&word) } else { paint.green(&word) };
        Some(format!(
            "{word} {}  {} ({}): {}",
            paint.bold(&self.style.text(execution.name().as_bytes())),
            execution.profile,
            execution.revision,
            remarks.join(", ")
        ))
    }

    fn flush_findings(&mut self) -> io::Result<()> {
        let findings = std::mem::take(&mut self.findings);
        if findings.is_empty() {
            return Ok(());
        }
        for finding in findings {
            write!(self.out, "\n{}", finding.text)?;
            let noun = if finding.profiles.len() == 1 { "profile" } else { "profiles" };
            writeln!(self.out, "  {noun:<9} {}", finding.profiles.join(", "))?;
            self.out.write_all(finding.evidence.as_bytes())?;
        }
        writeln!(self.out)?;
        self.out.flush()
    }
}

impl<W: Write> Reporter for Human<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::RunStarted(plan) => {
                writeln!(
                    self.out,
                    "{}: {} of {} for {}",
                    self.style.text(plan.subject.as_bytes()),
                    count(plan.executions, "execution"),
                    count(plan.checks, "check"),
                    count(plan.profiles.len(), "profile")
                )?;
                self.plan = Some(plan.clone());
                self.out.flush()
            }
            Event::Progress { .. } => Ok(()),
            Event::ExecutionFinished(execution) => self.execution(execution),
            Event::RunFinished(summary) => {
                self.flush_findings()?;
                let text = summary::text(
                    summary,
                    self.plan.as_ref(),
                    &self.skipped,
                    &self.new_snapshots,
                    self.look.paint,
                );
                self.out.write_all(text.as_bytes())?;
                self.out.flush()
            }
        }
    }
}
