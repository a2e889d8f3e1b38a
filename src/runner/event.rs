//! The only contract between the runner and the reporters: one [`Event`] enum.
//!
//! Executions are emitted in the order of the plan, whatever finished first.
//! When an event is added, touch: this enum, and each file under `report/`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::expected::{Expected, Stale};
use super::outcome::{Counts, Outcome};
use crate::check::discovery::Beside;
use crate::check::{About, CheckpointResult, Level, Verdict};
use crate::mcp::Revision;
use crate::script::log::Logged;
use crate::wire::Exchange;

/// Something that the runner did.
#[derive(Debug)]
pub enum Event {
    /// The plan is made; nothing ran yet.
    RunStarted(Plan),
    /// Work moved on, in no fixed order: for a progress bar alone.
    Progress {
        /// Executions that are done.
        done: usize,
    },
    /// The next execution of the plan is done.
    ExecutionFinished(Box<Execution>),
    /// Everything that will run has run.
    RunFinished(Summary),
}

/// What is going to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How many executions: checks × profiles × cases.
    pub executions: usize,
    /// How many checks.
    pub checks: usize,
    /// The names of the profiles, in order.
    pub profiles: Vec<String>,
    /// The subject, in words: `embedded`, `loopback`, `client: COMMAND`,
    /// `server: URL`.
    pub subject: String,
    /// What a local folder of checks makes of the built-in ones.
    pub beside: Beside,
    /// Whether time passes while the subject waits: it is not in memory.
    pub on_real_clock: bool,
    /// The revisions that the server under test speaks, the newest first; `None`
    /// if it was not asked.
    pub speaks: Option<Vec<String>>,
}

/// One check, run for one profile and one case.
#[derive(Debug)]
pub struct Execution {
    /// The check's id.
    pub check: String,
    /// The check's first sentence.
    pub title: String,
    /// The case's name, if the check has cases.
    pub case: Option<String>,
    /// The profile's name.
    pub profile: String,
    /// The revision in force.
    pub revision: Revision,
    /// Every checkpoint of the check that is declared for this revision, in
    /// the header's order, and `wire-schema`.
    pub checkpoints: Vec<CheckpointResult>,
    /// What of it was expected not to hold.
    pub expected: Expected,
    /// What it came to.
    pub outcome: Outcome,
    /// Why the whole execution has no ordinary verdicts: the check is broken,
    /// time was up, or it does not apply.
    pub trouble: Option<Trouble>,
    /// What crossed the wire; kept when something did not hold, or if all were to
    /// be kept.
    pub exchanges: Vec<Exchange>,
    /// Whether a report for a person shows every exchange: `--trace`.
    pub traced: bool,
    /// The origins of this execution and the names they are shown by:
    /// (`http://127.0.0.1:1234`, `server`).
    pub origins: Vec<(String, String)>,
    /// How the wire compares with the recorded one.
    pub snapshot: SnapshotOutcome,
    /// Whether the wire alone makes it red.
    pub snapshot_is_red: bool,
    /// What an external client printed and how it ended.
    pub client: Option<ClientProcess>,
    /// What the script logged; kept as the exchanges are.
    pub log: Logged,
    /// Real time spent.
    pub elapsed: Duration,
}

impl Execution {
    /// An execution of which nothing is known yet but its check and its profile.
    pub fn of(check: &str, profile: &str, revision: Revision) -> Self {
        Execution {
            check: check.to_owned(),
            title: String::new(),
            case: None,
            profile: profile.to_owned(),
            revision,
            checkpoints: Vec::new(),
            expected: Expected::default(),
            outcome: Outcome::default(),
            trouble: None,
            exchanges: Vec::new(),
            traced: false,
            origins: Vec::new(),
            snapshot: SnapshotOutcome::NotCompared,
            snapshot_is_red: false,
            client: None,
            log: Logged::default(),
            elapsed: Duration::ZERO,
        }
    }

    /// `client/tool-call-basic`, or `server-failure[a maintenance page]`.
    pub fn name(&self) -> String {
        match &self.case {
            Some(case) => format!("{}[{case}]", self.check),
            None => self.check.clone(),
        }
    }
}

/// How many checkpoints are about the same, have one level, and got one verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// What they are about.
    pub about: About,
    /// Their level.
    pub level: Level,
    /// Their verdict.
    pub verdict: Verdict,
    /// How many there are.
    pub count: usize,
    /// How many of them make their execution red.
    pub red: usize,
}

/// Why an execution has no ordinary verdicts.
#[derive(Clone, Debug)]
pub enum Trouble {
    /// The check itself is broken: exit code 3.
    Broken(Arc<miette::Report>),
    /// The subject could not be started or reached: counted as not conforming.
    Subject(Arc<miette::Report>),
    /// The time for one execution was up.
    TimedOut(Duration),
    /// The run was interrupted first.
    Cancelled,
    /// The check does not apply here, for this reason.
    Skipped(String),
}

/// How the recorded wire compares with the snapshot.
#[derive(Clone, Debug, Default)]
pub enum SnapshotOutcome {
    /// Nothing was compared: another subject, or no `snapshots` folder.
    #[default]
    NotCompared,
    /// The wire is what it was.
    Same,
    /// There is no snapshot yet; a pending one was written.
    New {
        /// The pending file.
        pending: PathBuf,
    },
    /// The wire differs; a pending snapshot was written.
    Different {
        /// The pending file.
        pending: PathBuf,
        /// Old and new contents of this execution's section.
        old: String,
        /// What crossed the wire now.
        new: String,
    },
    /// The snapshot was written, as asked.
    Updated,
    /// The snapshot could not be read or written.
    Unusable(String),
}

/// What is known of an external client's process.
#[derive(Clone, Debug)]
pub struct ClientProcess {
    /// The command line that was started.
    pub command: String,
    /// The end of its standard output and error, in the order in which they
    /// came, redacted.
    pub output: String,
    /// How many bytes of output were dropped before that.
    pub dropped: u64,
    /// How it ended: `exit code 1`, `ended by signal 9`, `still running, ended`.
    pub ended: String,
    /// Its exit code, if it had one.
    pub exit_code: Option<i32>,
}

/// The counts of a run, and what became of the expected failures.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// How many executions came to what.
    pub executions: Counts,
    /// How many checkpoints there are of each kind, in a fixed order.
    pub checkpoints: Vec<Counted>,
    /// Snapshots that are new.
    pub snapshots_new: usize,
    /// Snapshots that differ.
    pub snapshots_different: usize,
    /// Snapshots written as asked.
    pub snapshots_updated: usize,
    /// Snapshots that could not be read or written.
    pub snapshots_unusable: usize,
    /// Snapshots that belong to no check or no profile that exists: the file, and of
    /// which profile if it is not the whole file.
    pub snapshots_unreferenced: Vec<String>,
    /// Entries that expect what holds.
    pub stale: Vec<Stale>,
    /// Whether they fail the run.
    pub stale_is_red: bool,
    /// Whether the user interrupted the run.
    pub interrupted: bool,
    /// Real time spent.
    pub elapsed: Duration,
}
