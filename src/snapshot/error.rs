//! Why a snapshot could not be read or written: [`SnapshotError`].

use std::path::{Path, PathBuf};

/// Why a snapshot could not be read or written.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("the snapshot {} cannot be {action}: {reason}", path.display())]
#[diagnostic(code(snapshot::unusable), help("{help}"))]
pub struct SnapshotError {
    /// The file.
    pub path: PathBuf,
    action: &'static str,
    reason: String,
    help: &'static str,
}

impl SnapshotError {
    pub(super) fn read(path: &Path, reason: impl ToString) -> Self {
        SnapshotError {
            path: path.to_owned(),
            action: "read",
            reason: reason.to_string(),
            help: "A snapshot is a YAML head between two lines `---`, then text. \
                   Restore the file, or delete it and accept it anew.",
        }
    }

    pub(super) fn write(path: &Path, reason: impl ToString) -> Self {
        SnapshotError {
            path: path.to_owned(),
            action: "written",
            reason: reason.to_string(),
            help: "Look whether the folder exists and may be written to.",
        }
    }
}
