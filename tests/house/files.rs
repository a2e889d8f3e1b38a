//! Files that can be read at once, and found where they are expected.

use std::path::Path;

/// A file with more lines than this is two.
const LINES: usize = 400;

/// Files that have more, and why.
const LONGER: [(&str, &str); 10] = [
    ("script/client.rs", "not split yet"),
    ("script/error/explain.rs", "not split yet"),
    ("script/fault/tests.rs", "not split yet"),
    ("script/reference/tables.rs", "not split yet"),
    ("script/seen.rs", "not split yet"),
    ("script/value.rs", "not split yet"),
    ("wire/exchange.rs", "not split yet"),
    ("wire/redact_tests.rs", "not split yet"),
    ("wire/scan.rs", "not split yet"),
    ("wire/text.rs", "not split yet"),
];

/// The sources below `root` that have more than `limit` lines.
fn longer(root: &Path, limit: usize) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(root).sort_by_file_name() {
        let entry = entry.expect("the sources can be read");
        if entry.path().extension().is_none_or(|ending| ending != "rs") {
            continue;
        }
        let lines =
            std::fs::read_to_string(entry.path()).expect("a source is UTF-8").lines().count();
        if lines > limit {
            let inside = entry.path().strip_prefix(root).expect("it is below the root");
            found.push((inside.display().to_string().replace('\\', "/"), lines));
        }
    }
    found
}

#[test]
fn no_file_is_too_long_to_be_read_at_once() {
    let found = longer(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), LINES);
    let has_a_reason = |file: &str| LONGER.iter().any(|(longer, _)| *longer == file);
    let wrong: Vec<_> = found.iter().filter(|(file, _)| !has_a_reason(file)).collect();
    assert!(wrong.is_empty(), "these have more than {LINES} lines: {wrong:?}");
    for (file, _) in LONGER {
        assert!(found.iter().any(|(longer, _)| longer == file), "{file} needs no reason any more");
    }
}

#[test]
fn a_long_file_is_found() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    std::fs::write(folder.path().join("a.rs"), "//! a\n".repeat(LINES)).expect("it can be written");
    std::fs::write(folder.path().join("b.rs"), "//! b\n".repeat(LINES + 1))
        .expect("it can be written");
    assert_eq!(longer(folder.path(), LINES), [("b.rs".to_owned(), LINES + 1)]);
}
