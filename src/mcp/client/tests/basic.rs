//! The handshake, the session, operations and pages.

use super::*;

#[tokio::test(start_paused = true)]
async fn the_handshake_comes_in_its_order_and_once() {
    let server = FarSide::serving("2025-06-18", |seen| result(seen, json!({ "content": [] })));
    let client = server.client(Revision::V2025_06_18);
    let call = perform(&client, add()).await.unwrap();
    assert_eq!(call, json!({ "content": [] }));
    assert_eq!(client.connect().await.unwrap(), introduction("2025-06-18"));
    assert_eq!(server.names(), ["initialize", "notifications/initialized", "tools/call"]);

    let seen = server.seen();
    assert_eq!(
        seen[0].text,
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"checker","version":"1.0"}}}"#
    );
    assert_eq!(seen[1].text, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert_eq!(
        seen[2].text,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":{"a":17,"b":25}}}"#
    );
    for post in &seen {
        assert_eq!(post.header("accept"), Some("application/json, text/event-stream"));
        assert_eq!(post.header("content-type"), Some("application/json"));
        assert_eq!(post.header("mcp-session-id"), None);
    }
    assert_eq!(seen[0].header("mcp-protocol-version"), None);
    assert_eq!(seen[1].header("mcp-protocol-version"), Some("2025-06-18"));
    assert_eq!(seen[2].header("mcp-protocol-version"), Some("2025-06-18"));
}

#[tokio::test(start_paused = true)]
async fn the_header_carries_the_version_that_the_server_chose() {
    for (asked, chosen, header) in [
        (Revision::V2025_11_25, "2025-06-18", Some("2025-06-18")),
        (Revision::V2025_11_25, "2025-03-26", None),
        (Revision::V2025_03_26, "2025-03-26", None),
    ] {
        let server = FarSide::serving(chosen, |seen| result(seen, json!({})));
        let client = server.client(asked);
        assert_eq!(client.protocol_version(), None);
        perform(&client, Operation::Ping).await.unwrap();
        assert_eq!(server.seen()[1].header("mcp-protocol-version"), header);
        assert_eq!(server.seen()[2].header("mcp-protocol-version"), header);
        assert_eq!(client.protocol_version().as_deref(), Some(chosen));
    }
}

#[tokio::test(start_paused = true)]
async fn a_version_that_is_not_accepted_ends_everything_but_the_session() {
    for (chosen, accepted, session) in [
        ("1999-01-01", &[][..], Some("s1")),
        ("2026-07-28", &[], None),
        ("2025-03-26", &["2025-06-18"], None),
    ] {
        let server =
            FarSide::new(move |seen| usual(seen, chosen, session).unwrap_or_else(|| status(405)));
        let mut options = options(Revision::V2025_11_25);
        if !accepted.is_empty() {
            options.policy.versions = accepted.iter().map(ToString::to_string).collect();
        }
        let client = server.client_with(options);
        for _ in 0..2 {
            let error = failure(&client, add()).await;
            assert_eq!(error.kind, ErrorKind::UnsupportedVersion);
            assert_eq!(error.details()["version"], chosen);
            assert!(!error.message.contains(chosen));
        }
        let expected: &[&str] =
            if session.is_some() { &["initialize", "DELETE"] } else { &["initialize"] };
        assert_eq!(server.names(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn the_client_is_ready_only_after_a_valid_reply() {
    let valid = introduction("2025-11-25");
    for (member, value) in [
        ("protocolVersion", json!(20251125)),
        ("capabilities", json!([])),
        ("serverInfo", json!({ "name": "server" })),
        ("serverInfo", json!({ "name": 1, "version": "1" })),
        ("serverInfo", json!(null)),
    ] {
        let mut reply = valid.clone();
        reply[member] = value;
        let server = FarSide::new(move |seen| result(seen, reply.clone()));
        let client = server.client(Revision::V2025_11_25);
        assert_eq!(client.connect().await.unwrap_err().kind, ErrorKind::InvalidResult);
        assert_eq!(server.names(), ["initialize"]);
    }
}

#[tokio::test(start_paused = true)]
async fn an_issued_session_is_echoed_and_ended() {
    for end in [200, 204, 404, 405] {
        let server = FarSide::new(move |seen| {
            usual(seen, "2025-11-25", Some("s-1")).unwrap_or_else(|| match seen.name().as_str() {
                "DELETE" => status(end),
                _ => result(seen, json!({})),
            })
        });
        let options = options(Revision::V2025_11_25);
        let transport = transport(server.clone(), &options);
        let client = Client::new(transport.clone(), options);
        let headers = || transport.headers(&Value::Null, &client.session());
        assert_eq!(headers().get("mcp-session-id"), None);
        perform(&client, Operation::Ping).await.unwrap();
        assert_eq!(client.session_id().as_deref(), Some("s-1"));
        assert_eq!(headers()["mcp-session-id"], "s-1");
        client.close().await.unwrap();
        client.close().await.unwrap();
        assert_eq!(failure(&client, add()).await.kind, ErrorKind::Closed);
        assert_eq!(client.session_id(), None);

        let seen = server.seen();
        assert_eq!(server.names(), ["initialize", "notifications/initialized", "ping", "DELETE"]);
        assert_eq!(seen[0].header("mcp-session-id"), None);
        for later in &seen[1..] {
            assert_eq!(later.header("mcp-session-id"), Some("s-1"));
            assert_eq!(later.header("mcp-protocol-version"), Some("2025-11-25"));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn closing_without_a_session_sends_nothing() {
    let server = FarSide::serving("2025-11-25", |seen| result(seen, json!({})));
    let client = server.client(Revision::V2025_11_25);
    client.connect().await.unwrap();
    client.close().await.unwrap();
    assert_eq!(server.names(), ["initialize", "notifications/initialized"]);
}

#[tokio::test(start_paused = true)]
async fn closing_waits_for_a_handshake_under_way_and_ends_its_session() {
    let server = FarSide::new(|seen| match usual(seen, "2025-11-25", Some("s")) {
        Some(Act::Respond(response)) => Act::Late(Duration::from_secs(2), response),
        _ => status(204),
    });
    let client = server.client(Revision::V2025_11_25);
    let (connected, closed) = tokio::join!(client.connect(), client.close());
    connected.unwrap();
    closed.unwrap();
    assert_eq!(server.names(), ["initialize", "notifications/initialized", "DELETE"]);
    assert_eq!(client.connect().await.unwrap_err().kind, ErrorKind::Closed);
}

#[tokio::test(start_paused = true)]
async fn a_session_id_is_visible_ascii() {
    let server = FarSide::new(|seen| usual(seen, "2025-11-25", Some("a b")).unwrap());
    let client = server.client(Revision::V2025_11_25);
    assert_eq!(client.connect().await.unwrap_err().kind, ErrorKind::InvalidMessage);
    assert_eq!(server.names(), ["initialize"]);
}

/// A server that forgets each session at the calls that `forgets` names.
fn forgetful(forgets: &'static [usize]) -> Arc<FarSide> {
    let counts = Mutex::new((0, 0));
    FarSide::new(move |seen| {
        let mut counts = counts.lock().unwrap();
        if seen.name() == "initialize" {
            counts.0 += 1;
        }
        let session = format!("s-{}", counts.0);
        usual(seen, "2025-11-25", Some(&session)).unwrap_or_else(|| {
            counts.1 += 1;
            match forgets.contains(&counts.1) {
                true => json_body(404, r#"{"jsonrpc":"2.0","error":{"code":-1,"message":""}}"#),
                false => result(seen, json!({ "tools": [] })),
            }
        })
    })
}

#[tokio::test(start_paused = true)]
async fn a_lost_session_is_renewed_once_and_the_request_repeated() {
    let server = forgetful(&[1]);
    let client = server.client(Revision::V2025_11_25);
    assert_eq!(perform(&client, Operation::ListTools).await.unwrap(), json!([]));
    let handshake = ["initialize", "notifications/initialized", "tools/list"];
    assert_eq!(server.names(), [handshake, handshake].concat());
    let seen = server.seen();
    assert_eq!(seen[2].header("mcp-session-id"), Some("s-1"));
    assert_eq!(seen[3].header("mcp-session-id"), None);
    assert_eq!(seen[5].header("mcp-session-id"), Some("s-2"));
    assert_ne!(seen[2].body["id"], seen[5].body["id"]);

    let server = forgetful(&[1, 2]);
    let client = server.client(Revision::V2025_11_25);
    let error = failure(&client, Operation::ListTools).await;
    assert_eq!(error.kind, ErrorKind::SessionLost);
    assert_eq!(server.names().len(), 6);
    // The next operation begins a session of its own.
    perform(&client, Operation::ListTools).await.unwrap();
    assert_eq!(server.names().len(), 9);
}

#[tokio::test(start_paused = true)]
async fn without_a_session_404_is_only_a_status() {
    let server = FarSide::serving("2025-11-25", |_| status(404));
    let error = failure(&server.client(Revision::V2025_11_25), add()).await;
    assert_eq!(error.kind, ErrorKind::HttpStatus);
    assert_eq!(error.details()["status"], 404);
}

#[tokio::test(start_paused = true)]
async fn every_operation_has_its_method_and_parameters() {
    let reference = json!({ "type": "ref/prompt", "name": "p" });
    let argument = json!({ "name": "a", "value": "v" });
    let complete = |context| Operation::Complete {
        reference: reference.clone(),
        argument: argument.clone(),
        context,
    };
    let cases = [
        (
            Operation::CallTool { name: "t".into(), arguments: None },
            r#""method":"tools/call","params":{"name":"t"}}"#,
        ),
        (
            Operation::ReadResource { uri: "file:///x".into() },
            r#""method":"resources/read","params":{"uri":"file:///x"}}"#,
        ),
        (
            Operation::GetPrompt { name: "p".into(), arguments: Some(json!({ "b": "1" })) },
            r#""method":"prompts/get","params":{"name":"p","arguments":{"b":"1"}}}"#,
        ),
        (
            complete(Some(json!({ "arguments": {} }))),
            r#""method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"v"},"context":{"arguments":{}}}}"#,
        ),
        (
            Operation::SetLoggingLevel { level: "info".into() },
            r#""method":"logging/setLevel","params":{"level":"info"}}"#,
        ),
        (Operation::Ping, r#""method":"ping"}"#),
    ];
    for (operation, end) in cases {
        let server = FarSide::serving("2025-11-25", |seen| result(seen, json!({ "x": [null] })));
        let client = server.client(Revision::V2025_11_25);
        assert_eq!(perform(&client, operation).await.unwrap(), json!({ "x": [null] }));
        assert_eq!(server.seen()[2].text, format!(r#"{{"jsonrpc":"2.0","id":2,{end}"#));
    }

    let server = FarSide::serving("2025-03-26", |seen| result(seen, json!({})));
    let client = server.client(Revision::V2025_03_26);
    let error = failure(&client, complete(Some(json!({})))).await;
    assert_eq!(error.kind, ErrorKind::NotSupported);
}

#[tokio::test(start_paused = true)]
async fn what_was_not_declared_is_not_used() {
    let server = FarSide::new(|seen| match seen.name().as_str() {
        "initialize" => {
            let mut says = introduction("2025-11-25");
            says["capabilities"] = json!({ "prompts": {} });
            result(seen, says)
        }
        "prompts/list" => result(seen, json!({ "prompts": [] })),
        _ => status(202),
    });
    let client = server.client(Revision::V2025_11_25);
    assert_eq!(failure(&client, add()).await.kind, ErrorKind::NotSupported);
    perform(&client, Operation::ListPrompts).await.unwrap();
    assert_eq!(server.names(), ["initialize", "notifications/initialized", "prompts/list"]);
}

#[tokio::test(start_paused = true)]
async fn a_list_follows_its_cursors_byte_for_byte() {
    for (operation, member) in [
        (Operation::ListTools, "tools"),
        (Operation::ListResources, "resources"),
        (Operation::ListResourceTemplates, "resourceTemplates"),
        (Operation::ListPrompts, "prompts"),
    ] {
        let server = FarSide::serving("2025-11-25", move |seen| {
            let page = match seen.body["params"]["cursor"].as_str() {
                None => json!({ member: [1, 2], "nextCursor": "" }),
                Some("") => json!({ member: [], "nextCursor": " ü\"\\" }),
                Some(" ü\"\\") => json!({ member: [3] }),
                Some(_) => json!({}),
            };
            result(seen, page)
        });
        let client = server.client(Revision::V2025_11_25);
        assert_eq!(perform(&client, operation).await.unwrap(), json!([1, 2, 3]));
        assert_eq!(server.seen()[2].body.get("params"), None);
        assert_eq!(server.seen()[3].body["params"], json!({ "cursor": "" }));
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_that_is_none_is_an_invalid_result() {
    for page in [
        json!({ "tools": [], "nextCursor": null }),
        json!({ "tools": [], "nextCursor": 2 }),
        json!({ "tools": {} }),
        json!({}),
        json!([]),
        json!(null),
    ] {
        let server = FarSide::serving("2025-11-25", move |seen| result(seen, page.clone()));
        let error = failure(&server.client(Revision::V2025_11_25), Operation::ListTools).await;
        assert_eq!(error.kind, ErrorKind::InvalidResult);
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_stops_at_fifty_pages() {
    for (pages, complete) in [(50, true), (51, false)] {
        let server = FarSide::serving("2025-11-25", move |seen| {
            let page =
                seen.body["params"]["cursor"].as_str().map_or(1, |page| page.parse().unwrap());
            let mut body = json!({ "tools": [page] });
            if page < pages {
                body["nextCursor"] = (page + 1).to_string().into();
            }
            result(seen, body)
        });
        let client = server.client(Revision::V2025_11_25);
        match perform(&client, Operation::ListTools).await {
            Ok(tools) => assert!(complete && tools.as_array().unwrap().len() == 50),
            Err(error) => {
                assert!(!complete);
                assert_eq!(error.kind, ErrorKind::PageLimit);
                assert_eq!(error.details()["limit"], 50);
                assert!(error.message.contains("50 pages"));
            }
        }
        assert_eq!(server.names().len(), 52);
    }
}

#[tokio::test(start_paused = true)]
async fn operations_side_by_side_connect_once_and_have_their_own_ids() {
    let server = FarSide::serving("2025-11-25", |seen| {
        Act::Late(Duration::from_secs(1), answer(seen, json!({ "id": seen.body["id"] })))
    });
    let client = server.client(Revision::V2025_11_25);
    let (first, second, third) = tokio::join!(
        perform(&client, add()),
        perform(&client, Operation::Ping),
        perform(&client, add())
    );
    let mut ids: Vec<i64> = [first, second, third]
        .into_iter()
        .map(|result| result.unwrap()["id"].as_i64().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, [2, 3, 4]);
    assert_eq!(server.names().iter().filter(|name| *name == "initialize").count(), 1);
    assert_eq!(server.seen().len(), 5);
}

#[test]
fn clients_and_their_futures_move_between_threads() {
    fn moves<T: Send>(_: T) {}
    fn shared<T: Send + Sync>() {}
    shared::<Client>();
    shared::<ClientError>();
    let use_it = |client: Client| async move {
        let _ = client.connect().await;
        let _ = client.perform(Operation::Ping, &Cancellation::new()).await;
        let _ = client.wait_for_notification("x", Duration::ZERO).await;
        let _ = client.close().await;
    };
    let server = FarSide::new(|_| Act::Silence);
    moves(use_it(server.client(Revision::V2025_11_25)));
}
