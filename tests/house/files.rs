//! Files that can be read at once, and found where they are expected.

use std::path::{Path, PathBuf};

/// A file with more lines than this is two.
const LINES: usize = 400;

/// The sources below `root` that have more than `limit` lines.
fn longer(root: &Path, limit: usize) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for path in sources(root) {
        let lines = std::fs::read_to_string(&path).expect("a source is UTF-8").lines().count();
        if lines > limit {
            let inside = path.strip_prefix(root).expect("it is below the root");
            found.push((inside.display().to_string().replace('\\', "/"), lines));
        }
    }
    found
}

#[test]
fn no_file_is_too_long_to_be_read_at_once() {
    let found = longer(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), LINES);
    assert!(found.is_empty(), "these have more than {LINES} lines: {found:?}");
}

#[test]
fn a_long_file_is_found() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    std::fs::write(folder.path().join("a.rs"), "//! a\n".repeat(LINES)).expect("it can be written");
    std::fs::write(folder.path().join("b.rs"), "//! b\n".repeat(LINES + 1))
        .expect("it can be written");
    assert_eq!(longer(folder.path(), LINES), [("b.rs".to_owned(), LINES + 1)]);
}

/// Every source below `root`.
fn sources(root: &Path) -> Vec<PathBuf> {
    let entries = walkdir::WalkDir::new(root).sort_by_file_name().into_iter();
    let paths = entries.map(|entry| entry.expect("the sources can be read").into_path());
    paths.filter(|path| path.extension().is_some_and(|ending| ending == "rs")).collect()
}

/// The sources below `root` whose names or places say something else than the path
/// of their module does.
fn misplaced(root: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    for path in sources(root) {
        let name = path.strip_prefix(root).expect("it is below the root").display().to_string();
        let text = std::fs::read_to_string(&path).expect("a source is UTF-8");
        if path.ends_with("mod.rs") {
            wrong.push(format!("{name}: a module is NAME.rs beside the folder of its parts"));
        }
        if name.ends_with("_tests.rs") {
            wrong.push(format!("{name}: unit tests of NAME.rs are NAME/tests.rs"));
        }
        if text.lines().any(|line| line.trim_start().starts_with("#[path")) {
            wrong.push(format!("{name}: a module is where its name says"));
        }
    }
    wrong
}

#[test]
fn modules_are_where_their_names_say() {
    for folder in ["src", "tests"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        assert_eq!(misplaced(&root), Vec::<String>::new(), "in {folder}");
    }
}

#[test]
fn a_misplaced_module_is_found() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    std::fs::create_dir(folder.path().join("a")).expect("a folder can be made");
    let files = [
        ("a/mod.rs", ""),
        ("b_tests.rs", ""),
        ("c.rs", "#[cfg(test)]\n#[path = \"d.rs\"]\nmod tests;\n"),
        ("d.rs", "// #[path]\nmod tests {}\n"),
    ];
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("it can be written");
    }
    assert_eq!(
        misplaced(folder.path()),
        [
            "a/mod.rs: a module is NAME.rs beside the folder of its parts",
            "b_tests.rs: unit tests of NAME.rs are NAME/tests.rs",
            "c.rs: a module is where its name says",
        ]
    );
}

/// The sources that a text names, `like/this.rs`, and that are not among `known`.
fn unknown(text: &str, known: &[PathBuf]) -> Vec<String> {
    let named = text.split('`').skip(1).step_by(2).filter(|named| named.ends_with(".rs"));
    let is_unknown = |named: &&str| !known.iter().any(|path| path.ends_with(named));
    named.filter(is_unknown).map(str::to_owned).collect()
}

#[test]
fn what_the_documents_name_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut known = sources(&root.join("src"));
    known.extend(sources(&root.join("tests")));
    known.push(root.join("build.rs"));
    for document in ["architecture.md", "writing-checks.md", "reports.md", "performance.md"] {
        let text = std::fs::read_to_string(root.join("docs").join(document));
        let text = text.expect("a document is UTF-8");
        assert_eq!(unknown(&text, &known), Vec::<String>::new(), "in {document}");
    }
}

#[test]
fn a_name_that_leads_nowhere_is_found() {
    let known = [PathBuf::from("src/wire/http.rs"), PathBuf::from("build.rs")];
    let text = "`wire/http.rs` and `http.rs`, made by `build.rs`; `ire/http.rs`, `tools/list`";
    assert_eq!(unknown(text, &known), ["ire/http.rs"]);
}
