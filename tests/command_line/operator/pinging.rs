//! `ping`.

use mcp_checks::mcp::Revision;
use mcp_checks::mcp::server::{Action, Call};
use serde_json::{Value, json};

use super::{Desk, query, words};
use crate::far_side::{FarSide, text, tool};
use crate::place::{Place, Ran};

fn said_of_itself(members: Value) -> Desk {
    let Value::Object(members) = members else { panic!("an object") };
    Desk::with(FarSide::new(|server| server.initialize(members)))
}

#[test]
fn a_server_that_answers_is_a_contact_and_nothing_else() {
    let desk = Desk::new();
    let ran = desk.run(&["ping", "shop"]).exits(0);
    assert!(ran.stdout.starts_with(&format!("{} answers\n", desk.far_side.url)), "{}", ran.stdout);
    for line in ["version       2025-11-25", "server        double 1.0.0", "capabilities  tools"] {
        assert!(ran.stdout.contains(&format!("  {line}\n")), "{}", ran.stdout);
    }
    assert_eq!(ran.stderr, "");
    let ran = desk.run(&["ping", "shop", "--json"]).exits(0).json();
    assert_eq!(ran["reachable"], true);
    assert_eq!(ran["versions"], json!(["2025-11-25"]));
    assert_eq!(ran["server_info"], json!({ "name": "double", "version": "1.0.0" }));
    assert_eq!(ran["capabilities"], json!(["tools"]));
    let audit = desk.audit();
    let operations: Vec<_> =
        audit["contacts"].as_array().unwrap().iter().map(|one| &one["operation"]).collect();
    assert_eq!(operations, ["ping", "ping"]);
    assert_eq!((&audit["runs"], &audit["denials"]), (&json!([]), &json!([])));
    assert_eq!(query(&desk.store(), "SELECT local_name FROM tool"), Vec::<String>::new());
    // Each session was ended.
    let ended = desk.far_side.exchanges().iter().filter(|one| one.method == "DELETE").count();
    assert_eq!(ended, 2);
}

#[test]
fn a_server_that_does_not_answer_is_said_to_and_not_stored() {
    let desk = Desk::new();
    let ran = desk.run(&["ping", "http://127.0.0.1:1/mcp"]).exits(1);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("server::connection"), "{}", ran.stderr);
    assert!(ran.stderr.contains("see whether the server runs at this address"), "{}", ran.stderr);
    let ran = desk.run(&["ping", "http://127.0.0.1:1/mcp", "--json"]).exits(1);
    assert_eq!(ran.json()["reachable"], false);
    assert_eq!(ran.json()["error"]["kind"], "connection");
    let ran = desk.run(&["ping", "http://127.0.0.1:1/mcp", "--trace"]).exits(1);
    assert!(ran.stderr.contains("\n(no connection was made"), "{}", ran.stderr);
    assert_eq!(desk.audit()["contacts"], json!([]));
}

#[test]
fn a_trace_shows_each_stage_where_it_was_entered() {
    let desk = Desk::new();
    let ran = desk.run(&["ping", "shop", "--trace"]).exits(0);
    let heads = ran.stderr.lines().filter(|line| {
        ["stages: ", "> POST", "> GET", "> DELETE"].iter().any(|head| line.starts_with(head))
    });
    let shown: Vec<&str> = heads.map(|line| line.split(" /").next().unwrap()).collect();
    let post = format!("> POST {}", desk.far_side.url);
    let delete = format!("> DELETE {}", desk.far_side.url);
    assert_eq!(
        shown,
        [
            "stages: NEW → initialize sent",
            &post,
            "stages: response validated → version accepted → required capabilities present",
            &post,
            "stages: notifications/initialized sent → READY",
            &post,
            "stages: CLOSED",
            &delete,
        ],
        "{}",
        ran.stderr
    );
}

#[test]
fn names_that_a_server_chose_obey_no_terminal() {
    let desk = said_of_itself(json!({
        "serverInfo": { "name": "a\u{1b}]0;x\u{7}\u{202e}b\nreachable", "version": "é".repeat(5000) },
        "capabilities": { "tools\r\n": {}, "\u{9b}31m": { "\u{200b}": true } },
    }));
    let ran = desk.run(&["ping", "shop"]).exits(0);
    assert_eq!(ran.stdout.lines().count(), 5, "{}", ran.stdout);
    assert!(ran.stdout.chars().all(|c| c == '\n' || !c.is_control()), "{:?}", ran.stdout);
    assert!(!ran.stdout.contains(['\u{202e}', '\u{200b}']), "{:?}", ran.stdout);
    assert!(ran.stdout.contains("a\\x1b]0;x\\x07\\xe2\\x80\\xaeb\\x0areachable"), "{}", ran.stdout);
    assert!(ran.stdout.len() < 2000, "a long name is cut");
    let ran = desk.run(&["ping", "shop", "--json"]).exits(0);
    assert!(ran.stdout.chars().all(|c| c == '\n' || !c.is_control()), "{:?}", ran.stdout);
    assert!(!ran.stdout.contains('\u{202e}'));
    let server = &ran.json()["server_info"];
    assert_eq!(server["name"], "a\u{1b}]0;x\u{7}\u{202e}b\nreachable");
    assert_eq!(server["version"], format!("{}…", "é".repeat(120)), "a long name is cut");
}

#[test]
fn a_version_that_is_refused_is_shown_and_nothing_else_of_the_answer() {
    let desk =
        said_of_itself(json!({ "protocolVersion": "1999\u{1b}[2J", "instructions": "do it" }));
    let ran = desk.run(&["ping", "shop"]).exits(1);
    assert!(ran.stderr.contains("unsupported-version"), "{}", ran.stderr);
    assert!(ran.stderr.contains("`1999\\x1b[2J`"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("do it"));
    assert_eq!(desk.far_side.methods(), ["initialize"]);
}

/// Pings a server without a handshake that answers `server/discover` with
/// `action`.
fn discovered(action: Action) -> (Ran, Value) {
    let desk = Desk::with(FarSide::at(Revision::V2026_07_28, move |server| {
        server.on("server/discover", std::sync::Arc::new(move |_: &Call<'_>| action.clone()));
    }));
    let url = desk.far_side.url.clone();
    let arguments = ["ping", url.as_str(), "--revision", "2026-07-28"];
    let ran = desk.run(&arguments).exits(1);
    let json = desk.run(&[&arguments[..], &["--json"]].concat()).exits(1).json();
    (ran, json["error"].clone())
}

#[test]
fn the_versions_of_a_server_that_none_can_speak_with_are_shown() {
    let (ran, error) = discovered(Action::Value(json!({
        "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
        "supportedVersions": ["2099-01-01", "1999\u{1b}[2J"], "capabilities": {},
    })));
    let said = words(&ran.stderr);
    assert!(said.contains("(it supports 2099-01-01, 1999\\x1b[2J)"), "{}", ran.stderr);
    assert_eq!(error["kind"], "unsupported-version");
    assert_eq!(error["category"], "unsupported_protocol_version");
    assert_eq!(error["supported"], json!(["2099-01-01", "1999\u{1b}[2J"]));
    assert_eq!(error["code"], Value::Null, "a result has no code");

    let versions: Vec<String> = (0..50).map(|number| format!("v{number}")).collect();
    let (ran, error) = discovered(Action::Error {
        code: -32022,
        message: "the words of the server".to_owned(),
        data: Some(json!({ "supported": versions, "requested": "2026-07-28" })),
    });
    assert!(words(&ran.stderr).contains("v38, v39, and 10 more"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("the words"), "{}", ran.stderr);
    assert_eq!((&error["code"], &error["supported"]), (&json!(-32022), &json!(versions)));
    assert_eq!(error["category"], "unsupported_protocol_version");
}

#[test]
fn only_what_is_on_is_named_as_a_capability() {
    let desk = said_of_itself(json!({ "capabilities": {
        "tools": {}, "resources": false, "prompts": null, "logging": 7, "completions": [],
    } }));
    let ran = desk.run(&["ping", "shop"]).exits(0);
    assert!(ran.stdout.contains("  capabilities  tools\n"), "{}", ran.stdout);
    let ran = desk.run(&["ping", "shop", "--json"]).exits(0);
    assert_eq!(ran.json()["capabilities"], json!(["tools"]));
}

#[test]
fn what_a_server_writes_into_an_error_is_shown_under_trace_alone() {
    let desk = Desk::with(FarSide::new(|server| {
        server.tool(tool("t", |_| text("")));
        let error = |_: &Call<'_>| Action::Error {
            code: -32099,
            message: "the words of the server".to_owned(),
            data: Some(json!({ "more": "words" })),
        };
        server.on("ping", std::sync::Arc::new(error));
    }));
    for arguments in [&["ping", "shop"][..], &["ping", "shop", "--json"]] {
        let ran = desk.run(arguments).exits(1);
        assert!(ran.stderr.contains("-32099"), "{}", ran.stderr);
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("words"), "{}", ran.stderr);
    }
    let ran = desk.run(&["ping", "shop", "--trace"]).exits(1);
    assert!(ran.stderr.contains("the words of the server"), "{}", ran.stderr);
    assert_eq!(ran.stdout, "");
}

#[test]
fn a_token_is_sent_and_never_shown() {
    let desk = said_of_itself(json!({ "serverInfo": { "name": "tok3n-of-mine", "version": "1" } }));
    let header = "Authorization: Bearer tok3n-of-mine";
    for more in [&["--trace"][..], &["--json"]] {
        let ran = desk.run(&[&["ping", "shop", "--header", header], more].concat()).exits(0);
        assert!(!ran.stdout.contains("tok3n"), "{}", ran.stdout);
        assert!(!ran.stderr.contains("tok3n"), "{}", ran.stderr);
        assert!(ran.stdout.contains("[redacted]"), "{}", ran.stdout);
    }
    let exchanges = desk.far_side.exchanges();
    assert!(exchanges.iter().all(|one| one.headers["authorization"] == "Bearer tok3n-of-mine"));
}

#[test]
fn a_revision_can_be_asked_for() {
    let desk = Desk::new();
    // The profile accepts what the server chooses instead.
    let ran = desk.run(&["ping", "shop", "--revision", "2025-06-18", "--json"]).exits(0).json();
    assert_eq!(ran["versions"], json!(["2025-11-25"]));
    let first: Value = serde_json::from_slice(&desk.far_side.exchanges()[0].body).unwrap();
    assert_eq!(first["params"]["protocolVersion"], "2025-06-18");
}

#[test]
fn from_2026_07_28_on_the_versions_are_those_that_the_server_supports() {
    let far_side =
        FarSide::at(Revision::V2026_07_28, |server| server.tool(tool("t", |_| text(""))));
    let desk = Desk::with(far_side);
    let arguments = ["ping", desk.far_side.url.as_str(), "--revision", "2026-07-28", "--json"];
    let ran = desk.run(&arguments).exits(0).json();
    assert!(ran["versions"].as_array().unwrap().contains(&json!("2026-07-28")), "{ran}");
    assert_eq!(ran["capabilities"], json!(["tools"]));
    assert_eq!(desk.far_side.methods(), ["server/discover"]);
    assert_eq!(desk.audit()["contacts"][0]["operation"], "server/discover");
    let ran = desk.run(&arguments[..4]).exits(0);
    assert!(ran.stdout.contains("2026-07-28"), "{}", ran.stdout);
}

#[test]
fn the_server_behind_a_url_is_asked_for_its_era() {
    for (revision, methods, contact) in [
        (
            Revision::V2025_11_25,
            &["server/discover", "initialize", "notifications/initialized", "ping"][..],
            "ping",
        ),
        (Revision::V2026_07_28, &["server/discover"], "server/discover"),
    ] {
        let desk = Desk::with(FarSide::at(revision, |server| server.tool(tool("t", |_| text("")))));
        let ran = desk.run(&["ping", desk.far_side.url.as_str(), "--json"]).exits(0).json();
        let versions = ran["versions"].as_array().expect("there are versions");
        assert!(versions.contains(&json!(revision.as_str())), "{ran}");
        assert_eq!(ran["capabilities"], json!(["tools"]));
        assert_eq!(desk.far_side.methods(), methods);
        let contacts = desk.audit()["contacts"].clone();
        assert_eq!(contacts.as_array().map(Vec::len), Some(1), "{contacts}");
        assert_eq!(contacts[0]["operation"], contact);
    }
}

#[test]
fn what_is_wrong_with_the_command_line_is_said() {
    let place = Place::new();
    place.write("profiles/old.toml", "revision = \"2025-06-18\"\n");
    for (arguments, expected) in [
        (&["ping", "old"][..], "the profile `old` names no server"),
        (&["ping", "odl"], "did you mean `old`?"),
        (&["ping", "ftp://127.0.0.1/mcp"], "its scheme is ftp, not http or https"),
        (
            &["ping", "http://127.0.0.1:1/mcp", "--revision", "2025-11-26"],
            "did you mean `2025-11-25`?",
        ),
        (&["ping", "http://127.0.0.1:1/mcp", "--header", "NoColon"], "no colon"),
        (
            &["ping", "http://127.0.0.1:1/mcp", "--profiles", "nowhere", "--store", "no/where"],
            "cannot be opened",
        ),
        (&["ping", "http://127.0.0.1:1/mcp", "--store", "."], "it is not a file"),
    ] {
        let ran = place.run_with(arguments, &[("MCP_CHECKS_STORE", "store")]).exits(2);
        assert!(words(&ran.stderr).contains(expected), "{arguments:?}: {}", ran.stderr);
        assert_eq!(ran.stdout, "", "{arguments:?}");
    }
}
