//! What a host kept, as a judge reads it: [`Record`].

use rhai::Dynamic;
use serde_json::{Value, json};

use crate::host::{Store, StoreError};
use crate::script::value::{List, deep_copy, from_json, to_json};

/// What a host kept, as a judge reads it: lists of maps.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Steps of runs.
    pub audit: List,
    /// Runs.
    pub runs: List,
    /// Completed operations.
    pub contacts: List,
    /// Denials of the gate.
    pub denials: List,
    /// Tools of servers, as they are stored.
    pub catalogue: List,
}

impl Record {
    pub(super) fn read(store: &Store) -> Result<Self, StoreError> {
        fn list(rows: impl Iterator<Item = Value>) -> List {
            rows.map(|row| from_json(&row)).collect()
        }
        let decoded = |text: &str| serde_json::from_str(text).unwrap_or(Value::Null);
        Ok(Record {
            audit: list(store.events()?.iter().map(|event| {
                let mut row = event.to_json();
                row["run"] = event.run.into();
                row
            })),
            runs: list(store.runs()?.iter().map(|run| {
                json!({
                    "id": run.id,
                    "caller": run.caller,
                    "status": run.status.as_ref().ok().map(|status| status.as_str()),
                    "started_at": run.started_at,
                    "ended_at": run.ended_at,
                })
            })),
            contacts: list(store.contacts()?.iter().map(|contact| {
                json!({
                    "server": contact.server,
                    "at": contact.at,
                    "operation": contact.operation,
                    "latency": contact.latency,
                })
            })),
            denials: list(store.denials()?.iter().map(|denial| {
                json!({
                    "at": denial.at,
                    "caller": denial.caller,
                    "tool": denial.tool,
                    "reason": denial.reason,
                })
            })),
            catalogue: list(store.tools()?.iter().map(|tool| {
                json!({
                    "server": tool.server,
                    "remote_name": tool.remote_name,
                    "local_name": tool.local_name,
                    "description": tool.description,
                    "schema": decoded(&tool.schema),
                    "schema_as_sent": decoded(&tool.schema_as_sent),
                    "annotations": tool.annotations.as_deref().map(decoded),
                    "origin": tool.origin,
                    "enabled": tool.enabled,
                    "changed": tool.changed.words(),
                    "orphaned": tool.orphaned,
                })
            })),
        })
    }

    /// A copy that shares nothing that a script can change in place.
    pub fn copy(&self) -> Self {
        let copy = |list: &List| list.0.iter().map(deep_copy).collect();
        Record {
            audit: copy(&self.audit),
            runs: copy(&self.runs),
            contacts: copy(&self.contacts),
            denials: copy(&self.denials),
            catalogue: copy(&self.catalogue),
        }
    }

    /// The record as text: to see whether a fault changed it.
    pub fn text(&self) -> String {
        let all = [&self.audit, &self.runs, &self.contacts, &self.denials, &self.catalogue];
        let texts = all.map(|list| {
            let json = to_json(&Dynamic::from(list.clone()));
            json.map_or_else(|other| other, |json| json.to_string())
        });
        texts.join("\n")
    }
}
