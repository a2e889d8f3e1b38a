//! The exit codes, named: [`Exit`].

use std::process::ExitCode;

use crate::check::Library;
use crate::runner::Summary;
use crate::runner::process::UNKNOWN_TASK;

/// What a run says by its exit code. Where several apply, the first of this
/// order counts: cancelled, wrong command line, broken check, not conforming,
/// nothing ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Nothing is red.
    AllHeld,
    /// Something under test does not conform, or its time was up; or a failure
    /// was expected that is none.
    NotConforming,
    /// The command line or a file is wrong.
    WrongCommandLine,
    /// A check is broken.
    BrokenCheck,
    /// Nothing ran.
    NothingRan,
    /// As a client: the task is not known. `drive` alone says it.
    UnknownTask,
    /// Cancelled by the user.
    Cancelled,
}

/// The exit codes, for the help text.
pub const HELP: &str = "\
Exit codes:
  0    nothing failed
  1    something under test does not conform, or its time was up; or a failure
       was expected that is none
  2    the command line or a file is wrong
  3    a check is broken
  4    nothing ran
  130  cancelled by the user";

impl Exit {
    /// The number.
    pub fn code(self) -> u8 {
        match self {
            Exit::AllHeld => 0,
            Exit::NotConforming => 1,
            Exit::WrongCommandLine => 2,
            Exit::BrokenCheck => 3,
            Exit::NothingRan => 4,
            Exit::UnknownTask => UNKNOWN_TASK,
            Exit::Cancelled => 130,
        }
    }

    /// The same if something in the folder of checks was passed over that is not
    /// ignored on purpose: it is a check that does not run.
    pub fn with_problems(self, library: &Library) -> Self {
        match self {
            Exit::Cancelled => self,
            _ if library.problems.is_empty() => self,
            _ => Exit::WrongCommandLine,
        }
    }

    /// What a run's counts say.
    pub fn of(summary: &Summary) -> Self {
        if summary.interrupted {
            Exit::Cancelled
        } else if summary.snapshots_unusable > 0 {
            Exit::WrongCommandLine
        } else if summary.executions.broken > 0 {
            Exit::BrokenCheck
        } else if summary.executions.failed > 0 || summary.stale_is_red {
            Exit::NotConforming
        } else if summary.executions.ran == 0 {
            Exit::NothingRan
        } else {
            Exit::AllHeld
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}
