//! What can be wrong with a store: [`StoreError`].

use std::path::{Path, PathBuf};

use miette::Diagnostic;
use rusqlite::ErrorCode;
use rusqlite::ffi::SQLITE_IOERR_SHMSIZE;

use super::VERSION;
use crate::host::step::NotAStep;

/// What can be wrong with a store.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum StoreError {
    /// The file cannot be opened or made.
    #[error("the store `{}` cannot be opened: {reason}", path.display())]
    #[diagnostic(
        code("store::cannot-open"),
        help("look whether its folder exists and may be written to")
    )]
    CannotOpen {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        reason: String,
    },
    /// The file is a store of a later version of this program.
    #[error("the store `{}` has version {found}; this program knows up to {VERSION}", path.display())]
    #[diagnostic(
        code("store::newer"),
        help("update the program, or name another file; the store was left as it is")
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
    },
    /// The file is no store, or is damaged.
    #[error("`{}` is no store, or is damaged: {reason}", path.display())]
    #[diagnostic(
        code("store::damaged"),
        help("the file was left as it is; name another one, or put a copy in its place")
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        reason: String,
    },
    /// There is no room for more.
    #[error("there is no room for more in the store: {what} failed")]
    #[diagnostic(
        code("store::full"),
        help("make room on the disk; what was stored before is kept")
    )]
    Full {
        /// What should have been done.
        what: &'static str,
    },
    /// Another process holds the store for too long.
    #[error("another process is writing to the store: {what} was given up")]
    #[diagnostic(code("store::busy"), help("try again when it is done"))]
    Busy {
        /// What should have been done.
        what: &'static str,
    },
    /// Something cannot be read or written.
    #[error("{what} failed in the store: {reason}")]
    #[diagnostic(code("store::failed"))]
    Failed {
        /// What should have been done.
        what: &'static str,
        /// What SQLite says.
        reason: String,
    },
    /// A row is stored that is no step.
    #[error("step {sequence} of run {run} cannot be read: {reason}")]
    #[diagnostic(code("store::unreadable-step"), help("every other step is still there"))]
    UnreadableStep {
        /// The run.
        run: i64,
        /// The step's number in it.
        sequence: i64,
        /// What is wrong with it.
        reason: NotAStep,
    },
}

impl StoreError {
    /// What an error of SQLite's comes to, when `what` was to be done with the
    /// store in `path`.
    pub(super) fn of(what: &'static str, path: &Path, error: &rusqlite::Error) -> Self {
        let reason = || error.to_string();
        let extended = error.sqlite_error().map(|error| error.extended_code);
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => StoreError::Full { what },
            // The index of the log could not grow.
            _ if extended == Some(SQLITE_IOERR_SHMSIZE) => StoreError::Full { what },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy { what },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                StoreError::Damaged { path: path.to_owned(), reason: reason() }
            }
            _ => StoreError::Failed { what, reason: reason() },
        }
    }
}
