//! What the raw server replies from 2025-03-26 to 2025-11-25.

use serde_json::{Value, json};

use super::offered::{is_foreign, result, tell_progress};
use super::server::{Asked, Framing, Reply, State};

const VERSIONS: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];

/// Its sessions are in `state`; without one it has none.
pub fn reply(asked: &Asked, state: Option<&State>) -> Reply {
    if is_foreign(asked) {
        return Reply::status(403);
    }
    if asked.is("initialize") {
        return initialize(asked, state);
    }
    let version = match session(asked, state) {
        Ok(version) => version,
        Err(status) => return Reply::status(status),
    };
    match asked.verb.as_str() {
        "POST" => post(asked, &version),
        "GET" => {
            let said = json!({
                "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "info", "data": "up" },
            });
            Reply { framing: Framing::Stream, ..Reply::json(200, said) }
        }
        "DELETE" => match state {
            Some(state) => {
                let ended = asked.header("mcp-session-id").unwrap_or_default();
                state.sessions.lock().unwrap().remove(ended);
                Reply::status(200)
            }
            None => Reply::status(405),
        },
        _ => Reply::status(405),
    }
}

fn initialize(asked: &Asked, state: Option<&State>) -> Reply {
    let wanted = asked.param("protocolVersion").as_str().unwrap_or_default();
    let version = if VERSIONS.contains(&wanted) { wanted } else { VERSIONS[0] };
    let mut reply = Reply::result(
        asked,
        json!({
            "protocolVersion": version,
            "capabilities": {
                "tools": {}, "resources": { "subscribe": true }, "prompts": {}, "logging": {}, "completions": {},
            },
            "serverInfo": { "name": "raw", "version": "1.0.0" },
        }),
    );
    if let Some(state) = state {
        reply.fields.push(("Mcp-Session-Id".into(), state.open(version)));
    }
    reply
}

/// The version that a request is in, or the status that refuses it.
fn session(asked: &Asked, state: Option<&State>) -> Result<String, u16> {
    let named = asked.header("mcp-protocol-version");
    if named.is_some_and(|version| !VERSIONS.contains(&version)) {
        return Err(400);
    }
    match state {
        Some(state) => {
            let session = asked.header("mcp-session-id").ok_or(400_u16)?;
            state.sessions.lock().unwrap().get(session).cloned().ok_or(404)
        }
        // Without the field it is the revision that had none.
        None => Ok(named.unwrap_or("2025-03-26").to_owned()),
    }
}

fn post(asked: &Asked, version: &str) -> Reply {
    let message = &asked.message;
    if let Value::Array(batch) = message
        && version == "2025-03-26"
    {
        let answers = batch.iter().filter(|one| one.get("id").is_some());
        let answers = answers.map(|one| json!({ "jsonrpc": "2.0", "id": one["id"], "result": {} }));
        return Reply::json(200, answers.collect());
    }
    if !message.is_object() {
        let code = if message.is_null() { -32700 } else { -32600 };
        return Reply::error(asked, 400, code, Value::Null);
    }
    if message.get("id").is_none() || message.get("method").is_none() {
        return Reply::status(202);
    }
    let mut reply = match asked.method() {
        "ping" | "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe" => {
            Reply::result(asked, json!({}))
        }
        _ => match result(asked, false) {
            Ok(result) => Reply::result(asked, result),
            Err(code) => Reply::error(asked, 200, code, Value::Null),
        },
    };
    tell_progress(asked, &mut reply);
    reply
}
