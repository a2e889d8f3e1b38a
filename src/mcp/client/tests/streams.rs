//! Event streams: reading, resuming, what comes besides the answer.

use super::*;

fn event(seen: &Seen, value: Value) -> String {
    let message = json!({ "jsonrpc": "2.0", "id": seen.body["id"], "result": value });
    format!("data: {message}\n\n")
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_read_like_json_whatever_else_is_in_it() {
    let server = FarSide::serving("2025-06-18", |seen| {
        open_events(format!(
            "\u{feff}: comment\n\nid: 0\ndata:\n\ndata:  \n\nevent: news\ndata: not JSON\n\nunknown: field\n\
             data: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{{}}}}\n\n\
             data: {{\"jsonrpc\":\"2.0\",\"id\":\"2\",\"result\":{{\"other\":1}}}}\n\n\
             data: {{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{{\"other\":2}}}}\n\n\
             event: message\n{}",
            event(seen, json!({ "own": 3, "extra": true }))
        ))
    });
    let client = server.client(Revision::V2025_06_18);
    assert_eq!(perform(&client, add()).await.unwrap(), json!({ "own": 3, "extra": true }));
    let message = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": {} });
    assert_eq!(client.notifications(), std::slice::from_ref(&message));
    let bound = Duration::from_secs(5);
    let method = "notifications/message";
    assert_eq!(client.wait_for_notification(method, bound).await, Some(message));
    // Each notification is given once; then the wait lasts as long as it may.
    let before = Instant::now();
    assert_eq!(client.wait_for_notification(method, bound).await, None);
    assert_eq!(before.elapsed(), bound);
}

#[tokio::test(start_paused = true)]
async fn the_handshake_too_may_be_answered_by_a_stream() {
    let server = FarSide::new(|seen| match seen.name().as_str() {
        "initialize" => events(event(seen, introduction("2025-11-25"))),
        "ping" => events(event(seen, json!({}))),
        _ => status(202),
    });
    perform(&server.client(Revision::V2025_11_25), Operation::Ping).await.unwrap();
    assert_eq!(server.names(), ["initialize", "notifications/initialized", "ping"]);
}

#[tokio::test(start_paused = true)]
async fn a_stream_without_an_answer_is_a_failure() {
    for (version, text) in [
        ("2025-11-25", ": nothing\n\n"),
        ("2025-11-25", "id: 1\ndata:\n\nid:\ndata:\n\n"),
        ("2025-06-18", "id: 1\ndata:\n\n"),
        ("2025-03-26", "id: 1\ndata:\n\n"),
    ] {
        let server = FarSide::serving(version, move |_| events(text));
        let error = failure(&server.client(version.parse().unwrap()), add()).await;
        assert_eq!(error.kind, ErrorKind::NoAnswer);
        assert_eq!(server.names().last().unwrap(), "tools/call");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_ended_or_broke_is_resumed_after_retry() {
    for (retry, wait) in [("", 1000), ("retry: 3000\n", 3000), ("retry: 0\n", 100)] {
        for broken in [false, true] {
            let server = FarSide::new(move |seen| {
                usual(seen, "2025-11-25", Some("s")).unwrap_or_else(|| match seen.name().as_str() {
                    "GET" if seen.headers["last-event-id"] == "ä-1" => events("id: 2\ndata:\n\n"),
                    "GET" => events(
                        "data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[]}}\n\n",
                    ),
                    _ => {
                        let text = Bytes::from(format!("{retry}id: ä-1\ndata:\n\n"));
                        let cut = broken.then_some(Err(TransportError::Closed));
                        let body = Body::stream(stream::iter([Ok(text)].into_iter().chain(cut)));
                        Act::Respond(response(200, "text/event-stream; charset=utf-8", body))
                    }
                })
            });
            let client = server.client(Revision::V2025_11_25);
            assert_eq!(perform(&client, add()).await.unwrap(), json!({ "content": [] }));
            let seen = server.seen();
            assert_eq!(server.names()[2..], ["tools/call", "GET", "GET"]);
            let last = seen[3].headers["last-event-id"].as_bytes();
            assert_eq!(last, "ä-1".as_bytes());
            assert_eq!(seen[4].header("last-event-id"), Some("2"));
            for get in &seen[3..] {
                assert_eq!(get.header("accept"), Some("text/event-stream"));
                assert_eq!(get.header("mcp-session-id"), Some("s"));
                assert_eq!(get.header("mcp-protocol-version"), Some("2025-11-25"));
                assert_eq!(get.header("content-type"), None);
            }
            assert_eq!(seen[3].at.as_millis(), wait);
            assert_eq!(seen[4].at.as_millis(), 2 * wait);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn resuming_that_is_refused_is_a_failure_and_nothing_is_repeated() {
    for (answer, kind) in [(405, ErrorKind::HttpStatus), (404, ErrorKind::SessionLost)] {
        let server = FarSide::new(move |seen| {
            usual(seen, "2025-11-25", Some("s")).unwrap_or_else(|| match seen.name().as_str() {
                "GET" => status(answer),
                _ => events("id: 1\ndata:\n\n"),
            })
        });
        assert_eq!(failure(&server.client(Revision::V2025_11_25), add()).await.kind, kind);
        assert_eq!(server.names()[2..], ["tools/call", "GET"]);
    }
}

#[tokio::test(start_paused = true)]
async fn waiting_to_resume_spends_the_budget() {
    let server = FarSide::serving("2025-11-25", |_| events("id: 1\nretry: 60000\ndata:\n\n"));
    let error = failure(&server.client(Revision::V2025_11_25), add()).await;
    assert_eq!(error.kind, ErrorKind::BudgetExhausted);
    assert_eq!(server.names()[2..], ["tools/call", "notifications/cancelled"]);
    assert_eq!(server.seen()[3].at, Duration::from_secs(20));
}

#[tokio::test(start_paused = true)]
async fn an_endless_poll_ends_with_the_budget() {
    let server = FarSide::serving("2025-11-25", |_| events("id: 1\nretry: 0\ndata:\n\n"));
    let error = failure(&server.client(Revision::V2025_11_25), add()).await;
    assert_eq!(error.kind, ErrorKind::BudgetExhausted);
    assert_eq!(server.names().last().unwrap(), "notifications/cancelled");
}

#[tokio::test(start_paused = true)]
async fn batches_are_read_at_2025_03_26_alone() {
    let batch = |seen: &Seen| {
        json!([
            { "jsonrpc": "2.0", "method": "notifications/message" },
            { "jsonrpc": "2.0", "id": 9, "method": "ping" },
            { "jsonrpc": "2.0", "id": seen.body["id"], "result": { "content": [] } },
        ])
    };
    for as_event in [false, true] {
        for version in ["2025-03-26", "2025-06-18", "2025-11-25"] {
            let server = FarSide::serving(version, move |seen| match as_event {
                true => events(format!("data: {}\n\n", batch(seen))),
                false => json_body(200, batch(seen)),
            });
            let client = server.client(version.parse().unwrap());
            let outcome = perform(&client, add()).await;
            if version == "2025-03-26" {
                assert_eq!(outcome.unwrap(), json!({ "content": [] }));
                assert_eq!(client.notifications().len(), 1);
                let pong = r#"{"jsonrpc":"2.0","id":9,"result":{}}"#;
                assert_eq!(server.seen()[3].text, pong);
            } else {
                assert_eq!(outcome.unwrap_err().kind, ErrorKind::InvalidMessage);
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn requests_of_the_server_are_answered_one_post_each() {
    for (version, elicitation) in
        [("2025-03-26", -32601), ("2025-06-18", -32601), ("2025-11-25", -32602)]
    {
        let methods =
            ["ping", "roots/list", "sampling/createMessage", "elicitation/create", "no/such"];
        let server = FarSide::new(move |seen| {
            usual(seen, version, Some("s")).unwrap_or_else(|| {
                let asked: String = methods
                    .iter()
                    .map(|method| json!({ "jsonrpc": "2.0", "id": method, "method": method }))
                    .map(|message| format!("data: {message}\n\n"))
                    .collect();
                events(format!("{asked}{}", event(seen, json!({}))))
            })
        });
        let client = server.client(version.parse().unwrap());
        perform(&client, add()).await.unwrap();
        let answers: Vec<Seen> =
            server.seen().into_iter().filter(|seen| seen.name() == "response").collect();
        let outcomes: Vec<(&str, Value)> = answers
            .iter()
            .map(|answer| {
                assert_eq!(answer.header("mcp-session-id"), Some("s"));
                let body = &answer.body;
                let outcome =
                    if body["error"].is_null() { &body["result"] } else { &body["error"]["code"] };
                (body["id"].as_str().unwrap(), outcome.clone())
            })
            .collect();
        let expected = [json!({}), json!(-32601), json!(-32601), json!(elicitation), json!(-32601)];
        assert_eq!(outcomes, methods.into_iter().zip(expected).collect::<Vec<_>>());
    }
}

#[tokio::test(start_paused = true)]
async fn a_ping_is_answered_while_the_answer_is_awaited() {
    let server = FarSide::serving("2025-11-25", |seen| {
        let ping = Bytes::from("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\n");
        let late = Bytes::from(event(seen, json!({})));
        let body = stream::unfold(0, move |turn| {
            let (ping, late) = (ping.clone(), late.clone());
            async move {
                match turn {
                    0 => Some((Ok(ping), 1)),
                    1 => {
                        tokio::time::sleep(Duration::from_secs(5)).await;
                        Some((Ok(late), 2))
                    }
                    _ => None,
                }
            }
        });
        Act::Respond(response(200, "text/event-stream", Body::stream(body)))
    });
    perform(&server.client(Revision::V2025_11_25), add()).await.unwrap();
    assert_eq!(server.seen()[3].name(), "response");
    assert_eq!(server.seen()[3].at, Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_list_whose_pages_never_end_is_given_up_for_its_size() {
    let server = FarSide::serving("2025-06-18", |seen| {
        let tools = Value::Array(vec![json!([]); 300_000]);
        let result = json!({ "tools": tools, "nextCursor": "more" });
        events(event(seen, result))
    });
    let error = perform(&server.client(Revision::V2025_06_18), Operation::ListTools).await;
    assert_eq!(error.unwrap_err().kind, ErrorKind::TooLarge);
    assert!(server.names().len() < 10, "{:?}", server.names());
}
