use std::sync::Arc;

use miette::NamedSource;

use super::*;
use crate::check::source_error::rendered;
use crate::check::{Header, Need, unmet_need};

fn parse(text: &str) -> Result<Profile, String> {
    let source = Arc::new(NamedSource::new("profiles/a.toml", Arc::from(text)));
    read("a", &source).map_err(|error| rendered(&error))
}

#[test]
fn what_is_left_out_is_the_careful_choice() {
    let profile = parse("revision = \"2025-06-18\"").unwrap();
    assert_eq!(
        profile,
        Profile {
            name: "a".to_owned(),
            revision: Revision::V2025_06_18,
            server: ServerBehaviour { session: None, framing: Framing::Json, lacks: Vec::new() },
            operator: Operator {
                identifier: "a".to_owned(),
                data_class: DataClass::SecretAdjacent,
                requires_approval: true,
                zone: Zone::ExternalGlobal,
            },
            policy: Policy {
                versions: vec!["2025-06-18".to_owned()],
                required: Vec::new(),
                optional: Vec::new(),
            },
            url: None,
            secrets: Vec::new(),
        }
    );
}

#[test]
fn everything_can_be_said() {
    let profile = parse(
        "revision = \"2025-11-25\"\nurl = \"https://example.com/mcp\"\nsecret = [\"hush\"]\n\
         [server]\nsession = \"s~1\"\nframing = \"event-stream\"\n\
         [operator]\nidentifier = \"x\"\ndata-class = \"source-code\"\nrequires-approval = false\n\
         zone = \"local\"\n[policy]\nversions = [\"2025-06-18\"]\nrequired = [\"tools\"]\n\
         optional = [\"resources.subscribe\"]\n",
    )
    .unwrap();
    assert_eq!(profile.server.session.as_deref(), Some("s~1"));
    assert_eq!(profile.server.framing.as_str(), "event-stream");
    assert_eq!(profile.operator.data_class.as_str(), "source-code");
    assert_eq!(profile.operator.zone, Zone::Local);
    assert!(!profile.operator.requires_approval);
    assert_eq!(profile.secrets, ["hush"]);
    assert_eq!(profile.url.as_ref().and_then(Uri::host), Some("example.com"));
    assert!(!profile.is_accepted(), "the profile's revision is not accepted");
}

#[test]
fn every_mistake_is_shown_with_its_help() {
    let cases: &[(&str, &[&str])] = &[
        ("", &["profile::missing-key", "missing key `revision`", "add the key"]),
        ("revision = \"2025-11-52\"", &["did you mean `2025-11-25`?", "[profiles/a.toml:1:12]"]),
        ("revision = 3", &["profile::unexpected", "expected a string", "1:12"]),
        (
            "revision = \"2025-11-25\"\n[servr]",
            &["unknown key `servr`", "did you mean `server`?", "2:2"],
        ),
        (
            "revision = \"2025-11-25\"\n[server]\nframing = \"sse\"",
            &["unknown variant `sse`", "expected `json` or `event-stream`", "3:11"],
        ),
        (
            "revision = \"2025-11-25\"\n[operator]\ndata_class = \"source-code\"",
            &["unknown key `data_class`", "did you mean `data-class`?"],
        ),
        (
            "revision = \"2025-11-25\"\n[policy]\nversions = [\"2025-11-25\", \"2025-6-18\"]",
            &["profile::versions", "accepts `2025-6-18`", "3:27", "did you mean `2025-06-18`?"],
        ),
        (
            "revision = \"2025-11-25\"\n[policy]\nversions = []",
            &["profile::versions", "accepts no version", "3:12", "or take the key out"],
        ),
        (
            "revision = \"2025-11-25\"\n[policy]\nrequired = [\"tools\", \"resources.\"]",
            &["profile::unexpected", "one or more names, none of them empty", "3:"],
        ),
        (
            "revision = \"2025-11-25\"\n[server]\nlacks = [7]",
            &["profile::unexpected", "a string with dots or an array of names", "3:"],
        ),
        (
            "revision = \"2026-07-28\"\n[server]\nsession = \"a\"",
            &["a profile at 2026-07-28 issues no session", "3:11", "take the key out"],
        ),
        (
            "revision = \"2025-11-25\"\n[server]\nsession = \"a b\"",
            &["the session id is not visible ASCII", "from `!` to `~`"],
        ),
        (
            "revision = \"2025-11-25\"\nurl = \"example.com\"",
            &["profile::url", "2:7", "whole address"],
        ),
        ("revision = \"2025-11-25\"\nsecret = [\"\"]", &["the secret is empty", "2:11"]),
        ("revision = ", &["profile::not-toml"]),
        ("not toml", &["profile::not-toml", "expected `=`", "help: a profile is TOML"]),
    ];
    for (text, expected) in cases {
        let shown = parse(text).unwrap_err();
        for part in *expected {
            assert!(shown.contains(part), "{part:?} is not in:\n{shown}");
        }
    }
}

#[test]
fn an_unknown_key_as_a_person_sees_it() {
    let shown = parse("revision = \"2025-11-25\"\n\n[server]\nsesion = \"a\"\n").unwrap_err();
    assert_eq!(
        shown,
        "\
profile::unexpected

  × unknown key `sesion`
   ╭─[profiles/a.toml:4:1]
 3 │ [server]
 4 │ sesion = \"*\"
   · ───┬──
   ·    ╰── expected one of `session`, `framing`, `lacks`
   ╰────
  help: did you mean `session`?
"
    );
}

#[test]
fn the_embedded_profiles_are_what_they_are_said_to_be() {
    let names: Vec<&str> = embedded_files().map(|(name, _)| name).collect();
    assert!(names.is_sorted());
    let profiles = embedded().unwrap();
    assert_eq!(profiles.len(), names.len());
    let get = |name: &str| profiles.iter().find(|profile| profile.name == name).unwrap();
    let (stateless, session) = (get("stateless-http"), get("session-http"));
    assert_eq!(session.server.session.as_deref(), Some("sess-conformance"));
    assert_eq!(session.operator.identifier, "sessioned");
    assert_ne!(stateless.operator.data_class, session.operator.data_class);
    assert_ne!(stateless.operator.requires_approval, session.operator.requires_approval);
    assert_eq!(get("event-stream-http").server.framing, Framing::EventStream);
    for profile in &profiles {
        assert_eq!(profile.is_accepted(), profile.name != "refused-http", "{}", profile.name);
        assert!(!profile.policy.optional.is_empty(), "{}", profile.name);
    }
}

#[test]
fn a_need_is_matched_against_a_profile() {
    let profiles = embedded().unwrap();
    let get = |name: &str| profiles.iter().find(|profile| profile.name == name).unwrap();
    let unmet = |needs: &[Need], name: &str| {
        unmet_need(&Header { needs: needs.to_vec(), ..Header::default() }, get(name))
    };
    assert_eq!(unmet(&[], "stateless-http"), None);
    assert_eq!(unmet(&[Need::Session], "session-http"), None);
    assert_eq!(unmet(&[Need::Session], "stateless-http"), Some(Need::Session));
    assert_eq!(Need::Session.reason(), "the profile issues no session");
    assert_eq!(unmet(&[Need::Json], "event-stream-http"), Some(Need::Json));
    assert_eq!(unmet(&[Need::Refused], "stateless-http"), Some(Need::Refused));
    let refusing =
        parse("revision = \"2025-11-25\"\n[policy]\nversions = [\"2025-06-18\"]").unwrap();
    assert_eq!(unmet_need(&Header::default(), &refusing), Some(Need::Accepted));
}

#[test]
fn all_broken_profiles_are_reported_together() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    let empty = load(Some(folder.path())).unwrap_err();
    assert!(rendered(&empty).contains("holds no profile"));
    write("good.toml", b"revision = \"2025-11-25\"");
    write("notes.md", b"\xff");
    write("_draft.toml", b"nothing");
    assert_eq!(load(Some(folder.path())).unwrap().len(), 1);
    write("a.toml", b"revision = \"2025-11-26\"");
    write("b.toml", b"\xff");
    write("c.toml", b"not toml");
    let shown = rendered(&load(Some(folder.path())).unwrap_err());
    for part in
        ["3 profiles cannot be used", "a.toml", "b.toml", "c.toml", "did you mean `2025-11-25`?"]
    {
        assert!(shown.contains(part), "{part} is not in:\n{shown}");
    }
    let missing = load(Some(&folder.path().join("none"))).unwrap_err();
    assert!(rendered(&missing).contains("cannot be listed"));
}

#[test]
fn a_server_that_nobody_declared_is_trusted_with_nothing() {
    let undeclared = |url: &str| Profile::undeclared(url.parse().unwrap(), Revision::V2025_11_25);
    let profile = undeclared("http://127.0.0.1:3001/mcp");
    let operator = &profile.operator;
    assert_eq!(operator.data_class, DataClass::SecretAdjacent);
    assert_eq!(operator.zone, Zone::ExternalGlobal);
    assert!(operator.requires_approval);
    assert!(operator.identifier.starts_with("127-0-0-1-3001-"), "{}", operator.identifier);
    // The identifier is the same each time, another for another address, and
    // leaves room for the name of a tool.
    let identifier = |url: &str| undeclared(url).operator.identifier;
    assert_eq!(identifier("http://127.0.0.1:3001/mcp"), operator.identifier);
    assert_ne!(identifier("http://127.0.0.1:3001/other"), operator.identifier);
    let long = identifier("https://user:secret@a.very.long.name.of.a.host.example.com/mcp");
    assert!(long.starts_with("f-a-host-example-com-"), "{long}");
    assert!(!long.contains("secret"));
    assert!(long.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-'));
}

#[test]
fn what_a_server_lacks_refuses_a_policy_that_requires_it() {
    let accepted = |lacks: &str, required: &str| {
        let text = format!(
            "revision = \"2025-11-25\"\n[server]\nlacks = {lacks}\n[policy]\nrequired = {required}"
        );
        parse(&text).unwrap().is_accepted()
    };
    assert!(accepted("[]", "[\"tools\"]"));
    assert!(!accepted("[\"tools\"]", "[\"tools\"]"));
    assert!(!accepted("[\"resources\"]", "[\"resources.subscribe\"]"), "with all that is in it");
    assert!(accepted("[\"resources.subscribe\"]", "[\"resources\"]"), "and nothing around it");
    let tasks = "[[\"extensions\", \"io.modelcontextprotocol/tasks\"]]";
    assert!(!accepted(tasks, tasks));
}

#[test]
fn a_client_asks_for_what_its_policy_accepts() {
    let asked = |text: &str| parse(text).unwrap().client_options(1).revision;
    let policy = "[policy]\nversions = [\"2025-06-18\", \"2025-03-26\"]";
    assert_eq!(asked(&format!("revision = \"2025-11-25\"\n{policy}")), Revision::V2025_06_18);
    assert_eq!(asked(&format!("revision = \"2025-03-26\"\n{policy}")), Revision::V2025_03_26);
}
