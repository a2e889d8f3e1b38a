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

/// A question for the roots, which nobody answers.
fn asking_for_roots() -> Value {
    asking(json!({ "where": { "method": "roots/list" } }))
}

fn limit(rounds: i64) -> RoundLimit {
    rounds.try_into().unwrap()
}

/// What the error of an operation keeps.
async fn kept(client: &Client, operation: Operation) -> Interim {
    failure(client, operation).await.facts.interim.expect("nothing was kept")
}

fn ids(server: &FarSide, name: &str) -> Vec<i64> {
    let all = server.seen().into_iter().filter(|seen| seen.name() == name);
    all.map(|seen| seen.body["id"].as_i64().unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn how_many_rounds_there_are_is_a_setting() {
    for rounds in [0, 1, 3] {
        let server = serving(|seen| result(seen, asking(json!({}))));
        let client = server.client(REVISION);
        assert_eq!(client.round_limit(), 10);
        client.limit_rounds(limit(rounds));
        let error = failure(&client, add()).await;
        assert_eq!((error.kind, error.facts.limit), (ErrorKind::RoundLimit, Some(rounds as u64)));
        assert_eq!(ids(&server, "tools/call").len() as i64, rounds + 1);
    }
    for wrong in [-1, 1001, i64::MAX] {
        assert_eq!(RoundLimit::try_from(wrong), Err(InvalidRoundLimit));
        assert_eq!(wrong.to_string().parse::<RoundLimit>(), Err(InvalidRoundLimit));
    }
    assert_eq!("1.5".parse::<RoundLimit>(), Err(InvalidRoundLimit));
    assert_eq!("1000".parse(), Ok(limit(1000)));
}

#[tokio::test(start_paused = true)]
async fn an_operation_that_ends_at_a_question_keeps_it() {
    let last = |state: &str| {
        let mut last = asking_for_roots();
        last["requestState"] = state.into();
        last["_meta"] = json!({ "one": [1.5, null] });
        last
    };
    let server = serving(move |seen| match seen.body["params"].get("requestState") {
        None => result(seen, last("\u{e9} =")),
        Some(_) => result(seen, last("later")),
    });
    let client = server.client(REVISION);
    let error = failure(&client, add()).await;
    assert_eq!(error.kind, ErrorKind::InputRefused);
    let details = error.details();
    assert_eq!(details["result"], last("\u{e9} ="));
    assert_eq!(details["state"], "\u{e9} =");
    let params = json!({ "name": "add", "arguments": { "a": 17, "b": 25 } });
    let request = json!({
        "origin": "http://server.test", "method": "tools/call", "params": params, "id": 2,
    });
    assert_eq!(details["request"], request);

    client.handle(ClientFeature::Roots, None, unfit()).unwrap_err();
    let client = server.client(REVISION);
    client.handle(ClientFeature::Roots, None, unfit()).unwrap();
    let error = failure(&client, add()).await;
    assert_eq!((error.kind, error.facts.code), (ErrorKind::InputRefused, Some(-32603)));
    assert_eq!(error.facts.interim.unwrap().state(), Some("\u{e9} ="));
}

/// Answers with what does not fit.
fn unfit() -> Handler {
    Arc::new(|_| Box::pin(async { Ok(json!({ "roots": 7 })) }))
}

#[tokio::test(start_paused = true)]
async fn nothing_is_kept_where_no_question_was_last() {
    type Then = fn(&Seen) -> Act;
    let answers: [(Then, ErrorKind); 3] = [
        (|_| status(500), ErrorKind::HttpStatus),
        (|seen| result(seen, json!({ "resultType": "other" })), ErrorKind::InvalidResult),
        (|seen| result(seen, asking(json!({}))), ErrorKind::RoundLimit),
    ];
    for (then, kind) in answers {
        let server = serving(move |seen| match seen.body["params"].get("requestState") {
            None => result(seen, asking(json!({}))),
            Some(_) => then(seen),
        });
        let error = failure(&server.client(REVISION), add()).await;
        assert_eq!(error.kind, kind);
        assert_eq!(error.facts.interim.is_some(), kind == ErrorKind::RoundLimit);
    }
    // A list has no rounds.
    let server = serving(|seen| result(seen, asking(json!({}))));
    let error = failure(&server.client(REVISION), Operation::ListTools).await;
    assert_eq!((error.kind, error.facts.interim), (ErrorKind::InvalidResult, None));
}

#[tokio::test(start_paused = true)]
async fn who_gives_up_while_a_person_is_asked_keeps_the_question() {
    let server = serving(|seen| result(seen, asking_for_roots()));
    let client = server.client(REVISION);
    let never: Handler = Arc::new(|_| Box::pin(std::future::pending()));
    client.handle(ClientFeature::Roots, None, never).unwrap();
    let token = Cancellation::new();
    let cancel = async {
        tokio::time::sleep(Duration::from_secs(60)).await;
        token.cancel();
    };
    let (outcome, ()) = tokio::join!(client.perform(add(), &token), cancel);
    let error = outcome.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Cancelled);
    assert_eq!(error.facts.interim.unwrap().state(), Some("s"));
}

#[tokio::test(start_paused = true)]
async fn what_was_kept_goes_on_in_another_process() {
    let server = serving(|seen| match seen.body["params"].get("inputResponses") {
        None => result(seen, asking_for_roots()),
        Some(_) => result(seen, json!({ "content": [] })),
    });
    for operation in [
        add(),
        Operation::CallTool { name: "bare".into(), arguments: None },
        Operation::ReadResource { uri: "memo://a".into() },
    ] {
        let first = server.client(REVISION);
        for _ in 0..3 {
            kept(&first, operation.clone()).await;
        }
        let before = kept(&first, operation.clone()).await;
        let stored = json!([before.request, before.result]).to_string();

        let (request, result) = serde_json::from_str(&stored).unwrap();
        let stored = Interim { request, result };
        assert_eq!(stored, before);
        let later = server.client(REVISION);
        let resumed = later.resume(&stored).unwrap();
        assert_eq!(resumed, operation);
        let roots = json!({ "where": { "roots": [] } });
        let given = Round::after(&stored.result, roots.as_object().unwrap().clone());
        assert_eq!(by_hand(&later, &resumed, given).await, json!({ "content": [] }));

        let all = server.seen();
        let [.., original, _, retry] = all.as_slice() else { panic!("too little was sent") };
        assert_eq!(retry.body["params"]["requestState"], "s");
        assert_eq!(retry.body["params"]["inputResponses"], roots);
        for name in ["name", "uri", "arguments"] {
            assert_eq!(retry.body["params"].get(name), original.body["params"].get(name));
        }
        let sent = ids(&server, operation.method());
        assert!(sent[..sent.len() - 1].iter().all(|id| sent.last() > Some(id)), "{sent:?}");
        server.seen.lock().unwrap().clear();
    }
}

#[tokio::test(start_paused = true)]
async fn a_state_goes_to_no_other_origin() {
    let server = serving(|seen| result(seen, asking_for_roots()));
    let kept = kept(&server.client(REVISION), add()).await;
    for elsewhere in ["https://server.test/mcp", "http://server.test:81/", "http://other.test/"] {
        let endpoint = Endpoint::from(Uri::from_static(elsewhere));
        let transport = Arc::new(StreamableHttp::new(server.clone(), endpoint, 1));
        let client = Client::new(transport, options(REVISION));
        assert_eq!(client.resume(&kept).unwrap_err().kind, ErrorKind::NotResumable);
    }
    assert_eq!(server.client(REVISION).resume(&kept), Ok(add()));
    assert_eq!(server.names(), ["server/discover", "tools/call"]);
}

#[tokio::test(start_paused = true)]
async fn what_asks_for_nothing_cannot_be_gone_on_from() {
    let server = serving(|seen| result(seen, asking_for_roots()));
    let client = server.client(REVISION);
    let kept = kept(&client, add()).await;
    let changed = |change: &dyn Fn(&mut Interim)| {
        let mut kept = kept.clone();
        change(&mut kept);
        client.resume(&kept).map_err(|error| (error.kind, error.message))
    };
    type Change<'a> = &'a dyn Fn(&mut Interim);
    let changes: [(Change<'_>, &str); 7] = [
        (&|kept| kept.request.method = "tools/list".into(), "no operation sends `tools/list`"),
        (&|kept| kept.request.method = "prompts/other".into(), "no operation sends"),
        (&|kept| kept.request.params["uri"] = "a".into(), "with these params"),
        (&|kept| kept.result["resultType"] = "complete".into(), "asks for nothing"),
        (&|kept| kept.result = json!({ "resultType": "input_required" }), "asks for nothing"),
        (&|kept| kept.result["requestState"] = 7.into(), "state is no text"),
        (&|kept| kept.result["inputRequests"] = 7.into(), "requests are no map"),
    ];
    for (change, said) in changes {
        let (kind, message) = changed(change).unwrap_err();
        assert_eq!(kind, ErrorKind::NotResumable);
        assert!(message.contains(said), "{message}");
    }
    // Whoever kept the state alone can go on as well.
    assert_eq!(changed(&|kept| kept.result = json!({ "requestState": "s" })), Ok(add()));
    assert_eq!(client.interim(&add(), json!({ "content": [] })), None);
    assert_eq!(client.interim(&Operation::ListTools, asking_for_roots()), None);
    assert_eq!(client.interim(&add(), asking_for_roots()), Some(kept.clone()));

    let good = json!(kept.request);
    for (name, value, said) in [
        ("origin", json!(7), "the string `origin`"),
        ("method", json!(null), "the string `method`"),
        ("params", json!([]), "the map `params`"),
        ("id", json!(-1), "a whole number"),
        ("id", json!(9_007_199_254_740_992_i64), "a whole number"),
        ("state", json!("s"), "`state` beside"),
    ] {
        let mut wrong = good.clone();
        wrong[name] = value;
        let message = Original::try_from(wrong).unwrap_err().to_string();
        assert!(message.contains(said), "{message}");
    }
}

#[tokio::test(start_paused = true)]
async fn where_there_are_no_rounds_nothing_is_sent_again() {
    let server = FarSide::serving("2025-11-25", |seen| result(seen, json!({ "content": [] })));
    let client = server.client(Revision::V2025_11_25);
    let round = Round::after(&json!({ "requestState": "s" }), serde_json::Map::new());
    let refused = client.perform_round(&add(), &round, &Cancellation::new()).await.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::NotSupported);
    assert_eq!(server.names(), ["initialize", "notifications/initialized"]);
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
