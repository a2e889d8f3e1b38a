//! insta's file format: a YAML head between two lines `---`, then the contents.
//!
//! Reading and comparing is insta's own. Writing is not: `insta::Snapshot` can
//! only be made inside insta, and what it offers for saving one is hidden from
//! its documentation. The head is small: two strings.

use std::fmt::Write as _;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use insta::TextSnapshotKind;
use insta::internals::TextSnapshotContents;

use super::error::SnapshotError;
use super::whole_file;

/// What is said about a snapshot before its contents.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    /// Where the check comes from; insta's name for a test's source file.
    pub(super) source: String,
    /// What the check does, in one sentence.
    pub(super) description: String,
}

/// The contents of the snapshot at `path`; `None` if there is none.
pub(super) fn read(path: &Path) -> Result<Option<String>, SnapshotError> {
    Ok(read_whole(path)?.map(|(_, contents)| contents))
}

/// The head and the contents of the snapshot at `path`; `None` if there is none.
pub(super) fn read_whole(path: &Path) -> Result<Option<(Head, String)>, SnapshotError> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        text => text.map_err(|error| SnapshotError::read(path, error))?,
    };
    // insta reads an older format too, but prints a warning about it.
    if text.lines().next() != Some("---") {
        return Err(SnapshotError::read(path, "its first line is not `---`"));
    }
    let snapshot =
        insta::Snapshot::from_file(path).map_err(|error| SnapshotError::read(path, error))?;
    let metadata = snapshot.metadata();
    let head = Head {
        source: metadata.source().unwrap_or_default().to_owned(),
        description: metadata.description().unwrap_or_default().to_owned(),
    };
    match snapshot.as_text() {
        Some(contents) => Ok(Some((head, contents.to_string()))),
        None => Err(SnapshotError::read(path, "it is not a text")),
    }
}

/// Writes a snapshot: beside its place first, so that nothing is ever left half
/// written.
pub(super) fn write(path: &Path, head: &Head, contents: &str) -> Result<(), SnapshotError> {
    static COUNTER: AtomicUsize = AtomicUsize::new(0);
    let failed = |error| SnapshotError::write(path, error);
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(SnapshotError::write(path, "it has no name"));
    };
    fs::create_dir_all(folder).map_err(failed)?;
    if fs::symlink_metadata(path).is_ok_and(|there| !there.is_file()) {
        // A link stays a link, and what is no regular file is written to.
        let written = whole_file::begin(path)
            .and_then(|mut file| file.write_all(serialize(head, contents).as_bytes()))
            .and_then(|()| whole_file::finish(path));
        return written.map_err(failed);
    }
    let name = name.to_string_lossy();
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let temporary = folder.join(format!(".{name}.{}-{number}.tmp", std::process::id()));
    let written = fs::write(&temporary, serialize(head, contents))
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written.map_err(failed)
}

/// Removes the file at `path`, if it is there.
pub(super) fn remove(path: &Path) -> Result<(), SnapshotError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(SnapshotError::write(path, error)),
        _ => Ok(()),
    }
}

/// Whether insta takes the two contents for the same.
pub(super) fn is_same(old: &str, new: &str) -> bool {
    text(old).matches_latest(&text(new))
}

/// `contents` as insta compares it, with a newline at its end.
pub(super) fn normalized(contents: &str) -> String {
    format!("{}\n", text(contents))
}

/// The type is outside insta's promise of stability, but it is the one that
/// holds the rule of comparison; the lock file keeps its version.
fn text(contents: &str) -> TextSnapshotContents {
    TextSnapshotContents::new(contents.to_owned(), TextSnapshotKind::File)
}

fn serialize(head: &Head, contents: &str) -> String {
    let mut out = String::from("---\n");
    for (key, value) in [("source", &head.source), ("description", &head.description)] {
        if !value.is_empty() {
            let _ = writeln!(out, "{key}: {}", scalar(value));
        }
    }
    out.push_str("---\n");
    out.push_str(&normalized(contents));
    out
}

/// A YAML string: plain where YAML reads it back as the same string, else in
/// double quotes with JSON's escapes, which YAML shares.
fn scalar(value: &str) -> String {
    let is_plain = !value.starts_with(|first: char| " &*?|-<>=!%@.".contains(first))
        && !value.ends_with(' ')
        && !value.contains(|character: char| {
            character.is_control() || ":{}[],#`\"'\\".contains(character)
        })
        && !value.starts_with("0x")
        && value.parse::<f64>().is_err()
        && !["yes", "no", "on", "off", "true", "false", "null", "~"]
            .contains(&value.to_ascii_lowercase().as_str());
    if is_plain { value.to_owned() } else { serde_json::Value::from(value).to_string() }
}
