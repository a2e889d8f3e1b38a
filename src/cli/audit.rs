//! `mcp-checks audit`: what a store holds: runs with their steps and outcomes,
//! contacts, denials.

use std::fmt::Write as _;
use std::path::PathBuf;

use chrono::{DateTime, SecondsFormat};
use clap::Args;
use http::HeaderMap;
use miette::Report;
use serde_json::{Value, json};

use super::exit::Exit;
use super::output::{print, redacted_json, say};
use super::secrets;
use super::store::StoreFile;
use super::terminal::{Stream, When, has_colour};
use crate::host::store::{Contact, Event, LoggedDenial, RunRecord};
use crate::host::{Clock, Outcome, RunStatus, Step, Store, StoreError};
use crate::profile;
use crate::report::Paint;
use crate::wire::redact::Redactor;
use crate::wire::text::{escape, escape_name};

/// What `audit` takes.
#[derive(Args, Debug)]
#[command(after_help = "\
A run is running, completed, failed (something of it could not be stored) or cancelled. A step is
declared before its call is sent; what the call came to is ok, failed or cancelled. A call that was
declared and has no outcome was sent by a process that ended before it knew more.

Exit codes:
  0    everything that is stored is shown
  2    the store is wrong, or a row of it cannot be read; the others are shown

Examples:
  mcp-checks audit
  mcp-checks audit --json
  mcp-checks audit --store host.sqlite3 --trace")]
pub struct Arguments {
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    /// Show what tools answered too.
    #[arg(long)]
    trace: bool,
    /// The folder of profiles, whose secrets --trace redacts [default: ./profiles if it is there,
    /// else the built-in profiles].
    #[arg(long, value_name = "FOLDER")]
    profiles: Option<PathBuf>,
    #[command(flatten)]
    store: StoreFile,
}

/// Shows what the store holds.
///
/// # Errors
/// A diagnostic of what is wrong with the store.
pub fn run(arguments: &Arguments, colour: When) -> miette::Result<Exit> {
    let held = Held::read(&arguments.store.open_existing()?)?;
    let redactor = redactor(arguments)?;
    if arguments.json {
        print(&redacted_json(&held.json(arguments.trace), &redactor))?;
    } else {
        let paint = Paint(has_colour(colour, Stream::Output));
        print(&held.human(arguments.trace, &redactor, paint))?;
    }
    let mut exit = Exit::AllHeld;
    for problem in held.problems() {
        say(format_args!("{problem:?}"));
        exit = Exit::WrongCommandLine;
    }
    Ok(exit)
}

/// What is stored may hold what a profile calls secret. Without what tools
/// answered, a profile that cannot be read is no reason to show nothing.
fn redactor(arguments: &Arguments) -> miette::Result<Redactor> {
    let profiles = match profile::load(arguments.profiles.as_deref()) {
        Err(error) if arguments.trace => return Err(error.into()),
        loaded => loaded.unwrap_or_default(),
    };
    Ok(secrets::learn(&HeaderMap::new(), None, &profiles))
}

/// What a store holds.
struct Held {
    /// Each run with its steps.
    runs: Vec<(RunRecord, Vec<Event>)>,
    contacts: Vec<Contact>,
    denials: Vec<LoggedDenial>,
}

impl Held {
    fn read(store: &Store) -> Result<Self, StoreError> {
        let mut runs: Vec<_> = store.runs()?.into_iter().map(|run| (run, Vec::new())).collect();
        for event in store.events()? {
            // Both are in the order of the runs; each step has its run.
            if let Ok(at) = runs.binary_search_by_key(&event.run, |(run, _)| run.id) {
                runs[at].1.push(event);
            }
        }
        Ok(Held { runs, contacts: store.contacts()?, denials: store.denials()? })
    }

    /// Rows that cannot be read.
    fn problems(&self) -> Vec<Report> {
        let mut problems = Vec::new();
        for (run, steps) in &self.runs {
            if let Err(unknown) = &run.status {
                problems.push(miette::miette!(
                    code = "store::unreadable-run",
                    help = "every other run is still there",
                    "run {} cannot be read: {}",
                    run.id,
                    escape_name(&unknown.to_string())
                ));
            }
            for error in steps.iter().filter_map(|step| step.step.as_ref().err()) {
                problems.push(miette::miette!(
                    code = "store::unreadable-step",
                    help = "every other step is still there",
                    "{}",
                    escape_name(&error.to_string())
                ));
            }
        }
        problems
    }

    fn human(&self, trace: bool, redactor: &Redactor, paint: Paint) -> String {
        // Redacted before it is cut, escaped or laid out: each could hide a part
        // of a credential.
        let name = |name: &str| escape_name(&redactor.redact(name));
        let mut text = String::new();
        if self.runs.is_empty() && self.contacts.is_empty() && self.denials.is_empty() {
            text.push_str("nothing is stored yet\n");
        }
        let now = Clock::Machine.now();
        for (run, steps) in &self.runs {
            let status = run.status.as_ref().map_or("unreadable", |status| status.as_str());
            let _ = writeln!(
                text,
                "{}  {status}{}  {}  {}",
                paint.bold(&format!("run {}", run.id)),
                if is_abandoned(run, now) { " (abandoned)" } else { "" },
                utc(run.started_at),
                name(&run.caller)
            );
            for step in steps {
                human_step(&mut text, step, trace, redactor, paint);
            }
        }
        if !self.contacts.is_empty() {
            let _ = writeln!(text, "{}", paint.bold("contacts"));
        }
        for contact in &self.contacts {
            let (server, operation) = (name(&contact.server), name(&contact.operation));
            let (at, latency) = (utc(contact.at), contact.latency);
            let _ = writeln!(text, "  {at}  {server}  {operation}  {latency} ms");
        }
        if !self.denials.is_empty() {
            let _ = writeln!(text, "{}", paint.bold("denials"));
        }
        for denial in &self.denials {
            let [caller, tool, reason] =
                [&denial.caller, &denial.tool, &denial.reason].map(|text| name(text));
            let _ = writeln!(text, "  {}  {caller}  {tool}  {reason}", utc(denial.at));
        }
        text
    }

    fn json(&self, trace: bool) -> Value {
        let now = Clock::Machine.now();
        json!({
            "runs": self.runs.iter().map(|(run, steps)| json!({
                "id": run.id,
                "caller": run.caller,
                "status": run.status.as_ref().ok().map(|status| status.as_str()),
                "abandoned": is_abandoned(run, now),
                "started_at": run.started_at,
                "ended_at": run.ended_at,
                "steps": steps.iter().map(|step| json_step(step, trace)).collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
            "contacts": self.contacts.iter().map(|contact| json!({
                "server": contact.server,
                "at": contact.at,
                "operation": contact.operation,
                "latency_ms": contact.latency,
            })).collect::<Vec<_>>(),
            "denials": self.denials.iter().map(|denial| json!({
                "at": denial.at,
                "caller": denial.caller,
                "tool": denial.tool,
                "reason": denial.reason,
            })).collect::<Vec<_>>(),
        })
    }
}

/// Whether whoever ran it is gone: it goes on, and nobody holds it any more.
fn is_abandoned(run: &RunRecord, now: i64) -> bool {
    run.status == Ok(RunStatus::Running) && run.lease_until.is_none_or(|until| until < now)
}

fn human_step(text: &mut String, event: &Event, trace: bool, redactor: &Redactor, paint: Paint) {
    let name = |name: &str| escape_name(&redactor.redact(name));
    let sequence = event.sequence;
    let _ = match &event.step {
        Ok(Step::Declared { tool, effect }) => {
            let (tool, effect) = (name(tool), name(effect));
            writeln!(text, "  {sequence:>3}  {:10} {tool}  {effect}", "declared")
        }
        Ok(Step::Tool { tool, outcome, text: answer }) => {
            let word = format!("{:10}", outcome.as_str());
            let word = match outcome {
                Outcome::Ok => paint.green(&word),
                Outcome::Failed | Outcome::Cancelled => paint.red(&word),
            };
            let (tool, length) = (name(tool), answer.len());
            let _ = writeln!(text, "  {sequence:>3}  {word} {tool}  {length} bytes");
            let lines =
                if trace { escape(redactor.redact(answer).as_bytes()) } else { String::new() };
            lines.lines().try_for_each(|line| writeln!(text, "       | {line}"))
        }
        Err(_) => writeln!(text, "  {sequence:>3}  {}", paint.red("unreadable")),
    };
}

fn json_step(event: &Event, trace: bool) -> Value {
    let mut row = event.to_json();
    if let Ok(Step::Tool { text, .. }) = &event.step {
        if let Some(members) = row.as_object_mut() {
            members.shift_remove("text");
        }
        row["bytes"] = text.len().into();
        if trace {
            row["text"] = text.as_str().into();
        }
    }
    row
}

/// A time of the machine's clock, in milliseconds since 1970-01-01, as RFC 3339
/// has it: `2026-11-30T06:22:34.123Z`. A time that no calendar has stays a
/// number.
fn utc(milliseconds: i64) -> String {
    match DateTime::from_timestamp_millis(milliseconds) {
        Some(time) => time.to_rfc3339_opts(SecondsFormat::Millis, true),
        None => milliseconds.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (milliseconds, expected) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_709_251_199_000, "2024-02-29T23:59:59.000Z"),
            (1_709_251_200_000, "2024-03-01T00:00:00.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (1_796_019_754_123, "2026-11-30T06:22:34.123Z"),
        ] {
            assert_eq!(utc(milliseconds), expected);
        }
    }

    #[test]
    fn the_word_for_an_outcome_is_the_same_everywhere() {
        let store = Store::in_memory().unwrap();
        let run = store.begin_run("operator", "me", 0, i64::MAX).unwrap();
        for outcome in Outcome::ALL {
            let step = Step::Tool { tool: "t".to_owned(), outcome, text: String::new() };
            assert_eq!(step.fields().outcome.as_deref(), Some(outcome.as_str()));
            store.append(run, &step, 1).unwrap();
        }
        let held = Held::read(&store).unwrap();
        let json = held.json(false);
        let steps = json["runs"][0]["steps"].as_array().unwrap();
        let screen = held.human(false, &Redactor::default(), Paint(false));
        let lines = screen.lines().skip(1);
        for ((outcome, step), line) in Outcome::ALL.into_iter().zip(steps).zip(lines) {
            assert_eq!(step["outcome"], outcome.as_str());
            assert_eq!(line.split_whitespace().nth(1), Some(outcome.as_str()), "{line}");
        }
        assert_eq!(steps.len(), Outcome::ALL.len());
    }
}
