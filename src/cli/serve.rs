//! `mcp-checks serve`: keeps a check's server up, so that a person can point a
//! client at it; on Ctrl-C what was seen is judged.

use std::fmt::Write as _;
use std::io;
use std::sync::Arc;

use clap::Args;
use miette::IntoDiagnostic;
use serde_json::Value;

use super::exit::Exit;
use super::output::{print, say};
use super::played;
use super::run::style;
use super::signals;
use super::sources::{Sources, named_check};
use super::terminal::{self, Stream, When, has_colour};
use crate::check::{CheckKind, Selection};
use crate::mcp::client::Cancellation;
use crate::report::{Human, Reporter};
use crate::runner::plan::Choice;
use crate::runner::subject::Visitor;
use crate::runner::{self, Event, Execution, Plan, Settings, Subject};
use crate::wire::Exchange;
use crate::wire::text::{Style, escape, render};

/// What `serve` takes.
#[derive(Args, Debug)]
#[command(after_help = "\
The server's URL is printed, and what a client under test would find in its environment. Each
exchange is printed when it ends. Ctrl-C ends it: then the check judges what it saw.

Examples:
  mcp-checks serve client/tool-call-basic
  mcp-checks serve client/sse-response --profile event-stream-http --port 3001 --trace")]
pub struct Arguments {
    /// The check's id or the end of it.
    check: String,
    /// The profile that says how the server behaves [default: the newest that fits].
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// The case, if the check has cases [default: the first].
    #[arg(long, value_name = "NAME")]
    case: Option<String>,
    /// The port on 127.0.0.1 [default: any that is free].
    #[arg(long, value_name = "NUMBER", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Print header fields and bodies too.
    #[arg(long)]
    trace: bool,
    #[command(flatten)]
    sources: Sources,
}

/// Keeps the server up until Ctrl-C, then prints the verdicts.
///
/// # Errors
/// A diagnostic of what is wrong with the command line or a file.
pub fn run(arguments: &Arguments, colour: When) -> miette::Result<Exit> {
    let (library, profiles) = arguments.sources.read()?;
    let check = match named_check(&library, &arguments.check)? {
        Ok(check) => check,
        Err(broken) => {
            say(format_args!("{:?}", broken.problem));
            return Ok(Exit::BrokenCheck);
        }
    };
    if check.kind != CheckKind::Client {
        return Err(miette::miette!(
            code = "serve::no-server",
            help = "`mcp-checks list client` shows checks of a client",
            "`{}` is a check of a {}: it has no server for a client to come to",
            check.id,
            check.kind.as_str()
        ));
    }
    let style = style(&http::HeaderMap::new(), None, &profiles);
    let profile = played::profile(arguments.profile.as_deref(), None, check, &profiles)?;
    let case = played::case(arguments.case.clone(), check)?;
    let words = match &case {
        Some(case) => format!("{}[{case}]", check.id),
        None => check.id.clone(),
    };
    let selection = Selection::parse(&[words], &library)?;
    let profiles = [profile];
    let choice = Choice { selection: Some(&selection), ..Choice::default() };

    let leave = Cancellation::new();
    signals::on_first({
        let leave = leave.clone();
        move || leave.cancel()
    });
    let visitor = Visitor {
        port: arguments.port,
        announce: Box::new(|url, environment| {
            // Whoever reads this is told where to go; there is nothing else to do
            // if nobody reads.
            let _ = print(&format!("{url}\n"));
            for (name, value) in environment {
                say(format_args!("{name}={}", escape(value.as_bytes())));
            }
            say("Ctrl-C ends it, and the check judges what it saw.");
        }),
        watch: Arc::new({
            let (style, trace) = (style.clone(), arguments.trace);
            move |exchange: &Exchange| {
                let _ = print(&shown(exchange, trace, &style));
            }
        }),
        leave,
    };
    let mut settings = Settings::new(Subject::Visitor(Arc::new(visitor)));
    settings.style = style.clone();
    settings.jobs = 1;
    let plan = Plan::new(&library, &profiles, &settings.subject, &choice);
    let colour = has_colour(colour, Stream::Output);
    let mut reporter = Human::new(io::stdout(), style.clone(), colour, terminal::columns());
    let mut unwritten = None;
    let summary = runner::run(&plan, &library.support, &settings, |event| {
        if let Event::ExecutionFinished(execution) = &event {
            let _ = print(&verdicts(execution, &style));
        }
        if let Err(error) = reporter.event(&event) {
            unwritten.get_or_insert(error);
        }
    });
    match unwritten {
        Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error).into_diagnostic(),
        _ => Ok(Exit::of(&summary)),
    }
}

/// Every checkpoint with its verdict: `pass  MUST  accept-header  Each POST …`.
fn verdicts(execution: &Execution, style: &Style) -> String {
    let mut text = String::from("\n");
    for result in &execution.checkpoints {
        let checkpoint = &result.checkpoint;
        let (verdict, level) = (result.verdict, checkpoint.level);
        let sentence = style.text(checkpoint.sentence.as_bytes());
        let _ = writeln!(text, "{verdict:<13}  {level:<7}  {}  {sentence}", checkpoint.id);
    }
    text.push('\n');
    text
}

/// One exchange: `POST /mcp tools/call: 200`, or all of it.
fn shown(exchange: &Exchange, trace: bool, style: &Style) -> String {
    if trace {
        return format!("{}\n", render(exchange, style));
    }
    let method = serde_json::from_slice::<Value>(&exchange.body).ok();
    let method = method.as_ref().and_then(|message| message["method"].as_str());
    let what = method.map(|method| format!(" {}", style.text(method.as_bytes())));
    let status = match &exchange.response {
        Some(response) => response.status.as_str().to_owned(),
        None => "no response".to_owned(),
    };
    let path = style.text(exchange.uri.path().as_bytes());
    format!("{} {path}{}: {status}\n", exchange.method, what.unwrap_or_default())
}
