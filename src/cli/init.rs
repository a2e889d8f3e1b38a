//! `mcp-checks init`: writes the built-in checks and profiles out, to edit them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use miette::miette;

use super::exit::Exit;
use super::output::{print, say};
use crate::check::discovery;
use crate::profile;

/// What `init` takes.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  mcp-checks init
  mcp-checks init conformance --force")]
pub struct Arguments {
    /// The folder in which `checks` and `profiles` are written.
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
    /// Overwrite files that are there and differ.
    #[arg(long)]
    force: bool,
}

/// What became of the files.
#[derive(Debug, Default)]
struct Written {
    new: usize,
    same: usize,
    overwritten: usize,
    kept: Vec<PathBuf>,
}

/// Writes the files.
///
/// # Errors
/// A diagnostic of the first file that cannot be written.
pub fn run(arguments: &Arguments) -> miette::Result<Exit> {
    let checks =
        discovery::embedded_files().map(|(path, bytes)| (Path::new("checks").join(path), bytes));
    let profiles =
        profile::embedded_files().map(|(path, bytes)| (Path::new("profiles").join(path), bytes));
    let mut written = Written::default();
    for (path, bytes) in checks.chain(profiles) {
        let path = match arguments.folder.as_path() {
            here if here == Path::new(".") => path,
            folder => folder.join(path),
        };
        written.write(path.clone(), bytes, arguments.force).map_err(|error| {
            miette!(
                code = "init::file",
                help = "look whether the folder may be written to",
                "`{}` cannot be written: {error}",
                path.display()
            )
        })?;
    }
    written.tell(&arguments.folder)?;
    Ok(Exit::AllHeld)
}

impl Written {
    fn write(&mut self, path: PathBuf, bytes: &[u8], force: bool) -> io::Result<()> {
        match fs::read(&path) {
            Ok(found) if found == bytes => {
                self.same += 1;
                return Ok(());
            }
            Ok(_) if !force => {
                self.kept.push(path);
                return Ok(());
            }
            Ok(_) => self.overwritten += 1,
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.new += 1,
            Err(error) => return Err(error),
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, bytes)
    }

    fn tell(&self, folder: &Path) -> miette::Result<()> {
        let Written { new, same, overwritten, kept } = self;
        print(&format!(
            "{new} written, {overwritten} overwritten, {same} unchanged, {} kept\n",
            kept.len()
        ))?;
        if !kept.is_empty() {
            say("These differ from the built-in ones and were kept; --force overwrites them:");
            kept.iter().for_each(|path| say(format_args!("  {}", path.display())));
        }
        let place = if folder == Path::new(".") {
            "here".to_owned()
        } else {
            format!("in `{}`", folder.display())
        };
        say(format_args!(
            "What is in `checks` and `profiles` now takes the place of the built-in ones when \
             mcp-checks runs {place}."
        ));
        Ok(())
    }
}
