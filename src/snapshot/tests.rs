use std::fs;

use super::*;

fn section(case: Option<&str>, contents: &str) -> Section {
    Section { case: case.map(str::to_owned), contents: contents.to_owned() }
}

fn recording(sections: Vec<Section>) -> Recording {
    let has_cases = sections.iter().any(|section| section.case.is_some());
    let cases = if has_cases { &["first", "second"][..] } else { &[] };
    Recording {
        profile: "session-http".to_owned(),
        check: "client/tool-call.basic".to_owned(),
        cases: cases.iter().map(|&case| case.to_owned()).collect(),
        sections,
        source: "checks/client/tool-call.basic.rhai".to_owned(),
        description: "Calls one tool, then: reads \"its\" result.".to_owned(),
    }
}

fn whole(contents: &str) -> Recording {
    recording(vec![section(None, contents)])
}

fn case(case: &str, contents: &str) -> Recording {
    recording(vec![section(Some(case), contents)])
}

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("snapshots"));
    (folder, store)
}

#[test]
fn a_recording_is_new_then_the_same_then_different() {
    let (_folder, store) = store();
    let first = whole("> POST {server}/mcp\n");
    let compared = store.compare(&first).unwrap();
    assert_eq!(compared, Compared { sections: vec![Comparison::New], is_same: false });
    let pending = store.write_pending(&first).unwrap();
    assert!(pending.ends_with("snapshots/session-http/client/tool-call.basic.snap.new"));
    assert_eq!(
        store.compare(&first).unwrap().sections,
        [Comparison::New],
        "pending is not accepted"
    );

    store.pending().unwrap()[0].accept().unwrap();
    let compared = store.compare(&first).unwrap();
    assert_eq!(compared, Compared { sections: vec![Comparison::Same], is_same: true });

    let compared = store.compare(&whole("> GET {server}/mcp\n")).unwrap();
    assert_eq!(
        compared.sections,
        [Comparison::Different {
            old: "> POST {server}/mcp\n".to_owned(),
            new: "> GET {server}/mcp\n".to_owned()
        }]
    );
}

#[test]
fn pending_snapshots_are_listed_accepted_and_rejected() {
    let (_folder, store) = store();
    assert_eq!(store.pending().unwrap(), [], "a folder that is not there holds none");
    for check in ["b", "a", "client/c"] {
        store.write_pending(&Recording { check: check.to_owned(), ..whole("new") }).unwrap();
    }
    let pending = store.pending().unwrap();
    let checks: Vec<_> = pending.iter().map(|pending| pending.check.as_str()).collect();
    assert_eq!(checks, ["a", "b", "client/c"]);
    assert_eq!(pending[0].profile, "session-http");
    assert_eq!(
        (pending[0].old().unwrap(), pending[0].new_contents().unwrap()),
        (None, "new\n".to_owned())
    );
    pending[0].accept().unwrap();
    pending[1].reject().unwrap();
    assert_eq!(store.pending().unwrap(), pending[2..]);
    assert_eq!(pending[0].old().unwrap().as_deref(), Some("new\n"));
    assert!(!pending[1].target.exists());
    assert!(pending[0].accept().is_err(), "it is gone");
    store.remove_pending("session-http", "client/c").unwrap();
    store.remove_pending("session-http", "client/c").unwrap();
    assert_eq!(store.pending().unwrap(), []);
}

#[test]
fn sections_of_cases_that_did_not_run_stay() {
    let (_folder, store) = store();
    store.update(&case("second", "old two")).unwrap();
    store.update(&case("first", "old one")).unwrap();
    let snapshot = store.path("session-http", "client/tool-call.basic");
    let contents = file::read(&snapshot).unwrap().unwrap();
    assert_eq!(contents, "── case: first ──\nold one\n\n── case: second ──\nold two");

    let compared = store.compare(&case("first", "old one")).unwrap();
    assert_eq!(compared, Compared { sections: vec![Comparison::Same], is_same: true });
    store.write_pending(&case("first", "new one")).unwrap();
    let pending = store.write_pending(&case("second", "new two")).unwrap();
    let contents = file::read(&pending).unwrap().unwrap();
    assert_eq!(contents, "── case: first ──\nnew one\n\n── case: second ──\nnew two");

    let compared = store.compare(&case("second", "old two")).unwrap();
    assert_eq!(compared.sections, [Comparison::Same]);
    assert!(!compared.is_same, "the first case still waits for a review");
    store.update(&case("second", "new two")).unwrap();
    let waiting = store.pending().unwrap();
    assert_eq!(
        waiting[0].old().unwrap().unwrap(),
        "── case: first ──\nold one\n\n── case: second ──\nnew two\n"
    );
    store.update(&case("first", "new one")).unwrap();
    assert_eq!(store.pending().unwrap(), []);
}

#[test]
fn a_case_that_is_no_longer_declared_is_dropped() {
    let (_folder, store) = store();
    store.update(&case("first", "one")).unwrap();
    store.update(&case("second", "two")).unwrap();
    let renamed = Recording { cases: vec!["second".to_owned()], ..case("second", "two") };
    let compared = store.compare(&renamed).unwrap();
    assert_eq!(compared, Compared { sections: vec![Comparison::Same], is_same: false });
    let path = store.update(&renamed).unwrap();
    assert_eq!(file::read(&path).unwrap().unwrap(), "── case: second ──\ntwo");
}

#[test]
fn nothing_of_a_body_passes_for_a_section() {
    let contents = "> POST {server}/\n>\n> ── case: second ──\n> x\n";
    let sections = split(&merge(&[], &[section(Some("first"), contents)], &["first".to_owned()]));
    assert_eq!(sections.len(), 1);
    assert!(file::is_same(&sections[0].contents, contents));
}

#[test]
fn unreferenced_snapshots_are_named() {
    let (_folder, store) = store();
    for (profile, check) in [("a", "x"), ("a", "y/z"), ("gone", "x")] {
        let recording = Recording { profile: profile.into(), check: check.into(), ..whole("w") };
        store.update(&recording).unwrap();
    }
    fs::write(store.folder().join("stray.snap"), "").unwrap();
    let found = store.unreferenced(|profile, check| profile == "a" && check != "y/z").unwrap();
    let expected = ["a/y/z.snap", "gone/x.snap", "stray.snap"];
    assert_eq!(found, expected.map(|path| store.folder().join(path)));
}

#[test]
fn a_file_that_is_no_snapshot_is_an_error_that_names_it() {
    let (_folder, store) = store();
    let path = store.update(&whole("w")).unwrap();
    for (text, reason) in [
        (&b"source: x\n\nw"[..], "its first line is not `---`"),
        (b"---\nsource: [\n---\nw", "Failed parsing the YAML"),
        (b"---\nextension: png\nsnapshot_kind: binary\n---\n", "it is not a text"),
        (b"---\nsource: x\n---\n\xff", "valid UTF-8"),
    ] {
        fs::write(&path, text).unwrap();
        let error = store.compare(&whole("w")).unwrap_err();
        assert_eq!(error.path, path);
        assert!(error.to_string().contains(reason), "{error}");
        assert!(miette::Diagnostic::help(&error).unwrap().to_string().contains("accept it anew"));
    }
}

#[test]
fn nothing_is_left_when_writing_fails() {
    let (_folder, store) = store();
    fs::create_dir_all(store.path("session-http", "client/tool-call.basic")).unwrap();
    assert!(store.update(&whole("w")).is_err());
    let folder = store.folder().join("session-http/client");
    assert_eq!(fs::read_dir(folder).unwrap().count(), 1, "only what was there");
}

#[test]
fn insta_reads_what_is_written_and_would_write_the_same_bytes() {
    let (_folder, store) = store();
    for (number, description) in
        ["Calls one tool.", "Calls: \"one\"", "", "- a", "yes", "12", "é, `x`\ty", "0x1"]
            .iter()
            .enumerate()
    {
        let recording = Recording {
            check: format!("check-{number}"),
            description: (*description).to_owned(),
            ..whole("> POST {server}/mcp\n>\n> a\\r\n\n")
        };
        let path = store.update(&recording).unwrap();
        let snapshot = insta::Snapshot::from_file(&path).unwrap();
        assert_eq!(snapshot.metadata().description().unwrap_or_default(), *description);
        assert_eq!(snapshot.metadata().source(), Some("checks/client/tool-call.basic.rhai"));
        let copy = path.with_extension("copy");
        snapshot.save(&copy).unwrap();
        assert_eq!(fs::read_to_string(&copy).unwrap(), fs::read_to_string(&path).unwrap());
    }
}

#[test]
fn insta_s_own_macro_agrees() {
    let (_folder, store) = store();
    let contents = "> POST {server}/mcp\n>\n> {\"text\":\"a\\r\\n\"}\n<\n\n";
    store.update(&Recording { check: "agrees".into(), ..whole(contents) }).unwrap();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(store.folder().join("session-http"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("agrees", contents));
}

#[test]
fn a_diff_shows_what_changed_and_some_lines_around_it() {
    let old = "1\n2\n3\n4\n5\n> {\"id\":1}\n7\n";
    let new = "1\n2\n3\n4\n5\n> {\"id\":2}\n7\n8\n";
    assert_eq!(
        diff(old, new),
        "@@ -3,5 +3,6 @@\n  3\n  4\n  5\n- > {\"id\":1}\n+ > {\"id\":2}\n  7\n+ 8\n"
    );
    assert_eq!(diff(old, old), "");
    let coloured = diff_coloured(old, new);
    assert!(coloured.contains("\x1b[31m- > {\"id\":\x1b[7m1"), "{coloured:?}");
    assert_eq!(coloured.matches('\n').count(), diff(old, new).matches('\n').count());
}
