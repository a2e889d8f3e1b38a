//! A [`Worker`]: one engine, one job after the other.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::engine::Engine;
use super::event::{Execution, SnapshotOutcome, Trouble};
use super::execution::{self, Executed, Piece};
use super::plan::{Job, Run};
use super::subject::{Exchanges, Settings, Snapshots, Subject};
use crate::check::discovery::Support;
use crate::check::{Check, CheckpointResult, Decision, Verdict};
use crate::profile::Profile;
use crate::script::Script;
use crate::script::log::Logged;
use crate::snapshot::{Comparison, Recording, Section, SnapshotError, Store, Wire};
use crate::wire::text::render_all;

/// The stack of a worker's thread, in bytes: values nest as deep as a script
/// makes them, and are counted and given up one inside the other. It is taken
/// only as far as it is used.
const STACK_SIZE: usize = 256 * 1024 * 1024;
/// The stack of many of them: it is reserved all the same, and a system may limit that.
const LEAST_STACK_SIZE: usize = 64 * 1024 * 1024;
/// What the stacks of all workers have together, if that is enough for each.
const ALL_STACKS: usize = 1024 * 1024 * 1024;

/// A thread that scripts can run on, one of so many.
pub fn thread(workers: usize) -> std::thread::Builder {
    let size = (ALL_STACKS / workers.max(1)).clamp(LEAST_STACK_SIZE, STACK_SIZE);
    std::thread::Builder::new().stack_size(size)
}

/// One engine and what it compiled.
pub struct Worker<'a> {
    support: &'a Support,
    settings: &'a Settings,
    /// Made when the first script runs, and anew after a panic.
    engine: Option<Result<Arc<Engine>, Arc<miette::Report>>>,
}

impl<'a> Worker<'a> {
    /// A worker that has compiled nothing yet.
    pub fn new(support: &'a Support, settings: &'a Settings) -> Self {
        Worker { support, settings, engine: None }
    }

    /// Runs a job.
    pub fn run(&mut self, job: &Job<'_>) -> Vec<Execution> {
        let check = match job.check {
            Ok(check) => check,
            Err(broken) => {
                return job.runs.iter().map(|run| broken_check(broken, run.profile)).collect();
            }
        };
        let mut executions = Vec::new();
        let mut recorded = Recorded::default();
        // Compiled only if some profile needs it.
        let mut compiled = None;
        for run in &job.runs {
            if let Some(reason) = &run.skipped {
                executions.push(without_verdicts(check, run, Trouble::Skipped(reason.clone())));
                continue;
            }
            if self.settings.interrupt.is_cancelled() {
                executions.extend(self.cancelled_run(check, run));
                continue;
            }
            let script = compiled.get_or_insert_with(|| self.compile(check));
            match script {
                Ok((engine, script)) => {
                    let (engine, script) = (engine.clone(), script.clone());
                    self.run_cases(&engine, &script, check, run, &mut executions, &mut recorded);
                }
                Err(report) => {
                    let trouble = Trouble::Broken(report.clone());
                    executions.push(without_verdicts(check, run, trouble));
                    // Once is enough: it is the same for every profile.
                    break;
                }
            }
        }
        self.compare(check, recorded, &mut executions);
        executions
    }

    /// What is reported of a job that was not begun.
    pub fn cancelled(&self, job: &Job<'_>) -> Vec<Execution> {
        match job.check {
            Ok(check) => job.runs.iter().flat_map(|run| self.cancelled_run(check, run)).collect(),
            Err(broken) => job.runs.iter().map(|run| broken_check(broken, run.profile)).collect(),
        }
    }

    fn cancelled_run(&self, check: &Check, run: &Run<'_>) -> Vec<Execution> {
        if let Some(reason) = &run.skipped {
            return vec![without_verdicts(check, run, Trouble::Skipped(reason.clone()))];
        }
        let cases = run.cases.iter().map(|case| {
            let mut execution = blank(check, run.profile, *case);
            execution.checkpoints = cancelled_checkpoints(check, run.profile);
            execution.trouble = Some(Trouble::Cancelled);
            execution
        });
        cases.collect()
    }

    fn engine(&mut self) -> Result<Arc<Engine>, Arc<miette::Report>> {
        let (support, settings) = (self.support, self.settings);
        let made = self.engine.get_or_insert_with(|| {
            Engine::new(support, settings).map(Arc::new).map_err(|error| Arc::new(error.into()))
        });
        made.clone()
    }

    fn compile(
        &mut self,
        check: &Check,
    ) -> Result<(Arc<Engine>, Arc<Script>), Arc<miette::Report>> {
        let engine = self.engine()?;
        let deadline = Instant::now() + self.settings.timeout;
        engine.scripts.limits().set_deadline(Some(deadline));
        let script = engine.compile(check)?;
        Ok((engine, Arc::new(script)))
    }

    /// Runs each case of `run`; adds the executions, and what they left on the wire
    /// for a snapshot.
    fn run_cases(
        &mut self,
        engine: &Arc<Engine>,
        script: &Script,
        check: &Check,
        run: &Run<'_>,
        executions: &mut Vec<Execution>,
        recorded: &mut Recorded,
    ) {
        let mut sections = Vec::new();
        for case in &run.cases {
            let started = Instant::now();
            let mut execution = blank(check, run.profile, *case);
            let piece = Piece { check, script, profile: run.profile, case: *case };
            let executed = guarded(|| execution::execute(engine, piece, self.settings));
            match executed {
                Ok(executed) => {
                    if let Some(section) = self.section(check, *case, &executed) {
                        recorded.executions.push(executions.len());
                        sections.push(section);
                    }
                    self.take(&mut execution, executed);
                }
                Err(report) => {
                    // Whatever the panic left behind in the engine goes with it.
                    self.engine = None;
                    execution.trouble = Some(Trouble::Broken(Arc::new(report)));
                }
            }
            execution.elapsed = started.elapsed();
            executions.push(execution);
        }
        if !sections.is_empty() {
            recorded.wires.push(Wire {
                profile: run.profile.name.clone(),
                revision: run.profile.revision.as_str().to_owned(),
                sections,
            });
        }
    }

    fn take(&self, execution: &mut Execution, executed: Executed) {
        execution.checkpoints = executed.checkpoints;
        if let Some(least) = self.settings.least_level {
            execution.checkpoints.retain(|result| result.checkpoint.level <= least);
        }
        execution.trouble = executed.trouble;
        execution.client = executed.client;
        execution.origins = executed.origins;
        let is_plain = execution
            .checkpoints
            .iter()
            .all(|result| matches!(result.verdict, Verdict::Pass | Verdict::Skip));
        execution.traced = self.settings.exchanges == Exchanges::Shown;
        let are_all_kept = self.settings.exchanges >= Exchanges::Kept;
        if are_all_kept || !is_plain || execution.trouble.is_some() {
            execution.exchanges = executed.exchanges;
            execution.log = executed.log;
        }
    }

    /// What goes into the snapshot: the wire of the built-in client over the
    /// double, if the execution went as it should.
    fn section(&self, check: &Check, case: Option<&str>, executed: &Executed) -> Option<Section> {
        let snapshots = self.settings.snapshots.as_ref();
        let compared = snapshots.is_some_and(|all| !all.of_files_alone || check.path().is_some())
            && matches!(self.settings.subject, Subject::Embedded)
            && executed.trouble.is_none();
        compared.then(|| {
            let style = self.settings.style.with_origins(&executed.origins);
            let contents = render_all(&executed.exchanges, &style);
            Section { case: case.map(|case| style.redactor.redact(case)), contents }
        })
    }

    fn compare(&self, check: &Check, recorded: Recorded, executions: &mut [Execution]) {
        let Some(snapshots) = &self.settings.snapshots else { return };
        if recorded.wires.is_empty() {
            return;
        }
        let shown = |text: &String| self.settings.style.redactor.redact(text);
        let recording = Recording {
            check: check.id.clone(),
            cases: check.header.cases.iter().map(shown).collect(),
            wires: recorded.wires,
            source: format!("checks/{}.rhai", check.id),
            description: shown(&check.header.title),
        };
        let outcomes = if snapshots.update {
            update(snapshots, &recording)
        } else {
            compare(&snapshots.store, &recording)
        };
        match outcomes {
            Ok(outcomes) => {
                for (index, outcome) in recorded.executions.into_iter().zip(outcomes) {
                    executions[index].snapshot = outcome;
                }
            }
            Err(error) => {
                for index in recorded.executions {
                    executions[index].snapshot = SnapshotOutcome::Unusable(error.to_string());
                }
            }
        }
    }
}

/// What the executions of a check left on the wire, to be compared as one.
#[derive(Default)]
struct Recorded {
    wires: Vec<Wire>,
    /// The executions that their sections are of, in the same order.
    executions: Vec<usize>,
}

fn update(
    snapshots: &Snapshots,
    recording: &Recording,
) -> Result<Vec<SnapshotOutcome>, SnapshotError> {
    let compared = snapshots.store.update(recording, &snapshots.profiles)?;
    let outcome = |comparison: &Comparison| match comparison {
        Comparison::Same => SnapshotOutcome::Same,
        Comparison::New | Comparison::Different { .. } => SnapshotOutcome::Updated,
    };
    Ok(compared.iter().map(outcome).collect())
}

fn compare(store: &Store, recording: &Recording) -> Result<Vec<SnapshotOutcome>, SnapshotError> {
    let compared = store.compare(recording)?;
    if compared.is_same {
        store.remove_pending(&recording.check)?;
        return Ok(vec![SnapshotOutcome::Same; compared.sections.len()]);
    }
    let pending = store.write_pending(recording)?;
    let outcome = |comparison| match comparison {
        Comparison::Same => SnapshotOutcome::Same,
        Comparison::New => SnapshotOutcome::New { pending: pending.clone() },
        Comparison::Different { old, new } => {
            SnapshotOutcome::Different { pending: pending.clone(), old, new }
        }
    };
    Ok(compared.sections.into_iter().map(outcome).collect())
}

/// Turns an execution into one that was not begun.
pub fn cancel(execution: &mut Execution) {
    // What a client said that ran is not known of one that did not.
    if matches!(execution.trouble, Some(Trouble::Skipped(_))) && execution.client.is_none() {
        return;
    }
    execution.trouble = Some(Trouble::Cancelled);
    execution.exchanges.clear();
    execution.client = None;
    execution.log = Logged::default();
    execution.snapshot = SnapshotOutcome::NotCompared;
    execution.elapsed = Duration::ZERO;
    for result in &mut execution.checkpoints {
        result.verdict = Verdict::Cancelled;
        result.decision = None;
    }
}

fn cancelled_checkpoints(check: &Check, profile: &Profile) -> Vec<CheckpointResult> {
    execution::all_checkpoints(check, profile.revision, Verdict::Cancelled, &Decision::default())
}

fn blank(check: &Check, profile: &Profile, case: Option<&str>) -> Execution {
    let title = check.header.title.clone();
    Execution {
        title,
        case: case.map(str::to_owned),
        ..Execution::of(&check.id, &profile.name, profile.revision)
    }
}

fn without_verdicts(check: &Check, run: &Run<'_>, trouble: Trouble) -> Execution {
    Execution { trouble: Some(trouble), ..blank(check, run.profile, None) }
}

fn broken_check(broken: &crate::check::BrokenCheck, profile: &Profile) -> Execution {
    let trouble = Some(Trouble::Broken(broken.problem.clone()));
    Execution { trouble, ..Execution::of(&broken.id, &profile.name, profile.revision) }
}

/// Runs one execution; a panic in it is a report, and ends nothing else.
fn guarded(execute: impl FnOnce() -> Executed) -> Result<Executed, miette::Report> {
    catch_unwind(AssertUnwindSafe(execute)).map_err(|panic| panicked(&*panic))
}

/// What a panic is reported as.
pub fn panicked(panic: &(dyn std::any::Any + Send)) -> miette::Report {
    let message = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    miette::miette!(
        code = "internal",
        help = "this is a bug in mcp-checks; please report it together with the script",
        "mcp-checks failed while it ran the check: {message}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_reported_and_ends_nothing_else() {
        for (report, message) in [
            (guarded(|| panic!("a wheel came off")), "a wheel came off"),
            (guarded(|| panic!("{} came off", "a wheel")), "a wheel came off"),
            (guarded(|| std::panic::panic_any(7)), "no message"),
        ] {
            let report = report.err().expect("it panicked");
            assert!(report.to_string().contains(message), "{report}");
            let help = report.help().map(|help| help.to_string()).unwrap_or_default();
            assert!(help.contains("report it together with the script"), "{help}");
        }
        assert!(guarded(Executed::default).is_ok());
    }
}
