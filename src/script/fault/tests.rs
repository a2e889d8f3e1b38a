use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode};
use serde_json::{Value, json};

use super::*;
use crate::script::Limits;
use crate::wire::double::{Double, Frame, Head, Origin, Plan};
use crate::wire::http::Body;
use crate::wire::{HttpClient, Recorder, Wire, read_whole};

/// Answers each POST with the method and the id that it had.
struct Echo {
    streamed: bool,
}

impl Origin for Echo {
    fn answer(&self, request: &Request) -> Plan {
        let message: Value = serde_json::from_slice(request.body()).unwrap_or_default();
        if message["method"] == "silence" {
            return Plan::without_response(Head::Silence);
        }
        let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": message["method"] });
        if !self.streamed {
            return Plan::media(StatusCode::OK, "application/json", answer.to_string());
        }
        let mut plan = Plan::media(StatusCode::OK, "text/event-stream", Bytes::new());
        plan.frames = [
            Frame::Bytes(": hello\nid: 1\nretry: 500\ndata:\n\n".into()),
            Frame::Wait(Duration::from_secs(5)),
            Frame::Bytes(format!("id: 2\ndata: {answer}\r\n").into()),
            Frame::Bytes("\r\nid: 3\ndata: {}\n\nid: unfin".into()),
        ]
        .into();
        plan
    }
}

struct Rig {
    fault: Arc<FaultScript>,
    http: Faulty<Recorder<Arc<Double>>>,
    wire: Wire,
}

fn compile(text: &str) -> (Arc<ScriptEngine>, Arc<FaultScript>, Result<Script, ScriptError>) {
    let scripts = Arc::new(ScriptEngine::new(&[], Limits::default()).expect("an engine"));
    let source = Arc::new(miette::NamedSource::new("fault.rhai", text.into()));
    let fault = Arc::new(FaultScript::new("fault".to_owned(), source));
    let script = fault.compile(&scripts);
    (scripts, fault, script)
}

fn rig(text: &str, streamed: bool) -> Rig {
    let (scripts, of, script) = compile(text);
    let script = script.expect("the fault compiles");
    let fault = Arc::new(Fault::new(of.clone(), &script, scripts.handlers(&script)));
    let double = Arc::new(Double::new(1));
    double.add("server.test", Arc::new(Echo { streamed }));
    let wire = Wire::new(1);
    Rig { fault: of, http: Faulty::new(Recorder::new(double, wire.clone()), fault), wire }
}

impl Rig {
    async fn send(&self, message: Value) -> (u16, HeaderMap, String) {
        let mut request = Request::new(message.to_string().into());
        *request.method_mut() = http::Method::POST;
        *request.uri_mut() = "http://server.test/mcp".parse().expect("a URL");
        request.headers_mut().insert("accept", HeaderValue::from_static("application/json"));
        let response = self.http.send(request).await.expect("a response");
        let (head, body) = response.into_parts();
        let body = read_whole(body, 10_000).await.expect("a body");
        (head.status.as_u16(), head.headers, String::from_utf8_lossy(&body).into_owned())
    }

    /// The methods that arrived, in order.
    fn arrived(&self) -> Vec<String> {
        let exchanges = self.wire.exchanges();
        let methods = exchanges.iter().map(|exchange| {
            let message: Value = serde_json::from_slice(&exchange.body).unwrap_or_default();
            message["method"].as_str().unwrap_or("-").to_owned()
        });
        methods.collect()
    }
}

fn message(id: i64, method: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method })
}

#[tokio::test(start_paused = true)]
async fn what_is_not_changed_passes_and_does_not_count() {
    for streamed in [false, true] {
        let plain = rig("fn seen(seen) {}", streamed).send(message(1, "a")).await;
        let rig = rig("fn request(request) {} fn response(response) { 7 }", streamed);
        assert_eq!(rig.send(message(1, "a")).await, plain);
        assert_eq!(rig.fault.times_fired(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_is_changed_before_it_arrives() {
    let rig = rig(
        r#"fn request(request) {
            request.put("/params", #{ a: [1, 2] });
            request.take("/params/a/0");
            request.put("/params/a/-", 3);
            request.remove_header("accept");
            request.set_header("x-other", request.method);
        }"#,
        false,
    );
    let (_, _, body) = rig.send(message(1, "a")).await;
    assert_eq!(body, r#"{"jsonrpc":"2.0","id":1,"result":"a"}"#);
    let exchange = &rig.wire.exchanges()[0];
    assert_eq!(exchange.body, r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"a":[2,3]}}"#);
    assert_eq!(exchange.headers.get("x-other"), Some(&HeaderValue::from_static("a")));
    assert!(!exchange.headers.contains_key("accept"));
    assert_eq!(rig.fault.times_fired(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_sender_whose_id_was_changed_gets_its_own_back() {
    for streamed in [false, true] {
        let rig = rig(r#"fn request(request) { request.put("/id", "other"); }"#, streamed);
        let (_, _, body) = rig.send(message(7, "a")).await;
        assert!(body.contains(r#"{"jsonrpc":"2.0","id":7,"result":"a"}"#), "{body}");
        let arrived: Value =
            serde_json::from_slice(&rig.wire.exchanges()[0].body).expect("a message");
        assert_eq!(arrived["id"], "other");
    }
}

#[tokio::test(start_paused = true)]
async fn requests_are_withheld_repeated_held_back_and_preceded() {
    for (directive, arrived) in [
        ("drop()", &["b"][..]),
        ("duplicate()", &["a", "a", "b"]),
        ("hold_back()", &["b", "a"]),
        ("delay(100)", &["a", "b"]),
        (
            r#"{ let first = request.copy(); first.put("/method", "first"); send_before(first) }"#,
            &["first", "a", "b"],
        ),
    ] {
        let script = format!(
            r#"fn request(request) {{ if request.method == "a" {{ return {directive}; }} }}"#
        );
        let rig = rig(&script, false);
        let (status, _, _) = rig.send(message(1, "a")).await;
        let told = if arrived[0] == "b" { 202 } else { 200 };
        assert_eq!(status, told, "{directive}");
        rig.send(message(2, "b")).await;
        assert_eq!(rig.arrived(), arrived, "{directive}");
        assert_eq!(rig.fault.times_fired(), 1, "{directive}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_sender_can_be_told_what_nobody_said() {
    let rig = rig("fn request(request) { drop(#{ id: request.id }) }", false);
    let (status, headers, body) = rig.send(message(7, "a")).await;
    assert_eq!((status, body.as_str()), (200, r#"{"id":7}"#));
    assert_eq!(headers["content-type"], "application/json");
    assert!(rig.arrived().is_empty());
}

#[tokio::test(start_paused = true)]
async fn all_that_is_held_back_goes_on_after_the_next_one_that_does() {
    let rig = rig(
        r#"fn request(request) {
            if request.method == "gone" { return drop(); }
            if request.method != "last" { return hold_back(); }
        }"#,
        false,
    );
    for (id, method) in ["a", "b", "gone", "last"].into_iter().enumerate() {
        rig.send(message(id as i64, method)).await;
    }
    assert_eq!(rig.arrived(), ["last", "a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn a_request_aside_that_is_never_answered_holds_nobody_up() {
    let rig = rig(
        r#"fn request(request) {
            let first = request.copy();
            first.put("/method", "silence");
            send_before(first)
        }"#,
        false,
    );
    let started = tokio::time::Instant::now();
    let (status, _, _) = rig.send(message(1, "a")).await;
    assert_eq!(status, 200);
    assert_eq!(started.elapsed().as_millis(), 250);
}

#[tokio::test(start_paused = true)]
async fn a_response_is_changed_before_it_is_received() {
    let rig = rig(
        r#"fn response(response) {
            if response.answers != "a" { return; }
            response.status = 404;
            response.set_header("mcp-session-id", "x y");
            response.put("/result", response.member("/id"));
        }"#,
        false,
    );
    let (status, headers, body) = rig.send(message(3, "a")).await;
    assert_eq!((status, headers["mcp-session-id"].as_bytes()), (404, &b"x y"[..]));
    assert_eq!(body, r#"{"jsonrpc":"2.0","id":3,"result":3}"#);
    assert_eq!(rig.send(message(4, "b")).await.0, 200);
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_changed_event_by_event_as_it_comes() {
    let rig = rig(
        r#"fn response(response) {
            if response.body == "" { response.set_header("x-head", "seen"); }
            if response.has("/result") { response.put("/result", "other"); }
            if response.body.starts_with("id: 3") { return drop(); }
        }"#,
        true,
    );
    let mut request = Request::new(message(1, "a").to_string().into());
    *request.method_mut() = http::Method::POST;
    *request.uri_mut() = "http://server.test/mcp".parse().expect("a URL");
    let started = tokio::time::Instant::now();
    let response = rig.http.send(request).await.expect("a response");
    assert_eq!(response.headers()["x-head"], "seen");
    let mut body: Body = response.into_body();
    let first = body.chunk().await.expect("a chunk").expect("bytes");
    assert_eq!(first, ": hello\nid: 1\nretry: 500\ndata:\n\n");
    assert!(started.elapsed().is_zero(), "the first event does not wait for the second");
    let second = body.chunk().await.expect("a chunk").expect("bytes");
    let second = String::from_utf8_lossy(&second).into_owned();
    assert!(second.contains(r#""result":"other""#), "{second}");
    assert_eq!(started.elapsed().as_secs(), 5);
    let rest = body.chunk().await.expect("a chunk").expect("bytes");
    assert_eq!(rest, "id: unfin");
    assert!(body.chunk().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_left_early_is_not_read_on() {
    let rig = rig(
        r#"fn response(response) { if response.has("/result") { return stop_reading(); } }"#,
        true,
    );
    let (_, _, body) = rig.send(message(1, "a")).await;
    assert_eq!(body, ": hello\nid: 1\nretry: 500\ndata:\n\n");
    // The rest was ready and so was sent: nothing was broken off.
    let exchange = &rig.wire.exchanges()[0];
    assert_eq!(exchange.end, crate::wire::exchange::End::Complete);
    assert!(exchange.response_body.len() > body.len());
}

#[tokio::test(start_paused = true)]
async fn a_response_that_is_withheld_never_comes() {
    let rig = rig("fn response(response) { drop() }", false);
    let waited = tokio::time::timeout(Duration::from_secs(60), rig.send(message(1, "a"))).await;
    assert!(waited.is_err());
    assert_eq!(rig.arrived(), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn its_functions_remember_for_one_execution() {
    let rig = rig(
        r#"
        fn request(request, memory) {
            if memory.last != () { request.put("/method", memory.last); }
        }
        fn response(response, memory) { memory.last = response.answers + "!"; }
        "#,
        false,
    );
    rig.send(message(1, "a")).await;
    rig.send(message(2, "b")).await;
    assert_eq!(rig.arrived(), ["a", "a!"]);
}

#[tokio::test(start_paused = true)]
async fn an_error_of_a_fault_is_kept() {
    let rig = rig(r#"fn request(request) { request.status = 7; }"#, false);
    assert_eq!(rig.send(message(1, "a")).await.0, 200);
    let trouble = rig.http.fault().handlers().take_error();
    assert!(trouble.is_some_and(|error| error.to_string().contains("from 100 to 999")));
}

#[test]
fn a_fault_has_a_function_that_takes_what_it_changes() {
    for (script, expected) in [
        ("fn other(x) {}", "no function that could change anything"),
        ("fn request() {}", "`request` of the fault `fault` takes 0 parameters"),
        ("fn seen(seen, memory) {}", "`seen` of the fault `fault` takes 2 parameters"),
        ("fn request(request) {", "does not compile"),
    ] {
        let (_, _, compiled) = compile(script);
        let error = compiled.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(expected), "{script}: {error}");
    }
}

/// A judge's `seen` with this result.
fn changed(script: &str, result: Dynamic) -> String {
    use crate::script::observation::Observation;
    use crate::script::seen::{Parts, Seen};
    let (scripts, _, compiled) = compile(script);
    let compiled = compiled.expect("the fault compiles");
    let endpoint = "http://server.test/mcp".parse().expect("a URL");
    let seen = Seen::new(Parts {
        observation: Arc::new(Observation::new(Vec::new(), Vec::new(), endpoint)),
        checkpoints: Vec::new(),
        revision: crate::mcp::Revision::V2025_11_25,
        builtin: true,
        paused_clock: true,
        profile: Map::new(),
        result,
        notes: Map::new(),
        record: None,
        locate: Arc::new(|_, _| None),
    });
    scripts.invoke(&compiled, "seen", (seen.clone(),)).map(drop).expect("the fault runs");
    seen.text()
}

#[test]
fn answers_are_changed_wherever_they_stand_in_a_result() {
    use crate::script::client::Answer;
    let answer = |text: &str| Dynamic::from(Answer::from(Ok(json!({ "text": text }))));
    let mut result = Map::new();
    result.insert("all".into(), vec![answer("a"), answer("b")].into());
    result.insert("count".into(), 2_i64.into());
    let script = r#"fn seen(seen) {
        seen.change(|answer| {
            if answer.member("/value/text") == "b" {
                answer.put("/ok", false);
                answer.put("/error", #{ kind: "other" });
            }
        });
    }"#;
    assert_eq!(
        changed(script, result.into()),
        json!({
            "all": [
                { "ok": true, "value": { "text": "a" } },
                { "ok": false, "error": { "kind": "other" } },
            ],
            "count": 2,
        })
        .to_string()
    );
}

/// Whether the fault would change what passed when `a` was sent.
async fn would_change(text: &str, streamed: bool) -> bool {
    let double = Arc::new(Double::new(1));
    double.add("server.test", Arc::new(Echo { streamed }));
    let passed = Passed::default();
    let tap = Tap::new(double, passed.clone());
    let mut request = Request::new(message(1, "a").to_string().into());
    *request.uri_mut() = "http://server.test/mcp".parse().expect("a URL");
    let response = tap.send(request).await.expect("a response");
    read_whole(response.into_body(), 10_000).await.expect("a body");
    let (scripts, of, script) = compile(text);
    let script = script.expect("the fault compiles");
    let fault = Fault::new(of.clone(), &script, scripts.handlers(&script));
    let would_change = fault.would_change(&passed);
    assert_eq!(of.times_fired(), 0, "playing is no execution");
    would_change
}

#[tokio::test(start_paused = true)]
async fn what_a_fault_would_change_is_found_by_playing_it() {
    for (script, expected) in [
        ("fn request(request) {}", false),
        (r#"fn request(request) { request.remove_header("x-none"); }"#, false),
        (r#"fn request(request) { request.set_header("x-more", "1"); }"#, true),
        (r#"fn request(request) { if request.method == "b" { return drop(); } }"#, false),
        ("fn request(request) { drop() }", true),
        ("fn request(request) { delay(1) }", true),
        (r#"fn response(response) { response.put("/result", response.answers); }"#, false),
        (r#"fn response(response) { response.put("/result", "b"); }"#, true),
        (
            "fn request(request, memory) { memory.method = request.method; }
             fn response(response, memory) { response.put(\"/result\", memory.method + \"!\"); }",
            true,
        ),
        ("fn request(request) { request.status = 7; }", true),
    ] {
        assert_eq!(would_change(script, false).await, expected, "{script}");
    }
}

/// A fault holds an event back until it is whole; without one its parts pass.
#[tokio::test(start_paused = true)]
async fn a_fault_of_responses_is_not_played_over_events_that_came_in_parts() {
    assert!(would_change("fn response(response) {}", true).await);
    assert!(!would_change("fn request(request) {}", true).await);
}
