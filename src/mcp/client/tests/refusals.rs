//! Responses that are no answer, and the words that they become.

use super::*;
use crate::wire::body::{HEAD_LIMIT, READ_LIMIT};

const SECRET: &str = "far-side-words";

async fn refusal(script: impl Fn(&Seen) -> Act + Send + Sync + 'static) -> ClientError {
    let server = FarSide::serving("2025-11-25", script);
    let error = failure(&server.client(Revision::V2025_11_25), add()).await;
    assert!(!error.message.contains(SECRET), "{error}");
    // What was answered, whatever with, is not cancelled.
    assert_eq!(server.names().last().unwrap(), "tools/call");
    error
}

#[tokio::test(start_paused = true)]
async fn statuses_become_kinds() {
    for (number, kind) in [
        (202, ErrorKind::NoAnswer),
        (302, ErrorKind::Redirect),
        (307, ErrorKind::Redirect),
        (400, ErrorKind::HttpStatus),
        (403, ErrorKind::HttpStatus),
        (404, ErrorKind::HttpStatus),
        (500, ErrorKind::HttpStatus),
        (503, ErrorKind::HttpStatus),
    ] {
        let error = refusal(move |_| {
            let mut response = response(number, "text/html", Body::whole(SECRET));
            response.headers_mut().insert("location", "http://elsewhere.test/".parse().unwrap());
            Act::Respond(response)
        })
        .await;
        assert_eq!((error.kind, error.facts.status), (kind, Some(number)));
        assert!(error.message.contains(&number.to_string()));
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_response_in_a_4xx_is_told_by_its_code() {
    for id in [json!(2), json!(null)] {
        let body = json!({
            "jsonrpc": "2.0", "id": id,
            "error": { "code": -32602, "message": SECRET, "data": { "x": 1 } },
        });
        let in_400 = body.clone();
        let error = refusal(move |_| json_body(400, &in_400)).await;
        assert_eq!(error.kind, ErrorKind::JsonRpc);
        assert_eq!(error.details()["code"], -32602);
        assert_eq!(error.details()["status"], 400);
        assert_eq!(refusal(move |_| json_body(500, &body)).await.kind, ErrorKind::HttpStatus);
    }
    let other = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":""}}"#;
    assert_eq!(refusal(move |_| json_body(400, other)).await.kind, ErrorKind::HttpStatus);
}

#[tokio::test(start_paused = true)]
async fn an_error_response_is_told_by_its_code() {
    let body = json!({
        "jsonrpc": "2.0", "id": 2,
        "error": { "code": -32042, "message": SECRET, "data": { "elicitations": [] } },
    });
    let error = refusal(move |_| json_body(200, &body)).await;
    assert_eq!(error.kind, ErrorKind::JsonRpc);
    assert!(error.message.contains("-32042"));
    assert_eq!(error.details()["data"], json!({ "elicitations": [] }));
    assert_eq!(error.facts.status, None);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_a_message_is_refused() {
    for body in [
        "",
        "  ",
        SECRET,
        "\"far-side-words\"",
        "[]",
        r#"{"id":2,"result":{}}"#,
        r#"{"jsonrpc":"1.0","id":2,"result":{}}"#,
        r#"{"jsonrpc":2.0,"id":2,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":2}"#,
        r#"{"jsonrpc":"2.0","id":2,"result":{},"error":{"code":1,"message":"far-side-words"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"error":{"code":"far-side-words","message":""}}"#,
        r#"{"jsonrpc":"2.0","id":2,"error":{"code":1}}"#,
        r#"{"jsonrpc":"2.0","id":2,"error":null}"#,
        r#"{"jsonrpc":"2.0","id":3,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":"2","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":2.5,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":{},"result":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/message"}"#,
        r#"[{"jsonrpc":"2.0","id":2,"result":{}}]"#,
    ] {
        let error = refusal(move |_| json_body(200, body)).await;
        assert_eq!(error.kind, ErrorKind::InvalidMessage, "{body}");
    }
    for not_utf8 in [&b"\xff"[..], b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"x\":\"\xff\"}}"] {
        let error = refusal(move |_| {
            Act::Respond(response(200, "application/json", Body::whole(not_utf8)))
        });
        assert_eq!(error.await.kind, ErrorKind::InvalidMessage);
    }
    let error = refusal(|_| events("data: far-side-words\n\n")).await;
    assert_eq!(error.kind, ErrorKind::InvalidMessage);
}

#[tokio::test(start_paused = true)]
async fn other_media_types_are_refused() {
    for media_type in ["", "text/html", "application/json-rpc", "text/plain; application/json"] {
        let error = refusal(move |seen| {
            let body = json!({ "jsonrpc": "2.0", "id": seen.body["id"], "result": {} });
            Act::Respond(response(200, media_type, Body::whole(body.to_string())))
        });
        assert_eq!(error.await.kind, ErrorKind::InvalidMessage);
    }
    let server = FarSide::serving("2025-11-25", |seen| {
        let body = json!({ "jsonrpc": "2.0", "id": seen.body["id"], "result": {} });
        let media_type = "Application/JSON ; charset=utf-8";
        Act::Respond(response(200, media_type, Body::whole(body.to_string())))
    });
    perform(&server.client(Revision::V2025_11_25), Operation::Ping).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn more_than_two_mebibytes_are_refused() {
    let message = |seen: &Seen, length: usize| {
        let frame = json!({ "jsonrpc": "2.0", "id": seen.body["id"], "result": { "x": "" } });
        let frame = frame.to_string();
        frame.replace("\"\"", &format!("\"{}\"", "a".repeat(length - frame.len())))
    };
    for (length, fits) in [(READ_LIMIT, true), (READ_LIMIT + 1, false)] {
        let server =
            FarSide::serving("2025-11-25", move |seen| json_body(200, message(seen, length)));
        match perform(&server.client(Revision::V2025_11_25), add()).await {
            Ok(_) => assert!(fits),
            Err(error) => {
                assert!(!fits);
                assert_eq!(error.kind, ErrorKind::TooLarge);
                assert_eq!(error.details()["limit"], READ_LIMIT);
            }
        }
    }
    // One event is bounded, not the stream, and a stream that was refused is
    // not resumed.
    let error =
        refusal(move |seen| events(format!("id: 1\ndata: {}\n\n", message(seen, READ_LIMIT + 1))));
    assert_eq!(error.await.kind, ErrorKind::TooLarge);
    let server = FarSide::serving("2025-11-25", move |seen| {
        let small = message(seen, READ_LIMIT - 100).replace("\"id\":2", "\"id\":3");
        let own = message(seen, 100);
        events(format!("data: {small}\n\ndata: {small}\n\ndata: {own}\n\n"))
    });
    perform(&server.client(Revision::V2025_11_25), add()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_head_is_taken_in_up_to_its_limit() {
    let frame = "content-typeapplication/jsonx-padding".len();
    for (length, fits) in [(HEAD_LIMIT, true), (HEAD_LIMIT + 1, false)] {
        let server = FarSide::serving("2025-11-25", move |seen| {
            let mut response = answer(seen, json!({}));
            let padding = "a".repeat(length - frame).parse().unwrap();
            response.headers_mut().insert("x-padding", padding);
            Act::Respond(response)
        });
        match perform(&server.client(Revision::V2025_11_25), add()).await {
            Ok(_) => assert!(fits),
            Err(error) => {
                assert!(!fits);
                assert_eq!(error.kind, ErrorKind::TooLarge);
                assert_eq!(error.details()["limit"], HEAD_LIMIT);
                assert!(error.message.contains("the head"), "{error}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_nobody_decoded_is_not_read() {
    for (encoding, reads) in
        [("identity", true), ("Identity", true), ("gzip", false), ("br", false)]
    {
        let server = FarSide::serving("2025-11-25", move |seen| {
            let mut response = answer(seen, json!({}));
            response.headers_mut().insert("content-encoding", encoding.parse().unwrap());
            Act::Respond(response)
        });
        match perform(&server.client(Revision::V2025_11_25), add()).await {
            Ok(_) => assert!(reads, "{encoding}"),
            Err(error) => {
                assert!(!reads, "{encoding}");
                assert_eq!(error.kind, ErrorKind::InvalidMessage);
                assert!(error.message.contains("compressed"), "{error}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_id_is_a_number_however_it_is_written() {
    for id in ["2.0", "2e0"] {
        let server = FarSide::serving("2025-11-25", move |_| {
            json_body(200, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#))
        });
        perform(&server.client(Revision::V2025_11_25), add()).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_transport_that_fails_is_told_without_its_words() {
    for (failure, kind) in [
        (TransportError::Connect(SECRET.into()), ErrorKind::Connection),
        (TransportError::Closed, ErrorKind::Connection),
        (TransportError::Protocol(SECRET.into()), ErrorKind::InvalidMessage),
        (TransportError::HeadTooLarge, ErrorKind::TooLarge),
    ] {
        let error = refusal(move |_| Act::Fail(failure.clone())).await;
        assert_eq!(error.kind, kind);
        let request = error.facts.request.as_ref().unwrap();
        assert_eq!((&*request.method, &*request.url), ("POST", "http://server.test/public/mcp"));
        assert!(!error.is_cancellation());
    }
}

/// Neither of them is told by the error that the double or a socket gives, which
/// knows the request.
#[tokio::test(start_paused = true)]
async fn an_answer_that_breaks_off_or_never_comes_is_told_with_its_request() {
    let cut = || {
        let body = Body::stream(stream::iter([Err(TransportError::Closed)]));
        let response = ::http::Response::builder().header("content-type", "application/json");
        Act::Respond(response.body(body).unwrap())
    };
    for (act, kind) in
        [(cut as fn() -> Act, ErrorKind::Connection), (|| Act::Silence, ErrorKind::Timeout)]
    {
        let server = FarSide::serving("2025-11-25", move |_| act());
        let error = failure(&server.client(Revision::V2025_11_25), add()).await;
        assert_eq!(error.kind, kind);
        let request = error.details()["http_request"].clone();
        assert_eq!(request["method"], "POST");
        assert_eq!(request["headers"]["mcp-protocol-version"], "2025-11-25");
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_cannot_be_sent_is_told_as_such() {
    let wrong = Endpoint::from(Uri::from_static("ftp://server.test/mcp"));
    let double = Arc::new(crate::wire::Double::new(1));
    let transport = Arc::new(StreamableHttp::new(double, wrong, 1));
    let client = Client::new(transport, options(Revision::V2025_11_25));
    let error = failure(&client, add()).await;
    assert_eq!(error.kind, ErrorKind::InvalidRequest);
    assert_eq!(error.facts.request.unwrap().url, "ftp://server.test/mcp");
    assert!(error.message.contains("`http://`"), "{}", error.message);
}

#[tokio::test(start_paused = true)]
async fn a_readiness_that_is_refused_is_no_connection() {
    let server = FarSide::new(|seen| match seen.name().as_str() {
        "notifications/initialized" => status(400),
        _ => usual(seen, "2025-11-25", Some("s")).unwrap_or_else(|| status(204)),
    });
    let error = failure(&server.client(Revision::V2025_11_25), add()).await;
    assert_eq!(error.kind, ErrorKind::HttpStatus);
    assert_eq!(server.names(), ["initialize", "notifications/initialized", "DELETE"]);
    assert_eq!(server.seen()[2].header("mcp-protocol-version"), Some("2025-11-25"));
}

#[tokio::test(start_paused = true)]
async fn a_notification_may_be_taken_by_a_stream_that_stays_open() {
    let server = FarSide::new(|seen| match seen.name().as_str() {
        "notifications/initialized" => open_events(": nothing\n\n"),
        "ping" => result(seen, json!({})),
        _ => usual(seen, "2025-11-25", None).unwrap(),
    });
    perform(&server.client(Revision::V2025_11_25), Operation::Ping).await.unwrap();
    assert_eq!(server.start.elapsed(), Duration::from_millis(250));
}
