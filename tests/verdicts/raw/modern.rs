//! What the raw server replies at 2026-07-28.

use serde_json::{Value, json};

use super::offered::{is_foreign, result, tell_progress, tools};
use super::server::{Asked, Framing, Reply};
use super::{PREFIX, STATELESS, decoded};

/// Results that may be kept.
const CACHEABLE: [&str; 6] = [
    "server/discover",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
];

pub fn reply(asked: &Asked) -> Reply {
    if is_foreign(asked) {
        return Reply::status(403);
    }
    if asked.verb != "POST" {
        return Reply::status(405);
    }
    if !asked.message.is_object() {
        let code = if asked.message.is_null() { -32700 } else { -32600 };
        return Reply::error(asked, 400, code, Value::Null);
    }
    if asked.message.get("id").is_none() {
        return Reply::status(202);
    }
    if let Err((code, data)) = validated(asked) {
        return Reply::error(asked, 400, code, data);
    }
    if asked.is("subscriptions/listen") {
        return listen(asked);
    }
    let found = match asked.method() {
        "server/discover" => Ok(json!({
            "supportedVersions": [STATELESS],
            "capabilities": {
                "tools": { "listChanged": true }, "resources": {}, "prompts": {}, "completions": {},
            },
        })),
        _ => result(asked, true),
    };
    match found {
        Err(code) => Reply::error(asked, if code == -32601 { 404 } else { 200 }, code, Value::Null),
        Ok(mut result) => {
            complete(&mut result);
            if CACHEABLE.contains(&asked.method()) {
                result["ttlMs"] = 1000.into();
                result["cacheScope"] = "public".into();
            }
            let mut reply = Reply::result(asked, result);
            tell_progress(asked, &mut reply);
            reply
        }
    }
}

/// Says of which type a result is, and whose.
pub fn complete(result: &mut Value) {
    result["resultType"] = "complete".into();
    result["_meta"][format!("{PREFIX}serverInfo")] = json!({ "name": "raw", "version": "1.0.0" });
}

/// An interim result that asks for nothing but another round.
pub fn another_round() -> Value {
    let mut result = json!({ "requestState": "one" });
    complete(&mut result);
    result["resultType"] = "input_required".into();
    result
}

/// What each request has to carry, in its body and in its head
/// (basic/index#meta, basic/transports/streamable-http#server-validation).
fn validated(asked: &Asked) -> Result<(), (i64, Value)> {
    if asked.is("initialize") {
        let data = json!({ "supported": [STATELESS], "requested": asked.param("protocolVersion") });
        return Err((-32022, data));
    }
    let carried = asked.param("_meta");
    let version = carried[format!("{PREFIX}protocolVersion")].as_str();
    let Some(version) =
        version.filter(|_| carried[format!("{PREFIX}clientCapabilities")].is_object())
    else {
        return Err((-32602, Value::Null));
    };
    let mismatch = Err((-32020, Value::Null));
    if asked.header("mcp-protocol-version") != Some(version) {
        return mismatch;
    }
    if version != STATELESS {
        return Err((-32022, json!({ "supported": [STATELESS], "requested": version })));
    }
    if asked.header("mcp-method") != Some(asked.method()) {
        return mismatch;
    }
    let named = match asked.method() {
        "tools/call" | "prompts/get" => asked.param("name"),
        "resources/read" => asked.param("uri"),
        _ => return Ok(()),
    };
    if asked.header("mcp-name").and_then(decoded).as_deref() != named.as_str() {
        return mismatch;
    }
    for tool in tools(true).iter().filter(|tool| asked.is("tools/call") && tool["name"] == *named) {
        for (name, property) in tool["inputSchema"]["properties"].as_object().into_iter().flatten()
        {
            let Some(field) = property["x-mcp-header"].as_str() else { continue };
            let said = asked.header(&format!("Mcp-Param-{field}"));
            if said.map(decoded)
                != asked.param("arguments")[name].as_str().map(|value| Some(value.to_owned()))
            {
                return mismatch;
            }
        }
    }
    Ok(())
}

/// The acknowledgment of what it tells of, one notification, and the end.
fn listen(asked: &Asked) -> Reply {
    let wanted = asked.param("notifications")["toolsListChanged"] == true;
    let agreed = if wanted { json!({ "toolsListChanged": true }) } else { json!({}) };
    let mark = json!({ (format!("{PREFIX}subscriptionId")): asked.message["id"] });
    let mut reply = Reply::result(asked, json!({}));
    complete(reply.result_mut());
    reply.result_mut()["_meta"][format!("{PREFIX}subscriptionId")] = asked.message["id"].clone();
    let mut told = vec![json!({
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": { "_meta": mark, "notifications": agreed },
    })];
    if wanted {
        told.push(json!({
            "jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": { "_meta": mark },
        }));
    }
    reply.before(told);
    debug_assert_eq!(reply.framing, Framing::Stream);
    reply
}
