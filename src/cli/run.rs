//! `mcp-checks run`: runs checks and reports what held.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use http::{HeaderMap, HeaderName, HeaderValue, Uri};
use miette::miette;

use super::exit::Exit;
use super::expected::ExpectedFailures;
use super::filters::{Filters, nothing_left};
use super::reports::{Asked, Reports};
use super::secrets;
use super::signals;
use super::sources::Sources;
use super::speaking::Probed;
use super::terminal::{self, When};
use crate::check::Level;
use crate::profile::Profile;
use crate::report::{Progress, Reporter as _};
use crate::runner::plan::Choice;
use crate::runner::subject::{Command, DEFAULT_TIMEOUT, Snapshots};
use crate::runner::{self, Event, Plan, Settings, Subject};
use crate::snapshot::Store;
use crate::wire::text::Style;

/// What `run` takes.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  mcp-checks run
  mcp-checks run client/tool-call-basic --profile session-http --trace
  mcp-checks run 'tools and not multi-step'
  mcp-checks run --client 'node client.mjs'
  mcp-checks run --server http://127.0.0.1:3001/mcp --header 'Authorization: Bearer TOKEN'
  mcp-checks run --report junit=report.xml --report json=report.json --keep-exchanges
  mcp-checks run --client 'node client.mjs' --write-expected-failures known.yaml
  mcp-checks run --client 'node client.mjs' --expected-failures known.yaml")]
pub struct Arguments {
    #[command(flatten)]
    pub filters: Filters,
    /// Test this client: a command, which gets the URL of the scripted server as its last
    /// argument.
    #[arg(
        long,
        value_name = "COMMAND",
        conflicts_with_all = ["server", "over"],
        help_heading = "What is under test [default: the built-in client, in memory]"
    )]
    pub client: Option<String>,
    /// Test the server at this URL.
    #[arg(
        long,
        value_name = "URL",
        conflicts_with = "over",
        help_heading = "What is under test [default: the built-in client, in memory]"
    )]
    pub server: Option<String>,
    /// Test the built-in client over real sockets on this machine.
    #[arg(
        long,
        value_name = "TRANSPORT",
        help_heading = "What is under test [default: the built-in client, in memory]"
    )]
    pub over: Option<Over>,
    /// Add a header field to every request of the built-in client; may be repeated.
    #[arg(
        long,
        value_name = "NAME: VALUE",
        help_heading = "What is under test [default: the built-in client, in memory]"
    )]
    pub header: Vec<String>,
    /// How many checks run at once [default: 16 with --client, where they wait; else one for each
    /// processor, two with --over].
    #[arg(long, short, value_name = "NUMBER", help_heading = "How it runs")]
    pub jobs: Option<usize>,
    /// How many seconds one check may take for one profile [default: 60].
    #[arg(long, value_name = "SECONDS", help_heading = "How it runs")]
    pub timeout: Option<f64>,
    /// Stop at the first check that does not hold.
    #[arg(long, help_heading = "How it runs")]
    pub fail_fast: bool,
    /// From which level on a claim that does not hold, or is not exercised, fails the run.
    #[arg(long, value_name = "LEVEL", default_value = "must", help_heading = "How it runs")]
    pub fail_on: FailOn,
    #[command(flatten)]
    pub expected: ExpectedFailures,
    #[command(flatten)]
    pub reports: Asked,
    /// The folder of recorded wires; they are compared if it is there.
    #[arg(
        long,
        value_name = "FOLDER",
        default_value = "snapshots",
        help_heading = "Recorded wires"
    )]
    pub snapshots: PathBuf,
    /// Write the recorded wires rather than compare them.
    #[arg(long, help_heading = "Recorded wires")]
    pub update_snapshots: bool,
    #[command(flatten)]
    pub sources: Sources,
}

/// What the built-in client and the double speak over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Over {
    /// A socket on 127.0.0.1.
    Http,
}

/// From which level on a run fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// A MUST that does not hold.
    Must,
    /// A MUST or a SHOULD that does not hold.
    Should,
}

/// Runs what `arguments` ask for.
///
/// # Errors
/// A diagnostic of what is wrong with the command line or a file.
pub fn run(arguments: Arguments, colour: When) -> miette::Result<Exit> {
    let wanted = arguments.reports.read()?;
    let (library, profiles) = arguments.sources.read()?;
    let chosen = arguments.filters.choose(&library, &profiles)?;
    let mut settings = settings(&arguments, &profiles)?;
    let mut writing = arguments.expected.read(&mut settings, &library, &profiles)?;
    if let Some(snapshots) = &mut settings.snapshots {
        snapshots.of_files_alone = library.beside.added;
    }
    signals::end_run(&settings);
    let probed = Probed::of(&settings, &chosen.choice())?;
    if let Probed::Ended(exit) = probed {
        return Ok(exit);
    }
    let choice = Choice { spoken: probed.spoken(), ..chosen.choice() };
    let plan = Plan::new(&library, &profiles, &settings.subject, &choice);
    if plan.jobs.is_empty() {
        return Err(nothing_left());
    }
    let mut progress = Progress::new(terminal::is_terminal(), terminal::is_ci());
    let mut reports = Reports::begin(wanted, colour, &settings.style, &progress)?;
    let summary = runner::run(&plan, &library.support, &settings, |event| {
        if let (Some(writing), Event::ExecutionFinished(execution)) = (&mut writing, &event) {
            writing.survey.add(execution);
        }
        // A bar that cannot be drawn is no reason to stop.
        let _ = progress.event(&event);
        reports.event(&event);
    });
    reports.finish()?;
    if let Some(writing) = writing {
        writing.finish(&settings, &summary, &library, &profiles)?;
    }
    Ok(Exit::of(&summary).with_problems(&library))
}

fn settings(arguments: &Arguments, profiles: &[Profile]) -> miette::Result<Settings> {
    let subject = match (&arguments.client, &arguments.server, arguments.over) {
        (Some(command), _, _) => Subject::Client(client_command(command)?),
        (_, Some(url), _) => Subject::Server(server_url(url)?),
        (_, _, Some(Over::Http)) => Subject::Loopback,
        (None, None, None) => Subject::Embedded,
    };
    let mut settings = Settings::new(subject);
    send_headers(&mut settings, headers(&arguments.header)?, profiles);
    settings.jobs = jobs(arguments.jobs)?.unwrap_or(settings.jobs);
    settings.timeout = timeout(arguments.timeout)?;
    settings.fail_fast = arguments.fail_fast;
    settings.fail_on = match arguments.fail_on {
        FailOn::Must => Level::Must,
        FailOn::Should => Level::Should,
    };
    settings.fail_on_new_snapshot = terminal::is_ci();
    settings.least_level = arguments.filters.level;
    settings.exchanges = arguments.reports.exchanges();
    settings.snapshots = snapshots(&arguments.snapshots, arguments.update_snapshots, profiles);
    Ok(settings)
}

/// Snapshots are compared where there is a folder of them, and written where
/// that was asked for.
fn snapshots(folder: &Path, update: bool, profiles: &[Profile]) -> Option<Snapshots> {
    (update || folder.is_dir()).then(|| Snapshots {
        store: Store::open(folder),
        update,
        profiles: profiles.iter().map(|profile| profile.name.clone()).collect(),
        of_files_alone: false,
    })
}

/// Reads `--jobs`.
///
/// # Errors
/// A diagnostic if it is 0.
pub fn jobs(jobs: Option<usize>) -> miette::Result<Option<usize>> {
    match jobs {
        Some(0) => Err(miette!(
            code = "run::jobs",
            help = "leave --jobs out for the usual number",
            "--jobs takes a number from 1 on"
        )),
        jobs => Ok(jobs),
    }
}

/// Reads `--timeout`.
///
/// # Errors
/// A diagnostic if it is no length of time.
pub fn timeout(seconds: Option<f64>) -> miette::Result<Duration> {
    let Some(seconds) = seconds else { return Ok(DEFAULT_TIMEOUT) };
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|time| !time.is_zero())
        .ok_or_else(|| miette!("--timeout takes a number of seconds greater than 0, not {seconds}"))
}

/// Splits a client's command line and looks whether its program is there.
///
/// # Errors
/// A diagnostic if it cannot be split, or there is no such program.
pub fn client_command(line: &str) -> miette::Result<Command> {
    let words = shlex::split(line).ok_or_else(|| {
        miette!(
            code = "run::client",
            help = "quote the whole command once, and words with spaces inside of it again",
            "the client's command has a quote that is never closed: {line}"
        )
    })?;
    let Some((program, arguments)) = words.split_first() else {
        return Err(miette!(
            code = "run::client",
            help = "for example --client 'node client.mjs'",
            "the client's command is empty"
        ));
    };
    if !is_on_path(program) {
        return Err(miette!(
            code = "run::client",
            help = "name a program on the PATH, or a path to one that can be executed",
            "there is no program `{program}` for the client"
        ));
    }
    Ok(Command { program: program.clone(), arguments: arguments.to_vec() })
}

fn is_on_path(program: &str) -> bool {
    if program.contains('/') {
        return Path::new(program).is_file();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Reads the URL of a server.
///
/// # Errors
/// A diagnostic if it is no absolute URL of HTTP.
pub fn server_url(text: &str) -> miette::Result<Uri> {
    let wrong = |why: &str| {
        miette!(
            code = "run::server",
            help = "an MCP endpoint is named in full, as in http://127.0.0.1:3001/mcp",
            "`{text}` is not the URL of a server: {why}"
        )
    };
    let uri: Uri =
        text.parse().map_err(|error: http::uri::InvalidUri| wrong(&error.to_string()))?;
    match uri.scheme_str() {
        Some("http" | "https") => Ok(uri),
        Some(other) => Err(wrong(&format!("its scheme is {other}, not http or https"))),
        None => Err(wrong("it has no scheme")),
    }
}

/// Reads header fields of the form `Name: value`.
///
/// # Errors
/// A diagnostic that names the field that is wrong.
pub fn headers(fields: &[String]) -> miette::Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    for field in fields {
        let wrong = |what: &str| {
            miette!(
                code = "run::header",
                help = "write it as in --header 'Authorization: Bearer TOKEN'",
                "a header field {what}"
            )
        };
        let (name, value) =
            field.split_once(':').ok_or_else(|| wrong("has no colon between name and value"))?;
        let name: HeaderName =
            name.trim().parse().map_err(|_| wrong("has a name that HTTP does not allow"))?;
        let value = HeaderValue::from_str(value.trim())
            .map_err(|_| wrong("has a value that HTTP does not allow"))?;
        headers.append(name, value);
    }
    Ok(headers)
}

/// Lets the built-in client send these header fields; what is secret in them and
/// in the profiles is redacted in every output.
pub fn send_headers(settings: &mut Settings, headers: HeaderMap, profiles: &[Profile]) {
    let url = match &settings.subject {
        Subject::Server(url) => Some(url),
        _ => None,
    };
    settings.style = style(&headers, url, profiles);
    settings.headers = headers;
}

/// How exchanges are written if the built-in client sends these header fields to
/// this server, and these profiles say what is secret.
pub fn style(headers: &HeaderMap, url: Option<&Uri>, profiles: &[Profile]) -> Style {
    Style { redactor: secrets::learn(headers, url, profiles), ..Style::default() }
}
