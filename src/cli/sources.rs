//! Where checks and profiles come from: [`Sources`], shared by the
//! subcommands; and the one check that a name names.

use std::path::{Path, PathBuf};

use clap::Args;
use http::HeaderMap;
use miette::miette;

use super::output::say;
use super::secrets;
use crate::check::nearest::{alternatives, did_you_mean};
use crate::check::{BrokenCheck, Check, Library, discovery};
use crate::profile::{self, Profile};

/// Where checks and profiles come from.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Where they come from")]
pub struct Sources {
    /// The folder of checks [default: ./checks if it is there, else the built-in checks].
    #[arg(long, value_name = "FOLDER")]
    pub checks: Option<PathBuf>,
    /// Add the built-in checks to those of the folder; of two with the same id that of the folder
    /// counts.
    #[arg(long)]
    pub with_builtin: bool,
    /// The folder of profiles [default: ./profiles if it is there, else the built-in profiles].
    #[arg(long, value_name = "FOLDER")]
    pub profiles: Option<PathBuf>,
}

impl Sources {
    /// Reads every profile and every check's header. What is wrong with files that
    /// are no checks is said on standard error.
    ///
    /// # Errors
    /// A diagnostic of every profile that cannot be read, or if there is no such
    /// folder, or no check in it.
    pub fn read(&self) -> miette::Result<(Library, Vec<Profile>)> {
        let profiles = profile::load(self.profiles.as_deref())?;
        // What is said of checks already shows no secret.
        secrets::learn(&HeaderMap::new(), None, &profiles);
        let library = discovery::load(self.checks.as_deref(), self.with_builtin)?;
        for problem in &library.problems {
            say(format_args!("{problem:?}"));
        }
        Ok((library, profiles))
    }
}

/// The check that `name` names: its id, the file it stands in, or the end of its
/// id if no other check has the same.
///
/// # Errors
/// A diagnostic that names the near ones, or those that it could be.
pub fn named_check<'a>(
    library: &'a Library,
    name: &str,
) -> miette::Result<Result<&'a Check, &'a BrokenCheck>> {
    let id = id_of_file(library, name);
    if let Some(check) = library.get(id) {
        return Ok(check.as_ref());
    }
    let end = format!("/{id}");
    let ending: Vec<&str> = library.ids().filter(|known| known.ends_with(&end)).collect();
    let help = match ending.as_slice() {
        [only] => match library.get(only) {
            Some(check) => return Ok(check.as_ref()),
            None => String::new(),
        },
        [] => did_you_mean(id, library.ids())
            .unwrap_or_else(|| "`mcp-checks list` names every check".to_owned()),
        several => format!("name it in full: {}", alternatives(several.iter().copied())),
    };
    let message = match ending.len() {
        0 => format!("there is no check `{name}`"),
        count => format!("`{name}` is the end of {count} ids"),
    };
    Err(miette!(code = "selection::unknown-check", help = help, "{message}"))
}

/// The id of a check that was named by its file; any other name as it is.
fn id_of_file<'a>(library: &Library, name: &'a str) -> &'a str {
    let folder = library.folder.as_deref().unwrap_or(Path::new("checks"));
    let Some(without_ending) = name.strip_suffix(".rhai") else { return name };
    let below = Path::new(without_ending).strip_prefix(folder).ok();
    below.and_then(Path::to_str).unwrap_or(without_ending)
}
