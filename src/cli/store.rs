//! The file in which the operator's commands keep what outlives them:
//! [`StoreFile`].

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use miette::miette;

use crate::host::Store;

/// Where the operator's commands keep what outlives them.
#[derive(Args, Debug)]
#[command(next_help_heading = "What is kept")]
pub struct StoreFile {
    /// The file of tools, runs, contacts and denials [default:
    /// mcp-checks/store.sqlite3 in $XDG_STATE_HOME, or in ~/.local/state].
    #[arg(long, value_name = "FILE", env = "MCP_CHECKS_STORE", hide_env = true)]
    store: Option<PathBuf>,
}

/// The usual file, below the folder of what a program keeps for its user.
const USUAL: &str = "mcp-checks/store.sqlite3";

impl StoreFile {
    /// Opens the store, and makes it if there is none.
    ///
    /// # Errors
    /// A diagnostic of what is wrong with the file or its folder.
    pub fn open(&self) -> miette::Result<Store> {
        let path = self.path()?;
        if self.store.is_none() {
            make_folder_of(&path)?;
        }
        Ok(Store::open(&path)?)
    }

    /// Opens the store, which has to be there.
    ///
    /// # Errors
    /// A diagnostic if it is not, or of what is wrong with it.
    pub fn open_existing(&self) -> miette::Result<Store> {
        let path = self.path()?;
        if !path.exists() {
            return Err(miette!(
                code = "store::none",
                help = "`mcp-checks tools`, `call` and `ping` make one; --store names another",
                "there is no store at `{}`",
                path.display()
            ));
        }
        Ok(Store::open_existing(&path)?)
    }

    fn path(&self) -> miette::Result<PathBuf> {
        if let Some(path) = &self.store {
            return Ok(path.clone());
        }
        let folder = state_folder().ok_or_else(|| {
            miette!(
                code = "store::nowhere",
                help = "name a file with --store or MCP_CHECKS_STORE",
                "there is no folder for the store: neither XDG_STATE_HOME nor a home is known"
            )
        })?;
        Ok(folder.join(USUAL))
    }
}

/// Where programs keep what they have to remember for their user (XDG Base
/// Directory Specification 0.8; a path that is not absolute does not count).
fn state_folder() -> Option<PathBuf> {
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    absolute("XDG_STATE_HOME")
        .or_else(|| if cfg!(windows) { absolute("LOCALAPPDATA") } else { None })
        .or_else(|| std::env::home_dir().map(|home| home.join(".local/state")))
        .filter(|folder| folder.is_absolute())
}

/// Makes the folder of the usual file, for its owner alone.
fn make_folder_of(path: &Path) -> miette::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| {
        miette!(
            code = "store::folder",
            help = "name a file elsewhere with --store or MCP_CHECKS_STORE",
            "the folder `{}` cannot be made: {error}",
            folder.display()
        )
    })
}
