//! Headers, profiles and folders that are wrong.

use std::fs;
use std::os::unix::fs::symlink;

use crate::place::{Place, check};

#[test]
fn a_header_is_wrong() {
    let claim = "//! called  MUST  add receives a = 17\n";
    let header = |from: &str, to: &str| check("").replace(from, to);
    for (bad, words) in [
        (header("//!\n", "//! tgas: tools\n//!\n"), "tags"),
        (header(claim, &claim.repeat(2)), "called"),
        (header(claim, ""), "checkpoint"),
        (header("MUST", "MAST"), "MUST"),
        (
            header(claim, &format!("{claim}//! wire-schema  MUST  All is valid\n")),
            "declared in none",
        ),
        (header("//!\n", "//! invalid:\n//!\n"), "has no value"),
    ] {
        let place = Place::with(&bad);
        place.run(&[]).exits(3);
        let execution = place.execution("bad");
        assert_eq!(execution["outcome"], "error");
        assert!(execution.to_string().contains(words), "{words}: {execution:#}");
        assert!(execution.to_string().contains("bad.rhai"), "{execution:#}");
        assert_eq!(place.outcome("good"), "pass");
        place.is_tidy();
    }
}

#[test]
fn a_checkpoint_is_decided_that_is_not_declared() {
    let bad = check("").replace("seen.equal(\"called\"", "seen.equal(\"caled\"");
    let place = Place::with(&bad);
    place.run(&[]).exits(3);
    let said = place.execution("bad").to_string();
    assert!(said.contains("declares no checkpoint `caled`; did you mean `called`?"), "{said}");
}

#[test]
fn a_profile_is_no_profile() {
    for (text, words) in [
        (&b"{ \"revision\": 1 }"[..], "profiles/mine.toml"),
        (b"revision = \"2025-11-25\"\nrevision = \"2025-11-25\"\n", "duplicate key"),
        (b"revision = 7\n", "profiles/mine.toml"),
        (b"", "revision"),
        (b"revision = \"\xff\"\n", "UTF-8"),
        (b"revision = \"2025-11-25\"\n[policy]\nversions = []\n", "the policy accepts no version"),
    ] {
        let place = Place::new();
        place.write("profiles/mine.toml", text);
        place.command(&["run"]).exits(2).says(words);
        place.is_tidy();
    }
}

#[test]
fn the_folder_of_checks_is_no_such_folder() {
    let place = Place::new();
    place.run(&["--checks", "nowhere"]).exits(2).says("there is no folder of checks at `nowhere`");
    fs::create_dir(place.path("profiles")).unwrap();
    fs::remove_dir(place.path("profiles")).unwrap();
    place.write("checks/good.rhai", check(""));
    place.run(&["--checks", "checks/good.rhai"]).exits(2).says("there is no folder");
    assert!(!place.path("report.json").exists(), "no report of a run that was none");
    place.is_tidy();
}

#[test]
fn the_folder_of_checks_is_empty() {
    let place = Place::new();
    fs::remove_file(place.path("checks/good.rhai")).unwrap();
    place.run(&[]).exits(2).says("holds no check").says("mcp-checks new");
    place.write("checks/_lib/mine.rhai", "fn one() { 1 }");
    place.run(&[]).exits(2).says("holds no check");
    assert!(!place.path("report.json").exists());
}

#[test]
fn the_folder_of_checks_loops() {
    let place = Place::new();
    symlink("..", place.path("checks/around")).unwrap();
    symlink("self", place.path("checks/self")).unwrap();
    symlink("self.rhai", place.path("checks/self.rhai")).unwrap();
    symlink("/etc/passwd", place.path("checks/outside.rhai")).unwrap();
    let ran = place.run(&[]);
    assert_eq!(place.outcome("good"), "pass");
    assert_eq!(place.report()["executions"].as_array().unwrap().len(), 1);
    // A check that does not run is not passed over in silence.
    let ran = ran.exits(2).says("checks/around").says("checks/outside.rhai");
    assert!(!ran.stderr.contains("root:"), "{}", ran.stderr);
    place.is_tidy();
}

#[test]
fn a_check_is_not_utf_8() {
    let place = Place::new();
    place.write("checks/bad.rhai", b"//! Caf\xe9.\n");
    place.run(&[]).exits(3);
    let execution = place.execution("bad");
    assert!(execution.to_string().contains("UTF-8"), "{execution:#}");
    assert_eq!(place.outcome("good"), "pass");
    place.is_tidy();
}

#[test]
fn what_is_ignored_on_purpose_is_no_problem() {
    let place = Place::new();
    symlink("good.rhai", place.path("checks/_draft.rhai")).unwrap();
    symlink("good.rhai", place.path("checks/.hidden.rhai")).unwrap();
    symlink("nowhere", place.path("checks/notes.md")).unwrap();
    place.run(&[]).exits(0);
    place.write("checks/no id.rhai", check(""));
    place.run(&[]).exits(2).says("cannot be the name of a check");
    assert_eq!(place.outcome("good"), "pass");
}

#[test]
fn a_file_begins_with_a_byte_order_mark() {
    let place = Place::with(&format!("\u{feff}{}", check("")));
    place.write("profiles/mine.toml", "\u{feff}revision = \"2025-11-25\"\n");
    place.command(&["run", "--format", "json", "--output", "report.json"]).exits(0);
    assert_eq!(place.outcome("bad"), "pass");
}

#[test]
fn a_name_obeys_no_terminal() {
    let place = Place::new();
    place.write("checks/a\u{1b}]0;b\u{7}\u{202e}.rhai", check(""));
    let ran = place.run(&[]).exits(2).says("a\\x1b]0;b\\x07\\xe2\\x80\\xae.rhai");
    assert!(!ran.stderr.contains(['\u{7}', '\u{202e}']), "{:?}", ran.stderr);
}

#[test]
fn a_script_is_too_long() {
    let place = Place::with(&format!("{}\n// {}\n", check(""), "x".repeat(2_000_000)));
    let ran = place.run(&[]).exits(3);
    assert!(ran.elapsed < std::time::Duration::from_secs(10), "{:?}", ran.elapsed);
    assert!(place.execution("bad").to_string().contains("at most 1048576 are read"));
    assert_eq!(place.outcome("good"), "pass");
}
