//! The files of a folder of checks, local or embedded, sorted into [`Found`].

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use include_dir::{Dir, DirEntry, include_dir};
use miette::{Diagnostic, NamedSource};
use walkdir::{DirEntry as Entry, WalkDir};

use crate::check::place::SourceText;

static EMBEDDED: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/checks");

/// A file that matters, without its text.
#[derive(Clone, Debug)]
pub enum Found {
    /// A check.
    Check {
        /// Its path without the ending.
        id: String,
        /// Where its text is.
        script: Script,
    },
    /// A support script.
    Support {
        /// What it is for.
        kind: SupportKind,
        /// Its path below its folder, without the ending.
        name: String,
        /// Where its text is.
        script: Script,
    },
}

/// What a support script is for.
#[derive(Clone, Copy, Debug)]
pub enum SupportKind {
    /// `_lib`.
    Library,
    /// `_servers`.
    Server,
    /// `_faults`.
    Fault,
}

/// Where the text of a script is.
#[derive(Clone, Debug)]
pub enum Script {
    /// In a file.
    File(PathBuf),
    /// In the program.
    Embedded {
        /// The path below `checks`.
        path: &'static str,
        /// The contents.
        bytes: &'static [u8],
    },
    /// In memory.
    Memory(SourceText),
}

/// Why a script cannot be read.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum ReadError {
    /// The system does not let it be read.
    #[error("the script `{name}` cannot be read")]
    #[diagnostic(code(checks::unreadable), help("make the file readable, or take it away"))]
    Io {
        /// The file.
        name: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// It is longer than what is read.
    #[error("the script `{name}` has {length} bytes, and at most {SCRIPT_LIMIT} are read")]
    #[diagnostic(code(checks::too_long), help("split it into several checks"))]
    TooLong {
        /// The file.
        name: String,
        /// How many bytes it has.
        length: usize,
    },
    /// The text is not UTF-8.
    #[error("the script `{name}` is not UTF-8, from byte {offset} on")]
    #[diagnostic(code(checks::not_utf8), help("save the file in UTF-8"))]
    NotUtf8 {
        /// The file.
        name: String,
        /// How many bytes are UTF-8.
        offset: usize,
    },
}

/// How many bytes a script may have: a hundred times what the longest shipped one has.
/// What is longer could neither be compiled in time nor be shown.
pub const SCRIPT_LIMIT: usize = 1024 * 1024;

/// What is wrong with an entry of the folder that is no readable script.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum EntryError {
    /// Links are not followed.
    #[error("`{path}` is a link, and links are not followed")]
    #[diagnostic(
        code(checks::link),
        help("put the file or folder itself there; a folder of checks holds no links")
    )]
    Link {
        /// The entry.
        path: String,
    },
    /// The name cannot become an id.
    #[error("the name of `{path}` is not UTF-8")]
    #[diagnostic(code(checks::name_not_utf8), help("rename it: the name becomes the check's id"))]
    NameNotUtf8 {
        /// The entry, as far as it can be shown.
        path: String,
    },
    /// The name would make an id that cannot be selected.
    #[error("`{path}` cannot be the name of a check: `{character}` is not allowed in it")]
    #[diagnostic(
        code(checks::bad_name),
        help("rename it to letters, digits, `-`, `_` and `.`: the name becomes the check's id")
    )]
    BadName {
        /// The entry.
        path: String,
        /// The first character that is not allowed.
        character: char,
    },
    /// The system does not let a folder be read.
    #[error("the folder cannot be read in full")]
    #[diagnostic(code(checks::folder_unreadable), help("make the folder readable"))]
    Walk(#[source] walkdir::Error),
}

impl Script {
    /// Reads the text.
    ///
    /// # Errors
    ///
    /// A file that is gone, unreadable or not UTF-8.
    pub fn source(&self) -> Result<SourceText, ReadError> {
        let (name, bytes) = match self {
            Script::Memory(source) => return Ok(source.clone()),
            Script::Embedded { path, bytes } => (format!("built-in/checks/{path}"), bytes.to_vec()),
            Script::File(path) => {
                let name = path.display().to_string();
                match fs::read(path) {
                    Ok(bytes) => (name, bytes),
                    Err(source) => return Err(ReadError::Io { name, source }),
                }
            }
        };
        match String::from_utf8(bytes) {
            Ok(text) if text.len() > SCRIPT_LIMIT => {
                Err(ReadError::TooLong { name, length: text.len() })
            }
            Ok(text) => {
                // An editor's mark of the encoding says nothing more.
                let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
                Ok(Arc::new(NamedSource::new(name, Arc::from(text))))
            }
            Err(error) => {
                Err(ReadError::NotUtf8 { name, offset: error.utf8_error().valid_up_to() })
            }
        }
    }
}

/// The embedded files as they stand below `checks`: path and contents, sorted by
/// path.
pub fn embedded_files() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    fn collect(dir: &Dir<'static>, files: &mut Vec<(&'static str, &'static [u8])>) {
        for entry in dir.entries() {
            match entry {
                DirEntry::Dir(dir) => collect(dir, files),
                DirEntry::File(file) => {
                    files.extend(file.path().to_str().map(|path| (path, file.contents())));
                }
            }
        }
    }
    let mut files = Vec::new();
    collect(&EMBEDDED, &mut files);
    files.sort_unstable();
    files.into_iter()
}

/// The embedded scripts.
pub fn embedded() -> Vec<Found> {
    embedded_files()
        .filter_map(|(path, bytes)| sort(path, Script::Embedded { path, bytes }))
        .collect()
}

/// The scripts of a local folder, and what is wrong with other entries of it.
pub fn local(folder: &Path) -> (Vec<Found>, Vec<EntryError>) {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    let walk = WalkDir::new(folder).sort_by_file_name().into_iter();
    for entry in walk.filter_entry(is_of_interest) {
        match entry.map_err(EntryError::Walk).and_then(|entry| inspect(folder, &entry)) {
            Ok(file) => found.extend(file),
            Err(error) => problems.push(error),
        }
    }
    (found, problems)
}

/// Whether an entry is worth a look: names that begin with `.` never are, those
/// with `_` only as the support folders.
fn is_of_interest(entry: &Entry) -> bool {
    let name = entry.file_name().as_encoded_bytes();
    match (entry.depth(), name.first()) {
        (0, _) => true,
        (_, Some(b'.')) => false,
        (1, Some(b'_')) => entry.file_name().to_str().is_some_and(|name| support(name).is_some()),
        (_, Some(b'_')) => false,
        _ => true,
    }
}

fn support(folder: &str) -> Option<SupportKind> {
    match folder {
        "_lib" => Some(SupportKind::Library),
        "_servers" => Some(SupportKind::Server),
        "_faults" => Some(SupportKind::Fault),
        _ => None,
    }
}

fn inspect(folder: &Path, entry: &Entry) -> Result<Option<Found>, EntryError> {
    let path = entry.path();
    let display = || path.display().to_string();
    let is_script = path.extension() == Some(OsStr::new("rhai"));
    // The folder itself may be a link.
    if entry.path_is_symlink() && entry.depth() > 0 {
        // Any other link is passed over as any other file is.
        let stands_for_checks = is_script || path.is_dir();
        return if stands_for_checks {
            Err(EntryError::Link { path: display() })
        } else {
            Ok(None)
        };
    }
    if !entry.file_type().is_file() || !is_script {
        return Ok(None);
    }
    let below = path.strip_prefix(folder).unwrap_or(path);
    let mut parts = Vec::new();
    for part in below {
        let part = part.to_str().ok_or_else(|| EntryError::NameNotUtf8 { path: display() })?;
        parts.push(part);
    }
    let below = parts.join("/");
    match below.chars().find(|letter| !is_allowed_in_id(*letter)) {
        Some(character) => Err(EntryError::BadName { path: display(), character }),
        None => Ok(sort(&below, Script::File(path.to_owned()))),
    }
}

fn is_allowed_in_id(letter: char) -> bool {
    letter.is_alphanumeric() || "-_./".contains(letter)
}

/// Why `id` cannot be the id of a check; `None` if it can.
pub fn id_problem(id: &str) -> Option<String> {
    if let Some(letter) = id.chars().find(|letter| !is_allowed_in_id(*letter)) {
        return Some(format!("`{letter}` is not allowed in it"));
    }
    id.split('/').find_map(|part| match part.chars().next() {
        None => Some("a part of it is empty".to_owned()),
        Some(first @ ('_' | '.')) => {
            Some(format!("no check has a part that begins with `{first}`"))
        }
        Some(_) => None,
    })
}

/// What the script at a path with `/`, below `checks`, is; `None` if it is
/// nothing.
fn sort(path: &str, script: Script) -> Option<Found> {
    let name = path.strip_suffix(".rhai")?;
    let is_hidden = |part: &str| part.starts_with(['_', '.']);
    if let Some((folder, below)) = name.split_once('/')
        && let Some(kind) = support(folder)
    {
        let is_support = !below.split('/').any(is_hidden);
        return is_support.then(|| Found::Support { kind, name: below.to_owned(), script });
    }
    (!name.split('/').any(is_hidden)).then(|| Found::Check { id: name.to_owned(), script })
}
