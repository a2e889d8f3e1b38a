//! `run`: what runs, what is reported, and the exit code.

use crate::place::{GOOD, Place};

/// A check whose SHOULD does not hold.
fn warned() -> String {
    GOOD.replace("len < 2", "len < 1")
}

/// A check whose MUST does not hold.
fn failing() -> String {
    GOOD.replace("arguments, #{ a: 17 }", "arguments, #{ a: 18 }")
}

#[test]
fn an_installed_program_works_in_an_empty_folder() {
    let place = Place::new();
    let ran = place.run(&["run", "client/tool-call-basic"]).exits(0);
    assert!(ran.stdout.contains("all held"), "{}", ran.stdout);
    assert_eq!(ran.stderr, "");
    assert_eq!(place.files(), Vec::<String>::new(), "nothing is written");
}

#[test]
fn a_file_is_enough_for_a_check_to_run_for_every_profile_it_applies_to() {
    let place = Place::new();
    place.write("checks/deep/dropped.rhai", GOOD);
    place.write("profiles/old.toml", "revision = \"2025-03-26\"\n");
    place.write("profiles/current.toml", "revision = \"2025-11-25\"\n");
    place.write("profiles/other.toml", "revision = \"2025-06-18\"\n[server]\nsession = \"s\"\n");
    let profiles = |place: &Place| -> Vec<String> {
        let outcomes = place.run(&["run", "--format", "json"]).exits(0).outcomes();
        let ran = outcomes.into_iter().filter(|(_, _, outcome)| outcome == "pass");
        ran.map(|(check, profile, _)| format!("{check} {profile}")).collect()
    };
    let all = ["deep/dropped current", "deep/dropped old", "deep/dropped other"];
    assert_eq!(profiles(&place), all);
    place.write("checks/deep/dropped.rhai", &GOOD.replace("2025-03-26..", "2025-06-18.."));
    assert_eq!(profiles(&place), ["deep/dropped current", "deep/dropped other"]);
    place.write(
        "checks/deep/dropped.rhai",
        &GOOD.replace("//! tags", "//! needs: session\n//! tags"),
    );
    assert_eq!(profiles(&place), ["deep/dropped other"]);
}

#[test]
fn filters_narrow() {
    let place = Place::with(GOOD);
    place.write("checks/two.rhai", &GOOD.replace("tags: tools", "tags: other"));
    let count = |arguments: &[&str]| {
        let arguments = [&["run", "--format", "json"], arguments].concat();
        place.run(&arguments).exits(0).outcomes().len()
    };
    assert_eq!(count(&[]), 16);
    assert_eq!(count(&["--tag", "other"]), 8);
    assert_eq!(count(&["one", "--profile", "session-http"]), 1);
    assert_eq!(count(&["--revision", "2025-03-26", "--revision", "2025-06-18"]), 4);
    let ran = place.run(&["run", "one", "--tag", "other"]).exits(2);
    assert!(ran.stderr.contains("no check is left"), "{}", ran.stderr);
}

#[test]
fn a_level_leaves_weaker_claims_out() {
    let place = Place::with(&warned());
    let arguments = ["run", "--profile", "session-http", "--format", "json"];
    let shown = |level: &[&str]| {
        let ran = place.run(&[&arguments, level].concat()).exits(0).json();
        ran["executions"][0]["checkpoints"].as_array().unwrap().len()
    };
    // Its own two, and `wire-schema`, a MUST.
    assert_eq!(shown(&[]), 3);
    assert_eq!(shown(&["--level", "must"]), 2);
    assert_eq!(shown(&["--level", "SHOULD"]), 3);
    let ran = place.run(&["run", "--level", "mist"]).exits(2);
    assert!(ran.stderr.contains("MUST, SHOULD, MAY and INTEROP"), "{}", ran.stderr);
}

#[test]
fn a_warning_fails_the_run_if_asked_to() {
    let place = Place::with(&warned());
    let ran = place.run(&["run"]).exits(0);
    assert!(ran.stdout.contains("Nothing is called twice"), "it is shown all the same");
    place.run(&["run", "--fail-on", "should"]).exits(1);
    place.run(&["run", "--fail-on", "must"]).exits(0);
    Place::with(&failing()).run(&["run"]).exits(1);
}

#[test]
fn the_first_red_check_ends_the_run_if_asked_to() {
    let place = Place::new();
    for name in ["a", "c"] {
        place.write(&format!("checks/{name}.rhai"), &failing());
    }
    place.write("checks/b.rhai", GOOD);
    let arguments = ["run", "--profile", "session-http", "--format", "json"];
    let outcomes = |more: &[&str]| -> Vec<String> {
        let ran = place.run(&[&arguments, more].concat()).exits(1);
        ran.outcomes().into_iter().map(|(_, _, outcome)| outcome).collect()
    };
    assert_eq!(outcomes(&[]), ["fail", "pass", "fail"]);
    assert_eq!(outcomes(&["--fail-fast"]), ["fail", "cancelled", "cancelled"]);
}

#[test]
fn a_broken_check_stops_no_other() {
    let place = Place::with(GOOD);
    place.write("checks/broken.rhai", "//! Says nothing.\n");
    place.write("checks/failing.rhai", &failing());
    let ran = place.run(&["run", "--format", "json"]).exits(3);
    let passed = ran.outcomes().iter().filter(|(_, _, outcome)| outcome == "pass").count();
    assert_eq!(passed, 5);
    place.run(&["run", "one"]).exits(0);
    place.run(&["run", "failing"]).exits(1);
}

#[test]
fn a_run_in_which_nothing_ran_is_never_green() {
    let place = Place::with(&GOOD.replace("//! tags", "//! needs: refused\n//! tags"));
    let ran = place.run(&["run", "--profile", "session-http"]).exits(4);
    assert!(ran.stdout.contains("policy accepts the server"), "{}", ran.stdout);
    place.write(
        "checks/ping.rhai",
        "//! Pings.\n//!\n//! p MUST It answers\n\nfn drive(c) {}\nfn judge(s) {}\n",
    );
    place.run(&["run", "ping", "--client", "true"]).exits(4);
}

#[test]
fn reports_can_be_read_back() {
    let place = Place::with(&failing());
    let json = place.run(&["run", "--format", "json"]).exits(1).json();
    assert_eq!(json["format"], "mcp-checks/1");
    assert_eq!(json["summary"]["failed"], 5);
    assert_eq!(json["executions"][0]["checkpoints"][0]["verdict"], "fail");
    let ran = place.run(&["run", "--format", "junit", "--output", "report.xml"]).exits(1);
    assert_eq!(ran.stdout, "", "the report went to the file");
    let report = quick_junit::Report::deserialize_from_str(&place.read("report.xml")).unwrap();
    let failures: usize = report.test_suites.iter().map(|suite| suite.failures).sum();
    assert_eq!((report.test_suites.len(), failures), (8, 5));
    let ran = place.run(&["run", "--output", "nowhere/report.txt"]).exits(2);
    assert!(ran.stderr.contains("nowhere/report.txt"), "{}", ran.stderr);
}

#[test]
fn colours_are_for_terminals() {
    let place = Place::with(&failing());
    place.write("checks/broken.rhai", "//! Says nothing.\n");
    let coloured =
        |ran: &crate::place::Ran| (ran.stdout.contains('\x1b'), ran.stderr.contains('\x1b'));
    assert_eq!(coloured(&place.run(&["run"])), (false, false));
    assert_eq!(coloured(&place.run(&["list"])), (false, false));
    assert_eq!(coloured(&place.run(&["list", "--colour", "always"])), (true, true));
    let no_colour = [("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1"), ("TERM", "xterm-256color")];
    assert_eq!(coloured(&place.run_with(&["run"], &no_colour)), (false, false));
    assert_eq!(coloured(&place.run_with(&["list"], &no_colour)), (false, false));
    let ran = place.run(&["run", "--colour", "always", "--output", "report.txt"]);
    assert_eq!(ran.code, 3);
    assert!(place.read("report.txt").contains('\x1b'), "whoever says always means it");
}

#[test]
fn what_is_wrong_with_options_is_said() {
    let place = Place::with(GOOD);
    for (arguments, words) in [
        (&["--jobs", "0"][..], "from 1 on"),
        (&["--timeout", "0"], "greater than 0"),
        (&["--server", "localhost:3001/mcp"], "is not the URL of a server"),
        (&["--client", "node 'x"], "a quote that is never closed"),
        (&["--client", ""], "the client's command is empty"),
        (&["--header", "NoColon"], "no colon"),
        (&["--client", "true", "--server", "http://a/"], "cannot be used with"),
        (&["--checks", "nowhere"], "there is no folder of checks"),
        (&["--profiles", "nowhere"], "cannot be listed"),
    ] {
        let ran = place.run(&[&["run"], arguments].concat()).exits(2);
        let words_of = ran.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words_of.contains(words), "{arguments:?}: {}", ran.stderr);
        assert_eq!(ran.stdout, "", "{arguments:?}");
    }
}

#[test]
fn the_built_in_client_speaks_over_sockets_too() {
    let place = Place::with(GOOD);
    let ran = place.run(&["run", "--over", "http"]).exits(0);
    assert!(ran.stdout.starts_with("loopback: 8 executions"), "{}", ran.stdout);
}
