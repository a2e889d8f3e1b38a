//! Several reports of one run: `--report` and `--keep-exchanges`.

use serde_json::Value;

use crate::place::{GOOD, Place, Ran};

const RUN: [&str; 3] = ["run", "--profile", "session-http"];

fn run(place: &Place, more: &[&str]) -> Ran {
    place.run(&[&RUN[..], more].concat())
}

fn json(place: &Place, file: &str) -> Value {
    serde_json::from_str(&place.read(file)).unwrap()
}

/// A folder with one check that holds and one that does not.
fn both() -> Place {
    let place = Place::with(&GOOD.replace("judge(seen) {", "judge(seen) {\n    log(\"noted\");"));
    place.write("checks/two.rhai", &GOOD.replace("arguments, #{ a: 17 }", "arguments, #{ a: 18 }"));
    place
}

/// A report for a person without its last line, which says how long it took.
fn timeless(report: &str) -> &str {
    let (rest, _) = report.trim_end().rsplit_once("\n").unwrap();
    rest
}

/// How many exchanges each execution of a report in JSON has.
fn exchanges(report: &Value) -> Vec<usize> {
    let executions = report["executions"].as_array().unwrap();
    executions.iter().map(|one| one["exchanges"].as_array().unwrap().len()).collect()
}

#[test]
fn one_run_writes_as_many_reports_as_are_asked_for() {
    let place = both();
    let files = ["--report", "junit=r.xml", "--report", "json=r.json", "--report", "human=r.txt"];
    let ran = run(&place, &files).exits(1);
    assert_eq!(place.read("r.txt"), ran.stdout);
    assert_eq!(json(&place, "r.json")["summary"]["failed"], 1);
    let junit = quick_junit::Report::deserialize_from_str(&place.read("r.xml")).unwrap();
    assert_eq!((junit.tests, junit.failures), (2, 1));
    let written = place.files();
    assert!(!written.iter().any(|name| name.ends_with(".unfinished")), "{written:?}");
    let ran = run(&place, &["--format", "json", "--output", "o.json", "--report", "junit=o.xml"]);
    assert_eq!(ran.exits(1).stdout, "");
    assert_eq!(json(&place, "o.json")["summary"]["failed"], 1);
    assert!(place.read("o.xml").contains("<failure"));
}

#[test]
fn exchanges_of_what_holds_are_kept_without_being_shown() {
    let place = both();
    let asked = ["--report", "json=r.json", "--report", "junit=r.xml"];
    let short = run(&place, &asked).exits(1).stdout;
    let [holds, fails] = exchanges(&json(&place, "r.json"))[..] else { panic!("two executions") };
    assert!(holds == 0 && fails > 2, "{holds} {fails}");
    let kept = run(&place, &[&asked[..], &["--keep-exchanges"]].concat()).exits(1).stdout;
    assert_eq!(timeless(&kept), timeless(&short), "the report for a person stays as it is");
    assert!(!place.read("r.xml").contains("noted"), "so does the one for CI");
    let report = json(&place, "r.json");
    assert_eq!(exchanges(&report), [fails, fails]);
    assert_eq!(report["executions"][0]["log"][0]["text"], "noted");
    let shown = run(&place, &[&asked[..], &["--trace"]].concat()).exits(1).stdout;
    assert!(shown.contains("wire    one  session-http"), "{shown}");
    assert_eq!(exchanges(&json(&place, "r.json")), [fails, fails]);
}

#[test]
fn what_is_wrong_with_a_report_is_said_before_anything_runs() {
    let place = both();
    place.write("folder/file", "");
    place.write("r.xml", "the report of yesterday");
    for (arguments, words) in [
        (&["--report", "xml=r.xml"][..], "`--report xml=r.xml`: `xml` is no format of a report"),
        (&["--report", "xml=r.xml"], "the formats are human, json, junit"),
        (&["--report", "jnuit=r.xml"], "did you mean `junit`?"),
        (&["--report", "r.xml=junit"], "the format comes first: --report junit=r.xml"),
        (&["--report", "r.xml"], "write it as in --report junit=report.xml"),
        (&["--report", "junit"], "`--report junit` names no file"),
        (&["--report", "junit="], "`--report junit=` names no file"),
        (
            &["--report", "json=r.xml", "--report", "junit=./folder/../r.xml"],
            "`--report json=r.xml` and `--report junit=./folder/../r.xml` name the same file",
        ),
        (&["--output", "new.txt", "--report", "json=./new.txt"], "`--output new.txt` and"),
        (&["--report", "json=new", "--report", "json=nowhere/r"], "`--report json=nowhere/r`:"),
        (&["--report", "json=folder"], "name a file in that folder"),
        (&["--keep-exchanges"], "add a report in JSON, as in --report json=report.json"),
        (&["--keep-exchanges", "--report", "junit=r.xml"], "and there is none"),
    ] {
        let ran = run(&place, arguments).exits(2);
        let said = ran.stderr.replace('│', " ");
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(words), "{arguments:?}: {}", ran.stderr);
        assert_eq!(ran.stdout, "", "{arguments:?}");
    }
    assert_eq!(place.files(), ["checks/one.rhai", "checks/two.rhai", "folder/file", "r.xml"]);
    assert_eq!(place.read("r.xml"), "the report of yesterday");
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_written_stops_no_other() {
    let place = both();
    // Whatever is written there fails: the device is always full.
    std::os::unix::fs::symlink("/dev/full", place.path("full.json.unfinished")).unwrap();
    let asked = ["--report", "json=full.json", "--report", "junit=r.xml"];
    let ran = run(&place, &asked).exits(2);
    assert!(ran.stderr.contains("`--report json=full.json`"), "{}", ran.stderr);
    assert!(ran.stdout.contains("2 executions ran"), "{}", ran.stdout);
    assert!(place.read("r.xml").contains("<failure"));
    assert_eq!(place.files(), ["checks/one.rhai", "checks/two.rhai", "r.xml"]);
}

#[test]
fn help_and_completions_know_it() {
    let place = Place::new();
    let help = place.run(&["run", "--help"]).exits(0).stdout;
    for words in ["--report <FORMAT=FILE>", "--keep-exchanges"] {
        assert!(help.contains(words), "{help}");
    }
    for shell in ["bash", "zsh", "fish"] {
        let script = place.run(&["completions", shell]).exits(0).stdout;
        for word in ["report", "keep-exchanges"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}
