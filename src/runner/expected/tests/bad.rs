//! What is wrong with a file is said with its place and with what to do.

use std::fmt::Write as _;

use super::*;
use crate::check::source_error::rendered;

/// An entry with these lines below its id.
fn entry(lines: &str) -> String {
    format!("expected:\n  - id: client/plain#called\n    {}\n", lines.replace('\n', "\n    "))
}

/// What is wrong, in a few words, and a file in which it is.
fn bad_files() -> Vec<(&'static str, String)> {
    let file = |text: &str| text.to_owned();
    vec![
        ("no YAML", file("expected:\n  - id: [\n")),
        ("a colon in a text", entry("reason: see: this")),
        ("a quote that is not closed", entry("reason: \"it is slow")),
        ("an unknown anchor", entry("reason: *why")),
        ("an alias", entry("reason: &why slow\nissue: *why")),
        ("an alias of aliases", {
            let mut text = file("a: &a [x, x]\n");
            for (new, old) in [("b", "a"), ("c", "b"), ("d", "c"), ("e", "d"), ("f", "e")] {
                let _ = writeln!(text, "{new}: &{new} [{}]", vec![format!("*{old}"); 9].join(", "));
            }
            text + "expected: *f\n"
        }),
        ("too deep", format!("expected: {}{}\n", "[".repeat(100), "]".repeat(100))),
        ("far too deep", "[".repeat(100_000)),
        ("two documents", file("expected: []\n---\nexpected: []\n")),
        ("the key stands twice", file("expected: []\nclient: []\nexpected: []\n")),
        ("a list at the top", file("- id: client/plain\n  reason: r\n")),
        ("a text at the top", file("client/plain\n")),
        ("nothing under `expected`", file("expected:\nclient: []\n")),
        ("`expected` is a mapping", file("expected:\n  id: client/plain\n  reason: r\n")),
        ("an entry is a text", file("expected:\n  - client/plain\n")),
        ("an entry is empty", file("expected:\n  -\n  - id: client/plain\n    reason: r\n")),
        ("no id", file("expected:\n  - reason: r\n    flaky: true\n")),
        ("an unknown key in an entry", entry("reson: r")),
        ("no reason", entry("flaky: true")),
        ("an empty reason", entry("reason: \"\"")),
        ("the reason is null", entry("reason:")),
        ("the reason is a list", entry("reason: [a, b]")),
        ("an unknown check", file("expected:\n  - id: client/plian#called\n    reason: r\n")),
        ("an unknown folder", file("expected:\n  - id: something/else#called\n    reason: r\n")),
        ("a glob", file("expected:\n  - id: client/*\n    reason: r\n")),
        ("an unknown checkpoint", file("expected:\n  - id: client/plain#caled\n    reason: r\n")),
        ("an unknown profile", entry("reason: r\nprofile: [stateless-http, sesion-http]")),
        ("an unknown case", file("expected: [{id: client/cases, reason: r, case: firts}]\n")),
        ("no cases", entry("reason: r\ncase: first")),
        ("an unknown revision", entry("reason: r\nrevision: 2025-11-26")),
        ("an empty list", entry("reason: r\nrevision: []")),
        ("not claimed there", entry("reason: r\nrevision: 2026-07-28")),
        ("not both", entry("reason: r\nprofile: session-http\nrevision: 2025-03-26")),
        ("no day", entry("reason: r\nuntil: tomorrow")),
        ("no day of the calendar", entry("reason: r\nuntil: 2027-02-30")),
        ("a day without zeros", entry("reason: r\nuntil: 2027-3-1")),
        ("flaky is a text", entry("reason: r\nflaky: \"yes\"")),
        ("the issue is empty", entry("reason: r\nissue:")),
        ("twice", entry("reason: r") + "  - id: client/plain#called\n    reason: s\n"),
        ("null is no list", file("client:\nserver: []\n")),
        ("a mapping in a list", file("client:\n  - scenario: check-id\n")),
        ("an empty item", file("server:\n  - \n")),
        ("a name with a space", file("server:\n  - a scenario\n")),
        ("whole and in part", file("client:\n  - sse:one\n  - sse\n")),
        ("no such entry", file("client: [sse]\nreasons: {see: {reason: r}}\n")),
        ("no such key", file("client: [sse]\nreasons: {sse: {reasons: r}}\n")),
        ("several", entry("reason: 7\nuntil: no\nflaky: no\nfoo: bar")),
    ]
}

#[test]
fn what_is_wrong_is_said_at_its_place() {
    let mut said = String::new();
    for (what, text) in bad_files() {
        let error = match read_for(&text, Purpose::Excuse) {
            Ok(file) => panic!("{what}: {file:?}"),
            Err(error) => error,
        };
        for problem in error.problems() {
            assert!(problem.help.is_some(), "{what}: {problem:?}");
            let label = problem.labels.iter().flatten().next().expect("it has a place");
            assert!(label.offset() + label.len() <= text.len(), "{what}: {problem:?}");
        }
        let _ = writeln!(said, "── {what} ──\n{}", rendered(&error));
    }
    // A line of a hundred thousand brackets tells nobody anything.
    let said: Vec<String> = said.lines().map(|line| line.chars().take(120).collect()).collect();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../../tests/golden");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("expected-failures", said.join("\n")));
}

#[test]
fn a_note_is_no_error() {
    let file = read("clients: []\n");
    let note = rendered(&file.notes[0]);
    assert!(note.contains("⚠") && note.contains("did you mean `client`?"), "{note}");
}

#[test]
fn nothing_is_added_between_brackets() {
    for text in ["expected: [{id: client/plain, reason: r}]\n", "{expected: []}\n", "[]\n"] {
        let error = read_for(text, Purpose::Write).expect_err(text);
        assert!(!rendered(&error).is_empty());
    }
    assert!(read_for("expected: []\n", Purpose::Write).is_ok());
}
