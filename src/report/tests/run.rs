//! A hand-made run: two profiles, every verdict, every trouble.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use miette::NamedSource;

use crate::check::discovery::Beside;
use crate::check::{
    About, Checkpoint, CheckpointResult, Decision, Level, Place, SourceText, Verdict,
};
use crate::mcp::Revision;
use crate::runner::event::{ClientProcess, Counted, Plan, SnapshotOutcome, Summary, Trouble};
use crate::runner::{Counts, Event, Execution, Outcome, Settings, Subject};
use crate::script::log::{LogEntry, Logged};
use crate::wire::Exchange;
use crate::wire::exchange::{End, ResponseHead};

/// A secret of a profile: it must be in no report.
pub(super) const SECRET: &str = "hunter2";

const SCRIPT: &str = "\
fn judge(seen) {
    // The arguments are those of the task.
    seen.equal(\"tool-call-args\", seen.calls(\"add\")[0].arguments, #{ a: 17, b: 25 });
    wire::accept_header(seen);
}
";

pub(super) fn plan(executions: usize) -> Plan {
    Plan {
        executions,
        checks: executions.min(8),
        profiles: vec!["json".to_owned(), "session-http".to_owned()],
        subject: "embedded".to_owned(),
        beside: Beside { left_out: 231, ..Beside::default() },
        on_real_clock: false,
        speaks: None,
    }
}

/// An execution in which all held.
pub(super) fn execution(check: &str, profile: &str) -> Execution {
    Execution {
        title: "Calls one tool and reads its result.".to_owned(),
        checkpoints: vec![result("handshake", Level::Must, Verdict::Pass)],
        outcome: Outcome::Pass,
        origins: vec![("http://127.0.0.1:1234".to_owned(), "server".to_owned())],
        snapshot: SnapshotOutcome::Same,
        elapsed: Duration::from_millis(12),
        ..Execution::of(check, profile, Revision::V2025_11_25)
    }
}

pub(super) fn events() -> Vec<Event> {
    let mut events = vec![Event::RunStarted(plan(10)), Event::Progress { done: 1 }];
    let executions = [
        failing("json"),
        failing("session-http"),
        remarks(),
        broken(),
        subject(),
        timed_out(),
        with_trouble("client/cancelled", Trouble::Cancelled),
        with_trouble("client/skipped", Trouble::Skipped("needs a session".to_owned())),
        new_snapshot(),
        differing(),
    ];
    let settings = Settings::new(Subject::Embedded);
    events.extend(executions.into_iter().map(|mut execution| {
        execution.weigh(&settings);
        Event::ExecutionFinished(Box::new(execution))
    }));
    events.push(Event::RunFinished(summary()));
    events
}

fn result(id: &str, level: Level, verdict: Verdict) -> CheckpointResult {
    let checkpoint = Checkpoint {
        id: id.to_owned(),
        level,
        about: About::Protocol,
        builtin: false,
        sent: false,
        spec_level: None,
        revisions: Vec::new(),
        sentence: format!("The sentence of {id}"),
    };
    CheckpointResult::new(checkpoint, verdict, None)
}

fn decided(id: &str, level: Level, verdict: Verdict, reason: &str) -> CheckpointResult {
    let decision = Decision { reason: reason.to_owned(), ..Decision::default() };
    CheckpointResult { decision: Some(decision), ..result(id, level, verdict) }
}

fn place(part: &str) -> Place {
    let source: SourceText =
        Arc::new(NamedSource::new("checks/client/tool-call-basic.rhai", Arc::from(SCRIPT)));
    let start = SCRIPT.find(part).unwrap();
    Place { source, span: start..start + part.len() }
}

/// A MUST that failed in the same way for two profiles, one that was not
/// exercised, and the end of what a client printed.
fn failing(profile: &str) -> Execution {
    let mut arguments = decided("tool-call-args", Level::Must, Verdict::Fail, "not equal");
    arguments.checkpoint.about = About::Task;
    arguments.checkpoint.sentence = "add receives a = 17 and b = 25".to_owned();
    if let Some(decision) = &mut arguments.decision {
        decision.expected = Some("#{ a: 17, b: 25 }".to_owned());
        decision.actual = Some(format!("#{{ a: 17, b: \"{SECRET}\x07\" }}"));
        decision.place = Some(place("seen.equal(\"tool-call-args\""));
        decision.exchange = Some(0);
    }
    let mut accept = decided("accept-header", Level::Must, Verdict::NotExercised, "not exercised");
    accept.decision.as_mut().unwrap().place = Some(place("wire::accept_header(seen)"));
    Execution {
        checkpoints: vec![
            result("handshake", Level::Must, Verdict::Pass),
            arguments,
            accept,
            decided("resources", Level::May, Verdict::Skip, "the server declares no resources"),
        ],
        exchanges: vec![exchange()],
        log: Logged { entries: vec![logged()], dropped: 3 },
        traced: false,
        snapshot: SnapshotOutcome::NotCompared,
        client: Some(ClientProcess {
            command: format!("node client.js --token {SECRET}"),
            output: format!(
                "\x1b[32mconnecting\x1b[0m to http://127.0.0.1:1234/mcp\nAuthorization: Bearer abc\n{SECRET}\x00\n"
            ),
            dropped: if profile == "json" { 512 } else { 0 },
            ended: "exit code 1".to_owned(),
            exit_code: Some(1),
        }),
        ..execution("client/tool-call-basic", profile)
    }
}

fn logged() -> LogEntry {
    LogEntry {
        function: "judge".to_owned(),
        file: "checks/client/tool-call-basic.rhai".to_owned(),
        line: Some(3),
        text: format!("the token is {SECRET}\x07"),
    }
}

fn exchange() -> Exchange {
    let mut headers = HeaderMap::new();
    headers.insert("accept", HeaderValue::from_static("application/json"));
    headers.insert("authorization", HeaderValue::from_static("Bearer hunter2"));
    Exchange {
        index: 0,
        method: Method::POST,
        uri: Uri::from_static("http://127.0.0.1:1234/mcp"),
        headers,
        body: Bytes::from_static(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}"),
        at: Duration::from_secs(15),
        response: Some(ResponseHead { status: StatusCode::OK, headers: HeaderMap::new() }),
        response_body: Bytes::from_static(&b"data: {\"access_token\":\"abc\"}\r\n\r\n\xff"[..]),
        end: End::Aborted,
        completed_at: Some(Duration::from_secs(20)),
    }
}

/// Claims that did not hold and are no failure, in a case.
fn remarks() -> Execution {
    let mut warn = decided("pagination-followed", Level::Must, Verdict::Warn, "one page was read");
    warn.checkpoint.level = Level::Should;
    warn.checkpoint.spec_level = Some(Level::May);
    Execution {
        case: Some("a maintenance page".to_owned()),
        checkpoints: vec![
            warn,
            decided("discover-called", Level::May, Verdict::Note, "it was never called"),
            decided("initialize-bare", Level::Interop, Verdict::Note, "the header is there"),
        ],
        ..execution("client/remarks", "json")
    }
}

fn with_trouble(check: &str, trouble: Trouble) -> Execution {
    let verdict = match trouble {
        Trouble::Broken(_) => Verdict::Error,
        Trouble::TimedOut(_) => Verdict::Timeout,
        Trouble::Cancelled => Verdict::Cancelled,
        Trouble::Subject(_) => Verdict::NotExercised,
        Trouble::Skipped(_) => Verdict::Skip,
    };
    Execution {
        checkpoints: vec![
            result("handshake", Level::Must, verdict),
            result("accept-header", Level::Must, verdict),
        ],
        trouble: Some(trouble),
        snapshot: SnapshotOutcome::NotCompared,
        ..execution(check, "json")
    }
}

fn broken() -> Execution {
    let place = place("wire::accept_header(seen)");
    let report = miette::miette!(
        labels = vec![miette::LabeledSpan::at(place.span, "no such function")],
        help = "declare it in `_lib/wire.rhai`",
        "wire::accept_header is not known"
    )
    .with_source_code(place.source);
    with_trouble("client/broken", Trouble::Broken(Arc::new(report)))
}

fn subject() -> Execution {
    let report = miette::miette!("the command `node {SECRET}.js` could not be started")
        .wrap_err("no client");
    with_trouble("client/subject", Trouble::Subject(Arc::new(report)))
}

fn timed_out() -> Execution {
    let limit = Duration::from_secs(30);
    Execution {
        exchanges: vec![exchange()],
        traced: false,
        ..with_trouble("client/timeout", Trouble::TimedOut(limit))
    }
}

fn new_snapshot() -> Execution {
    let pending = PathBuf::from("snapshots/client/new.snap.new");
    Execution { snapshot: SnapshotOutcome::New { pending }, ..execution("client/new", "json") }
}

fn differing() -> Execution {
    Execution {
        snapshot: SnapshotOutcome::Different {
            pending: PathBuf::from("snapshots/client/differing.snap.new"),
            old: "> POST {server}/mcp\n> accept: */*\n>\n> {\"id\":1}\n".to_owned(),
            new: "> POST {server}/mcp\n> accept: */*\n>\n> {\"id\":2}\n".to_owned(),
        },
        ..execution("client/differing", "session-http")
    }
}

/// One of many executions in which the same is not valid.
pub(super) fn invalid(number: usize) -> Execution {
    let cause = "as JSONRPCError, at `/id`, expected an integer or a string";
    let reason = format!("not valid at 2025-11-25, in exchange {number}: {cause}");
    let mut invalid = decided("wire-schema", Level::Must, Verdict::Fail, &reason);
    if let Some(decision) = &mut invalid.decision {
        decision.cause = Some(cause.to_owned());
    }
    let mut execution = execution(&format!("server/{number}"), "json");
    execution.checkpoints.push(invalid);
    execution.weigh(&Settings::new(Subject::Embedded));
    execution
}

fn counted(about: About, level: Level, verdict: Verdict, count: usize) -> Counted {
    let is_red = matches!(verdict, Verdict::Fail | Verdict::NotExercised | Verdict::Timeout);
    Counted { about, level, verdict, count, red: if is_red { count } else { 0 } }
}

fn summary() -> Summary {
    Summary {
        executions: Counts {
            ran: 8,
            skipped: 1,
            broken: 1,
            cancelled: 1,
            failed: 5,
            expected: 0,
            warned: 1,
            noted: 0,
        },
        checkpoints: vec![
            counted(About::Protocol, Level::Must, Verdict::Pass, 5),
            counted(About::Protocol, Level::Must, Verdict::NotExercised, 4),
            counted(About::Protocol, Level::Must, Verdict::Error, 2),
            counted(About::Protocol, Level::Must, Verdict::Timeout, 2),
            counted(About::Protocol, Level::Must, Verdict::Cancelled, 2),
            counted(About::Protocol, Level::Must, Verdict::Skip, 2),
            counted(About::Protocol, Level::Should, Verdict::Warn, 1),
            counted(About::Protocol, Level::May, Verdict::Note, 1),
            counted(About::Protocol, Level::May, Verdict::Skip, 2),
            counted(About::Task, Level::Must, Verdict::Fail, 2),
            counted(About::Protocol, Level::Interop, Verdict::Note, 1),
            counted(About::Host, Level::Must, Verdict::Pass, 3),
            counted(About::Host, Level::Should, Verdict::Warn, 1),
        ],
        snapshots_new: 1,
        snapshots_different: 1,
        snapshots_updated: 0,
        snapshots_unreferenced: vec!["snapshots/client/gone.snap".to_owned()],
        snapshots_unusable: 0,
        stale: Vec::new(),
        stale_is_red: false,
        interrupted: true,
        elapsed: Duration::from_millis(1234),
    }
}
