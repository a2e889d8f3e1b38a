//! Where a host keeps what has to outlive it: [`Store`], an SQLite database in
//! memory or in a file.
//!
//! What a method has returned from is on the disk: a process that is killed at
//! any moment loses nothing that was acknowledged. Times are milliseconds of
//! the host's clock.

mod catalogue;
mod error;
mod journal;
mod rows;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

pub use self::catalogue::{Imported, StoredTool};
pub use self::error::StoreError;
pub use self::journal::{Contact, Event, LoggedDenial, RunRecord, RunStatus};
pub use self::rows::Place;

/// The version of the tables that this program writes.
pub const VERSION: i64 = 2;

/// Marks a file as a store: `mcpc` in ASCII.
const APPLICATION_ID: i64 = 0x6d63_7063;

/// How long another process is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

const TABLES: &str = include_str!("schema.sql");

/// From version 1 to version 2.
const OUTCOMES: &str = "ALTER TABLE event ADD COLUMN outcome TEXT CHECK (outcome IS NULL OR (
    kind = 'tool' AND is_error IS NOT NULL AND outcome IN ('ok', 'failed', 'cancelled')
    AND (outcome = 'ok') = (is_error = 0)));";

/// An open store.
pub struct Store {
    connection: Mutex<Connection>,
}

impl Store {
    /// A store that ends with the process.
    ///
    /// # Errors
    /// [`StoreError::Failed`] if there is no memory for it.
    pub fn in_memory() -> Result<Self, StoreError> {
        let what = "making a store in memory";
        let connection =
            Connection::open_in_memory().map_err(|error| StoreError::of(what, &error))?;
        connection.execute_batch(TABLES).map_err(|error| StoreError::of(what, &error))?;
        Ok(Store { connection: Mutex::new(connection) })
    }

    /// Opens the store in this file, and makes it if there is none.
    ///
    /// # Errors
    /// [`StoreError::CannotOpen`], [`StoreError::Newer`],
    /// [`StoreError::Damaged`], [`StoreError::Busy`].
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, OpenFlags::SQLITE_OPEN_CREATE)
    }

    /// Opens the store in this file, which has to be there.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_existing(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, OpenFlags::empty())
    }

    fn open_with(path: &Path, also: OpenFlags) -> Result<Self, StoreError> {
        let at = Opening { path: path.to_owned() };
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | also;
        let mut connection =
            Connection::open_with_flags(path, flags).map_err(|error| at.error(&error))?;
        at.prepare(&mut connection)?;
        Ok(Store { connection: Mutex::new(connection) })
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A store that is being opened.
struct Opening {
    path: PathBuf,
}

impl Opening {
    fn prepare(&self, connection: &mut Connection) -> Result<(), StoreError> {
        let all = |connection: &Connection| -> rusqlite::Result<()> {
            connection.busy_timeout(PATIENCE)?;
            // Readers and a writer side by side; a commit waits for the disk.
            connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
            connection.pragma_update(None, "synchronous", "FULL")?;
            connection.pragma_update(None, "foreign_keys", true)
        };
        all(connection).map_err(|error| self.error(&error))?;
        // Whoever comes second waits here, and finds the tables made.
        let transaction = connection
            .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
            .map_err(|error| self.error(&error))?;
        let number = |name: &str| {
            transaction
                .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
                .map_err(|error| self.error(&error))
        };
        let (version, application) = (number("user_version")?, number("application_id")?);
        let is_empty = transaction
            .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))
            .map_err(|error| self.error(&error))?
            == 0;
        match (version, application) {
            (0, 0) if is_empty => {
                transaction.execute_batch(TABLES).map_err(|error| self.error(&error))?;
            }
            (VERSION, APPLICATION_ID) => return Ok(()),
            (1, APPLICATION_ID) => {
                transaction.execute_batch(OUTCOMES).map_err(|error| self.error(&error))?;
            }
            (found, APPLICATION_ID) if found > VERSION => {
                return Err(StoreError::Newer { path: self.path.clone(), found });
            }
            _ => {
                let reason = "it is a database of another program".to_owned();
                return Err(StoreError::Damaged { path: self.path.clone(), reason });
            }
        }
        let sealed = transaction
            .pragma_update(None, "application_id", APPLICATION_ID)
            .and_then(|()| transaction.pragma_update(None, "user_version", VERSION))
            .and_then(|()| transaction.commit());
        sealed.map_err(|error| self.error(&error))
    }

    fn error(&self, error: &rusqlite::Error) -> StoreError {
        use rusqlite::ErrorCode::{
            DatabaseBusy, DatabaseCorrupt, DatabaseLocked, DiskFull, NotADatabase,
        };
        let (path, reason) = (self.path.clone(), error.to_string());
        match error.sqlite_error_code() {
            Some(NotADatabase | DatabaseCorrupt) => StoreError::Damaged { path, reason },
            Some(DatabaseBusy | DatabaseLocked | DiskFull) => {
                StoreError::of("opening the store", error)
            }
            _ => StoreError::CannotOpen { path, reason },
        }
    }
}

#[cfg(test)]
mod tests;
