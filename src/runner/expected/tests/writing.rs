//! What is put into a file and taken out of it; every other byte stays.

use proptest::prelude::*;

use super::super::scope::{Scope, Where, scalar, smallest};
use super::super::write::{Survey, edited};
use super::*;
use crate::runner::event::Trouble;
use crate::runner::{Settings, Subject};

use Verdict::{Fail, Pass};

const PROFILES: [&str; 3] = ["session-http", "stateless-http", "stateless-http-2025-03-26"];

/// The file after a run in which `called` failed in these places of all cases
/// and profiles, stale entries taken out if `prune`.
fn written(text: &str, red: &[(&str, &str)], prune: bool) -> String {
    let file = read_for(text, Purpose::Write)
        .unwrap_or_else(|error| panic!("{}", crate::check::source_error::rendered(&error)));
    let mut survey = Survey::default();
    let mut tally = Tally::new(&file, false);
    for case in ["first", "a second", "3"] {
        for profile in PROFILES {
            let is_red = red.contains(&(case, profile)) || red.contains(&("*", profile));
            let verdict = if is_red { Fail } else { Pass };
            let verdicts = [("called", verdict), ("gentle", Pass)];
            let mut one = execution(Some(case), profile, &verdicts);
            one.expected = tally.expected(&one);
            one.weigh(&Settings::new(Subject::Embedded));
            survey.add(&one);
        }
    }
    let stale = tally.stale();
    let pruned: Vec<Stale> =
        stale.into_iter().filter(|stale| prune && stale.remains.is_empty()).collect();
    let (new, _) = edited(&file, &survey, &pruned);
    if let Err(error) = read_for(&new, Purpose::Write) {
        panic!("{new}\n{}", crate::check::source_error::rendered(&error));
    }
    new
}

const ALL: [(&str, &str); 3] = [("*", PROFILES[0]), ("*", PROFILES[1]), ("*", PROFILES[2])];
const NEW: &str = "  - id: client/cases#called\n    reason: \"\"\n";

#[test]
fn a_new_file_says_what_it_is() {
    let file = written("", &ALL, false);
    assert!(file.starts_with("# What is known not to hold."), "{file}");
    assert!(file.ends_with(&format!("\nexpected:\n{NEW}")), "{file}");
    assert!(written("", &[], false).ends_with("expected: []\n"));
    // What stands there already is not written again, with a reason or without.
    assert_eq!(written(&file, &ALL, false), file);
    let reasoned = file.replace("\"\"", "it is slow");
    assert_eq!(written(&reasoned, &ALL, false), reasoned);
}

#[test]
fn an_entry_says_no_more_than_it_needs() {
    for (red, lines) in [
        (&[("*", PROFILES[0]), ("*", PROFILES[1])][..], vec!["    revision: 2025-11-25"]),
        (&[("*", PROFILES[1])], vec!["    profile: stateless-http"]),
        (
            &[("*", PROFILES[1]), ("*", PROFILES[2])],
            vec!["    profile: [stateless-http-2025-03-26, stateless-http]"],
        ),
        (&[("3", PROFILES[0]), ("3", PROFILES[1]), ("3", PROFILES[2])], vec!["    case: \"3\""]),
        (
            &[("3", PROFILES[2]), ("first", PROFILES[2])],
            vec!["    case: [\"3\", first]", "    revision: 2025-03-26"],
        ),
    ] {
        let entry =
            format!("  - id: client/cases#called\n{}\n    reason: \"\"\n", lines.join("\n"));
        let file = written("expected: []\n", red, false);
        assert_eq!(file, format!("expected:\n{entry}"), "{red:?}");
    }
    // Two cases that differ in where they are red are two entries.
    let file = written("expected: []\n", &[("3", PROFILES[2]), ("first", PROFILES[1])], false);
    assert_eq!(file.matches("- id:").count(), 2, "{file}");
}

#[test]
fn what_stands_in_a_file_stays_byte_for_byte() {
    let head = "# Ours.\r\nclient:   # theirs\r\n  - sse-retry:timing\r\n\r\n";
    let tail = "\r\n# The end.\r\nserver: []   # nothing\r\n...\r\n";
    let crlf = NEW.replace('\n', "\r\n");
    for (list, new) in [
        // Before what stands behind the list, in its indentation.
        (
            "expected:\r\n- id: client/plain#called\r\n  reason: |\r\n    # no comment\r\n\r\n    more\r\n\r\n  # about this entry\r\n\r\n# about the next\r\n",
            "expected:\r\n- id: client/plain#called\r\n  reason: |\r\n    # no comment\r\n\r\n    more\r\n\r\n  # about this entry\r\n- id: client/cases#called\r\n  reason: \"\"\r\n\r\n# about the next\r\n".to_owned(),
        ),
        ("expected: []  # none yet\r\n", format!("expected:  # none yet\r\n{crlf}")),
        ("expected:\r\n    []\r\n", format!("expected:\r\n{crlf}")),
        (
            "expected:\r\n  -\r\n    # a comment\r\n    id: client/plain\r\n    reason:\r\n",
            format!(
                "expected:\r\n  -\r\n    # a comment\r\n    id: client/plain\r\n    reason:\r\n{crlf}"
            ),
        ),
    ] {
        let file = written(&format!("{head}{list}{tail}"), &ALL, false);
        assert_eq!(file, format!("{head}{new}{tail}"));
    }
    // Without the key it comes last, before the end of the document; a last line
    // that does not end is ended.
    assert_eq!(
        written(&format!("{head}{tail}"), &ALL, false),
        format!("{head}{}expected:\r\n{crlf}...\r\n", tail.trim_end_matches("...\r\n"))
    );
    assert_eq!(written("server: []", &ALL, false), format!("server: []\nexpected:\n{NEW}"));
    let open = "expected:\n  - id: client/plain\n    reason: r";
    assert_eq!(written(open, &ALL, false), format!("{open}\n{NEW}"));
    assert_eq!(written("# mine\n", &ALL, false), format!("# mine\nexpected:\n{NEW}"));
    assert_eq!(written("server: []\n", &[], false), "server: []\n");
}

#[test]
fn stale_entries_go_if_that_was_asked_for() {
    let gentle = "  # how gentle\n  - id: client/cases#gentle\n    reason: r   # why\n    # more\n";
    let kept = "  - id: client/plain#called\n    reason: r\n";
    for (before, after) in [
        (format!("expected:\n{gentle}{kept}"), format!("expected:\n  # how gentle\n{kept}")),
        (format!("expected:\n{kept}{gentle}"), format!("expected:\n{kept}  # how gentle\n")),
        (
            format!("expected:   # all\n{gentle}\n# end\nclient: []\n"),
            "expected:   # all\n  # how gentle\n  []\n\n# end\nclient: []\n".to_owned(),
        ),
    ] {
        assert_eq!(written(&before, &[], false), before);
        assert_eq!(written(&before, &[], true), after);
    }
    // All of it goes, and something comes.
    let file = written(&format!("expected:\n{gentle}"), &ALL, true);
    assert_eq!(file, format!("expected:\n  # how gentle\n{NEW}"));
}

#[test]
fn an_entry_that_holds_in_part_is_left_to_its_reader() {
    let text = "expected:\n  - id: client/cases#called\n    reason: r\n";
    assert_eq!(written(text, &ALL[..1], true), text);
}

#[test]
fn an_entry_that_is_over_is_not_written_anew() {
    let text = "expected:\n  - {id: client/cases#called, reason: r, until: 2026-01-01}\n";
    assert_eq!(written(text, &ALL, false), text);
}

#[test]
fn a_check_that_is_late_with_every_claim_decided_is_named_whole() {
    let mut survey = Survey::default();
    let mut one = Execution {
        trouble: Some(Trouble::TimedOut(Duration::from_secs(1))),
        ..execution(None, PROFILES[0], &[("called", Pass)])
    };
    one.weigh(&Settings::new(Subject::Embedded));
    survey.add(&one);
    let file = read_for("expected: []", Purpose::Write).expect("it is right");
    let (text, added) = edited(&file, &survey, &[]);
    assert_eq!((text.as_str(), added), ("expected:\n  - id: client/plain\n    reason: \"\"\n", 1));
}

fn places() -> impl Strategy<Value = Vec<(Where, bool)>> {
    let revisions = [Revision::V2025_03_26, Revision::V2025_11_25, Revision::V2025_11_25];
    let all: Vec<Where> = ["a", "b", "c"]
        .iter()
        .flat_map(|case| {
            PROFILES.iter().zip(revisions).map(|(profile, revision)| Where {
                case: Some((*case).to_owned()),
                revision,
                profile: (*profile).to_owned(),
            })
        })
        .collect();
    proptest::collection::vec(0..3u8, all.len()).prop_map(move |states| {
        let places = all.iter().cloned().zip(states);
        places.filter(|(_, state)| *state > 0).map(|(place, state)| (place, state > 1)).collect()
    })
}

fn holds(scope: &Scope, place: &Where) -> bool {
    (scope.cases.is_empty() || place.case.as_ref().is_some_and(|case| scope.cases.contains(case)))
        && (scope.revisions.is_empty() || scope.revisions.contains(&place.revision))
        && (scope.profiles.is_empty() || scope.profiles.contains(&place.profile))
}

proptest! {
    /// No scope holds a place that is not red, and each red place is held once.
    #[test]
    fn scopes_hold_what_is_red_and_nothing_else(places in places()) {
        let all: Vec<Where> = places.iter().map(|(place, _)| place.clone()).collect();
        let red: Vec<Where> = places
            .iter()
            .filter(|(_, is_red)| *is_red)
            .map(|(place, _)| place.clone())
            .collect();
        let scopes = smallest(&red, &all);
        for place in &all {
            let number = scopes.iter().filter(|scope| holds(scope, place)).count();
            prop_assert_eq!(number, usize::from(red.contains(place)));
        }
    }

    /// Whatever a case is called, it is read as it was written.
    #[test]
    fn a_name_is_written_so_that_it_is_read(name in any::<String>()) {
        let text = format!("a: [{}]\n", scalar(&name));
        let document = super::super::yaml::read(&text).map_err(|problem| {
            TestCaseError::fail(format!("{text}: {problem:?}"))
        })?;
        let is_read = format!("{document:?}").contains(&format!("text: {name:?}"));
        prop_assert!(is_read, "{:?}", document);
    }
}
