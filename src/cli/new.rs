//! `mcp-checks new`: writes a first check, which passes as it stands.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use miette::miette;

use super::exit::Exit;
use super::output::{print, say};
use crate::check::discovery::id_problem;

/// A check of a client.
pub const CLIENT_TEMPLATE: &str = include_str!("templates/client.rhai");
/// A check of a server.
pub const SERVER_TEMPLATE: &str = include_str!("templates/server.rhai");

/// What `new` takes.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  mcp-checks new client/greeting
  mcp-checks new server/greeting --server")]
pub struct Arguments {
    /// The id of the check: its path in the folder of checks, without the ending.
    #[arg(value_name = "ID")]
    id: String,
    /// Write a check of a server rather than of a client.
    #[arg(long)]
    server: bool,
    /// The folder of checks.
    #[arg(long, value_name = "FOLDER", default_value = "checks")]
    checks: PathBuf,
}

/// Writes the check.
///
/// # Errors
/// A diagnostic if the id is no id, or its file is there already or cannot be
/// written.
pub fn run(arguments: &Arguments) -> miette::Result<Exit> {
    let id = arguments.id.strip_suffix(".rhai").unwrap_or(&arguments.id);
    if let Some(problem) = id_problem(id) {
        return Err(miette!(
            code = "new::id",
            help = "an id is words of letters, digits, `-`, `_` and `.`, with `/` between them: \
                    `client/greeting`",
            "`{id}` cannot be the id of a check: {problem}"
        ));
    }
    let is_first = !arguments.checks.is_dir();
    let path = arguments.checks.join(format!("{id}.rhai"));
    write(&path, if arguments.server { SERVER_TEMPLATE } else { CLIENT_TEMPLATE })?;
    print(&format!("{}\n", path.display()))?;
    let sources = match arguments.checks.to_str() {
        Some("checks") | None => String::new(),
        Some(folder) => format!(" --checks {folder}"),
    };
    say(format_args!(
        "It passes as it stands. Next:\n  \
         mcp-checks run {id}{sources}    runs it for every profile it applies to\n  \
         mcp-checks api    prints what a script can reach"
    ));
    if is_first {
        let folder = arguments.checks.display();
        let warning = miette::MietteDiagnostic::new(format!(
            "the new folder `{folder}` takes the place of the built-in checks"
        ))
        .with_severity(miette::Severity::Warning)
        .with_code("new::first")
        .with_help("`mcp-checks init` writes the built-in checks out beside it, to run them too");
        say(format_args!("{:?}", miette::Report::new(warning)));
    }
    Ok(Exit::AllHeld)
}

/// Writes a file that is not there yet, and the folders it stands in.
fn write(path: &Path, text: &str) -> miette::Result<()> {
    let failed = |error: std::io::Error| {
        let help = match error.kind() {
            ErrorKind::AlreadyExists => "name another id, or take the file away",
            _ => "look whether the folder may be written to",
        };
        let why = match error.kind() {
            ErrorKind::AlreadyExists => "it is there already".to_owned(),
            _ => error.to_string(),
        };
        miette!(
            code = "new::file",
            help = help,
            "the check `{}` cannot be written: {why}",
            path.display()
        )
    };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)
}
