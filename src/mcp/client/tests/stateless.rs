//! The lifecycle without a handshake, at 2026-07-28.

use super::*;
use crate::mcp::metadata;

pub(super) const REVISION: Revision = Revision::V2026_07_28;

fn discovered() -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": { "tools": {}, "resources": {}, "logging": {} },
        "ttlMs": 0,
        "cacheScope": "private",
    })
}

/// A server that says what it is; `script` decides the rest.
pub(super) fn serving(script: impl Fn(&Seen) -> Act + Send + Sync + 'static) -> Arc<FarSide> {
    FarSide::new(move |seen| match seen.name().as_str() {
        "server/discover" => result(seen, discovered()),
        _ => script(seen),
    })
}

/// The error that refuses the version of a request.
fn unsupported(seen: &Seen, supported: &Value) -> Act {
    let data = json!({ "supported": supported, "requested": "2026-07-28" });
    let error = json!({ "code": -32022, "message": "no", "data": data });
    json_body(400, json!({ "jsonrpc": "2.0", "id": seen.body["id"], "error": error }))
}

#[tokio::test(start_paused = true)]
async fn each_request_carries_its_own_state() {
    let server = serving(|seen| result(seen, json!({ "content": [] })));
    let client = server.client(REVISION);
    perform(&client, add()).await.unwrap();
    client.close().await.unwrap();
    assert_eq!(server.names(), ["server/discover", "tools/call"]);
    for seen in server.seen() {
        assert_eq!(seen.header("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(seen.header("mcp-method"), Some(seen.name().as_str()));
        assert_eq!(seen.header("mcp-session-id"), None);
        let carried = &seen.body["params"]["_meta"];
        assert_eq!(carried[metadata::PROTOCOL_VERSION], "2026-07-28");
        assert_eq!(carried[metadata::CLIENT_CAPABILITIES], json!({}));
        assert_eq!(carried[metadata::CLIENT_INFO], json!({ "name": "checker", "version": "1.0" }));
    }
    assert_eq!(server.seen()[0].header("mcp-name"), None);
    assert_eq!(server.seen()[1].header("mcp-name"), Some("add"));
}

#[tokio::test(start_paused = true)]
async fn the_name_of_what_is_addressed_is_encoded_where_it_has_to_be() {
    let server = serving(|seen| result(seen, json!({ "contents": [] })));
    let client = server.client(REVISION);
    let read = |uri: &str| Operation::ReadResource { uri: uri.to_owned() };
    perform(&client, read("memo://greeting")).await.unwrap();
    perform(&client, read(" memo://\u{e9}")).await.unwrap();
    let seen = server.seen();
    assert_eq!(seen[1].header("mcp-name"), Some("memo://greeting"));
    assert_eq!(seen[2].header("mcp-name"), Some("=?base64?IG1lbW86Ly/DqQ==?="));
}

#[tokio::test(start_paused = true)]
async fn a_version_that_is_refused_is_replaced_by_one_of_the_servers() {
    // Refused when it is asked what it is, and refused later.
    for refused in ["server/discover", "tools/call"] {
        let tried = Mutex::new(0);
        let server = FarSide::new(move |seen| {
            if seen.name() == refused {
                let mut tried = tried.lock().unwrap();
                *tried += 1;
                if *tried == 1 {
                    return unsupported(seen, &json!(["1999-01-01", "2026-07-28"]));
                }
            }
            result(seen, discovered())
        });
        let client = server.client(REVISION);
        perform(&client, add()).await.unwrap();
        assert_eq!(server.names().iter().filter(|name| *name == refused).count(), 2);
        assert_eq!(client.protocol_version().as_deref(), Some("2026-07-28"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_without_a_common_version_is_left_alone() {
    for supported in [json!(["1999-01-01"]), json!(["2025-11-25"]), json!([]), json!("2026-07-28")]
    {
        let offered = supported.clone();
        let server = FarSide::new(move |seen| unsupported(seen, &offered));
        let client = server.client(REVISION);
        for _ in 0..2 {
            let error = failure(&client, add()).await;
            assert_eq!(error.kind, ErrorKind::UnsupportedVersion);
            assert_eq!(error.facts.code, Some(-32022));
        }
        assert_eq!(server.names(), ["server/discover"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_version_that_is_refused_again_and_again_ends_the_operation() {
    let server = serving(|seen| unsupported(seen, &json!(["2026-07-28"])));
    let error = failure(&server.client(REVISION), add()).await;
    assert_eq!(error.kind, ErrorKind::UnsupportedVersion);
    let names = server.names();
    assert_eq!(names, ["server/discover", "tools/call", "server/discover", "tools/call"]);
}

#[tokio::test(start_paused = true)]
async fn the_code_has_no_meaning_in_the_era_before() {
    let server = FarSide::serving("2025-11-25", |seen| unsupported(seen, &json!(["2026-07-28"])));
    let error = failure(&server.client(Revision::V2025_11_25), add()).await;
    assert_eq!(error.kind, ErrorKind::JsonRpc);
}

#[tokio::test(start_paused = true)]
async fn what_the_server_says_of_itself_has_to_be_whole() {
    for (member, value) in [
        ("supportedVersions", json!(null)),
        ("supportedVersions", json!([20260728])),
        ("capabilities", json!([])),
    ] {
        let mut reply = discovered();
        reply[member] = value;
        let server = FarSide::new(move |seen| result(seen, reply.clone()));
        let error = server.client(REVISION).connect().await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::InvalidResult);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_say_what_it_is_may_offer_anything() {
    let server = FarSide::new(|seen| match seen.name().as_str() {
        "server/discover" => {
            let error = json!({ "code": -32601, "message": "no" });
            json_body(404, json!({ "jsonrpc": "2.0", "id": seen.body["id"], "error": error }))
        }
        _ => result(seen, json!({ "prompts": [] })),
    });
    let client = server.client(REVISION);
    assert_eq!(client.connect().await.unwrap(), Value::Null);
    assert_eq!(perform(&client, Operation::ListPrompts).await.unwrap(), json!([]));
}

#[tokio::test(start_paused = true)]
async fn a_result_of_an_unknown_type_is_invalid_and_one_without_is_complete() {
    for (of, holds) in [
        (json!("complete"), true),
        (json!("com.example/later"), false),
        (json!(1), false),
        (json!(null), false),
    ] {
        let server = serving(move |seen| result(seen, json!({ "resultType": of, "content": [] })));
        let outcome = perform(&server.client(REVISION), add()).await;
        assert_eq!(
            outcome.err().map(|error| error.kind),
            (!holds).then_some(ErrorKind::InvalidResult)
        );
    }
    let server = serving(|seen| result(seen, json!({ "content": [] })));
    perform(&server.client(REVISION), add()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_request_is_given_up_by_closing_its_response() {
    let server = serving(|_| open_events(": open\n\n"));
    let client = server.client(REVISION);
    assert_eq!(failure(&client, add()).await.kind, ErrorKind::Timeout);
    assert_eq!(server.names(), ["server/discover", "tools/call"]);
}

#[tokio::test(start_paused = true)]
async fn a_request_of_the_server_is_not_answered() {
    let server = serving(|seen| {
        let asked = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        let answer =
            json!({ "jsonrpc": "2.0", "id": seen.body["id"], "result": { "content": [] } });
        events(format!("data: {asked}\n\ndata: {answer}\n\n"))
    });
    let client = server.client(REVISION);
    perform(&client, add()).await.unwrap();
    assert_eq!(server.names(), ["server/discover", "tools/call"]);
}

#[tokio::test(start_paused = true)]
async fn lost_requests_are_sent_again_but_no_tool_call() {
    let server = serving(|_| events(": gone\n\n"));
    let client = server.client(REVISION);
    assert_eq!(failure(&client, add()).await.kind, ErrorKind::NoAnswer);
    let read = Operation::ReadResource { uri: "memo://greeting".into() };
    assert_eq!(failure(&client, read).await.kind, ErrorKind::NoAnswer);
    let names = server.names();
    assert_eq!(names, ["server/discover", "tools/call", "resources/read", "resources/read"]);
    let seen = server.seen();
    assert_ne!(seen[2].body["id"], seen[3].body["id"]);
}

#[tokio::test(start_paused = true)]
async fn the_level_of_the_log_goes_with_each_request() {
    let server = serving(|seen| result(seen, json!({ "content": [] })));
    let client = server.client(REVISION);
    let level = Operation::SetLoggingLevel { level: "warning".into() };
    assert_eq!(perform(&client, level).await.unwrap(), json!({}));
    perform(&client, add()).await.unwrap();
    assert_eq!(server.names(), ["server/discover", "tools/call"]);
    assert_eq!(server.seen()[1].body["params"]["_meta"][metadata::LOG_LEVEL], "warning");
}

#[tokio::test(start_paused = true)]
async fn what_the_era_does_not_have_is_not_sent() {
    let server = serving(|seen| result(seen, json!({})));
    let client = server.client(REVISION);
    assert_eq!(failure(&client, Operation::Ping).await.kind, ErrorKind::NotSupported);
    let older = FarSide::serving("2025-11-25", |seen| result(seen, json!({})));
    let client = older.client(Revision::V2025_11_25);
    assert_eq!(failure(&client, Operation::Discover).await.kind, ErrorKind::NotSupported);
}
