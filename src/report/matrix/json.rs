//! A finished matrix for programs: [`json`].
//!
//! ```json
//! {"format": "mcp-checks-matrix/1",
//!  "summary": {"holds": false, "interrupted": false, "differences": 1, "failures": 1,
//!     "run_again": 1, "elapsed_ms": 1234},
//!  "environments": [
//!    {"name": "double", "subject": "embedded", "ran": 1, "skipped": 0, "broken": 0,
//!     "cancelled": 0, "failed": 0, "warned": 0, "noted": 0}],
//!  "executions": [
//!    {"check": "client/tool-call-basic", "case": null, "profile": "json",
//!     "revision": "2025-11-25",
//!     "verdicts": {"double": "pass", "socket": "fail", "client": "skip"},
//!     "wire": "same",
//!     "checkpoints": [
//!       {"id": "handshake",
//!        "verdicts": {"double": "pass", "socket": "fail", "client": "skip"}}]}],
//!  "findings": [
//!    {"check": "client/tool-call-basic", "case": null, "profile": "json",
//!     "revision": "2025-11-25", "checkpoint": "handshake", "level": "MUST",
//!     "sentence": "The call comes after the handshake", "differs": true, "fails": true, "wire": null,
//!     "environments": {
//!       "double": {"verdict": "pass", "reason": null, "expected": null, "actual": null,
//!                  "place": null, "ended": null}}}]}
//! ```
//!
//! - Keys stand in this order; each execution is one line. A reader should pass
//!   over keys that it does not know.
//! - Where there is no such execution, since the environment cannot tell the
//!   profile from another, the verdict is `null`; what does not apply is `skip`.
//! - `wire` of an execution is `same`, `different` or, if it was not compared,
//!   `null`.
//! - `ended` is how a client process ended where a claim was not exercised.
//! - A finding without a `checkpoint` is about the execution as a whole, or, if
//!   it has a `wire`, about what crossed it.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::report::json::counted;
use crate::runner::matrix::{Cell, Finding, Matrix, Of, Row, Wire};

/// The version of the document's shape; it changes when a key changes its
/// meaning or goes away, not when one is added.
pub const FORMAT: &str = "mcp-checks-matrix/1";

/// The matrix for programs, one execution a line.
pub fn json(matrix: &Matrix, holds: bool) -> String {
    let elapsed = u64::try_from(matrix.elapsed.as_millis()).unwrap_or(u64::MAX);
    let number =
        |test: fn(&Finding) -> bool| matrix.findings.iter().filter(|finding| test(finding)).count();
    let summary = json!({
        "holds": holds,
        "interrupted": matrix.interrupted,
        "differences": number(|finding| finding.differs),
        "failures": number(|finding| finding.fails),
        "run_again": matrix.run_again,
        "elapsed_ms": elapsed,
    });
    let environments: Vec<Value> = matrix
        .environments
        .iter()
        .enumerate()
        .map(|(column, environment)| {
            let mut told = json!({ "name": environment.name, "subject": environment.subject });
            let counts = counted(&matrix.counts(column));
            for (name, count) in counts.as_object().into_iter().flatten() {
                told[name] = count.clone();
            }
            told
        })
        .collect();
    let mut text = format!(
        "{{\"format\":{},\n\"summary\":{summary},\n\"environments\":{},\n",
        Value::from(FORMAT),
        Value::from(environments)
    );
    let lines = |values: Vec<Value>| {
        let lines: Vec<String> = values.iter().map(|value| format!("\n{value}")).collect();
        lines.join(",")
    };
    let executions = matrix.rows.iter().map(|row| execution(matrix, row)).collect();
    let findings = matrix.findings.iter().map(|one| finding(matrix, one)).collect();
    let _ = writeln!(
        text,
        "\"executions\":[{}],\n\"findings\":[{}]}}",
        lines(executions),
        lines(findings)
    );
    text
}

/// A value for each environment, by its name.
fn by_environment(
    matrix: &Matrix,
    cells: &[Option<Cell>],
    value: impl Fn(&Cell) -> Value,
) -> Value {
    let pairs = matrix.environments.iter().zip(cells);
    let pairs = pairs.map(|(environment, cell)| {
        (environment.name.to_owned(), cell.as_ref().map_or(Value::Null, &value))
    });
    Value::Object(pairs.collect::<Map<_, _>>())
}

fn execution(matrix: &Matrix, row: &Row) -> Value {
    let verdict = |cell: &Cell| Value::from(cell.verdict.as_str());
    let checkpoints: Vec<Value> = row
        .checkpoints
        .iter()
        .map(|(claim, cells)| json!({ "id": claim.id, "verdicts": by_environment(matrix, cells, verdict) }))
        .collect();
    json!({
        "check": row.name.check,
        "case": row.name.case,
        "profile": row.name.profile,
        "revision": row.revision.as_str(),
        "verdicts": by_environment(matrix, &row.cells, verdict),
        "wire": match row.wire {
            Wire::NotCompared => None,
            Wire::Same => Some("same"),
            Wire::Different(_) => Some("different"),
        },
        "checkpoints": checkpoints,
    })
}

fn finding(matrix: &Matrix, finding: &Finding) -> Value {
    let (claim, wire) = match &finding.of {
        Of::Checkpoint(claim) => (Some(claim), None),
        Of::Whole => (None, None),
        Of::Wire(lines) => (None, Some(lines)),
    };
    let cell = |cell: &Cell| {
        json!({
            "verdict": cell.verdict.as_str(),
            "reason": cell.reason,
            "expected": cell.expected,
            "actual": cell.actual,
            "place": cell.place,
            "ended": cell.ended,
        })
    };
    json!({
        "check": finding.name.check,
        "case": finding.name.case,
        "profile": finding.name.profile,
        "revision": finding.revision.as_str(),
        "checkpoint": claim.map(|claim| &claim.id),
        "level": claim.map(|claim| claim.level.as_str()),
        "sentence": claim.map(|claim| &claim.sentence),
        "differs": finding.differs,
        "fails": finding.fails,
        "wire": wire,
        "environments": by_environment(matrix, &finding.cells, cell),
    })
}
