//! The proof that checks can fail: [`prove`] runs every check under every fault
//! and returns a [`Proof`].
//!
//! - Each check runs on the embedded subject, for every profile that it applies
//!   to and every case: once without a fault, then under each fault of its side.
//!   The **side** of a fault is who misbehaves: the client, the server or the
//!   host, in checks of a client, a server or a host. A fault that names
//!   revisions is left out at the others, and a check without a MUST there runs
//!   once, without a fault: it has nothing to prove.
//! - Each MUST checkpoint line of a header is a **claim**. Without a fault a
//!   claim must hold wherever it is decided.
//! - A fault **kills** a claim if the verdict is `fail` at some profile and case
//!   at which the claim was not red without it. An error, a timeout and "not
//!   exercised" are no kills: they show that something broke, not that the claim
//!   was looked at. A checkpoint with the mark `sent` claims that something is
//!   sent at all; there "not exercised" is a kill.
//! - A fault that would change, add, drop, delay and reorder none of the messages
//!   of the execution without it, nor what is seen of it, is not executed: it is
//!   **played** over these messages. What came of the check without it is what would
//!   come of it. [`Effort::Exhaustive`] executes it all the same, and says where that
//!   differs.
//! - A fault is small: one that kills more than a quarter of the claims that it
//!   **could reach** does not count. It could reach the claims that apply at a
//!   revision at which it ran, of all the checks that it ran with.
//! - Every claim needs a kill by a fault that counts; the ones that have none
//!   **survive**.
//! - A fault that is broken, that never changed anything, or that turns nothing
//!   red is named, and so is a check that breaks under a fault.
//!
//! The same library and profiles give the same proof, whatever finished first.

mod finding;
mod messages;
mod proof;
mod tally;
mod trial;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

pub use self::finding::{Finding, FindingKind};
pub use self::proof::{Claim, FaultResult, Proof, Standing};
pub use self::trial::Effort;

use self::trial::{Bench, JobTrials, KnownFault};
use super::plan::{Choice, Plan};
use super::subject::{Settings, Subject};
use super::worker;
use crate::check::Library;
use crate::profile::Profile;

/// Runs every check of `library` under every fault, at every profile.
///
/// Of `settings`, the number of workers, the timeout and the interrupt count.
/// `progress` gets how many executions, and faults played in place of one, are done,
/// and how many there are.
pub fn prove(
    library: &Library,
    profiles: &[Profile],
    settings: &Settings,
    effort: Effort,
    mut progress: impl FnMut(usize, usize),
) -> Proof {
    let started = Instant::now();
    let settings = Settings {
        jobs: settings.jobs,
        timeout: settings.timeout,
        interrupt: settings.interrupt.clone(),
        keep_outcome: true,
        ..Settings::new(Subject::Embedded)
    };
    let plan = Plan::new(library, profiles, &settings.subject, &Choice::default());
    let faults: Vec<KnownFault> = library.support.faults.iter().map(KnownFault::read).collect();
    let total = plan.jobs.iter().map(|job| trial::count(job, &faults)).sum();
    progress(0, total);

    let next = AtomicUsize::new(0);
    let workers = settings.jobs.clamp(1, plan.jobs.len().max(1));
    let (sender, receiver) = mpsc::channel();
    let mut tried: BTreeMap<usize, JobTrials> = BTreeMap::new();
    let mut done = 0;
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let sender = sender.clone();
            let (next, plan, faults, settings) = (&next, &plan, &faults, &settings);
            let started = worker::thread(workers).spawn_scoped(scope, move || {
                let bench = Bench::new(&library.support, faults, settings, effort).map(Arc::new);
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = plan.jobs.get(index) else { break };
                    let trials = trial::run(&bench, job);
                    if settings.interrupt.is_cancelled() || sender.send((index, trials)).is_err() {
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
        for (index, trials) in receiver {
            done += trials.count();
            progress(done, total);
            tried.insert(index, trials);
        }
    });
    let mut proof = tally::tally(&plan.jobs, tried, &faults);
    proof.interrupted = settings.interrupt.is_cancelled();
    proof.elapsed = started.elapsed();
    proof
}

#[cfg(test)]
mod tests;
