//! Where a host keeps what has to outlive it: [`Store`], an SQLite database in
//! memory or in a file.
//!
//! What a method has returned from is on the disk: a process that is killed at
//! any moment loses nothing that was acknowledged. Times are milliseconds of
//! the host's clock.

mod catalogue;
mod error;
mod journal;
mod layout;
mod opening;
mod rows;
mod stored_tool;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::Connection;

pub use self::catalogue::Imported;
pub use self::error::StoreError;
pub use self::journal::{Contact, Event, LoggedDenial, RunRecord, RunStatus, UnknownStatus};
pub use self::layout::VERSION;
pub use self::rows::Place;
pub use self::stored_tool::StoredTool;

use self::layout::TABLES;
use self::opening::Opening;

/// How long another process is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// An open store.
pub struct Store {
    connection: Mutex<Connection>,
    /// The file; `:memory:` if there is none.
    path: PathBuf,
}

impl Store {
    /// A store that ends with the process.
    ///
    /// # Errors
    /// [`StoreError::Failed`] if there is no memory for it.
    pub fn in_memory() -> Result<Self, StoreError> {
        let path = PathBuf::from(":memory:");
        let made = || -> rusqlite::Result<Connection> {
            let connection = Connection::open_in_memory()?;
            connection.execute_batch(TABLES)?;
            connection.pragma_update(None, "foreign_keys", true)?;
            Ok(connection)
        };
        match made() {
            Ok(connection) => Ok(Store { connection: Mutex::new(connection), path }),
            Err(error) => Err(StoreError::of("making a store in memory", &path, &error)),
        }
    }

    /// Opens the store in this file, and makes it if there is none.
    ///
    /// # Errors
    /// [`StoreError::CannotOpen`], [`StoreError::Newer`],
    /// [`StoreError::Damaged`], [`StoreError::Busy`].
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, true, PATIENCE)
    }

    /// Opens the store in this file, which has to be there.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_existing(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, false, PATIENCE)
    }

    fn open_with(path: &Path, makes: bool, patience: Duration) -> Result<Self, StoreError> {
        let connection = Opening { path, makes, patience }.open()?;
        Ok(Store { connection: Mutex::new(connection), path: path.to_owned() })
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What an error of SQLite's comes to, when `what` was to be done.
    fn failed(&self, what: &'static str, error: &rusqlite::Error) -> StoreError {
        StoreError::of(what, &self.path, error)
    }
}

#[cfg(test)]
mod tests;
