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
fn an_answer_with_an_error_is_no_failure_of_drive() {
    let place = Place::with(GOOD);
    let ran = place.run(&["drive", "one", "http://127.0.0.1:1/mcp"]).exits(0);
    assert_eq!(ran.json()["error"]["kind"], "connection");
    assert_eq!(ran.stderr, "");
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
    said(&[url], &[("MCP_CONFORMANCE_SCENARIO", "tell_the_cse")], "did you mean `tell_the_case`?");
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
