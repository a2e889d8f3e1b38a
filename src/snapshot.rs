//! The recorded wire as files that people review: `CHECK.snap` under one folder.
//! The main type is [`Store`].
//!
//! A file holds the wire of one check for all its profiles, since these are alike
//! but for what the profiles cause: each line once, with the profiles that have it
//! (`document`). What is compared is the wire of each profile, as it was.
//!
//! The files are insta's, so `cargo insta review` accepts them as well as
//! `mcp-checks review` does. What this module does itself, and why:
//!
//! - insta's macro is kept out: it panics, prints, and looks for a Cargo
//!   workspace when it runs, and an installed binary is far from any.
//! - Files are read by insta's own `Snapshot`, and texts are brought into the form
//!   in which insta compares them (line endings and white space at the end do not
//!   count), so both tools always agree.
//! - Files are written here ([`file`](self)): insta has no public way to make a
//!   snapshot. A test holds that insta would write the same bytes.
//!
//! What did not run, a case or a profile, stays as it is.
//!
//! cargo-insta does not look into folders named `target`: that is no name for a
//! folder of checks.

mod columns;
mod diff;
mod document;
mod error;
mod file;
mod pending;
mod recording;
mod review;
pub mod whole_file;

use std::path::{Path, PathBuf};

pub use diff::{diff, diff_coloured};
pub use error::SnapshotError;
pub use pending::Pending;
pub use recording::{Compared, Comparison, Recording, Section, Wire};
pub use review::{Change, Decision, Place, Review};

use document::{Document, Of, read};
use file::Head;

/// The folder that holds the snapshots.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
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
    pub fn path(&self, check: &str) -> PathBuf {
        self.folder.join(format!("{check}.snap"))
    }

    fn pending_path(&self, check: &str) -> PathBuf {
        self.folder.join(format!("{check}.snap.new"))
    }

    /// Compares `recording` with its snapshot; writes nothing.
    ///
    /// # Errors
    /// [`SnapshotError`] if a file exists that cannot be read.
    pub fn compare(&self, recording: &Recording) -> Result<Compared, SnapshotError> {
        let old = read(&self.path(&recording.check))?;
        let is_same = old.as_ref() == Some(&self.pending_document(recording)?);
        Ok(Compared { sections: sections(&old.unwrap_or_default(), recording), is_same })
    }

    /// Writes `recording` beside its snapshot, for a review; gives the path. What
    /// did not run stays as it is pending already, or as it is in the snapshot.
    ///
    /// # Errors
    /// [`SnapshotError`] if a file cannot be read or written.
    pub fn write_pending(&self, recording: &Recording) -> Result<PathBuf, SnapshotError> {
        let path = self.pending_path(&recording.check);
        file::write(&path, &head(recording), &self.pending_document(recording)?.text())?;
        Ok(path)
    }

    /// Removes a pending snapshot, if there is one: the wire is as before.
    ///
    /// # Errors
    /// [`SnapshotError`] if the file cannot be removed.
    pub fn remove_pending(&self, check: &str) -> Result<(), SnapshotError> {
        file::remove(&self.pending_path(check))
    }

    /// Writes `recording` into its snapshot, without a review; says what changed.
    /// What was recorded for profiles that are not among `profiles` is dropped, and
    /// so are files of the form `PROFILE/CHECK.snap`, which have one profile each.
    ///
    /// # Errors
    /// [`SnapshotError`] if a file cannot be read or written.
    pub fn update(
        &self,
        recording: &Recording,
        profiles: &[String],
    ) -> Result<Vec<Comparison>, SnapshotError> {
        let path = self.path(&recording.check);
        let old = read(&path)?.unwrap_or_default();
        let mut new = with(old.clone(), recording);
        new.retain(|profile| profiles.iter().any(|known| known == profile));
        let text = new.text();
        if file::read(&path)?.is_none_or(|contents| !file::is_same(&contents, &text)) {
            file::write(&path, &head(recording), &text)?;
        }
        // Another case or profile may still be waiting for a review.
        if let Some(pending) = read(&self.pending_path(&recording.check))? {
            let mut pending = with(pending, recording);
            pending.retain(|profile| profiles.iter().any(|known| known == profile));
            if pending == new {
                self.remove_pending(&recording.check)?;
            } else {
                let path = self.pending_path(&recording.check);
                file::write(&path, &head(recording), &pending.text())?;
            }
        }
        for wire in &recording.wires {
            self.remove_former(&wire.profile, &recording.check)?;
        }
        Ok(sections(&old, recording))
    }

    /// Removes the file that held the wire of one profile alone.
    fn remove_former(&self, profile: &str, check: &str) -> Result<(), SnapshotError> {
        let path = self.folder.join(profile).join(format!("{check}.snap"));
        // A check may have this name; and what is no snapshot is not ours.
        match file::read(&path) {
            Ok(Some(contents)) if Document::parse(&contents).is_err() => {}
            _ => return Ok(()),
        }
        file::remove(&path)?;
        let folders = path.ancestors().skip(1).take_while(|folder| *folder != self.folder);
        // Those that are not empty stay.
        folders.for_each(|folder| drop(std::fs::remove_dir(folder)));
        Ok(())
    }

    /// The pending snapshots, in the order of their paths.
    ///
    /// # Errors
    /// [`SnapshotError`] if a folder cannot be read.
    pub fn pending(&self) -> Result<Vec<Pending>, SnapshotError> {
        let found = self.files(".snap.new")?;
        Ok(found
            .into_iter()
            .map(|(path, check)| Pending { target: self.path(&check), path, check })
            .collect())
    }

    /// The snapshots of no check that is known, and in the others the wires of no
    /// profile that is known, in the order of their paths: `snapshots/gone.snap`,
    /// `snapshots/one.snap, profile gone`. What cannot be read is not among them.
    ///
    /// # Errors
    /// [`SnapshotError`] if a folder cannot be read.
    pub fn unreferenced(
        &self,
        is_check: impl Fn(&str) -> bool,
        is_profile: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, SnapshotError> {
        let mut found = Vec::new();
        for (path, check) in self.files(".snap")? {
            if !is_check(&check) {
                found.push(path.display().to_string());
                continue;
            }
            let Ok(Some(document)) = read(&path) else { continue };
            let profiles: std::collections::BTreeSet<&Of> = document.profiles().collect();
            let gone = profiles.into_iter().filter(|of| !is_profile(&of.profile));
            found.extend(gone.map(|of| format!("{}, profile {}", path.display(), of.profile)));
        }
        Ok(found)
    }

    /// What a pending snapshot of `recording` holds.
    fn pending_document(&self, recording: &Recording) -> Result<Document, SnapshotError> {
        let base = match read(&self.pending_path(&recording.check))? {
            Some(pending) => pending,
            None => read(&self.path(&recording.check))?.unwrap_or_default(),
        };
        Ok(with(base, recording))
    }

    /// The files that end with `ending`, with the check that their paths name, in
    /// the order of the paths.
    fn files(&self, ending: &str) -> Result<Vec<(PathBuf, String)>, SnapshotError> {
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
                files.push((path.to_owned(), stem.to_owned()));
            }
        }
        Ok(files)
    }
}

/// `document` with what was recorded now.
fn with(mut document: Document, recording: &Recording) -> Document {
    for wire in &recording.wires {
        let of = Of { revision: wire.revision.clone(), profile: wire.profile.clone() };
        for section in &wire.sections {
            let contents = file::normalized(&section.contents);
            document.set(&of, section.case.as_deref(), Some(&contents));
        }
    }
    document.arrange(&recording.cases);
    document
}

/// How each recorded section compares with `old`.
fn sections(old: &Document, recording: &Recording) -> Vec<Comparison> {
    let compare = |wire: &Wire, section: &Section| {
        let new = file::normalized(&section.contents);
        match old.get(&wire.profile, section.case.as_deref()) {
            None => Comparison::New,
            Some(old) if old == new.trim_end() => Comparison::Same,
            Some(old) => Comparison::Different { old: file::normalized(old), new },
        }
    };
    let wires = recording.wires.iter();
    wires
        .flat_map(|wire| wire.sections.iter().map(move |section| (wire, section)))
        .map(|(wire, section)| compare(wire, section))
        .collect()
}

fn head(recording: &Recording) -> Head {
    Head { source: recording.source.clone(), description: recording.description.clone() }
}

#[cfg(test)]
mod tests;
