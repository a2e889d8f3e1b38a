//! Where checks and profiles come from: [`Sources`], shared by the
//! subcommands.

use std::path::PathBuf;

use clap::Args;

use crate::check::{Library, discovery};
use crate::profile::{self, Profile};

/// Where checks and profiles come from.
#[derive(Args, Clone, Debug, Default)]
pub struct Sources {
    /// The folder of checks [default: ./checks if it is there, else the built-in checks].
    #[arg(long, value_name = "FOLDER", global = false)]
    pub checks: Option<PathBuf>,
    /// The folder of profiles [default: ./profiles if it is there, else the built-in profiles].
    #[arg(long, value_name = "FOLDER")]
    pub profiles: Option<PathBuf>,
}

impl Sources {
    /// Reads every check's header. What is wrong with files that are no checks
    /// is said on standard error.
    ///
    /// # Errors
    /// A diagnostic if there is no such folder, or no check in it.
    pub fn library(&self) -> miette::Result<Library> {
        let library = discovery::load(self.checks.as_deref())?;
        for problem in &library.problems {
            eprintln!("{problem:?}");
        }
        Ok(library)
    }

    /// Reads every profile.
    ///
    /// # Errors
    /// A diagnostic of every profile that cannot be read.
    pub fn profiles(&self) -> miette::Result<Vec<Profile>> {
        Ok(profile::load(self.profiles.as_deref())?)
    }
}
