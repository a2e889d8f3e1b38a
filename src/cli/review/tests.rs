use super::*;
use crate::snapshot::{Recording, Section, Wire};

const PROFILES: [(&str, &str); 2] = [("older", "2025-06-18"), ("newer", "2025-11-25")];

/// A recording whose wire has these lines, and one with the revision.
fn recording(check: &str, lines: &str) -> Recording {
    let wires = PROFILES.map(|(profile, revision)| {
        let contents = format!("> {check}\n> version: {revision}\n{lines}");
        let sections = vec![Section { case: None, contents }];
        Wire { profile: profile.to_owned(), revision: revision.to_owned(), sections }
    });
    Recording {
        check: check.to_owned(),
        cases: Vec::new(),
        wires: wires.to_vec(),
        source: format!("checks/{check}.rhai"),
        description: String::new(),
    }
}

/// Three checks with two profiles each; two differ in the same line, one is new.
fn three(folder: &std::path::Path) -> Review {
    let store = Store::open(folder);
    let profiles = PROFILES.map(|(profile, _)| profile.to_owned());
    for check in ["a/one", "a/two"] {
        store.update(&recording(check, "> same\n> old\n"), &profiles).unwrap();
        store.write_pending(&recording(check, "> same\n> new at {revision}\n")).unwrap();
    }
    store.write_pending(&recording("b/three", "> x\n")).unwrap();
    Review::of(store.pending().unwrap()).unwrap()
}

/// The text that a snapshot has for a profile.
fn text(folder: &std::path::Path, check: &str) -> String {
    std::fs::read_to_string(Store::open(folder).path(check)).unwrap_or_default()
}

fn asked(answers: &str) -> (Tally, Vec<String>, String, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut review = three(folder.path());
    let (mut tally, mut talk) = (Tally::default(), Vec::new());
    let look = Look { colour: false, redactor: Redactor::default() };
    ask(&mut review, &look, &mut answers.as_bytes(), &mut talk, &mut tally).unwrap();
    let left = Review::of(Store::open(folder.path()).pending().unwrap()).unwrap();
    let left = left.changes.iter().flatten();
    let left = left.map(|place| format!("{} {}", place.pending.check, place.profile));
    (tally, left.collect(), String::from_utf8(talk).unwrap(), folder)
}

#[test]
fn what_differs_in_the_same_way_is_decided_at_once() {
    let (tally, left, talk, folder) = asked("nonsense\na\n");
    assert_eq!(tally, Tally { accepted: 4, rejected: 0 });
    assert_eq!(left, ["b/three older", "b/three newer"]);
    assert_eq!(talk.matches("1 of 2: ").count(), 2, "what is no answer is asked again: {talk}");
    assert_eq!(talk.matches("- > old").count(), 1, "{talk}");
    assert!(
        talk.starts_with(
            "4 wires differ in the same way\n  checks    a/one, a/two\n  \
             profiles  older, newer\n@@ -1,4 +1,4 @@\n  > a/one\n  > version: {revision}\n"
        ),
        "{talk}"
    );
    assert!(
        talk.contains("b/three for older, newer is new\n+ 1 = older at 2025-06-18\n"),
        "{talk}"
    );
    // What was sent in the words of a name is no revision.
    assert!(text(folder.path(), "a/two").ends_with("> same\n> new at {revision\\}\n"));
}

#[test]
fn one_by_one_each_wire_is_decided_by_itself() {
    let (tally, left, talk, folder) = asked("o\na\nr\ns\nr\n");
    assert_eq!(tally, Tally { accepted: 1, rejected: 2 });
    assert_eq!(left, ["a/two older", "b/three older", "b/three newer"]);
    assert!(talk.contains("a/one for older differs\n"), "{talk}");
    assert_eq!(talk.matches("4 of 5: ").count(), 1, "{talk}");
    let one = text(folder.path(), "a/one");
    assert!(one.ends_with("> same\n1| > new at {revision\\}\n2| > old\n"), "{one}");
    assert!(!folder.path().join("a/one.snap.new").exists());
}

#[test]
fn all_accepts_what_is_left_and_quit_nothing() {
    assert_eq!(asked("r\nl\n").0, Tally { accepted: 2, rejected: 4 });
    assert_eq!(asked("q\n").1.len(), 6);
    assert_eq!(asked("a\n").1.len(), 2, "the end of the input is the end of the review");
}

#[test]
fn names_mean_checks_folders_and_profiles() {
    let folder = tempfile::tempdir().unwrap();
    let all = three(folder.path()).changes;
    let places = |name: &str| -> Vec<String> {
        let named = named(all.clone(), &[name.to_owned()]).unwrap().concat();
        named.iter().map(|place| format!("{} {}", place.pending.check, place.profile)).collect()
    };
    assert_eq!(places("a").len(), 4);
    assert_eq!(places("three"), ["b/three older", "b/three newer"]);
    assert_eq!(places("newer"), ["a/one newer", "a/two newer", "b/three newer"]);
    let error = named(all.clone(), &["a/oen".to_owned()]).unwrap_err();
    assert!(format!("{:?}", error.help().unwrap().to_string()).contains("a/one"));
}
