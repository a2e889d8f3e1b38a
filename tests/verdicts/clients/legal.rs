//! Clients that do something odd and legal.

use super::*;

pub const LEGAL: &[Row] = &[
    is_legal("client/tool-call-basic", "calls with other arguments first", |client| {
        let _ = client.open();
        let _ = client.call("add", json!({ "a": 1, "b": 2 }));
        let _ = client.call("add", json!({ "a": 17, "b": 25 }));
        client.close();
    }),
    is_legal(
        "client/tool-call-basic",
        "leaves Accept out of what is refused for its session",
        |client| {
            let _ = client.open();
            let request = client.request("tools/list", Value::Null);
            let mut post = client.post(request);
            post.set("Mcp-Session-Id", "no-such");
            post.set("Accept", "application/json");
            let _ = client.exchange(post);
            let _ = client.call("add", json!({ "a": 17, "b": 25 }));
            client.close();
        },
    ),
    is_legal("client/resources-read", "reads another resource first", |client| {
        let _ = client.open();
        let _ = client.call_method("resources/read", json!({ "uri": "docs://style" }));
        report_runbook(client);
    }),
    is_legal("client/resources-read", "reads another resource afterwards", |client| {
        let _ = client.open();
        let Ok(uri) = find(client, "Deployment Runbook") else { return };
        let read = client.call_method("resources/read", json!({ "uri": uri })).unwrap_or_default();
        let _ = client.call_method("resources/read", json!({ "uri": "docs://style" }));
        let _ = client.call("report", json!({ "text": contents(&read) }));
        client.close();
    }),
    is_legal("client/resources-read", "lists twice", |client| {
        let _ = client.open();
        let _ = client.list("resources/list", "resources");
        report_runbook(client);
    }),
    is_legal("client/stateless-resources", "reads another resource first", |client| {
        let _ = client.call_method("resources/read", json!({ "uri": "docs://style" }));
        report_runbook(client);
    }),
    is_legal("client/stalled-tool", "asks for the status before and after", |client| {
        let _ = client.open();
        let _ = client.call("get_status", json!({}));
        client.give_up_after(2000, "process_data");
        let _ = client.call("get_status", json!({}));
        client.close();
    }),
    is_legal("client/prompts-get", "fails to get the prompt before it lists", |client| {
        let _ = client.open();
        let _ = client.call_method("prompts/get", json!({ "name": "no_such_prompt" }));
        report_prompt(client);
    }),
    is_legal("client/prompts-get", "lists twice", |client| {
        let _ = client.open();
        let _ = client.list("prompts/list", "prompts");
        report_prompt(client);
    }),
    is_legal("client/prompts-get", "lists with a bad cursor before it lists", |client| {
        let _ = client.open();
        let _ = client.ask("prompts/list", json!({ "cursor": "never-issued" }));
        report_prompt(client);
    }),
    is_legal("client/mrtr-elicit-url", "agrees to the page before it opens it", |client| {
        links_in_rounds(client, |params, interim, client| client.next_round(params, interim));
    }),
    is_legal("client/elicit-url", "sends a wrong code first", |client| {
        links(client, |client, page| {
            client.browse(page, None);
            client.browse(page, Some("code=NOPE"));
            client.browse(page, Some("code=L1NK-4711"));
        });
    }),
    is_legal(
        "client/initialize-handshake at stateless-http-2025-06-18",
        "asks for its latest version",
        |client| {
            client.revision = "2025-11-25".to_owned();
            task(client);
        },
    ),
    is_legal(
        "connection/protocol-version at stateless-http-2025-06-18",
        "asks for its latest version",
        |client| {
            client.revision = "2025-11-25".to_owned();
            task(client);
        },
    ),
    is_legal("connection/protocol-version", "names the version on initialize too", |client| {
        client.bend(|outgoing| {
            if outgoing.is("initialize") {
                outgoing.add("MCP-Protocol-Version", "2025-11-25");
            }
        });
        task(client);
    }),
    is_legal("connection/handshake", "says twice that it is ready", |client| {
        let _ = client.open();
        client.notify("notifications/initialized");
        let _ = client.list("tools/list", "tools");
        client.close();
    }),
    is_legal("connection/handshake", "lists between the answer and the notification", |client| {
        let _ = client.initialize();
        let _ = client.ask("tools/list", Value::Null);
        client.notify("notifications/initialized");
        let _ = client.list("tools/list", "tools");
        client.close();
    }),
    is_legal("connection/handshake", "counts its ids beyond 2^63", |client| {
        client.bend(|outgoing| {
            if let Some(id) = outgoing.message["id"].as_u64() {
                let body = outgoing.message.to_string();
                let from = format!("\"id\":{id},");
                outgoing.body = Some(
                    body.replace(&from, &format!("\"id\":{},", 9_223_372_036_854_775_807 + id)),
                );
            }
        });
        client.declare();
        let _ = client.initialize();
        client.version = Some(client.revision.clone());
        client.notify("notifications/initialized");
        let _ = client.ask("tools/list", Value::Null);
        client.close();
    }),
    is_legal("tools/multi-step", "writes its ids as 1.0", |client| {
        client.bend(|outgoing| {
            if let Some(id) = outgoing.message["id"].as_u64() {
                outgoing.message["id"] = json!(id as f64);
            }
        });
        let _ = client.initialize();
        client.version = Some(client.revision.clone());
        client.session = Some("sess-conformance".to_owned());
        client.notify("notifications/initialized");
        for _ in 0..3 {
            let _ = client.ask("tools/call", json!({ "name": "next_step", "arguments": {} }));
        }
        client.close();
    }),
    is_legal("stream/listen", "says more in a pong", pongs_with_metadata),
    is_legal("utilities/ping-from-server", "says more in a pong", pongs_with_metadata),
    is_legal(
        "client/session-recovery",
        "pings in the old session while the new one opens",
        pings_meanwhile,
    ),
    is_legal(
        "connection/new-session",
        "pings in the old session while the new one opens",
        pings_meanwhile,
    ),
    is_legal("stream/resume", "opens a stream of its own after the drop", listens_after_the_drop),
    is_legal(
        "client/drop-stream-mid-call",
        "opens a stream of its own after the drop",
        listens_after_the_drop,
    ),
    is_legal(
        "stream/resume-again[closed]",
        "opens a stream of its own after the drop",
        listens_after_the_drop,
    ),
    is_legal(
        "negotiation/eras[dual-era with legacy]",
        "opens with initialize",
        opens_with_initialize,
    ),
    is_legal(
        "negotiation/reply-id[the id in another type]",
        "takes an id in another type",
        |client| {
            let _ = client.initialize();
            client.version = Some(client.revision.clone());
            client.notify("notifications/initialized");
            let _ = client.ask("tools/list", Value::Null);
        },
    ),
    is_legal("client/header-mirroring", "encodes what need not be", encodes_everything),
    is_legal("client/stateless-tool-call", "encodes what need not be", encodes_everything),
    is_legal("client/param-headers", "encodes what need not be", encodes_everything),
    is_legal("tools/header-parameters[plain]", "encodes what need not be", encodes_everything),
    is_legal(
        "client/stateless-tool-call",
        "has its fields in lower case and its Accept in two",
        |client| {
            client.bend(|outgoing| {
                for (name, _) in &mut outgoing.fields {
                    name.make_ascii_lowercase();
                }
                outgoing.remove("accept");
                outgoing.add("accept", "text/event-stream;q=0.9");
                outgoing.add("accept", "application/json; q=1, */*;q=0.1");
            });
            task(client);
        },
    ),
    is_legal("client/elicit-form", "answers with a member that nobody asked for", |client| {
        client.bend(|outgoing| {
            if outgoing.message["result"]["action"] == "accept" {
                outgoing.message["result"]["_meta"] = json!({ "example.com/trace": "t1" });
            }
        });
        task(client);
    }),
    is_legal("client/session-echo", "pings before it ends the session", |client| {
        let _ = client.open();
        for message in ["alpha", "bravo"] {
            let _ = client.call("echo", json!({ "message": message }));
        }
        let _ = client.ask("ping", Value::Null);
        client.close();
    }),
    is_legal("client/no-batching", "calls in another order, and one of them twice", |client| {
        let _ = client.open();
        for n in [12, 4, 7, 4] {
            let _ = client.call("square", json!({ "n": n }));
        }
        client.close();
    }),
    is_legal("client/mrtr-basic", "answers nothing at first", |client| {
        client.declare();
        let params =
            json!({ "name": "create_deploy_key", "arguments": { "repo": "mcpbench/demo" } });
        let Ok(first) = client.call_method("tools/call", params.clone()) else { return };
        let mut again = params.clone();
        again["requestState"] = first["requestState"].clone();
        let Ok(second) = client.call_method("tools/call", again) else { return };
        let next = client.next_round(&params, &second);
        let _ = client.call_method("tools/call", next);
    }),
    is_legal("client/task-polling", "asks for the task of another once", |client| {
        client.declare();
        let _ = client.ask("tasks/get", json!({ "taskId": "of-someone-else" }));
        client.wait(500);
        let _ = client.call("generate_report", json!({ "region": "emea", "sections": 4 }));
    }),
    is_legal("utilities/cancellation", "waits for the answer and cancels nothing", |client| {
        let _ = client.open();
        let _ = client.call("slow", json!({}));
        let _ = client.call("echo", json!({ "message": "alpha" }));
        client.close();
    }),
    is_legal("connection/two-connections", "opens one connection", one_connection),
    is_legal("negotiation/side-by-side[one version]", "opens one connection", one_connection),
    is_legal("connection/two-connections", "opens a connection for each call", |client| {
        for message in ["one", "two", "one"] {
            let _ = client.open();
            let _ = client.call("echo", json!({ "message": message }));
            client.close();
        }
    }),
    is_legal("time/retry-beyond-budget", "opens a stream of its own meanwhile", |client| {
        let _ = client.open();
        let _ = client.ask("tools/call", json!({ "name": "patient", "arguments": {} }));
        let get = client.outgoing("GET", "text/event-stream");
        let _ = client.send(get);
        client.close();
    }),
    is_legal("tools/result-types[unknown]", "says that it was told nothing", |client| {
        let _ = client.call("word", json!({}));
        let _ = client.call("say", json!({ "text": "an invalid result" }));
    }),
    is_legal("tasks/ends[completed]", "takes no tasks", |client| {
        let word = client.call("word", json!({})).unwrap_or_default();
        let _ = client.call("say", json!({ "text": text(&word) }));
    }),
    is_legal("caching/freshness[after a question]", "has no roots to be asked for", |client| {
        if let Some(told) = client.context.as_object_mut() {
            told.remove("roots");
        }
        task(client);
    }),
    is_legal("client/get-stream", "opens no stream between requests", opens_no_stream),
    is_legal("stream/listen", "opens no stream between requests", opens_no_stream),
    is_legal("resources/subscribe", "opens no stream between requests", |client| {
        let _ = client.open();
        let _ = client.call_method("resources/subscribe", json!({ "uri": "memo://greeting" }));
        client.close();
    }),
    // What is not declared is not asked for, and what needs it is skipped.
    is_legal("roots/list", "declares no roots", declares_nothing),
    is_legal("sampling/message", "declares no sampling", declares_nothing),
    is_legal("elicitation/form[accept]", "declares no elicitation", declares_nothing),
    is_legal("elicitation/url[accept]", "declares no elicitation", declares_nothing),
];

fn one_connection(client: &mut Client) {
    let _ = client.open();
    for message in ["one", "two", "one"] {
        let _ = client.call("echo", json!({ "message": message }));
    }
    client.close();
}

fn opens_no_stream(client: &mut Client) {
    let _ = client.open();
    client.close();
}

fn report_runbook(client: &mut Client) {
    let Ok(uri) = find(client, "Deployment Runbook") else { return };
    let Ok(read) = client.call_method("resources/read", json!({ "uri": uri })) else { return };
    let _ = client.call("report", json!({ "text": contents(&read) }));
    client.close();
}

fn listens_after_the_drop(client: &mut Client) {
    let listens = Mutex::new(Some(client.clone()));
    client.bend(move |outgoing| {
        // The first GET is the one that resumes.
        if outgoing.verb == "GET"
            && let Some(own) = listens.lock().unwrap().take()
        {
            let mut get = outgoing.clone();
            get.remove("Last-Event-ID");
            std::thread::spawn(move || own.send(get));
        }
    });
    task(client);
}

fn pongs_with_metadata(client: &mut Client) {
    client.bend(|outgoing| {
        if outgoing.message.get("result").is_some_and(|result| *result == json!({})) {
            outgoing.message["result"] = json!({ "_meta": { "example.com/trace": "t1" } });
        }
    });
    task(client);
}

/// A heartbeat that belongs to the session that is gone comes while the new one
/// opens: just before its `initialize`, or just after.
fn pings_meanwhile(client: &mut Client) {
    let heartbeat = Mutex::new(None::<Client>);
    let before = client.clone();
    client.bend(move |outgoing| {
        let mut heartbeat = heartbeat.lock().unwrap();
        let session = outgoing.fields.iter().find(|(name, _)| name == "Mcp-Session-Id");
        match (session, outgoing.is("initialize")) {
            (Some((_, session)), _) if heartbeat.is_none() => {
                let mut beating = before.clone();
                beating.session = Some(session.clone());
                beating.version = Some("2025-11-25".to_owned());
                *heartbeat = Some(beating);
            }
            (None, true) => {
                if let Some(mut beating) = heartbeat.take() {
                    std::thread::spawn(move || {
                        let ping = json!({ "jsonrpc": "2.0", "id": "heartbeat", "method": "ping" });
                        let post = beating.post(ping);
                        let _ = beating.exchange(post);
                    });
                }
            }
            _ => {}
        }
    });
    task(client);
}

fn report_prompt(client: &mut Client) {
    let _ = client.list("prompts/list", "prompts");
    get_and_report(client);
}

fn opens_with_initialize(client: &mut Client) {
    client.revision = "2025-11-25".to_owned();
    if client.shake_hands().is_ok() {
        let _ = client.call("echo", json!({ "message": "alpha" }));
        client.close();
    }
}

fn encodes_everything(client: &mut Client) {
    client.bend(|outgoing| {
        for (name, value) in &mut outgoing.fields {
            let is_encodable = name == "Mcp-Name" || name.starts_with("Mcp-Param-");
            if is_encodable && !value.starts_with("=?base64?") {
                *value = in_base64(value);
            }
        }
    });
    task(client);
}

fn declares_nothing(client: &mut Client) {
    client.bend(|outgoing| {
        if outgoing.is("initialize") {
            outgoing.message["params"]["capabilities"] = json!({});
        }
    });
    task(client);
}
