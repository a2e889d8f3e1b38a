//! A [`Pending`] snapshot: one that waits for a person.

use std::path::PathBuf;

use super::document::{Document, read};
use super::error::SnapshotError;
use super::file::{self, Head};

/// A snapshot that waits to be accepted or rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The pending file, `….snap.new`.
    pub path: PathBuf,
    /// The snapshot that it would become, `….snap`.
    pub target: PathBuf,
    /// The check's id.
    pub check: String,
}

impl Pending {
    /// The snapshot as it is, without anything in it if there is none yet.
    pub(super) fn old(&self) -> Result<Document, SnapshotError> {
        Ok(read(&self.target)?.unwrap_or_default())
    }

    /// What waits.
    pub(super) fn new_document(&self) -> Result<(Head, Document), SnapshotError> {
        let (head, contents) = file::read_whole(&self.path)?
            .ok_or_else(|| SnapshotError::read(&self.path, "it is not there any more"))?;
        let document =
            Document::parse(&contents).map_err(|reason| SnapshotError::read(&self.path, reason))?;
        Ok((head, document))
    }

    /// Writes what was accepted, and what still waits.
    pub(super) fn write(
        &self,
        head: &Head,
        accepted: &Document,
        waiting: &Document,
    ) -> Result<(), SnapshotError> {
        if *accepted != self.old()? {
            match accepted.texts().next() {
                Some(_) => file::write(&self.target, head, &accepted.text())?,
                None => file::remove(&self.target)?,
            }
        }
        if accepted == waiting {
            file::remove(&self.path)
        } else {
            file::write(&self.path, head, &waiting.text())
        }
    }
}
