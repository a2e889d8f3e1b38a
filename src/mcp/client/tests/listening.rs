//! The stream between requests.

use super::*;

/// A server that answers GET with these events, and what its client asked for.
async fn listened(version: &'static str, body: &'static str) -> (Vec<Seen>, Vec<Value>) {
    let server = FarSide::serving(version, move |seen| match seen.name().as_str() {
        "GET" => events(body.to_owned()),
        _ => result(seen, json!({})),
    });
    let client = server.client(version.parse().unwrap());
    client.listen(None).await.unwrap();
    tokio::time::sleep(Duration::from_millis(2500)).await;
    client.close().await.unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    (server.seen(), client.notifications())
}

#[tokio::test(start_paused = true)]
async fn what_comes_between_requests_is_kept_and_answered() {
    let body = "data: {\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}\n\n\
                data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n\
                data: no message\n\n";
    for version in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let (seen, notifications) = listened(version, body).await;
        let names: Vec<_> = seen.iter().map(Seen::name).collect();
        assert_eq!(names, ["initialize", "notifications/initialized", "GET", "response"]);
        assert_eq!(seen[2].header("accept"), Some("text/event-stream"));
        assert_eq!(seen[3].text, r#"{"jsonrpc":"2.0","id":"p","result":{}}"#);
        assert_eq!(notifications.len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_with_ids_is_resumed_until_the_client_closes() {
    let body = "id: e-1\nretry: 1000\ndata:\n\n";
    let (seen, _) = listened("2025-11-25", body).await;
    let gets: Vec<_> = seen.iter().filter(|seen| seen.method == Method::GET).collect();
    let times: Vec<_> = gets.iter().map(|get| get.at.as_millis()).collect();
    assert_eq!(times, [0, 1000, 2000]);
    let ids: Vec<_> = gets.iter().map(|get| get.header("last-event-id")).collect();
    assert_eq!(ids, [None, Some("e-1"), Some("e-1")]);
    let (seen, _) = listened("2025-06-18", body).await;
    assert_eq!(seen.iter().filter(|seen| seen.method == Method::GET).count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_server_without_such_a_stream_is_told_apart() {
    for (status, kind) in [(405, ErrorKind::NotSupported), (500, ErrorKind::HttpStatus)] {
        let server = FarSide::serving("2025-11-25", move |seen| match seen.name().as_str() {
            "GET" => json_body(status, String::new()),
            _ => result(seen, json!({})),
        });
        let client = server.client(Revision::V2025_11_25);
        assert_eq!(client.listen(None).await.unwrap_err().kind, kind);
        perform(&client, Operation::Ping).await.unwrap();
    }
}

/// What comes of a subscription that is answered like this.
async fn subscribed(
    script: impl Fn(&Seen) -> Act + Send + Sync + 'static,
) -> (Result<Value, ClientError>, Duration) {
    let server = stateless::serving(script);
    let client = server.client(stateless::REVISION);
    let opened = client.listen(Some(json!({ "toolsListChanged": true }))).await;
    (opened, server.start.elapsed())
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_is_answered_at_once_ends_with_what_was_said() {
    let error = json!({ "error": { "code": -32021, "message": "no" } });
    let ended = json!({ "result": { "resultType": "complete" } });
    for (said, kind, code) in
        [(error, ErrorKind::JsonRpc, Some(-32021)), (ended, ErrorKind::Closed, None)]
    {
        for framing in ["json", "stream that ends", "stream that stays open"] {
            let said = said.clone();
            let (opened, elapsed) = subscribed(move |seen| {
                let mut message = said.clone();
                message["jsonrpc"] = "2.0".into();
                message["id"] = seen.body["id"].clone();
                match framing {
                    "json" => json_body(200, message),
                    "stream that ends" => events(format!("data: {message}\n\n")),
                    _ => open_events(format!("data: {message}\n\n")),
                }
            })
            .await;
            let error = opened.unwrap_err();
            assert_eq!((error.kind, error.facts.code), (kind, code), "{framing}");
            assert!(elapsed < Duration::from_secs(1), "{framing}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn json_that_answers_no_subscription_is_no_message_for_it() {
    for body in ["{}", r#"{"jsonrpc":"2.0","id":"other","result":{}}"#] {
        let (opened, _) = subscribed(move |_| json_body(200, body)).await;
        assert_eq!(opened.unwrap_err().kind, ErrorKind::InvalidMessage);
    }
}
