//! The runner: plans which check runs for which profile, runs them on workers,
//! and emits [`Event`]s. It prints nothing.

pub mod addresses;
pub mod event;
pub mod execution;
pub mod matrix;
pub mod plan;
pub mod process;
pub mod prove;
pub mod subject;
pub mod worker;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

pub use event::{Event, Execution, Summary};
pub use plan::{Job, Plan};
pub use subject::{Settings, Subject};

use crate::check::discovery::Support;
use event::{Counted, Trouble};
use worker::Worker;

/// Runs `plan` and hands every event to `emit`, in the order of the plan.
///
/// Each worker is a thread with an engine of its own; it takes one job after
/// the other.
pub fn run(
    plan: &Plan<'_>,
    support: &Support,
    settings: &Settings,
    mut emit: impl FnMut(Event),
) -> Summary {
    let started = Instant::now();
    let mut summary = Summary::default();
    emit(Event::RunStarted(plan.announcement(settings)));
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let workers = settings.jobs.clamp(1, plan.jobs.len().max(1));
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let sender = sender.clone();
            let (next, stop) = (&next, &stop);
            let started = worker::thread().spawn_scoped(scope, move || {
                let mut worker = Worker::new(support, settings);
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = plan.jobs.get(index) else { break };
                    let executions = if stop.load(Ordering::Relaxed) {
                        worker.cancelled(job)
                    } else {
                        worker.run(job)
                    };
                    if sender.send((index, executions)).is_err() {
                        break;
                    }
                }
            });
            // As the standard library's own `spawn` has it.
            started.expect("the system starts a thread");
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut expected = 0;
        // After the first red execution under `--fail-fast` the rest counts as
        // cancelled, in the order of the plan: which of them happened to be
        // done already must not show.
        let mut failed_fast = false;
        for (index, executions) in receiver {
            let finished = done.fetch_add(executions.len(), Ordering::Relaxed) + executions.len();
            emit(Event::Progress { done: finished });
            waiting.insert(index, executions);
            while let Some(executions) = waiting.remove(&expected) {
                expected += 1;
                for mut execution in executions {
                    if failed_fast {
                        worker::cancel(&mut execution);
                    }
                    summary.count(&execution);
                    failed_fast |= settings.fail_fast && execution.is_red(settings.fail_on);
                    emit(Event::ExecutionFinished(Box::new(execution)));
                }
                if failed_fast {
                    stop.store(true, Ordering::Relaxed);
                }
            }
        }
    });
    if let Some(snapshots) = &settings.snapshots
        && plan.is_whole
        && matches!(settings.subject, Subject::Embedded)
    {
        summary.snapshots_unreferenced = plan.unreferenced(&snapshots.store);
    }
    summary.interrupted = settings.interrupt.is_cancelled();
    summary.elapsed = started.elapsed();
    emit(Event::RunFinished(summary.clone()));
    summary
}

impl Summary {
    fn count(&mut self, execution: &Execution) {
        use event::SnapshotOutcome as Outcome;
        match &execution.trouble {
            Some(Trouble::Skipped(_)) => self.skipped += 1,
            Some(Trouble::Cancelled) => self.cancelled += 1,
            Some(Trouble::Broken(_)) => self.broken += 1,
            Some(Trouble::Subject(_) | Trouble::TimedOut(_)) => {
                self.ran += 1;
                self.failed += 1;
            }
            None => {
                self.ran += 1;
                if execution.is_red(crate::check::Level::Must) {
                    self.failed += 1;
                } else if execution.is_red(crate::check::Level::Should) {
                    self.warned += 1;
                }
            }
        }
        if !matches!(execution.trouble, Some(Trouble::Skipped(_))) {
            for result in &execution.checkpoints {
                self.add_checkpoint(result);
            }
        }
        match &execution.snapshot {
            Outcome::New { .. } => self.snapshots_new += 1,
            Outcome::Different { .. } => self.snapshots_different += 1,
            Outcome::Updated => self.snapshots_updated += 1,
            Outcome::Unusable(_) => self.snapshots_unusable += 1,
            Outcome::NotCompared | Outcome::Same => {}
        }
    }

    fn add_checkpoint(&mut self, result: &crate::check::CheckpointResult) {
        let (about, level) = (result.checkpoint.about, result.checkpoint.level);
        let verdict = result.verdict;
        let key = |counted: &Counted| (counted.about, counted.level, counted.verdict);
        match self.checkpoints.iter_mut().find(|counted| key(counted) == (about, level, verdict)) {
            Some(counted) => counted.count += 1,
            None => self.checkpoints.push(Counted { about, level, verdict, count: 1 }),
        }
        self.checkpoints.sort_by_key(key);
    }
}
