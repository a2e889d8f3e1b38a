//! Clients that misread an answer, keep one for too long, cancel what is over or mix
//! up two connections.

use serde_json::{Value, json};

use super::*;
use crate::raw::tasks::text;

pub const PAIRS: &[Pair] = &[
    breaks("says another word than the one it was told", SESSION,
        &["stream/either-framing[JSON]", "odd/media-types[JSON in capitals]", "odd/pieces[CRLF byte by byte]",
          "stream/notifications", "stream/priming[a retry alone]", "stream/syntax[CR]"],
        &["*#result-read"],
        |client| bent(client, says_something_else)).only(&[]),
    breaks("says another word than the one it was told", "stateless-http-2025-03-26", &["connection/batch-received[one event]"],
        &["*#result-read"],
        |client| bent(client, says_something_else)).only(&[]),
    breaks("says another word than the one it was told", STATELESS,
        &["stream/request-scoped", "tools/result-types[absent]", "tasks/ends[completed]"],
        &["*#result-read", "tools/result-types#result", "tasks/ends#result"],
        |client| bent(client, says_something_else)).only(&[]),
    breaks("takes a result of any type for complete", STATELESS, &["tools/result-types[unknown]"], &["tools/result-types#invalid"],
        |client| {
            let word = client.call_method("tools/call", json!({ "name": "word", "arguments": {} })).unwrap_or_default();
            let _ = client.call("say", json!({ "text": text(&word) }));
        }).only(&[]),
    breaks("asks for a task that it did not declare", STATELESS, &["tasks/ends[not declared]"], &["tasks/ends#invalid"],
        |client| {
            let word = client.call_method("tools/call", json!({ "name": "word", "arguments": {} })).unwrap_or_default();
            let _ = client.ask("tasks/get", json!({ "taskId": word["taskId"] }));
        }).only(&[]),
    breaks("asks for a task that a prompt became", STATELESS, &["tasks/ends[another method]"], &["tasks/ends#invalid"],
        |client| {
            let prompt = client.call_method("prompts/get", json!({ "name": "word" })).unwrap_or_default();
            let _ = client.ask("tasks/get", json!({ "taskId": prompt["taskId"] }));
        }).only(&[]),
    breaks("keeps a tool whose annotation is invalid", STATELESS, &["tools/invalid-annotations[a space]"],
        &["tools/invalid-annotations#left-out"],
        |client| {
            let _ = client.call("report", json!({ "names": ["invalid", "valid", "report"] }));
        }).only(&[]),
    breaks("drops every tool for one that is invalid", STATELESS, &["tools/invalid-annotations[a space]"],
        &["tools/invalid-annotations#others-kept"],
        |client| {
            let _ = client.call("report", json!({ "names": [] }));
        }).only(&[]),
    breaks("keeps one answer for every resource", STATELESS, &["caching/freshness[another]"], &["caching/freshness#own-key", "caching/freshness#kept"],
        |client| bent(client, |outgoing| {
            if outgoing.calls("report") { outgoing.message["params"]["arguments"]["text"] = "memo://a".into(); }
        })).only(&[]),
    breaks("keeps what an answer had a part in", STATELESS, &["caching/freshness[after a question]"], &["caching/freshness#not-kept"],
        |client| {
            client.declare();
            let read = json!({ "uri": "memo://a" });
            let Ok(asked) = client.call_method("resources/read", read.clone()) else { return };
            let next = client.next_round(&read, &asked);
            let _ = client.call_method("resources/read", next);
            for _ in 0..2 { let _ = client.call("report", json!({ "text": "memo://a" })); }
        }).only(&[]),
    breaks("listens without naming the method", STATELESS, &["stream/subscription"], &["stream/subscription#request"],
        |client| bent(client, |outgoing| {
            if outgoing.is("subscriptions/listen") { outgoing.remove("Mcp-Method"); }
        })).only(&[]),
    breaks("cancels a call that was answered", SESSION, &["utilities/cancellation"], &["utilities/cancellation#only-flying"],
        |client| {
            let _ = client.open();
            client.give_up_after(1000, "slow");
            let (id, _) = client.ask("tools/call", json!({ "name": "echo", "arguments": { "message": "alpha" } }));
            client.wait(500);
            client.cancel(&id);
            client.close();
        }).only(&[]),
    breaks("cancels what it never asked for", SESSION, &["utilities/cancellation"], &["utilities/cancellation#only-flying"],
        |client| {
            let _ = client.open();
            client.give_up_after(1000, "slow");
            client.cancel(&json!("never-asked"));
            client.close();
        }).only(&[]),
    breaks("cancels initialize", SESSION, &["utilities/cancelled-handshake"], &["utilities/cancelled-handshake#never-initialize"],
        |client| {
            let _ = client.initialize();
            client.cancel(&json!(1));
        }).only(&[]),
    breaks("comes back long before it is asked to", SESSION, &["time/retry-beyond-budget"], &["time/retry-beyond-budget#not-too-early"],
        |client| {
            client.patience = 0.01;
            let _ = client.open();
            let _ = client.call("patient", json!({}));
            client.close();
        }).only(&[]),
    breaks("has one id for its pings", SESSION, &["utilities/ping", "tools/parallel-calls"], &["*#unique-ids"],
        |client| { client.keeps_its_id = true; task(client); }).only(&[]),
    breaks("sends a ping in an array where arrays are refused", SESSION, &["connection/batch-refused[one event]"],
        &["connection/batch-refused#not-sent", "connection/batch-refused#wire-schema"],
        |client| {
            let _ = client.open();
            let mut post = client.post(Value::Null);
            post.body = Some(r#"[{"jsonrpc":"2.0","id":"in-an-array","method":"ping"}]"#.to_owned());
            let _ = client.exchange(post);
            let _ = client.call("word", json!({}));
            client.close();
        }).only(&[]),
    breaks("calls before it says that it is ready", SESSION, &["negotiation/before-ready"], &["negotiation/before-ready#after-ready"],
        |client| {
            let _ = client.initialize();
            for message in ["one", "two"] { let _ = client.call("echo", json!({ "message": message })); }
            client.notify("notifications/initialized");
            client.close();
        }).only(&[]),
    breaks("carries the session of another connection", SESSION, &["connection/two-connections", "negotiation/side-by-side[one version]"],
        &["*#own-session"],
        |client| {
            let _ = client.open();
            let first = client.session.clone();
            let mut other = client.clone();
            let _ = other.shake_hands();
            let _ = client.call("echo", json!({ "message": "one" }));
            let second = std::mem::replace(&mut other.session, first);
            let _ = other.call("echo", json!({ "message": "two" }));
            other.session = second;
            other.close();
            client.close();
        }).only(&[]),
    breaks("has its model use tools that it did not declare", SESSION, &["sampling/tools[undeclared tools]"], &["sampling/tools#undeclared"],
        |client| bent(client, |outgoing| {
            if outgoing.message["error"]["code"] == -32602 {
                outgoing.message.as_object_mut().unwrap().remove("error");
                outgoing.message["result"] = json!({
                    "role": "assistant", "model": "any", "content": { "type": "text", "text": "2" },
                });
            }
        })).only(&[]),
    breaks("gives what it did not declare", SESSION,
        &["discovery/undeclared-requests[roots]", "discovery/undeclared-requests[sampling]", "discovery/undeclared-requests[elicitation]"],
        &["discovery/undeclared-requests#declared", "discovery/undeclared-requests#roots-code"],
        |client| bent(client, |outgoing| {
            if outgoing.message["error"]["code"] == -32601 {
                outgoing.message.as_object_mut().unwrap().remove("error");
                outgoing.message["result"] = json!({
                    "roots": [{ "uri": "file:///srv" }], "action": "accept",
                    "role": "assistant", "model": "any", "content": { "type": "text", "text": "2" },
                });
            }
        })).only(&[]),
];
