//! Clients without a handshake that break one rule each.

use std::sync::Mutex;

use serde_json::{Value, json};

use super::*;
use crate::clients::extra;
use crate::raw::PREFIX;

pub const PAIRS: &[Pair] = &[
    breaks("accepts JSON alone", STATELESS, &["stream/either-framing[JSON]"],
        &["*#accept-header", "client/sse-response#accept-event-stream"],
        |client| bent(client, |outgoing| outgoing.set("Accept", "application/json"))),
    breaks("says nothing of its capabilities once", STATELESS, &[], &["*#stateless-meta", "*#wire-schema"],
        |client| extra(client, "server/discover", |post| {
            post.message["params"]["_meta"].as_object_mut().unwrap().remove(&format!("{PREFIX}clientCapabilities"));
        })),
    breaks("says nothing of itself once", STATELESS, &[],
        &["*#clientinfo-every-request", "client/stateless-tool-call#stateless-meta", "client/stateless-sse-response#stateless-meta"],
        |client| extra(client, "server/discover", |post| {
            post.message["params"]["_meta"].as_object_mut().unwrap().remove(&format!("{PREFIX}clientInfo"));
        })),
    breaks("names another version in the header once", STATELESS, &[], &["*#version-header-match"],
        |client| extra(client, "server/discover", |post| post.set("MCP-Protocol-Version", "2025-11-25"))),
    breaks("names another method in the header once", STATELESS, &[], &["*#mcp-method-header"],
        |client| extra(client, "server/discover", |post| post.set("Mcp-Method", "tools/list"))),
    breaks("names no tool in the header once", STATELESS, &["odd/names[NUL]"],
        &["*#mcp-name-header"],
        |client| {
            let once = Mutex::new(false);
            let again = client.clone();
            client.bend(move |outgoing| {
                let mut done = once.lock().unwrap();
                if outgoing.is("tools/call") && !*done {
                    *done = true;
                    // It is refused, and does no harm.
                    let mut bare = outgoing.clone();
                    bare.remove("Mcp-Name");
                    bare.message["id"] = "bare".into();
                    let _ = again.send(bare);
                }
            });
            task(client);
        }).only(&["client/stateless-tool-call", "client/stateless-sse-response", "client/param-headers"]),
    breaks("names a prompt in the header in another case", STATELESS, &[],
        &["client/stateless-prompts#mcp-name-header-prompt", "client/header-mirroring#mcp-name-all-primitives"],
        |client| twice_wrong(client, "prompts/get", |bare| bare.set("Mcp-Name", "RELEASE_NOTES"))),
    breaks("names no resource in the header once", STATELESS, &[],
        &["client/stateless-resources#mcp-name-header-uri", "client/header-mirroring#mcp-name-all-primitives"],
        |client| twice_wrong(client, "resources/read", |bare| bare.remove("Mcp-Name"))),
    breaks("writes a name beyond ASCII as it is, once", STATELESS, &[],
        &["client/header-mirroring#mcp-name-all-primitives", "client/header-mirroring#mcp-name-base64-sentinel"],
        |client| twice_wrong(client, "tools/call", |bare| bare.set("Mcp-Name", "traducteur-meteo")))
        .only(&["client/header-mirroring"]),
    breaks("sends an array", STATELESS, &[], &["*#no-batched-posts", "*#wire-schema"],
        |client| {
            client.declare();
            let request = client.request("server/discover", json!({}));
            let mut post = client.post(request);
            post.body = Some(format!("[{}]", post.message));
            let _ = client.exchange(post);
            task(client);
        }),
    breaks("initializes as the era before", STATELESS, &[], &["*#no-legacy-lifecycle"],
        |client| {
            let request = json!({ "jsonrpc": "2.0", "id": "old", "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "raw", "version": "1.0.0" },
            } });
            let post = client.post(request);
            let _ = client.exchange(post);
            task(client);
        }),
    breaks("never asks what the server is", STATELESS, &[], &["client/discover-instructions#discover-called"],
        |client| { let _ = client.call("unlock_vault", json!({ "passphrase": "quiet-otter-42" })); })
        .only(&["client/discover-instructions"]),
    breaks("does not follow the instructions", STATELESS, &[], &["client/discover-instructions#tool-call-passphrase"],
        |client| bent(client, |outgoing| {
            if outgoing.calls("unlock_vault") { outgoing.message["params"]["arguments"]["passphrase"] = "open".into(); }
        })),
    breaks("trims a state", STATELESS, &[], &["client/mrtr-basic#request-state-echoed-verbatim"],
        |client| bent(client, |outgoing| {
            if let Some(state) = outgoing.message["params"]["requestState"].as_str() {
                outgoing.message["params"]["requestState"] = state.trim().into();
            }
        })),
    breaks("retries with other arguments", STATELESS, &[],
        &["client/mrtr-basic#retry-is-original-request", "client/mrtr-multi-round#retry-args-stable-across-rounds"],
        |client| bent(client, |outgoing| {
            if !outgoing.message["params"]["inputResponses"].is_null() {
                outgoing.message["params"]["arguments"]["more"] = 1.into();
            }
        })).only(&["client/mrtr-basic", "client/mrtr-multi-round"]),
    breaks("retries under the same id", STATELESS, &[],
        &["*#retry-new-jsonrpc-id", "client/mrtr-multi-round#all-ids-distinct"],
        |client| { client.keeps_its_id = true; task(client); })
        .only(&["client/mrtr-basic", "client/mrtr-multi-round", "client/mrtr-no-state"]),
    breaks("answers under another key", STATELESS, &[],
        &["client/mrtr-basic#input-responses-correlated", "client/mrtr-no-state#retry-input-correlated",
          "client/mrtr-multi-round#round1-input-correlated", "client/mrtr-multi-round#round2-input-correlated",
          "client/mrtr-multi-round#final-complete"],
        |client| bent(client, |outgoing| {
            if let Some(Value::Object(responses)) = outgoing.param("inputResponses") {
                let answers: Vec<_> = std::mem::take(responses).into_iter().collect();
                for (key, answer) in answers { responses.insert(format!("{key}-0"), answer); }
            }
        })).only(&["client/mrtr-basic", "client/mrtr-multi-round", "client/mrtr-no-state"]),
    breaks("sends the first state again and again", STATELESS, &[], &["client/mrtr-multi-round#state-rotation-echo"],
        |client| {
            client.declare();
            let params = json!({ "name": "provision_account", "arguments": { "plan": "team" } });
            let Ok(first) = client.call_method("tools/call", params.clone()) else { return };
            let second = client.next_round(&params, &first);
            let Ok(interim) = client.call_method("tools/call", second) else { return };
            let mut third = client.next_round(&params, &interim);
            let right = third.clone();
            third["requestState"] = first["requestState"].clone();
            let _ = client.call_method("tools/call", third);
            let _ = client.call_method("tools/call", right);
        }).only(&["client/mrtr-multi-round"]),
    breaks("makes up a state", STATELESS, &[], &["client/mrtr-no-state#no-fabricated-request-state"],
        |client| bent(client, |outgoing| {
            let params = &mut outgoing.message["params"];
            if !params["inputResponses"].is_null() && params["requestState"].is_null() {
                params["requestState"] = "made up".into();
            }
        })),
    breaks("sends its answers along with another call", STATELESS, &[], &["client/mrtr-no-state#retry-isolation"],
        |client| {
            let given = Mutex::new(Value::Null);
            bent(client, move |outgoing| {
                let mut given = given.lock().unwrap();
                let params = &mut outgoing.message["params"];
                if !params["inputResponses"].is_null() {
                    *given = params["inputResponses"].clone();
                } else if params["name"] == "get_ca_info" && !given.is_null() {
                    params["inputResponses"] = given.clone();
                }
            });
        }),
    breaks("declares no pages in its calls", STATELESS, &[], &["client/mrtr-elicit-url#capability-url-declared"],
        |client| bent(client, |outgoing| {
            if let Some(carried) = outgoing.param("_meta").and_then(|meta| meta.get_mut(format!("{PREFIX}clientCapabilities"))) {
                *carried = json!({ "elicitation": { "form": {} } });
            }
        })).only(&["client/mrtr-elicit-url"]),
    breaks("keeps the code in its message", STATELESS, &[],
        &["client/mrtr-elicit-url#secret-never-in-band", "client/mrtr-elicit-url#accept-content-omitted"],
        |client| bent(client, |outgoing| {
            if let Some(link) = outgoing.param("inputResponses").and_then(|responses| responses.get_mut("link")) {
                link["content"] = json!({ "code": "L1NK-4711" });
            }
        })).only(&["client/mrtr-elicit-url"]),
    breaks("takes no tasks", STATELESS, &[],
        &["client/task-polling#tasks-capability-declared", "client/task-cancel#tasks-capability-declared"],
        |client| bent(client, |outgoing| {
            if outgoing.is("tools/call") {
                outgoing.message["params"]["_meta"][format!("{PREFIX}clientCapabilities")] = json!({});
            }
        })).only(&["client/task-polling", "client/task-cancel"]),
    breaks("cancels another task", STATELESS, &[], &["client/task-cancel#cancel-issued"],
        |client| bent(client, |outgoing| {
            if outgoing.is("tasks/cancel") {
                outgoing.message["params"]["taskId"] = "task-3".into();
                outgoing.set("Mcp-Name", "task-3");
            }
        })),
    breaks("cancels a task as if it were a request", STATELESS, &[], &["client/task-cancel#no-notifications-cancelled"],
        |client| {
            task(client);
            client.cancel(&json!(1));
        }).only(&["client/task-cancel"]),
    breaks("names no task in the header once", STATELESS, &[], &["*#mcp-name-taskid"],
        |client| twice_wrong(client, "tasks/get", |bare| bare.remove("Mcp-Name")))
        .only(&["client/task-polling", "client/task-cancel"]),
    breaks("asks for a task too often", STATELESS, &[], &["*#poll-interval-respected"],
        |client| { client.patience = 0.1; task(client); }).only(&["client/task-polling"]),
    breaks("gives up a task before its end", STATELESS, &[], &["client/task-polling#polled-to-completion"],
        |client| {
            client.declare();
            let called = json!({ "name": "generate_report", "arguments": { "region": "emea", "sections": 4 } });
            let Ok(task) = client.call_method("tools/call", called) else { return };
            client.wait(420);
            let _ = client.call_method("tasks/get", json!({ "taskId": task["taskId"] }));
        }).only(&["client/task-polling"]),
    breaks("leaves a field of a parameter out", STATELESS, &[], &["client/param-headers#param-headers-mirrored"],
        |client| twice_wrong(client, "tools/call", |bare| bare.remove("Mcp-Param-Region"))).only(&["client/param-headers"]),
    breaks("writes a value beyond ASCII as it is, once", STATELESS, &[],
        &["client/param-headers#param-header-base64", "client/param-headers#param-headers-mirrored"],
        |client| twice_wrong(client, "tools/call", |bare| bare.set("Mcp-Param-Comment", "ete 2026"))).only(&["client/param-headers"]),
    breaks("writes a field for what was not given", STATELESS, &[], &["client/param-headers#param-header-omitted"],
        |client| bent(client, |outgoing| {
            if outgoing.calls("execute_sql") { outgoing.add("Mcp-Param-Trace-Id", "none"); }
        })).only(&["client/param-headers"]),
    breaks("calls the tool with the invalid annotation", STATELESS, &[], &["client/param-headers#invalid-tool-never-called"],
        |client| {
            task(client);
            client.tools.clear();
            let _ = client.ask("tools/call", json!({ "name": "execute_anything", "arguments": { "query": "SELECT 1" } }));
        }).only(&["client/param-headers"]),
    breaks("asks anew under the same id", STATELESS, &["stream/lost[ended]"], &["stream/lost#re-issued"],
        |client| bent(client, |outgoing| {
            if outgoing.is("resources/read") { outgoing.message["id"] = "same".into(); }
        })).only(&[]),
    breaks("answers a request where there are none", STATELESS, &["stream/request-from-server[ping]"],
        &["stream/request-from-server#no-response"],
        |client| {
            let _ = client.call("word", json!({}));
            let post = client.post(json!({ "jsonrpc": "2.0", "id": "server-1", "result": { "resultType": "complete" } }));
            let _ = client.exchange(post);
        }).only(&[]),
    breaks("writes a boolean with a capital", STATELESS, &["tools/header-parameters[plain]"], &["tools/header-parameters#boolean"],
        |client| bent(client, |outgoing| outgoing.replace("Mcp-Param-Dry-Run", "True"))).only(&[]),
    breaks("writes an integer as a fraction", STATELESS, &["tools/header-parameters[plain]"], &["tools/header-parameters#integer"],
        |client| bent(client, |outgoing| outgoing.replace("Mcp-Param-Count", "42.5"))).only(&[]),
    breaks("leaves the field of a nested argument out", STATELESS, &["tools/header-parameters[plain]"], &["tools/header-parameters#nested"],
        |client| bent(client, |outgoing| outgoing.remove("Mcp-Param-Zone"))).only(&[]),
    breaks("writes what looks encoded as it is", STATELESS, &["tools/header-parameters[what looks encoded]"], &["tools/header-parameters#text"],
        |client| bent(client, |outgoing| outgoing.replace("Mcp-Param-Text", "=?base64?literal?="))).only(&[]),
    breaks("says something else in each call", STATELESS, &["tools/add-numbers at stateless-http-2026-07-28", "connection/version-retry", "discovery/not-discoverable[an unknown method]"],
        &["client/stateless-tool-call#tool-call-args", "client/tool-call-basic#tool-call-args", "client/no-batching#square-4", "client/no-batching#square-7",
          "client/no-batching#square-12", "client/discover-instructions#tool-call-passphrase", "client/header-mirroring#tool-call",
          "client/mrtr-basic#tool-call-args", "client/mrtr-multi-round#tool-call-args", "client/mrtr-no-state#certificate-tool-success",
          "client/mrtr-no-state#absent-result-type-is-complete", "client/param-headers#tool-call", "client/param-headers#param-header-base64", "client/prompts-get#report-content",
          "client/resources-read#report-content", "client/sse-response#report-word", "client/stateless-composite#publish-report",
          "client/stateless-prompts#report-content", "client/stateless-resources#report-content", "client/stateless-sse-response#report-word",
          "client/task-cancel#tool-call-args", "client/task-polling#tool-call-args",
          "tools/add-numbers#called", "connection/version-retry#called"],
        |client| bent(client, |outgoing| {
            says_something_else(outgoing);
            // What stands in the head goes with it.
            for (name, value) in &mut outgoing.fields {
                if name.starts_with("Mcp-Param-") { *value = "something else".to_owned(); }
            }
        })),
    breaks("names a session", STATELESS, &[], &["*#no-legacy-lifecycle"],
        |client| bent(client, |outgoing| outgoing.add("Mcp-Session-Id", "of-old"))),
    breaks("takes an empty cursor for the end", STATELESS, &["tools/empty-cursor at stateless-http-2026-07-28"], &["tools/empty-cursor#goes-on"],
        |client| {
            let (mut cursor, mut params) = (Value::Null, json!({}));
            while cursor != "" {
                let (id, came) = client.ask("tools/list", params);
                cursor = came.and_then(|came| came.result(&id)).unwrap_or_default()["nextCursor"].take();
                if cursor.is_null() {
                    break;
                }
                params = json!({ "cursor": cursor });
            }
        }).only(&[]),
    breaks("writes a field for what was not given", STATELESS, &["tools/header-parameters[plain]"], &["tools/header-parameters#omitted"],
        |client| bent(client, |outgoing| {
            if outgoing.calls("every_type") { outgoing.add("Mcp-Param-Unset", "null"); }
        })).only(&[]),
    breaks("changes a cursor", STATELESS, &[], &["*#cursor-opaque-roundtrip"],
        |client| {
            let again = client.clone();
            client.bend(move |outgoing| {
                if let Some(cursor) = outgoing.param("cursor") && cursor.is_string() {
                    let mut wrong = outgoing.clone();
                    wrong.message["id"] = "wrong".into();
                    wrong.message["params"]["cursor"] = "changed".into();
                    let _ = again.send(wrong);
                }
            });
            task(client);
        }).only(&["client/stateless-resources", "client/resources-read"]),
];
