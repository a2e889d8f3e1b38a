//! `call`.

use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use mcp_checks::host::Outcome;
use mcp_checks::mcp::server::Action;
use mcp_checks::wire::READ_LIMIT;
use serde_json::{Value, json};

use super::{Desk, query, words};
use crate::far_side::{FarSide, text, tool};

/// The reasons in the log of denials.
fn denials(desk: &Desk) -> Vec<Value> {
    let audit = desk.audit();
    audit["denials"].as_array().unwrap().iter().map(|one| one["reason"].clone()).collect()
}

#[test]
fn a_call_is_a_run_with_its_steps_and_a_contact() {
    let desk = Desk::new().enabled(&["greet"]);
    let arguments = ["call", "mcp_shop_greet", "--args", r#"{"name": "Ada"}"#];
    let ran = desk.run(&arguments).exits(0);
    assert_eq!(ran.stdout, "Hello, Ada.\n");
    assert_eq!(ran.stderr, "mcp_shop_greet: ok (run 1)\n", "what was said is on stdout alone");
    let audit = desk.audit();
    let run = &audit["runs"][0];
    assert_eq!((&run["status"], &run["caller"]), (&json!("completed"), &json!("operator")));
    let steps = run["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 2);
    assert_eq!(steps[0]["kind"], "declared");
    assert_eq!(steps[0]["effect"], "non-idempotent-write");
    assert_eq!(steps[1]["outcome"], "ok");
    assert_eq!(steps[1]["bytes"], "Hello, Ada.".len());
    assert!(!audit.to_string().contains("Ada"), "{audit}");
    let operations: Vec<_> = audit["contacts"].as_array().unwrap().iter().collect();
    assert_eq!(operations.last().unwrap()["operation"], "tools/call");
    let ran = desk.run(&[&arguments[..], &["--json"]].concat()).exits(0).json();
    let expected = json!({
        "tool": "mcp_shop_greet", "run": 2, "outcome": "ok", "is_error": false,
        "text": "Hello, Ada.", "artifacts": [], "write_target": "shop/greet", "refused": null,
        "message": null,
    });
    assert_eq!(ran, expected);
}

#[test]
fn arguments_can_come_from_standard_input() {
    let desk = Desk::new().enabled(&["greet"]);
    let mut command = desk.place.command(&["call", "mcp_shop_greet", "--args", "-"]);
    command.env("MCP_CHECKS_STORE", desk.store());
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(br#"{"name": "Eve"}"#).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "Hello, Eve.\n");
}

/// Begins a call of `hang`, which reached the server when this returns.
fn begin(desk: &Desk, more: &[&str]) -> Child {
    let before = desk.calls();
    let mut command = desk.place.command(&[&["call", "mcp_shop_hang"], more].concat());
    command.env("MCP_CHECKS_STORE", desk.store());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while desk.calls() == before {
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

/// As Ctrl-C does it.
fn interrupt(child: &Child) {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
}

/// Calls `hang`, interrupts it, and returns the exit code, what was printed,
/// and how long it took from the interrupt on.
fn interrupted(desk: &Desk, more: &[&str]) -> (Option<i32>, String, String, Duration) {
    let child = begin(desk, more);
    let start = Instant::now();
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    let printed = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), printed(output.stdout), printed(output.stderr), start.elapsed())
}

#[test]
fn an_interrupt_cancels_the_run_though_the_server_answers_nothing() {
    let desk = Desk::new().enabled(&["hang"]);
    let (code, stdout, stderr, took) = interrupted(&desk, &[]);
    assert_eq!(code, Some(130));
    assert!(stdout.contains("what the server shop did is not known"), "{stdout}");
    assert_eq!(stderr, "mcp_shop_hang: cancelled (run 1)\n");
    assert!(took < Duration::from_secs(10), "it does not wait for an answer: {took:?}");
    let audit = desk.audit();
    assert_eq!(audit["runs"][0]["status"], "cancelled");
    assert_eq!(audit["runs"][0]["steps"][1]["outcome"], "cancelled");
    let methods = desk.far_side.methods();
    assert_eq!(methods.last().unwrap(), "notifications/cancelled", "{methods:?}");
    let contacts = audit["contacts"].as_array().unwrap();
    assert!(contacts.iter().all(|one| one["operation"] != "tools/call"), "it is no contact");
}

#[test]
fn a_second_interrupt_at_once_leaves_no_run_that_goes_on() {
    let desk = Desk::new().enabled(&["hang"]);
    for pause in ["0", "0.001", "0.002"] {
        let child = begin(&desk, &[]);
        let pid = child.id();
        let twice = format!("kill -INT {pid}; sleep {pause}; kill -INT {pid}");
        let _ = Command::new("sh").args(["-c", &twice]).status().unwrap();
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
        let statuses = query(&desk.store(), "SELECT status FROM run");
        assert!(statuses.iter().all(|status| status == "cancelled"), "{pause}: {statuses:?}");
    }
}

#[test]
fn an_interrupt_stops_the_call_though_another_process_holds_the_store() {
    let desk = Desk::new().enabled(&["hang"]);
    let child = begin(&desk, &[]);
    let connection = rusqlite::Connection::open(desk.store()).unwrap();
    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    interrupt(&child);
    let start = Instant::now();
    while desk.far_side.methods().last().unwrap() != "notifications/cancelled" {
        assert!(start.elapsed() < Duration::from_secs(4), "it waits for the store");
        std::thread::sleep(Duration::from_millis(5));
    }
    connection.execute_batch("ROLLBACK").unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    assert_eq!(desk.audit()["runs"][0]["status"], "cancelled");
}

/// Whether a process has a handler of its own for an interrupt.
#[cfg(target_os = "linux")]
fn listens_for_interrupts(child: &Child) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    // SIGINT is the second signal.
    u64::from_str_radix(caught.trim(), 16).unwrap() & 2 != 0
}

/// The store is held, so that the run cannot begin before the interrupt.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_while_the_run_begins_leaves_no_run_that_goes_on() {
    let desk = Desk::new().enabled(&["greet"]);
    let before = desk.calls();
    let connection = rusqlite::Connection::open(desk.store()).unwrap();
    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut command = desk.place.command(&["call", "mcp_shop_greet", "--args", "{}"]);
    command.env("MCP_CHECKS_STORE", desk.store());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while !listens_for_interrupts(&child) {
        assert!(start.elapsed() < Duration::from_secs(4), "it begins a run before it listens");
        std::thread::sleep(Duration::from_millis(5));
    }
    interrupt(&child);
    connection.execute_batch("ROLLBACK").unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    assert_eq!(query(&desk.store(), "SELECT status FROM run"), ["cancelled"]);
    assert_eq!(desk.calls(), before, "nothing was sent");
}

#[test]
fn outcome_names_agree() {
    let desk = Desk::new().enabled(&["greet", "fail", "hang"]);
    let codes = [0, 1, 130];
    for (outcome, tool) in Outcome::ALL.into_iter().zip(["greet", "fail", "hang"]) {
        let name = format!("mcp_shop_{tool}");
        let code = codes[Outcome::ALL.iter().position(|one| *one == outcome).unwrap()];
        let (screen, json): (String, Value) = if outcome == Outcome::Cancelled {
            let (ended, _, stderr, _) = interrupted(&desk, &[]);
            assert_eq!(ended, Some(code));
            let (_, stdout, _, _) = interrupted(&desk, &["--json"]);
            (stderr, serde_json::from_str(&stdout).unwrap())
        } else {
            let screen = desk.run(&["call", &name]).exits(code).stderr;
            (screen, desk.run(&["call", &name, "--json"]).exits(code).json())
        };
        let word = outcome.as_str();
        assert!(screen.starts_with(&format!("{name}: {word} (run ")), "{screen}");
        assert_eq!(json["outcome"], word);
        assert_eq!(json["is_error"], outcome.is_error());
        let rows = format!("SELECT outcome FROM event WHERE tool = '{name}' AND kind = 'tool'");
        assert_eq!(query(&desk.store(), &rows), [word, word]);
        let audit = desk.audit();
        let run = audit["runs"].as_array().unwrap().last().unwrap();
        assert_eq!(run["steps"][1]["outcome"], word);
        let screen = desk.run(&["audit"]).exits(0).stdout;
        let line = screen.lines().rfind(|line| line.contains(&name) && line.contains("bytes"));
        assert_eq!(line.unwrap().split_whitespace().nth(1), Some(word), "{screen}");
    }
}

#[test]
fn what_the_gate_denies_is_not_sent_and_logged() {
    let desk = Desk::new().enabled(&["greet"]);
    let ran = desk.run(&["call", "mcp_shop_fail"]).exits(4);
    assert!(words(&ran.stderr).contains("the tool is not enabled"), "{}", ran.stderr);
    assert!(ran.stderr.contains("--enable NAME"), "{}", ran.stderr);
    assert_eq!(ran.stdout, "");
    let ran = desk.run(&["call", "mcp_shop_gret", "--json"]).exits(4);
    assert_eq!(
        (&ran.json()["refused"], &ran.json()["outcome"]),
        (&json!("not-registered"), &Value::Null)
    );
    assert!(ran.stderr.contains("did you mean `mcp_shop_greet`?"), "{}", ran.stderr);
    desk.run(&["call", "no\u{1b}[31m\nsuch", "--server", "shop"]).exits(4);
    assert_eq!(denials(&desk), ["disabled", "not-registered", "not-registered"]);
    let screen = desk.run(&["audit"]).exits(0).stdout;
    assert!(screen.contains("no\\x1b[31m\\x0asuch  not-registered\n"), "{screen}");
    assert_eq!((desk.calls(), &desk.audit()["runs"]), (0, &json!([])));
}

#[test]
fn a_class_above_the_ceiling_of_the_zone_is_denied() {
    let desk = Desk::new().enabled(&["greet"]);
    let profile = desk.far_side.profile(false).replace("public-content", "secret-adjacent");
    desk.place.write("profiles/shop.toml", &profile);
    let ran = desk.run(&["call", "mcp_shop_greet"]).exits(4);
    assert!(ran.stderr.contains("host::trust-zone"), "{}", ran.stderr);
    assert_eq!(denials(&desk), ["trust-zone"]);
    desk.place.write("profiles/shop.toml", &profile.replace("external-eu", "local"));
    desk.run(&["call", "mcp_shop_greet"]).exits(0);
}

#[test]
fn a_call_that_takes_approval_takes_a_person_or_the_option() {
    let desk = Desk::new().enabled(&["greet"]);
    desk.place.write("profiles/shop.toml", &desk.far_side.profile(true));
    let ran = desk.run(&["call", "mcp_shop_greet"]).exits(4);
    assert!(ran.stderr.contains("--approve approves the call"), "{}", ran.stderr);
    assert_eq!((desk.calls(), &desk.audit()["runs"]), (0, &json!([])));
    desk.run(&["call", "mcp_shop_greet", "--approve"]).exits(0);
    assert_eq!(desk.calls(), 1);
}

#[test]
fn arguments_that_are_no_object_are_refused_before_anything_is_sent() {
    let desk = Desk::new().enabled(&["greet"]);
    let sent = desk.far_side.exchanges().len();
    for (arguments, expected) in [
        ("{\"name\"", "EOF while parsing"),
        ("[1]", "it is an array"),
        ("7", "it is a single value"),
        ("", "EOF while parsing"),
        ("{} {}", "trailing characters"),
        ("-", "EOF while parsing"),
    ] {
        let ran = desk.run(&["call", "mcp_shop_greet", "--args", arguments]).exits(2);
        let said = words(&ran.stderr);
        assert!(said.contains(expected), "{arguments}: {}", ran.stderr);
        assert!(said.contains("as in --args '{\"a\": 17}'"), "{}", ran.stderr);
    }
    assert_eq!(desk.far_side.exchanges().len(), sent);
}

#[test]
fn a_server_that_is_gone_is_a_failed_call() {
    let desk = Desk::new().enabled(&["greet"]);
    let gone = desk.far_side.profile(false).replace(&desk.far_side.url, "http://127.0.0.1:1/mcp");
    desk.place.write("profiles/shop.toml", &gone);
    // As if it had been enabled there.
    let store = rusqlite::Connection::open(desk.store()).unwrap();
    store.execute("UPDATE tool SET origin = 'http://127.0.0.1:1'", []).unwrap();
    drop(store);
    let ran = desk.run(&["call", "mcp_shop_greet"]).exits(1);
    assert_eq!(ran.stdout, "the server shop: no connection to the server could be opened\n");
    assert_eq!(ran.stderr, "mcp_shop_greet: failed (run 1)\n");
    let audit = desk.audit();
    assert_eq!(audit["runs"][0]["steps"][1]["outcome"], "failed");
    assert_eq!(audit["contacts"].as_array().unwrap().len(), 1, "the import alone was a contact");
}

#[test]
fn what_a_tool_says_goes_to_a_file_as_it_came() {
    let said = "\u{1b}[31mred\u{202e}\r\n\ttwo lines\n";
    let desk = Desk::with(FarSide::new(|server| server.tool(tool("say", move |_| text(said)))))
        .enabled(&["say"]);
    assert_eq!(desk.run(&["call", "mcp_shop_say"]).exits(0).stdout, said);
    let ran = desk.run(&["call", "mcp_shop_say", "--json"]).exits(0);
    assert!(!ran.stdout.contains(['\u{1b}', '\u{202e}']), "{:?}", ran.stdout);
    assert_eq!(ran.json()["text"], said);
}

#[test]
fn what_a_profile_calls_secret_is_shown_nowhere() {
    let desk = Desk::new().enabled(&["greet"]);
    let profile = desk.far_side.profile(false);
    desk.place.write("profiles/shop.toml", &format!("secret = [\"hush-hush\"]\n{profile}"));
    let arguments = ["call", "mcp_shop_greet", "--args", r#"{"name": "hush-hush"}"#];
    for more in [&[][..], &["--json"], &["--trace"]] {
        let ran = desk.run(&[&arguments, more].concat()).exits(0);
        assert!(!ran.stdout.contains("hush"), "{}", ran.stdout);
        assert!(!ran.stderr.contains("hush"), "{}", ran.stderr);
    }
    let ran = desk.run(&["audit", "--trace"]).exits(0);
    assert!(ran.stdout.contains("Hello, [redacted]."), "{}", ran.stdout);
}

#[test]
fn thousands_of_blocks_just_under_the_limit_are_read_and_bounded() {
    let three = [
        json!({ "type": "image", "data": "", "mimeType": "i" }),
        json!({ "type": "text", "text": "x".repeat(14) }),
        json!({ "type": "made-up by the server", "a": 0 }),
    ];
    let size: usize = three.iter().map(|block| block.to_string().len() + 1).sum();
    // What stands around them takes less than 100 bytes.
    let threes = (READ_LIMIT - 100) / size;
    let result = |threes| -> Value {
        let blocks: Vec<Value> = three.iter().cycle().take(threes * 3).cloned().collect();
        json!({ "content": blocks })
    };
    let desk = Desk::with(FarSide::new(|server| {
        let (small, large) = (result(threes), result(threes + 2));
        server.tool(tool("under", move |_| Action::Value(small.clone())));
        server.tool(tool("over", move |_| Action::Value(large.clone())));
    }))
    .enabled(&["under", "over"]);
    let ran = desk.run(&["call", "mcp_shop_under"]).exits(0);
    let note = format!(
        "[{} content blocks that are not text were left out: {threes} image, {threes} other]\n",
        2 * threes
    );
    assert!(ran.stdout.starts_with(&note), "{}", &ran.stdout[..100]);
    assert!(threes > 10_000, "there are thousands");
    assert!(ran.stdout.len() <= 50_001, "{}", ran.stdout.len());
    assert!(ran.stdout.ends_with("[cut: the result is longer than 50000 bytes]\n"));
    let ran = desk.run(&["call", "mcp_shop_over"]).exits(1);
    assert!(!ran.stdout.contains("made-up"), "{}", ran.stdout);
    assert!(ran.stderr.contains("mcp_shop_over: failed"), "{}", ran.stderr);
    let audit = desk.audit();
    let outcomes: Vec<_> =
        audit["runs"].as_array().unwrap().iter().map(|run| &run["steps"][1]["outcome"]).collect();
    assert_eq!(outcomes, ["ok", "failed"]);
}

#[test]
fn a_store_that_cannot_be_written_keeps_the_call_from_being_sent() {
    let desk = Desk::new().enabled(&["greet"]);
    let refuse = |table: &str| {
        format!(
            "CREATE TRIGGER refuse BEFORE INSERT ON {table} \
             BEGIN SELECT RAISE(ABORT, 'no more of these'); END"
        )
    };
    let connection = rusqlite::Connection::open(desk.store()).unwrap();
    connection.execute_batch(&refuse("event")).unwrap();
    let ran = desk.run(&["call", "mcp_shop_greet"]).exits(2);
    let said = words(&ran.stderr);
    assert!(said.contains("nothing was sent, since it could not be recorded"), "{said}");
    assert!(said.contains("no more of these"), "{said}");
    assert_eq!(desk.audit()["runs"][0]["status"], "failed");
    connection.execute_batch(&format!("DROP TRIGGER refuse; {}", refuse("run"))).unwrap();
    desk.run(&["call", "mcp_shop_greet"]).exits(2);
    assert_eq!(desk.calls(), 0);
    // What a call came to cannot be stored: that it was sent is.
    let after = refuse("event").replace("BEGIN", "WHEN new.kind = 'tool' BEGIN");
    connection.execute_batch(&format!("DROP TRIGGER refuse; {after}")).unwrap();
    let ran = desk.run(&["call", "mcp_shop_greet"]).exits(2);
    let said = words(&ran.stderr);
    assert!(said.contains("what it came to could not be recorded"), "{said}");
    assert_eq!(ran.stdout, "", "what is not recorded is not handed out");
    assert_eq!(desk.calls(), 1);
    let audit = desk.audit();
    assert_eq!(audit["runs"][1]["status"], "failed");
    assert_eq!(audit["runs"][1]["steps"][0]["kind"], "declared");
}

#[test]
fn a_profile_is_found_by_its_identifier() {
    let desk = Desk::new().enabled(&["greet"]);
    let profile = desk.far_side.profile(false);
    let named = profile.replace("[operator]\n", "[operator]\nidentifier = \"shop\"\n");
    desk.place.write("profiles/another.toml", &named);
    let ran = desk.run(&["call", "mcp_shop_greet"]).exits(2);
    let said = words(&ran.stderr);
    assert!(said.contains("say which it is with --server: `another` or `shop`"), "{said}");
    desk.run(&["call", "mcp_shop_greet", "--server", "another"]).exits(0);
    desk.place.write("profiles/shop.toml", "revision = \"2025-11-25\"\n");
    desk.run(&["call", "mcp_shop_greet"]).exits(0);
}
