//! Clients of a session that break one rule each.

use std::sync::Mutex;

use serde_json::{Value, json};

use super::*;
use crate::clients::links;

/// What the resource says that the scenarios of resources ask for.
const RUNBOOK: &str = "1. Drain.\n2. Deploy – carefully.\n3. Watch.";

pub const PAIRS: &[Pair] = &[
    breaks("accepts JSON alone", SESSION, &["connection/handshake", "stream/either-framing[JSON]"],
        &["*#accept-header", "client/sse-response#accept-event-stream"],
        |client| bent(client, |outgoing| {
            if outgoing.verb == "POST" { outgoing.set("Accept", "application/json"); }
        })),
    breaks("asks before it initializes", SESSION, &["connection/handshake", "negotiation/order"],
        &["*#initialize-first", "client/initialize-handshake#no-premature-requests", "connection/handshake#order",
          "negotiation/order#first", "negotiation/order#waits"],
        |client| {
            let _ = client.ask("tools/list", Value::Null);
            task(client);
        }),
    breaks("says nothing of its version", SESSION, &["discovery/introduction"],
        &["client/initialize-handshake#initialize-request", "discovery/introduction#introduces-itself", "*#wire-schema"],
        |client| bent(client, |outgoing| {
            if outgoing.is("initialize") {
                outgoing.message["params"]["clientInfo"].as_object_mut().unwrap().remove("version");
            }
        })),
    breaks("never says that it is ready", SESSION, &["connection/handshake", "negotiation/order"],
        &["client/initialize-handshake#initialized-notification", 
          "client/tool-call-basic#handshake", "connection/handshake#ready", 
          "negotiation/order#ready-after", "negotiation/order#in-order"],
        |client| {
            client.declare();
            if client.initialize().is_err() { return; }
            match client.check().as_str() {
                "client/initialize-handshake" | "connection/handshake" => {
                    let _ = client.list("tools/list", "tools");
                }
                "client/tool-call-basic" => { let _ = client.call("add", json!({ "a": 17, "b": 25 })); }
                "negotiation/order" => { let _ = client.call("echo", json!({ "message": "alpha" })); }
                _ => {}
            }
            client.close();
        }).only(&["client/initialize-handshake", "client/tool-call-basic"]),
    breaks("forgets the session in its notifications", SESSION, &["connection/session", "stream/listen"],
        &["*#session-header", "client/session-echo#session-echoed", "client/session-recovery#new-session-echoed"],
        |client| bent(client, |outgoing| {
            if outgoing.is("notifications/initialized") { outgoing.remove("Mcp-Session-Id"); }
        })),
    breaks("forgets the version in its notifications", SESSION, &["connection/protocol-version", "stream/listen"],
        &["*#protocol-version-header", "client/protocol-version-header#version-header-post-init",
          "client/protocol-version-header#version-header-negotiated", "connection/protocol-version#version-negotiated"],
        |client| bent(client, |outgoing| {
            if outgoing.is("notifications/initialized") { outgoing.remove("MCP-Protocol-Version"); }
        })),
    breaks("names another version than the one that was agreed on", SESSION, &["connection/protocol-version"],
        &["client/protocol-version-header#version-header-negotiated", "client/protocol-version-header#version-header-value",
          "connection/protocol-version#version-negotiated"],
        |client| bent(client, |outgoing| {
            if outgoing.is("tools/call") { outgoing.set("MCP-Protocol-Version", "2025-06-18"); }
        })),
    breaks("names the lost session when it initializes anew", SESSION, &["connection/new-session", "connection/session-lost-twice"],
        &["client/session-recovery#reinitialize-after-404", "connection/new-session#starts-anew", "connection/session-lost-twice#tries-again"],
        |client| {
            let again = client.clone();
            let opened = Mutex::new(0);
            bent(client, move |outgoing| {
                let mut opened = opened.lock().unwrap();
                *opened += usize::from(outgoing.is("initialize"));
                if outgoing.is("initialize") && *opened == 2 {
                    let mut wrong = outgoing.clone();
                    wrong.add("Mcp-Session-Id", "sess-conformance");
                    wrong.message["id"] = "wrong".into();
                    let _ = again.send(wrong);
                }
            });
        }),
    breaks("comes back too early", SESSION, &["stream/resume", "stream/resume-again[closed]"],
        &["*#retry-delay"],
        |client| { client.patience = 0.3; task(client); }),
    breaks("says nothing of the last event", SESSION, &["stream/resume", "stream/resume-again[closed]"],
        &["*#last-event-id", "stream/resume#reconnects"],
        |client| bent(client, |outgoing| outgoing.remove("Last-Event-ID"))),
    breaks("accepts JSON on its own stream", SESSION, &["stream/listen"],
        &["client/get-stream#get-stream-accept", "stream/listen#accept"],
        |client| bent(client, |outgoing| {
            if outgoing.verb == "GET" && !outgoing.fields.iter().any(|(name, _)| name == "Last-Event-ID") {
                outgoing.set("Accept", "application/json");
            }
        })),
    breaks("calls with texts in the place of numbers", SESSION, &[], &["client/tool-call-basic#tool-call-args"],
        |client| bent(client, |outgoing| {
            if outgoing.calls("add") { outgoing.message["params"]["arguments"]["a"] = "17".into(); }
        })),
    breaks("fills in what does not fit the form", SESSION, &["elicitation/content", "elicitation/form[accept]"],
        &["client/elicit-form#elicit-accept-valid", "elicitation/form#content"],
        |client| bent(client, |outgoing| {
            if let Some(content) = outgoing.result("content") && content.get("attendees").is_some() {
                content["attendees"] = 600.into();
            }
        })),
    breaks("answers a form under another id", SESSION, &[],
        &["client/elicit-form#elicit-response-correlated"],
        |client| bent(client, |outgoing| {
            if outgoing.message["result"]["action"] == "accept" && !outgoing.message["result"]["content"].is_null() {
                outgoing.message["id"] = "another".into();
            }
        })),
    breaks("answers a form that it did not declare", SESSION, &[],
        &["client/elicit-form#capability-declared"],
        |client| bent(client, |outgoing| {
            if outgoing.is("initialize") { outgoing.message["params"]["capabilities"] = json!({}); }
        })).only(&["client/elicit-form"]),
    breaks("opens a page before it is accepted", SESSION, &[], &["client/elicit-url#url-visited-after-accept"],
        |client| {
            let mut opens = client.clone();
            opens.context["check"] = "none".into();
            let browser = Mutex::new(opens);
            client.declare();
            client.context["check"] = "none".into();
            let _ = client.open();
            let request = client.request("tools/call", json!({ "name": "link_account", "arguments": {} }));
            let Ok((head, mut reader)) = client.send(client.post(request)) else { return };
            let mut incoming = crate::raw::client::Incoming::default();
            for event in crate::raw::http::Events::new(head.body(&mut reader)) {
                if let Ok(message) = serde_json::from_str::<Value>(&event.data)
                    && let Some(page) = message["params"]["url"].as_str()
                {
                    browser.lock().unwrap().browse(page, None);
                    client.take(event, &mut incoming);
                    browser.lock().unwrap().link(page);
                }
            }
            client.close();
        }).only(&["client/elicit-url"]),
    breaks("enters a wrong code", SESSION, &[], &["client/elicit-url#web-flow-completed"],
        |client| links(client, |client, page| {
            client.browse(page, None);
            client.browse(page, Some("code=NOPE"));
        })).only(&["client/elicit-url"]),
    breaks("declares no pages", SESSION, &[],
        &["client/elicit-url#capability-url-declared"],
        |client| bent(client, |outgoing| {
            if outgoing.is("initialize") && !outgoing.message["params"]["capabilities"]["elicitation"].is_null() {
                outgoing.message["params"]["capabilities"]["elicitation"] = json!({ "form": {} });
            }
        })).only(&["client/elicit-url"]),
    breaks("sends a ping in an array", SESSION, &[], &["*#no-batched-posts", "*#wire-schema"],
        |client| {
            let _ = client.open();
            let mut post = client.post(Value::Null);
            post.body = Some(r#"[{"jsonrpc":"2.0","id":"in-an-array","method":"ping"}]"#.to_owned());
            let _ = client.exchange(post);
            for n in [4, 7, 12] { let _ = client.call("square", json!({ "n": n })); }
            client.close();
        }).only(&["client/no-batching"]),
    breaks("changes a cursor", SESSION, &["tools/pages"],
        &["client/resources-read#cursor-opaque-roundtrip", "tools/pages#cursor-opaque"],
        |client| {
            client.declare();
            let method = match client.check().as_str() {
                "client/resources-read" => "resources/list",
                "tools/pages" => "tools/list",
                _ => return task(client),
            };
            let _ = client.open();
            let (id, came) = client.ask(method, json!({}));
            let cursor = came.and_then(|came| came.result(&id)).unwrap_or_default()["nextCursor"].clone();
            let changed = format!("{} ", cursor.as_str().unwrap_or_default());
            let _ = client.ask(method, json!({ "cursor": changed }));
            // The task, in the same connection.
            let uri = crate::raw::tasks::find(client, "Deployment Runbook");
            if let Ok(uri) = uri {
                let read = client.call_method("resources/read", json!({ "uri": uri })).unwrap_or_default();
                let _ = client.call("report", json!({ "text": read["contents"][0]["text"] }));
            } else {
                let _ = client.list(method, "tools");
            }
            client.close();
        }).only(&["client/resources-read"]),
    breaks("reads another resource", SESSION, &[], &["client/resources-read#read-correct-uri"],
        |client| bent(client, |outgoing| {
            if outgoing.is("resources/read") && outgoing.message["params"]["uri"] == "docs://runbook" {
                outgoing.message["params"]["uri"] = "docs://style".into();
            }
            if outgoing.calls("report") && outgoing.message["params"]["arguments"]["text"] == "Be brief." {
                outgoing.message["params"]["arguments"]["text"] = RUNBOOK.into();
            }
        })),
    breaks("reports a trimmed text", SESSION, &[], &["client/prompts-get#report-content", "client/resources-read#report-content"],
        |client| bent(client, |outgoing| {
            if outgoing.calls("report") {
                let text = outgoing.message["params"]["arguments"]["text"].as_str().unwrap_or_default();
                outgoing.message["params"]["arguments"]["text"] = text.replace(" – ", " - ").into();
            }
        })),
    breaks("gets a prompt with a number", SESSION, &[], &["client/prompts-get#prompts-get-args", "client/prompts-get#wire-schema", "client/prompts-get#report-content"],
        |client| bent(client, |outgoing| {
            if outgoing.is("prompts/get") && !outgoing.message["params"]["arguments"]["version"].is_null() {
                outgoing.message["params"]["arguments"]["version"] = 2.4.into();
            }
        })),
    breaks("publishes another report", SESSION, &[], &["client/composite#publish-report"],
        |client| bent(client, |outgoing| {
            if outgoing.calls("publish_report") { outgoing.message["params"]["arguments"]["summary"] = "2.4.1".into(); }
        })),
    breaks("leaves before the answer is there", SESSION, &[], &["client/sse-response#sse-handled"],
        |client| {
            let _ = client.open();
            let request = client.request("tools/call", json!({ "name": "slow_word", "arguments": {} }));
            drop(client.send(client.post(request)));
            let _ = client.call("report_word", json!({ "word": "hippopotamus" }));
            client.close();
        }).only(&["client/sse-response"]),
    breaks("has one id for all its requests", SESSION, &["connection/handshake", "tools/multi-step"], &["*#unique-ids"],
        |client| { client.keeps_its_id = true; task(client); }).only(&[]),
    breaks("answers pings with an error", SESSION, &["utilities/ping-from-server", "stream/listen", "odd/request-ids[text]"],
        &["utilities/ping-from-server#answered", "stream/listen#answered", "odd/request-ids#answered"],
        |client| bent(client, |outgoing| {
            if outgoing.message.get("result") == Some(&json!({})) {
                let error = json!({ "code": -32601, "message": "Method not found" });
                outgoing.message.as_object_mut().unwrap().remove("result");
                outgoing.message["error"] = error;
            }
        })).only(&[]),
    breaks("answers digits with a number", SESSION, &["utilities/ping-from-server", "odd/request-ids[digits as text]"],
        &["utilities/ping-from-server#ids-echoed", "odd/request-ids#answered"],
        |client| bent(client, |outgoing| {
            let digits = outgoing.message["id"].as_str().and_then(|id| id.parse::<i64>().ok());
            if let Some(digits) = digits { outgoing.message["id"] = digits.into(); }
        })).only(&[]),
    breaks("answers notifications", SESSION, &["stream/notifications", "odd/many-notifications at stateless-http"], &["*#not-answered"],
        |client| {
            let _ = client.open();
            let _ = client.call("word", json!({}));
            let _ = client.call("say", json!({ "text": "said enough" }));
            let post = client.post(json!({ "jsonrpc": "2.0", "id": "n-1", "result": {} }));
            let _ = client.exchange(post);
            client.close();
        }).only(&[]),
    breaks("tells nobody that its roots changed", SESSION, &["roots/list"], &["roots/list#told"],
        |client| {
            client.declare();
            let _ = client.open();
            let _ = client.call("survey", json!({}));
            let _ = client.call("survey", json!({}));
            client.close();
        }).only(&[]),
    breaks("says nothing of its model", SESSION, &["sampling/message"], &["sampling/message#model", "sampling/message#wire-schema"],
        |client| bent(client, |outgoing| {
            if let Some(Value::Object(result)) = outgoing.message.get_mut("result") { result.remove("model"); }
        })).only(&[]),
    breaks("has one token for two calls", SESSION, &["utilities/progress"], &["utilities/progress#token-unique"],
        |client| bent(client, |outgoing| {
            if outgoing.calls("dig") { outgoing.message["params"]["_meta"]["progressToken"] = "same".into(); }
        })).only(&[]),
    breaks("has a fraction for a token", SESSION, &["utilities/progress"], &["utilities/progress#token-type", "utilities/progress#wire-schema"],
        |client| bent(client, |outgoing| {
            if outgoing.calls("dig") {
                let token = outgoing.message["id"].as_f64().unwrap_or_default() + 0.5;
                outgoing.message["params"]["_meta"]["progressToken"] = token.into();
            }
        })).only(&[]),
    breaks("goes on after an error", SESSION,
        &["connection/refused-handshake[a JSON-RPC error]", "negotiation/no-answer[a JSON-RPC error]",
          "negotiation/reply-id[another number]", "negotiation/stages[initialize is refused]"],
        &["connection/refused-handshake#not-ready", "connection/refused-handshake#nothing-follows",
          "negotiation/no-answer#not-ready", "negotiation/no-answer#nothing-follows",
          "negotiation/reply-id#not-ready", "negotiation/reply-id#nothing-follows", "negotiation/stages#not-called"],
        |client| {
            let _ = client.initialize();
            client.version = Some(client.revision.clone());
            client.notify("notifications/initialized");
            let _ = client.ask("tools/list", Value::Null);
            let _ = client.ask("tools/call", json!({ "name": "echo", "arguments": { "message": "alpha" } }));
            client.close();
        }).only(&[]),
    breaks("opens a page that was not declared", SESSION, &["elicitation/modes"], &["elicitation/modes#undeclared-mode"],
        |client| bent(client, |outgoing| {
            if outgoing.message["error"]["code"] == -32602 {
                outgoing.message.as_object_mut().unwrap().remove("error");
                outgoing.message["result"] = json!({ "action": "accept" });
            }
        })).only(&[]),
    breaks("asks for what was not declared", SESSION, &["discovery/undeclared-feature"], &["discovery/undeclared-feature#only-declared"],
        |client| {
            let _ = client.open();
            let _ = client.ask("prompts/list", Value::Null);
            let _ = client.list("tools/list", "tools");
            client.close();
        }).only(&[]),
    breaks("goes on with a version that it does not know", SESSION,
        &["connection/refused-version[a later version]"],
        &["client/bad-version-response#disconnect-on-mismatch", "connection/refused-version#disconnects"],
        |client| {
            let _ = client.initialize();
            client.version = Some("2025-11-25".to_owned());
            client.notify("notifications/initialized");
            let _ = client.ask("tools/list", Value::Null);
            client.close();
        }).only(&["client/bad-version-response"]),
    breaks("says something else in each call", SESSION, &["tools/add-numbers", "tools/arguments[text]", "connection/no-session at stateless-http", "negotiation/order"],
        &["client/tool-call-basic#tool-call-args", "client/composite#publish-report", "client/elicit-form#tool-call-args",
          "client/get-stream#report-word", "client/no-batching#square-4", "client/no-batching#square-7", "client/no-batching#square-12",
          "client/prompts-get#report-content", "client/protocol-version-header#tool-call", "client/resources-read#report-content",
          "client/session-echo#first-call", "client/session-echo#second-call", "client/session-recovery#first-fetch",
          "client/session-recovery#second-fetch", "client/sse-response#report-word", "tools/add-numbers#called", "tools/arguments#as-given",
          "connection/no-session#called", "negotiation/order#then-called"],
        |client| bent(client, says_something_else)),
    breaks("gets another prompt", SESSION, &[],
        &["client/composite#prompt-fetched", "client/prompts-get#prompts-get-args", "client/composite#publish-report", "client/composite#resource-read",
          "client/prompts-get#report-content", "client/prompts-get#prompts-list-first"],
        |client| bent(client, |outgoing| {
            if let Some(name) = outgoing.param("name").filter(|name| *name == "release_notes" || *name == "release_report") {
                *name = "another".into();
            }
        })).only(&["client/composite", "client/prompts-get"]),
    breaks("guesses what a resource says", SESSION, &[], &["client/composite#resource-read"],
        |client| {
            let _ = client.open();
            let _ = client.call_method("prompts/get", json!({ "name": "release_report", "arguments": {} }));
            let _ = client.ask("resources/read", json!({ "uri": "docs://another" }));
            let _ = client.call("publish_report", json!({ "summary": "2.4.1/7/3" }));
            client.close();
        }).only(&["client/composite"]),
    breaks("declines a page", SESSION, &["elicitation/url[accept]"], &["client/elicit-url#elicit-url-accept", "client/elicit-url#url-visited-after-accept", "elicitation/url#action"],
        |client| bent(client, |outgoing| {
            if let Some(action) = outgoing.result("action") { *action = "decline".into(); }
        })).only(&["client/elicit-url"]),
    breaks("forgets the session on its own stream", SESSION, &["stream/listen", "stream/resume-again[closed]"],
        &["stream/listen#session-header", "stream/resume-again#session-header"],
        |client| bent(client, |outgoing| {
            if outgoing.verb == "GET" { outgoing.remove("Mcp-Session-Id"); }
        })).only(&[]),
    breaks("forgets the version on its own stream", SESSION, &["stream/listen", "stream/resume-again[closed]"],
        &["stream/listen#protocol-version-header", "stream/resume-again#protocol-version-header"],
        |client| bent(client, |outgoing| {
            if outgoing.verb == "GET" { outgoing.remove("MCP-Protocol-Version"); }
        })).only(&[]),
    breaks("forgets the version when it ends the session", SESSION, &["connection/protocol-version"],
        &["*#protocol-version-header", "client/protocol-version-header#version-header-post-init",
          "client/protocol-version-header#version-header-negotiated", "connection/protocol-version#version-negotiated"],
        |client| bent(client, |outgoing| {
            if outgoing.verb == "DELETE" { outgoing.remove("MCP-Protocol-Version"); }
        })),
    breaks("ends another session", SESSION, &["connection/session"],
        &["client/session-echo#session-echoed", "client/session-echo#session-delete-on-done", "connection/session#session-header",
          "connection/session#ended", "*#session-header"],
        |client| bent(client, |outgoing| {
            if outgoing.verb == "DELETE" { outgoing.set("Mcp-Session-Id", "another"); }
        })),
    breaks("goes on in the version that it asked for", SESSION, &["connection/older-version[2025-06-18]"],
        &["connection/older-version#version-negotiated"],
        |client| bent(client, |outgoing| outgoing.replace("MCP-Protocol-Version", "2025-11-25"))).only(&[]),
    breaks("asks for its own stream with JSON when it resumes", SESSION, &["stream/resume"], &["stream/resume#get-accept"],
        |client| bent(client, |outgoing| {
            if outgoing.verb == "GET" { outgoing.set("Accept", "application/json"); }
        })).only(&[]),
    breaks("answers pings when the call is over", SESSION, &["utilities/ping-from-server"], &["utilities/ping-from-server#promptly"],
        |client| {
            let late = Mutex::new(Vec::new());
            let sender = client.clone();
            client.bend(move |outgoing| {
                let mut late = late.lock().unwrap();
                if outgoing.message.get("result").is_some() {
                    late.push(outgoing.message.clone());
                    outgoing.message = json!({ "jsonrpc": "2.0", "method": "notifications/waits" });
                }
                if outgoing.verb == "DELETE" {
                    for pong in late.drain(..) {
                        let mut post = outgoing.clone();
                        (post.verb, post.message) = ("POST".to_owned(), pong);
                        post.set("Accept", "application/json, text/event-stream");
                        post.add("Content-Type", "application/json");
                        let _ = sender.send(post);
                    }
                }
            });
            task(client);
        }).only(&[]),
    breaks("leaves a value out", SESSION, &["elicitation/content"], &["elicitation/content#complete"],
        |client| bent(client, |outgoing| {
            if let Some(Value::Object(content)) = outgoing.result("content") {
                let first = content.keys().next().cloned().unwrap_or_default();
                content.remove(&first);
            }
        })).only(&[]),
    breaks("has another root", SESSION, &["roots/list"], &["roots/list#roots"],
        |client| bent(client, |outgoing| {
            if let Some(roots) = outgoing.result("roots") { roots[0]["uri"] = "file:///elsewhere".into(); }
        })).only(&[]),
    breaks("writes another message", SESSION, &["sampling/message"], &["sampling/message#message"],
        |client| bent(client, |outgoing| {
            if let Some(content) = outgoing.result("content") && content.get("text").is_some() { content["text"] = "adieu".into(); }
        })).only(&[]),
    breaks("says yes where its user refused", SESSION, &["sampling/rejected"], &["sampling/rejected#refused"],
        |client| bent(client, |outgoing| {
            if outgoing.message["error"]["code"] == -1 {
                outgoing.message.as_object_mut().unwrap().remove("error");
                outgoing.message["result"] = json!({ "role": "assistant", "model": "any", "content": { "type": "text", "text": "yes" } });
            }
        })).only(&[]),
    breaks("refuses a form that names no mode", SESSION, &["elicitation/modes"], &["elicitation/modes#form-by-default"],
        |client| {
            let refused = Mutex::new(false);
            bent(client, move |outgoing| {
                let mut refused = refused.lock().unwrap();
                if outgoing.result("action").is_some() && !*refused {
                    *refused = true;
                    outgoing.message.as_object_mut().unwrap().remove("result");
                    outgoing.message["error"] = json!({ "code": -32602, "message": "no mode" });
                }
            });
        }).only(&[]),
    breaks("puts initialize into an array", "stateless-http-2025-03-26", &["connection/batch-received[a JSON body]"],
        &["connection/batch-received#initialize-alone"],
        |client| {
            let request = client.request("initialize", json!({
                "protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": { "name": "raw", "version": "1.0.0" },
            }));
            let mut post = client.post(Value::Null);
            post.body = Some(format!("[{request}]"));
            let _ = client.exchange(post);
            task(client);
        }).only(&[]),
    breaks("leaves a ping in an array unanswered", "stateless-http-2025-03-26", &["connection/batch-received[one event]", "connection/batch-received[a JSON body]"],
        &["connection/batch-received#ping-answered"],
        |client| bent(client, |outgoing| {
            if outgoing.message.get("result").is_some() {
                outgoing.message = json!({ "jsonrpc": "2.0", "method": "notifications/waits" });
            }
        })).only(&[]),
    breaks("reads no further than the first page", SESSION, &["tools/pages"], &["tools/pages#followed"],
        |client| {
            let _ = client.open();
            let _ = client.ask("tools/list", json!({}));
            client.close();
        }).only(&[]),

];
