//! Recorded wires: `run` and `review`.

use crate::place::{GOOD, Place};

const SNAPSHOT: &str = "snapshots/one.snap";
const PENDING: &str = "snapshots/one.snap.new";
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

#[test]
fn a_change_that_is_the_same_everywhere_is_shown_and_accepted_once() {
    let place = Place::with(GOOD);
    place.write("checks/two.rhai", GOOD);
    place.run(&["run", "--update-snapshots"]).exits(0);
    assert_eq!(place.files().iter().filter(|name| name.ends_with(".snap")).count(), 2);
    let changed =
        |text: &str| text.replacen(r#""arguments":{"a":17}"#, r#""arguments":{"a":18}"#, 1);
    let recorded = [SNAPSHOT, "snapshots/two.snap"].map(|name| {
        let recorded = place.read(name);
        assert_ne!(changed(&recorded), recorded);
        place.write(name, &changed(&recorded));
        recorded
    });
    place.run(&["run"]).exits(1);
    let ran = place.run(&["review"]).exits(1);
    assert_eq!(ran.stdout.matches(r#""arguments":{"a":18}"#).count(), 1, "{}", ran.stdout);
    assert!(ran.stdout.starts_with("10 wires differ in the same way\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("\n  checks    one, two\n  profiles  stateless-http-2025-03-26, "));
    let ran = place.run(&["review", "--list"]).exits(0);
    assert_eq!(ran.stdout, "snapshots/one.snap.new\nsnapshots/two.snap.new\n");
    // A part of the places, then the others.
    let ran = place.run(&["review", "session-http", "--accept"]).exits(0);
    assert_eq!(ran.stderr, "2 accepted, 0 rejected, 0 left as they are\n");
    let ran = place.run(&["run", "--profile", "session-http"]).exits(0);
    assert!(ran.stdout.contains("all held"), "{}", ran.stdout);
    place.run(&["run", "--profile", "stateless-http"]).exits(1);
    let ran = place.run(&["review", "--accept"]).exits(0);
    assert_eq!(ran.stderr, "8 accepted, 0 rejected, 0 left as they are\n");
    assert_eq!([SNAPSHOT, "snapshots/two.snap"].map(|name| place.read(name)), recorded);
    place.run_with(&["run"], &[("CI", "true")]).exits(0);
}

#[test]
fn what_belongs_to_nothing_is_named_and_dropped_where_it_is_written() {
    let place = Place::with(GOOD);
    place.write("profiles/other.toml", "revision = \"2025-11-25\"\n");
    place.write("profiles/gone.toml", "revision = \"2025-11-25\"\n");
    place.run(&["run", "--update-snapshots"]).exits(0);
    place.write("snapshots/gone.snap", &place.read(SNAPSHOT));
    std::fs::remove_file(place.path("profiles/gone.toml")).unwrap();
    let ran = place.run(&["run", "--format", "json"]).exits(0);
    let named = &ran.json()["summary"]["snapshots"]["unreferenced"];
    let expected = ["snapshots/gone.snap", "snapshots/one.snap, profile gone"];
    assert_eq!(*named, serde_json::json!(expected));
    let ran = place.run(&["run", "--update-snapshots"]).exits(0);
    assert!(ran.stdout.contains("unreferenced  snapshots/gone.snap\n"), "{}", ran.stdout);
    assert!(!place.read(SNAPSHOT).contains("gone"), "{}", place.read(SNAPSHOT));
}
