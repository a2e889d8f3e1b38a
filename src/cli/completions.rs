//! `mcp-checks completions`: what a shell needs to complete a command line.

use clap::{Args, Command};
use clap_complete::Shell;

use super::exit::Exit;
use super::output::print;

/// What `completions` takes.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  source <(mcp-checks completions bash)
  mcp-checks completions fish > ~/.config/fish/completions/mcp-checks.fish")]
pub struct Arguments {
    /// The shell.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints the completions of `command`.
///
/// # Errors
/// A diagnostic if they cannot be written.
pub fn run(arguments: &Arguments, mut command: Command) -> miette::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, env!("CARGO_PKG_NAME"), &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::AllHeld)
}
