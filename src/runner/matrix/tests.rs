//! Tables of verdicts in, differences out.

use super::*;
use crate::check::{Checkpoint, Verdict, Weight};
use crate::mcp::Revision;
use Verdict::{Cancelled, Error, Fail, NotExercised, Pass, Skip, Timeout, Warn};

/// An execution of the check `one` in which these verdicts came to these claims.
fn ran(profile: &str, verdicts: &[(&str, Verdict)]) -> Entry {
    let cell = |(id, verdict): &(&str, Verdict)| {
        let claim = Checkpoint { id: id.to_string(), ..Checkpoint::wire_schema() };
        let weight = match verdict {
            Fail | NotExercised | Timeout => Weight::Red,
            Warn => Weight::Warning,
            _ => Weight::None,
        };
        (claim, Cell { weight, ..Cell::of(*verdict, "") })
    };
    let checkpoints: Vec<_> = verdicts.iter().map(cell).collect();
    Entry {
        name: Name::new("one", profile, None),
        revision: Revision::V2025_11_25,
        whole: Cell::gravest(&checkpoints),
        checkpoints,
        wire: None,
    }
}

/// The same for a case.
fn of_case(case: &str, entry: Entry) -> Entry {
    Entry { name: Name { case: Some(case.to_owned()), ..entry.name }, ..entry }
}

/// The same with this wire.
fn with_wire(wire: &str, entry: Entry) -> Entry {
    Entry { wire: Some(wire.to_owned()), ..entry }
}

/// An execution of the check `one` of which nothing ran.
fn bare(profile: &str, verdict: Verdict, reason: &str) -> Entry {
    Entry { whole: Cell::of(verdict, reason), ..ran(profile, &[]) }
}

/// An execution that came to no ordinary end.
fn in_trouble(verdict: Verdict, reason: &str, entry: Entry) -> Entry {
    Entry { whole: Cell::of(verdict, reason), ..entry }
}

/// What the findings are about, whether environments differ in it, and whether
/// that is a failure.
fn found(columns: &[Vec<Entry>]) -> Vec<(String, bool, bool)> {
    let of = |finding: Finding| {
        let of = match finding.of {
            Of::Checkpoint(claim) => claim.id,
            Of::Whole => "whole".to_owned(),
            Of::Wire(_) => "wire".to_owned(),
        };
        (format!("{} {of}", finding.name.profile), finding.differs, finding.fails)
    };
    findings(&compare(columns)).into_iter().map(of).collect()
}

fn finding(of: &str, differs: bool, fails: bool) -> (String, bool, bool) {
    (of.to_owned(), differs, fails)
}

/// Each environment's verdict on the claim `a` at one profile.
fn found_of(verdicts: &[Verdict]) -> Vec<(String, bool, bool)> {
    let columns: Vec<_> = verdicts.iter().map(|one| vec![ran("json", &[("a", *one)])]).collect();
    found(&columns)
}

#[test]
fn what_holds_everywhere_is_no_finding() {
    assert_eq!(found_of(&[Pass, Pass, Pass]), []);
    assert_eq!(found(&[]), []);
}

#[test]
fn double_and_socket_are_to_agree() {
    for (double, socket) in [(Pass, Fail), (Fail, Pass), (Pass, Warn), (Fail, NotExercised)] {
        let expected = [finding("json a", true, true)];
        assert_eq!(found_of(&[double, socket, double]), expected, "{double} {socket}");
        assert_eq!(found_of(&[double, socket]), expected, "{double} {socket}");
    }
}

#[test]
fn what_is_outside_may_differ() {
    assert_eq!(found_of(&[Pass, Pass, Fail]), [finding("json a", true, false)]);
    assert_eq!(found_of(&[Fail, Fail, Pass]), [finding("json a", true, false)]);
}

#[test]
fn what_holds_nowhere_does_not_differ_and_is_named() {
    assert_eq!(found_of(&[Fail, Fail, Fail]), [finding("json a", false, false)]);
    assert_eq!(found_of(&[Warn, Warn, Skip]), [finding("json a", false, false)]);
}

#[test]
fn what_does_not_apply_or_was_cancelled_differs_from_nothing() {
    assert_eq!(found_of(&[Pass, Pass, Skip]), []);
    assert_eq!(found_of(&[Pass, Skip, Pass]), []);
    assert_eq!(found_of(&[Pass, Cancelled, Cancelled]), []);
}

#[test]
fn each_claim_and_each_profile_is_looked_at() {
    let double = vec![ran("a", &[("x", Pass), ("y", Pass)]), ran("b", &[("x", Pass)])];
    let socket = vec![ran("a", &[("x", Pass), ("y", Fail)]), ran("b", &[("x", Warn)])];
    assert_eq!(found(&[double, socket]), [finding("a y", true, true), finding("b x", true, true)]);
}

#[test]
fn a_wire_that_differs_is_a_failure_though_the_verdicts_agree() {
    let entry = || ran("json", &[("a", Pass)]);
    let double = || vec![with_wire("> POST {server}/mcp\n", entry())];
    let socket = vec![with_wire("> POST {server}/other\n", entry())];
    assert_eq!(found(&[double(), double()]), []);
    assert_eq!(found(&[double(), socket.clone()]), [finding("json wire", true, true)]);
    let rows = compare(&[double(), socket]);
    let Wire::Different(lines) = &rows[0].wire else { panic!("they differ") };
    assert!(lines.contains("- > POST {server}/mcp\n+ > POST {server}/other"), "{lines}");
    assert_eq!(found(&[double(), vec![entry()]]), [], "one that was not kept is not compared");
}

#[test]
fn trouble_is_said_once_and_not_of_every_claim() {
    let held = || vec![ran("json", &[("a", Pass), ("b", Pass)])];
    let late = ran("json", &[("a", Pass), ("b", Timeout)]);
    let late = vec![in_trouble(Timeout, "it was not finished after 60 s", late)];
    assert_eq!(found(&[held(), held(), late.clone()]), [finding("json whole", true, false)]);
    assert_eq!(found(&[held(), late, held()]), [finding("json whole", true, true)]);
    let gone = ran("json", &[("a", NotExercised), ("b", NotExercised)]);
    let gone = || vec![in_trouble(Fail, "no such program", gone.clone())];
    assert_eq!(found(&[held(), held(), gone()]), [finding("json whole", true, false)]);
    assert_eq!(found(&[gone(), gone(), gone()]), [finding("json whole", false, false)]);
}

#[test]
fn what_does_not_run_stands_for_every_case() {
    let cases = || {
        let entry = |case| of_case(case, ran("json", &[("a", Pass)]));
        vec![entry("first"), entry("second")]
    };
    let outside = vec![bare("json", Skip, "only the built-in client can show what it claims")];
    let rows = compare(&[cases(), cases(), outside]);
    let names: Vec<_> = rows.iter().map(|row| row.name.case.as_deref()).collect();
    assert_eq!(names, [Some("first"), Some("second")]);
    for row in &rows {
        let cells: Vec<_> = row.cells.iter().flatten().map(|cell| cell.verdict).collect();
        assert_eq!(cells, [Pass, Pass, Skip]);
        assert_eq!(row.checkpoints[0].1[OUTSIDE], row.cells[OUTSIDE], "with its reason");
    }
    assert!(findings(&rows).is_empty());
}

#[test]
fn a_check_that_cannot_be_run_is_broken_for_every_profile() {
    let broken = |profile| bare(profile, Error, "the check is broken: no `drive`");
    // In memory it is compiled once, elsewhere once for each profile.
    let rows = compare(&[vec![broken("a")], vec![broken("a"), broken("b")]]);
    let names: Vec<_> = rows.iter().map(|row| row.name.profile.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert!(rows.iter().all(|row| row.cells.iter().all(Option::is_some)));
    let found = findings(&rows);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|finding| !finding.differs && finding.of == Of::Whole));
}

#[test]
fn a_profile_that_looks_like_another_from_outside_has_no_cell_there() {
    let both = || vec![ran("a", &[("x", Pass)]), ran("b", &[("x", Pass)])];
    let rows = compare(&[both(), both(), vec![ran("a", &[("x", Fail)])]]);
    assert!(rows[0].cells[OUTSIDE].is_some());
    assert!(rows[1].cells[OUTSIDE].is_none());
    assert_eq!(rows[1].checkpoints[0].1[OUTSIDE], None);
    assert_eq!(findings(&rows).len(), 1, "of the profile that ran");
}

#[test]
fn rows_of_one_check_stand_together() {
    let other = Entry { name: Name::new("two", "a", None), ..ran("a", &[("x", Pass)]) };
    let double = vec![ran("a", &[("x", Pass)]), other];
    let socket = vec![ran("b", &[("x", Pass)])];
    let rows = compare(&[double, socket]);
    let names: Vec<_> = rows.iter().map(|row| row.name.check.as_str()).collect();
    assert_eq!(names, ["one", "one", "two"]);
}

#[test]
fn an_execution_is_called_by_its_gravest_verdict() {
    for (verdicts, gravest) in [
        (vec![("a", Pass), ("b", Warn), ("c", Skip)], Warn),
        (vec![("a", Timeout), ("b", Fail)], Fail),
        (vec![("a", Pass), ("b", NotExercised)], NotExercised),
        (vec![("a", Skip), ("b", Pass)], Pass),
        (vec![("a", Skip)], Skip),
    ] {
        assert_eq!(ran("json", &verdicts).whole.verdict, gravest, "{verdicts:?}");
    }
}

#[test]
fn counts_are_those_of_a_run() {
    let column = vec![
        ran("a", &[("x", Pass)]),
        ran("b", &[("x", Fail)]),
        ran("c", &[("x", Warn)]),
        bare("d", Skip, "not applicable to 2025-03-26"),
        bare("e", Cancelled, ""),
        in_trouble(Error, "the check is broken: no", ran("f", &[("x", Error)])),
    ];
    let matrix = Matrix { rows: compare(&[column]), ..Matrix::default() };
    let expected = Counts {
        ran: 3,
        skipped: 1,
        broken: 1,
        cancelled: 1,
        failed: 1,
        warned: 1,
        ..Counts::default()
    };
    assert_eq!(matrix.counts(DOUBLE), expected);
    assert_eq!(matrix.counts(OUTSIDE), Counts::default());
}
