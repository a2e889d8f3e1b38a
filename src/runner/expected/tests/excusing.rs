//! What an entry excuses, and when it is stale.

use super::*;
use crate::runner::event::Trouble;

use Verdict::{Error, Fail, NotExercised, Note, Pass, Skip, Timeout, Warn};

const SESSION: &str = "session-http";
const MARCH: &str = "stateless-http-2025-03-26";

fn entry(lines: &str) -> Expectations {
    read(&format!("expected:\n  - {{reason: r, {lines}}}\n"))
}

/// The ids that were expected in each execution, and the stale entries' advice.
fn tallied(file: &Expectations, executions: &[Execution]) -> (Vec<Vec<String>>, Vec<String>) {
    let mut tally = Tally::new(file, false);
    let expected = executions.iter().map(|execution| {
        let expected = tally.expected(execution);
        expected.iter().map(|(id, _)| id.to_owned()).collect()
    });
    (expected.collect(), tally.stale().iter().map(|stale| stale.advice()).collect())
}

#[test]
fn what_does_not_hold_at_any_level_is_excused() {
    for verdict in [Fail, Warn, Note, NotExercised, Timeout] {
        let file = entry("id: client/plain#called");
        let verdicts = [("called", verdict), ("gentle", Warn)];
        let (expected, stale) = tallied(&file, &[execution(None, SESSION, &verdicts)]);
        assert_eq!(expected, [["called"]], "{verdict}");
        assert!(stale.is_empty(), "{verdict}");
    }
}

#[test]
fn what_holds_is_stale_and_what_was_not_judged_is_not() {
    let file = entry("id: client/plain#called");
    for (verdict, is_stale) in
        [(Pass, true), (Skip, false), (Error, false), (Verdict::Cancelled, false)]
    {
        let (expected, stale) = tallied(&file, &[execution(None, SESSION, &[("called", verdict)])]);
        assert_eq!(expected, [[""; 0]], "{verdict}");
        assert_eq!(stale.len(), usize::from(is_stale), "{verdict}");
    }
    // The claim is not there at this revision; and nothing was selected.
    assert!(tallied(&file, &[execution(None, MARCH, &[("gentle", Pass)])]).1.is_empty());
    assert!(tallied(&file, &[]).1.is_empty());
}

#[test]
fn what_holds_in_one_place_is_said_by_what_remains() {
    let file = entry("id: client/plain#called");
    let executions = [
        execution(None, SESSION, &[("called", Fail)]),
        execution(None, "stateless-http", &[("called", Fail)]),
        execution(None, MARCH, &[("called", Pass)]),
    ];
    let (expected, stale) = tallied(&file, &executions);
    assert_eq!(expected, [vec!["called"], vec!["called"], vec![]]);
    assert_eq!(stale, ["say where it does not: revision: 2025-11-25"]);
    let stale = tallied(&file, &executions[2..]).1;
    assert_eq!(stale, ["take the entry out"]);
}

#[test]
fn an_entry_counts_where_it_says() {
    let verdicts = [("called", Fail)];
    let executions = [
        execution(Some("first"), SESSION, &verdicts),
        execution(Some("3"), SESSION, &verdicts),
        execution(Some("3"), MARCH, &verdicts),
    ];
    for (lines, counts) in [
        ("id: client/cases#called", [true, true, true]),
        ("id: client/cases", [true, true, true]),
        ("id: client/cases#called, case: 3", [false, true, true]),
        ("id: client/cases#called, case: [first, 3]", [true, true, true]),
        ("id: client/cases#called, revision: 2025-11-25", [true, true, false]),
        ("id: client/cases#called, profile: session-http, case: 3", [false, true, false]),
        ("id: client/cases#gentle", [false; 3]),
        ("id: client/plain", [false; 3]),
        ("id: client/cases#called, until: 2026-12-01", [false; 3]),
    ] {
        let (expected, stale) = tallied(&entry(lines), &executions);
        let expected: Vec<bool> = expected.iter().map(|ids| !ids.is_empty()).collect();
        assert_eq!(expected, counts, "{lines}");
        assert!(stale.is_empty(), "{lines}");
    }
}

#[test]
fn a_whole_check_is_expected_by_any_of_its_claims() {
    let file = entry("id: client/plain");
    let verdicts = [("called", Fail), ("gentle", Pass), (crate::check::WIRE_SCHEMA, Fail)];
    let (expected, stale) = tallied(&file, &[execution(None, SESSION, &verdicts)]);
    assert_eq!(expected, [["called", "wire-schema"]]);
    assert!(stale.is_empty());
    let holds = [execution(None, SESSION, &[("called", Pass), ("gentle", Skip)])];
    assert_eq!(tallied(&file, &holds).1.len(), 1);
    // Some of its claims may be left out of the run: then nobody knows.
    let mut tally = Tally::new(&file, true);
    tally.expected(&holds[0]);
    assert!(tally.stale().is_empty());
}

#[test]
fn what_is_flaky_is_never_stale() {
    let file = entry("id: client/plain#called, flaky: true");
    let (expected, stale) = tallied(
        &file,
        &[
            execution(None, SESSION, &[("called", Pass)]),
            execution(None, SESSION, &[("called", Fail)]),
        ],
    );
    assert_eq!(expected, [vec![], vec!["called"]]);
    assert!(stale.is_empty());
}

#[test]
fn without_a_reason_nothing_is_excused() {
    let file =
        read_for("expected:\n  - {id: client/plain#called, reason: \"\"}\n", Purpose::Excuse);
    assert!(file.is_err());
    let file = read_for("expected:\n- id: client/plain#called\n  reason:\n", Purpose::Write);
    let file = file.expect("one is still to be written");
    let (expected, stale) = tallied(&file, &[execution(None, SESSION, &[("called", Fail)])]);
    assert_eq!((expected, stale.len()), (vec![Vec::<String>::new()], 0));
    assert!(tallied(&file, &[execution(None, SESSION, &[("called", Pass)])]).1.is_empty());
}

#[test]
fn what_says_nothing_of_the_subject_is_never_expected() {
    let whole = entry("id: client/plain");
    let report = || Arc::new(miette::miette!("no"));
    for trouble in [
        Trouble::Broken(report()),
        Trouble::Subject(report()),
        Trouble::Cancelled,
        Trouble::Skipped("no".to_owned()),
    ] {
        let verdicts = [("called", NotExercised), ("gentle", Pass)];
        let one = Execution { trouble: Some(trouble), ..execution(None, SESSION, &verdicts) };
        let (expected, stale) = tallied(&whole, &[one]);
        assert_eq!((expected, stale.len()), (vec![Vec::<String>::new()], 0));
    }
}

#[test]
fn that_time_is_up_is_expected_of_a_check_or_of_what_was_not_decided() {
    let late = |verdicts: &[(&str, Verdict)]| Execution {
        trouble: Some(Trouble::TimedOut(Duration::from_secs(1))),
        ..execution(None, SESSION, verdicts)
    };
    let by_claim = entry("id: client/plain#called");
    let mut tally = Tally::new(&by_claim, false);
    let expected = tally.expected(&late(&[("called", Timeout), ("gentle", Pass)]));
    assert!(expected.checkpoint("called").is_some() && expected.timeout().is_none());
    let whole = entry("id: client/plain");
    let mut tally = Tally::new(&whole, false);
    let expected = tally.expected(&late(&[("called", Pass), ("gentle", Pass)]));
    assert!(expected.timeout().is_some());
    assert!(tally.stale().is_empty());
}
