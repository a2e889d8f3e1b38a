//! Legal extra traffic never turns a check red, and what the double sends is
//! valid for the revision in force.

use std::sync::Arc;

use mcp_checks::check::{CheckKind, Level, Verdict};
use mcp_checks::mcp::server::Framing;
use mcp_checks::profile::Profile;
use mcp_checks::runner::event::Trouble;
use mcp_checks::runner::subject::Exchanges;
use mcp_checks::runner::{Settings, Subject};
use mcp_checks::script::fault::FaultScript;

use crate::library::{line, profile, profiles, run, shipped, shipped_check, source, verdicts};

/// What a client may do beside what it was asked to: pings of its own, or the
/// question what the server is where there are none, members and header fields
/// that nobody knows, white space.
const TALKATIVE_CLIENT: &str = r#"//! Sends more than it was asked to.

fn request(request, memory) {
    request.set_header("x-example", "noise");
    if request.http_method != "POST" || request.method == () { return; }
    if request.has("/params") {
        if !request.has("/params/_meta") { request.put("/params/_meta", #{}); }
        request.put("/params/_meta/example.com~1noise", #{ a: [1] });
    }
    request.body = "\r\n " + request.body + " \n";
    if request.method == "tools/call" {
        memory.extras = if memory.extras == () { 1 } else { memory.extras + 1 };
        let extra = request.copy();
        if request.has("/params/_meta/io.modelcontextprotocol~1protocolVersion") {
            extra.put("/id", `extra-${memory.extras}`);
            extra.put("/method", "server/discover");
            extra.take("/params/name");
            extra.take("/params/arguments");
            extra.take("/params/inputResponses");
            extra.take("/params/requestState");
            extra.set_header("mcp-method", "server/discover");
            extra.remove_header("mcp-name");
        } else {
            extra.body = `{"method": "ping", "id": "extra-${memory.extras}", "jsonrpc": "2.0"}`;
        }
        return send_before(extra);
    }
}
"#;

/// Ids are strings or numbers, and begin where a client likes.
const STRINGS_FOR_IDS: &str = r#"//! Has strings for ids.

fn request(request) {
    if request.method == () { return; }
    if request.has("/id") { request.put("/id", `client-${request.id}`); }
    if request.method == "notifications/cancelled" {
        request.put("/params/requestId", `client-${request.member("/params/requestId")}`);
    }
}
"#;

/// Where a fault cannot give the built-in client back the id that it knows, and
/// so it is the client that sees another id: in a batch, on a stream that a GET
/// resumes, under a media type that is no event stream to the letter, in the
/// metadata of a notification.
const BEYOND_THE_FAULT: [&str; 4] = [
    "connection/batch-received",
    "stream/resume",
    "stream/either-framing[a media type",
    "stream/subscription",
];

/// What a server may do beside what it was asked to.
const TALKATIVE_SERVER: &str = r#"//! Sends more than it was asked to.

fn response(response) {
    response.set_header("x-example", "noise");
    if !response.has("/result") { return; }
    // The answer to a ping is empty, metadata aside.
    if !response.has("/result/_meta") { response.put("/result/_meta", #{}); }
    response.put("/result/_meta/example.com~1noise", #{ a: [1] });
    if response.answers != "ping" { response.put("/result/example.com~1noise", #{ a: [1] }); }
    let type = response.header("content-type");
    if type == "application/json" {
        response.body = "\r\n " + response.body + " \n";
    } else {
        response.body = ": a comment\n\nevent: noise\ndata: nobody knows this\n\n" + response.body;
    }
}
"#;

/// What is red with this fault in force, MUST and SHOULD alone.
fn red(kind: CheckKind, fault: &str) -> Vec<String> {
    let mut settings = Settings::new(Subject::Embedded);
    let fault = Arc::new(FaultScript::new("legal".to_owned(), source(fault)));
    settings.fault = Some(fault.clone());
    let executions = run(&shipped(kind), &profiles(), &settings);
    assert!(fault.times_fired() > 100, "{}", fault.times_fired());
    let mut lines: Vec<_> = executions
        .iter()
        .filter(|one| !matches!(one.trouble, None | Some(Trouble::Skipped(_))))
        .map(|one| format!("{} at {}: {:?}", one.name(), one.profile, one.trouble))
        .collect();
    let is_red = |verdict| !matches!(verdict, Verdict::Pass | Verdict::Skip);
    lines.extend(
        verdicts(&executions)
            .filter(|(_, result)| {
                result.checkpoint.level <= Level::Should && is_red(result.verdict)
            })
            .map(line),
    );
    lines
}

#[test]
fn a_talkative_client_conforms() {
    assert_eq!(red(CheckKind::Client, TALKATIVE_CLIENT).join("\n"), "");
}

#[test]
fn a_client_with_strings_for_ids_conforms() {
    let mut red = red(CheckKind::Client, STRINGS_FOR_IDS);
    red.retain(|line| !BEYOND_THE_FAULT.iter().any(|start| line.starts_with(start)));
    assert_eq!(red.join("\n"), "");
}

#[test]
fn a_talkative_server_conforms() {
    assert_eq!(red(CheckKind::Server, TALKATIVE_SERVER).join("\n"), "");
}

/// What the double answered, as text, one exchange after the other.
fn answered(id: &str, profiles: &[mcp_checks::profile::Profile]) -> Vec<String> {
    let mut settings = Settings::new(Subject::Embedded);
    settings.exchanges = Exchanges::Kept;
    let executions = run(&shipped_check(id), profiles, &settings);
    let exchanges = executions.iter().flat_map(|one| &one.exchanges);
    exchanges.map(|one| String::from_utf8_lossy(&one.response_body).into_owned()).collect()
}

#[test]
fn the_double_speaks_as_the_revision_has_it() {
    let oldest = profile("stateless-http-2025-03-26");
    for id in ["client/tool-call-basic", "tools/definitions", "tools/content"] {
        for body in answered(id, &oldest) {
            for newer in ["structuredContent", "outputSchema", "resource_link", "\"icons\""] {
                assert!(!body.contains(newer), "{id}: {newer} is newer than 2025-03-26: {body}");
            }
        }
    }
}

#[test]
fn streams_are_primed_from_2025_11_25_on() {
    for profile in profiles().into_iter().filter(Profile::is_accepted) {
        let mut profile = profile;
        profile.server.framing = Framing::EventStream;
        let revision = profile.revision.as_str();
        let bodies = answered("client/tool-call-basic", std::slice::from_ref(&profile));
        let streams: Vec<_> = bodies.iter().filter(|body| body.contains("data:")).collect();
        assert!(!streams.is_empty(), "{revision}");
        for body in streams {
            let is_primed = body.starts_with("id:");
            assert_eq!(is_primed, revision == "2025-11-25", "{revision}: {body}");
        }
    }
}
