//! Files that are there as a whole or not at all: [`begin`] and [`finish`].
//!
//! A file is written beside its place and then put there, so that whoever reads it
//! finds the last whole one, or none. A link stays a link: what it leads to is
//! replaced. What is no regular file, such as a device or a pipe, cannot be replaced
//! and is written to directly.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// How many links are followed, as systems have it.
const LINK_LIMIT: usize = 40;

/// Where what goes to a path is written.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// To what is there.
    Direct(PathBuf),
    /// To a regular file, which may not be there yet.
    Regular(PathBuf),
}

impl Place {
    fn of(path: &Path) -> io::Result<Place> {
        match fs::metadata(path) {
            Ok(there) if there.is_file() => fs::canonicalize(path).map(Place::Regular),
            Ok(there) if there.is_dir() => Err(ErrorKind::IsADirectory.into()),
            Ok(_) => Ok(Place::Direct(path.to_owned())),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                end_of_links(path).map(Place::Regular)
            }
            Err(error) => Err(error),
        }
    }
}

/// Where links lead to that end at nothing.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINK_LIMIT {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many links"))
}

/// Where a file is written until it is whole.
fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".unfinished");
    PathBuf::from(name)
}

/// Creates the file that is written for `path` until it is whole.
///
/// # Errors
/// What the system says if it cannot be created.
pub fn begin(path: &Path) -> io::Result<File> {
    match Place::of(path)? {
        Place::Direct(path) => OpenOptions::new().write(true).open(path),
        Place::Regular(path) => {
            let file = File::create(unfinished(&path))?;
            if let Ok(replaced) = fs::metadata(&path) {
                // Who may read it stays as it is.
                let _ = file.set_permissions(replaced.permissions());
            }
            Ok(file)
        }
    }
}

/// Puts what is whole in its place.
///
/// # Errors
/// What the system says if it cannot stand there.
pub fn finish(path: &Path) -> io::Result<()> {
    match Place::of(path)? {
        Place::Direct(_) => Ok(()),
        Place::Regular(path) => fs::rename(unfinished(&path), path),
    }
}

/// Removes what did not become whole.
pub fn abandon(path: &Path) {
    if let Ok(Place::Regular(path)) = Place::of(path) {
        let _ = fs::remove_file(unfinished(&path));
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn write(path: &Path, text: &str) {
        begin(path).unwrap().write_all(text.as_bytes()).unwrap();
        finish(path).unwrap();
    }

    #[test]
    fn a_link_stays_a_link_wherever_it_leads() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("below")).unwrap();
        fs::write(at("below/old"), "old").unwrap();
        fs::set_permissions(at("below/old"), fs::Permissions::from_mode(0o640)).unwrap();
        symlink("below/old", at("one")).unwrap();
        symlink("one", at("two")).unwrap();
        symlink("below/new", at("nowhere")).unwrap();
        write(&at("two"), "written");
        write(&at("nowhere"), "new");
        assert_eq!(fs::read_to_string(at("below/old")).unwrap(), "written");
        assert_eq!(fs::metadata(at("below/old")).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_to_string(at("below/new")).unwrap(), "new");
        for name in ["one", "two", "nowhere"] {
            assert!(fs::symlink_metadata(at(name)).unwrap().is_symlink(), "{name}");
        }
        symlink("around", at("around")).unwrap();
        assert!(begin(&at("around")).is_err());
        assert!(begin(&at("below")).is_err());
        assert_eq!(fs::read_dir(at("below")).unwrap().count(), 2, "nothing is left behind");
    }

    #[test]
    fn what_is_no_regular_file_is_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let (reader, writer) = std::io::pipe().unwrap();
        use std::os::fd::AsRawFd;
        let path = PathBuf::from(format!("/proc/self/fd/{}", writer.as_raw_fd()));
        let linked = folder.path().join("linked");
        symlink(&path, &linked).unwrap();
        write(&linked, "through the pipe");
        drop(writer);
        let mut text = String::new();
        let mut reader = reader;
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "through the pipe");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
