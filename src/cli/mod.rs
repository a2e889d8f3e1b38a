//! The command line, one file a subcommand. [`main`] parses, dispatches and
//! returns the exit code.
//!
//! Standard output is data, standard error is talk.

pub mod api;
pub mod audit;
pub mod call;
pub mod completions;
pub mod drive;
pub mod exit;
pub mod expected;
pub mod filters;
pub mod init;
pub mod list;
pub mod matrix;
pub mod new;
pub mod output;
pub mod ping;
mod played;
pub mod prove;
pub mod reports;
pub mod review;
pub mod run;
mod secrets;
pub mod serve;
pub mod server;
pub mod show;
pub mod signals;
pub mod sources;
pub mod speaking;
pub mod store;
pub mod terminal;
pub mod tools;
mod trace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use self::exit::Exit;
use self::output::say;

/// Conformance checks for the Model Context Protocol: one check is one Rhai
/// script.
#[derive(Debug, Parser)]
#[command(name = "mcp-checks", version, max_term_width = 100, after_help = exit::HELP)]
pub struct CommandLine {
    /// Colours: on a terminal only, always, or never.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub colour: terminal::When,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run checks against the built-in client, a client, or a server.
    Run(Box<run::Arguments>),
    /// Run the same checks on the double, over a socket and outside, side by side.
    Matrix(Box<matrix::Arguments>),
    /// List checks with their titles, revisions and tags.
    List(list::Arguments),
    /// Show one check: its task, its claims, its cases, its source.
    Show(show::Arguments),
    /// Write a first check, which passes as it stands.
    New(new::Arguments),
    /// Copy the built-in checks and profiles into a folder, to edit them.
    Init(init::Arguments),
    /// Let the built-in client play a check against any server.
    Drive(drive::Arguments),
    /// Run a check's server for a client that you start by hand.
    Serve(serve::Arguments),
    /// Show that every check can fail, by deliberate misbehaviour.
    Prove(prove::Arguments),
    /// Show recorded traffic that changed or is new; accept or reject it.
    Review(review::Arguments),
    /// See whether a server can be reached, and what it says of itself.
    Ping(ping::Arguments),
    /// Show a server's tools, and which were refused and why; enable and disable them.
    Tools(tools::Arguments),
    /// Call a tool of a server as a host does it: gate, approval, run, audit.
    Call(Box<call::Arguments>),
    /// Show which tools were called, by whom, with what outcome, and what was denied.
    Audit(audit::Arguments),
    /// Print every function that a script can call, with a sentence on each.
    Api(api::Arguments),
    /// Print the completions of a shell.
    Completions(completions::Arguments),
}

/// Parses the command line and does what it says.
pub fn main() -> ExitCode {
    // What a panic has to say is caught and shown as a diagnostic.
    std::panic::set_hook(Box::new(|_| {}));
    signals::report_file_sizes();
    let line = match CommandLine::try_parse() {
        Ok(line) => line,
        Err(error) => {
            let code = if error.use_stderr() { Exit::WrongCommandLine } else { Exit::AllHeld };
            let text = error.render().to_string();
            // What was typed in the wrong place may be a credential.
            if error.use_stderr() && output::redactor().redact(&text) != text {
                say(text.trim_end());
            } else {
                let _ = error.print();
            }
            return code.into();
        }
    };
    terminal::set_up(line.colour);
    let ran = std::panic::catch_unwind(|| dispatch(line));
    match ran {
        Ok(Ok(exit)) => exit.into(),
        Ok(Err(report)) => {
            say(format_args!("{report:?}"));
            Exit::WrongCommandLine.into()
        }
        Err(_) => {
            let report = miette::miette!(
                code = "internal",
                help = "please report what you did",
                "mcp-checks failed; this is a bug in mcp-checks itself"
            );
            say(format_args!("{report:?}"));
            Exit::BrokenCheck.into()
        }
    }
}

fn dispatch(line: CommandLine) -> miette::Result<Exit> {
    match line.command {
        Command::Run(arguments) => run::run(*arguments, line.colour),
        Command::Matrix(arguments) => matrix::run(&arguments, line.colour),
        Command::List(arguments) => list::run(&arguments, line.colour),
        Command::Show(arguments) => show::run(&arguments, line.colour),
        Command::New(arguments) => new::run(&arguments),
        Command::Init(arguments) => init::run(&arguments),
        Command::Drive(arguments) => drive::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments, line.colour),
        Command::Prove(arguments) => prove::run(&arguments, line.colour),
        Command::Review(arguments) => review::run(&arguments, line.colour),
        Command::Ping(arguments) => ping::run(&arguments, line.colour),
        Command::Tools(arguments) => tools::run(&arguments, line.colour),
        Command::Call(arguments) => call::run(&arguments, line.colour),
        Command::Audit(arguments) => audit::run(&arguments, line.colour),
        Command::Api(arguments) => api::run(&arguments, line.colour),
        Command::Completions(arguments) => completions::run(&arguments),
    }
}
