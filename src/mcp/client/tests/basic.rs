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
