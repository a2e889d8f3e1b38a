//! A [`Pending`] snapshot: one that waits for a person.

use std::path::PathBuf;

use super::{SnapshotError, file};

/// A snapshot that waits to be accepted or rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The pending file, `….snap.new`.
    pub path: PathBuf,
    /// The snapshot that it would become, `….snap`.
    pub target: PathBuf,
    /// The profile's name.
    pub profile: String,
    /// The check's id.
    pub check: String,
}

impl Pending {
    /// The contents of the snapshot as it is; `None` if there is none yet.
    ///
    /// # Errors
    /// [`SnapshotError`] if it cannot be read.
    pub fn old(&self) -> Result<Option<String>, SnapshotError> {
        Ok(file::read(&self.target)?.as_deref().map(file::normalized))
    }

    /// The contents of the pending file.
    ///
    /// # Errors
    /// [`SnapshotError`] if it is gone or cannot be read.
    pub fn new_contents(&self) -> Result<String, SnapshotError> {
        let contents = file::read(&self.path)?
            .ok_or_else(|| SnapshotError::read(&self.path, "it is not there any more"))?;
        Ok(file::normalized(&contents))
    }

    /// Puts the pending file in the snapshot's place.
    ///
    /// # Errors
    /// [`SnapshotError`] if it cannot be read or moved.
    pub fn accept(&self) -> Result<(), SnapshotError> {
        // What cannot be read must not take the place of what can.
        self.new_contents()?;
        // A link stays a link.
        let target = match std::fs::symlink_metadata(&self.target) {
            Ok(there) if there.is_symlink() => std::fs::canonicalize(&self.target)
                .map_err(|error| SnapshotError::write(&self.target, error))?,
            _ => self.target.clone(),
        };
        std::fs::rename(&self.path, &target)
            .map_err(|error| SnapshotError::write(&self.target, error))
    }

    /// Removes the pending file.
    ///
    /// # Errors
    /// [`SnapshotError`] if it cannot be removed.
    pub fn reject(&self) -> Result<(), SnapshotError> {
        file::remove(&self.path)
    }
}
