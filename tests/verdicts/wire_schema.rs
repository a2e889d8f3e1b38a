//! Every check says whether what its subject sent is valid for the revision, and
//! no double sends what is not unless it is told to.

use std::io::{Read, Write};
use std::net::TcpListener;

use mcp_checks::check::{CheckpointResult, Library, Verdict, WIRE_SCHEMA};
use mcp_checks::mcp::Revision;
use mcp_checks::runner::event::Trouble;
use mcp_checks::runner::subject::Command;
use mcp_checks::runner::{Execution, Settings, Subject};

use crate::library::{one, profile, profiles, run};

/// A client that is told to send `DRIVE`.
const CLIENT: &str = r#"//! Sends something.
//!
//! revisions: 2025-03-26..2025-11-25
//!
//! sent  INTEROP  Something is sent

fn serve(server) {
    server.initialize(#{ capabilities: #{ logging: #{}, tools: #{} } });
    server.on("logging/setLevel", |request| #{});
    server.tool("add", #{}, |args| ANSWER);
}
fn drive(client) { DRIVE }
fn judge(seen) { seen.check("sent", seen.posts.len > 0); }
"#;

const INVALID: &str = r#"client.set_logging_level("deafening")"#;

fn client(drive: &str) -> String {
    CLIENT.replace("DRIVE", drive).replace("ANSWER", "1")
}

fn answering(answer: &str) -> String {
    CLIENT.replace("DRIVE", "client.call_tool(\"add\")").replace("ANSWER", answer)
}

fn wire_schema(execution: &Execution) -> &CheckpointResult {
    let result = execution.checkpoints.last().expect("each execution has checkpoints");
    assert_eq!(result.checkpoint.id, WIRE_SCHEMA, "it is the last");
    result
}

fn reason(result: &CheckpointResult) -> &str {
    result.decision.as_ref().map_or("", |decision| &decision.reason)
}

fn on(subject: Subject, text: &str) -> Execution {
    let mut executions = run(&one(text), &profile("session-http"), &Settings::new(subject));
    assert_eq!(executions.len(), 1);
    executions.remove(0)
}

fn is_invalid_level(result: &CheckpointResult) {
    assert_eq!(result.verdict, Verdict::Fail, "{}", reason(result));
    let expected = "not valid at 2025-11-25, in exchange 2: as SetLevelRequest, at `/params/level`";
    assert!(reason(result).starts_with(expected), "{}", reason(result));
    let decision = result.decision.as_ref().unwrap();
    assert_eq!(decision.exchange, Some(2));
    assert!(decision.expected.as_ref().unwrap().starts_with("one of \"alert\""));
}

#[test]
fn the_built_in_client_is_held_to_it_in_memory_and_over_a_socket() {
    for subject in [Subject::Embedded, Subject::Loopback] {
        let valid = on(subject.clone(), &client("client.ping()"));
        assert_eq!(wire_schema(&valid).verdict, Verdict::Pass);
        is_invalid_level(wire_schema(&on(subject, &client(INVALID))));
    }
}

/// One message does not hide another that is wrong in another way; what is wrong
/// in the same way twice is told of once.
#[test]
fn each_way_of_being_wrong_is_told_of_once() {
    let drive = "client.set_logging_level(\"deafening\"); client.set_logging_level(\"dull\"); \
                 client.call_tool(\"add\", 7)";
    let execution = on(Subject::Embedded, &client(drive));
    let decision = wire_schema(&execution).decision.as_ref().expect("it does not hold");
    assert!(decision.reason.contains("as SetLevelRequest, at `/params/level`"));
    let further: Vec<&str> =
        decision.further.iter().map(|further| further.reason.as_str()).collect();
    let [other] = further[..] else { panic!("{further:?}") };
    assert!(other.contains("as CallToolRequest, at `/params/arguments`"), "{other}");
}

#[test]
fn so_is_a_client_from_outside() {
    for (drive, verdict) in [("client.ping()", Verdict::Pass), (INVALID, Verdict::Fail)] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("one.rhai"), client(drive)).unwrap();
        let folder = folder.path().to_str().unwrap().to_owned();
        let command = Command {
            program: env!("CARGO_BIN_EXE_mcp-checks").to_owned(),
            arguments: vec!["drive".to_owned(), "--checks".to_owned(), folder],
        };
        let execution = on(Subject::Client(command), &client(drive));
        let result = wire_schema(&execution);
        assert_eq!(result.verdict, verdict, "{} {:?}", reason(result), execution.client);
        if verdict == Verdict::Fail {
            is_invalid_level(result);
        }
    }
}

const SERVER: &str = r#"//! Connects.
//!
//! revisions: 2025-11-25
//!
//! asked  INTEROP  Something is asked

fn drive(client) { client.connect() }
fn judge(seen) { seen.check("asked", seen.posts.len > 0); }
"#;

/// A server that answers everything like this.
fn server(status: &'static str, body: &'static str) -> Subject {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json");
            let length = body.len();
            let _ = write!(
                stream,
                "{head}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
            );
        }
    });
    Subject::Server(url.parse().unwrap())
}

#[test]
fn so_is_a_server_from_outside_for_what_it_sends() {
    let refused = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no"}}"#;
    let chosen = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}"#;
    for (status, body, verdict, words) in [
        ("200 OK", refused, Verdict::Pass, ""),
        ("200 OK", chosen, Verdict::Fail, "as InitializeResult, at `/result`, expected the member"),
        ("200 OK", "<html>", Verdict::Fail, "expected JSON"),
        ("401 Unauthorized", r#"{"error":"no"}"#, Verdict::Skip, "the server sent no message"),
    ] {
        let execution = on(server(status, body), SERVER);
        let result = wire_schema(&execution);
        assert_eq!(result.verdict, verdict, "{body}: {}", reason(result));
        assert!(reason(result).contains(words), "{body}: {}", reason(result));
    }
}

#[test]
fn what_a_script_sends_past_the_client_does_not_count() {
    let raw = r#"client.send_raw(#{ body: #{ jsonrpc: "1.0", id: (), method: 7 } })"#;
    for subject in [Subject::Embedded, Subject::Loopback] {
        let execution = on(subject.clone(), &client(raw));
        let result = wire_schema(&execution);
        assert_eq!(result.verdict, Verdict::Skip, "{}", reason(result));
        assert_eq!(reason(result), "the client sent no message");
        let execution = on(subject, &client(&format!("client.ping(); {raw}; {INVALID}")));
        assert_eq!(wire_schema(&execution).verdict, Verdict::Fail, "the rest counts");
    }
}

#[test]
fn a_double_that_sends_what_is_not_valid_breaks_the_check() {
    for (answer, words) in [
        ("reply(#{ content: 7 })", "at `/result/content`, expected an array"),
        (
            r#"stream([message(#{ jsonrpc: "2.0" }), answer(#{ content: [] })])"#,
            "expected the member \"id\"",
        ),
        (r#"stream([event(#{ data: "no JSON" }), answer(#{ content: [] })])"#, "JSON"),
    ] {
        for subject in [Subject::Embedded, Subject::Loopback] {
            let execution = on(subject, &answering(answer));
            let Some(Trouble::Broken(report)) = &execution.trouble else {
                panic!("{answer} breaks nothing");
            };
            let said = format!("{report:?}");
            assert!(report.to_string().starts_with("the double sent what is not valid"), "{said}");
            assert!(report.to_string().contains(words), "{words}: {said}");
            assert!(said.contains("invalid:"), "it says what to do: {said}");
        }
    }
}

#[test]
fn unless_it_was_told_to() {
    let told = answering("reply(#{ content: 7 })")
        .replace("//!\n//! sent", "//! invalid: content that is no list\n//!\n//! sent");
    let raw = r#"raw(200, #{ "Content-Type": "application/json" }, "no JSON")"#;
    let empty = r#"raw(200, #{ "Content-Type": "application/json" }, "")"#;
    let chunk = r#"stream([chunk("data: no "), chunk("JSON\n\n"), answer(#{ content: [] })])"#;
    let later = r#"ask("ping", (), |answer| raw(200, #{}, "data: 7\n\n"))"#;
    let texts = [told, answering(raw), answering(empty), answering(chunk), answering(later)];
    for text in texts {
        let execution = on(Subject::Embedded, &text);
        assert!(execution.trouble.is_none(), "{text}: {:?}", execution.trouble);
        assert_eq!(wire_schema(&execution).verdict, Verdict::Pass, "{text}");
    }
}

/// What the header says is sent invalid is sent: an excuse that excuses nothing
/// would hide what is broken by and by.
#[test]
fn each_shipped_check_that_says_so_sends_what_is_not_valid() {
    let library = Library::embedded();
    let mut excused = 0;
    for check in library.checks.iter().flatten().filter(|check| check.header.invalid.is_some()) {
        let text = check.source().unwrap().inner().to_string();
        let start = text.find("//! invalid: ").expect("the key has its line");
        let lines = text[start..].split_inclusive('\n');
        let more = lines.clone().skip(1).take_while(|line| line.starts_with("//!  "));
        let length: usize = lines.take(1).chain(more).map(str::len).sum();
        let without = format!("{}{}", &text[..start], &text[start + length..]);
        let mut alone = one(&without);
        alone.support = library.support.clone();
        let executions = run(&alone, &profiles(), &Settings::new(Subject::Embedded));
        let is_broken = |one: &Execution| matches!(one.trouble, Some(Trouble::Broken(_)));
        assert!(executions.iter().any(is_broken), "{} sends nothing invalid", check.id);
        excused += 1;
    }
    assert!(excused > 5, "there are some");
}

#[test]
fn it_holds_for_the_whole_shipped_suite_at_every_revision() {
    let executions = run(&Library::embedded(), &profiles(), &Settings::new(Subject::Embedded));
    let mut passed = std::collections::BTreeSet::new();
    let ran = executions.iter().filter(|one| !matches!(one.trouble, Some(Trouble::Skipped(_))));
    for execution in ran {
        let result = wire_schema(execution);
        let held = matches!(result.verdict, Verdict::Pass | Verdict::Skip);
        assert!(held, "{}: {}", execution.name(), reason(result));
        if result.verdict == Verdict::Pass {
            passed.insert(execution.revision);
        }
    }
    assert_eq!(passed.into_iter().collect::<Vec<_>>(), Revision::ALL);
}
