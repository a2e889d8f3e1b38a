//! Where checks come from: [`load`] makes a [`Library`] of them.
//!
//! Checks are the `.rhai` files of a local `checks` folder, or else those
//! embedded in the program. A local folder replaces the embedded checks, or is
//! added to them, if that is asked for; of two checks of one id the local one
//! counts. Its support scripts (`_lib`, `_servers`, `_faults`) are always added to
//! the embedded ones, and replace those of the same name.
//!
//! The id of a check is its path without the ending, always with `/`. Names that
//! begin with `_` or `.` are no checks. Links inside the folder are not
//! followed: each is reported as a problem, so that no check stands outside of
//! the folder or in it twice.

mod files;
pub(crate) mod functions;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::Diagnostic;

use self::files::Found;
use super::checkpoint::About;
use super::header::{self, Header};
use super::kind::CheckKind;
use super::place::SourceText;

pub use self::files::{EntryError, ReadError, embedded_files, id_problem};

/// One check whose header could be read.
#[derive(Clone, Debug)]
pub struct Check {
    /// Its path without the ending: `client/tool-call-basic`.
    pub id: String,
    /// What it is a check of.
    pub kind: CheckKind,
    /// What it says of itself.
    pub header: Header,
    script: files::Script,
}

impl Check {
    /// Reads a check from a text that is held in memory.
    ///
    /// # Errors
    ///
    /// A header that cannot be read.
    pub fn from_source(id: &str, source: SourceText) -> Result<Check, BrokenCheck> {
        Check::read(id.to_owned(), files::Script::Memory(source))
    }

    /// The check's script, read again.
    ///
    /// # Errors
    ///
    /// A file that is gone, unreadable or no longer UTF-8.
    pub fn source(&self) -> Result<SourceText, ReadError> {
        self.script.source()
    }

    /// The file of the check; `None` if it is embedded in the program.
    pub fn path(&self) -> Option<&Path> {
        match &self.script {
            files::Script::File(path) => Some(path),
            files::Script::Embedded { .. } | files::Script::Memory(_) => None,
        }
    }

    fn read(id: String, script: files::Script) -> Result<Check, BrokenCheck> {
        let broken = |id: &str, report: miette::Report| BrokenCheck {
            id: id.to_owned(),
            problem: Arc::new(report),
        };
        let source = script.source().map_err(|error| broken(&id, error.into()))?;
        let mut header = header::parse(&source).map_err(|error| broken(&id, error.into()))?;
        let kind = CheckKind::of(source.inner());
        if kind == CheckKind::Host {
            for checkpoint in &mut header.checkpoints {
                checkpoint.about = About::Host;
            }
        }
        Ok(Check { id, kind, header, script })
    }
}

/// A check that cannot be read: it is reported, and stops no other.
#[derive(Clone, Debug)]
pub struct BrokenCheck {
    /// Its path without the ending.
    pub id: String,
    /// Why it cannot be read.
    pub problem: Arc<miette::Report>,
}

/// Every check that there is, and what supports them.
#[derive(Debug, Default)]
pub struct Library {
    /// The checks, sorted by id; the broken ones in their places.
    pub checks: Vec<Result<Check, BrokenCheck>>,
    /// What else is wrong in the folder: links, names that cannot be read,
    /// support scripts that cannot be read.
    pub problems: Vec<Arc<miette::Report>>,
    /// The scripts that checks can use.
    pub support: Support,
    /// The folder of the checks; `None` if they are the embedded ones.
    pub folder: Option<PathBuf>,
    /// What a local folder makes of the embedded checks.
    pub beside: Beside,
}

/// What a local folder makes of the embedded checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// Embedded checks that are not in the library: the folder took their place.
    pub left_out: usize,
    /// Embedded checks for which a local one of the same id stands.
    pub replaced: usize,
    /// Whether embedded checks were added to those of the folder.
    pub added: bool,
}

/// The scripts that support checks, each list sorted by name.
#[derive(Clone, Debug, Default)]
pub struct Support {
    /// `_lib`: there for every script, as modules.
    pub libraries: Vec<SupportScript>,
    /// `_servers`: whole servers.
    pub servers: Vec<SupportScript>,
    /// `_faults`: deliberate misbehaviours.
    pub faults: Vec<SupportScript>,
}

/// One script that supports checks.
#[derive(Clone, Debug)]
pub struct SupportScript {
    /// Its path below its folder, without the ending: `wire`.
    pub name: String,
    /// Its text.
    pub source: SourceText,
}

impl Library {
    /// The checks that could be read, sorted by id.
    pub fn readable(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter_map(|check| check.as_ref().ok())
    }

    /// The checks that could not be read, sorted by id.
    pub fn broken(&self) -> impl Iterator<Item = &BrokenCheck> {
        self.checks.iter().filter_map(|check| check.as_ref().err())
    }

    /// The ids of all checks, in order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.checks.iter().map(id_of)
    }

    /// The check with this id.
    pub fn get(&self, id: &str) -> Option<&Result<Check, BrokenCheck>> {
        let index = self.checks.binary_search_by(|check| id_of(check).cmp(id)).ok()?;
        self.checks.get(index)
    }

    /// Every tag that a check has, in order.
    pub fn tags(&self) -> BTreeSet<&str> {
        self.readable().flat_map(|check| &check.header.tags).map(String::as_str).collect()
    }

    /// The library that is embedded in the program.
    pub fn embedded() -> Library {
        let embedded = files::embedded();
        let mut library = Library::default();
        library.add_checks(&embedded);
        library.add_support(embedded);
        library
    }

    /// A library of these checks, with the embedded support scripts.
    pub fn of(mut checks: Vec<Result<Check, BrokenCheck>>) -> Library {
        checks.sort_by(|a, b| id_of(a).cmp(id_of(b)));
        let mut library = Library { checks, ..Library::default() };
        library.add_support(files::embedded());
        library
    }

    /// Adds the embedded checks whose ids are not taken, if that is asked for, and
    /// counts the others.
    fn add_embedded(&mut self, add: bool) {
        let known: BTreeSet<String> = self.ids().map(str::to_owned).collect();
        let is_known = |id: &str| known.contains(id);
        let (taken, free): (Vec<Found>, Vec<Found>) = files::embedded()
            .into_iter()
            .filter(|file| matches!(file, Found::Check { .. }))
            .partition(|file| matches!(file, Found::Check { id, .. } if is_known(id)));
        self.beside = Beside {
            left_out: if add { 0 } else { free.len() },
            replaced: taken.len(),
            added: add,
        };
        if add {
            self.add_checks(&free);
        }
    }

    fn add_checks(&mut self, found: &[Found]) {
        for file in found {
            if let Found::Check { id, script } = file {
                self.checks.push(Check::read(id.clone(), script.clone()));
            }
        }
        self.checks.sort_by(|a, b| id_of(a).cmp(id_of(b)));
    }

    fn add_support(&mut self, found: Vec<Found>) {
        for file in found {
            let Found::Support { kind, name, script } = file else { continue };
            let source = match script.source() {
                Ok(source) => source,
                Err(error) => {
                    self.problems.push(Arc::new(error.into()));
                    continue;
                }
            };
            let scripts = match kind {
                files::SupportKind::Library => &mut self.support.libraries,
                files::SupportKind::Server => &mut self.support.servers,
                files::SupportKind::Fault => &mut self.support.faults,
            };
            let script = SupportScript { name, source };
            match scripts.binary_search_by(|known| known.name.cmp(&script.name)) {
                Ok(index) => scripts[index] = script,
                Err(index) => scripts.insert(index, script),
            }
        }
    }
}

/// The id of a check, broken or not.
pub fn id_of(check: &Result<Check, BrokenCheck>) -> &str {
    match check {
        Ok(check) => &check.id,
        Err(broken) => &broken.id,
    }
}

/// Why no library could be loaded at all.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum LoadError {
    /// The folder is not there.
    #[error("there is no folder of checks at `{}`", folder.display())]
    #[diagnostic(
        code(checks::no_folder),
        help("name a folder that exists, or none to use the built-in checks")
    )]
    NoFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder holds no check.
    #[error("the folder `{}` holds no check", folder.display())]
    #[diagnostic(
        code(checks::empty_folder),
        help(
            "add a check with `mcp-checks new NAME`, or take the folder away to use the built-in \
             checks; a check is a `.rhai` file whose name does not begin with `_` or `.`"
        )
    )]
    Empty {
        /// The folder.
        folder: PathBuf,
        /// What stands in the way of checks that are there.
        #[related]
        problems: Vec<EntryError>,
    },
}

/// Loads the checks of `folder`; without one those of `./checks` if it is
/// there, else the embedded ones. `with_embedded` adds the embedded checks to those
/// of a folder; of two with one id that of the folder counts. Takes time in
/// proportion to the number of files, and keeps no script of a check.
///
/// # Errors
///
/// A folder that is not there or holds no check. A check that cannot be read
/// does not stop the others: it is in the library as broken.
pub fn load(folder: Option<&Path>, with_embedded: bool) -> Result<Library, LoadError> {
    let usual = Path::new("checks");
    let folder = folder.or_else(|| usual.is_dir().then_some(usual));
    let Some(folder) = folder else { return Ok(Library::embedded()) };
    if !folder.is_dir() {
        return Err(LoadError::NoFolder { folder: folder.to_owned() });
    }
    let (found, problems) = files::local(folder);
    let mut library = Library::default();
    library.add_checks(&found);
    if library.checks.is_empty() {
        return Err(LoadError::Empty { folder: folder.to_owned(), problems });
    }
    library.add_embedded(with_embedded);
    library.add_support(files::embedded());
    library.add_support(found);
    library.problems.extend(problems.into_iter().map(|problem| Arc::new(problem.into())));
    library.folder = Some(folder.to_owned());
    Ok(library)
}

#[cfg(test)]
mod tests;
