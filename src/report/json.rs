//! A report for programs: one JSON document, written as the run goes on. The
//! main type is [`Json`].
//!
//! ```json
//! {"format": "mcp-checks/1",
//!  "plan": {"subject": "embedded", "executions": 2, "checks": 1, "profiles": ["json"],
//!           "builtin_left_out": 0, "builtin_replaced": 0},
//!  "executions": [
//!    {"check": "client/tool-call-basic", "title": "…", "case": null,
//!     "profile": "json", "revision": "2025-11-25",
//!     "outcome": "fail", "red": true,
//!     "reason": null, "diagnostic": null,
//!     "checkpoints": [
//!       {"id": "handshake", "level": "MUST", "about": "protocol", "builtin": false,
//!        "spec_level": null, "sentence": "…", "verdict": "fail", "red": true,
//!        "reason": "…", "expected": "…", "actual": "…",
//!        "place": {"file": "…", "line": 21, "column": 5}, "exchange": 3}],
//!     "snapshot": {"outcome": "different", "pending": "…", "diff": "…"},
//!     "client": {"command": "…", "output": "…", "dropped_bytes": 0,
//!                "ended": "exit code 1", "exit_code": 1},
//!     "log": [{"function": "judge", "file": "…", "line": 21, "text": "…"}],
//!     "log_dropped": 0,
//!     "exchanges": [
//!       {"index": 0, "at_ms": 0, "method": "POST", "uri": "{server}/mcp",
//!        "headers": [["accept", "…"]], "body": "…",
//!        "status": 200, "response_headers": [], "response_body": "…",
//!        "end": "complete", "completed_at_ms": 0}],
//!     "elapsed_ms": 12}],
//!  "summary": {"ran": 2, "skipped": 0, "broken": 0, "cancelled": 0, "failed": 1,
//!     "warned": 0, "noted": 0,
//!     "checkpoints": [{"about": "protocol", "level": "MUST", "verdict": "fail",
//!                      "count": 1, "red": 1}],
//!     "snapshots": {"new": 0, "different": 1, "updated": 0, "unreferenced": []},
//!     "elapsed_ms": 34}}
//! ```
//!
//! - Keys stand in this order; each execution is one line. What is not known is
//!   `null`. A reader should pass over keys that it does not know.
//! - `outcome` is `pass`, `note`, `warn`, `fail`, `skip`, `cancelled`, `timeout` or
//!   `error` (the check is broken); `red` is whether it fails the run. Where the whole execution is in trouble, `reason`
//!   says why, and `diagnostic` shows the place. `verdict` is the
//!   checkpoint's own: `pass`, `fail`, `warn`, `note`, `skip`, `not exercised`,
//!   `cancelled`, `timeout`, `error`.
//! - `about` is `protocol`, `task` (a goal of a task) or `host` (a claim about the
//!   built-in host); only `protocol` counts as conformance.
//! - Bodies are whole, redacted, and escaped as [`crate::wire::text`] says.
//!   Header fields include the hop headers. Times are milliseconds since the
//!   execution began.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use super::Reporter;
use super::describe::{DIAGNOSTIC_WIDTH, client_output, rendered, style_for};
use crate::check::{CheckpointResult, Level, Weight};
use crate::runner::event::{ClientProcess, Plan, SnapshotOutcome, Trouble};
use crate::runner::expected::Entry;
use crate::runner::{Counts, Event, Execution, Summary};
use crate::script::log::Logged;
use crate::snapshot::diff;
use crate::wire::Exchange;
use crate::wire::exchange::End;
use crate::wire::text::Style;

/// The version of the document's shape; it changes when a key changes its
/// meaning or goes away, not when one is added.
pub const FORMAT: &str = "mcp-checks/1";

/// Writes a run as one JSON document.
pub struct Json<W> {
    out: W,
    style: Style,
    has_begun: bool,
    has_executions: bool,
}

impl<W: Write> Json<W> {
    /// A document on `out`; values are shown in `style`.
    pub fn new(out: W, style: Style) -> Self {
        Json { out, style, has_begun: false, has_executions: false }
    }

    fn begin(&mut self, plan: Option<&Plan>) -> io::Result<()> {
        if self.has_begun {
            return Ok(());
        }
        self.has_begun = true;
        let plan = plan.map(|plan| {
            json!({
                "subject": self.style.text(plan.subject.as_bytes()),
                "executions": plan.executions,
                "checks": plan.checks,
                "profiles": plan.profiles,
                "builtin_left_out": plan.beside.left_out,
                "builtin_replaced": plan.beside.replaced,
                "speaks": plan.speaks,
            })
        });
        write!(self.out, "{{\"format\":{},\n\"plan\":", Value::from(FORMAT))?;
        self.value(&plan)?;
        self.out.write_all(b",\n\"executions\":[")
    }

    fn value(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, value).map_err(io::Error::from)
    }
}

impl<W: Write> Reporter for Json<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::RunStarted(plan) => self.begin(Some(plan)),
            Event::Progress { .. } => Ok(()),
            Event::ExecutionFinished(execution) => {
                self.begin(None)?;
                self.out.write_all(if self.has_executions { b",\n" } else { b"\n" })?;
                self.has_executions = true;
                let style = style_for(&self.style, execution);
                self.value(&execution_value(execution, &style))
            }
            Event::RunFinished(summary) => {
                self.begin(None)?;
                self.out.write_all(b"],\n\"summary\":")?;
                self.value(&summary_value(summary, &self.style))?;
                self.out.write_all(b"}\n")?;
                self.out.flush()
            }
        }
    }
}

fn execution_value(execution: &Execution, style: &Style) -> Value {
    let text = |text: &str| style.text(text.as_bytes());
    let (reason, diagnostic) = match &execution.trouble {
        Some(Trouble::Broken(report) | Trouble::Subject(report)) => {
            let diagnostic = rendered(report.as_ref().as_ref(), style, false, DIAGNOSTIC_WIDTH);
            (Some(text(&report.to_string())), Some(diagnostic))
        }
        Some(Trouble::TimedOut(limit)) => {
            (Some(format!("It was not finished after {} ms", limit.as_millis())), None)
        }
        Some(Trouble::Skipped(reason)) => (Some(text(reason)), None),
        Some(Trouble::Cancelled) | None => (None, None),
    };
    let checkpoints: Vec<Value> = execution
        .checkpoints
        .iter()
        .map(|result| checkpoint_value(execution, result, style))
        .collect();
    let exchanges: Vec<Value> =
        execution.exchanges.iter().map(|exchange| exchange_value(exchange, style)).collect();
    json!({
        "check": execution.check,
        "title": text(&execution.title),
        "case": execution.case.as_deref().map(text),
        "profile": execution.profile,
        "revision": execution.revision.as_str(),
        "outcome": execution.outcome.as_str(),
        "red": execution.outcome.is_red(),
        "reason": reason,
        "diagnostic": diagnostic,
        "checkpoints": checkpoints,
        "snapshot": snapshot_value(&execution.snapshot, style),
        "client": execution.client.as_ref().map(|client| client_value(client, style)),
        "log": log_value(&execution.log, style),
        "log_dropped": execution.log.dropped,
        "exchanges": exchanges,
        "elapsed_ms": millis(execution.elapsed),
    })
}

fn checkpoint_value(execution: &Execution, result: &CheckpointResult, style: &Style) -> Value {
    let checkpoint = &result.checkpoint;
    let decision = result.decision.clone().unwrap_or_default();
    let text = |text: &str| style.text(text.as_bytes());
    let further = decision.further.iter().map(|further| {
        json!({
            "reason": text(&further.reason),
            "expected": further.expected.as_deref().map(text),
            "actual": further.actual.as_deref().map(text),
            "exchange": further.exchange,
        })
    });
    let further: Vec<Value> = further.collect();
    let place = decision.place.map(|place| {
        let (line, column) = place.line_and_column();
        json!({ "file": place.source.name(), "line": line, "column": column })
    });
    json!({
        "id": checkpoint.id,
        "level": checkpoint.level.as_str(),
        "about": checkpoint.about.as_str(),
        "builtin": checkpoint.builtin,
        "spec_level": checkpoint.spec_level.map(Level::as_str),
        "sentence": text(&checkpoint.sentence),
        "verdict": result.verdict.as_str(),
        "red": result.weight == Weight::Red,
        "expected_failure": execution
            .expected
            .checkpoint(&checkpoint.id)
            .map(|entry| entry_value(entry, style)),
        "reason": Some(&*decision.reason).filter(|reason| !reason.is_empty()).map(text),
        "expected": decision.expected.as_deref().map(text),
        "actual": decision.actual.as_deref().map(text),
        "place": place,
        "exchange": decision.exchange,
        "further": further,
    })
}

fn entry_value(entry: &Entry, style: &Style) -> Value {
    let text = |text: &str| style.text(text.as_bytes());
    json!({
        "reason": text(&entry.reason),
        "issue": entry.issue.as_deref().map(text),
        "flaky": entry.flaky,
        "line": entry.line,
    })
}

fn snapshot_value(snapshot: &SnapshotOutcome, style: &Style) -> Value {
    let redacted = |text: &str| style.redactor.redact(text);
    match snapshot {
        SnapshotOutcome::NotCompared => Value::Null,
        SnapshotOutcome::Same => json!({ "outcome": "same" }),
        SnapshotOutcome::New { pending } => {
            json!({ "outcome": "new", "pending": pending.to_string_lossy() })
        }
        SnapshotOutcome::Different { pending, old, new } => json!({
            "outcome": "different",
            "pending": pending.to_string_lossy(),
            "diff": diff(&redacted(old), &redacted(new)),
        }),
        SnapshotOutcome::Updated => json!({ "outcome": "updated" }),
        SnapshotOutcome::Unusable(reason) => {
            json!({ "outcome": "unusable", "reason": style.text(reason.as_bytes()) })
        }
    }
}

fn client_value(client: &ClientProcess, style: &Style) -> Value {
    json!({
        "command": style.text(client.command.as_bytes()),
        "output": client_output(&ClientProcess { dropped: 0, ..client.clone() }, style),
        "dropped_bytes": client.dropped,
        "ended": style.text(client.ended.as_bytes()),
        "exit_code": client.exit_code,
    })
}

fn log_value(log: &Logged, style: &Style) -> Value {
    let entries = log.entries.iter().map(|entry| {
        json!({
            "function": entry.function,
            "file": entry.file,
            "line": entry.line,
            "text": style.text(entry.text.as_bytes()),
        })
    });
    entries.collect()
}

fn exchange_value(exchange: &Exchange, style: &Style) -> Value {
    let headers = |headers: &http::HeaderMap| -> Vec<[String; 2]> {
        headers
            .iter()
            .map(|(name, value)| {
                let value = style.header_value(name.as_str(), value.as_bytes());
                [style.redactor.redact(name.as_str()), value]
            })
            .collect()
    };
    let response = exchange.response.as_ref();
    let end = match exchange.end {
        End::Open => "open",
        End::Complete => "complete",
        End::Aborted => "aborted",
        End::Broken => "broken",
        End::Unreached => "unreached",
    };
    json!({
        "index": exchange.index,
        "at_ms": millis(exchange.at),
        "method": exchange.method.as_str(),
        "uri": style.text(exchange.uri.to_string().as_bytes()),
        "headers": headers(&exchange.headers),
        "body": style.text(&exchange.body),
        "status": response.map(|head| head.status.as_u16()),
        "response_headers": response.map(|head| headers(&head.headers)),
        "response_body": response.map(|_| style.text(&exchange.response_body)),
        "end": end,
        "completed_at_ms": exchange.completed_at.map(millis),
    })
}

fn summary_value(summary: &Summary, style: &Style) -> Value {
    let checkpoints: Vec<Value> = summary
        .checkpoints
        .iter()
        .map(|counted| {
            json!({
                "about": counted.about.as_str(),
                "level": counted.level.as_str(),
                "verdict": counted.verdict.as_str(),
                "count": counted.count,
                "red": counted.red,
            })
        })
        .collect();
    let stale: Vec<Value> = summary
        .stale
        .iter()
        .map(|stale| {
            json!({
                "id": style.text(stale.entry.id().as_bytes()),
                "place": style.text(stale.place.as_bytes()),
                "red": summary.stale_is_red,
                "advice": style.text(stale.advice().as_bytes()),
            })
        })
        .collect();
    let mut told = counted(&summary.executions);
    told["checkpoints"] = checkpoints.into();
    told["snapshots"] = json!({
        "new": summary.snapshots_new,
        "different": summary.snapshots_different,
        "updated": summary.snapshots_updated,
        "unreferenced": summary.snapshots_unreferenced,
    });
    told["stale"] = stale.into();
    told["elapsed_ms"] = millis(summary.elapsed).into();
    told
}

/// How many executions came to what, as every report in JSON has it.
pub(super) fn counted(counts: &Counts) -> Value {
    json!({
        "ran": counts.ran,
        "skipped": counts.skipped,
        "broken": counts.broken,
        "cancelled": counts.cancelled,
        "failed": counts.failed,
        "expected": counts.expected,
        "warned": counts.warned,
        "noted": counts.noted,
    })
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
