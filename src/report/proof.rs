//! A finished proof, for a person ([`text`]) and for programs ([`json()`]).
//!
//! ```json
//! {"format": "mcp-checks-proof/1",
//!  "summary": {"holds": false, "interrupted": false, "claims": 240, "proven": 238,
//!     "survived": 1, "does_not_hold": 0, "not_run": 1, "faults": 63,
//!     "executions": 17220, "played": 51660, "elapsed_ms": 2100},
//!  "claims": [
//!    {"check": "client/tool-call-basic", "checkpoint": "handshake",
//!     "revisions": ["2025-03-26"], "task": false, "builtin": false, "sentence": "…",
//!     "standing": "proven", "killed_by": ["leaves-out-initialized"]}],
//!  "faults": [
//!    {"name": "leaves-out-initialized", "description": "…", "side": "client",
//!     "changes": "behaviour", "revisions": ["2025-03-26"], "executions": 300,
//!     "played": 20, "fired": 290, "kills": 12,
//!     "reach": 200, "weaker": 0, "counts": true}],
//!  "findings": [
//!    {"kind": "survivor", "severity": "error", "message": "…", "help": "…",
//!     "check": "…", "checkpoint": "…", "fault": null,
//!     "place": {"file": "…", "line": 9, "column": 5}}]}
//! ```
//!
//! - Keys stand in this order. A reader should pass over keys that it does not
//!   know.
//! - A claim's `revisions` are empty if it is made at all revisions of its check.
//!   `standing` is `proven`, `survived`, `does not hold` or `not run`.
//! - `played` is how often playing a fault over the messages without it showed that it
//!   changes nothing, so that it was not executed.
//! - `changes` of a fault is `behaviour`, what is done, or `seen`, what the judge is
//!   shown alone.
//! - `kind` is one of [`FindingKind::as_str`](crate::runner::prove::FindingKind::as_str).

use std::fmt::Write;

use miette::{GraphicalReportHandler, GraphicalTheme};
use serde_json::{Value, json};

use super::describe::without_credentials;
use crate::check::{Effect, Side};
use crate::mcp::Revision;
use crate::runner::prove::{FaultResult, Finding, Proof, Standing};
use crate::wire::redact::Redactor;

/// The version of the document's shape; it changes when a key changes its
/// meaning or goes away, not when one is added.
pub const FORMAT: &str = "mcp-checks-proof/1";

/// The proof for a person: what is wrong, at its places; then every fault with
/// what it kills, if `every_fault` is wished; then the counts. `theme` says
/// whether diagnostics are in colour, `width` how wide they may be; credentials
/// are taken out by `redactor`.
pub fn text(
    proof: &Proof,
    redactor: &Redactor,
    theme: GraphicalTheme,
    width: usize,
    every_fault: bool,
) -> String {
    let mut text = String::new();
    let handler = GraphicalReportHandler::new_themed(theme).with_width(width);
    for finding in &proof.findings {
        text.push_str(&without_credentials(handler.clone(), finding, redactor));
        text.push('\n');
    }
    if every_fault {
        write_faults(&proof.faults, &mut text);
        text.push('\n');
    }
    text.push_str(&summary(proof));
    text
}

fn write_faults(faults: &[FaultResult], text: &mut String) {
    let name = faults.iter().map(|fault| fault.name.len()).max().unwrap_or(0).max("fault".len());
    let _ = writeln!(
        text,
        "{:name$}  {:6}  {:9}  {:>11}  {:>12}  {:>6}",
        "fault", "side", "changes", "fired", "kills", "weaker"
    );
    for fault in faults {
        let fired = format!("{}/{}", fault.fired, fault.executions + fault.played);
        let kills = format!("{}/{}", fault.kills, fault.reach);
        let _ = writeln!(
            text,
            "{:name$}  {:6}  {:9}  {fired:>11}  {kills:>12}  {:>6}{}",
            fault.name,
            fault.side.as_str(),
            fault.effect.as_str(),
            fault.weaker,
            if fault.counts { "" } else { "  does not count" }
        );
    }
}

/// The counts in a few lines.
fn summary(proof: &Proof) -> String {
    let mut text = String::new();
    let counted = proof.faults.iter().filter(|fault| fault.counts).count();
    let _ = writeln!(
        text,
        "{} of {} MUST checkpoints proven by {counted} faults: {} survived, {} did not hold to \
         begin with, {} did not run.",
        proof.count(Standing::Proven),
        proof.claims.len(),
        proof.count(Standing::Survived),
        proof.count(Standing::DoesNotHold),
        proof.count(Standing::NotRun),
    );
    let of_host = |effect| {
        let of = |fault: &&FaultResult| fault.side == Side::Host && fault.effect == effect;
        proof.faults.iter().filter(of).count()
    };
    let (behaviour, seen) = (of_host(Effect::Behaviour), of_host(Effect::Seen));
    if behaviour + seen > 0 {
        let _ = writeln!(
            text,
            "Faults of the host: {behaviour} change what it does, {seen} only what the judge is \
             shown of it."
        );
    }
    let seconds = proof.elapsed.as_secs_f64();
    let _ = write!(text, "{} executions in {seconds:.1} s", proof.executions);
    let _ = match proof.played {
        0 => writeln!(text, "."),
        played => writeln!(text, "; {played} more would have changed nothing."),
    };
    if proof.interrupted {
        text.push_str("Interrupted: nothing is proven.\n");
    }
    text
}

/// The proof for programs, in which strings are redacted by `redactor`.
pub fn json(proof: &Proof, redactor: &Redactor) -> Value {
    let claims: Vec<Value> = proof
        .claims
        .iter()
        .map(|claim| {
            json!({
                "check": claim.check,
                "checkpoint": claim.checkpoint.id,
                "revisions": revisions(&claim.checkpoint.revisions),
                "about": claim.checkpoint.about.as_str(),
                "builtin": claim.checkpoint.builtin,
                "sentence": claim.checkpoint.sentence,
                "standing": claim.standing.as_str(),
                "killed_by": claim.killed_by,
            })
        })
        .collect();
    let faults: Vec<Value> = proof
        .faults
        .iter()
        .map(|fault| {
            json!({
                "name": fault.name,
                "description": fault.description,
                "side": fault.side.as_str(),
                "changes": fault.effect.as_str(),
                "revisions": revisions(&fault.revisions),
                "executions": fault.executions,
                "played": fault.played,
                "fired": fault.fired,
                "kills": fault.kills,
                "reach": fault.reach,
                "weaker": fault.weaker,
                "counts": fault.counts,
            })
        })
        .collect();
    let elapsed = u64::try_from(proof.elapsed.as_millis()).unwrap_or(u64::MAX);
    redactor.value(&json!({
        "format": FORMAT,
        "summary": {
            "holds": proof.holds(),
            "interrupted": proof.interrupted,
            "claims": proof.claims.len(),
            "proven": proof.count(Standing::Proven),
            "survived": proof.count(Standing::Survived),
            "does_not_hold": proof.count(Standing::DoesNotHold),
            "not_run": proof.count(Standing::NotRun),
            "faults": proof.faults.len(),
            "executions": proof.executions,
            "played": proof.played,
            "elapsed_ms": elapsed,
        },
        "claims": claims,
        "faults": faults,
        "findings": proof.findings.iter().map(finding).collect::<Vec<_>>(),
    }))
}

fn revisions(revisions: &[Revision]) -> Vec<&'static str> {
    revisions.iter().map(|revision| revision.as_str()).collect()
}

fn finding(finding: &Finding) -> Value {
    let place = finding.place.as_ref().map(|(place, _)| {
        let (line, column) = place.line_and_column();
        json!({ "file": place.source.name(), "line": line, "column": column })
    });
    json!({
        "kind": finding.kind.as_str(),
        "severity": if finding.kind.is_error() { "error" } else { "warning" },
        "message": finding.message,
        "help": finding.help,
        "check": finding.check,
        "checkpoint": finding.checkpoint,
        "fault": finding.fault,
        "cause": finding.cause.as_ref().map(|report| report.to_string()),
        "place": place,
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::check::{About, Checkpoint, Level};
    use crate::runner::prove::{Claim, FindingKind};

    fn proof() -> Proof {
        let checkpoint = Checkpoint {
            id: "handshake".to_owned(),
            level: Level::Must,
            about: About::Protocol,
            builtin: false,
            sent: false,
            spec_level: None,
            revisions: Vec::new(),
            sentence: "The handshake comes first".to_owned(),
        };
        Proof {
            claims: vec![Claim {
                check: "client/a".to_owned(),
                checkpoint,
                standing: Standing::Survived,
                killed_by: Vec::new(),
            }],
            faults: vec![FaultResult {
                name: "does-it".to_owned(),
                description: "Does it.".to_owned(),
                side: Side::Host,
                effect: Effect::Seen,
                revisions: vec![Revision::V2025_11_25],
                executions: 3,
                played: 1,
                fired: 2,
                kills: 3,
                reach: 10,
                weaker: 1,
                counts: false,
            }],
            findings: vec![Finding {
                kind: FindingKind::Survivor,
                check: Some("client/a".to_owned()),
                checkpoint: Some("handshake".to_owned()),
                fault: None,
                message: "no fault turns it red".to_owned(),
                help: "write one".to_owned(),
                place: None,
                cause: None,
            }],
            executions: 4,
            played: 1,
            interrupted: false,
            elapsed: Duration::from_millis(1500),
        }
    }

    #[test]
    fn a_person_reads_findings_faults_and_counts() {
        let text =
            text(&proof(), &Redactor::default(), GraphicalTheme::unicode_nocolor(), 100, true);
        for expected in [
            "prove::survivor",
            "× no fault turns it red",
            "help: write one",
            "does-it  host    seen               2/4          3/10       1  does not count",
            "Faults of the host: 0 change what it does, 1 only what the judge is shown of it.",
            "0 of 1 MUST checkpoints proven by 0 faults: 1 survived",
            "4 executions in 1.5 s; 1 more would have changed nothing.",
        ] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
    }

    #[test]
    fn a_program_reads_the_same() {
        let json = json(&proof(), &Redactor::default());
        assert_eq!(json["summary"]["holds"], false);
        assert_eq!(json["summary"]["survived"], 1);
        assert_eq!(json["claims"][0]["standing"], "survived");
        assert_eq!(json["faults"][0]["reach"], 10);
        assert_eq!(json["faults"][0]["changes"], "seen");
        assert_eq!(json["findings"][0]["severity"], "error");
        assert_eq!(json["findings"][0]["place"], Value::Null);
    }
}
