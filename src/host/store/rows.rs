//! Rows written as they are, and writes that fail: for checks of what a host
//! does about either.

use rusqlite::types::{ToSql, Value as SqlValue};
use serde_json::{Map, Value};

use super::{Store, StoreError};

/// A table of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Tools of servers.
    Tool,
    /// Runs.
    Run,
    /// Steps of runs.
    Event,
    /// Completed operations.
    Contact,
    /// Denials of the gate.
    Denial,
}

impl Place {
    /// Every table.
    pub const ALL: [Place; 5] =
        [Place::Tool, Place::Run, Place::Event, Place::Contact, Place::Denial];

    /// The table's name: `tool`, `run`, `event`, `contact`, `denial`.
    pub fn as_str(self) -> &'static str {
        match self {
            Place::Tool => "tool",
            Place::Run => "run",
            Place::Event => "event",
            Place::Contact => "contact",
            Place::Denial => "denial",
        }
    }

    /// The table of this name.
    pub fn named(name: &str) -> Option<Place> {
        Place::ALL.into_iter().find(|place| place.as_str() == name)
    }
}

impl Store {
    /// From now on, each new row for `place` is refused by the database.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn refuse_rows(&self, place: Place) -> Result<(), StoreError> {
        let table = place.as_str();
        let trigger = format!(
            "CREATE TEMP TRIGGER IF NOT EXISTS refuse_{table} BEFORE INSERT ON main.{table} \
             BEGIN SELECT RAISE(ABORT, 'the store refuses every {table}'); END"
        );
        self.batch("refusing rows", &trigger)
    }

    /// Takes back [`Store::refuse_rows`].
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn take_rows(&self, place: Place) -> Result<(), StoreError> {
        let trigger = format!("DROP TRIGGER IF EXISTS temp.refuse_{}", place.as_str());
        self.batch("taking rows", &trigger)
    }

    /// From now on, the store has no room for more than it holds.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn fill(&self) -> Result<(), StoreError> {
        // SQLite raises the limit to the size that the database has.
        self.lock()
            .pragma_update_and_check(None, "max_page_count", 1, |_| Ok(()))
            .map_err(|error| self.failed("limiting the store", &error))
    }

    /// Writes a row as it is; one with the same key is replaced. With `checked`
    /// false the rules of the table do not hold for it, as they did not when
    /// an earlier version, or another program, wrote it.
    ///
    /// # Errors
    /// [`StoreError::Failed`] if a column does not exist, or a value breaks a
    /// rule.
    pub fn write_row(
        &self,
        place: Place,
        row: &Map<String, Value>,
        checked: bool,
    ) -> Result<(), StoreError> {
        let table = place.as_str();
        // A name between quotes stands for nothing else than a column.
        let quoted = |name: &String| format!("\"{}\"", name.replace('"', "\"\""));
        let columns: Vec<String> = row.keys().map(quoted).collect();
        let marks = vec!["?"; row.len()].join(", ");
        let values: Vec<SqlValue> = row.values().map(sql_value).collect();
        let values: Vec<&dyn ToSql> = values.iter().map(|value| value as &dyn ToSql).collect();
        let statement =
            format!("INSERT OR REPLACE INTO {table} ({}) VALUES ({marks})", columns.join(", "));
        let connection = self.lock();
        let ignore_rules =
            |ignore: bool| connection.pragma_update(None, "ignore_check_constraints", ignore);
        let written = ignore_rules(!checked)
            .and_then(|()| connection.execute(&statement, values.as_slice()).map(|_| ()));
        ignore_rules(false).and(written).map_err(|error| self.failed("writing a row", &error))
    }

    fn batch(&self, what: &'static str, statements: &str) -> Result<(), StoreError> {
        self.lock().execute_batch(statements).map_err(|error| self.failed(what, &error))
    }
}

fn sql_value(value: &Value) -> SqlValue {
    match value {
        Value::Null => SqlValue::Null,
        Value::Bool(truth) => SqlValue::Integer((*truth).into()),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => SqlValue::Integer(integer),
            None => SqlValue::Real(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => SqlValue::Text(text.clone()),
        structured => SqlValue::Text(structured.to_string()),
    }
}
