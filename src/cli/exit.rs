//! The exit codes, named: [`Exit`].

use std::process::ExitCode;

use crate::runner::Summary;

/// What a run says by its exit code. Where several apply, the first of this
/// order counts: cancelled, wrong command line, broken check, not conforming,
/// nothing ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Everything held.
    AllHeld,
    /// Something under test does not conform, or its time was up.
    NotConforming,
    /// The command line or a file is wrong.
    WrongCommandLine,
    /// A check is broken.
    BrokenCheck,
    /// Nothing ran.
    NothingRan,
    /// Cancelled by the user.
    Cancelled,
}

/// The exit codes, for the help text.
pub const HELP: &str = "\
Exit codes:
  0    everything held
  1    something under test does not conform, or its time was up
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
            Exit::Cancelled => 130,
        }
    }

    /// What a run's counts say. `fail_on_should` is `--fail-on should`; under
    /// `ci` a snapshot that is new is not what was reviewed.
    pub fn of(summary: &Summary, fail_on_should: bool, ci: bool) -> Self {
        let red = summary.failed > 0
            || summary.snapshots_different > 0
            || (fail_on_should && summary.warned > 0)
            || (ci && summary.snapshots_new > 0);
        if summary.interrupted {
            Exit::Cancelled
        } else if summary.snapshots_unusable > 0 {
            Exit::WrongCommandLine
        } else if summary.broken > 0 {
            Exit::BrokenCheck
        } else if red {
            Exit::NotConforming
        } else if summary.ran == 0 {
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
