//! `new` and `init`.

use std::fs;

use crate::place::Place;

#[test]
fn a_new_check_passes_as_it_stands() {
    let place = Place::new();
    let ran = place.run(&["new", "mine/first"]).exits(0);
    assert_eq!(ran.stdout, "checks/mine/first.rhai\n");
    assert!(ran.stderr.contains("mcp-checks run mine/first"), "{}", ran.stderr);
    assert!(ran.stderr.contains("takes the place of the built-in checks"), "{}", ran.stderr);
    assert!(ran.stderr.contains("mcp-checks init"), "{}", ran.stderr);
    let ran = place.run(&["new", "mine/second", "--server"]).exits(0);
    assert!(!ran.stderr.contains("takes the place"), "{}", ran.stderr);
    let ran = place.run(&["run", "--format", "json"]).exits(0);
    let outcomes = ran.outcomes();
    assert_eq!(outcomes.len(), 16, "two checks for eight profiles");
    assert!(
        outcomes.iter().all(|(_, _, outcome)| outcome == "pass" || outcome == "skip"),
        "{outcomes:?}"
    );
    assert_eq!(place.files(), ["checks/mine/first.rhai", "checks/mine/second.rhai"]);
}

#[test]
fn new_overwrites_nothing() {
    let place = Place::new();
    place.write("checks/mine.rhai", "mine");
    let ran = place.run(&["new", "mine"]).exits(2);
    assert!(ran.stderr.contains("`checks/mine.rhai` cannot be written: it is there already"));
    assert_eq!(place.read("checks/mine.rhai"), "mine");
}

#[test]
fn new_takes_ids_alone() {
    let place = Place::new();
    for id in ["_lib/a", "a b", "../a", "a//b", "/a", ".a", ""] {
        let ran = place.run(&["new", id]).exits(2);
        assert!(ran.stderr.contains("cannot be the id of a check"), "{id}: {}", ran.stderr);
    }
    assert_eq!(place.files(), Vec::<String>::new());
    place.run(&["new", "a.rhai", "--checks", "other"]).exits(0);
    assert_eq!(place.files(), ["other/a.rhai"]);
}

#[test]
fn init_writes_the_built_in_checks_and_profiles() {
    let place = Place::new();
    let built_in = place.run(&["list"]).exits(0).stdout;
    let ran = place.run(&["init"]).exits(0);
    let count = place.files().len();
    assert_eq!(ran.stdout, format!("{count} written, 0 overwritten, 0 unchanged, 0 kept\n"));
    assert!(place.files().contains(&"checks/_lib/wire.rhai".to_owned()));
    assert!(place.files().contains(&"profiles/session-http.toml".to_owned()));
    assert_eq!(place.run(&["list"]).exits(0).stdout, built_in);

    let original = place.read("profiles/session-http.toml");
    place.write("profiles/session-http.toml", "mine");
    fs::remove_file(place.path("checks/_lib/wire.rhai")).unwrap();
    let ran = place.run(&["init"]).exits(0);
    assert!(ran.stdout.starts_with("1 written, 0 overwritten, "), "{}", ran.stdout);
    assert!(ran.stdout.ends_with(", 1 kept\n"), "{}", ran.stdout);
    assert!(ran.stderr.contains("  profiles/session-http.toml"), "{}", ran.stderr);
    assert_eq!(place.read("profiles/session-http.toml"), "mine");

    let ran = place.run(&["init", "--force"]).exits(0);
    assert!(ran.stdout.starts_with("0 written, 1 overwritten, "), "{}", ran.stdout);
    assert_eq!(place.read("profiles/session-http.toml"), original);
    let ran = place.run(&["init", "elsewhere"]).exits(0);
    assert!(ran.stdout.starts_with(&format!("{count} written, ")), "{}", ran.stdout);
}
