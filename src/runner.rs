//! The runner: plans which check runs for which profile, runs them on workers,
//! and emits [`Event`]s. It prints nothing.

pub mod addresses;
pub mod engine;
pub mod event;
pub mod execution;
pub mod expected;
pub mod matrix;
pub mod outcome;
pub mod plan;
pub mod probe;
pub mod process;
pub mod prove;
pub mod subject;
mod weighing;
pub mod worker;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

pub use event::{Event, Execution, Summary};
pub use outcome::{Counts, Outcome};
pub use plan::{Job, Plan};
pub use subject::{Settings, Subject};

use crate::check::discovery::Support;
use crate::check::{CheckpointResult, Weight};
use event::{Counted, SnapshotOutcome};
use expected::Tally;
use worker::Worker;

/// How many bytes of recorded bodies may wait to be reported: 64 MiB. Only the
/// execution that is reported next goes on beyond it.
const WAITING_LIMIT: usize = 64 * 1024 * 1024;

/// How long a worker waits before it looks whether the reports caught up.
const WAITING_PAUSE: Duration = Duration::from_millis(5);

fn recorded(executions: &[Execution]) -> usize {
    let exchanges = executions.iter().flat_map(|execution| &execution.exchanges);
    exchanges.map(|exchange| exchange.body.len() + exchange.response_body.len()).sum()
}

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
    let mut tally = settings
        .expectations
        .as_ref()
        .map(|expectations| Tally::new(expectations, settings.least_level.is_some()));
    emit(Event::RunStarted(plan.announcement(settings)));
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    // Bytes that wait to be reported, and the job that is reported next.
    let (unreported, reported) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let workers = settings.jobs.clamp(1, plan.jobs.len().max(1));
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let sender = sender.clone();
            let (next, stop) = (&next, &stop);
            let (unreported, reported) = (&unreported, &reported);
            let started = worker::thread(workers).spawn_scoped(scope, move || {
                let mut worker = Worker::new(support, settings);
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = plan.jobs.get(index) else { break };
                    while unreported.load(Ordering::Relaxed) > WAITING_LIMIT
                        && reported.load(Ordering::Relaxed) < index
                    {
                        std::thread::sleep(WAITING_PAUSE);
                    }
                    let executions = if stop.load(Ordering::Relaxed) {
                        worker.cancelled(job)
                    } else {
                        worker.run(job)
                    };
                    unreported.fetch_add(recorded(&executions), Ordering::Relaxed);
                    if sender.send((index, executions)).is_err() {
                        break;
                    }
                }
            });
            // With fewer of them it takes longer. Without any there is no run: as the
            // standard library's own `spawn` has it.
            if worker == 0 {
                started.expect("the system starts a thread");
            }
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
                unreported.fetch_sub(recorded(&executions), Ordering::Relaxed);
                reported.store(expected, Ordering::Relaxed);
                for mut execution in executions {
                    if failed_fast {
                        worker::cancel(&mut execution);
                    }
                    if let Some(tally) = &mut tally {
                        execution.expected = tally.expected(&execution);
                    }
                    execution.weigh(settings);
                    summary.count(&execution);
                    failed_fast |= settings.fail_fast && execution.outcome.is_red();
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
    summary.stale = tally.map(|tally| tally.stale()).unwrap_or_default();
    summary.stale_is_red = settings.stale_is_red && !summary.stale.is_empty();
    summary.interrupted = settings.interrupt.is_cancelled();
    summary.elapsed = started.elapsed();
    emit(Event::RunFinished(summary.clone()));
    summary
}

impl Summary {
    fn count(&mut self, execution: &Execution) {
        self.executions.add(execution.outcome);
        if execution.outcome != Outcome::Skip {
            for result in &execution.checkpoints {
                self.add_checkpoint(result);
            }
        }
        match &execution.snapshot {
            SnapshotOutcome::New { .. } => self.snapshots_new += 1,
            SnapshotOutcome::Different { .. } => self.snapshots_different += 1,
            SnapshotOutcome::Updated => self.snapshots_updated += 1,
            SnapshotOutcome::Unusable(_) => self.snapshots_unusable += 1,
            SnapshotOutcome::NotCompared | SnapshotOutcome::Same => {}
        }
    }

    fn add_checkpoint(&mut self, result: &CheckpointResult) {
        let (about, level) = (result.checkpoint.about, result.checkpoint.level);
        let verdict = result.verdict;
        let key = |counted: &Counted| (counted.about, counted.level, counted.verdict);
        let same = |counted: &&mut Counted| key(counted) == (about, level, verdict);
        let red = usize::from(result.weight == Weight::Red);
        match self.checkpoints.iter_mut().find(same) {
            Some(counted) => {
                counted.count += 1;
                counted.red += red;
            }
            None => self.checkpoints.push(Counted { about, level, verdict, count: 1, red }),
        }
        self.checkpoints.sort_by_key(key);
    }
}
