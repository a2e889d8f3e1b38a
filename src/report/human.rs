//! A report for a person. The main type is [`Human`].
//!
//! - During the run nothing is written but, under `--trace`, what crossed the wire.
//! - At its end stands what was found, each cause once with the executions in
//!   which it was found (`findings`); the evidence (an exchange, a client's
//!   output) is that of the first of them. Failures come first.
//! - Then what failed as expected, one line an entry, and the entries that expect
//!   what holds.
//! - Then the counts. What was skipped is counted by its reason.

mod exchange;
mod expected;
mod failure;
mod findings;
mod look;
mod slowest;
mod summary;
mod told;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use super::Reporter;
use super::describe::{count, log_lines, style_for};
use super::paint::Paint;
use crate::check::Verdict;
use crate::check::discovery::Beside;
use crate::runner::event::{Plan, SnapshotOutcome, Trouble};
use crate::runner::{Event, Execution, Outcome};
use crate::wire::text::{Style, render_all};
use expected::ExpectedFailures;
use findings::Findings;
use look::Look;
use slowest::Slowest;
use told::Teller;

/// Writes what a person wants to know about a run.
pub struct Human<W> {
    out: W,
    style: Style,
    look: Look,
    plan: Option<Plan>,
    findings: Findings,
    expected: ExpectedFailures,
    /// How often each reason for a skip was given: to executions, to
    /// checkpoints.
    skipped: BTreeMap<String, [usize; 2]>,
    /// The pending files of new snapshots.
    new_snapshots: Vec<PathBuf>,
    slowest: Slowest,
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
            findings: Findings::default(),
            expected: ExpectedFailures::default(),
            skipped: BTreeMap::new(),
            new_snapshots: Vec::new(),
            slowest: Slowest::default(),
        }
    }

    fn execution(&mut self, execution: &Execution) -> io::Result<()> {
        if let SnapshotOutcome::New { pending } = &execution.snapshot
            && self.new_snapshots.last() != Some(pending)
        {
            self.new_snapshots.push(pending.clone());
        }
        self.count_skips(execution);
        let style = style_for(&self.style, execution);
        let name = style.text(execution.name().as_bytes());
        if execution.traced && execution.outcome != Outcome::Skip {
            writeln!(self.out, "wire    {name}  {}", execution.profile)?;
            for line in render_all(&execution.exchanges, &style).lines() {
                writeln!(self.out, "    {line}")?;
            }
            for line in log_lines(&execution.log, &style) {
                writeln!(self.out, "log     {line}")?;
            }
            writeln!(self.out)?;
            self.out.flush()?;
        }
        self.slowest.add(&name, &execution.profile, execution.elapsed);
        self.expected.add(execution, &style);
        self.findings.add(&Teller { execution, style: &style, look: self.look });
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
}

/// What a local folder makes of the built-in checks, if it makes anything of them.
fn beside(beside: Beside) -> Option<String> {
    let Beside { left_out, replaced, added } = beside;
    match (left_out, added, replaced) {
        (1.., ..) => Some(format!(
            "{} left out: the folder of checks takes their place; --with-builtin adds them",
            are(left_out)
        )),
        (0, true, 1..) => {
            Some(format!("{} replaced by a check of the folder with the same id", are(replaced)))
        }
        _ => None,
    }
}

/// `1 built-in check is`, `231 built-in checks are`.
fn are(number: usize) -> String {
    let verb = if number == 1 { "is" } else { "are" };
    format!("{} {verb}", count(number, "built-in check"))
}

impl<W: Write> Reporter for Human<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::RunStarted(plan) => {
                let speaks = match plan.speaks.as_deref() {
                    Some([]) => " (speaks to no one that it does not know)".to_owned(),
                    Some(revisions) => format!(" (speaks {})", revisions.join(", ")),
                    None => String::new(),
                };
                writeln!(
                    self.out,
                    "{}{speaks}: {} of {} for {}",
                    self.style.text(plan.subject.as_bytes()),
                    count(plan.executions, "execution"),
                    count(plan.checks, "check"),
                    count(plan.profiles.len(), "profile")
                )?;
                if let Some(line) = beside(plan.beside) {
                    writeln!(self.out, "{line}")?;
                }
                self.plan = Some(plan.clone());
                self.out.flush()
            }
            Event::Progress { .. } => Ok(()),
            Event::ExecutionFinished(execution) => self.execution(execution),
            Event::RunFinished(summary) => {
                self.out.write_all(self.findings.text(self.look).as_bytes())?;
                self.out
                    .write_all(self.expected.text(summary, &self.style, self.look).as_bytes())?;
                let text = summary::text(
                    summary,
                    self.plan.as_ref(),
                    &self.skipped,
                    &self.new_snapshots,
                    self.look.paint,
                );
                self.out.write_all(text.as_bytes())?;
                let is_real = self.plan.as_ref().is_some_and(|plan| plan.on_real_clock);
                if let Some(line) = self.slowest.line().filter(|_| is_real) {
                    writeln!(self.out, "{}", self.look.paint.dim(&line))?;
                }
                self.out.flush()
            }
        }
    }
}
