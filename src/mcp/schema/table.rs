//! The types of one revision: a [`Table`], read and compiled when they are first
//! asked for.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use jsonschema::{Draft, Registry, Validator};
use serde_json::{Map, Value, json};

use super::Sender;
use super::invalid::Invalid;
use crate::mcp::Revision;

/// By what name a compiled type refers to the others.
const BASE: &str = "urn:mcp";

/// The types of one revision.
pub(super) struct Table {
    types: Map<String, Value>,
    registry: Registry<'static>,
    /// The type of each method: of a request or a notification, by its sender.
    methods: HashMap<(Sender, bool, String), String>,
    /// The types that were asked for so far.
    compiled: RwLock<HashMap<String, Arc<Validator>>>,
}

impl Table {
    /// The table of a revision.
    pub fn of(revision: Revision) -> &'static Table {
        static TABLES: [OnceLock<Table>; Revision::ALL.len()] =
            [const { OnceLock::new() }; Revision::ALL.len()];
        TABLES[revision as usize].get_or_init(|| {
            let text = match revision {
                Revision::V2025_03_26 => include_str!("2025-03-26.json"),
                Revision::V2025_06_18 => include_str!("2025-06-18.json"),
                Revision::V2025_11_25 => include_str!("2025-11-25.json"),
                Revision::V2026_07_28 => include_str!("2026-07-28.json"),
            };
            Table::read(text)
        })
    }

    /// Reads a table that is part of the program: a test reads them all, and
    /// compiles every type in them.
    fn read(text: &str) -> Table {
        let types: Map<String, Value> =
            serde_json::from_str(text).expect("a table of the program is an object");
        let document =
            json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": types });
        let registry = Registry::new()
            .add(BASE, document)
            .and_then(|registry| registry.prepare())
            .expect("the types of a table refer to each other alone");
        let methods = methods(&types);
        Table { types, registry, methods, compiled: RwLock::default() }
    }

    /// Whether there is a type of this name.
    pub fn has(&self, name: &str) -> bool {
        self.types.contains_key(name)
    }

    /// The names of all types.
    #[cfg(test)]
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.types.keys().map(String::as_str)
    }

    /// The first of these names that there is: some types were renamed.
    pub fn first<'a>(&self, names: &[&'a str]) -> &'a str {
        names.iter().find(|name| self.has(name)).expect("each revision has one of the names")
    }

    /// The type of a request or a notification that `sender` may send; `None` if
    /// the revision has no such method.
    pub fn type_of(&self, sender: Sender, is_request: bool, method: &str) -> Option<&str> {
        self.methods.get(&(sender, is_request, method.to_owned())).map(String::as_str)
    }

    /// Holds `value` against the type `name`.
    pub fn hold(&self, name: &str, value: &Value) -> Result<(), Invalid> {
        let validator = self.validator(name);
        // The first question is answered several times as fast as the second.
        if validator.is_valid(value) {
            return Ok(());
        }
        match validator.iter_errors(value).next() {
            Some(error) => Err(Invalid::new(name, &error)),
            None => Ok(()),
        }
    }

    fn validator(&self, name: &str) -> Arc<Validator> {
        let known = self.compiled.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        known.unwrap_or_else(|| {
            let reference = json!({ "$ref": format!("{BASE}#/$defs/{name}") });
            let validator = jsonschema::options()
                .with_draft(Draft::Draft202012)
                .with_registry(&self.registry)
                .build(&reference)
                .expect("every type of a table can be compiled");
            let mut compiled = self.compiled.write().unwrap_or_else(PoisonError::into_inner);
            compiled.entry(name.to_owned()).or_insert_with(|| Arc::new(validator)).clone()
        })
    }
}

/// The type of each method, by the unions that list what a side may send. A
/// side that may send one thing only has that in place of a union.
fn methods(types: &Map<String, Value>) -> HashMap<(Sender, bool, String), String> {
    let mut methods = HashMap::new();
    for (union, sender, is_request) in [
        ("ClientRequest", Sender::Client, true),
        ("ServerRequest", Sender::Server, true),
        ("ClientNotification", Sender::Client, false),
        ("ServerNotification", Sender::Server, false),
    ] {
        let Some(listed) = types.get(union) else { continue };
        let names = match listed["anyOf"].as_array() {
            Some(members) => members
                .iter()
                .filter_map(|member| member["$ref"].as_str()?.rsplit('/').next())
                .collect(),
            None => vec![union],
        };
        for name in names {
            if let Some(method) = types[name]["properties"]["method"]["const"].as_str() {
                methods.insert((sender, is_request, method.to_owned()), name.to_owned());
            }
        }
    }
    methods
}
