//! `elicitation/create` (client/elicitation, from 2025-06-18 on).

use serde_json::Value;

use super::RequestedSchema;
use super::handler::{Handler, invalid, unfit};
use crate::mcp::Revision;
use crate::mcp::json_rpc::ErrorObject;

/// Asks the user by `handler`, and holds the answer against the request.
pub(super) async fn answer(
    declared: &Value,
    params: Value,
    revision: Revision,
    handler: &Handler,
) -> Result<Value, ErrorObject> {
    // Before URL mode there is one mode, and no member that names it.
    let mode = match params.get("mode") {
        Some(Value::String(mode)) if revision.has_url_elicitation() => mode.as_str(),
        Some(_) if revision.has_url_elicitation() => return Err(invalid("`mode` is not a string")),
        _ => "form",
    };
    if !declares(declared, mode) {
        return Err(invalid("This mode of elicitation was not declared"));
    }
    if !params["message"].is_string() {
        return Err(invalid("`message` is not a string"));
    }
    if mode == "url" {
        check_url(&params, revision)?;
        let result = handler(params).await?;
        if check_action(&result)? && result.get("content").is_some() {
            return Err(unfit("The answer to a URL has no content"));
        }
        return Ok(result);
    }
    let schema = params["requestedSchema"].clone();
    let schema = RequestedSchema::new(&schema, revision).map_err(|fault| {
        invalid(format!("`requestedSchema` is not one that may be asked for: {fault}"))
    })?;
    let mut result = handler(params).await?;
    if check_action(&result)? {
        let content = match result.get("content") {
            None => serde_json::Map::new(),
            Some(Value::Object(content)) => content.clone(),
            Some(_) => return Err(unfit("The answer's content is not an object")),
        };
        let content = schema.with_defaults(content);
        if !schema.holds(&content) {
            return Err(unfit("The answer does not fit the requested schema"));
        }
        result["content"] = Value::Object(content);
    }
    Ok(result)
}

/// Whether a capability covers a mode; an empty one covers forms alone.
fn declares(declared: &Value, mode: &str) -> bool {
    let is_empty = declared.as_object().is_none_or(serde_json::Map::is_empty);
    declared.get(mode).is_some_and(|value| !value.is_null()) || (is_empty && mode == "form")
}

fn check_url(params: &Value, revision: Revision) -> Result<(), ErrorObject> {
    if params["url"].as_str().is_none_or(|url| url::Url::parse(url).is_err()) {
        return Err(invalid("`url` is not a URL"));
    }
    if revision.identifies_elicitations() && !params["elicitationId"].is_string() {
        return Err(invalid("`elicitationId` is not a string"));
    }
    Ok(())
}

/// Whether the user accepted; an error if the answer is none of the three.
fn check_action(result: &Value) -> Result<bool, ErrorObject> {
    match result["action"].as_str() {
        Some("accept") => Ok(true),
        Some("decline" | "cancel") => Ok(false),
        _ => Err(unfit("The answer is none of accept, decline and cancel")),
    }
}
