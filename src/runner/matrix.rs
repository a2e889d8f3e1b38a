//! The same checks in several environments, side by side: [`run`] runs them on
//! the double, over a socket, and in an environment outside of this process, and
//! returns a [`Matrix`].
//!
//! - Each environment has its own plan of the same choice, and runs it as any
//!   run does; what the outside does not take is left out, unless it was asked
//!   for.
//! - Double and socket are to agree in every verdict and in every byte that
//!   matters: where they do not, the double does not tell the truth. So each
//!   such difference is a failure ([`Finding::fails`]).
//! - On the real clock a busy machine may be late: a leg of 15 seconds has 0.3
//!   seconds over the socket. What differs there is run again, one at a time and
//!   with more time at each attempt ([`SCALES_AGAIN`]): a true difference stays,
//!   a late machine is given all that it needs. How many were run again is said.
//! - The environment outside may differ from the other two: it is what is under
//!   test.
//!
//! Every text in a matrix has passed through the
//! [`Style`](crate::wire::text::Style) of its settings.

mod column;
mod compare;
mod entry;

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

pub use self::column::{DOUBLE, OUTSIDE, SOCKET};
pub use self::compare::{Finding, Of, Row, Wire, compare, findings};
pub use self::entry::{Cell, Entry, Name};

use super::event::Event;
use super::outcome::Counts;
use super::plan::{Choice, Plan};
use super::subject::{Exchanges, Settings, Subject};
use crate::check::Library;
use crate::profile::Profile;

/// The scales at which what differs over the socket is run again, in place of
/// [`LOOPBACK_SCALE`](super::subject::LOOPBACK_SCALE): a leg of 15 seconds has 1.5
/// seconds, then 7.5.
pub const SCALES_AGAIN: [u32; 2] = [10, 2];

/// What running the same checks in several environments came to.
#[derive(Debug, Default)]
pub struct Matrix {
    /// The environments: [`DOUBLE`], [`SOCKET`] and maybe [`OUTSIDE`].
    pub environments: Vec<Environment>,
    /// Every execution with a cell for each environment, check by check.
    pub rows: Vec<Row>,
    /// What differs, and what does not hold.
    pub findings: Vec<Finding>,
    /// How many executions differed at first, and so were run again over the
    /// socket.
    pub run_again: usize,
    /// Whether the user interrupted it.
    pub interrupted: bool,
    /// Real time spent.
    pub elapsed: Duration,
}

/// One column.
#[derive(Debug)]
pub struct Environment {
    /// `double`, `socket`, `client` or `server`.
    pub name: &'static str,
    /// The subject, in words.
    pub subject: String,
}

impl Matrix {
    /// What came of the executions of the environment in this column.
    pub fn counts(&self, column: usize) -> Counts {
        let mut counts = Counts::default();
        for cell in self.rows.iter().filter_map(|row| row.cells.get(column)?.as_ref()) {
            counts.add(cell.outcome());
        }
        counts
    }

    /// Whether double and socket differ anywhere.
    pub fn fails(&self) -> bool {
        self.findings.iter().any(|finding| finding.fails)
    }
}

/// Settings for each environment: the double, the socket, and what is outside.
pub fn environments(outside: Option<Subject>) -> Vec<Settings> {
    let subjects = [Subject::Embedded, Subject::Loopback].into_iter().chain(outside);
    subjects.map(Settings::new).collect()
}

/// The name of an environment.
fn name(subject: &Subject) -> &'static str {
    match subject {
        Subject::Embedded => "double",
        Subject::Loopback => "socket",
        Subject::Client(_) | Subject::Visitor(_) => "client",
        Subject::Server(_) => "server",
    }
}

/// Runs `choice` out of `library` and `profiles` in each of `environments`,
/// which are those of [`environments()`], one after the other.
///
/// `progress` gets how many executions are done, and how many there are.
pub fn run(
    library: &Library,
    profiles: &[Profile],
    choice: &Choice<'_>,
    mut environments: Vec<Settings>,
    mut progress: impl FnMut(usize, usize),
) -> Matrix {
    let started = Instant::now();
    for settings in &mut environments {
        // Their wires are compared, also where everything holds.
        if !settings.subject.is_external() {
            settings.exchanges = Exchanges::Kept;
        }
    }
    let outside = environments.get(OUTSIDE).map(|settings| settings.subject.clone());
    let plan = |settings: &Settings| {
        let mut plan = Plan::new(library, profiles, &settings.subject, choice);
        if let (None, Some(outside)) = (choice.selection, &outside) {
            plan.jobs.retain(|job| job.check.map_or(true, |check| outside.takes(check.kind)));
        }
        plan
    };
    let plans: Vec<Plan<'_>> = environments.iter().map(plan).collect();
    let executions =
        |(plan, settings): (&Plan<'_>, &Settings)| plan.announcement(settings).executions;
    let all = plans.iter().zip(&environments).map(executions).sum();
    progress(0, all);
    let mut columns = Vec::new();
    let mut before = 0;
    for (plan, settings) in plans.iter().zip(&environments) {
        columns.push(column(plan, library, settings, |done| progress(before + done, all)));
        before += executions((plan, settings));
    }
    let run_again = match environments.get_mut(SOCKET) {
        Some(socket) => {
            // One at a time, so that none is late because of another.
            socket.jobs = 1;
            settle(library, plan, socket, &mut columns)
        }
        None => 0,
    };
    let rows = compare(&columns);
    let environment = |settings: &Settings| Environment {
        name: name(&settings.subject),
        subject: settings.style.text(settings.subject.to_string().as_bytes()),
    };
    Matrix {
        environments: environments.iter().map(environment).collect(),
        findings: findings(&rows),
        rows,
        run_again,
        interrupted: environments.iter().any(|settings| settings.interrupt.is_cancelled()),
        elapsed: started.elapsed(),
    }
}

/// Runs a plan, and keeps of each execution what is compared.
fn column(
    plan: &Plan<'_>,
    library: &Library,
    settings: &Settings,
    mut progress: impl FnMut(usize),
) -> Vec<Entry> {
    let mut entries = Vec::new();
    super::run(plan, &library.support, settings, |event| match event {
        Event::Progress { done } => progress(done),
        Event::ExecutionFinished(execution) => entries.push(Entry::new(&execution, settings)),
        Event::RunStarted(_) | Event::RunFinished(_) => {}
    });
    entries
}

/// Runs again over the socket what differs from the double; returns how many
/// executions that were.
fn settle<'a>(
    library: &Library,
    plan: impl Fn(&Settings) -> Plan<'a>,
    socket: &mut Settings,
    columns: &mut [Vec<Entry>],
) -> usize {
    let mut run_again = HashSet::new();
    for scale in SCALES_AGAIN {
        let Some([double, over_socket]) = columns.get_mut(..=SOCKET) else { break };
        let rows = compare(&[&*double, &*over_socket]);
        let differing: HashSet<Name> =
            rows.iter().filter(|row| row.fails()).map(|row| row.name.clone()).collect();
        if differing.is_empty() || socket.interrupt.is_cancelled() {
            break;
        }
        socket.scale = scale;
        let mut plan = plan(socket);
        for job in &mut plan.jobs {
            let Ok(check) = job.check else { continue };
            for run in &mut job.runs {
                run.cases.retain(|case| {
                    differing.contains(&Name::new(&check.id, &run.profile.name, *case))
                });
            }
            job.runs.retain(|run| !run.cases.is_empty());
        }
        plan.jobs.retain(|job| job.check.is_ok() && !job.runs.is_empty());
        let mut anew: HashMap<Name, Entry> = column(&plan, library, socket, |_| {})
            .into_iter()
            .map(|entry| (entry.name.clone(), entry))
            .collect();
        for entry in over_socket.iter_mut() {
            if let Some(new) = anew.remove(&entry.name) {
                *entry = new;
            }
        }
        run_again.extend(differing);
    }
    run_again.len()
}

#[cfg(test)]
mod tests;
