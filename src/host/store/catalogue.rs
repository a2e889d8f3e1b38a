//! The tools of servers in the store.

use std::collections::{HashMap, HashSet};

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Store, StoreError, StoredTool};
use crate::host::changes::Changes;

/// What became of a tool at an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imported {
    /// It is new, and off.
    New,
    /// It is as it was.
    Unchanged,
    /// Its description, schema, annotations or origin are others than before.
    Changed,
    /// It was orphaned and is back.
    Returned,
}

impl Imported {
    /// What became of it in a word: `new`, `unchanged`, `changed`, `returned`.
    pub fn as_str(self) -> &'static str {
        match self {
            Imported::New => "new",
            Imported::Unchanged => "unchanged",
            Imported::Changed => "changed",
            Imported::Returned => "returned",
        }
    }
}

const COLUMNS: &str = "server, remote_name, local_name, description, schema, schema_as_sent, \
                       annotations, origin, enabled, changed, orphaned";

fn read(row: &Row<'_>) -> rusqlite::Result<StoredTool> {
    Ok(StoredTool {
        server: row.get(0)?,
        remote_name: row.get(1)?,
        local_name: row.get(2)?,
        description: row.get(3)?,
        schema: row.get(4)?,
        schema_as_sent: row.get(5)?,
        annotations: row.get(6)?,
        origin: row.get(7)?,
        enabled: row.get(8)?,
        changed: changes(row, 9)?,
        orphaned: row.get(10)?,
    })
}

fn changes(row: &Row<'_>, at: usize) -> rusqlite::Result<Changes> {
    let text: Option<String> = row.get(at)?;
    text.unwrap_or_default()
        .parse()
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(at, Type::Text, Box::new(error)))
}

/// As it is stored: null if nothing changed.
fn written(changes: Changes) -> Option<String> {
    changes.any().then(|| changes.to_string())
}

impl Store {
    /// Takes in what a walk of `server`'s list found: each of `tools` is
    /// stored, and every other one of the server is orphaned. All or nothing.
    ///
    /// `enabled`, `changed` and `orphaned` of `tools` are not looked at: a new
    /// tool is off, a known one keeps what the operator set, unless it was
    /// enabled and is not the same any more: that one is off until it is enabled
    /// again.
    ///
    /// # Errors
    /// [`StoreError`]; then the catalogue is as it was.
    pub fn import(
        &self,
        server: &str,
        tools: &[StoredTool],
        at: i64,
    ) -> Result<(Vec<Imported>, Vec<String>), StoreError> {
        let mut connection = self.lock();
        import(&mut connection, server, tools, at)
            .map_err(|error| self.failed("storing the catalogue", &error))
    }

    /// Every stored tool, by its local name.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn tools(&self) -> Result<Vec<StoredTool>, StoreError> {
        let query = format!("SELECT {COLUMNS} FROM tool ORDER BY local_name");
        self.all("reading the catalogue", &query, read)
    }

    /// The stored tool of this local name; `None` if there is none.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn tool(&self, local_name: &str) -> Result<Option<StoredTool>, StoreError> {
        let connection = self.lock();
        let query = format!("SELECT {COLUMNS} FROM tool WHERE local_name = ?1");
        let found = connection
            .prepare_cached(&query)
            .and_then(|mut query| query.query_row([local_name], read).optional());
        found.map_err(|error| self.failed("reading the catalogue", &error))
    }

    /// Switches the tool of this local name on, as it is stored now, or off;
    /// `false` if there is none.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn enable(&self, local_name: &str, enabled: bool) -> Result<bool, StoreError> {
        let connection = self.lock();
        let changed = connection.execute(
            "UPDATE tool SET enabled = ?2, changed = NULL WHERE local_name = ?1",
            params![local_name, enabled],
        );
        Ok(changed.map_err(|error| self.failed("enabling a tool", &error))? > 0)
    }
}

fn import(
    connection: &mut Connection,
    server: &str,
    tools: &[StoredTool],
    at: i64,
) -> rusqlite::Result<(Vec<Imported>, Vec<String>)> {
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let query = format!("SELECT {COLUMNS} FROM tool WHERE server = ?1 ORDER BY remote_name");
    let before: Vec<StoredTool> =
        transaction.prepare(&query)?.query_map([server], read)?.collect::<Result<_, _>>()?;
    let known: HashMap<&str, &StoredTool> =
        before.iter().map(|tool| (tool.remote_name.as_str(), tool)).collect();
    let mut insert = transaction.prepare(
        "INSERT INTO tool (server, remote_name, local_name, description, schema, schema_as_sent, \
         annotations, origin, enabled, changed, imported_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) \
         ON CONFLICT (server, remote_name) DO UPDATE SET description = ?4, schema = ?5, \
         schema_as_sent = ?6, annotations = ?7, origin = ?8, enabled = ?9, changed = ?10, \
         imported_at = ?11, orphaned = 0",
    )?;
    let mut imported = Vec::new();
    for tool in tools {
        let known = known.get(tool.remote_name.as_str());
        let differs = known.map_or_else(Changes::default, |known| StoredTool::changes(known, tool));
        let (enabled, changed) = known.map_or_else(Default::default, |known| {
            let was_approved = known.enabled || known.changed.any();
            let changed = if was_approved { known.changed.and(differs) } else { known.changed };
            (known.enabled && !changed.any(), changed)
        });
        insert.execute(params![
            server,
            tool.remote_name,
            tool.local_name,
            tool.description,
            tool.schema,
            tool.schema_as_sent,
            tool.annotations,
            tool.origin,
            enabled,
            written(changed),
            at
        ])?;
        imported.push(match known {
            None => Imported::New,
            Some(known) if known.orphaned => Imported::Returned,
            Some(_) if differs.any() => Imported::Changed,
            Some(_) => Imported::Unchanged,
        });
    }
    drop(insert);
    let listed: HashSet<&str> = tools.iter().map(|tool| tool.remote_name.as_str()).collect();
    let mut orphaned = Vec::new();
    for tool in before.iter().filter(|tool| !listed.contains(tool.remote_name.as_str())) {
        if !tool.orphaned {
            orphaned.push(tool.local_name.clone());
        }
        transaction.execute(
            "UPDATE tool SET orphaned = 1 WHERE server = ?1 AND remote_name = ?2",
            params![server, tool.remote_name],
        )?;
    }
    transaction.commit()?;
    Ok((imported, orphaned))
}
