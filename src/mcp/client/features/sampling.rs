//! `sampling/createMessage` (client/sampling).

use std::collections::BTreeSet;

use serde_json::Value;

use super::handler::{Handler, invalid, unfit};
use crate::mcp::Revision;
use crate::mcp::json_rpc::ErrorObject;

/// Lets `handler` write a message, and holds it against the revision.
pub(super) async fn answer(
    declared: &Value,
    params: Value,
    revision: Revision,
    handler: &Handler,
) -> Result<Value, ErrorObject> {
    let Some(messages) = params["messages"].as_array() else {
        return Err(invalid("`messages` is not a list"));
    };
    if revision.has_sampling_tools() {
        let asks_for_tools = params.get("tools").is_some() || params.get("toolChoice").is_some();
        if asks_for_tools && declared["tools"].is_null() {
            return Err(invalid("The use of tools in sampling was not declared"));
        }
        check_tool_results(messages)?;
    }
    let result = handler(params).await?;
    if !result["model"].is_string() {
        return Err(unfit("The message does not say which model wrote it"));
    }
    if !matches!(result["role"].as_str(), Some("assistant" | "user")) {
        return Err(unfit("The message is neither of the assistant nor of the user"));
    }
    if contents(&result).next().is_none() {
        return Err(unfit("The message has no content"));
    }
    Ok(result)
}

/// Each use of a tool is followed by a message of its results, and of nothing
/// else ("Tool Use and Result Balance", "Tool Result Messages").
fn check_tool_results(messages: &[Value]) -> Result<(), ErrorObject> {
    let mut used = BTreeSet::new();
    for message in messages {
        let results: Vec<&Value> =
            contents(message).filter(|content| content["type"] == "tool_result").collect();
        if !results.is_empty() && results.len() != contents(message).count() {
            return Err(invalid("Tool results mixed with other content"));
        }
        let given: BTreeSet<&str> =
            results.iter().filter_map(|result| result["toolUseId"].as_str()).collect();
        if used != given {
            return Err(invalid("Tool result missing in request"));
        }
        let uses = contents(message).filter(|content| content["type"] == "tool_use");
        used = uses.filter_map(|content| content["id"].as_str()).collect();
    }
    if used.is_empty() { Ok(()) } else { Err(invalid("Tool result missing in request")) }
}

/// The contents of a message: one, or a list of them.
fn contents(message: &Value) -> impl Iterator<Item = &Value> {
    let (one, several) = match &message["content"] {
        Value::Array(several) => (None, several.as_slice()),
        one if one.is_object() => (Some(one), [].as_slice()),
        _ => (None, [].as_slice()),
    };
    one.into_iter().chain(several)
}
