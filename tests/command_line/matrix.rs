//! `matrix`: the same checks in every environment, side by side.
#![cfg(unix)]

use serde_json::{Value, json};

use crate::far_side::FarSide;
use crate::place::{GOOD, Place};

/// A check that holds in memory alone: who sends to a socket names its host.
const WITHOUT_HOST: &str = r#"//! Pings.
//!
//! tags: tools
//!
//! bare  MUST  No POST names a host

fn serve(server) {}

fn drive(client) {
    client.ping()
}

fn judge(seen) {
    seen.every("bare", seen.posts, |post| post.header("host") == ());
}
"#;

/// A check whose client tells its server where it reached it: a socket has a
/// port of its own.
const TELLS_ITS_PORT: &str = r#"//! Tells the end of the URL.
//!
//! told  MUST  tell is called

fn serve(server) {
    server.tool("tell", #{ end: "string" }, |args| "thanks");
}

fn drive(client) {
    client.call_tool("tell", #{ end: client.url.split(":")[-1] })
}

fn judge(seen) {
    seen.check("told", seen.calls("tell").len == 1);
}
"#;

/// A check of a server.
const OF_A_SERVER: &str = "//! Pings.\n//!\n//! answered  MUST  A ping is answered\n\n\
     fn drive(client) { client.ping() }\n\
     fn judge(seen) { seen.check(\"answered\", seen.received.len > 0); }\n";

/// A client that does nothing.
const IDLE: &str = "sh -c 'exit 3'";

/// One profile, and what else is given.
fn arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["matrix", "--profile", "session-http"], more].concat()
}

/// The verdicts on the whole of the first execution, environment by environment.
fn verdicts(document: &Value) -> &Value {
    &document["executions"][0]["verdicts"]
}

#[test]
fn environments_that_agree() {
    let place = Place::with(GOOD);
    place.golden("matrix-agrees", &arguments(&[])).exits(0);
    assert_eq!(place.files(), ["checks/one.rhai"], "nothing is written");
}

#[test]
fn what_holds_in_memory_alone_is_a_failure() {
    let place = Place::with(WITHOUT_HOST);
    place.golden("matrix-differs", &arguments(&[])).exits(1);
    let document = place.run(&arguments(&["--format", "json"])).exits(1).json();
    let found = &document["findings"][0];
    assert_eq!(found["checkpoint"], "bare");
    assert_eq!((&found["differs"], &found["fails"]), (&json!(true), &json!(true)));
    assert_eq!(found["environments"]["double"]["verdict"], "pass");
    assert_eq!(found["environments"]["socket"]["verdict"], "fail");
    assert_eq!(document["executions"][0]["wire"], "same", "hop headers aside");
    assert_eq!(document["summary"]["run_again"], 1, "a true difference stays");
}

#[test]
fn wires_that_differ_are_a_failure_though_every_claim_holds() {
    let place = Place::with(TELLS_ITS_PORT);
    let ran = place.run(&arguments(&[])).exits(1);
    assert!(ran.stdout.contains("pass    pass    pass    ← the wires differ"), "{}", ran.stdout);
    assert!(ran.stdout.contains("double (-) and socket (+) differ"), "{}", ran.stdout);
    assert!(ran.stdout.contains(r#"{"end":"//server.test/mcp"}"#), "{}", ran.stdout);
    let document = place.run(&arguments(&["--format", "json"])).exits(1).json();
    let expected = json!({ "double": "pass", "socket": "pass", "client": "pass" });
    assert_eq!(verdicts(&document), &expected);
    assert_eq!(document["executions"][0]["wire"], "different");
    assert_eq!(document["findings"][0]["checkpoint"], Value::Null);
    assert!(document["findings"][0]["wire"].as_str().unwrap().contains("\n- "));
}

#[test]
fn a_client_that_fails_where_the_double_holds() {
    let place = Place::with(GOOD);
    place.golden("matrix-client-differs", &arguments(&["--client", IDLE])).exits(1);
    let ran = place.run(&arguments(&["--client", IDLE, "--format", "json"])).exits(1);
    let document = ran.json();
    assert_eq!(document["summary"]["failures"], 0, "double and socket agree");
    assert_eq!(document["summary"]["holds"], false);
    let expected = json!({ "double": "pass", "socket": "pass", "client": "not exercised" });
    assert_eq!(verdicts(&document), &expected);
}

#[test]
fn what_the_built_in_client_alone_can_show_is_no_difference() {
    let claimed = GOOD.replace("MUST    add", "MUST [builtin]  add");
    let place = Place::with(&claimed.replace("gentle  SHOULD", "gentle  SHOULD [builtin]"));
    // Another check has one such claim, and one that any client can show.
    place.write("checks/two.rhai", &claimed);
    let ran = place.run(&arguments(&[])).exits(0);
    let table: Vec<&str> = ran.stdout.lines().take(3).collect();
    assert_eq!(
        table,
        ["     double  socket  client", "one  pass    pass    – (1)", "two  pass    pass    pass"]
    );
    assert!(ran.stdout.contains("– (1) only the built-in client can show what it claims\n"));
    assert!(!ran.stdout.contains("what differs"), "{}", ran.stdout);
}

#[test]
fn the_checks_are_those_that_the_third_environment_takes() {
    let place = Place::with(GOOD);
    place.write("checks/server/ping.rhai", OF_A_SERVER);
    let checks = |more: &[&str]| -> Vec<String> {
        let ran = place.run(&arguments(&[&["--format", "json"], more].concat())).exits(0);
        let document = ran.json();
        let executions = document["executions"].as_array().unwrap().iter();
        executions.map(|one| one["check"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(checks(&[]), ["one"]);
    let far_side = FarSide::new(|_| {});
    assert_eq!(checks(&["--server", &far_side.url]), ["server/ping"]);
    assert!(far_side.methods().contains(&"ping".to_owned()), "{:?}", far_side.methods());
    // One that was asked for runs where it can.
    assert_eq!(checks(&["server/ping", "one"]), ["one", "server/ping"]);
    let ran = place.run(&arguments(&["server/ping"])).exits(0);
    assert!(ran.stdout.contains("– (1) it is a check of a server\n"), "{}", ran.stdout);
}

#[test]
fn profiles_that_differ_are_named() {
    let check = WITHOUT_HOST
        .replace("    seen.every(", "    let profile = seen.profile.name;\n    seen.every(")
        .replace("== ());", r#"== () || profile != "session-http");"#);
    let ran = Place::with(&check).run(&["matrix", "--client", "true"]).exits(1);
    let lines: Vec<&str> = ran.stdout.lines().take(4).collect();
    assert_eq!(lines[1], "one");
    assert_eq!(
        lines[2..],
        [
            "  the other 6   pass    pass    not exercised  ← the client differs",
            "  session-http  pass    fail    not exercised  ← double and socket differ"
        ]
    );
}

#[test]
fn a_broken_check_is_broken_everywhere_and_stops_no_other() {
    let place = Place::with(GOOD);
    place.write("checks/two.rhai", &GOOD.replace("client.call_tool", "client.cal_tool"));
    let ran = place.run(&arguments(&[])).exits(3);
    assert!(ran.stdout.contains("one  pass    pass    pass\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("two  error   error"), "{}", ran.stdout);
    assert!(ran.stdout.contains("double    error: the check is broken"), "{}", ran.stdout);
}

#[test]
fn header_fields_reach_every_environment_and_are_redacted() {
    let check = GOOD.replace(
        r#"seen.check("gentle", seen.calls("add").len < 2);"#,
        r#"seen.equal("gentle", seen.posts[0].header("x-key"), "token-of-mine");"#,
    );
    let ran = Place::with(&check).run(&arguments(&["--header", "X-Key: token-of-mine"])).exits(0);
    assert!(ran.stdout.contains("one  pass    pass    pass\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("[redacted]"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("token-of-mine"), "{}", ran.stdout);
}

#[test]
fn a_report_goes_to_a_file() {
    let place = Place::with(GOOD);
    let more = ["--format", "json", "--output", "matrix.json"];
    let ran = place.run(&arguments(&more)).exits(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    let document: Value = serde_json::from_str(&place.read("matrix.json")).unwrap();
    assert_eq!(document["format"], "mcp-checks-matrix/1");
    assert_eq!(document["summary"]["holds"], true);
    let names = document["environments"].as_array().unwrap().iter();
    let names: Vec<_> = names.map(|one| (&one["name"], &one["ran"])).collect();
    let one = json!(1);
    let expected = [(&json!("double"), &one), (&json!("socket"), &one), (&json!("client"), &one)];
    assert_eq!(names, expected);
    assert_eq!(place.files(), ["checks/one.rhai", "matrix.json"]);
    let ran = place.run(&arguments(&["--output", "nowhere/matrix.json"])).exits(2);
    assert!(ran.stderr.contains("cannot be written"), "{}", ran.stderr);
}

#[test]
fn what_the_command_line_gets_wrong_is_said_before_anything_runs() {
    let place = Place::with(GOOD);
    place.golden("matrix-unknown-id", &arguments(&["oen"])).exits(2);
    let said = |more: &[&str], words: &str| {
        let ran = place.run(&arguments(more)).exits(2);
        let stderr = ran.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(stderr.contains(words), "{}", ran.stderr);
    };
    said(&["--client", "no-such-client"], "there is no program `no-such-client`");
    said(&["--server", "127.0.0.1:1"], "is not the URL of a server");
    said(&["--client", "true", "--server", "http://127.0.0.1:1/mcp"], "cannot be used with");
    said(&["--jobs", "0"], "a number from 1 on");
    said(&["--tag", "tools", "--revision", "2026-07-28", "--profile", "session-http"], "no check");
}
