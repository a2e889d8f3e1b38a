//! Files of expected failures on the command line: exit codes, reports, and what
//! is written.

use crate::place::{GOOD, Place};

const FILE: &str = "expected.yaml";

/// A check whose MUST fails at the revisions before 2025-11-25; its SHOULD fails
/// everywhere.
fn failing() -> String {
    GOOD.replace(
        "arguments, #{ a: 17 }",
        "arguments, #{ a: if client_version() < \"2025-11-25\" { 18 } else { 17 } }",
    )
    .replace("client_version()", "seen.revision")
    .replace(".len < 2", ".len < 1")
}

fn place(expected: &str) -> Place {
    let place = Place::with(&failing());
    place.write(FILE, expected);
    place
}

fn run(place: &Place, arguments: &[&str]) -> crate::place::Ran {
    place.run(&[&["run", "--expected-failures", FILE], arguments].concat())
}

const KNOWN: &str = "\
expected:
  - id: one#called
    reason: it adds the wrong number
    revision: [2025-03-26, 2025-06-18]
    issue: https://example.com/issues/7
";

#[test]
fn what_is_expected_fails_nothing() {
    let place = place(KNOWN);
    place.run(&["run"]).exits(1);
    run(&place, &[]).exits(0);
    // The SHOULD is a warning, and fails the run if it is asked to.
    run(&place, &["--fail-on", "should"]).exits(1);
    place.write(FILE, &format!("{KNOWN}  - id: one#gentle\n    reason: by design\n"));
    run(&place, &["--fail-on", "should"]).exits(0);
    let arguments = ["run", "--expected-failures", FILE, "--fail-on", "should"];
    place.golden("expected-failures", &arguments).exits(0);
}

#[test]
fn each_report_shows_it_apart() {
    let place = place(KNOWN);
    let report = run(&place, &["--format", "json"]).exits(0).json();
    let executions = report["executions"].as_array().unwrap();
    let execution =
        executions.iter().find(|one| one["profile"] == "stateless-http-2025-03-26").unwrap();
    assert_eq!(execution["outcome"], "warn", "the SHOULD is not expected");
    assert_eq!(execution["red"], false);
    let called = &execution["checkpoints"][0];
    assert_eq!(called["verdict"], "fail");
    assert_eq!(called["red"], false);
    let failure = &called["expected_failure"];
    assert_eq!(failure["reason"], "it adds the wrong number");
    assert_eq!(failure["issue"], "https://example.com/issues/7");
    assert_eq!(failure["line"], 2);
    assert_eq!(report["summary"]["failed"], 0);
    let junit = run(&place, &["--format", "junit"]).exits(0).stdout;
    assert!(junit.contains("failures=\"0\""), "{junit}");
    let line =
        "called: failed as expected: it adds the wrong number (https://example.com/issues/7)";
    assert!(junit.contains(line), "{junit}");
}

#[test]
fn what_holds_is_stale() {
    // It holds at 2025-11-25.
    let file = KNOWN.replace("    revision: [2025-03-26, 2025-06-18]\n", "");
    let place = place(&file);
    let arguments = ["run", "--expected-failures", FILE];
    place.golden("expected-failure-stale", &arguments).exits(1);
    run(&place, &["--stale", "warn"]).exits(0);
    let report = run(&place, &["--format", "json"]).exits(1).json();
    let stale = &report["summary"]["stale"][0];
    assert_eq!(stale["place"], "expected.yaml:2");
    assert_eq!(stale["advice"], "say where it does not: revision: [2025-03-26, 2025-06-18]");
    let junit = run(&place, &["--format", "junit"]).exits(1).stdout;
    assert!(junit.contains("failures=\"1\""), "{junit}");
    // At a revision where it fails everywhere nothing is stale.
    run(&place, &["--revision", "2025-06-18"]).exits(0);
    // Where it is flaky, neither.
    place.write(FILE, &(file + "    flaky: true\n"));
    run(&place, &[]).exits(0);
}

#[test]
fn what_was_not_selected_is_neither() {
    let place = place(&format!("{KNOWN}  - id: two\n    reason: r\n"));
    place.write("checks/two.rhai", GOOD);
    run(&place, &["one"]).exits(0);
    // An entry about a claim that is left out of the run says nothing of it.
    place.write(FILE, &format!("{KNOWN}  - id: one#gentle\n    reason: r\n"));
    run(&place, &["one", "--level", "must"]).exits(0);
}

#[test]
fn an_entry_past_its_day_counts_no_more() {
    let place = place(&format!("{KNOWN}    until: 2020-01-01\n"));
    let ran = run(&place, &[]).exits(1);
    assert!(ran.stderr.contains("counted until 2020-01-01"), "{}", ran.stderr);
    place.write(FILE, &format!("{KNOWN}    until: 9999-12-31\n"));
    run(&place, &[]).exits(0);
}

#[test]
fn a_broken_check_is_never_expected() {
    let place = place("expected:\n  - id: one\n    reason: r\n");
    place.write("checks/one.rhai", &failing().replace("seen.check", "throw \"no\"; seen.check"));
    run(&place, &[]).exits(3);
}

#[test]
fn what_is_wrong_stops_before_anything_runs() {
    let place = place("expected:\n  - id: one#caled\n    reason: r\n");
    place.golden("expected-failure-unknown", &["run", "--expected-failures", FILE]).exits(2);
    place.write(FILE, "expected:\n  - id: one#called\n    reason: \"\"\n");
    assert!(run(&place, &[]).exits(2).stderr.contains("an entry has no reason"));
    place.write(FILE, &"# \n".repeat(400_000));
    assert!(run(&place, &[]).exits(2).stderr.contains("is larger than 1048576 bytes"));
    std::fs::write(place.path(FILE), b"expected: []  # \xff\n").unwrap();
    assert!(run(&place, &[]).exits(2).stderr.contains("is not UTF-8 from byte 16 on"));
    std::fs::remove_file(place.path(FILE)).unwrap();
    assert!(run(&place, &[]).exits(2).stderr.contains("--write-expected-failures FILE"));
    std::fs::create_dir(place.path(FILE)).unwrap();
    assert!(run(&place, &[]).exits(2).stderr.contains("cannot be used"));
    assert!(place.run(&["run", "--stale", "warn"]).exits(2).stderr.contains("--stale is about"));
    place.run(&["run", "--prune"]).exits(2);
    let both = ["run", "--expected-failures", FILE, "--write-expected-failures", FILE];
    place.run(&both).exits(2);
}

#[test]
fn a_file_is_written_given_reasons_and_kept() {
    let place = Place::with(&failing());
    let write = ["run", "--write-expected-failures", FILE];
    let ran = place.run(&write).exits(1);
    assert!(ran.stderr.contains("1 added"), "{}", ran.stderr);
    let entry = "  - id: one#called\n    revision: [2025-03-26, 2025-06-18]\n    reason: \"\"\n";
    let written = place.read(FILE);
    assert!(written.ends_with(&format!("expected:\n{entry}")), "{written}");
    // The next run refuses it; another that writes does not, and adds nothing.
    run(&place, &[]).exits(2);
    place.run(&write).exits(1);
    assert_eq!(place.read(FILE), written);
    let reasoned = written.replace("\"\"", "slow   # ours");
    place.write(FILE, &reasoned);
    run(&place, &[]).exits(0);
    place.run(&write).exits(0);
    assert_eq!(place.read(FILE), reasoned);
    // Mended, it is stale, and goes if that is asked for.
    place.write("checks/one.rhai", GOOD);
    run(&place, &[]).exits(1);
    place.run(&[&write[..], &["--prune"]].concat()).exits(0);
    assert!(place.read(FILE).ends_with("expected:\n  []\n"), "{}", place.read(FILE));
    run(&place, &[]).exits(0);
    assert_eq!(place.files(), ["checks/one.rhai", FILE]);
}

/// The example of the document is right, and the built-in client makes each
/// entry of it stale that is not flaky.
#[test]
fn the_example_of_the_document_is_right() {
    let text = include_str!("../../docs/reports.md");
    let section = &text[text.find("\n## Expected failures\n").unwrap()..];
    let begin = section.find("```yaml\n").unwrap() + "```yaml\n".len();
    let example = &section[begin..begin + section[begin..].find("```").unwrap()];
    let place = Place::new();
    place.write(FILE, example);
    let checks = ["client/session-echo", "client/initialize-handshake"];
    let ran = run(&place, &checks).exits(1);
    assert!(ran.stdout.contains("expected.yaml:4: client/session-echo#"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("client/initialize-handshake"), "{}", ran.stdout);
    run(&place, &[&checks[..], &["--stale", "warn"]].concat()).exits(0);
}
