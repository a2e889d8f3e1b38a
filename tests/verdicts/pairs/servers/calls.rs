//! Servers that break one rule about what comes with an answer.

use super::*;
use crate::raw::server::Framing;

pub const PAIRS: &[Row] = &[
    breaks(
        Era::Legacy,
        "asks a model of a client that has none",
        &["server/tools-call#negotiated"],
        |asked, reply| {
            if asked.calls("echo") && reply.succeeds() {
                let params = json!({ "messages": [], "maxTokens": 5 });
                reply.before(vec![json!({
                    "jsonrpc": "2.0", "id": "asked", "method": "sampling/createMessage",
                    "params": params,
                })]);
            }
        },
    ),
    breaks(
        Era::Modern,
        "asks for a form that the client did not declare",
        &["server/tools-call#negotiated"],
        |asked, reply| {
            if asked.calls("echo") && reply.succeeds() {
                let schema = json!({ "type": "object", "properties": {} });
                let params = json!({ "mode": "form", "message": "?", "requestedSchema": schema });
                let form = json!({ "method": "elicitation/create", "params": params });
                let meta = reply.result_mut()["_meta"].clone();
                *reply.result_mut() = json!({
                    "resultType": "input_required", "inputRequests": { "form": form }, "_meta": meta,
                });
            }
        },
    ),
    breaks(Era::Legacy, "answers a call twice", &["server/tools-call#one-answer"], twice),
    breaks(Era::Modern, "answers a call twice", &["server/tools-call#one-answer"], twice),
    breaks(
        Era::Legacy,
        "gives two events the same id",
        &["server/tools-call#event-ids"],
        |asked, reply| {
            if asked.calls("echo") && asked.param("_meta").is_null() && reply.succeeds() {
                let response = reply.response().to_string();
                reply.body = Some(format!("id: 1\ndata:\n\nid: 1\ndata: {response}\n\n"));
                reply.fields.push(("Content-Type".into(), "text/event-stream".into()));
            }
        },
    ),
    breaks(
        Era::Modern,
        "structures its results otherwise than it says",
        &["server/tools-call#structured"],
        |asked, reply| {
            if asked.is("tools/list") && reply.succeeds() {
                let tools = reply.result_mut()["tools"].as_array_mut().into_iter().flatten();
                for tool in tools.filter(|tool| tool["name"] == "echo") {
                    tool["outputSchema"] = json!({ "type": "object", "required": ["said"] });
                }
            }
            if asked.calls("echo") && reply.succeeds() {
                reply.result_mut()["structuredContent"] = json!({ "heard": true });
            }
        },
    ),
    breaks(
        Era::Modern,
        "wants an argument in a field whose name has spaces",
        &["server/tools-list#header-names"],
        |asked, reply| {
            if asked.is("tools/list") && reply.succeeds() {
                let tools = reply.result_mut()["tools"].as_array_mut().into_iter().flatten();
                for tool in tools.filter(|tool| tool["name"] == "add") {
                    tool["inputSchema"]["properties"]["a"]["x-mcp-header"] = "Not A Name".into();
                }
            }
        },
    ),
    breaks(
        Era::Legacy,
        "lets every page in",
        &["server/origin#forbidden", "server/origin#refused"],
        |asked, reply| {
            if reply.status == 403 {
                *reply = Reply::result(asked, json!({}));
            }
        },
    ),
    breaks(
        Era::Legacy,
        "refuses a method with a text",
        &["server/media-type#media-type"],
        |asked, reply| {
            if asked.is("checks/media-type") {
                reply.fields.push(("Content-Type".into(), "text/plain".into()));
            }
        },
    ),
];

fn twice(asked: &Asked, reply: &mut Reply) {
    if asked.calls("echo") && reply.succeeds() {
        let again = reply.response().clone();
        reply.messages.push(again);
        reply.framing = Framing::Stream;
    }
}
