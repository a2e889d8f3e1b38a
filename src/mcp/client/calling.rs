//! A request that may need the list of tools first: [`send`].

use serde_json::Value;

use super::budget::Budget;
use super::channel::Progress;
use super::error::ClientError;
use super::inner::{Attempts, Inner, callable};
use super::operation::Operation;
use super::pages;
use crate::mcp::Revision;
use crate::mcp::json_rpc::HEADER_MISMATCH;

/// Sends a request of `operation` as [`Inner::send`] does. If the server refuses a
/// call for its header fields, the tools are listed anew, and it is sent once more.
///
/// # Errors
/// Whatever the request came to.
pub(super) async fn send(
    client: &Inner,
    operation: &Operation,
    params: Option<Value>,
    progress: Progress,
    budget: &mut Budget,
) -> Result<Value, ClientError> {
    let mut attempts = Attempts::default();
    let sent = client.send(operation, params.clone(), progress, &mut attempts, budget).await;
    let mirrors = attempts.revision.is_some_and(Revision::mirrors_parameters);
    match sent {
        Err(error)
            if error.facts.code == Some(HEADER_MISMATCH)
                && matches!(operation, Operation::CallTool { .. })
                && mirrors =>
        {
            // What the tool wants in header fields may have changed
            // (basic/transports/streamable-http, "Client Behavior").
            client.cache.forget("tools/list");
            let tools = Operation::ListTools;
            match pages::walk(client, &tools, "tools", progress, budget).await {
                Ok(_) => {}
                Err(given_up) if given_up.is_cancellation() => return Err(given_up),
                // What the caller asked for was the call.
                Err(_) => return Err(error),
            }
            callable(client.channel.transport(), operation)?;
            client.send(operation, params, progress, &mut attempts, budget).await
        }
        outcome => outcome,
    }
}
