use std::fs;

use proptest::prelude::*;

use super::document::Of;
use super::*;

const PROFILE: &str = "session-http";

fn section(case: Option<&str>, contents: &str) -> Section {
    Section { case: case.map(str::to_owned), contents: contents.to_owned() }
}

fn wire(profile: &str, revision: &str, sections: Vec<Section>) -> Wire {
    Wire { profile: profile.to_owned(), revision: revision.to_owned(), sections }
}

fn recording(wires: Vec<Wire>) -> Recording {
    let has_cases = wires.iter().flat_map(|wire| &wire.sections).any(|one| one.case.is_some());
    let cases = if has_cases { &["first", "second"][..] } else { &[] };
    Recording {
        check: "client/tool-call.basic".to_owned(),
        cases: cases.iter().map(|&case| case.to_owned()).collect(),
        wires,
        source: "checks/client/tool-call.basic.rhai".to_owned(),
        description: "Calls one tool, then: reads \"its\" result.".to_owned(),
    }
}

fn whole(contents: &str) -> Recording {
    recording(vec![wire(PROFILE, "2025-11-25", vec![section(None, contents)])])
}

fn case(case: &str, contents: &str) -> Recording {
    recording(vec![wire(PROFILE, "2025-11-25", vec![section(Some(case), contents)])])
}

/// The wires of three profiles, of which two are of one revision.
fn three(texts: [&str; 3]) -> Recording {
    let profiles = [("b", "2025-11-25"), ("c", "2025-11-25"), ("a", "2025-06-18")];
    let wires = profiles
        .iter()
        .zip(texts)
        .map(|((profile, revision), text)| wire(profile, revision, vec![section(None, text)]));
    recording(wires.collect())
}

fn profiles() -> Vec<String> {
    ["a", "b", "c", PROFILE].map(str::to_owned).to_vec()
}

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("snapshots"));
    (folder, store)
}

/// Writes a snapshot without a review; gives what the file holds.
fn update(store: &Store, recording: &Recording) -> String {
    store.update(recording, &profiles()).unwrap();
    contents(store, recording)
}

fn contents(store: &Store, recording: &Recording) -> String {
    file::read(&store.path(&recording.check)).unwrap().unwrap()
}

/// Decides everything that is pending.
fn decide(store: &Store, decision: Decision) {
    let mut review = Review::of(store.pending().unwrap()).unwrap();
    let all = review.changes.concat();
    review.decide(&all, decision).unwrap();
}

#[test]
fn a_recording_is_new_then_the_same_then_different() {
    let (_folder, store) = store();
    let first = whole("> POST {server}/mcp\n");
    let compared = store.compare(&first).unwrap();
    assert_eq!(compared, Compared { sections: vec![Comparison::New], is_same: false });
    let pending = store.write_pending(&first).unwrap();
    assert!(pending.ends_with("snapshots/client/tool-call.basic.snap.new"));
    assert_eq!(
        store.compare(&first).unwrap().sections,
        [Comparison::New],
        "pending is not accepted"
    );

    decide(&store, Decision::Accept);
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
fn what_profiles_share_stands_there_once() {
    let (_folder, store) = store();
    let wires = three([
        "> POST\n> id: s\n> version: 2025-11-25\n\n> DELETE\n> id: s\n",
        "> POST\n> version: 2025-11-25\n",
        "> POST\n> version: 2025-06-18\n< {revision}\n\n| at the start\n",
    ]);
    assert_eq!(
        update(&store, &wires),
        "1 = a at 2025-06-18\n2 = b at 2025-11-25\n3 = c at 2025-11-25\n\n\
         > POST\n2| > id: s\n> version: {revision}\n1| < {revision\\}\n\n\
         1| | at the start\n1|\n2| > DELETE\n2| > id: s"
    );
    assert!(store.compare(&wires).unwrap().is_same);
    // One profile alone leaves the others as they are.
    let one = Recording { wires: vec![wires.wires[1].clone()], ..wires.clone() };
    assert!(store.compare(&one).unwrap().is_same);
    let changed = three(["> GET\n", "> POST\n> version: 2025-11-25\n", "> GET\n"]);
    let one = Recording { wires: vec![changed.wires[0].clone()], ..wires.clone() };
    store.write_pending(&one).unwrap();
    decide(&store, Decision::Accept);
    let compared = store.compare(&wires).unwrap();
    assert!(matches!(
        &compared.sections[..],
        [Comparison::Different { .. }, Comparison::Same, Comparison::Same]
    ));
}

#[test]
fn profiles_that_there_are_no_more_are_dropped_where_it_is_written() {
    let (_folder, store) = store();
    let wires = three(["> x\n", "> y\n", "> x\n"]);
    update(&store, &wires);
    let one = Recording { wires: vec![wires.wires[0].clone()], ..wires };
    store.update(&one, &["b".to_owned(), "c".to_owned()]).unwrap();
    let expected = "1 = b at 2025-11-25\n2 = c at 2025-11-25\n\n1| > x\n1|\n2| > y";
    assert_eq!(contents(&store, &one), expected);
}

#[test]
fn files_of_one_profile_each_make_way() {
    let (_folder, store) = store();
    let wires = three(["> x\n", "> y\n", "> x\n"]);
    let former = store.folder().join("b/client/tool-call.basic.snap");
    let other = store.folder().join("c/client/other.snap");
    for path in [&former, &other] {
        file::write(path, &head(&wires), "> POST\n").unwrap();
    }
    update(&store, &wires);
    assert!(!former.exists() && !store.folder().join("b").exists() && other.exists());
    // Nor is a check taken for one that has the name of a profile.
    let named = Recording { check: "b/client/tool-call.basic".to_owned(), ..wires.clone() };
    update(&store, &named);
    update(&store, &wires);
    assert!(store.compare(&named).unwrap().is_same);
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
    let mut review = Review::of(pending.clone()).unwrap();
    let changes = review.changes.clone();
    assert_eq!(
        review.change(&changes[0]),
        Some(Change::New { new: "1 = session-http at 2025-11-25\n\nnew\n".to_owned() })
    );
    review.decide(&changes[0], Decision::Accept).unwrap();
    review.decide(&changes[1], Decision::Reject).unwrap();
    assert_eq!(store.pending().unwrap(), pending[2..]);
    assert!(pending[0].target.exists() && !pending[1].target.exists());
    assert!(Review::of(pending).is_err(), "one of them is gone");
    store.remove_pending("client/c").unwrap();
    store.remove_pending("client/c").unwrap();
    assert_eq!(store.pending().unwrap(), []);
}

#[test]
fn each_change_of_a_wire_is_decided_by_itself() {
    let (_folder, store) = store();
    let lines = |first: &str, last: &str| format!("{first}\n1\n2\n3\n4\n5\n6\n7\n{last}\n");
    update(&store, &whole(&lines("a", "z")));
    store.write_pending(&whole(&lines("A", "Z"))).unwrap();
    let mut review = Review::of(store.pending().unwrap()).unwrap();
    let [first, last] = &review.changes.clone()[..] else { panic!("two changes") };
    review.decide(last, Decision::Reject).unwrap();
    let waiting = Review::of(store.pending().unwrap()).unwrap();
    assert_eq!(waiting.changes.len(), 1, "the other one still waits");
    review.decide(first, Decision::Accept).unwrap();
    assert!(store.compare(&whole(&lines("A", "z"))).unwrap().is_same);
    assert_eq!(store.pending().unwrap(), []);
}

#[test]
fn sections_of_cases_that_did_not_run_stay() {
    let (_folder, store) = store();
    update(&store, &case("second", "old two"));
    let legend = "1 = session-http at 2025-11-25\n\n";
    assert_eq!(
        update(&store, &case("first", "old one")),
        format!("{legend}── case: first ──\nold one\n\n── case: second ──\nold two")
    );

    let compared = store.compare(&case("first", "old one")).unwrap();
    assert_eq!(compared, Compared { sections: vec![Comparison::Same], is_same: true });
    store.write_pending(&case("first", "new one")).unwrap();
    let pending = store.write_pending(&case("second", "new two")).unwrap();
    let contents = file::read(&pending).unwrap().unwrap();
    let both = format!("{legend}── case: first ──\nnew one\n\n── case: second ──\nnew two");
    assert_eq!(contents, both);

    let compared = store.compare(&case("second", "old two")).unwrap();
    assert_eq!(compared.sections, [Comparison::Same]);
    assert!(!compared.is_same, "the first case still waits for a review");
    assert_eq!(
        update(&store, &case("second", "new two")),
        format!("{legend}── case: first ──\nold one\n\n── case: second ──\nnew two")
    );
    assert_eq!(store.pending().unwrap().len(), 1);
    update(&store, &case("first", "new one"));
    assert_eq!(store.pending().unwrap(), []);
}

#[test]
fn a_case_that_is_no_longer_declared_is_dropped() {
    let (_folder, store) = store();
    update(&store, &case("first", "one"));
    update(&store, &case("second", "two"));
    let renamed = Recording { cases: vec!["second".to_owned()], ..case("second", "two") };
    let compared = store.compare(&renamed).unwrap();
    assert_eq!(compared, Compared { sections: vec![Comparison::Same], is_same: false });
    let expected = "1 = session-http at 2025-11-25\n\n── case: second ──\ntwo";
    assert_eq!(update(&store, &renamed), expected);
}

#[test]
fn a_case_of_some_profiles_says_of_which() {
    let (_folder, store) = store();
    let both = |profile, revision| {
        let sections = vec![section(Some("first"), "> 1\n"), section(Some("second"), "")];
        wire(profile, revision, sections)
    };
    let mut recording = recording(vec![both("a", "2025-06-18"), both("b", "2025-11-25")]);
    recording.wires[1].sections.truncate(1);
    assert_eq!(
        update(&store, &recording),
        "1 = a at 2025-06-18\n2 = b at 2025-11-25\n\n── case: first ──\n> 1\n\n\
         1| ── case: second ──"
    );
    assert!(store.compare(&recording).unwrap().is_same);
}

#[test]
fn nothing_of_a_body_passes_for_a_section() {
    let (_folder, store) = store();
    let wire = case("first", "> POST {server}/\n>\n> ── case: second ──\n> x\n");
    update(&store, &wire);
    assert!(store.compare(&wire).unwrap().is_same);
    assert_eq!(read(&store.path(&wire.check)).unwrap().unwrap().texts().count(), 1);
}

#[test]
fn unreferenced_snapshots_are_named() {
    let (_folder, store) = store();
    for check in ["x", "y/z"] {
        update(&store, &Recording { check: check.into(), ..three(["w", "w", "w"]) });
    }
    fs::write(store.folder().join("stray.snap"), "").unwrap();
    let found = store.unreferenced(|check| check == "x", |profile| profile != "b").unwrap();
    let expected = ["stray.snap", "x.snap", "y/z.snap"];
    let mut expected = expected.map(|path| store.folder().join(path).display().to_string());
    expected[1] += ", profile b";
    assert_eq!(found, expected);
}

proptest! {
    #[test]
    fn what_was_merged_comes_apart_again(
        texts in prop::collection::vec("([a-c]|[0-9]\\||\\||\\{revision\\}|2025-11-25|── case: x|\n){0,12}", 1..5)
    ) {
        let mut document = Document::default();
        for (index, text) in texts.iter().enumerate() {
            let revision = ["2025-06-18", "2025-11-25"][index % 2].to_owned();
            let text = format!("> {text}");
            document.set(&Of { revision, profile: format!("p{index}") }, None, Some(&text));
        }
        let text = document.text();
        prop_assert_eq!(Document::parse(text.trim_end()).unwrap(), document, "{}", text);
    }
}

#[test]
fn a_file_that_is_no_snapshot_is_an_error_that_names_it() {
    let (_folder, store) = store();
    update(&store, &whole("w"));
    let path = store.path("client/tool-call.basic");
    for (text, reason) in [
        (&b"source: x\n\nw"[..], "its first line is not `---`"),
        (b"---\nsource: [\n---\nw", "Failed parsing the YAML"),
        (b"---\nextension: png\nsnapshot_kind: binary\n---\n", "it is not a text"),
        (b"---\nsource: x\n---\n\xff", "valid UTF-8"),
        (b"---\nsource: x\n---\n> POST\n", "`1 = PROFILE at REVISION` was expected"),
        (b"---\nsource: x\n---\n1 = a at b\n\n2| x", "of a profile that has no name: `x`"),
        (b"---\nsource: x\n---\n1 = a at b\n\n1-| x", "`1-|` does not say of which"),
        (b"---\nsource: x\n---\n1 = a at b\n\n2-1| x", "`2-1|` does not say of which"),
        (b"---\nsource: x\n---\n1 = a at b\n\n1-999999999| x", "does not say of which"),
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
    fs::create_dir_all(store.path("client/tool-call.basic")).unwrap();
    assert!(store.update(&whole("w"), &profiles()).is_err());
    let folder = store.folder().join("client");
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
        update(&store, &recording);
        let path = store.path(&recording.check);
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
    update(&store, &Recording { check: "agrees".into(), ..whole(contents) });
    let contents = format!("1 = session-http at 2025-11-25\n\n{contents}");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(store.folder());
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
