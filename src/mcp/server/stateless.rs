//! What a server without a handshake refuses before it looks at a request
//! (2026-07-28): [`refusal`]. It refuses nothing else than what the revision
//! says it must.

use http::{HeaderName, StatusCode};
use serde_json::{Value, json};

use super::answering::Answering;
use super::streams::json_body;
use crate::mcp::header_parameter::HeaderParameter;
use crate::mcp::json_rpc::{
    HEADER_MISMATCH, INVALID_PARAMS, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_PROTOCOL_VERSION,
};
use crate::mcp::{metadata, mirror};
use crate::wire::Request;
use crate::wire::double::Plan;

/// Why a request is refused: a code, a sentence, data.
type Refusal = (i64, String, Option<Value>);

/// The refusal of a request that the revision demands; `None` if there is none.
/// `supported` are the versions that the server speaks.
/// `parameters` are those of the tool that is called, if one is.
pub(super) fn refusal(
    request: &Request,
    message: &Value,
    supported: &[&str],
    parameters: &[HeaderParameter],
) -> Option<Plan> {
    let (code, mut sentence, data) = missing_header(request, message)
        .or_else(|| missing_metadata(message))
        .or_else(|| mismatch(request, message))
        .or_else(|| parameter_mismatch(request, message, parameters))
        .or_else(|| unsupported_version(message, supported))
        .or_else(|| undeclared_tasks(message))?;
    if message["method"] == "initialize" {
        // The one diagnostic that a client of the older era can show
        // (basic/versioning, "Backward Compatibility", SHOULD).
        sentence.push_str(&format!("; this server speaks {}", supported.join(", ")));
    }
    let revision = crate::mcp::Revision::V2026_07_28;
    let body = Answering::new(message, revision).error(code, &sentence, data.as_ref());
    Some(json_body(StatusCode::BAD_REQUEST, &body))
}

/// The fields that a request has, with what they have to say; a value that is
/// no string is nothing that a field could repeat.
fn mirrored(message: &Value) -> Vec<(HeaderName, Option<&str>)> {
    let version = message["params"]["_meta"][metadata::PROTOCOL_VERSION].as_str();
    let mut fields =
        vec![(mirror::PROTOCOL_VERSION, version), (mirror::METHOD, message["method"].as_str())];
    if let Some(member) = message["method"].as_str().and_then(mirror::name_member)
        && let Some(name) = message["params"][member].as_str()
    {
        fields.push((mirror::NAME, Some(name)));
    }
    fields
}

/// "Server Validation": a required field is missing.
fn missing_header(request: &Request, message: &Value) -> Option<Refusal> {
    let mut fields = mirrored(message).into_iter();
    let (name, _) = fields.find(|(name, _)| !request.headers().contains_key(name))?;
    Some((HEADER_MISMATCH, format!("Header mismatch: {name} is missing"), None))
}

/// basic, "Per-request protocol fields": a required one is missing.
fn missing_metadata(message: &Value) -> Option<Refusal> {
    let carried = &message["params"]["_meta"];
    let missing = if !carried[metadata::PROTOCOL_VERSION].is_string() {
        metadata::PROTOCOL_VERSION
    } else if !carried[metadata::CLIENT_CAPABILITIES].is_object() {
        metadata::CLIENT_CAPABILITIES
    } else {
        return None;
    };
    Some((INVALID_PARAMS, format!("Invalid params: _meta lacks {missing}"), None))
}

/// "Server Validation": a field does not say what the body says.
fn mismatch(request: &Request, message: &Value) -> Option<Refusal> {
    let agrees = |name: &HeaderName, expected: Option<&str>| {
        let mut values = request.headers().get_all(name).iter();
        let value = values.next().filter(|_| values.next().is_none());
        // Only a name may be encoded.
        let text = match *name == mirror::NAME {
            true => value.and_then(mirror::decode),
            false => value.and_then(|value| value.to_str().ok()).map(str::to_owned),
        };
        text.as_deref() == expected
    };
    let mut fields = mirrored(message).into_iter();
    let (name, _) = fields.find(|(name, expected)| !agrees(name, *expected))?;
    let sentence = format!("Header mismatch: {name} does not match the body");
    Some((HEADER_MISMATCH, sentence, None))
}

/// "Server Behavior for Custom Headers": an argument is not repeated as it is.
fn parameter_mismatch(
    request: &Request,
    message: &Value,
    parameters: &[HeaderParameter],
) -> Option<Refusal> {
    let wrong = parameters.iter().find(|parameter| {
        let said = request.headers().get(&parameter.field);
        let decoded = said.and_then(mirror::decode);
        // What cannot be decoded agrees with nothing.
        (said.is_some() && decoded.is_none())
            || !parameter.agrees(decoded.as_deref(), &message["params"]["arguments"])
    })?;
    let sentence = format!("Header mismatch: {} does not match the arguments", wrong.field);
    Some((HEADER_MISMATCH, sentence, None))
}

/// The extension for tasks, "Protocol Errors": who did not declare it may ask
/// for none.
fn undeclared_tasks(message: &Value) -> Option<Refusal> {
    let capabilities = &message["params"]["_meta"][metadata::CLIENT_CAPABILITIES];
    let asks = message["method"].as_str().is_some_and(|method| method.starts_with("tasks/"));
    if !asks || !capabilities["extensions"][metadata::TASKS].is_null() {
        return None;
    }
    let required = json!({ "requiredCapabilities": { "extensions": { metadata::TASKS: {} } } });
    let sentence = "Missing required client capability".to_owned();
    Some((MISSING_CLIENT_CAPABILITY, sentence, Some(required)))
}

/// basic/versioning, "Protocol Version Negotiation".
fn unsupported_version(message: &Value, supported: &[&str]) -> Option<Refusal> {
    let requested = message["params"]["_meta"][metadata::PROTOCOL_VERSION].as_str()?;
    if supported.contains(&requested) {
        return None;
    }
    let data = json!({ "supported": supported, "requested": requested });
    Some((UNSUPPORTED_PROTOCOL_VERSION, "Unsupported protocol version".to_owned(), Some(data)))
}
