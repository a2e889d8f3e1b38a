//! How a client does the task of each check.

use std::time::Duration;

use serde_json::{Value, json};

use super::client::{Client, Outcome};

/// Does what the check that the client was told to play asks for.
pub fn task(client: &mut Client) {
    client.declare();
    let _ = by_check(client);
    client.close();
}

/// The first text of a tool's result.
pub fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

/// The first text of a resource's contents.
pub fn contents(result: &Value) -> &str {
    result["contents"][0]["text"].as_str().unwrap_or_default()
}

fn by_check(client: &mut Client) -> Outcome {
    let check = client.check();
    if check == "resources/subscribe" {
        return subscribe(client);
    }
    let discovers = check == "client/discover-instructions";
    if !discovers {
        client.open()?;
    }
    match client.context["name"].as_str().unwrap_or_default() {
        "say-word" | "say-word-with-log" | "task-say-word" => return say_word(client),
        "two-connections" => return over_two_connections(client),
        _ => {}
    }
    match check.as_str() {
        "client/tool-call-basic" | "client/stateless-tool-call" => {
            client.call("add", json!({ "a": 17, "b": 25 }))
        }
        "client/session-echo" => {
            client.call("echo", json!({ "message": "alpha" }))?;
            client.call("echo", json!({ "message": "bravo" }))
        }
        "client/session-recovery" => {
            client.call("fetch_record", json!({ "id": "r-100" }))?;
            client.call("fetch_record", json!({ "id": "r-200" }))
        }
        "client/protocol-version-header" => client.call("lookup", json!({ "term": "idempotent" })),
        "client/no-batching" => {
            for n in [4, 7, 12] {
                client.call("square", json!({ "n": n }))?;
            }
            Ok(Value::Null)
        }
        "client/drop-stream-mid-call" => client.call("generate_report", json!({})),
        "client/sse-response" | "client/stateless-sse-response" => {
            let word = client.call("slow_word", json!({}))?;
            client.call("report_word", json!({ "word": text(&word) }))
        }
        "client/prompts-get" | "client/stateless-prompts" => {
            client.list("prompts/list", "prompts")?;
            let prompt = client.call_method(
                "prompts/get",
                json!({ "name": "release_notes", "arguments": { "version": "2.4.1" } }),
            )?;
            client.call("report", json!({ "text": prompt["messages"][0]["content"]["text"] }))
        }
        "client/resources-read" | "client/stateless-resources" => {
            let uri = find(client, "Deployment Runbook")?;
            let read = client.call_method("resources/read", json!({ "uri": uri }))?;
            client.call("report", json!({ "text": contents(&read) }))
        }
        "client/composite" => {
            client
                .call_method("prompts/get", json!({ "name": "release_report", "arguments": {} }))?;
            let read =
                client.call_method("resources/read", json!({ "uri": "docs://changelog" }))?;
            let values: Value = serde_json::from_str(contents(&read)).unwrap_or_default();
            let version = values["version"].as_str().unwrap_or_default();
            let summary = format!("{version}/{}/{}", values["fixes"], values["features"]);
            client.call("publish_report", json!({ "summary": summary }))
        }
        "client/stateless-composite" => {
            client
                .call_method("prompts/get", json!({ "name": "release_report", "arguments": {} }))?;
            let uri = find(client, "Changelog")?;
            let read = client.call_method("resources/read", json!({ "uri": uri }))?;
            let values: Value = serde_json::from_str(contents(&read)).unwrap_or_default();
            let version = values["version"].as_str().unwrap_or_default();
            client.call(
                "publish_report",
                json!({ "summary": format!("{version}:{}", values["changes"]) }),
            )
        }
        "client/discover-instructions" => {
            let result = client.call_method("server/discover", json!({}))?;
            let instructions = result["instructions"].as_str().unwrap_or_default();
            let passphrase = instructions.split(": ").nth(1).unwrap_or_default();
            client.call("unlock_vault", json!({ "passphrase": passphrase }))
        }
        "client/header-mirroring" => {
            let uri = find(client, "config")?;
            let read = client.call_method("resources/read", json!({ "uri": uri }))?;
            let values: Value = serde_json::from_str(contents(&read)).unwrap_or_default();
            client.call("traducteur-météo", values)?;
            client.call_method("prompts/get", json!({ "name": "greeting" }))
        }
        "client/param-headers" => {
            client.list("tools/list", "tools")?;
            let arguments =
                json!({ "query": "SELECT 1", "region": "us-west1", "comment": "été 2026" });
            client.call("execute_sql", arguments)
        }
        "client/mrtr-no-state" => {
            let ca = client.call("get_ca_info", json!({}))?;
            let arguments = json!({ "ca": text(&ca), "domain": "demo.example.com" });
            client.call("request_certificate", arguments)?;
            client.call("get_ca_info", json!({}))
        }
        "client/stalled-tool" => {
            client.give_up_after(2000, "process_data");
            client.call("get_status", json!({}))
        }
        "client/get-stream" => {
            let heard = client.hear(|message| message["method"] == "notifications/message")?;
            client.call("report_word", json!({ "word": heard["params"]["data"] }))
        }
        "stream/listen" => {
            client.hear(|message| message["method"] == "notifications/message")?;
            client.call("done", json!({}))
        }
        "stream/lost" => client.call_method("resources/read", json!({ "uri": "docs://runbook" })),
        "tools/multi-step" => {
            while text(&client.call("next_step", json!({}))?) != "done" {}
            Ok(Value::Null)
        }
        "tools/pages"
        | "tools/empty-cursor"
        | "client/initialize-handshake"
        | "connection/handshake"
        | "discovery/introduction"
        | "discovery/undeclared-feature" => client.list("tools/list", "tools").map(Value::from),
        "tools/remote-name"
        | "odd/names"
        | "odd/many-tools"
        | "tools/header-parameters"
        | "odd/unknown-members" => {
            client.list("tools/list", "tools")?;
            calls_of_context(client)
        }
        "resources/read" => {
            for name in ["second", "third"] {
                let uri = find(client, name)?;
                client.call_method("resources/read", json!({ "uri": uri }))?;
            }
            Ok(Value::Null)
        }
        "resources/templates" => {
            client.list("resources/templates/list", "resourceTemplates")?;
            client.call_method("resources/read", json!({ "uri": "memo://notes/7/text" }))
        }
        "prompts/get" => {
            client.list("prompts/list", "prompts")?;
            let arguments = json!({ "name": "Ada", "tone": "warm" });
            client
                .call_method("prompts/get", json!({ "name": "greet", "arguments": arguments }))?;
            client.call_method("prompts/get", json!({ "name": "plain" }))
        }
        "roots/list" => {
            client.call("survey", json!({}))?;
            client.notify("notifications/roots/list_changed");
            client.call("survey", json!({}))
        }
        "utilities/cancellation" => {
            client.give_up_after(1000, "slow");
            client.call("echo", json!({ "message": "alpha" }))
        }
        "utilities/ping" => {
            let _ = client.ask("ping", Value::Null);
            client.ask("ping", Value::Null).1.map(|_| Value::Null)
        }
        "tools/parallel-calls" => {
            let mut twin = client.clone();
            // An id of its own.
            let _ = client.request("ping", Value::Null);
            let slow = json!({ "name": "slow", "time": 3000 });
            let other = std::thread::spawn(move || twin.call("wait", slow));
            let quick = client.call("wait", json!({ "name": "quick", "time": 1000 }))?;
            let slow = other.join().map_err(|_| "the other call failed")??;
            client.call("report", json!({ "quick": text(&quick), "slow": text(&slow) }))
        }
        // It gives up at once: the server asks for a minute.
        "time/retry-beyond-budget" => {
            client.ask("tools/call", json!({ "name": "patient" })).1.map(|_| Value::Null)
        }
        "tools/invalid-annotations" => {
            let tools = client.list("tools/list", "tools")?;
            let names: Vec<_> = tools.iter().map(|tool| tool["name"].clone()).collect();
            client.call("report", json!({ "names": names }))?;
            client.call("valid", json!({ "one": "1" }))
        }
        "stream/subscription" => {
            let asked = json!({ "toolsListChanged": true, "resourceSubscriptions": ["memo://a"] });
            let listen = client.request("subscriptions/listen", json!({ "notifications": asked }));
            let stream = client.send(client.post(listen));
            let changed = client.call("change", json!({}));
            drop(stream);
            changed
        }
        "caching/freshness" => keep(client),
        "utilities/progress" => {
            client.asks_for_progress = true;
            let mut twin = client.clone();
            // An id of its own.
            let _ = client.request("ping", Value::Null);
            let other = std::thread::spawn(move || twin.call("dig", json!({ "depth": 1 })));
            let result = client.call("dig", json!({ "depth": 2 }));
            let _ = other.join();
            result
        }
        _ => calls_of_context(client),
    }
}

/// Hands on what the tool `word` says, if it says anything.
fn say_word(client: &mut Client) -> Outcome {
    if client.context["case"] == "another method" {
        return client.call_method("prompts/get", json!({ "name": "word" }));
    }
    let word = client.call("word", json!({}))?;
    client.call("say", json!({ "text": text(&word) }))
}

/// Says one over a connection, two over another, and one again over the first.
fn over_two_connections(client: &mut Client) -> Outcome {
    let mut other = client.clone();
    other.shake_hands()?;
    client.call("echo", json!({ "message": "one" }))?;
    other.call("echo", json!({ "message": "two" }))?;
    other.close();
    client.call("echo", json!({ "message": "one" }))
}

/// What the case of `caching/freshness` asks for; nothing is kept.
fn keep(client: &mut Client) -> Outcome {
    let case = client.context["case"].as_str().unwrap_or_default().to_owned();
    let uris: &[&str] = match case.as_str() {
        "another" => &["memo://a", "memo://b", "memo://a"],
        "after a question" => &["memo://a", "memo://a"],
        _ => &[],
    };
    for uri in uris {
        let params = json!({ "uri": uri });
        let mut read = client.call_method("resources/read", params.clone())?;
        if read["resultType"] == "input_required" {
            let next = client.next_round(&params, &read);
            read = client.call_method("resources/read", next)?;
        }
        client.call("report", json!({ "text": contents(&read) }))?;
    }
    if !uris.is_empty() {
        return Ok(Value::Null);
    }
    report_tools(client)?;
    match case.as_str() {
        "stale" => client.wait(3000),
        "changed" => {
            client.call("change", json!({}))?;
        }
        _ => {}
    }
    report_tools(client)
}

fn report_tools(client: &mut Client) -> Outcome {
    let tools = client.list("tools/list", "tools")?;
    let names: Vec<_> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    client.call("report", json!({ "text": names.join(", ") }))
}

/// Calls each tool of the context, whatever became of the one before.
fn calls_of_context(client: &mut Client) -> Outcome {
    let calls = client.context["toolCalls"].as_array().cloned().unwrap_or_default();
    for call in &calls {
        let name = call["name"].as_str().unwrap_or_default();
        let arguments = call.get("arguments").cloned().unwrap_or(json!({}));
        let _ = client.call(name, arguments);
    }
    Ok(Value::Null)
}

/// The URI of the resource that the list has under this name.
pub fn find(client: &mut Client, name: &str) -> Result<Value, String> {
    let listed = client.list("resources/list", "resources")?;
    let found = listed.iter().find(|resource| resource["name"] == name);
    found.map(|resource| resource["uri"].clone()).ok_or_else(|| format!("no {name}"))
}

/// Subscribes and hears on a stream that was opened before.
fn subscribe(client: &mut Client) -> Outcome {
    client.open()?;
    let uri = json!({ "uri": "memo://greeting" });
    let mut listener = client.clone();
    let hearing = std::thread::spawn(move || {
        listener.hear(|message| message["method"] == "notifications/resources/updated")
    });
    std::thread::sleep(Duration::from_millis(20));
    client.call_method("resources/subscribe", uri.clone())?;
    let _ = hearing.join();
    client.call_method("resources/read", uri.clone())?;
    client.call_method("resources/unsubscribe", uri)
}
