//! Where profiles come from: [`load`].

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use include_dir::{Dir, include_dir};
use miette::{Diagnostic, NamedSource};

use super::{Profile, file};
use crate::check::{SourceError, SourceText};

static EMBEDDED: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/profiles");

/// Why profiles could not be loaded.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum LoadError {
    /// The folder cannot be listed.
    #[error("the profiles in `{}` cannot be listed", folder.display())]
    #[diagnostic(
        code(profiles::folder),
        help("name a folder of profiles that exists, or none to use the built-in ones")
    )]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// There is no profile in the folder.
    #[error("the folder `{}` holds no profile", folder.display())]
    #[diagnostic(
        code(profiles::empty),
        help("put a `.toml` file there, or take the folder away to use the built-in profiles")
    )]
    Empty {
        /// The folder.
        folder: PathBuf,
    },
    /// Some profiles are broken; each is named.
    #[error("{} cannot be used", Count(.0.len()))]
    #[diagnostic(code(profiles::broken))]
    Broken(#[related] Vec<UnreadableProfile>),
}

struct Count(usize);

impl fmt::Display for Count {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => formatter.write_str("one profile"),
            count => write!(formatter, "{count} profiles"),
        }
    }
}

/// One profile that cannot be used.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum UnreadableProfile {
    /// The file cannot be read.
    #[error("the profile `{}` cannot be read", path.display())]
    #[diagnostic(code(profile::unreadable), help("make the file readable, or take it away"))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file or its name is not UTF-8.
    #[error("the profile `{}` is not UTF-8, in its {what}", path.display())]
    #[diagnostic(code(profile::not_utf8), help("write it in UTF-8"))]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// `name` or `text`.
        what: &'static str,
    },
    /// What the file says is wrong.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Wrong(SourceError),
}

/// Loads the profiles of `folder`; without one those of `./profiles` if it is
/// there, else the embedded ones. They are sorted by name.
///
/// A profile is a `.toml` file in the folder itself. Other files are passed
/// over, and so are names that begin with `_` or `.`.
///
/// # Errors
///
/// A folder that cannot be listed or holds no profile, or every profile that is
/// broken.
pub fn load(folder: Option<&Path>) -> Result<Vec<Profile>, LoadError> {
    let usual = Path::new("profiles");
    match folder {
        Some(folder) => load_folder(folder),
        None if usual.is_dir() => load_folder(usual),
        None => embedded(),
    }
}

/// The profiles that are embedded in the program, sorted by name.
///
/// # Errors
///
/// Every profile that is broken; a test makes sure that none is.
pub fn embedded() -> Result<Vec<Profile>, LoadError> {
    let files = embedded_files()
        .map(|(name, bytes)| (Path::new("built-in/profiles").join(name), bytes))
        .filter(|(path, _)| is_profile(path));
    collect(files.map(|(path, bytes)| (path, Ok(bytes.to_vec()))))
}

/// The embedded profiles as files: name and contents, sorted by name.
pub fn embedded_files() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    let mut files: Vec<_> = EMBEDDED
        .files()
        .filter_map(|file| Some((file.path().to_str()?, file.contents())))
        .collect();
    files.sort_unstable();
    files.into_iter()
}

fn load_folder(folder: &Path) -> Result<Vec<Profile>, LoadError> {
    let failed = |source| LoadError::Folder { folder: folder.to_owned(), source };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        paths.push(entry.map_err(failed)?.path());
    }
    paths.retain(|path| is_profile(path));
    paths.sort();
    let profiles = collect(paths.into_iter().map(|path| {
        let bytes = fs::read(&path);
        (path, bytes)
    }))?;
    if profiles.is_empty() {
        return Err(LoadError::Empty { folder: folder.to_owned() });
    }
    Ok(profiles)
}

/// Reads each file; the broken ones are reported together.
fn collect(
    files: impl Iterator<Item = (PathBuf, std::io::Result<Vec<u8>>)>,
) -> Result<Vec<Profile>, LoadError> {
    let (mut profiles, mut broken) = (Vec::new(), Vec::new());
    for (path, bytes) in files {
        match read_file(path, bytes) {
            Ok(profile) => profiles.push(profile),
            Err(error) => broken.push(error),
        }
    }
    if !broken.is_empty() {
        return Err(LoadError::Broken(broken));
    }
    profiles.sort_by(|a: &Profile, b| a.name.cmp(&b.name));
    Ok(profiles)
}

fn is_profile(path: &Path) -> bool {
    let name = path.file_name().map(OsStr::as_encoded_bytes).unwrap_or_default();
    path.extension() == Some(OsStr::new("toml"))
        && !name.starts_with(b"_")
        && !name.starts_with(b".")
}

fn read_file(path: PathBuf, bytes: std::io::Result<Vec<u8>>) -> Result<Profile, UnreadableProfile> {
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(source) => return Err(UnreadableProfile::Io { path, source }),
    };
    let Some(name) = path.file_stem().and_then(OsStr::to_str) else {
        return Err(UnreadableProfile::NotUtf8 { path, what: "name" });
    };
    let Ok(text) = String::from_utf8(bytes) else {
        return Err(UnreadableProfile::NotUtf8 { path, what: "text" });
    };
    // An editor's mark of the encoding says nothing more.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let source: SourceText =
        Arc::new(NamedSource::new(path.display().to_string(), Arc::from(text)));
    file::read(name, &source).map_err(UnreadableProfile::Wrong)
}
