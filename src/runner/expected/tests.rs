//! Files of expected failures: what is read, what is refused, what an entry
//! excuses, and what is written.

mod bad;
mod excusing;
mod writing;

use std::sync::Arc;
use std::time::Duration;

use chrono::NaiveDate;
use miette::NamedSource;

use super::*;
use crate::check::{
    About, Check, Checkpoint, CheckpointResult, Level, Library, SourceError, SourceText, Verdict,
};
use crate::mcp::Revision;
use crate::runner::Execution;

/// A check with three cases, of which one claim is new in 2025-11-25.
const CASES: &str = r#"//! Calls a tool.
//!
//! revisions: 2025-03-26..2025-11-25
//! cases: first; a second; 3
//!
//! called  MUST  It is called
//! later   MUST 2025-11-25..  It is called later
//! gentle  SHOULD  It is called once

fn serve(server) {}
fn drive(client) {}
fn judge(seen) {}
"#;

fn library() -> Library {
    let check = |id: &str, text: &str| {
        let source: SourceText = Arc::new(NamedSource::new(id, Arc::from(text)));
        Check::from_source(id, source)
    };
    let plain = CASES.lines().filter(|line| !line.starts_with("//! cases"));
    let plain = plain.collect::<Vec<_>>().join("\n");
    let library = Library::of(vec![
        check("client/cases", CASES),
        check("client/plain", &plain),
        check("client/broken", "//! No claim."),
    ]);
    assert_eq!(library.broken().count(), 1);
    library
}

fn source(text: &str) -> SourceText {
    Arc::new(NamedSource::new("expected.yaml", Arc::from(text)))
}

fn today() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 12, 2).expect("it is a day")
}

fn read_for(text: &str, purpose: Purpose) -> Result<Expectations, SourceError> {
    let library = library();
    let profiles = crate::profile::embedded().expect("the embedded profiles can be read");
    let known = Known { library: &library, profiles: &profiles, today: today() };
    Expectations::read(&source(text), known, purpose)
}

#[track_caller]
fn read(text: &str) -> Expectations {
    read_for(text, Purpose::Excuse)
        .unwrap_or_else(|error| panic!("{}", crate::check::source_error::rendered(&error)))
}

/// An execution of `client/plain`, or of a case of `client/cases`, with these
/// verdicts.
fn execution(case: Option<&str>, profile: &str, verdicts: &[(&str, Verdict)]) -> Execution {
    let result = |(id, verdict): &(&str, Verdict)| {
        let level = if *verdict == Verdict::Warn { Level::Should } else { Level::Must };
        let checkpoint = Checkpoint {
            id: (*id).to_owned(),
            level,
            about: About::Protocol,
            ..Checkpoint::wire_schema()
        };
        CheckpointResult::new(checkpoint, *verdict, None)
    };
    let profiles = crate::profile::embedded().expect("the embedded profiles can be read");
    let found = profiles.iter().find(|known| known.name == profile);
    let check = if case.is_some() { "client/cases" } else { "client/plain" };
    let revision = found.expect("there is such a profile").revision;
    Execution {
        case: case.map(str::to_owned),
        checkpoints: verdicts.iter().map(result).collect(),
        ..Execution::of(check, profile, revision)
    }
}

#[test]
fn an_entry_has_everything() {
    let file = read(
        "# All that an entry can have.\n\
         expected:\n\
         \x20 - id: client/cases#called\n\
         \x20   reason: 'it is slow: very'   # a comment\n\
         \x20   profile: [session-http, stateless-http]\n\
         \x20   case: 3\n\
         \x20   revision: 2025-11-25\n\
         \x20   issue: https://example.com/issues/7\n\
         \x20   flaky: true\n\
         \x20   until: 2026-12-02\n\
         \x20 - {id: client/plain, reason: >-\n\
         \x20     \"folded\"}\n",
    );
    let [first, second] = file.entries.as_slice() else { panic!("{:?}", file.entries) };
    assert_eq!(first.id(), "client/cases#called");
    assert_eq!(first.reason, "it is slow: very");
    assert_eq!(first.profiles, ["session-http", "stateless-http"]);
    assert_eq!(first.cases, ["3"]);
    assert_eq!(first.revisions, [Revision::V2025_11_25]);
    assert_eq!(first.issue.as_deref(), Some("https://example.com/issues/7"));
    assert!(first.flaky && first.counts(), "it counts on its last day");
    assert_eq!(file.place(first), "expected.yaml:3");
    assert_eq!((second.id().as_str(), second.line), ("client/plain", 11));
    assert!(file.notes.is_empty(), "{:?}", file.notes);
}

#[test]
fn nothing_is_expected_of_an_empty_file() {
    for text in ["", "# nothing\n", "---\n", "expected: []\n", "client: []\nserver: []\n"] {
        assert!(read(text).entries.is_empty(), "{text}");
    }
}

#[test]
fn a_file_with_carriage_returns_and_other_letters_keeps_its_places() {
    let file = read(
        "\u{feff}# größer\r\nexpected:\r\n- id: client/plain#called\r\n  reason: größer\r\n\
         - id: client/plain#later\r\n  reason: \"\\u00e4\"\r\n",
    );
    let lines: Vec<usize> = file.entries.iter().map(|entry| entry.line).collect();
    assert_eq!(lines, [3, 5]);
    assert_eq!(file.entries[1].reason, "ä");
}

#[test]
fn the_lists_of_the_official_suite_are_passed_over_and_said_so() {
    let file = read(
        "client:\n\
         \x20 - sse-retry:client-sse-retry-timing\n\
         \x20 - auth/token\n\
         server: []\n\
         reasons:\n\
         \x20 auth/token: {reason: no tokens yet, issue: '#7', flaky: true, until: 2027-03-01}\n\
         x-own: {a: *nothing-reads-this}\n"
            .replace("*nothing-reads-this", "1")
            .as_str(),
    );
    assert!(file.entries.is_empty());
    let notes: Vec<String> = file.notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        ["nothing reads the key `x-own`", "2 entries name scenarios of the official suite",]
    );
}

#[test]
fn an_entry_for_a_broken_check_is_right() {
    let file = read("expected: [{id: client/broken#anything, reason: r}]\n");
    assert_eq!(file.entries.len(), 1);
}

#[test]
fn past_its_day_an_entry_is_as_if_it_were_not_there() {
    // Its check is gone, and another entry is about the same.
    let file = read(
        "expected:\n\
         \x20 - {id: client/gone#called, reason: r, until: 2026-12-01}\n\
         \x20 - {id: client/plain#called, reason: r, until: 2026-12-01}\n\
         \x20 - {id: client/plain#called, reason: r}\n",
    );
    let counts: Vec<bool> = file.entries.iter().map(|entry| entry.counts()).collect();
    assert_eq!(counts, [false, false, true]);
    assert_eq!(file.notes.len(), 2, "{:?}", file.notes);
    assert!(file.notes[0].to_string().ends_with("counted until 2026-12-01"));
}
