use std::fs;
use std::path::Path;

use super::*;
use crate::check::source_error::rendered;

const GOOD: &str = "//! Does a thing.\n//! tags: t\n//!\n//! a MUST It holds\nfn serve(s) {}\n";

fn write(folder: &Path, name: &str, contents: impl AsRef<[u8]>) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, contents).unwrap();
}

fn problems(library: &Library) -> Vec<String> {
    library.problems.iter().map(|problem| rendered(&***problem)).collect()
}

#[test]
fn a_folder_is_read_in_the_order_of_ids() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "b.rhai",
        "a/z.rhai",
        "a/b/c.rhai",
        "a.rhai",
        "a-b.rhai",
        "_x.rhai",
        "_old/y.rhai",
        "a/_z.rhai",
        ".hidden.rhai",
        ".git/x.rhai",
        "_lib/mine.rhai",
        "_lib/_no.rhai",
        "_servers/own.rhai",
    ] {
        write(folder.path(), name, GOOD);
    }
    write(folder.path(), "README.md", b"\xff");
    write(folder.path(), "_lib/wire.rhai", "// mine");
    let library = load(Some(folder.path()), false).unwrap();
    assert_eq!(library.ids().collect::<Vec<_>>(), ["a", "a-b", "a/b/c", "a/z", "b"]);
    assert_eq!(library.readable().count(), 5);
    assert_eq!(problems(&library), Vec::<String>::new());
    assert_eq!(library.tags().into_iter().collect::<Vec<_>>(), ["t"]);
    let check = library.get("a/z").unwrap().as_ref().unwrap();
    assert_eq!(check.source().unwrap().inner().as_ref(), GOOD);
    assert_eq!(check.path().unwrap(), folder.path().join("a/z.rhai"));
    let names = |scripts: &[SupportScript]| -> Vec<String> {
        scripts.iter().map(|script| script.name.clone()).collect()
    };
    assert!(names(&library.support.libraries).contains(&"mine".to_owned()));
    assert!(names(&library.support.libraries).is_sorted());
    let wire = library.support.libraries.iter().find(|script| script.name == "wire").unwrap();
    assert_eq!(wire.source.inner().as_ref(), "// mine", "a local script replaces an embedded one");
    assert!(names(&library.support.servers).contains(&"own".to_owned()));
}

#[test]
fn a_broken_check_stands_in_its_place() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.rhai", GOOD);
    write(folder.path(), "b.rhai", "//! Says nothing.");
    write(folder.path(), "c.rhai", b"//! T.\n\xff");
    write(folder.path(), "d.rhai", GOOD);
    let library = load(Some(folder.path()), false).unwrap();
    assert_eq!(library.ids().collect::<Vec<_>>(), ["a", "b", "c", "d"]);
    let shown: Vec<String> = library.broken().map(|broken| rendered(&**broken.problem)).collect();
    assert!(shown[0].contains("declares no checkpoint"), "{}", shown[0]);
    assert!(shown[1].contains("c.rhai` is not UTF-8, from byte 7 on"), "{}", shown[1]);
    fs::remove_file(folder.path().join("d.rhai")).unwrap();
    let gone = library.get("d").unwrap().as_ref().unwrap().source().unwrap_err();
    assert!(rendered(&gone).contains("d.rhai` cannot be read"));
}

#[test]
fn a_name_that_makes_no_id_is_a_problem() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.rhai", GOOD);
    write(folder.path(), "b c.rhai", GOOD);
    write(folder.path(), "größe.rhai", GOOD);
    let library = load(Some(folder.path()), false).unwrap();
    assert_eq!(library.ids().collect::<Vec<_>>(), ["a", "größe"]);
    let [problem] = &problems(&library)[..] else { panic!() };
    assert!(problem.contains("` ` is not allowed"), "{problem}");
}

#[cfg(unix)]
#[test]
fn links_and_odd_names_are_reported_and_not_followed() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(folder.path(), "a.rhai", GOOD);
    write(outside.path(), "b.rhai", GOOD);
    symlink(folder.path(), folder.path().join("loop")).unwrap();
    symlink(outside.path(), folder.path().join("out")).unwrap();
    symlink(outside.path().join("b.rhai"), folder.path().join("b.rhai")).unwrap();
    let odd = std::ffi::OsStr::from_bytes(b"o\xff.rhai");
    let has_odd_names = fs::write(folder.path().join(odd), GOOD).is_ok();
    let library = load(Some(folder.path()), false).unwrap();
    assert_eq!(library.ids().collect::<Vec<_>>(), ["a"]);
    let shown = problems(&library);
    assert_eq!(shown.iter().filter(|shown| shown.contains("checks::link")).count(), 3);
    let odd = shown.iter().filter(|shown| shown.contains("checks::name_not_utf8")).count();
    assert_eq!(odd, usize::from(has_odd_names));
    // The folder itself may be a link.
    symlink(folder.path(), outside.path().join("checks")).unwrap();
    assert_eq!(load(Some(&outside.path().join("checks")), false).unwrap().checks.len(), 1);
}

#[test]
fn a_folder_without_checks_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "_lib/wire.rhai", "");
    let shown = rendered(&load(Some(folder.path()), false).unwrap_err());
    assert!(shown.contains("holds no check") && shown.contains("mcp-checks new"), "{shown}");
    let shown = rendered(&load(Some(&folder.path().join("none")), false).unwrap_err());
    assert!(shown.contains("there is no folder of checks at"), "{shown}");
}

#[test]
fn a_folder_stands_in_the_place_of_the_embedded_checks_or_beside_them() {
    let folder = tempfile::tempdir().unwrap();
    let embedded = Library::embedded();
    let taken = embedded.ids().next().unwrap();
    write(folder.path(), "mine.rhai", GOOD);
    write(folder.path(), &format!("{taken}.rhai"), GOOD);
    let all = embedded.checks.len();
    let alone = load(Some(folder.path()), false).unwrap();
    assert_eq!(alone.checks.len(), 2);
    assert_eq!(alone.beside, Beside { left_out: all - 1, replaced: 1, added: false });
    let both = load(Some(folder.path()), true).unwrap();
    assert_eq!(both.checks.len(), all + 1);
    assert_eq!(both.beside, Beside { left_out: 0, replaced: 1, added: true });
    assert!(both.ids().is_sorted());
    let path = |id| both.get(id).unwrap().as_ref().unwrap().path();
    assert!(path(taken).is_some() && path("mine").is_some());
}

#[test]
fn the_kind_is_told_from_the_functions() {
    assert_eq!(CheckKind::of(GOOD), CheckKind::Client);
    assert_eq!(CheckKind::of("// fn serve(server)\nfn drive(client) {}"), CheckKind::Server);
    assert_eq!(CheckKind::of("fn serve(s) {}\nfn operate(host) {}"), CheckKind::Host);
}

#[test]
fn what_is_embedded_is_what_the_folder_holds() {
    let names: Vec<&str> = embedded_files().map(|(name, _)| name).collect();
    assert!(names.is_sorted() && names.contains(&"_lib/wire.rhai"), "{names:?}");
    let library = Library::of(Vec::new());
    assert!(library.support.libraries.iter().any(|script| script.name == "wire"));
}

#[test]
fn every_embedded_check_can_be_read() {
    let library = Library::embedded();
    let broken: Vec<String> = library.broken().map(|broken| rendered(&**broken.problem)).collect();
    assert_eq!(broken, Vec::<String>::new());
    for check in library.readable() {
        let source = check.source().unwrap();
        assert_eq!(source.name(), format!("built-in/checks/{}.rhai", check.id));
    }
}

#[test]
#[ignore = "takes seconds; shows that the time grows with the number of checks"]
fn twenty_thousand_checks_load() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..20_000 {
        write(folder.path(), &format!("f{}/c{number}.rhai", number % 100), GOOD);
    }
    let started = std::time::Instant::now();
    let library = load(Some(folder.path()), false).unwrap();
    assert_eq!(library.readable().count(), 20_000);
    println!("{:?}", started.elapsed());
}
