//! The types of one revision: a [`Table`], read when it is first asked for.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::Sender;
use super::invalid::Invalid;
use super::judgement::judge;
use super::types::Types;
use crate::mcp::Revision;

use serde_json::Value;

/// The types of one revision.
pub(super) struct Table {
    types: Types,
    /// The type of each method: of a request or a notification, by its sender.
    methods: HashMap<(Sender, bool, String), String>,
}

impl Table {
    /// The table of a revision.
    pub fn of(revision: Revision) -> &'static Table {
        static TABLES: [OnceLock<Table>; Revision::ALL.len()] =
            [const { OnceLock::new() }; Revision::ALL.len()];
        TABLES[revision as usize].get_or_init(|| Table::read(Table::text(revision)))
    }

    /// What the table of a revision is read from.
    pub fn text(revision: Revision) -> &'static str {
        match revision {
            Revision::V2025_03_26 => include_str!("2025-03-26.json"),
            Revision::V2025_06_18 => include_str!("2025-06-18.json"),
            Revision::V2025_11_25 => include_str!("2025-11-25.json"),
            Revision::V2026_07_28 => include_str!("2026-07-28.json"),
        }
    }

    /// Reads a table that is part of the program: a test reads them all, and
    /// follows every reference in them.
    fn read(text: &str) -> Table {
        let types: Types = serde_json::from_str(text)
            .expect("a table of the program names types by known keywords");
        let methods = methods(&types);
        Table { types, methods }
    }

    /// Whether there is a type of this name.
    pub fn has(&self, name: &str) -> bool {
        self.types.contains_key(name)
    }

    /// All types by their names.
    #[cfg(test)]
    pub fn types(&self) -> &Types {
        &self.types
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
        judge(&self.types, &self.types[name], value).map_err(|unfit| Invalid::new(name, &unfit))
    }
}

/// The type of each method, by the unions that list what a side may send. A
/// side that may send one thing only has that in place of a union.
fn methods(types: &Types) -> HashMap<(Sender, bool, String), String> {
    let mut methods = HashMap::new();
    for (union, sender, is_request) in [
        ("ClientRequest", Sender::Client, true),
        ("ServerRequest", Sender::Server, true),
        ("ClientNotification", Sender::Client, false),
        ("ServerNotification", Sender::Server, false),
    ] {
        let Some(listed) = types.get(union) else { continue };
        let mut names: Vec<&str> =
            listed.any_of.iter().filter_map(|member| member.reference.as_deref()).collect();
        if names.is_empty() {
            names.push(union);
        }
        for name in names {
            let method = types[name].properties.get("method");
            if let Some(Value::String(method)) = method.and_then(|method| method.constant.as_ref())
            {
                methods.insert((sender, is_request, method.clone()), name.to_owned());
            }
        }
    }
    methods
}
