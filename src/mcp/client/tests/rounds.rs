//! Rounds, by hand and by themselves, at 2026-07-28.

use super::stateless::{REVISION, serving};
use super::*;

async fn by_hand(client: &Client, operation: &Operation, round: Round) -> Value {
    client.perform_round(operation, &round, &Cancellation::new()).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_page_by_hand_is_without_the_tools_that_must_not_be_called() {
    let server = serving(|seen| {
        let one = json!({ "type": "number", "x-mcp-header": "One" });
        let schema = json!({ "type": "object", "properties": { "one": one } });
        let tools = json!([
            { "name": "add", "inputSchema": schema },
            { "name": "echo", "inputSchema": { "type": "object" } },
        ]);
        result(seen, json!({ "tools": tools, "nextCursor": "b" }))
    });
    let client = server.client(REVISION);
    for round in [Round::default(), Round::at("b".into())] {
        let page = by_hand(&client, &Operation::ListTools, round).await;
        assert_eq!(page["tools"].as_array().unwrap().len(), 1);
        assert_eq!(page["tools"][0]["name"], "echo");
        assert_eq!(page["nextCursor"], "b");
    }
    assert_eq!(client.rejected_tools()[0].0, "add");
    assert_eq!(failure(&client, add()).await.kind, ErrorKind::NotSupported);
    assert_eq!(server.names(), ["server/discover", "tools/list", "tools/list"]);
    let cursors: Vec<_> =
        server.seen()[1..].iter().map(|seen| seen.body["params"]["cursor"].clone()).collect();
    assert_eq!(cursors, [Value::Null, json!("b")]);
}
