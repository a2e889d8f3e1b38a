//! `list`, `show`, `api`, `completions`, and help.

use std::process::Stdio;

use crate::place::{GOOD, Place};

#[test]
fn list_names_titles_revisions_and_tags() {
    let ran = Place::with(GOOD).run(&["list"]).exits(0);
    assert_eq!(ran.stdout, "one\n    Calls one tool.\n    2025-03-26..2025-11-25, tools\n");
    assert_eq!(ran.stderr, "");
}

#[test]
fn list_narrows() {
    let place = Place::with(GOOD);
    let needing = GOOD.replace("//! tags: tools", "//! tags: sessions\n//! needs: session");
    place.write("checks/deep/two.rhai", &needing.replace("..2025-11-25", "..2025-06-18"));
    place.write("checks/deep/three.rhai", &needing);
    let ids = |arguments: &[&str]| -> Vec<String> {
        let arguments = [&["list", "--format", "json"], arguments].concat();
        let listed = place.run(&arguments).exits(0).json();
        let ids = listed["checks"].as_array().unwrap().iter();
        ids.map(|check| check["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&[]), ["deep/three", "deep/two", "one"]);
    assert_eq!(ids(&["deep"]), ["deep/three", "deep/two"]);
    assert_eq!(ids(&["not deep"]), ["one"]);
    assert_eq!(ids(&["--tag", "tools"]), ["one"]);
    assert_eq!(ids(&["--revision", "2025-11-25"]), ["deep/three", "one"]);
    assert_eq!(ids(&["--profile", "session-http"]), ["deep/three", "one"]);
    assert_eq!(ids(&["--profile", "stateless-http"]), ["one"]);
    let none = place.run(&["list", "--tag", "tools", "deep"]).exits(2);
    assert!(none.stderr.contains("no check is left"), "{}", none.stderr);
}

#[test]
fn list_names_what_a_subject_can_take() {
    let place = Place::with(GOOD);
    let client_alone = GOOD.replace("MUST    add", "MUST [builtin]  add");
    let client_alone = client_alone.replace("SHOULD  N", "SHOULD [builtin]  N");
    place.write("checks/inside.rhai", &client_alone.replace("tools", "tools, inside"));
    let of_server = GOOD.replace("fn serve(server)", "fn unused(server)");
    place.write("checks/of-server.rhai", &of_server.replace("//! tags: tools\n", ""));
    let of_host = GOOD.replace("fn drive(client)", "fn operate(host)");
    place.write("checks/of-host.rhai", &of_host);
    let ids = |subject: &str| -> Vec<String> {
        let listed = place.run(&["list", "--format", "json", "--for", subject]).exits(0).json();
        let ids = listed["checks"].as_array().unwrap().iter();
        ids.map(|check| check["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids("builtin"), ["inside", "of-host", "of-server", "one"]);
    assert_eq!(ids("client"), ["one"]);
    assert_eq!(ids("server"), ["of-server"]);
    let tags = place.run(&["list", "--tags"]).exits(0);
    assert_eq!(tags.stdout, "inside  1\ntools   3\n");
    let tags = place.run(&["list", "--tags", "--for", "client", "--format", "json"]).exits(0);
    assert_eq!(tags.json(), serde_json::json!({ "tags": { "tools": 1 } }));
}

#[test]
fn own_checks_replace_the_built_in_ones_or_stand_beside_them() {
    let place = Place::with(GOOD);
    let run = ["run", "--profile", "session-http"];
    let alone = place.run(&run).exits(0);
    assert!(alone.stdout.starts_with("embedded: 1 execution of 1 check "), "{}", alone.stdout);
    assert!(alone.stdout.contains(" built-in checks are left out: "), "{}", alone.stdout);
    assert!(alone.stdout.contains("--with-builtin adds"), "{}", alone.stdout);
    let names = |words: &[&str]| -> Vec<String> {
        let listed = place.run(&[&["list", "--format", "json"], words].concat()).exits(0).json();
        let checks = listed["checks"].as_array().unwrap().iter();
        checks.map(|check| check["id"].as_str().unwrap().to_owned()).collect()
    };
    let both = names(&["--with-builtin"]);
    assert!(both.len() > 100 && both.contains(&"one".to_owned()), "{both:?}");
    // Of two with one id that of the folder counts.
    let taken = "client/tool-call-basic";
    place.write(&format!("checks/{taken}.rhai"), &GOOD.replace("Calls one", "Mine calls one"));
    place.write("snapshots/.keep", "");
    let words =
        [&run[..], &["--with-builtin", "tool-call-basic or one", "client/session-recovery"]];
    let ran = place.run(&words.concat()).exits(0);
    assert!(ran.stdout.contains("1 built-in check is replaced"), "{}", ran.stdout);
    let shown = place.run(&["show", taken, "--with-builtin"]).exits(0);
    assert!(shown.stdout.contains("Mine calls one tool."), "{}", shown.stdout);
    // Nobody has to keep the wire of checks that are not in the folder.
    let pending: Vec<String> = place.files().into_iter().filter(|f| f.contains(".new")).collect();
    assert_eq!(pending, ["snapshots/client/tool-call-basic.snap.new", "snapshots/one.snap.new"]);
    // The program as a client finds both as well.
    let words =
        ["matrix", "client/session-recovery", "one", "--with-builtin", "--profile", "session-http"];
    place.run(&words).exits(0);
}

#[test]
fn list_tells_what_is_broken() {
    let place = Place::with(GOOD);
    place.write("checks/broken.rhai", "//! Says nothing.\nfn serve(server) {}\n");
    let ran = place.run(&["list"]).exits(3);
    assert!(ran.stdout.starts_with("broken\n    broken: the check"), "{}", ran.stdout);
    assert!(ran.stdout.contains("one\n"), "the others are listed: {}", ran.stdout);
    assert!(ran.stderr.contains("checks/broken.rhai"), "{}", ran.stderr);
    let json = place.run(&["list", "--format", "json"]).exits(3).json();
    assert_eq!(json["broken"][0]["id"], "broken");
    assert_eq!(json["checks"][0]["checkpoints"][1]["level"], "SHOULD");
}

#[test]
fn show_tells_everything_of_a_header() {
    let place = Place::new();
    place.write(
        "checks/deep/one.rhai",
        "//! Loses the session. It comes back.\n//!\n\
         //! revisions: 2025-06-18..\n//! tags: sessions, http\n//! needs: session\n\
         //! spec: basic/transports#session-management\n//! task: Call it.\n\
         //! cases: once; twice in a row\n//! scenario: session_lost\n//!\n\
         //! asks   MUST [builtin]     It asks again\n\
         //! early  SHOULD [task; 2025-06-18; spec: MAY]  It is early\n\n\
         fn serve(server) {}\nfn drive(client) {}\nfn judge(seen) {}\n",
    );
    place.golden("show", &["show", "one"]);
}

#[test]
fn show_prints_the_source() {
    let place = Place::with(GOOD);
    assert_eq!(place.run(&["show", "one", "--source"]).exits(0).stdout, GOOD);
    assert_eq!(place.run(&["show", "checks/one.rhai", "--source"]).exits(0).stdout, GOOD);
    let ran = place.run(&["show", "oen"]).exits(2);
    assert!(ran.stderr.contains("did you mean `one`?"), "{}", ran.stderr);
    place.write("checks/a/same.rhai", GOOD);
    place.write("checks/b/same.rhai", GOOD);
    let ran = place.run(&["show", "same"]).exits(2);
    assert!(ran.stderr.contains("name it in full: `a/same` or `b/same`"), "{}", ran.stderr);
    place.write("checks/broken.rhai", "");
    place.run(&["show", "broken"]).exits(3);
}

#[test]
fn api_prints_what_there_is() {
    let place = Place::new();
    let all = place.run(&["api"]).exits(0);
    assert!(all.stdout.contains("server.tool(name: string"), "{}", all.stdout);
    assert!(all.stdout.contains("wire::accept_header(seen)"));
    assert!(all.stdout.contains("operations in one call"));
    let word = place.run(&["api", "every"]).exits(0);
    assert_eq!(word.stdout.matches("seen.").count(), 1, "{}", word.stdout);
    let ran = place.run(&["api", "nonsense"]).exits(2);
    assert!(ran.stderr.contains("the headings are server"), "{}", ran.stderr);
    let ran = place.run(&["api", "--definitions", "editor"]).exits(0);
    assert_eq!(ran.stdout, "editor/mcp-checks.d.rhai\n");
    assert!(place.read("editor/mcp-checks.d.rhai").starts_with("module static;\n"));
}

#[test]
fn completions_are_there_for_each_shell() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = place.run(&["completions", shell]).exits(0);
        assert!(ran.stdout.contains("update-snapshots"), "{shell}");
    }
}

#[test]
fn every_subcommand_has_help_with_an_example() {
    let place = Place::new();
    let all = place.run(&["--help"]).exits(0).stdout;
    assert!(all.contains("130  cancelled by the user"), "{all}");
    let names = all.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names: Vec<&str> = names
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(names.len() >= 10, "{names:?}");
    for name in names {
        let help = place.run(&[name, "--help"]).exits(0).stdout;
        assert!(help.contains("Examples:\n  "), "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    }
    assert_eq!(place.run(&["nonsense"]).exits(2).stdout, "");
}

#[test]
fn whoever_closes_the_pipe_has_seen_enough() {
    let place = Place::with(GOOD);
    for arguments in [
        &["api"][..],
        &["list"],
        &["run"],
        &["run", "--format", "json"],
        &["run", "--format", "junit"],
    ] {
        let mut command = place.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{arguments:?}");
    }
}
