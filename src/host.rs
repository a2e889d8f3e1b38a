//! What surrounds a client in an application: [`Host`]. It knows which tools
//! there are, who may call them, what was called and what came of it, and
//! whether a server is alive.
//!
//! | part | what it is |
//! |---|---|
//! | [`catalogue`], [`schema`], [`tool`] | the tools of a server, as they were imported |
//! | [`changes`] | what became of a tool since a person enabled it |
//! | [`gate`] | whether a tool may be called |
//! | [`run`], [`step`], `calling` | what was called, step by step |
//! | [`tool_result`], [`outcome`], [`content`] | what came of it |
//! | [`store`] | where all of that is kept |
//!
//! The client keeps no record of its own: the steps of runs are the audit.
//! Contacts are another fact for another reader: whether a server is up.

mod calling;
pub mod catalogue;
pub mod changes;
pub mod clock;
pub mod content;
pub mod error;
pub mod gate;
pub mod outcome;
pub mod run;
pub mod schema;
pub mod step;
pub mod store;
pub mod tool;
pub mod tool_result;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

pub use self::calling::Call;
pub use self::catalogue::{Import, RefusalReason, RefusedTool};
pub use self::changes::Changes;
pub use self::clock::Clock;
pub use self::error::{CallRefusal, HostError};
pub use self::gate::{Caller, Decision, Denial, Mode, Model};
pub use self::outcome::Outcome;
pub use self::run::Run;
pub use self::step::Step;
pub use self::store::{RunStatus, Store, StoreError};
pub use self::tool::{Origin, Tool};
pub use self::tool_result::ToolResult;

use self::store::{Contact, StoredTool};
use crate::mcp::client::{Cancellation, Client, ClientError, Completed, Operation};
use crate::mcp::metadata;
use crate::profile::Operator;

/// What a host is made with.
pub struct Parts {
    /// The client of its server.
    pub client: Client,
    /// What the operator declared of the server.
    pub operator: Operator,
    /// Where it keeps what has to outlive it.
    pub store: Store,
    /// The time that it writes down.
    pub clock: Clock,
    /// By what it holds a run, different from that of every other process.
    pub lease_owner: String,
}

/// A host with one server. A clone is another handle.
#[derive(Clone)]
pub struct Host(Arc<Inner>);

struct Inner {
    client: Client,
    operator: Operator,
    store: Store,
    clock: Clock,
    lease_owner: String,
    /// The host's own tools, by name.
    own_tools: Mutex<BTreeMap<String, Tool>>,
}

/// What a server that was reached says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Ping {
    /// What the round trip took, in milliseconds.
    pub latency: i64,
    /// The versions: the one that it chose; from 2026-07-28 on those that it
    /// supports.
    pub versions: Vec<String>,
    /// Its name and version, as it says: `{"name": …, "version": …}`.
    pub server: Value,
    /// The capabilities that it declares.
    pub capabilities: Value,
}

impl Host {
    /// A host that has sent nothing yet.
    pub fn new(parts: Parts) -> Self {
        let Parts { client, operator, store, clock, lease_owner } = parts;
        let own_tools = Mutex::default();
        Host(Arc::new(Inner { client, operator, store, clock, lease_owner, own_tools }))
    }

    /// What it keeps.
    pub fn store(&self) -> &Store {
        &self.0.store
    }

    /// What the operator declared of its server.
    pub fn operator(&self) -> &Operator {
        &self.0.operator
    }

    /// What its server is known by, over HTTP its origin: what was enabled at
    /// another one is off.
    pub fn origin(&self) -> &str {
        self.0.client.server()
    }

    /// Walks the server's list of tools and takes in what it finds.
    ///
    /// # Errors
    /// [`HostError`]; then the catalogue is as it was.
    pub async fn import(&self) -> Result<Import, HostError> {
        let list = self.perform(Operation::ListTools, &Cancellation::new()).await?;
        let identifier = self.0.operator.identifier.as_str();
        let others = self.0.store.tools()?.into_iter().filter(|tool| tool.server != identifier);
        let taken = others.map(|tool| (tool.local_name, tool.server)).collect();
        let listed = list.result.as_array().map(Vec::as_slice).unwrap_or_default();
        let (tools, mut refused) = catalogue::prepare(listed, identifier, self.origin(), &taken);
        refused.extend(catalogue::left_out(list.left_out));
        let (became, orphaned) = self.0.store.import(identifier, &tools, self.now())?;
        let names = tools.into_iter().map(|tool| tool.local_name);
        Ok(Import { imported: names.zip(became).collect(), refused, orphaned })
    }

    /// Adds a tool of the host's own, which is on.
    pub fn add_own_tool(&self, tool: Tool) {
        self.own_tools().insert(tool.name.clone(), tool);
    }

    /// The tool that is registered under this local name; `None` if there is
    /// none, or if the row in the catalogue cannot be offered.
    ///
    /// # Errors
    /// [`StoreError`] if the catalogue cannot be read.
    pub fn tool(&self, name: &str) -> Result<Option<Tool>, StoreError> {
        if let Some(tool) = self.own_tools().get(name) {
            return Ok(Some(tool.clone()));
        }
        let row = self.0.store.tool(name)?;
        Ok(row.and_then(|row| self.registered(&row)))
    }

    /// Every tool that is registered, by name.
    ///
    /// # Errors
    /// [`StoreError`] if the catalogue cannot be read.
    pub fn tools(&self) -> Result<Vec<Tool>, StoreError> {
        let mut tools: Vec<Tool> = self.own_tools().values().cloned().collect();
        let rows = self.0.store.tools()?;
        tools.extend(rows.iter().filter_map(|row| self.registered(row)));
        tools.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(tools)
    }

    fn registered(&self, row: &StoredTool) -> Option<Tool> {
        catalogue::registered(row, &self.0.operator, self.origin())
    }

    /// Whether `caller` may call the tool of this local name. Nothing is
    /// recorded.
    ///
    /// # Errors
    /// [`StoreError`] if the catalogue cannot be read.
    pub fn decide(&self, name: &str, caller: &Caller) -> Result<Decision, StoreError> {
        Ok(gate::decide(self.tool(name)?.as_ref(), caller))
    }

    /// Does one operation; if it is completed, that is a contact.
    async fn perform(
        &self,
        operation: Operation,
        cancellation: &Cancellation,
    ) -> Result<Completed, ClientError> {
        let method = operation.method();
        let completed = self.0.client.perform_timed(operation, cancellation).await?;
        self.contact(method, latency(&completed));
        Ok(completed)
    }

    fn contact(&self, operation: &str, latency: i64) {
        // Whether a server is up is told beside the call: it never fails one.
        let _ = self.0.store.record_contact(&Contact {
            server: self.0.operator.identifier.clone(),
            at: self.now(),
            operation: operation.to_owned(),
            latency,
        });
    }

    /// Whether the server can be reached, and what it says of itself. The
    /// catalogue stays as it is.
    ///
    /// # Errors
    /// [`ClientError`] if it cannot; that is not stored.
    pub async fn ping(&self) -> Result<Ping, ClientError> {
        // From 2026-07-28 on there is no ping; asking what the server is says
        // as much.
        let of_era = |has_ping| if has_ping { Operation::Ping } else { Operation::Discover };
        let mut has_ping = self.0.client.revision().has_handshake();
        let mut asked = self.perform(of_era(has_ping), &Cancellation::new()).await;
        // A client of both eras knows which one it is only when it is connected.
        if self.0.client.revision().has_handshake() != has_ping {
            has_ping = !has_ping;
            asked = self.perform(of_era(has_ping), &Cancellation::new()).await;
        }
        let completed = asked?;
        let (introduction, versions) = if has_ping {
            let introduction = self.0.client.connect().await?;
            (introduction, self.0.client.protocol_version().into_iter().collect())
        } else {
            let supported = completed.result["supportedVersions"].as_array();
            let versions = supported.into_iter().flatten().filter_map(Value::as_str);
            let versions = versions.map(str::to_owned).collect();
            (completed.result.clone(), versions)
        };
        let server = match &introduction["serverInfo"] {
            Value::Null => &introduction["_meta"][metadata::SERVER_INFO],
            info => info,
        };
        Ok(Ping {
            latency: latency(&completed),
            versions,
            server: json!({ "name": server["name"], "version": server["version"] }),
            capabilities: introduction["capabilities"].clone(),
        })
    }

    /// Ends the connection to the server.
    ///
    /// # Errors
    /// [`ClientError`] if the server was not reached; it is closed all the
    /// same.
    pub async fn close(&self) -> Result<(), ClientError> {
        self.0.client.close().await
    }

    fn now(&self) -> i64 {
        self.0.clock.now()
    }

    fn own_tools(&self) -> MutexGuard<'_, BTreeMap<String, Tool>> {
        self.0.own_tools.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn latency(completed: &Completed) -> i64 {
    i64::try_from(completed.round_trip.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
