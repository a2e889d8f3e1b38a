//! The recorded wire as files that people review: `PROFILE/CHECK.snap` under
//! one folder. The main type is [`Store`].
//!
//! The files are insta's, so `cargo insta review` accepts them as well as
//! `mcp-checks review` does. What this module does itself, and why:
//!
//! - insta's macro is kept out: it panics, prints, and looks for a Cargo
//!   workspace when it runs, and an installed binary is far from any.
//! - Files are read by insta's own `Snapshot`, and texts compared by insta's
//!   own rule (line endings and white space at the end do not count), so both
//!   tools always agree.
//! - Files are written here ([`file`](self)): insta has no public way to make a
//!   snapshot. A test holds that insta would write the same bytes.
//!
//! A check with cases has one file with a section for each case, headed
//! `── case: NAME ──`. When only some of the cases ran, the other sections stay
//! as they are.
//!
//! cargo-insta does not look into folders named `target`: that is no name for
//! a profile.

mod diff;
mod file;
mod pending;
mod sections;
pub mod whole_file;

use std::path::{Path, PathBuf};

pub use diff::{diff, diff_coloured};
pub use pending::Pending;
pub use sections::Section;

use file::Head;
use sections::{merge, split};

/// The folder that holds the snapshots.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// What one check left on the wire for one profile.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The profile's name.
    pub profile: String,
    /// The check's id; each `/` is a folder.
    pub check: String,
    /// Every case that the check declares, in the header's order; empty if it
    /// has none. A recorded case that is no longer declared is dropped.
    pub cases: Vec<String>,
    /// What was recorded now: one section without a case, or one for each case
    /// that ran.
    pub sections: Vec<Section>,
    /// Where the check comes from: `checks/client/tool-call-basic.rhai`.
    pub source: String,
    /// The check's first sentence.
    pub description: String,
}

/// How one recorded section compares with the snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// It is what it was.
    Same,
    /// The snapshot has no such section.
    New,
    /// It differs.
    Different {
        /// What the snapshot says.
        old: String,
        /// What was recorded now.
        new: String,
    },
}

/// How a recording compares with its snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// One for each recorded section, in the same order.
    pub sections: Vec<Comparison>,
    /// Whether the whole file would stay as it is. It would not when a section
    /// differs, or when the cases of the check changed.
    pub is_same: bool,
}

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
    fn read(path: &Path, reason: impl ToString) -> Self {
        SnapshotError {
            path: path.to_owned(),
            action: "read",
            reason: reason.to_string(),
            help: "A snapshot is a YAML head between two lines `---`, then text. \
                   Restore the file, or delete it and accept it anew.",
        }
    }

    fn write(path: &Path, reason: impl ToString) -> Self {
        SnapshotError {
            path: path.to_owned(),
            action: "written",
            reason: reason.to_string(),
            help: "Look whether the folder exists and may be written to.",
        }
    }
}

impl Store {
    /// The snapshots in `folder`, which need not exist yet.
    pub fn open(folder: impl Into<PathBuf>) -> Self {
        Store { folder: folder.into() }
    }

    /// The folder that holds the snapshots.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The path of a snapshot.
    pub fn path(&self, profile: &str, check: &str) -> PathBuf {
        self.folder.join(profile).join(format!("{check}.snap"))
    }

    fn pending_path(&self, profile: &str, check: &str) -> PathBuf {
        self.folder.join(profile).join(format!("{check}.snap.new"))
    }

    /// Compares `recording` with its snapshot; writes nothing.
    ///
    /// # Errors
    /// [`SnapshotError`] if a file exists that cannot be read.
    pub fn compare(&self, recording: &Recording) -> Result<Compared, SnapshotError> {
        let old = file::read(&self.path(&recording.profile, &recording.check))?;
        let old_sections = old.as_deref().map(split).unwrap_or_default();
        let sections = recording
            .sections
            .iter()
            .map(|new| match old_sections.iter().find(|old| old.case == new.case) {
                None => Comparison::New,
                Some(old) if file::is_same(&old.contents, &new.contents) => Comparison::Same,
                Some(old) => Comparison::Different {
                    old: file::normalized(&old.contents),
                    new: file::normalized(&new.contents),
                },
            })
            .collect();
        let new = self.pending_contents(recording)?;
        let is_same = old.is_some_and(|old| file::is_same(&old, &new));
        Ok(Compared { sections, is_same })
    }

    /// Writes `recording` beside its snapshot, for a review; gives the path.
    /// Sections of cases that did not run stay as they are pending already, or
    /// as they are in the snapshot.
    ///
    /// # Errors
    /// [`SnapshotError`] if a file cannot be read or written.
    pub fn write_pending(&self, recording: &Recording) -> Result<PathBuf, SnapshotError> {
        let path = self.pending_path(&recording.profile, &recording.check);
        file::write(&path, &head(recording), &self.pending_contents(recording)?)?;
        Ok(path)
    }

    /// Removes a pending snapshot, if there is one: the wire is as before.
    ///
    /// # Errors
    /// [`SnapshotError`] if the file cannot be removed.
    pub fn remove_pending(&self, profile: &str, check: &str) -> Result<(), SnapshotError> {
        file::remove(&self.pending_path(profile, check))
    }

    /// Writes `recording` into its snapshot, without a review.
    ///
    /// # Errors
    /// [`SnapshotError`] if a file cannot be read or written.
    pub fn update(&self, recording: &Recording) -> Result<PathBuf, SnapshotError> {
        let path = self.path(&recording.profile, &recording.check);
        let old = file::read(&path)?.as_deref().map(split).unwrap_or_default();
        let new = merge(&old, &recording.sections, &recording.cases);
        let is_current = old_is(&path, &new)?;
        if !is_current {
            file::write(&path, &head(recording), &new)?;
        }
        // Another case may still be waiting for a review.
        if file::is_same(&self.pending_contents(recording)?, &new) {
            self.remove_pending(&recording.profile, &recording.check)?;
        } else {
            self.write_pending(recording)?;
        }
        Ok(path)
    }

    /// The pending snapshots, in the order of their paths.
    ///
    /// # Errors
    /// [`SnapshotError`] if a folder cannot be read.
    pub fn pending(&self) -> Result<Vec<Pending>, SnapshotError> {
        let found = self.files(".snap.new")?;
        Ok(found
            .into_iter()
            .map(|(path, profile, check)| Pending {
                target: self.path(&profile, &check),
                path,
                profile,
                check,
            })
            .collect())
    }

    /// The snapshots whose profile and check are not `known`, in the order of
    /// their paths.
    ///
    /// # Errors
    /// [`SnapshotError`] if a folder cannot be read.
    pub fn unreferenced(
        &self,
        known: impl Fn(&str, &str) -> bool,
    ) -> Result<Vec<PathBuf>, SnapshotError> {
        let found = self.files(".snap")?;
        Ok(found
            .into_iter()
            .filter(|(_, profile, check)| !known(profile, check))
            .map(|(path, ..)| path)
            .collect())
    }

    /// What a pending snapshot of `recording` holds.
    fn pending_contents(&self, recording: &Recording) -> Result<String, SnapshotError> {
        let pending = file::read(&self.pending_path(&recording.profile, &recording.check))?;
        let base = match pending {
            Some(pending) => Some(pending),
            None => file::read(&self.path(&recording.profile, &recording.check))?,
        };
        let base = base.as_deref().map(split).unwrap_or_default();
        Ok(merge(&base, &recording.sections, &recording.cases))
    }

    /// The files that end with `ending`, with the profile and the check that
    /// their paths name; both in the order of the paths.
    fn files(&self, ending: &str) -> Result<Vec<(PathBuf, String, String)>, SnapshotError> {
        let mut files = Vec::new();
        if !self.folder.exists() {
            return Ok(files);
        }
        for entry in walkdir::WalkDir::new(&self.folder).sort_by_file_name() {
            let entry = entry.map_err(|error| {
                SnapshotError::read(error.path().unwrap_or(&self.folder), &error)
            })?;
            let path = entry.path();
            let Ok(relative) = path.strip_prefix(&self.folder) else { continue };
            let names: Vec<_> = relative.iter().map(|name| name.to_string_lossy()).collect();
            let name = names.join("/");
            if entry.file_type().is_file()
                && let Some(stem) = name.strip_suffix(ending)
            {
                let (profile, check) = stem.split_once('/').unwrap_or(("", stem));
                files.push((path.to_owned(), profile.to_owned(), check.to_owned()));
            }
        }
        Ok(files)
    }
}

fn old_is(path: &Path, contents: &str) -> Result<bool, SnapshotError> {
    Ok(file::read(path)?.is_some_and(|old| file::is_same(&old, contents)))
}

fn head(recording: &Recording) -> Head<'_> {
    Head { source: &recording.source, description: &recording.description }
}

#[cfg(test)]
mod tests;
