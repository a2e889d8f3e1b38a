//! Recorded wires: `run` and `review`.

use crate::place::{GOOD, Place};

const SNAPSHOT: &str = "snapshots/session-http/one.snap";
const PENDING: &str = "snapshots/session-http/one.snap.new";
const RUN: [&str; 3] = ["run", "--profile", "session-http"];

/// A folder whose one snapshot is written.
fn recorded() -> Place {
    let place = Place::with(GOOD);
    place.run(&[&RUN[..], &["--update-snapshots"]].concat()).exits(0);
    assert!(place.read(SNAPSHOT).contains("POST"));
    place.run(&RUN).exits(0);
    place
}

#[test]
fn without_a_folder_nothing_is_compared_or_written() {
    let place = Place::with(GOOD);
    place.run(&RUN).exits(0);
    assert_eq!(place.files(), ["checks/one.rhai"]);
}

#[test]
fn one_changed_byte_makes_the_run_fail_until_it_is_accepted() {
    let place = recorded();
    let recorded = place.read(SNAPSHOT);
    // As if the client had sent 18 when it was recorded.
    let changed = recorded.replacen(r#""arguments":{"a":17}"#, r#""arguments":{"a":18}"#, 1);
    assert_ne!(changed, recorded);
    place.write(SNAPSHOT, &changed);
    let ran = place.golden("snapshot-differs", &RUN).exits(1);
    assert!(ran.stdout.contains(r#"- > {"#) && ran.stdout.contains(r#"+ > {"#), "{}", ran.stdout);

    let ran = place.run(&["review"]).exits(1);
    assert!(ran.stdout.starts_with("one for session-http differs\n@@"), "{}", ran.stdout);
    let ran = place.run(&["review", "--list"]).exits(0);
    assert_eq!(ran.stdout, format!("{PENDING}\n"));
    let ran = place.run(&["review", "--accept"]).exits(0);
    assert_eq!(ran.stderr, "1 accepted, 0 rejected, 0 left as they are\n");
    assert_eq!(place.read(SNAPSHOT), recorded);
    place.run(&RUN).exits(0);
    let ran = place.run(&["review"]).exits(0);
    assert_eq!(ran.stderr, "Nothing is pending in `snapshots`.\n");
}

#[test]
fn a_rejected_wire_leaves_the_snapshot_as_it_was() {
    let place = recorded();
    let changed = place.read(SNAPSHOT).replacen("17", "18", 1);
    place.write(SNAPSHOT, &changed);
    place.run(&RUN).exits(1);
    place.run(&["review", "one", "--reject"]).exits(0);
    assert_eq!(place.read(SNAPSHOT), changed);
    assert!(!place.path(PENDING).exists());
    let ran = place.run(&["review", "two", "--accept"]).exits(2);
    assert!(ran.stderr.contains("nothing is pending for `two`"), "{}", ran.stderr);
}

#[test]
fn a_new_snapshot_is_counted_and_an_error_under_ci() {
    let place = recorded();
    place.write("checks/two.rhai", GOOD);
    let ran = place.run(&RUN).exits(0);
    assert!(ran.stdout.contains("two.snap.new"), "{}", ran.stdout);
    let ran = place.run_with(&RUN, &[("CI", "true")]).exits(1);
    assert!(ran.stdout.contains("2 executions ran, 1 failed"), "{}", ran.stdout);
    place.run_with(&RUN, &[("CI", "false")]).exits(0);
    let ran = place.run(&["review", "two", "--colour", "always"]).exits(1);
    assert!(ran.stdout.contains("two for session-http"), "{}", ran.stdout);
    assert!(ran.stdout.contains("\x1b[32m+ "), "{}", ran.stdout);
    place.run(&["review", "two", "--accept"]).exits(0);
    place.run_with(&RUN, &[("CI", "true")]).exits(0);
}

#[test]
fn a_snapshot_that_cannot_be_read_is_a_wrong_file() {
    let place = recorded();
    place.write(SNAPSHOT, "no head\n");
    let ran = place.run(&RUN).exits(2);
    assert!(ran.stdout.contains("its first line is not `---`"), "{}", ran.stdout);
}
