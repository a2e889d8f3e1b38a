//! Opening the file of a store: [`Opening`]. A file that is no store, or one of
//! a later version, is left as it is.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use super::StoreError;
use super::layout::{APPLICATION_ID, MIGRATIONS, TABLES, VERSION};

/// What the file of an SQLite database begins with (SQLite, "Database File
/// Format", section 1.3).
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// The length of that header, in bytes.
const HEADER: usize = 100;
/// Where the size of a page stands in it, in 2 bytes; then, in 4 bytes each, the
/// number of pages, `user_version` and `application_id`.
const PAGE_SIZE: usize = 16;
const PAGES: usize = 28;
const USER_VERSION: usize = 60;
const APPLICATION: usize = 68;

/// How long the switch to a log waits before it is tried again.
const PAUSE: Duration = Duration::from_millis(5);

/// A store that is being opened.
pub(super) struct Opening<'a> {
    /// The file.
    pub path: &'a Path,
    /// Whether it is made if it is not there.
    pub makes: bool,
    /// How long another process is waited for.
    pub patience: Duration,
}

/// What is in a file.
enum Content {
    Nothing,
    Tables(i64),
}

impl Opening<'_> {
    /// Opens the file, and makes its tables or brings them to this version.
    pub fn open(&self) -> Result<Connection, StoreError> {
        self.look()?;
        if self.makes {
            self.make_file()?;
        }
        // A log that is there already is folded into the file by whoever closes
        // it last: not by us, as long as the file may turn out not to be ours.
        let has_log = self.beside("-wal").exists();
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection =
            Connection::open_with_flags(self.path, flags).map_err(|error| self.error(&error))?;
        let keep_log = |connection: &Connection, keep: bool| {
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep)
        };
        // Who may only read leaves everything as it is.
        if !self.makes && connection.is_readonly("main").unwrap_or(false) {
            drop(connection);
            return self.open_to_read();
        }
        keep_log(&connection, has_log)
            .and_then(|_| connection.busy_timeout(self.patience))
            .map_err(|error| self.error(&error))?;
        self.bring_up_to_date(&mut connection)?;
        self.set_up(&connection)
            .and_then(|()| keep_log(&connection, false))
            .map_err(|error| self.error(&error))?;
        Ok(connection)
    }

    /// Opens a file that cannot be written to. SQLite would make files beside it for
    /// whoever reads; without them, nobody else may be writing, and nobody can be, as
    /// far as we may tell.
    pub fn open_to_read(&self) -> Result<Connection, StoreError> {
        let path = percent_encoding::utf8_percent_encode(
            &self.path.to_string_lossy(),
            percent_encoding::NON_ALPHANUMERIC,
        )
        .to_string();
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let uri = format!("file:{path}?immutable=1");
        let mut connection =
            Connection::open_with_flags(uri, flags).map_err(|error| self.error(&error))?;
        let transaction = connection.transaction().map_err(|error| self.error(&error))?;
        match self.read_content(&transaction)? {
            Content::Tables(VERSION) => {}
            _ => return Err(self.cannot_open(&"it is of an earlier version and read-only")),
        }
        drop(transaction);
        Ok(connection)
    }

    /// Reads the first bytes by ourselves: SQLite repairs what it opens, and a
    /// file that is not ours is not to be touched.
    fn look(&self) -> Result<(), StoreError> {
        let is_file = match std::fs::metadata(self.path) {
            Ok(metadata) => metadata.is_file(),
            Err(error) if self.makes && error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(self.cannot_open(&error)),
        };
        if !is_file {
            return Err(self.cannot_open(&"it is not a file"));
        }
        // What a killed process left beside the file makes it whole again.
        let is_alone = ![self.beside("-wal"), self.beside("-journal")].iter().any(|p| p.exists());
        let read = || -> io::Result<(Vec<u8>, u64)> {
            let file = File::open(self.path)?;
            let length = file.metadata()?.len();
            let mut header = Vec::with_capacity(HEADER);
            file.take(HEADER as u64).read_to_end(&mut header)?;
            Ok((header, length))
        };
        let (header, length) = read().map_err(|error| self.cannot_open(&error))?;
        match header.as_slice() {
            [] if self.makes => return Ok(()),
            [] => return Err(self.damaged("it is empty")),
            header if header.len() == HEADER && header.starts_with(MAGIC) => {}
            _ => return Err(self.damaged("it does not begin as an SQLite database does")),
        }
        let number = |at: usize, bytes: usize| {
            header[at..at + bytes].iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
        };
        let signed = |at: usize| i64::try_from(number(at, 4)).unwrap_or(i64::MAX);
        self.content(signed(USER_VERSION), signed(APPLICATION), false)?;
        if is_alone && length < number(PAGE_SIZE, 2) * number(PAGES, 4) {
            return Err(self.damaged("it is shorter than it was"));
        }
        Ok(())
    }

    /// What these numbers of a file say, and whether it is without tables.
    fn content(
        &self,
        version: i64,
        application: i64,
        is_empty: bool,
    ) -> Result<Content, StoreError> {
        match (version, application) {
            (0, 0) if is_empty => Ok(Content::Nothing),
            (1..=VERSION, APPLICATION_ID) => Ok(Content::Tables(version)),
            (found, APPLICATION_ID) if found > VERSION => {
                Err(StoreError::Newer { path: self.path.to_owned(), found })
            }
            (_, APPLICATION_ID) => Err(self.damaged("it has a version that there never was")),
            _ => Err(self.damaged("it is a database of another program")),
        }
    }

    /// Makes an empty file that only its owner can read: what tools answered
    /// is in it.
    fn make_file(&self) -> Result<(), StoreError> {
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(self.path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(self.cannot_open(&error))
            }
            _ => Ok(()),
        }
    }

    fn bring_up_to_date(&self, connection: &mut Connection) -> Result<(), StoreError> {
        // Whoever only reads does not wait for whoever writes.
        let transaction = connection.transaction().map_err(|error| self.error(&error))?;
        if matches!(self.read_content(&transaction)?, Content::Tables(VERSION)) {
            return Ok(());
        }
        drop(transaction);
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|error| self.error(&error))?;
        // Whoever comes second has waited, and finds the tables made.
        let statements = match self.read_content(&transaction)? {
            Content::Nothing => TABLES.to_owned(),
            Content::Tables(VERSION) => return Ok(()),
            Content::Tables(found) => {
                let done = usize::try_from(found - 1).unwrap_or(0);
                MIGRATIONS.iter().skip(done).copied().collect()
            }
        };
        transaction
            .execute_batch(&statements)
            .and_then(|()| transaction.pragma_update(None, "application_id", APPLICATION_ID))
            .and_then(|()| transaction.pragma_update(None, "user_version", VERSION))
            .and_then(|()| transaction.commit())
            .map_err(|error| self.error(&error))
    }

    /// Reads what is there, within one transaction: another process may be
    /// making the tables.
    fn read_content(&self, connection: &Transaction<'_>) -> Result<Content, StoreError> {
        let number = |query: &str| connection.query_row(query, [], |row| row.get::<_, i64>(0));
        let read = || -> rusqlite::Result<(i64, i64, bool)> {
            let version = number("PRAGMA user_version")?;
            let application = number("PRAGMA application_id")?;
            Ok((version, application, number("SELECT count(*) FROM sqlite_schema")? == 0))
        };
        let (version, application, is_empty) = read().map_err(|error| self.error(&error))?;
        self.content(version, application, is_empty)
    }

    /// Lets readers and a writer work side by side, and a commit wait for the
    /// disk.
    fn set_up(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        // SQLite does not wait here by itself if another process switches too.
        let end = Instant::now() + self.patience;
        loop {
            let switched =
                connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()));
            match switched {
                Err(error) if is_busy(&error) && Instant::now() < end => std::thread::sleep(PAUSE),
                switched => return switched,
            }
        }
    }

    /// The file that SQLite keeps beside this one: its log ends in `-wal`.
    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    }

    fn damaged(&self, reason: &str) -> StoreError {
        StoreError::Damaged { path: self.path.to_owned(), reason: reason.to_owned() }
    }

    fn cannot_open(&self, reason: &dyn std::fmt::Display) -> StoreError {
        StoreError::CannotOpen { path: self.path.to_owned(), reason: reason.to_string() }
    }

    fn error(&self, error: &rusqlite::Error) -> StoreError {
        match StoreError::of("opening the store", self.path, error) {
            StoreError::Failed { reason, .. } => self.cannot_open(&reason),
            error => error,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};
    matches!(error.sqlite_error_code(), Some(DatabaseBusy | DatabaseLocked))
}
