//! What a host does, as JSON for scripts.

use serde_json::{Value, json};

use crate::host::{CallRefusal, Import, Origin, Ping, Tool, ToolResult};
use crate::mcp::client::ClientError;

pub(super) fn describe_import(import: &Import) -> Value {
    let imported = import.imported.iter();
    let refused = import.refused.iter();
    json!({
        "ok": true,
        "imported": imported
            .map(|(name, became)| json!({ "name": name, "became": became.as_str() }))
            .collect::<Value>(),
        "refused": refused
            .map(|tool| {
                json!({
                    "name": tool.remote_name,
                    "reason": tool.reason.as_str(),
                    "message": tool.reason.to_string(),
                })
            })
            .collect::<Value>(),
        "orphaned": import.orphaned,
    })
}

/// A registered tool as the gate and a model see it.
pub(super) fn describe_tool(tool: &Tool) -> Value {
    let (server, remote_name) = match &tool.origin {
        Origin::Local { .. } => (None, None),
        Origin::Remote { server, remote_name } => (Some(server), Some(remote_name)),
    };
    json!({
        "name": tool.name,
        "remote": server.is_some(),
        "server": server,
        "remote_name": remote_name,
        "group": tool.group(),
        "description": tool.description,
        "schema": tool.schema,
        "data_class": tool.data_class.as_str(),
        "requires_approval": tool.requires_approval,
        "requires_administrator": tool.requires_administrator(),
        "effect": tool.effect().as_str(),
        "enabled": tool.enabled,
        "changed": tool.changed.words(),
    })
}

pub(super) fn describe_call(called: Result<ToolResult, CallRefusal>) -> Value {
    match called {
        Ok(result) => json!({
            "outcome": result.outcome().as_str(),
            "is_error": result.is_error(),
            "text": result.text(),
            "artifacts": result.artifacts(),
            "write_target": result.write_target(),
            "refused": null,
        }),
        Err(refusal) => json!({ "refused": refusal.as_str(), "message": refusal.to_string() }),
    }
}

pub(super) fn describe_ping(pinged: Result<Ping, ClientError>) -> Value {
    match pinged {
        Ok(ping) => json!({
            "reachable": true,
            "latency": ping.latency,
            "versions": ping.versions,
            "server": ping.server,
            "capabilities": ping.capabilities,
        }),
        Err(error) => json!({
            "reachable": false,
            "error": { "kind": error.kind.as_str(), "message": error.message },
        }),
    }
}
