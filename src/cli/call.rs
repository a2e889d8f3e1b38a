//! `mcp-checks call`: calls one tool of a server as a host does it: gate,
//! approval, run, audit, health.

use std::io::{IsTerminal, Read, Write};
use std::pin::pin;

use clap::Args;
use http::HeaderMap;
use miette::{IntoDiagnostic, MietteDiagnostic, Report, miette};
use serde_json::{Value, json};

use super::exit::Exit;
use super::output::{self, print, redacted_json, say};
use super::secrets;
use super::server::{Conversation, Interrupts, Speaking};
use super::store::StoreFile;
use super::terminal::{Stream, When, has_colour};
use crate::check::nearest::{alternatives, did_you_mean};
use crate::host::store::{LoggedDenial, StoredTool};
use crate::host::{
    Call, CallRefusal, Caller, Clock, Decision, Denial, Host, Outcome, Run, Store, StoreError,
    ToolResult,
};
use crate::mcp::client::RoundLimit;
use crate::profile::Profile;
use crate::report::Paint;
use crate::wire::text::{escape, escape_name};

/// What `call` takes.
#[derive(Args, Debug)]
#[command(after_help = "\
The tool has to be taken in and enabled first, with `mcp-checks tools`. The call is a step of a run
of its own, which `mcp-checks audit` shows. What the tool answers is printed to standard output,
what it came to (ok, failed, cancelled) to standard error. Ctrl-C cancels the run; what the server
did until then is not known.

Exit codes:
  0    ok
  1    failed: the tool, the server or the way to it
  2    the command line, a profile or the store is wrong
  4    refused by the gate, or not approved: nothing was sent
  130  cancelled by the user

Examples:
  mcp-checks call mcp_staging_add --args '{\"a\": 17, \"b\": 25}' --approve
  mcp-checks call mcp_staging_add --args - --json --approve < arguments.json")]
pub struct Arguments {
    /// The tool's local name: mcp_IDENTIFIER_NAME.
    #[arg(value_name = "TOOL")]
    tool: String,
    /// The arguments, a JSON object; `-` reads them from standard input [default: none].
    #[arg(long, value_name = "JSON")]
    args: Option<String>,
    /// The server's URL, or the profile that has it [default: the profile whose identifier is that
    /// of the tool's server].
    #[arg(long, value_name = "URL|PROFILE")]
    server: Option<String>,
    /// Approve the call rather than be asked on the terminal.
    #[arg(long)]
    approve: bool,
    /// How often the call is sent again for which the server wants more: from 0 to 1000.
    #[arg(long, value_name = "ROUNDS", default_value = "10")]
    round_limit: RoundLimit,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    speaking: Speaking,
    #[command(flatten)]
    store: StoreFile,
}

/// Calls the tool.
///
/// # Errors
/// A diagnostic of what is wrong with the command line, a profile or the store.
pub fn run(arguments: &Arguments, colour: When) -> miette::Result<Exit> {
    let given = arguments.args.as_deref().map(read_arguments).transpose()?;
    let store = arguments.store.open()?;
    let Some(server) = server(arguments, &store)? else {
        return not_registered(arguments, &store);
    };
    let conversation = arguments.speaking.begin(server, store)?;
    conversation.client.limit_rounds(arguments.round_limit);
    let (host, caller) = (&conversation.host, &conversation.caller);
    let is_allowed = !matches!(host.decide(&arguments.tool, caller)?, Decision::Denied(_));
    let approved = is_allowed && (arguments.approve || is_approved(arguments, &conversation)?);
    // Before the run: an interrupt that ended the program between the two would
    // leave a run that goes on.
    let interrupts = conversation.interrupts();
    // The host refuses what is not allowed or not approved, and writes it down;
    // a run is begun for what can become of one.
    let run = if approved { Some(host.begin_run(caller)?) } else { None };
    let call = Call { tool: &arguments.tool, arguments: given, run: run.as_ref(), approved };
    let called = host.call(call, caller);
    let called = conversation.hold(unless_interrupted(called, interrupts, host, run.as_ref()));
    let ended = run.as_ref().map_or(Ok(()), |run| match run.is_cancelled() {
        true => host.cancel_run(run),
        // A run that failed has ended already, and stays as it is.
        false => host.complete_run(run),
    });
    let exit = match called {
        Ok(result) => {
            show(arguments, &conversation, run.map(|run| run.id), &result, colour)?;
            match result.outcome() {
                Outcome::Ok => Exit::AllHeld,
                Outcome::Failed => Exit::NotConforming,
                Outcome::Cancelled => Exit::Cancelled,
            }
        }
        Err(refusal) => refuse(arguments, &refusal)?,
    };
    // What became of the call is told first: it was made.
    ended?;
    Ok(exit)
}

/// Reads `--args`.
fn read_arguments(given: &str) -> miette::Result<Value> {
    let mut text = given.to_owned();
    if given == "-" {
        text.clear();
        std::io::stdin().read_to_string(&mut text).map_err(|error| {
            miette!(
                code = "call::arguments",
                help = "write the object into --args itself",
                "the arguments cannot be read from standard input: {error}"
            )
        })?;
    }
    let wrong = |what: String| {
        miette!(
            code = "call::arguments",
            help = "write a JSON object, as in --args '{\"a\": 17}'",
            "--args is not a JSON object: {what}"
        )
    };
    match serde_json::from_str(&text) {
        Ok(object @ Value::Object(_)) => Ok(object),
        Ok(Value::Array(_)) => Err(wrong("it is an array".to_owned())),
        Ok(_) => Err(wrong("it is a single value".to_owned())),
        Err(error) => Err(wrong(error.to_string())),
    }
}

/// The server of the tool: the one that was named, else the one whose profile
/// has the identifier. `None` if no server has such a tool.
fn server(arguments: &Arguments, store: &Store) -> miette::Result<Option<Profile>> {
    if let Some(name) = &arguments.server {
        return arguments.speaking.server(name).map(Some);
    }
    let Some(StoredTool { server, .. }) = store.tool(&arguments.tool)? else { return Ok(None) };
    let profiles = arguments.speaking.profiles()?;
    let mut found: Vec<Profile> = profiles
        .into_iter()
        .filter(|profile| profile.url.is_some() && profile.operator.identifier == server)
        .collect();
    let names = alternatives(found.iter().map(|profile| profile.name.as_str()));
    match (found.pop(), found.is_empty()) {
        (Some(profile), true) => Ok(Some(profile)),
        (Some(_), false) => Err(miette!(
            code = "call::server",
            help = format!("say which it is with --server: {names}"),
            "several profiles have the identifier `{}`",
            escape_name(&server)
        )),
        (None, _) => Err(miette!(
            code = "call::server",
            help = "name the server with --server, or write a profile with this identifier and a `url`",
            "no profile with a `url` has the identifier `{}`, to which the tool belongs",
            escape_name(&server)
        )),
    }
}

/// What no server has is not registered: that is a denial too.
fn not_registered(arguments: &Arguments, store: &Store) -> miette::Result<Exit> {
    // Denied is denied, whether or not it can be written down.
    let _ = store.record_denial(&LoggedDenial {
        at: Clock::Machine.now(),
        caller: Caller::OPERATOR.to_owned(),
        tool: arguments.tool.clone(),
        reason: Denial::NotRegistered.as_str().to_owned(),
    });
    // The names that are near are a server's own words.
    if let Ok(profiles) = arguments.speaking.profiles() {
        secrets::learn(&HeaderMap::new(), None, &profiles);
    }
    let stored = store.tools()?;
    let near = did_you_mean(&arguments.tool, stored.iter().map(|tool| tool.local_name.as_str()));
    let denial = Denial::NotRegistered;
    let refusal = CallRefusal::Denied { tool: arguments.tool.clone(), denial };
    report_refusal(arguments, &refusal, near)?;
    Ok(Exit::NothingRan)
}

/// Whether the person at the terminal approves; true if nobody has to. Without
/// a terminal nobody does.
fn is_approved(arguments: &Arguments, conversation: &Conversation) -> miette::Result<bool> {
    if !conversation.host.operator().requires_approval {
        return Ok(true);
    }
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        return Ok(false);
    }
    let mut terminal = std::io::stderr().lock();
    write!(
        terminal,
        "{} of {} may write there. Call it? [y/N] ",
        conversation.name(&arguments.tool),
        conversation.address
    )
    .and_then(|()| terminal.flush())
    .into_diagnostic()?;
    drop(terminal);
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).into_diagnostic()?;
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}

/// Waits for a call. If the user interrupts it, what the run has in flight is
/// stopped; if the user does so twice, the program ends as soon as it is stored
/// that the run was cancelled, and if the user does so three times, at once.
async fn unless_interrupted<T>(
    call: impl Future<Output = T>,
    mut interrupts: Interrupts,
    host: &Host,
    run: Option<&Run>,
) -> T {
    let mut call = pin!(call);
    Interrupts::arrive().await;
    tokio::select! {
        biased;
        () = interrupts.next() => {}
        called = &mut call => return called,
    }
    // That it was cancelled is stored afterwards: the store may be held by
    // another process for longer than a call may take to stop.
    if let Some(run) = run {
        run.cancel();
    }
    tokio::select! {
        called = call => return called,
        () = interrupts.next() => {}
    }
    if let Some(run) = run {
        let (host, run) = (host.clone(), run.clone());
        let stored = tokio::task::spawn_blocking(move || host.cancel_run(&run));
        tokio::select! {
            // What cannot be stored runs out with its lease.
            _ = stored => {}
            () = interrupts.next() => {}
        }
    }
    std::process::exit(Exit::Cancelled.code().into())
}

/// Prints what the tool answered, and says what it came to.
fn show(
    arguments: &Arguments,
    conversation: &Conversation,
    run: Option<i64>,
    result: &ToolResult,
    colour: When,
) -> miette::Result<()> {
    let redactor = &conversation.style.redactor;
    if arguments.json {
        let answer = json!({
            "tool": arguments.tool,
            "run": run,
            "outcome": result.outcome().as_str(),
            "is_error": result.is_error(),
            "text": result.text(),
            "artifacts": result.artifacts(),
            "write_target": result.write_target(),
            "refused": null,
            "message": null,
        });
        return print(&redacted_json(&answer, redactor));
    }
    let mut text = redactor.redact(result.text());
    // A terminal obeys what it is shown; a file or a program gets what came.
    if std::io::stdout().is_terminal() {
        text = escape(text.as_bytes());
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    print(&text)?;
    let paint = Paint(has_colour(colour, Stream::Error));
    let word = result.outcome().as_str();
    let word = if result.is_error() { paint.red(word) } else { paint.green(word) };
    let run = run.map(|run| format!(" (run {run})")).unwrap_or_default();
    say(format_args!("{}: {word}{run}", conversation.name(&arguments.tool)));
    match result.artifacts().len() {
        0 => {}
        1 => say("there is a structured value beside the text; --json shows it"),
        more => say(format_args!(
            "there are {more} structured values beside the text; --json shows them"
        )),
    }
    Ok(())
}

/// Says why nothing was sent, or why what came of it is not shown.
fn refuse(arguments: &Arguments, refusal: &CallRefusal) -> miette::Result<Exit> {
    report_refusal(arguments, refusal, None)?;
    Ok(match refusal {
        CallRefusal::NotRecorded(_) | CallRefusal::ResultNotRecorded(_) => Exit::WrongCommandLine,
        CallRefusal::Denied { .. }
        | CallRefusal::NotApproved { .. }
        | CallRefusal::NoRun { .. } => Exit::NothingRan,
    })
}

fn report_refusal(
    arguments: &Arguments,
    refusal: &CallRefusal,
    help: Option<String>,
) -> miette::Result<()> {
    if arguments.json {
        let refused = json!({
            "tool": arguments.tool,
            "run": null,
            "outcome": null,
            "is_error": null,
            "text": null,
            "artifacts": [],
            "write_target": null,
            "refused": refusal.as_str(),
            "message": refusal.to_string(),
        });
        print(&redacted_json(&refused, &output::redactor()))?;
    }
    let message = escape(refusal.to_string().replace('\n', " ").as_bytes());
    let report = MietteDiagnostic::new(message)
        .with_code(format!("host::{}", refusal.as_str()))
        .with_help(help.unwrap_or_else(|| advice(refusal)));
    say(format_args!("{:?}", Report::from(report)));
    Ok(())
}

/// What the operator can do about a refusal.
fn advice(refusal: &CallRefusal) -> String {
    match refusal {
        CallRefusal::Denied { denial, .. } => match denial {
            Denial::NotRegistered => {
                "`mcp-checks tools URL|PROFILE` takes in what a server lists, and shows the names"
            }
            Denial::Disabled => "`mcp-checks tools URL|PROFILE --enable NAME` enables it",
            Denial::Changed(_) => {
                "`mcp-checks tools URL|PROFILE` takes in what the server lists now; --enable NAME \
                 enables it again"
            }
            Denial::RequiresAdministrator | Denial::OutsideGroup => "ask whoever configured it",
            Denial::TrustZone { .. } => {
                "the server's profile says what it returns and where that is read, under [operator]: \
                 `data-class` and `zone`; of a server that is named by its URL nothing is declared, \
                 so write a profile with its `url`"
            }
        }
        .to_owned(),
        CallRefusal::NotApproved { .. } => {
            "--approve approves the call; on a terminal you are asked".to_owned()
        }
        CallRefusal::NoRun { .. } => "the run was taken over or has ended: call again".to_owned(),
        CallRefusal::NotRecorded(error) | CallRefusal::ResultNotRecorded(error) => cause(error),
    }
}

fn cause(error: &StoreError) -> String {
    match miette::Diagnostic::help(error) {
        Some(help) => format!("{error}; {help}"),
        None => error.to_string(),
    }
}
