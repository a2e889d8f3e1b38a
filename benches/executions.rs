//! How many check executions a worker does in a second, and what a check costs
//! against the same exchange written by hand in Rust on the same double.

use std::sync::Arc;

use mcp_checks::check::{Check, Library};
use mcp_checks::mcp::Revision;
use mcp_checks::mcp::client::{Cancellation, Client, Operation, Options, StreamableHttp};
use mcp_checks::mcp::negotiation::Policy;
use mcp_checks::mcp::server::{Action, Behaviour, Call, Framing, ScriptedServer, Tool};
use mcp_checks::profile::{self, Profile};
use mcp_checks::runner::plan::Choice;
use mcp_checks::runner::{self, Plan, Settings, Subject};
use mcp_checks::wire::{Double, Recorder, Wire};
use serde_json::{Value, json};

fn main() {
    divan::main();
}

/// Three requests: `initialize`, its notification, and a call of a tool.
const THREE_REQUESTS: &str = r#"//! Calls one tool with two numbers.
//!
//! first  MUST  initialize comes first
//! sum    MUST  The tool gets both numbers

fn serve(server) {
    server.tool("add", #{ a: "integer", b: "integer" }, |args| args.a + args.b);
}

fn drive(client) {
    client.call_tool("add", #{ a: 17, b: 25 })
}

fn judge(seen) {
    seen.equal("first", seen.requests[0].method, "initialize");
    seen.equal("sum", seen.calls("add")[0].arguments, #{ a: 17, b: 25 });
}
"#;

/// How many executions one measured run has: enough that making the engines, a
/// few milliseconds for each worker, does not show.
const EXECUTIONS: usize = 10_000;

fn profile() -> Profile {
    let profiles = profile::embedded().expect("the embedded profiles are valid");
    let found = profiles.into_iter().find(|profile| profile.name == "stateless-http");
    found.expect("the profile is shipped")
}

fn checks(count: usize) -> Library {
    let check = |number: usize| {
        let id = format!("generated/{number:05}");
        let source = Arc::new(miette::NamedSource::new(&id, Arc::from(THREE_REQUESTS)));
        Check::from_source(&id, source)
    };
    Library::of((0..count).map(check).collect())
}

fn run_library(library: &Library, profiles: &[Profile], jobs: usize) {
    let mut settings = Settings::new(Subject::Embedded);
    settings.jobs = jobs;
    let plan = Plan::new(library, profiles, &settings.subject, &Choice::default());
    let summary = runner::run(&plan, &library.support, &settings, drop);
    assert_eq!((summary.executions.failed, summary.executions.broken), (0, 0));
}

/// One check at many profiles: compiled once, executed for each.
#[divan::bench(args = [1, 2], sample_count = 20)]
fn three_requests(bencher: divan::Bencher, jobs: usize) {
    let library = checks(jobs);
    let profiles: Vec<Profile> = std::iter::repeat_n(profile(), EXECUTIONS / jobs).collect();
    bencher
        .counter(divan::counter::ItemsCount::new(EXECUTIONS))
        .bench_local(|| run_library(&library, &profiles, jobs));
}

/// Each check is compiled for its own single execution.
#[divan::bench(args = [5_000, 10_000, 20_000], sample_count = 5)]
fn generated_checks(bencher: divan::Bencher, count: usize) {
    let library = checks(count);
    let profiles = [profile()];
    bencher
        .counter(divan::counter::ItemsCount::new(count))
        .bench_local(|| run_library(&library, &profiles, 2));
}

/// The same exchange without a script: client, recorder and double in Rust.
#[divan::bench(sample_count = 20)]
fn by_hand(bencher: divan::Bencher) {
    bencher.counter(divan::counter::ItemsCount::new(EXECUTIONS)).bench_local(|| {
        for _ in 0..EXECUTIONS {
            exchange_by_hand();
        }
    });
}

fn exchange_by_hand() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime without input and output can be built");
    let _entered = runtime.enter();
    let wire = Wire::new(1);
    let double = Arc::new(Double::new(1));
    let server = ScriptedServer::new(Behaviour {
        revision: Revision::V2025_11_25,
        session: None,
        framing: Framing::Json,
        declares: Vec::new(),
        lacks: Vec::new(),
        path: "/mcp".to_owned(),
    });
    let Value::Object(definition) = json!({
        "name": "add",
        "inputSchema": {
            "type": "object",
            "properties": { "a": { "type": "integer" }, "b": { "type": "integer" } },
            "required": ["a", "b"],
        },
    }) else {
        unreachable!("it is an object")
    };
    server.tool(Tool { definition, handler: Arc::new(add) });
    double.add("server.test", Arc::new(server));
    let options = Options {
        revision: Revision::V2025_11_25,
        policy: Policy::every_version(),
        client_name: "by-hand".to_owned(),
        client_version: "1".to_owned(),
        scale: 1,
    };
    let http = Arc::new(Recorder::new(double, wire.clone()));
    let endpoint = http::Uri::from_static("http://server.test/mcp").into();
    let client = Client::new(Arc::new(StreamableHttp::new(http, endpoint, 1)), options);
    let call = Operation::CallTool {
        name: "add".to_owned(),
        arguments: Some(json!({ "a": 17, "b": 25 })),
    };
    let result = runtime.block_on(async {
        let result = client.perform(call, &Cancellation::new()).await;
        client.close().await.expect("nothing is left to close");
        result
    });
    assert_eq!(result.expect("the tool answers")["content"][0]["text"], "42");
    let exchanges = wire.exchanges();
    let first: Value = serde_json::from_slice(&exchanges[0].body).expect("it is JSON");
    assert_eq!(first["method"], "initialize");
    let last: Value = serde_json::from_slice(&exchanges[2].body).expect("it is JSON");
    assert_eq!(last["params"]["arguments"], json!({ "a": 17, "b": 25 }));
}

fn add(call: &Call<'_>) -> Action {
    let arguments = &call.params()["arguments"];
    let sum = arguments["a"].as_i64().unwrap_or(0) + arguments["b"].as_i64().unwrap_or(0);
    Action::Value(json!({ "content": [{ "type": "text", "text": sum.to_string() }] }))
}
