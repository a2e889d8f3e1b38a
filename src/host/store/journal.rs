//! What happened, in the store: runs and their steps, contacts, denials.

use rusqlite::{Row, params};
use serde_json::{Value, json};

use super::{Store, StoreError};
use crate::host::step::{Fields, NotAStep, Step};

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStatus {
    /// It goes on, or its process ended without a word.
    Running,
    /// It came to its end.
    Completed,
    /// Something of it could not be stored.
    Failed,
    /// Its caller cancelled it.
    Cancelled,
}

impl RunStatus {
    /// The status in a word: `running`, `completed`, `failed`, `cancelled`.
    pub fn as_str(self) -> &'static str {
        match self {
            RunStatus::Running => "running",
            RunStatus::Completed => "completed",
            RunStatus::Failed => "failed",
            RunStatus::Cancelled => "cancelled",
        }
    }

    fn read(word: String) -> Result<Self, UnknownStatus> {
        let all =
            [RunStatus::Running, RunStatus::Completed, RunStatus::Failed, RunStatus::Cancelled];
        all.into_iter().find(|status| status.as_str() == word).ok_or(UnknownStatus(word))
    }
}

/// A word that names no status of a run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no status of a run")]
pub struct UnknownStatus(pub String);

/// A run as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRecord {
    /// Its number, from 1.
    pub id: i64,
    /// Who began it.
    pub caller: String,
    /// How it stands.
    ///
    /// # Errors
    /// [`UnknownStatus`] if what is stored is no status.
    pub status: Result<RunStatus, UnknownStatus>,
    /// When it began.
    pub started_at: i64,
    /// When it ended.
    pub ended_at: Option<i64>,
    /// Until when whoever runs it holds it.
    pub lease_until: Option<i64>,
}

/// One step of a run as it is stored.
#[derive(Debug)]
pub struct Event {
    /// The run.
    pub run: i64,
    /// Its number in the run, from 1.
    pub sequence: i64,
    /// When it was stored.
    pub at: i64,
    /// The step.
    ///
    /// # Errors
    /// [`StoreError::UnreadableStep`] if what is stored is no step.
    pub step: Result<Step, StoreError>,
}

impl Event {
    /// The event as JSON, but for its run: `sequence`, `at`, and the step's own
    /// members; `unreadable` in place of those if it is no step.
    pub fn to_json(&self) -> Value {
        let mut row = json!({ "sequence": self.sequence, "at": self.at });
        match &self.step {
            Ok(step) => {
                row["kind"] = step.kind().into();
                match step {
                    Step::Declared { tool, effect } => {
                        row["tool"] = tool.as_str().into();
                        row["effect"] = effect.as_str().into();
                    }
                    Step::Tool { tool, outcome, text } => {
                        row["tool"] = tool.as_str().into();
                        row["outcome"] = outcome.as_str().into();
                        row["is_error"] = outcome.is_error().into();
                        row["text"] = text.as_str().into();
                    }
                }
            }
            Err(error) => row["unreadable"] = error.to_string().into(),
        }
        row
    }
}

/// One completed operation with a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact {
    /// The identifier of the server.
    pub server: String,
    /// When it was completed.
    pub at: i64,
    /// The method that was called.
    pub operation: String,
    /// What the round trip that completed it took, in milliseconds.
    pub latency: i64,
}

/// One denial of the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedDenial {
    /// When it was denied.
    pub at: i64,
    /// Who asked.
    pub caller: String,
    /// The name that was asked for.
    pub tool: String,
    /// The reason in its one word.
    pub reason: String,
}

impl Store {
    /// Stores a new run, leased to `owner`, and returns its number.
    ///
    /// # Errors
    /// [`StoreError`]; then there is no run.
    pub fn begin_run(
        &self,
        caller: &str,
        owner: &str,
        at: i64,
        lease_until: i64,
    ) -> Result<i64, StoreError> {
        let connection = self.lock();
        connection
            .execute(
                "INSERT INTO run (caller, status, started_at, lease_owner, lease_until) \
                 VALUES (?1, 'running', ?2, ?3, ?4)",
                params![caller, at, owner, lease_until],
            )
            .map_err(|error| self.failed("storing a run", &error))?;
        Ok(connection.last_insert_rowid())
    }

    /// Prolongs the lease of a run that goes on and that `owner` holds; `false`
    /// if there is no such run.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn renew_lease(
        &self,
        run: i64,
        owner: &str,
        at: i64,
        lease_until: i64,
    ) -> Result<bool, StoreError> {
        let renewed = self.lock().execute(
            "UPDATE run SET lease_until = ?4 WHERE id = ?1 AND status = 'running' \
             AND lease_owner = ?2 AND lease_until >= ?3",
            params![run, owner, at, lease_until],
        );
        Ok(renewed.map_err(|error| self.failed("leasing a run", &error))? > 0)
    }

    /// Ends a run that goes on; `false` if it had ended before.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn end_run(&self, run: i64, status: RunStatus, at: i64) -> Result<bool, StoreError> {
        let ended = self.lock().execute(
            "UPDATE run SET status = ?2, ended_at = ?3, lease_owner = NULL, lease_until = NULL \
             WHERE id = ?1 AND status = 'running'",
            params![run, status.as_str(), at],
        );
        Ok(ended.map_err(|error| self.failed("ending a run", &error))? > 0)
    }

    /// Every run, in order. A status that is none is an error of its own; the
    /// other runs are there.
    ///
    /// # Errors
    /// [`StoreError`] if the table cannot be read.
    pub fn runs(&self) -> Result<Vec<RunRecord>, StoreError> {
        self.all(
            "reading the runs",
            "SELECT id, caller, status, started_at, ended_at, lease_until FROM run ORDER BY id",
            |row| {
                Ok(RunRecord {
                    id: row.get(0)?,
                    caller: row.get(1)?,
                    status: RunStatus::read(row.get(2)?),
                    started_at: row.get(3)?,
                    ended_at: row.get(4)?,
                    lease_until: row.get(5)?,
                })
            },
        )
    }

    /// Stores the next step of a run.
    ///
    /// # Errors
    /// [`StoreError`]; then nothing was stored.
    pub fn append(&self, run: i64, step: &Step, at: i64) -> Result<(), StoreError> {
        let fields = step.fields();
        self.lock()
            .execute(
                "INSERT INTO event (run, sequence, at, kind, tool, effect, is_error, text, \
                 outcome) SELECT ?1, coalesce(max(sequence), 0) + 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 \
                 FROM event WHERE run = ?1",
                params![
                    run,
                    at,
                    fields.kind,
                    fields.tool,
                    fields.effect,
                    fields.is_error,
                    fields.text,
                    fields.outcome
                ],
            )
            .map_err(|error| self.failed("storing a step", &error))?;
        Ok(())
    }

    /// Every step of every run, in order. A row that is no step is an error of
    /// its own; the others are there.
    ///
    /// # Errors
    /// [`StoreError`] if the table cannot be read.
    pub fn events(&self) -> Result<Vec<Event>, StoreError> {
        self.all(
            "reading the steps",
            "SELECT run, sequence, at, kind, tool, effect, is_error, text, outcome FROM event \
             ORDER BY run, sequence",
            |row| {
                let (run, sequence) = (row.get(0)?, row.get(1)?);
                let step = fields(row)
                    .map_err(|_| NotAStep::NotText)
                    .and_then(Step::read)
                    .map_err(|reason| StoreError::UnreadableStep { run, sequence, reason });
                Ok(Event { run, sequence, at: row.get(2)?, step })
            },
        )
    }

    /// Stores that an operation with a server was completed.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn record_contact(&self, contact: &Contact) -> Result<(), StoreError> {
        self.lock()
            .execute(
                "INSERT INTO contact (server, at, operation, latency) VALUES (?1, ?2, ?3, ?4)",
                params![contact.server, contact.at, contact.operation, contact.latency],
            )
            .map_err(|error| self.failed("storing a contact", &error))?;
        Ok(())
    }

    /// Every contact, in order.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn contacts(&self) -> Result<Vec<Contact>, StoreError> {
        self.all(
            "reading the contacts",
            "SELECT server, at, operation, latency FROM contact ORDER BY id",
            |row| {
                Ok(Contact {
                    server: row.get(0)?,
                    at: row.get(1)?,
                    operation: row.get(2)?,
                    latency: row.get(3)?,
                })
            },
        )
    }

    /// Stores that the gate denied a call.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn record_denial(&self, denial: &LoggedDenial) -> Result<(), StoreError> {
        self.lock()
            .execute(
                "INSERT INTO denial (at, caller, tool, reason) VALUES (?1, ?2, ?3, ?4)",
                params![denial.at, denial.caller, denial.tool, denial.reason],
            )
            .map_err(|error| self.failed("storing a denial", &error))?;
        Ok(())
    }

    /// Every denial, in order.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn denials(&self) -> Result<Vec<LoggedDenial>, StoreError> {
        self.all(
            "reading the denials",
            "SELECT at, caller, tool, reason FROM denial ORDER BY id",
            |row| {
                Ok(LoggedDenial {
                    at: row.get(0)?,
                    caller: row.get(1)?,
                    tool: row.get(2)?,
                    reason: row.get(3)?,
                })
            },
        )
    }

    /// Every row of a query, in its order.
    pub(super) fn all<T>(
        &self,
        what: &'static str,
        query: &str,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let connection = self.lock();
        let rows = || connection.prepare_cached(query)?.query_map([], read)?.collect();
        let found: rusqlite::Result<Vec<T>> = rows();
        found.map_err(|error| self.failed(what, &error))
    }
}

fn fields(row: &Row<'_>) -> rusqlite::Result<Fields> {
    Ok(Fields {
        kind: row.get(3)?,
        tool: row.get(4)?,
        effect: row.get(5)?,
        is_error: row.get(6)?,
        text: row.get(7)?,
        outcome: row.get(8)?,
    })
}
