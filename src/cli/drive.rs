//! `mcp-checks drive`: the built-in client plays a check's `drive` against any
//! server. So the program is an external client for its own checks as well.

use clap::Args;
use http::Uri;
use miette::{IntoDiagnostic, miette};
use serde_json::Value;

use super::exit::Exit;
use super::output::{print, redacted_json, say};
use super::played;
use super::run::{headers, send_headers, server_url, timeout};
use super::signals;
use super::sources::{Sources, named_check};
use crate::check::nearest::{alternatives, did_you_mean};
use crate::check::{BrokenCheck, Check, Library, selection};
use crate::mcp::negotiation::Policy;
use crate::report::log_lines;
use crate::runner::event::Trouble;
use crate::runner::execution::{
    Alone, CONTEXT_VARIABLE, SCENARIO_VARIABLE, VERSION_VARIABLE, drive_alone,
};
use crate::runner::{Settings, Subject, worker};
use crate::script::client::is_failed_answer;
use crate::script::value::to_json;

/// What `drive` takes.
#[derive(Args, Debug)]
#[command(
    override_usage = "mcp-checks drive [OPTIONS] [CHECK] <URL>",
    after_help = "\
Without CHECK, what to do is taken from the environment, as conformance suites set it:
  MCP_CONFORMANCE_SCENARIO          the id or the scenario of a check
  MCP_CONFORMANCE_PROTOCOL_VERSION  the revision to speak
  MCP_CONFORMANCE_CONTEXT           a JSON object; its `check` names the check where several have
                                    the scenario, its `case` a case of the check, its `policy`
                                    what the client accepts; all of it is `client.context`

What `drive` returned is printed as JSON. The exit code says what came of it:
  0    it came to its end
  1    the operation whose answer it returned failed, or time was up
  2    the command line, the environment or a file is wrong
  3    the check is broken
  77   the environment names a scenario that no check has
  130  cancelled by the user

Examples:
  mcp-checks drive client/tool-call-basic http://127.0.0.1:3001/mcp
  mcp-checks run --client 'mcp-checks drive'"
)]
pub struct Arguments {
    /// The check's id or the end of it, and the server's URL.
    // One argument of two words: clap cannot tell which of two arguments is left
    // out when options stand between them.
    #[arg(value_name = "[CHECK] URL", required = true)]
    words: Vec<String>,
    /// The case, if the check has cases [default: the first].
    #[arg(long, value_name = "NAME")]
    case: Option<String>,
    /// The profile that says what the client accepts [default: the newest that fits].
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// The revision to speak [default: the profile's].
    #[arg(long, value_name = "REVISION")]
    revision: Option<String>,
    /// Add a header field to every request; may be repeated.
    #[arg(long, value_name = "NAME: VALUE")]
    header: Vec<String>,
    /// How many seconds it may take [default: 60].
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,
    #[command(flatten)]
    sources: Sources,
}

/// Plays the check, and prints as JSON what its `drive` returned; what it logged
/// is said on standard error.
///
/// # Errors
/// A diagnostic of what is wrong with the command line, the environment or a
/// file.
pub fn run(arguments: &Arguments) -> miette::Result<Exit> {
    let (name, url) = match arguments.words.as_slice() {
        [url] => (None, url),
        [name, url] => (Some(name.as_str()), url),
        _ => {
            return Err(miette!(
                code = "drive::words",
                help = "as in `mcp-checks drive client/tool-call-basic http://127.0.0.1:3001/mcp`",
                "drive takes a check and a URL, or a URL alone"
            ));
        }
    };
    let url: Uri = server_url(url)?;
    let (library, profiles) = arguments.sources.read()?;
    let check = match check(name, &library)? {
        Named::Check(check) => check,
        Named::Unknown(report) => {
            say(format_args!("{report:?}"));
            return Ok(Exit::UnknownTask);
        }
        Named::Broken(broken) => {
            say(format_args!("{:?}", broken.problem));
            return Ok(Exit::BrokenCheck);
        }
    };
    let asked = arguments.revision.clone().or_else(|| variable(VERSION_VARIABLE));
    let revision = asked.map(|revision| selection::known_revision(&revision)).transpose()?;
    let mut profile = played::profile(arguments.profile.as_deref(), revision, check, &profiles)?;
    if arguments.profile.is_none()
        && let Some(policy) = told_policy()?
    {
        profile.policy = policy;
    }
    let told_case = || told("case").filter(|_| !check.header.cases.is_empty());
    let case = played::case(arguments.case.clone().or_else(told_case), check)?;
    let mut settings = Settings::new(Subject::Server(url.clone()));
    send_headers(&mut settings, headers(&arguments.header)?, &profiles);
    settings.timeout = timeout(arguments.timeout)?;
    signals::end_run(&settings);
    let redactor = &settings.style.redactor;
    let told = told_context();
    let alone = Alone {
        check,
        case: case.as_deref(),
        profile: &profile,
        support: &library.support,
        settings: &settings,
        url: &url,
        told: told.as_ref(),
    };
    let driven = std::thread::scope(|scope| {
        let drive = || drive_alone(alone);
        let driving = worker::thread(1).spawn_scoped(scope, drive).into_diagnostic()?;
        driving.join().map_err(|panic| worker::panicked(&*panic))
    })?;
    for line in log_lines(&driven.log, &settings.style) {
        say(line);
    }
    match driven.returned {
        Ok(returned) => {
            // What has no form in JSON, such as a function, is of no use outside
            // of the script.
            let value = to_json(&returned).unwrap_or(Value::Null);
            print(&redacted_json(&value, redactor))?;
            Ok(if is_failed_answer(&returned) { Exit::NotConforming } else { Exit::AllHeld })
        }
        Err(trouble) => Ok(stopped(trouble)),
    }
}

/// Says why `drive` did not come to its end.
fn stopped(trouble: Trouble) -> Exit {
    match trouble {
        Trouble::Broken(report) => {
            say(format_args!("{report:?}"));
            Exit::BrokenCheck
        }
        Trouble::Subject(report) => {
            say(format_args!("{report:?}"));
            Exit::NotConforming
        }
        Trouble::TimedOut(time) => {
            let report = miette!(
                code = "drive::timeout",
                help = "--timeout gives it more time",
                "the check was not played to its end in {} seconds",
                time.as_secs_f64()
            );
            say(format_args!("{report:?}"));
            Exit::NotConforming
        }
        Trouble::Cancelled | Trouble::Skipped(_) => Exit::Cancelled,
    }
}

/// What the command line or the environment names.
enum Named<'a> {
    Check(&'a Check),
    Broken(&'a BrokenCheck),
    /// A scenario that no check has, and what is said of it.
    Unknown(miette::Report),
}

impl<'a> From<Result<&'a Check, &'a BrokenCheck>> for Named<'a> {
    fn from(found: Result<&'a Check, &'a BrokenCheck>) -> Self {
        match found {
            Ok(check) => Named::Check(check),
            Err(broken) => Named::Broken(broken),
        }
    }
}

/// The check of this name, else that of the environment.
fn check<'a>(name: Option<&str>, library: &'a Library) -> miette::Result<Named<'a>> {
    if let Some(name) = name {
        return named_check(library, name).map(Named::from);
    }
    // Several checks may have one scenario; the runner says which of them it is.
    if let Some(check) = told("check").and_then(|id| library.get(&id)) {
        return Ok(check.as_ref().into());
    }
    let Some(name) = variable(SCENARIO_VARIABLE) else {
        return Err(miette!(
            code = "drive::check",
            help = "name it, as in `mcp-checks drive client/tool-call-basic URL`",
            "no check is named, and {SCENARIO_VARIABLE} is not set"
        ));
    };
    if let Some(check) = library.get(&name) {
        return Ok(check.as_ref().into());
    }
    let scenario = |check: &Check| check.header.scenario.as_deref() == Some(name.as_str());
    let found: Vec<&Check> = library.readable().filter(|check| scenario(check)).collect();
    match found.as_slice() {
        [check] => Ok(Named::Check(check)),
        [] => {
            let scenarios = library.readable().filter_map(|check| check.header.scenario.as_deref());
            let help = did_you_mean(&name, library.ids().chain(scenarios)).unwrap_or_else(|| {
                "`mcp-checks list` names every check, `mcp-checks show` its scenario".to_owned()
            });
            Ok(Named::Unknown(miette!(
                code = "drive::scenario",
                help = help,
                "{SCENARIO_VARIABLE} is `{name}`, and no check has this id or scenario"
            )))
        }
        several => {
            let ids = alternatives(several.iter().map(|check| check.id.as_str()));
            Err(miette!(
                code = "drive::scenario",
                help = format!("name the check itself: {ids}"),
                "{SCENARIO_VARIABLE} is `{name}`, which is the scenario of several checks"
            ))
        }
    }
}

/// A member of the context that the runner set.
fn told(member: &str) -> Option<String> {
    told_context()?[member].as_str().map(str::to_owned)
}

/// The context that the runner set.
fn told_context() -> Option<Value> {
    serde_json::from_str(&variable(CONTEXT_VARIABLE)?).ok()
}

/// The policy that the runner set, if it set one.
fn told_policy() -> miette::Result<Option<Policy>> {
    let policy = told_context().and_then(|mut context| Some(context.get_mut("policy")?.take()));
    policy.map(serde_json::from_value).transpose().map_err(|error| {
        miette!(
            code = "drive::policy",
            help = "it is `{\"versions\": […], \"required\": […], \"optional\": […]}`",
            "{CONTEXT_VARIABLE} has a `policy` that is none: {error}"
        )
    })
}

/// A variable of the environment that is set and not empty.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
