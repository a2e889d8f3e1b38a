//! Exactly what a person sees of each kind of failure, as golden files.

use crate::place::{GOOD, Place};

/// Runs for one profile.
fn golden(place: &Place, name: &str, arguments: &[&str], code: i32) {
    let arguments = [&["run", "--profile", "session-http"], arguments].concat();
    place.golden(name, &arguments).exits(code);
}

#[test]
fn unknown_id() {
    golden(&Place::with(GOOD), "unknown-id", &["oen"], 2);
}

#[test]
fn unknown_tag() {
    golden(&Place::with(GOOD), "unknown-tag", &["--tag", "tool"], 2);
}

#[test]
fn unknown_profile() {
    Place::with(GOOD).golden("unknown-profile", &["run", "--profile", "sesion-http"]).exits(2);
}

#[test]
fn unknown_revision() {
    golden(&Place::with(GOOD), "unknown-revision", &["--revision", "2025-11-26"], 2);
}

#[test]
fn broken_header() {
    let check = GOOD.replace("tags:", "tgas:").replace("SHOULD", "SHUOLD");
    golden(&Place::with(&check), "broken-header", &[], 3);
}

#[test]
fn broken_profile() {
    let place = Place::with(GOOD);
    place.write("profiles/mine.toml", "revision = \"2025-11-25\"\n\n[server]\nsesion = \"x\"\n");
    place.golden("broken-profile", &["run"]).exits(2);
}

#[test]
fn failed_checkpoint() {
    let check = GOOD.replace("arguments, #{ a: 17 }", "arguments, #{ a: 18 }");
    golden(&Place::with(&check), "failed-checkpoint", &[], 1);
}

#[test]
fn not_exercised() {
    let check = GOOD.replace(r#"client.call_tool("add", #{ a: 17 })"#, "client.list_tools()");
    golden(&Place::with(&check), "not-exercised", &[], 1);
}

#[test]
fn script_that_throws() {
    let check = GOOD.replace("client.call_tool", "throw \"no\"; client.call_tool");
    golden(&Place::with(&check), "script-throws", &[], 3);
}

#[test]
fn misspelt_name() {
    let check = GOOD.replace("client.call_tool", "client.cal_tool");
    golden(&Place::with(&check), "misspelt-name", &[], 3);
}

#[test]
fn syntax_error() {
    let check = GOOD.replace("fn drive(client) {", "fn drive(client {");
    golden(&Place::with(&check), "syntax-error", &[], 3);
}

#[test]
fn undecided_checkpoint() {
    let check = GOOD.replace("    seen.check(\"gentle\", seen.calls(\"add\").len < 2);\n", "");
    golden(&Place::with(&check), "undecided-checkpoint", &[], 3);
}

#[cfg(unix)]
#[test]
fn client_that_takes_too_long() {
    let arguments = ["--client", "sh -c 'echo started; sleep 30'", "--timeout", "0.3"];
    golden(&Place::with(GOOD), "client-too-long", &arguments, 1);
}

#[cfg(unix)]
#[test]
fn client_that_does_nothing() {
    let arguments = ["--client", "sh -c 'echo cannot do this >&2; exit 3'"];
    golden(&Place::with(GOOD), "client-does-nothing", &arguments, 1);
}

#[test]
fn client_that_does_not_exist() {
    golden(&Place::with(GOOD), "client-missing", &["--client", "no-such-client --fast"], 2);
}

#[test]
fn server_that_refuses() {
    let check = "//! Pings.\n//!\n//! answered  MUST  A ping is answered\n\n\
                 fn drive(client) { client.ping() }\n\
                 fn judge(seen) { seen.check(\"answered\", seen.received.len > 0); }\n";
    // Nothing listens on port 1 of a machine in its right mind.
    let arguments = ["--server", "http://127.0.0.1:1/mcp"];
    golden(&Place::with(check), "server-refuses", &arguments, 1);
}
