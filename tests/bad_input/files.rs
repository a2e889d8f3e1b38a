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

/// A profile, a script and a file of expected failures whose lines have megabytes.
#[test]
fn a_line_of_megabytes_is_shown_in_parts() {
    let long = |length: usize| "x".repeat(length);
    let place = Place::new();
    place.write(
        "checks/bad.rhai",
        check("").replace(
            "//! called",
            &format!("//! other  MUST  {}\n//! third  MAST  b\n//! called", long(900_000)),
        ),
    );
    place.write("checks/worse.rhai", check(&format!("client.no_such(\"{}\");", long(900_000))));
    let ran = place.run(&[]).exits(3);
    assert!(ran.elapsed < std::time::Duration::from_secs(20), "{:?}", ran.elapsed);
    for name in ["bad", "worse"] {
        let said = place.execution(name).to_string();
        assert!(said.len() < 10_000, "{name}: {} bytes: {said:.2000}", said.len());
    }
    place.write(
        "profiles/mine.toml",
        format!(
            "revision = \"2025-11-25\" # {}\nzone = \"{}\"\n",
            long(3_000_000),
            long(3_000_000)
        ),
    );
    let ran = place.command(&["run", "--profiles", "profiles"]).exits(2).says("unknown key `zone`");
    assert!(ran.stderr.len() < 5_000, "{} bytes", ran.stderr.len());
    std::fs::remove_dir_all(place.path("profiles")).unwrap();
    place.write(
        "known.yaml",
        format!(
            "expected:\n  - id: \"{}\"\n    reason: \"{}\"\n    bogus: 1\n",
            long(400_000),
            long(90_000)
        ),
    );
    let ran = place.run(&["--expected-failures", "known.yaml"]).exits(2).says("no key `bogus`");
    assert!(ran.stderr.len() < 10_000, "{} bytes", ran.stderr.len());
}

#[test]
fn as_many_problems_as_there_are_lines_are_counted() {
    let place = Place::with(
        &check("")
            .replace("//! called", &format!("{}//! called", "//! other  MAST  b\n".repeat(20_000))),
    );
    let ran = place.run(&[]).exits(3);
    assert!(ran.elapsed < std::time::Duration::from_secs(20), "{:?}", ran.elapsed);
    let said = place.execution("bad").to_string();
    assert!(said.contains("has 20000 problems, of which these are the first 50"), "{said:.2000}");
    assert!(said.len() < 100_000, "{} bytes", said.len());
}

/// As in `run`: a check that does not run must not look like one that held.
#[test]
fn what_is_passed_over_is_told_by_every_command_that_runs_checks() {
    let place = Place::new();
    place.command(&["matrix", "--profile", "session-http", "--client", "true"]).exits(1);
    symlink("good.rhai", place.path("checks/linked.rhai")).unwrap();
    place
        .command(&["matrix", "--profile", "session-http", "--client", "true"])
        .exits(2)
        .says("checks/linked.rhai");
    place.command(&["prove", "--fault", "accepts-any-origin"]).exits(2).says("checks/linked.rhai");
}
