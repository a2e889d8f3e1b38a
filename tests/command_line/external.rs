//! `drive`, and the program as an external client for its own checks.
#![cfg(unix)]

use crate::place::{GOOD, PROGRAM, Place};

const CASES: &str = r#"//! Calls a tool with the name of the case.
//!
//! cases: first; the second
//! scenario: tell_the_case
//!
//! told  MUST [task]  tell receives the name of the case

fn serve(server, input) {
    server.tool("tell", #{ name: "string" }, |args| args.name);
}

fn drive(client, input) {
    client.call_tool("tell", #{ name: input })
}

fn judge(seen, input) {
    seen.equal("told", seen.calls("tell")[0].arguments, #{ name: input });
}
"#;

fn drive() -> String {
    format!("{PROGRAM} drive")
}

#[test]
fn the_program_is_a_client_for_its_own_checks() {
    let place = Place::with(GOOD);
    place.write("checks/deep/cases.rhai", CASES);
    // Another check with the same scenario.
    place.write("checks/deep/same.rhai", &CASES.replace("name: input", "name: `not ${input}`"));
    let ran = place.run(&["run", "--client", &drive(), "--format", "json"]).exits(0);
    let outcomes = ran.outcomes();
    assert!(
        outcomes.iter().all(|(_, _, outcome)| outcome == "pass" || outcome == "skip"),
        "{outcomes:?}"
    );
    let cases = outcomes.iter().filter(|(check, _, _)| check == "deep/cases").count();
    assert_eq!(cases, 15, "two cases for seven profiles, and the one that is refused");
}

#[test]
fn a_named_check_is_played_whatever_the_environment_says() {
    let place = Place::with(GOOD);
    place.write("checks/other.rhai", &GOOD.replace("17", "71"));
    let client = format!("{} other", drive());
    place.run(&["run", "one", "--client", &client]).exits(1);
    place.run(&["run", "other", "--client", &client]).exits(0);
}

#[test]
fn what_drive_returned_is_printed_and_redacted() {
    let place = Place::with(&GOOD.replace("args.a + 25", "`token-of-mine ${args.a}`"));
    let client =
        format!("sh -c '{PROGRAM} drive one --header \"X-Key: token-of-mine\" $0 > printed.json'");
    place.run(&["run", "--profile", "session-http", "--client", &client]).exits(0);
    let printed: serde_json::Value = serde_json::from_str(&place.read("printed.json")).unwrap();
    assert_eq!(printed["ok"], true);
    assert_eq!(printed["value"]["content"][0]["text"], "[redacted] 17");
}

#[test]
fn an_operation_that_fails_is_a_failure_of_drive() {
    let place = Place::with(GOOD);
    let url = "http://127.0.0.1:1/mcp";
    let ran = place.run(&["drive", "one", url]).exits(1);
    assert_eq!(ran.json()["error"]["kind"], "connection");
    assert_eq!(ran.stderr, "");
    // What a script makes of the answer is its own affair.
    let made = GOOD.replace("client.call_tool(\"add\", #{ a: 17 })", "client.ping().ok");
    place.write("checks/one.rhai", &made);
    assert_eq!(place.run(&["drive", "one", url]).exits(0).stdout, "false\n");
}

#[test]
fn drive_knows_the_context() {
    let script = CASES.replace(
        "client.call_tool(\"tell\", #{ name: input })",
        "log(`for ${client.context.extra}.`); client.context",
    );
    let place = Place::with(&script);
    let url = "http://127.0.0.1:1/mcp";
    let alone = place.run(&["drive", "one", url]).exits(0);
    let context = alone.json();
    assert_eq!(context["name"], "tell_the_case");
    assert_eq!(context["check"], "one");
    assert_eq!(context["case"], "first");
    assert!(context["policy"]["versions"].is_array());
    assert_eq!(alone.stderr, "drive, line 13: for .\n");
    let told = r#"{"check": "one", "case": "the second", "extra": "Ada"}"#;
    let ran = place.run_with(&["drive", url], &[("MCP_CONFORMANCE_CONTEXT", told)]).exits(0);
    assert_eq!((&ran.json()["case"], &ran.json()["extra"]), (&"the second".into(), &"Ada".into()));
    assert_eq!(ran.stderr, "drive, line 13: for Ada.\n");
}

#[test]
fn the_context_is_the_same_in_memory_and_outside() {
    let script = CASES
        .replace(
            "fn serve(server, input) {",
            "fn serve(server, input) { server.context(#{ who: input });",
        )
        .replace("name: input })\n}\n\nfn judge", "name: client.context.who })\n}\n\nfn judge");
    let place = Place::with(&script);
    for subject in [&[] as &[&str], &["--over", "http"], &["--client", &drive()]] {
        let words = ["run", "--profile", "session-http"];
        place.run(&[&words, subject].concat()).exits(0);
    }
}

#[test]
fn a_client_may_say_that_it_does_not_know_a_task() {
    let place = Place::with(GOOD);
    place.write("checks/two.rhai", &GOOD.replace("//! tags", "//! scenario: second\n//! tags"));
    // It knows the second task alone, and connects before it looks which it is.
    let program = format!(
        "#!/bin/sh\n[ $MCP_CONFORMANCE_SCENARIO = second ] || exit 77\nexec {PROGRAM} drive \"$1\"\n"
    );
    place.write("client.sh", &program);
    let run = ["run", "--profile", "session-http", "--client", "sh client.sh"];
    let ran = place.run(&run).exits(0);
    let skipped = "1 execution: the client does not know this task (exit code 77)\n";
    assert!(ran.stdout.contains(skipped), "{}", ran.stdout);
    assert!(ran.stdout.contains("1 execution ran, all held, 1 skipped"), "{}", ran.stdout);
    let json = place.run(&[&run[..], &["--format", "json"]].concat()).exits(0).json();
    let unknown = &json["executions"][0];
    assert_eq!(unknown["outcome"], "skip");
    assert_eq!(unknown["reason"], "the client does not know this task (exit code 77)");
    assert_eq!(unknown["client"]["exit_code"], 77);
    let nothing = place.run(&[&run[..], &["one"]].concat()).exits(4);
    assert!(nothing.stdout.contains("Nothing ran"), "{}", nothing.stdout);
    // Whatever it sent before, it is judged by nothing; and that is said.
    place.write("client.sh", &format!("{PROGRAM} drive \"$1\"\nexit 77\n"));
    let late = place.run(&[&run[..], &["one"]].concat()).exits(4);
    assert!(late.stdout.contains("(exit code 77), and had sent requests"), "{}", late.stdout);
    // Another code is no excuse.
    place.write("client.sh", "exit 78\n");
    place.run(&[&run[..], &["one"]].concat()).exits(1);
}

#[test]
fn a_scenario_that_no_check_has_is_not_known() {
    let place = Place::with(GOOD);
    place.write("checks/cases.rhai", CASES);
    let environment = [("MCP_CONFORMANCE_SCENARIO", "tell_the_cse")];
    let ran = place.run_with(&["drive", "http://127.0.0.1:1/mcp"], &environment).exits(77);
    assert!(ran.stderr.contains("did you mean `tell_the_case`?"), "{}", ran.stderr);
}

#[test]
fn a_script_that_throws_is_a_broken_check() {
    let place = Place::with(&GOOD.replace("client.call_tool", "client.cal_tool"));
    let ran = place.run(&["drive", "one", "http://127.0.0.1:1/mcp"]).exits(3);
    assert!(ran.stderr.contains("did you mean `call_tool`?"), "{}", ran.stderr);
    assert_eq!(ran.stdout, "");
}

#[test]
fn a_drive_without_end_is_ended() {
    let place =
        Place::with(&GOOD.replace("client.call_tool", "client.wait(60000); client.call_tool"));
    let arguments = ["drive", "one", "http://127.0.0.1:1/mcp", "--timeout", "0.2"];
    let ran = place.run(&arguments).exits(1);
    assert!(ran.stderr.contains("not played to its end in 0.2 seconds"), "{}", ran.stderr);
}

#[test]
fn what_cannot_be_played_is_said() {
    let place = Place::with(GOOD);
    place.write("checks/cases.rhai", CASES);
    let url = "http://127.0.0.1:1/mcp";
    let said = |arguments: &[&str], environment: &[(&str, &str)], words: &str| {
        let ran = place.run_with(&[&["drive"], arguments].concat(), environment).exits(2);
        let stderr = ran.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(stderr.contains(words), "{}", ran.stderr);
    };
    said(&[url], &[], "MCP_CONFORMANCE_SCENARIO is not set");
    place.write("checks/same.rhai", CASES);
    let shared = [("MCP_CONFORMANCE_SCENARIO", "tell_the_case")];
    said(&[url], &shared, "the scenario of several checks");
    said(&["oen", url], &[], "did you mean `one`?");
    said(&["cases", url, "--case", "frist"], &[], "did you mean `first`?");
    said(&["one", url, "--case", "first"], &[], "leave --case out");
    said(&["one", url, "--revision", "2025-11-26"], &[], "did you mean `2025-11-25`?");
    said(&["one", "two", url], &[], "a check and a URL, or a URL alone");
    said(&["one", "127.0.0.1:1"], &[], "is not the URL of a server");
    said(&["one", url, "--profile", "sesion-http"], &[], "did you mean `session-http`?");
}
