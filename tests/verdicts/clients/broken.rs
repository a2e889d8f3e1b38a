//! Clients that reach no goal, or break a rule.

use super::*;

pub const BROKEN: &[Row] = &[
    breaks(
        "client/mrtr-elicit-url",
        "ends with a call that answers nothing",
        &["fail final-complete"],
        |client| {
            links_in_rounds(client, |params, interim, _| {
                let mut last = params.clone();
                last["requestState"] = interim["requestState"].clone();
                last
            })
        },
    ),
    breaks(
        "client/tool-call-basic",
        "calls in a session that there is not",
        &["fail tool-call-args"],
        |client| {
            let _ = client.open();
            client.session = Some("no-such".to_owned());
            let _ = client
                .ask("tools/call", json!({ "name": "add", "arguments": { "a": 17, "b": 25 } }));
        },
    ),
    breaks(
        "client/composite",
        "does all in a session that there is not",
        &["fail prompt-fetched", "fail publish-report", "fail resource-read"],
        |client| {
            let _ = client.open();
            client.session = Some("no-such".to_owned());
            let _ = client.ask("prompts/get", json!({ "name": "release_report", "arguments": {} }));
            let _ = client.ask("resources/read", json!({ "uri": "docs://changelog" }));
            let published =
                json!({ "name": "publish_report", "arguments": { "summary": "2.4.1/7/3" } });
            let _ = client.ask("tools/call", published);
        },
    ),
    breaks(
        "client/no-batching",
        "calls in a session that there is not",
        &["fail square-12", "fail square-4", "fail square-7"],
        |client| {
            let _ = client.open();
            client.session = Some("no-such".to_owned());
            for n in [4, 7, 12] {
                let _ =
                    client.ask("tools/call", json!({ "name": "square", "arguments": { "n": n } }));
            }
        },
    ),
    breaks(
        "client/prompts-get",
        "fails to list the prompts",
        &["fail prompts-list-first"],
        |client| {
            let _ = client.open();
            let _ = client.ask("prompts/list", json!({ "cursor": "never-issued" }));
            get_and_report(client);
        },
    ),
    breaks(
        "client/session-echo",
        "ends the session too early",
        &["fail second-call", "warn session-delete-on-done"],
        |client| {
            let _ = client.open();
            let _ = client.call("echo", json!({ "message": "alpha" }));
            let delete = client.outgoing("DELETE", "application/json");
            let _ = client.exchange(delete);
            let _ = client
                .ask("tools/call", json!({ "name": "echo", "arguments": { "message": "bravo" } }));
        },
    ),
    breaks(
        "client/protocol-version-header",
        "names a version that there is not",
        &["fail tool-call", "warn version-header-negotiated", "warn version-header-value"],
        |client| {
            let _ = client.open();
            client.version = Some("9999-99-99".to_owned());
            let _ = client.ask(
                "tools/call",
                json!({ "name": "lookup", "arguments": { "term": "idempotent" } }),
            );
        },
    ),
    breaks(
        "connection/protocol-version",
        "names a version that there is not",
        &["fail protocol-version-header", "warn version-negotiated"],
        |client| {
            client.bend(|outgoing| outgoing.replace("MCP-Protocol-Version", "9999-99-99"));
            task(client);
        },
    ),
    breaks(
        "client/mrtr-multi-round",
        "leaves the last question unanswered",
        &["fail final-complete", "fail round2-input-correlated"],
        |client| {
            client.bend(|outgoing| {
                if outgoing.message["params"]["requestState"] == "state-2 %41+" {
                    outgoing.message["params"].as_object_mut().unwrap().remove("inputResponses");
                }
            });
            task(client);
        },
    ),
    breaks(
        "client/mrtr-no-state",
        "asks again for what it does not take for complete",
        &["fail absent-result-type-is-complete"],
        |client| {
            client.declare();
            let _ = client.call("get_ca_info", json!({}));
            let _ = client.call("get_ca_info", json!({}));
            let arguments = json!({ "ca": "Checks CA", "domain": "demo.example.com" });
            let _ = client.call("request_certificate", arguments);
        },
    ),
    breaks(
        "client/param-headers",
        "leaves the fields out of a second call",
        &["fail param-header-base64", "fail param-headers-mirrored"],
        |client| {
            let _ = client.list("tools/list", "tools");
            let arguments =
                json!({ "query": "SELECT 1", "region": "us-west1", "comment": "été 2026" });
            let _ = client.call("execute_sql", arguments.clone());
            client.tools.clear();
            let _ =
                client.ask("tools/call", json!({ "name": "execute_sql", "arguments": arguments }));
        },
    ),
    breaks(
        "client/elicit-url",
        "sends the form without a look at the page",
        &["fail url-visited-after-accept"],
        |client| {
            links(client, |client, page| {
                client.browse(page, Some("code=L1NK-4711"));
            });
        },
    ),
    breaks(
        "client/session-echo",
        "leaves its session open",
        &["warn session-delete-on-done"],
        |client| {
            let _ = client.open();
            for message in ["alpha", "bravo"] {
                let _ = client.call("echo", json!({ "message": message }));
            }
        },
    ),
    breaks(
        "client/stalled-tool",
        "tells nobody that it gave up",
        &["warn cancelled-notification"],
        |client| {
            let _ = client.open();
            let request =
                client.request("tools/call", json!({ "name": "process_data", "arguments": {} }));
            let post = client.post(request);
            let waiting = client.send(post);
            drop(waiting);
            let _ = client.call("get_status", json!({}));
            client.close();
        },
    ),
    breaks(
        "client/task-cancel",
        "never asks for the task",
        &["warn polled-before-cancel"],
        |client| {
            client.declare();
            let called =
                json!({ "name": "sync_dataset", "arguments": { "dataset": "telemetry-2026" } });
            let Ok(task) = client.call_method("tools/call", called) else { return };
            let _ = client.call_method("tasks/cancel", json!({ "taskId": task["taskId"] }));
        },
    ),
    breaks(
        "negotiation/policy[a version that is not]",
        "ignores its policy",
        &["fail not-called", "fail not-ready"],
        ignores_policy,
    ),
    breaks(
        "negotiation/policy[without the required capability]",
        "ignores its policy",
        &["fail not-called", "fail not-ready", "fail not-used"],
        ignores_policy,
    ),
    breaks(
        "negotiation/refused at refused-http",
        "ignores its policy",
        &["fail not-called", "fail not-ready"],
        ignores_policy,
    ),
    breaks(
        "discovery/undeclared-feature",
        "subscribes where nothing is declared",
        &["fail only-declared"],
        |client| {
            let _ = client.open();
            let _ = client.ask("resources/subscribe", json!({ "uri": "memo://x" }));
            let _ = client.list("tools/list", "tools");
            client.close();
        },
    ),
    breaks(
        "negotiation/policy[resources without subscribe]",
        "subscribes where that was not declared",
        &["fail not-used"],
        |client| {
            let _ = client.open();
            let _ = client.ask("resources/subscribe", json!({ "uri": "memo://x" }));
            let _ = client.call("echo", json!({ "message": "alpha" }));
            client.close();
        },
    ),
    breaks(
        "client/initialize-handshake",
        "says that it is ready before the answer",
        &["fail initialized-notification"],
        |client| {
            hurries(client, |client| client.notify("notifications/initialized"));
            let _ = client.list("tools/list", "tools");
            client.close();
        },
    ),
    breaks("client/tool-call-basic", "calls before the answer", &["fail handshake"], |client| {
        hurries(client, |client| {
            client.notify("notifications/initialized");
            let _ = client
                .ask("tools/call", json!({ "name": "add", "arguments": { "a": 17, "b": 25 } }));
        });
        client.close();
    }),
    breaks(
        "client/initialize-handshake",
        "lists before the answer, and again in its time",
        &["warn no-premature-requests"],
        |client| {
            hurries(client, |client| {
                let _ = client.ask("tools/list", Value::Null);
            });
            client.notify("notifications/initialized");
            let _ = client.list("tools/list", "tools");
            client.close();
        },
    ),
    breaks(
        "negotiation/order",
        "says that it is ready before the answer",
        &["fail ready-after"],
        |client| {
            hurries(client, |client| client.notify("notifications/initialized"));
            client.notify("notifications/initialized");
            let _ = client.call("echo", json!({ "message": "alpha" }));
            client.close();
        },
    ),
    breaks("roots/list", "has a root that is no file", &["fail file-uris"], |client| {
        client.bend(|outgoing| {
            if let Some(Value::Array(roots)) = outgoing.result("roots") {
                roots.push(json!({ "uri": "https://example.com/x" }));
            }
        });
        task(client);
    }),
    breaks(
        "elicitation/url[decline]",
        "fetches the icon of the page's origin",
        &["fail not-fetched"],
        |client| {
            client.declare();
            let _ = client.open();
            let (_, incoming) =
                client.ask("tools/call", json!({ "name": "connect", "arguments": {} }));
            for message in incoming.map(|incoming| incoming.messages).unwrap_or_default() {
                if let Some(page) = message["params"]["url"].as_str() {
                    client.browse(&page.replace("connect", "favicon.ico"), None);
                }
            }
            client.close();
        },
    ),
    breaks("client/tool-call-basic", "takes no JSON", &["fail accept-header"], |client| {
        client.bend(|outgoing| {
            if outgoing.verb == "POST" {
                outgoing.set("Accept", "application/json;q=0, text/event-stream");
            }
        });
        task(client);
    }),
    breaks(
        "client/initialize-handshake",
        "asks for the version 1.0",
        &["fail initialize-request", "warn initialize-version-latest"],
        |client| {
            client.bend(|outgoing| {
                if outgoing.is("initialize") {
                    outgoing.message["params"]["protocolVersion"] = "1.0".into();
                }
            });
            task(client);
        },
    ),
    breaks(
        "discovery/introduction",
        "asks for the version 1.0",
        &["fail introduces-itself"],
        |client| {
            client.bend(|outgoing| {
                if outgoing.is("initialize") {
                    outgoing.message["params"]["protocolVersion"] = "1.0".into();
                }
            });
            task(client);
        },
    ),
    breaks(
        "client/stateless-tool-call",
        "names the version twice",
        &["fail version-header-match"],
        |client| {
            extra(client, "tools/list", |post| post.add("mcp-protocol-version", "2026-07-28"));
        },
    ),
    breaks(
        "client/stateless-tool-call",
        "names the method twice",
        &["fail mcp-method-header"],
        |client| {
            extra(client, "tools/list", |post| post.add("mcp-method", "tools/call"));
        },
    ),
    breaks("client/tool-call-basic", "accepts anything", &["fail accept-header"], |client| {
        client.bend(|outgoing| {
            if outgoing.verb == "POST" {
                outgoing.set("Accept", "*/*");
            }
        });
        task(client);
    }),
    breaks(
        "connection/handshake",
        "asks for an answer to its notification",
        &["fail ready"],
        |client| {
            client.bend(|outgoing| {
                if outgoing.is("notifications/initialized") {
                    outgoing.message["id"] = "ready".into();
                }
            });
            task(client);
        },
    ),
    breaks("mrtr/state-ends", "sends a state again that ended", &["fail state"], |client| {
        let last = Mutex::new(Value::Null);
        client.bend(move |outgoing| {
            let mut last = last.lock().unwrap();
            match outgoing.param("requestState") {
                Some(state) => *last = state.clone(),
                None if !last.is_null() => {
                    outgoing.message["params"]["requestState"] = last.clone();
                }
                None => {}
            }
        });
        task(client);
    }),
];
/// Does something while `initialize` is still without an answer.
fn hurries(client: &mut Client, meanwhile: fn(&mut Client)) {
    client.meanwhile = Some(meanwhile);
    let _ = client.initialize();
    client.meanwhile = None;
    // The ids that it used meanwhile are used up.
    for _ in 0..20 {
        let _ = client.request("ping", Value::Null);
    }
}

fn ignores_policy(client: &mut Client) {
    client.context["policy"] = json!({ "versions": ["2025-11-25", "2099-01-01"], "required": [] });
    let _ = client.initialize();
    client.version = Some("2025-11-25".to_owned());
    client.notify("notifications/initialized");
    let _ =
        client.ask("tools/call", json!({ "name": "echo", "arguments": { "message": "alpha" } }));
    client.close();
}
