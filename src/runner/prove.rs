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
mod tally;
mod trial;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

pub use self::finding::{Finding, FindingKind};

use self::trial::{Bench, JobTrials, KnownFault};
use super::plan::{Choice, Plan};
use super::subject::{Settings, Subject};
use super::worker;
use crate::check::{Checkpoint, Effect, Library, Side};
use crate::mcp::Revision;
use crate::profile::Profile;

/// What running every check under every fault came to.
#[derive(Debug, Default)]
pub struct Proof {
    /// Every MUST checkpoint line, in the order of the checks and their headers.
    pub claims: Vec<Claim>,
    /// Every fault, by name.
    pub faults: Vec<FaultResult>,
    /// What is wrong, errors first.
    pub findings: Vec<Finding>,
    /// How many executions there were, and judgements of what a fault lets be seen.
    pub executions: usize,
    /// How often playing a fault showed that it changes nothing, so that it was not
    /// executed.
    pub played: usize,
    /// Whether the user interrupted it: then nothing is proven.
    pub interrupted: bool,
    /// Real time spent.
    pub elapsed: Duration,
}

/// One MUST checkpoint line of one check.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The check's id.
    pub check: String,
    /// The claim.
    pub checkpoint: Checkpoint,
    /// Whether it was shown that it can fail.
    pub standing: Standing,
    /// The faults that turned it red and count, by name.
    pub killed_by: Vec<String>,
}

/// Whether it was shown that a claim can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// A fault that counts turned it red.
    Proven,
    /// No fault that counts turned it red.
    Survived,
    /// It does not hold without any fault.
    DoesNotHold,
    /// Nothing here runs it.
    NotRun,
}

impl Standing {
    /// The standing in a word: `proven`, `survived`, `does not hold`, `not run`.
    pub fn as_str(self) -> &'static str {
        match self {
            Standing::Proven => "proven",
            Standing::Survived => "survived",
            Standing::DoesNotHold => "does not hold",
            Standing::NotRun => "not run",
        }
    }
}

/// One fault and what it did.
#[derive(Clone, Debug)]
pub struct FaultResult {
    /// Its file's name without the ending.
    pub name: String,
    /// What it does, in one sentence.
    pub description: String,
    /// Who misbehaves.
    pub side: Side,
    /// What it changes.
    pub effect: Effect,
    /// The revisions at which it misbehaves.
    pub revisions: Vec<Revision>,
    /// In how many executions it was in force.
    pub executions: usize,
    /// How often playing it showed that it changes nothing.
    pub played: usize,
    /// In how many executions it changed something.
    pub fired: usize,
    /// How many claims it kills.
    pub kills: usize,
    /// How many claims it could reach.
    pub reach: usize,
    /// How many weaker checkpoints (SHOULD, MAY, INTEROP) it shows.
    pub weaker: usize,
    /// Whether its kills count: it is not broken, and small.
    pub counts: bool,
}

impl Proof {
    /// How many claims stand like this.
    pub fn count(&self, standing: Standing) -> usize {
        self.claims.iter().filter(|claim| claim.standing == standing).count()
    }

    /// Whether every claim that runs here is proven, at least one of them, and
    /// nothing is broken.
    pub fn holds(&self) -> bool {
        !self.interrupted
            && self.count(Standing::Proven) > 0
            && !self.findings.iter().any(|finding| finding.kind.is_error())
    }

    /// Whether a check or a fault is broken, so that not everything could be
    /// tried.
    pub fn is_broken(&self) -> bool {
        self.findings.iter().any(|finding| finding.kind.is_broken())
    }
}

/// Which faults are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Those that change something, as playing them shows.
    Played,
    /// All of them, and what comes of it is held against what playing shows.
    Exhaustive,
}

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
