//! `mcp-checks matrix`: the same checks on the double, over a socket and in an
//! environment outside, side by side.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use miette::miette;

use super::exit::Exit;
use super::filters::{Filters, nothing_left};
use super::output::{Format, print};
use super::reports::Unfinished;
use super::run::{client_command, headers, jobs, send_headers, server_url, timeout};
use super::signals;
use super::sources::Sources;
use super::speaking::Probed;
use super::terminal::{self, Stream, When, has_colour};
use crate::mcp::client::Cancellation;
use crate::report::{Paint, Progress, Reporter, matrix};
use crate::runner::event::Plan;
use crate::runner::matrix::{Matrix, OUTSIDE, environments, run as run_matrix};
use crate::runner::plan::Choice;
use crate::runner::subject::Command;
use crate::runner::{Event, Subject, Summary};

/// What `matrix` takes.
#[derive(Args, Debug)]
#[command(after_help = "\
Columns are the double in memory, the same over a socket, and a client or a server from outside.
A difference between double and socket, in a verdict or on the wire, is a failure by itself; what
is outside may differ, and fails only by what does not hold there.

Examples:
  mcp-checks matrix
  mcp-checks matrix tools --profile session-http
  mcp-checks matrix --client 'node client.mjs'
  mcp-checks matrix --server http://127.0.0.1:3001/mcp --format json --output matrix.json")]
pub struct Arguments {
    #[command(flatten)]
    filters: Filters,
    /// The client of the third column: a command, which gets the URL of the scripted server as
    /// its last argument.
    #[arg(
        long,
        value_name = "COMMAND",
        conflicts_with = "server",
        help_heading = "What is outside [default: this program as a client, by `drive`]"
    )]
    client: Option<String>,
    /// The server of the third column; checks of a server run.
    #[arg(
        long,
        value_name = "URL",
        help_heading = "What is outside [default: this program as a client, by `drive`]"
    )]
    server: Option<String>,
    /// Add a header field to every request of the built-in client; may be repeated.
    #[arg(
        long,
        value_name = "NAME: VALUE",
        help_heading = "What is outside [default: this program as a client, by `drive`]"
    )]
    header: Vec<String>,
    /// How many checks run at once [default: one for each processor, two over the socket, 16 with
    /// a client]; more than that run only with what is outside.
    #[arg(long, short, value_name = "NUMBER", help_heading = "How it runs")]
    jobs: Option<usize>,
    /// How many seconds one check may take for one profile [default: 60].
    #[arg(long, value_name = "SECONDS", help_heading = "How it runs")]
    timeout: Option<f64>,
    /// The format of the report.
    #[arg(long, value_name = "FORMAT", default_value = "human", help_heading = "The report")]
    format: Format,
    /// Write the report to this file rather than to standard output.
    #[arg(long, short, value_name = "FILE", help_heading = "The report")]
    output: Option<PathBuf>,
    #[command(flatten)]
    sources: Sources,
}

/// Runs the checks in every environment and reports them side by side.
///
/// # Errors
/// A diagnostic of what is wrong with the command line or a file.
pub fn run(arguments: &Arguments, colour: When) -> miette::Result<Exit> {
    let (library, profiles) = arguments.sources.read()?;
    let chosen = arguments.filters.choose(&library, &profiles)?;
    let mut environments = environments(Some(outside(arguments)?));
    let headers = headers(&arguments.header)?;
    let jobs = jobs(arguments.jobs)?;
    let timeout = timeout(arguments.timeout)?;
    let interrupt = Cancellation::new();
    for settings in &mut environments {
        send_headers(settings, headers.clone(), &profiles);
        settings.jobs = match jobs {
            Some(jobs) if settings.subject.is_external() => jobs,
            // More at once would only be late on a clock that is real.
            Some(jobs) => jobs.min(settings.jobs),
            None => settings.jobs,
        };
        settings.timeout = timeout;
        settings.least_level = arguments.filters.level;
        settings.interrupt = interrupt.clone();
    }
    signals::on_first(move || interrupt.cancel());
    let choice = chosen.choice();
    let probed = match environments.get(OUTSIDE) {
        Some(outside) => Probed::of(outside, &choice)?,
        None => Probed::NoServer,
    };
    if let Probed::Ended(exit) = probed {
        return Ok(exit);
    }
    let choice = Choice { spoken: probed.spoken(), ..choice };
    let mut file = match &arguments.output {
        Some(path) => {
            Some(Unfinished::begin(format!("--output {}", path.display()), path.clone())?)
        }
        None => None,
    };
    let mut bar = Progress::new(terminal::is_terminal(), terminal::is_ci());
    let matrix = run_matrix(&library, &profiles, &choice, environments, |done, all| {
        let event = match done {
            0 => Event::RunStarted(Plan {
                executions: all,
                checks: library.checks.len(),
                profiles: Vec::new(),
                subject: String::new(),
                beside: library.beside,
                on_real_clock: true,
                speaks: None,
            }),
            done => Event::Progress { done },
        };
        // A bar that cannot be drawn is no reason to stop.
        let _ = bar.event(&event);
    });
    let _ = bar.event(&Event::RunFinished(Summary::default()));
    if matrix.rows.is_empty() {
        return Err(nothing_left());
    }
    let exit = exit(&matrix);
    let is_coloured = match (colour, &arguments.output) {
        (When::Auto, Some(_)) => false,
        (colour, _) => has_colour(colour, Stream::Output),
    };
    let report = match arguments.format {
        Format::Human => matrix::text(&matrix, Paint(is_coloured)),
        Format::Json => matrix::json(&matrix, exit == Exit::AllHeld),
    };
    match &mut file {
        Some((unfinished, file)) => {
            file.write_all(report.as_bytes()).map_err(|error| unfinished.unwritable(&error))?;
        }
        None => print(&report)?,
    }
    if let Some((unfinished, _)) = file {
        unfinished.finish()?;
    }
    Ok(exit.with_problems(&library))
}

/// What the third column is about: the client or the server that was named, or
/// this program as an external client.
fn outside(arguments: &Arguments) -> miette::Result<Subject> {
    match (&arguments.client, &arguments.server) {
        (Some(command), _) => Ok(Subject::Client(client_command(command)?)),
        (_, Some(url)) => Ok(Subject::Server(server_url(url)?)),
        (None, None) => {
            let program = std::env::current_exe().ok();
            let program = program.and_then(|program| program.into_os_string().into_string().ok());
            let program = program.ok_or_else(|| {
                miette!(
                    code = "matrix::program",
                    help = "name a client, as in --client 'mcp-checks drive'",
                    "where this program stands cannot be found out"
                )
            })?;
            let mut words = vec!["drive".to_owned()];
            let folders = [
                ("--checks", &arguments.sources.checks),
                ("--profiles", &arguments.sources.profiles),
            ];
            for (option, folder) in folders {
                if let Some(folder) = folder {
                    words.extend([option.to_owned(), folder.to_string_lossy().into_owned()]);
                }
            }
            if arguments.sources.with_builtin {
                words.push("--with-builtin".to_owned());
            }
            for field in &arguments.header {
                words.extend(["--header".to_owned(), field.clone()]);
            }
            Ok(Subject::Client(Command { program, arguments: words }))
        }
    }
}

/// As that of a run of everything that stands in the matrix; besides, a
/// difference between double and socket is a failure.
fn exit(matrix: &Matrix) -> Exit {
    let mut summary = Summary { interrupted: matrix.interrupted, ..Summary::default() };
    for column in 0..matrix.environments.len() {
        let counts = matrix.counts(column);
        summary.executions.ran += counts.ran;
        summary.executions.broken += counts.broken;
        summary.executions.failed += counts.failed;
    }
    match Exit::of(&summary) {
        Exit::AllHeld if matrix.fails() => Exit::NotConforming,
        exit => exit,
    }
}
