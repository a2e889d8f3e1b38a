//! Servers without a handshake that break one rule each.

use super::*;
use crate::raw::PREFIX;
use crate::raw::modern::{another_round, complete};

pub const PAIRS: &[Row] = &[
    breaks(
        Era::Modern,
        "completes with more than a hundred values",
        &["server/completion-and-logging#values", "server/completion-and-logging#wire-schema"],
        completes_too_much,
    ),
    breaks(
        Era::Modern,
        "lists no version that it was asked in",
        &["server/discover#own-version"],
        |asked, reply| {
            if asked.is("server/discover") && is_of_a_check(asked) && reply.succeeds() {
                reply.result_mut()["supportedVersions"] = json!(["2025-11-25"]);
            }
        },
    ),
    breaks(
        Era::Modern,
        "has an introduction that is no whole one",
        &["server/discover#result-type"],
        |asked, reply| {
            if asked.is("server/discover") && is_of_a_check(asked) && reply.succeeds() {
                reply.result_mut()["resultType"] = "partial".into();
            }
        },
    ),
    breaks(
        Era::Modern,
        "does not decode names",
        &["server/encoded-name#decoded"],
        |asked, reply| {
            if asked.header("mcp-name").is_some_and(|name| name.starts_with("=?base64?")) {
                *reply = Reply::error(asked, 400, -32020, Value::Null);
            }
        },
    ),
    breaks(
        Era::Modern,
        "does not look at the version header",
        &["server/header-mismatch#code", "server/header-mismatch#refused"],
        |asked, reply| {
            if asked.calls("checks-no-such-tool")
                && asked.header("mcp-protocol-version").is_some_and(|other| other != "2026-07-28")
            {
                *reply = Reply::error(asked, 200, -32602, Value::Null);
            }
        },
    ),
    breaks(
        Era::Modern,
        "does not look at the method header",
        &["server/header-mismatch#code", "server/header-mismatch#refused"],
        |asked, reply| {
            if asked.header("mcp-method").is_some_and(|method| method != asked.method()) {
                *reply = Reply::error(asked, 200, -32602, Value::Null);
            }
        },
    ),
    breaks(
        Era::Modern,
        "does not look at the name header",
        &["server/header-mismatch#code", "server/header-mismatch#refused"],
        |asked, reply| {
            if asked.calls("checks-no-such-tool")
                && asked.header("mcp-name").is_some_and(|name| name != "checks-no-such-tool")
            {
                *reply = Reply::error(asked, 200, -32602, Value::Null);
            }
        },
    ),
    breaks(
        Era::Modern,
        "refuses what does not match with a code of its own",
        &[
            "server/header-mismatch#code",
            "server/parameter-headers#code",
            "server/request-metadata#code",
        ],
        |_, reply| {
            reply.recode(-32020, -32000);
        },
    ),
    breaks(
        Era::Modern,
        "refuses what does not match with 200",
        &[
            "server/header-mismatch#refused",
            "server/parameter-headers#refused",
            "server/request-metadata#refused",
        ],
        |_, reply| {
            if reply.code() == Some(-32020) {
                reply.status = 200;
            }
        },
    ),
    breaks(
        Era::Modern,
        "asks for no version in _meta",
        &["server/request-metadata#refused"],
        |asked, reply| {
            let carried = asked.param("_meta");
            if asked.calls("checks-no-such-tool")
                && carried.is_object()
                && carried[format!("{PREFIX}protocolVersion")].is_null()
            {
                *reply = Reply::error(asked, 200, -32602, Value::Null);
            }
        },
    ),
    breaks(
        Era::Modern,
        "misses what each request carries with a code of its own",
        &["server/request-metadata#code"],
        |_, reply| {
            if reply.status == 400 {
                reply.recode(-32602, -32001);
            }
        },
    ),
    breaks(
        Era::Modern,
        "takes what is no message",
        &["server/invalid-message#not-accepted"],
        takes_anything,
    ),
    breaks(
        Era::Modern,
        "answers notifications with 204",
        &["server/notifications#accepted"],
        |_, reply| {
            if reply.status == 202 {
                reply.status = 204;
            }
        },
    ),
    breaks(
        Era::Modern,
        "answers notifications with a response",
        &["server/notifications#accepted", "server/notifications#not-answered"],
        |_, reply| {
            if reply.status == 202 {
                *reply =
                    Reply::json(200, json!({ "jsonrpc": "2.0", "id": "of-nobody", "result": {} }));
                complete(reply.result_mut());
            }
        },
    ),
    breaks(
        Era::Modern,
        "does not look at the fields of parameters",
        &["server/parameter-headers#code", "server/parameter-headers#refused"],
        |asked, reply| {
            if asked.calls("region")
                && reply.status == 400
                && asked.header("mcp-method") == Some("tools/call")
            {
                *reply = Reply::error(asked, 200, -32602, Value::Null);
            }
        },
    ),
    breaks(
        Era::Modern,
        "says its prompts as the system",
        &[
            "server/prompts#messages",
            "server/prompts#wire-schema",
            "server/result-types#wire-schema",
        ],
        says_as_system,
    ),
    breaks(
        Era::Modern,
        "reads a resource without its URI",
        &[
            "server/resources#contents",
            "server/resources#wire-schema",
            "server/result-types#wire-schema",
        ],
        without_uri,
    ),
    breaks(
        Era::Modern,
        "has a result of a type that there is not",
        &["server/result-types#result-type"],
        |asked, reply| {
            if asked.is("resources/templates/list") && reply.succeeds() {
                reply.result_mut()["resultType"] = "final".into();
            }
        },
    ),
    breaks(
        Era::Modern,
        "asks for input before it lists",
        &["server/result-types#asks-where"],
        |asked, reply| {
            if asked.is("resources/templates/list") && reply.succeeds() {
                *reply = Reply::result(asked, another_round());
            }
        },
    ),
    breaks(
        Era::Modern,
        "leaves out how long a list may be kept",
        &[
            "server/resources#wire-schema",
            "server/result-types#cache-hints",
            "server/result-types#wire-schema",
        ],
        |asked, reply| {
            if asked.is("resources/templates/list") && reply.succeeds() {
                reply.result_mut().as_object_mut().unwrap().remove("ttlMs");
            }
        },
    ),
    breaks(
        Era::Modern,
        "keeps pages of one list for others",
        &["server/result-types#one-scope"],
        |asked, reply| {
            if asked.is("tools/list") && !asked.param("cursor").is_null() && reply.succeeds() {
                reply.result_mut()["cacheScope"] = "private".into();
            }
        },
    ),
    breaks(
        Era::Modern,
        "leaves out who it is",
        &["server/discover#names-server", "server/result-types#names-itself"],
        |_, reply| {
            if reply.succeeds() && reply.messages.len() == 1 {
                reply.result_mut().as_object_mut().unwrap().remove("_meta");
            }
        },
    ),
    breaks(
        Era::Modern,
        "acknowledges nothing",
        &["server/subscription#acknowledged"],
        |asked, reply| {
            if asked.is("subscriptions/listen") && reply.status == 200 {
                reply.messages.remove(0);
            }
        },
    ),
    breaks(
        Era::Modern,
        "marks its acknowledgment with another id",
        &["server/subscription#marked"],
        |asked, reply| {
            if asked.is("subscriptions/listen") && reply.status == 200 {
                reply.messages[0]["params"]["_meta"][format!("{PREFIX}subscriptionId")] =
                    "another".into();
            }
        },
    ),
    breaks(
        Era::Modern,
        "does not mark what it tells",
        &["server/subscription#marked"],
        |asked, reply| {
            if asked.is("subscriptions/listen") && reply.status == 200 {
                reply.messages[1].as_object_mut().unwrap().remove("params");
            }
        },
    ),
    breaks(
        Era::Modern,
        "tells before it acknowledges",
        &["server/subscription#acknowledged"],
        |asked, reply| {
            if asked.is("subscriptions/listen") && reply.status == 200 {
                reply.messages.swap(0, 1);
            }
        },
    ),
    breaks(
        Era::Modern,
        "agrees to more than was asked for",
        &["server/subscription#agreed"],
        |asked, reply| {
            if asked.is("subscriptions/listen") && reply.status == 200 {
                reply.messages[0]["params"]["notifications"]["promptsListChanged"] = true.into();
            }
        },
    ),
    breaks(
        Era::Modern,
        "tells of what was not asked for",
        &["server/subscription#only-asked"],
        |asked, reply| {
            if asked.is("subscriptions/listen") && reply.status == 200 {
                let mut unasked = reply.messages[1].clone();
                unasked["method"] = "notifications/prompts/list_changed".into();
                reply.messages.insert(2, unasked);
            }
        },
    ),
    breaks(
        Era::Modern,
        "has a schema with a type that there is not",
        &["server/tools-list#valid-schema"],
        misspells_a_type,
    ),
    breaks(
        Era::Modern,
        "refuses a method with 200",
        &["server/unknown-method#not-found"],
        |asked, reply| {
            if asked.is("checks/unknown") {
                reply.status = 200;
            }
        },
    ),
    breaks(
        Era::Modern,
        "has every resource",
        &["server/unknown-resource#error-code", "server/unknown-resource#refused"],
        |asked, reply| {
            if asked.is("resources/read") && !reply.succeeds() && reply.status == 200 {
                let mut result = json!({
                    "contents": [{ "uri": asked.param("uri"), "text": "" }], "ttlMs": 0, "cacheScope": "public",
                });
                complete(&mut result);
                *reply = Reply::result(asked, result);
            }
        },
    ),
    breaks(
        Era::Modern,
        "refuses a resource with the code of the older era",
        &["server/unknown-resource#error-code"],
        |asked, reply| {
            if asked.is("resources/read") && reply.status == 200 {
                reply.recode(-32602, -32002);
            }
        },
    ),
    breaks(
        Era::Modern,
        "refuses a version without the ones that it supports",
        &["server/unsupported-version#supported"],
        |asked, reply| {
            if reply.code() == Some(-32022) && !asked.is("initialize") {
                reply.response()["error"]["data"]["supported"] = json!(["2025-11-25"]);
            }
        },
    ),
    breaks(
        Era::Modern,
        "refuses a version that nobody asked for",
        &["server/unsupported-version#requested"],
        |asked, reply| {
            if reply.code() == Some(-32022) && !asked.is("initialize") {
                reply.response()["error"]["data"]["requested"] = "2025-11-25".into();
            }
        },
    ),
    breaks(
        Era::Modern,
        "refuses a version with a code of its own",
        &["server/unsupported-version#refused"],
        |asked, reply| {
            if reply.code() == Some(-32022) && !asked.is("initialize") {
                reply.response()["error"]["code"] = (-32004).into();
            }
        },
    ),
    breaks(
        Era::Modern,
        "lists a version that is a number",
        &["server/discover#discovered", "server/discover#wire-schema"],
        |asked, reply| {
            if asked.is("server/discover") && is_of_a_check(asked) && reply.succeeds() {
                reply.result_mut()["supportedVersions"] = json!(["2026-07-28", 2027]);
            }
        },
    ),
    breaks(
        Era::Modern,
        "may be kept by a scope that there is not",
        &["server/discover#cache-hints", "server/discover#wire-schema"],
        |asked, reply| {
            if asked.is("server/discover") && is_of_a_check(asked) && reply.succeeds() {
                reply.result_mut()["cacheScope"] = "shared".into();
            }
        },
    ),
    breaks(
        Era::Modern,
        "discovers under another id",
        &["server/discover#same-id"],
        |asked, reply| {
            if asked.is("server/discover") && is_of_a_check(asked) && reply.succeeds() {
                reply.response()["id"] = "another".into();
            }
        },
    ),
];

/// Whether it is the question of `server/discover`, rather than of a client that
/// opens its connection, and would go no further.
fn is_of_a_check(asked: &Asked) -> bool {
    asked.message["id"].as_str().is_some_and(|id| id.starts_with("checks-discover"))
}
