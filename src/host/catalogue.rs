//! From a server's list of tools to the catalogue: an [`Import`].

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::changes::Changes;
use super::schema::{Rejection, normalize, stored};
use super::store::{Imported, StoredTool};
use super::tool::{Origin, Tool, local_name};
use crate::mcp::client::LeftOut;
use crate::mcp::header_parameter::InvalidAnnotation;
use crate::profile::Operator;

/// What an import came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Import {
    /// Every tool that was taken, by its local name.
    pub imported: Vec<(String, Imported)>,
    /// Every tool that was not: first what the host refused, in the order of the
    /// list, then what the client had left out of it.
    pub refused: Vec<RefusedTool>,
    /// The local names of tools that the server no longer lists, or no longer
    /// lists in a way that can be taken.
    pub orphaned: Vec<String>,
}

/// A tool of a list that was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedTool {
    /// Its remote name; `None` if it has none.
    pub remote_name: Option<String>,
    /// Why it was not taken.
    pub reason: RefusalReason,
}

/// Why a tool of a list is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefusalReason {
    /// It has no name, or one that is no string.
    #[error("it has no name")]
    NoName,
    /// A model could not be given its local name.
    #[error("its local name would not be 1 to 64 letters, digits, `_` and `-`")]
    UnusableName,
    /// The list has another tool of its name.
    #[error("its name is listed twice")]
    ListedTwice,
    /// A tool of another server has its local name.
    #[error("its local name belongs to a tool of the server `{0}`")]
    NameTaken(String),
    /// Its schema cannot be taken.
    #[error("its input schema cannot be taken: {0}")]
    Schema(#[from] Rejection),
    /// Its calls could not repeat their arguments in header fields as it says
    /// (2026-07-28, server/tools, "x-mcp-header").
    #[error("it cannot be called as it says: {0}")]
    HeaderAnnotation(InvalidAnnotation),
}

impl RefusalReason {
    /// The reason in a word: `no-name`, `unusable-name`, `listed-twice`,
    /// `name-taken`, `header-annotation`, or that of the [`Rejection`].
    pub fn as_str(&self) -> &'static str {
        match self {
            RefusalReason::NoName => "no-name",
            RefusalReason::UnusableName => "unusable-name",
            RefusalReason::ListedTwice => "listed-twice",
            RefusalReason::NameTaken(_) => "name-taken",
            RefusalReason::Schema(rejection) => rejection.as_str(),
            RefusalReason::HeaderAnnotation(_) => "header-annotation",
        }
    }
}

/// Reads a list of tools as it came from `origin`. `taken` are the local names
/// of other servers' tools, with their servers.
pub(super) fn prepare(
    list: &[Value],
    identifier: &str,
    origin: &str,
    taken: &BTreeMap<String, String>,
) -> (Vec<StoredTool>, Vec<RefusedTool>) {
    let (mut tools, mut refused) = (Vec::new(), Vec::new());
    let mut listed = BTreeSet::new();
    for tool in list {
        let name = tool["name"].as_str();
        let prepared = match name {
            None => Err(RefusalReason::NoName),
            Some(name) if !listed.insert(name) => Err(RefusalReason::ListedTwice),
            Some(name) => prepare_one(tool, name, identifier, origin, taken),
        };
        match prepared {
            Ok(tool) => tools.push(tool),
            Err(reason) => {
                refused.push(RefusedTool { remote_name: name.map(str::to_owned), reason });
            }
        }
    }
    (tools, refused)
}

fn prepare_one(
    tool: &Value,
    name: &str,
    identifier: &str,
    origin: &str,
    taken: &BTreeMap<String, String>,
) -> Result<StoredTool, RefusalReason> {
    let local_name = local_name(identifier, name).ok_or(RefusalReason::UnusableName)?;
    if let Some(server) = taken.get(&local_name) {
        return Err(RefusalReason::NameTaken(server.clone()));
    }
    let schema = Value::from(normalize(&tool["inputSchema"])?);
    let annotations = &tool["annotations"];
    Ok(StoredTool {
        server: identifier.to_owned(),
        remote_name: name.to_owned(),
        local_name,
        description: tool["description"].as_str().map(str::to_owned),
        schema: schema.to_string(),
        schema_as_sent: tool["inputSchema"].to_string(),
        annotations: (!annotations.is_null()).then(|| annotations.to_string()),
        origin: Some(origin.to_owned()),
        enabled: false,
        changed: Changes::default(),
        orphaned: false,
    })
}

/// The tools that the client left out of the list, as refusals.
pub(super) fn left_out(tools: Vec<LeftOut>) -> impl Iterator<Item = RefusedTool> {
    tools.into_iter().map(|tool| RefusedTool {
        remote_name: tool.name,
        reason: RefusalReason::HeaderAnnotation(tool.reason),
    })
}

/// The tool of a stored row, with the operator's word on it; `None` if it is
/// orphaned, of a server that the operator does not have, or has no schema to
/// offer. What was enabled at another origin than `origin` is off: what a person
/// approved is what is called.
pub(super) fn registered(row: &StoredTool, operator: &Operator, origin: &str) -> Option<Tool> {
    if row.orphaned || row.server != operator.identifier {
        return None;
    }
    let changed = row.changed_at(origin);
    Some(Tool {
        name: row.local_name.clone(),
        origin: Origin::Remote { server: row.server.clone(), remote_name: row.remote_name.clone() },
        description: row.description.clone(),
        schema: stored(&row.schema)?,
        data_class: operator.data_class,
        requires_approval: operator.requires_approval,
        enabled: row.enabled && !changed.any(),
        changed,
    })
}
