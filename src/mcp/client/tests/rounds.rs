//! Rounds, by hand and by themselves, at 2026-07-28.

use super::stateless::{REVISION, serving};
use super::*;
use crate::mcp::client::features::{ClientFeature, Handler};

async fn by_hand(client: &Client, operation: &Operation, round: Round) -> Value {
    client.perform_round(operation, &round, &Cancellation::new()).await.unwrap()
}

/// A result that asks for input.
fn asking(requests: Value) -> Value {
    json!({ "resultType": "input_required", "requestState": "s", "inputRequests": requests })
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

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_after_the_last_round() {
    let server = serving(|seen| {
        let who = json!({ "method": "elicitation/create", "params": {
            "mode": "form", "message": "Who?",
            "requestedSchema": { "type": "object", "properties": {} },
        } });
        result(seen, asking(json!({ "who": who })))
    });
    let client = server.client(REVISION);
    let asked = Arc::new(Mutex::new(0));
    let count = asked.clone();
    let handler: Handler = Arc::new(move |_| {
        *count.lock().unwrap() += 1;
        Box::pin(async { Ok(json!({ "action": "decline" })) })
    });
    client.handle(ClientFeature::Elicitation, None, handler).unwrap();
    assert_eq!(failure(&client, add()).await.kind, ErrorKind::RoundLimit);
    assert_eq!(*asked.lock().unwrap(), 10);
    assert_eq!(server.names().iter().filter(|name| *name == "tools/call").count(), 11);
}

#[tokio::test(start_paused = true)]
async fn a_result_that_asks_for_nothing_is_followed_by_a_pause() {
    let server = serving(|seen| result(seen, asking(json!({}))));
    assert_eq!(failure(&server.client(REVISION), add()).await.kind, ErrorKind::RoundLimit);
    let times: Vec<_> = server.seen()[1..].iter().map(|seen| seen.at.as_millis()).collect();
    assert_eq!(times[..5], [0, 50, 150, 350, 600]);
}

#[tokio::test(start_paused = true)]
async fn a_call_keeps_its_own_error_if_the_tools_cannot_be_listed_after_it() {
    let server = serving(|seen| match seen.name().as_str() {
        "tools/list" => status(500),
        _ => {
            let error = json!({ "code": -32020, "message": "Header mismatch" });
            json_body(400, json!({ "jsonrpc": "2.0", "id": seen.body["id"], "error": error }))
        }
    });
    let error = failure(&server.client(REVISION), add()).await;
    assert_eq!((error.kind, error.facts.code), (ErrorKind::JsonRpc, Some(-32020)));
    assert_eq!(server.names(), ["server/discover", "tools/call", "tools/list"]);
}

#[tokio::test(start_paused = true)]
async fn what_no_field_can_say_is_not_sent() {
    let server = serving(|seen| {
        let a = json!({ "type": "integer", "x-mcp-header": "A" });
        let schema = json!({ "type": "object", "properties": { "a": a } });
        result(seen, json!({ "tools": [{ "name": "add", "inputSchema": schema }] }))
    });
    let client = server.client(REVISION);
    perform(&client, Operation::ListTools).await.unwrap();
    for a in [json!(1.5), json!(9_007_199_254_740_992_i64), json!([1])] {
        let call = Operation::CallTool { name: "add".into(), arguments: Some(json!({ "a": a })) };
        assert_eq!(failure(&client, call).await.kind, ErrorKind::InvalidArguments);
    }
    assert_eq!(server.names(), ["server/discover", "tools/list"]);
    perform(&client, add()).await.unwrap();
    assert_eq!(server.seen()[2].header("mcp-param-a"), Some("17"));
}

#[tokio::test(start_paused = true)]
async fn a_task_stands_in_the_place_of_a_call_alone() {
    let server = serving(|seen| result(seen, json!({ "resultType": "task", "taskId": "t" })));
    let client = server.client(REVISION);
    client.take_tasks().unwrap();
    let task = by_hand(&client, &add(), Round::default()).await;
    assert_eq!(task["taskId"], "t");
    let read = Operation::ReadResource { uri: "memo://a".into() };
    let token = Cancellation::new();
    let refused = client.perform_round(&read, &Round::default(), &token).await.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::InvalidResult);
}
