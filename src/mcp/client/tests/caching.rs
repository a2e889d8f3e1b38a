//! What is kept of results, at 2026-07-28, and until when.

use futures_util::StreamExt as _;

use super::stateless::{REVISION, serving};
use super::*;

/// A subscription on which these messages come after a second.
fn subscription(seen: &Seen, messages: &[Value]) -> Act {
    let id = seen.body["id"].clone();
    let acknowledged = json!({
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {
            "notifications": {},
            "_meta": { "io.modelcontextprotocol/subscriptionId": id },
        },
    });
    let later: String = messages.iter().map(|message| format!("data: {message}\n\n")).collect();
    let pieces = [(0, format!("data: {acknowledged}\n\n")), (1, later), (3600, String::new())];
    let body = stream::iter(pieces).then(|(seconds, text)| async move {
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        Ok(Bytes::from(text))
    });
    Act::Respond(response(200, "text/event-stream", Body::stream(body)))
}

fn told(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

fn count(server: &FarSide, method: &str) -> usize {
    server.names().iter().filter(|name| *name == method).count()
}

/// A list of two pages, of which the first alone is kept. Its cursor holds for
/// the first listing, and is refused later.
fn paged() -> Arc<FarSide> {
    let listed = Mutex::new(0);
    serving(move |seen| {
        let cursor = seen.body["params"]["cursor"].as_str().map(str::to_owned);
        let mut listed = listed.lock().unwrap();
        let names = match cursor.as_deref() {
            None => {
                *listed += 1;
                let next = format!("{listed}");
                return result(
                    seen,
                    json!({
                        "tools": [{ "name": format!("one-{next}"), "inputSchema": {} }],
                        "nextCursor": next,
                        "ttlMs": 60_000,
                    }),
                );
            }
            Some("1") if *listed == 1 => {
                // It holds once.
                *listed = 2;
                json!([{ "name": "two", "inputSchema": {} }])
            }
            Some("3") => json!([{ "name": "two", "inputSchema": {} }]),
            Some(_) => {
                let error = json!({ "code": -32602, "message": "Invalid cursor" });
                let body = json!({ "jsonrpc": "2.0", "id": seen.body["id"], "error": error });
                return json_body(200, body);
            }
        };
        result(seen, json!({ "tools": names, "ttlMs": 0 }))
    })
}

#[tokio::test(start_paused = true)]
async fn what_changed_while_it_was_asked_for_is_stale_at_once() {
    let server = serving(|seen| match seen.name().as_str() {
        "subscriptions/listen" => {
            subscription(seen, &[told("notifications/tools/list_changed", json!({}))])
        }
        _ => {
            let list = answer(seen, json!({ "tools": [], "ttlMs": 60_000 }));
            Act::Late(Duration::from_secs(2), list)
        }
    });
    let client = server.client(REVISION);
    client.listen(Some(json!({ "toolsListChanged": true }))).await.unwrap();
    // The first hears of the change on its way; the second is kept.
    for _ in 0..3 {
        perform(&client, Operation::ListTools).await.unwrap();
    }
    assert_eq!(count(&server, "tools/list"), 2);
}

#[tokio::test(start_paused = true)]
async fn a_change_below_a_resource_is_one_of_its_own() {
    let server = serving(|seen| match seen.name().as_str() {
        "subscriptions/listen" => {
            let updated = |uri| told("notifications/resources/updated", json!({ "uri": uri }));
            subscription(
                seen,
                &["memo://a/1", "memo://b", "memo://e/#two", "memo://dd/1"].map(updated),
            )
        }
        _ => result(seen, json!({ "contents": [], "ttlMs": 60_000 })),
    });
    let client = server.client(REVISION);
    client.listen(Some(json!({}))).await.unwrap();
    let read = async |uri: &str| {
        perform(&client, Operation::ReadResource { uri: uri.to_owned() }).await.unwrap();
    };
    let all = ["memo://a", "memo://b", "memo://b/1", "memo://d", "memo://e/"];
    for uri in all {
        read(uri).await;
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    for uri in all {
        read(uri).await;
    }
    let again = &server.seen()[2 + all.len()..];
    let again: Vec<_> = again.iter().map(|seen| seen.body["params"]["uri"].clone()).collect();
    assert_eq!(again, ["memo://a", "memo://b", "memo://e/"]);
}

#[tokio::test(start_paused = true)]
async fn a_kept_cursor_that_is_refused_has_the_list_read_from_the_beginning() {
    let server = paged();
    let client = server.client(REVISION);
    let mut names = Vec::new();
    for _ in 0..2 {
        let tools = perform(&client, Operation::ListTools).await.unwrap();
        let all = tools.as_array().unwrap().iter();
        names.push(all.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>());
    }
    assert_eq!(names, [["one-1", "two"], ["one-3", "two"]]);
    let cursors: Vec<_> =
        server.seen()[1..].iter().map(|seen| seen.body["params"]["cursor"].clone()).collect();
    assert_eq!(cursors, [json!(null), json!("1"), json!("1"), json!(null), json!("3")]);
}

#[tokio::test(start_paused = true)]
async fn a_cursor_that_is_refused_at_once_ends_the_list() {
    let server = serving(|seen| match seen.body["params"]["cursor"].is_null() {
        true => result(seen, json!({ "tools": [], "nextCursor": "x", "ttlMs": 60_000 })),
        false => {
            let error = json!({ "code": -32602, "message": "Invalid cursor" });
            json_body(200, json!({ "jsonrpc": "2.0", "id": seen.body["id"], "error": error }))
        }
    });
    let client = server.client(REVISION);
    assert_eq!(failure(&client, Operation::ListTools).await.facts.code, Some(-32602));
    assert_eq!(count(&server, "tools/list"), 2);
    // The first page was kept: from there it is begun anew, once.
    assert_eq!(failure(&client, Operation::ListTools).await.facts.code, Some(-32602));
    assert_eq!(count(&server, "tools/list"), 5);
}
