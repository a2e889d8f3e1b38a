//! Tests of both forms of a matrix.

use std::time::Duration;

use serde_json::{Value, json};

use super::{FORMAT, json, text};
use crate::check::{Checkpoint, Verdict, Weight};
use crate::mcp::Revision;
use crate::report::paint::Paint;
use crate::runner::matrix::{Cell, Environment, Matrix, Name, Row, Wire, findings};

fn cell(verdict: Verdict, reason: Option<&str>) -> Cell {
    let reason = reason.map(str::to_owned);
    let weight = if verdict == Verdict::Fail { Weight::Red } else { Weight::None };
    Cell { verdict, weight, reason, expected: None, actual: None, place: None, ended: None }
}

fn claim() -> Checkpoint {
    let sentence = "The call comes after the handshake".to_owned();
    Checkpoint { id: "a".to_owned(), sentence, ..Checkpoint::wire_schema() }
}

/// An execution with one claim, `a`, which holds in memory.
fn row(profile: &str, case: &str, socket: Verdict, client: Option<Cell>) -> Row {
    let cells = vec![Some(cell(Verdict::Pass, None)), Some(cell(socket, None)), client];
    Row {
        name: Name::new("client/one", profile, Some(case)),
        revision: Revision::V2025_11_25,
        checkpoints: vec![(claim(), cells.clone())],
        cells,
        wire: Wire::Same,
    }
}

fn matrix_of(rows: Vec<Row>) -> Matrix {
    let environment = |name, subject: &str| Environment { name, subject: subject.to_owned() };
    Matrix {
        environments: vec![
            environment("double", "embedded"),
            environment("socket", "loopback"),
            environment("client", "client: node client.mjs"),
        ],
        findings: findings(&rows),
        rows,
        run_again: 1,
        interrupted: true,
        elapsed: Duration::from_secs(2),
    }
}

/// A check in two cases for two profiles; it fails over the socket for one of
/// them, and the client cannot tell the other apart.
fn matrix() -> Matrix {
    let skip = || Some(cell(Verdict::Skip, Some("only the built-in client can show it")));
    matrix_of(vec![
        row("json", "first", Verdict::Pass, skip()),
        row("json", "second", Verdict::Fail, skip()),
        row("sse", "first", Verdict::Pass, None),
        row("sse", "second", Verdict::Pass, None),
    ])
}

#[test]
fn a_profile_that_is_not_told_apart_stands_with_one_that_ran() {
    let failed = Some(cell(Verdict::Fail, Some("not equal")));
    let rows =
        vec![row("json", "first", Verdict::Pass, None), row("sse", "first", Verdict::Pass, failed)];
    let text = text(&matrix_of(rows), Paint(false));
    let line = text.lines().nth(1).unwrap();
    assert_eq!(line, "client/one  pass    pass    fail    ← the client differs");
    assert!(
        text.contains("client    fail: not equal\n  case      first\n  profile   sse (2025-11-25)"),
        "{text}"
    );
}

#[test]
fn a_person_sees_check_by_environment_and_what_differs() {
    assert_eq!(
        format!("\n{}", text(&matrix(), Paint(false))),
        "
                double  socket  client
client/one
  the other 3   pass    pass    – (1)
  json[second]  pass    fail    – (1)   ← double and socket differ

– (1) only the built-in client can show it

what differs

client/one#a
  The call comes after the handshake
  level     MUST
  double    pass
  socket    fail
  client    –: only the built-in client can show it
  case      second
  profile   json (2025-11-25)

double  4 ran, all held  embedded
socket  4 ran, 1 failed  loopback
client  0 ran, 2 skipped  client: node client.mjs
1 execution differed at first and ran again over the socket, where a busy machine may be late
1 check in 3 environments: double and socket differ in 1 execution; the client has nothing to say
Interrupted: not everything ran.
in 2 s
"
    );
}

#[test]
fn colours_change_nothing_else() {
    let mut pieces = vec![];
    let coloured = text(&matrix(), Paint(true));
    for (index, piece) in coloured.split("\x1b[").enumerate() {
        let end = if index == 0 { 0 } else { piece.find('m').map_or(0, |end| end + 1) };
        pieces.push(&piece[end..]);
    }
    assert!(pieces.len() > 1, "there are some");
    assert_eq!(pieces.concat(), text(&matrix(), Paint(false)));
}

#[test]
fn a_program_reads_the_same() {
    let text = json(&matrix(), false);
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["format"], FORMAT);
    assert_eq!(document["summary"]["failures"], 1);
    assert_eq!(document["environments"][1]["failed"], 1);
    let verdicts = |index: usize| document["executions"][index]["verdicts"].clone();
    assert_eq!(verdicts(1), json!({ "double": "pass", "socket": "fail", "client": "skip" }));
    assert_eq!(verdicts(2), json!({ "double": "pass", "socket": "pass", "client": null }));
    assert_eq!(document["findings"][0]["case"], "second");
    assert_eq!(document["findings"][0]["fails"], true);
}
