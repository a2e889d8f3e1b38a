use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use serde_json::json;

use super::table::Table;
use super::*;
use crate::wire::exchange::{End, ResponseHead};
use crate::wire::messages::{Carrier, is_event_stream};
use crate::wire::{EventParser, Exchange, MessageText};

const OLD: Revision = Revision::V2025_03_26;
const LAST_WITH_HANDSHAKE: Revision = Revision::V2025_11_25;
const STATELESS: Revision = Revision::V2026_07_28;

/// What is wrong with a message, in words; empty if nothing is.
fn wrong(json: Value, revision: Revision, sender: Sender, answers: &Value) -> String {
    let answered = Answered::of(answers);
    match message(&json, revision, sender, answered.as_ref()) {
        Ok(()) => String::new(),
        Err(invalid) => invalid.to_string(),
    }
}

fn call(params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
}

#[test]
fn every_type_of_every_revision_can_be_read_and_refuses_something() {
    for revision in Revision::ALL {
        let table = Table::of(revision);
        assert!(table.types().len() > 80, "{revision}");
        for name in table.types().keys() {
            let refused = [json!(null), json!(1.5), json!("x"), json!([1]), json!({ "type": 1 })]
                .iter()
                .any(|value| table.hold(name, value).is_err());
            assert!(refused || name == "JSONValue" || name == "MetaObject", "{revision} {name}");
        }
    }
}

#[test]
fn every_method_has_its_type_by_its_sender() {
    for (revision, sender, is_request, method, name) in [
        (OLD, Sender::Client, true, "tools/call", Some("CallToolRequest")),
        (OLD, Sender::Server, true, "elicitation/create", None),
        (LAST_WITH_HANDSHAKE, Sender::Server, true, "elicitation/create", Some("ElicitRequest")),
        (LAST_WITH_HANDSHAKE, Sender::Client, true, "elicitation/create", None),
        (STATELESS, Sender::Client, true, "initialize", None),
        (STATELESS, Sender::Client, true, "server/discover", Some("DiscoverRequest")),
        (STATELESS, Sender::Server, true, "roots/list", None),
        // The only thing that a client may tell there is no union of one.
        (STATELESS, Sender::Client, false, "notifications/cancelled", Some("ClientNotification")),
    ] {
        assert_eq!(
            Table::of(revision).type_of(sender, is_request, method),
            name,
            "{revision} {method}"
        );
    }
}

#[test]
fn a_message_is_held_against_its_envelope_and_its_method() {
    let client = Sender::Client;
    let none = Value::Null;
    for (json, expected) in [
        (call(json!({ "name": "add" })), ""),
        (call(json!({ "name": 7 })), "as CallToolRequest, at `/params/name`, expected a string"),
        (
            call(json!({ "arguments": {} })),
            "as CallToolRequest, at `/params`, expected the member \"name\"",
        ),
        (
            json!({ "jsonrpc": "2.0", "id": 1.5, "method": "ping" }),
            "as JSONRPCRequest, at `/id`, expected an integer or a string",
        ),
        (
            json!({ "jsonrpc": "1.0", "method": "notifications/initialized" }),
            "as JSONRPCNotification, at `/jsonrpc`, expected \"2.0\"",
        ),
        // What the revision does not know is an extension's.
        (json!({ "jsonrpc": "2.0", "id": 1, "method": "no/such", "params": { "x": 1 } }), ""),
        (
            json!({ "jsonrpc": "2.0", "id": 1, "method": "no/such", "params": [] }),
            "as JSONRPCRequest, at `/params`, expected an object",
        ),
    ] {
        for revision in &Revision::ALL[..3] {
            assert_eq!(wrong(json.clone(), *revision, client, &none), expected, "{revision}");
        }
    }
    let said = wrong(call(json!({ "name": "add" })), STATELESS, client, &none);
    assert_eq!(said, "as CallToolRequest, at `/params`, expected the member \"_meta\"");
}

#[test]
fn a_result_is_held_against_the_method_that_it_answers() {
    let result = |result: Value| json!({ "jsonrpc": "2.0", "id": 1, "result": result });
    let server = Sender::Server;
    let asked = call(json!({ "name": "add" }));
    for revision in &Revision::ALL[..3] {
        let said = |json| wrong(json, *revision, server, &asked);
        assert_eq!(said(result(json!({ "content": [] }))), "");
        assert_eq!(
            said(result(json!({}))),
            "as CallToolResult, at `/result`, expected the member \"content\""
        );
        // The constants tell which of several types was meant.
        assert_eq!(
            said(result(json!({ "content": [{ "type": "text", "text": 7 }] }))),
            "as CallToolResult, at `/result/content/0/text`, expected a string"
        );
        // Of what is not known to be answered, the envelope is all there is.
        assert_eq!(wrong(result(json!({})), *revision, server, &Value::Null), "");
        assert_ne!(wrong(result(json!([])), *revision, server, &Value::Null), "");
    }
    let whole = json!({ "resultType": "complete", "content": [] });
    assert_eq!(wrong(result(whole.clone()), STATELESS, server, &asked), "");
    // A type of its own is an extension's, none is an error.
    assert_eq!(wrong(result(json!({ "resultType": "task" })), STATELESS, server, &asked), "");
    assert_ne!(wrong(result(json!({ "content": [] })), STATELESS, server, &asked), "");
}

#[test]
fn a_result_is_held_against_the_type_that_it_says() {
    let asked = json!({ "jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {} });
    let held = |result: Value| {
        let answer = json!({ "jsonrpc": "2.0", "id": 1, "result": result });
        wrong(answer, STATELESS, Sender::Server, &asked)
    };
    let message = |role| json!([{ "role": role, "content": { "type": "text", "text": "hi" } }]);
    assert_eq!(held(json!({ "resultType": "complete", "messages": message("user") })), "");
    assert_eq!(held(json!({ "resultType": "input_required", "requestState": "one" })), "");
    // None of these asks for input, so none of them is a result that does.
    for result in [
        json!({ "resultType": "complete", "messages": message("system") }),
        json!({ "resultType": "complete", "requestState": "one" }),
        json!({ "messages": message("user") }),
    ] {
        assert_ne!(held(result.clone()), "", "{result}");
    }
    assert_eq!(
        held(json!({ "resultType": "complete" })),
        "as GetPromptResult, at `/result`, expected the member \"messages\""
    );
}

#[test]
fn a_task_answers_a_request_that_asks_for_one() {
    let task = json!({
        "taskId": "t", "status": "working", "ttl": null,
        "createdAt": "2025-11-25T10:00:00Z", "lastUpdatedAt": "2025-11-25T10:00:00Z",
    });
    let made = json!({ "jsonrpc": "2.0", "id": 1, "result": { "task": task } });
    let plain = call(json!({ "name": "add" }));
    let asking = call(json!({ "name": "add", "task": {} }));
    let said = |asked| wrong(made.clone(), LAST_WITH_HANDSHAKE, Sender::Server, asked);
    assert_eq!(said(&asking), "");
    assert_eq!(said(&plain), "as CallToolResult, at `/result`, expected the member \"content\"");
}

#[test]
fn an_error_may_name_no_request_but_not_null() {
    let error = json!({ "code": -32700, "message": "Parse error" });
    for revision in Revision::ALL {
        let said = |json| wrong(json, revision, Sender::Server, &Value::Null);
        assert_eq!(said(json!({ "jsonrpc": "2.0", "error": error })), "", "{revision}");
        assert_ne!(said(json!({ "jsonrpc": "2.0", "id": null, "error": error })), "", "{revision}");
        let untold = json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": 1.5, "message": "" } });
        assert!(said(untold).contains("at `/error/code`, expected an integer"), "{revision}");
    }
}

#[test]
fn a_form_holds_numbers_as_the_source_of_the_schema_has_them() {
    for revision in [Revision::V2025_06_18, LAST_WITH_HANDSHAKE] {
        let asked = json!({ "method": "elicitation/create", "params": {} });
        let result = json!({ "action": "accept", "content": { "weight": 61.5 } });
        let json = json!({ "jsonrpc": "2.0", "id": 1, "result": result });
        assert_eq!(wrong(json, revision, Sender::Client, &asked), "");
    }
}

fn exchange(index: usize, request: &str, version: Option<&str>, response: &str) -> Exchange {
    let mut headers = content_type("application/json");
    if let Some(version) = version {
        headers.insert(crate::mcp::mirror::PROTOCOL_VERSION, version.parse().unwrap());
    }
    Exchange {
        index,
        method: Method::POST,
        uri: Uri::from_static("http://server.test/mcp"),
        headers,
        body: Bytes::copy_from_slice(request.as_bytes()),
        at: std::time::Duration::ZERO,
        response: Some(ResponseHead {
            status: StatusCode::OK,
            headers: content_type("application/json"),
        }),
        response_body: Bytes::copy_from_slice(response.as_bytes()),
        end: End::Complete,
        completed_at: None,
    }
}

fn content_type(media_type: &'static str) -> HeaderMap {
    let value = HeaderValue::from_static(media_type);
    HeaderMap::from_iter([(http::header::CONTENT_TYPE, value)])
}

/// What a recorder logs of an exchange.
fn texts(exchange: &Exchange) -> Vec<Arc<MessageText>> {
    let text = |sender, bytes, carrier| {
        Arc::new(MessageText::new(sender, exchange.at, bytes, carrier, Some(exchange.index)))
    };
    let mut texts = Vec::new();
    if exchange.method == Method::POST {
        texts.push(text(Sender::Client, exchange.body.clone(), Carrier::Body));
    }
    let (body, mut events) = (exchange.response_body.clone(), Vec::new());
    if exchange.response.as_ref().is_some_and(|head| is_event_stream(&head.headers)) {
        let _ = EventParser::default().push(&body, &mut events);
        texts.extend(
            events
                .into_iter()
                .filter(|event| !event.data.trim().is_empty())
                .map(|event| text(Sender::Server, event.data.into(), Carrier::Event(event.event))),
        );
    } else if !body.is_empty() {
        texts.push(text(Sender::Server, body, Carrier::Body));
    }
    texts
}

/// Who sent what is judged, at which revision, and what is wrong with it.
fn judged(exchanges: &[Exchange]) -> Vec<(usize, &'static str, String, String)> {
    let texts: Vec<_> = exchanges.iter().flat_map(texts).collect();
    judge(&texts, exchanges, LAST_WITH_HANDSHAKE)
        .into_iter()
        .map(|one| {
            let invalid = one.invalid.map(|invalid| invalid.to_string()).unwrap_or_default();
            (one.exchange.unwrap(), one.sender.as_str(), one.revision.to_string(), invalid)
        })
        .collect()
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
const CHOSEN: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#;

#[test]
fn what_the_handshake_chose_is_in_force_from_then_on() {
    let batch = r#"[{"jsonrpc":"2.0","id":2,"method":"ping"}]"#;
    let pong = r#"{"jsonrpc":"2.0","id":2,"result":{}}"#;
    let found = judged(&[exchange(0, INITIALIZE, None, CHOSEN), exchange(1, batch, None, pong)]);
    let at = |index, sender, revision: &str| (index, sender, revision.to_owned(), String::new());
    assert_eq!(
        found,
        [
            at(0, "client", "2025-11-25"),
            at(0, "server", "2025-03-26"),
            at(1, "client", "2025-03-26"),
            at(1, "server", "2025-03-26"),
        ]
    );
    // Before, there were no batches; and a header field that names what nobody
    // chose changes nothing.
    let found = judged(&[exchange(0, batch, Some("2025-03-26"), pong)]);
    assert!(found[0].3.contains("this revision has no batches"), "{found:?}");
}

#[test]
fn a_request_may_name_its_revision_itself() {
    let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
    let discover = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{{"_meta":{meta}}}}}"#
    );
    let refused = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#;
    let found = judged(&[exchange(0, &discover, Some("2026-07-28"), refused)]);
    assert_eq!((found[0].2.as_str(), found[1].2.as_str()), ("2026-07-28", "2026-07-28"));
    assert!(found[0].3.contains("clientCapabilities"), "{found:?}");
    assert_eq!(found[1].3, "");
}

#[test]
fn what_is_no_message_is_told_from_what_should_be_one() {
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let with = |status: u16, media: &'static str, end: End, body: &str| {
        let mut exchange = exchange(0, ping, None, body);
        let status = StatusCode::from_u16(status).unwrap();
        exchange.response = Some(ResponseHead { status, headers: content_type(media) });
        exchange.end = end;
        let found = judged(&[exchange]);
        assert_eq!(found[0].3, "", "the ping is valid");
        found.into_iter().skip(1).map(|one| one.3).collect::<Vec<_>>()
    };
    let (json, stream, end) =
        ("application/json; charset=utf-8", "text/event-stream", End::Complete);
    assert_eq!(with(200, json, end, "<html>"), ["expected JSON"]);
    assert_eq!(with(200, json, End::Aborted, "{\"jsonrpc\":"), [] as [&str; 0]);
    assert_eq!(with(200, "text/html", end, "<html>"), [] as [&str; 0]);
    // An error of HTTP says what it likes, unless it says that it is a message.
    assert_eq!(with(401, json, end, r#"{"error":"invalid_token"}"#), [] as [&str; 0]);
    assert_eq!(with(400, json, end, r#"{"jsonrpc":"2.0","error":{}}"#).len(), 1);
    // An empty body says nothing, and nobody is answered by a DELETE.
    assert_eq!(with(200, json, end, " \r\n"), [] as [&str; 0]);
    let mut ended = exchange(0, "", None, "{\"ended\":true}");
    ended.method = Method::DELETE;
    assert_eq!(judged(&[ended]), []);
    // Two sources contradict each other about null for an id that was not read.
    let unread = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#;
    assert_eq!(with(400, json, end, unread), [""]);
    let events = "id: 1\ndata:\n\nevent: other\ndata: 7\n\n: comment\n\ndata: 7\n\ndata: {\"js";
    assert_eq!(with(200, stream, End::Broken, events).len(), 1);
    // What cannot be read here is not called wrong.
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    for unread in [&*deep, r#"{"jsonrpc":"2.0","id":1,"result":{"n":1e999}}"#] {
        assert_eq!(with(200, json, end, unread), [] as [&str; 0]);
    }
    // Nothing, where a POST has to carry a message.
    let found = judged(&[exchange(0, "", None, "{}")]);
    assert_eq!(found[0].3, "expected JSON");
}

#[test]
fn a_result_on_another_stream_belongs_to_the_last_request_of_its_id() {
    let call = |index, tool: &str| {
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"{tool}","params":{{"name":"a","uri":"a:b"}}}}"#
        );
        exchange(
            index,
            &call,
            None,
            r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#,
        )
    };
    let event = "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"contents\":[]}}\n\n";
    let mut resumed = exchange(2, "", None, event);
    resumed.method = Method::GET;
    resumed.response.as_mut().unwrap().headers = content_type("text/event-stream");
    let found = judged(&[call(0, "tools/call"), call(1, "resources/read"), resumed.clone()]);
    assert_eq!(found.last().map(|one| one.3.as_str()), Some(""), "{found:?}");
    let found = judged(&[call(0, "resources/read"), call(1, "tools/call"), resumed]);
    assert!(found[4].3.contains("the member \"content\""), "{found:?}");
}
