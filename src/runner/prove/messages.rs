//! What is said of each finding of a proof.

use std::sync::Arc;

use super::finding::{Finding, FindingKind};
use super::trial::{KnownFault, Trial};
use crate::check::{Check, Place, Verdict};
use crate::runner::event::Trouble;

pub(super) fn about_fault(
    kind: FindingKind,
    fault: &KnownFault,
    message: String,
    help: &str,
) -> Finding {
    let first_line = fault.source.inner().lines().next().map_or(0, str::len);
    let place = Place { source: fault.source.clone(), span: 0..first_line };
    Finding {
        kind,
        check: None,
        checkpoint: None,
        fault: Some(fault.name.clone()),
        message,
        help: help.to_owned(),
        place: Some((place, "this fault".to_owned())),
        cause: None,
    }
}

pub(super) fn broken_check(id: &str, report: Arc<miette::Report>) -> Finding {
    Finding {
        kind: FindingKind::BrokenCheck,
        check: Some(id.to_owned()),
        checkpoint: None,
        fault: None,
        message: format!("the check `{id}` is broken, so nothing can be shown of it"),
        help: "put its script right".to_owned(),
        place: None,
        cause: Some(report),
    }
}

pub(super) fn breaks_under_fault(
    check: &Check,
    fault: &KnownFault,
    report: Arc<miette::Report>,
) -> Finding {
    Finding {
        kind: FindingKind::BreaksUnderFault,
        check: Some(check.id.clone()),
        checkpoint: None,
        fault: Some(fault.name.clone()),
        message: format!("the check `{}` breaks under the fault `{}`", check.id, fault.name),
        help: "let it decide, whatever it sees: whoever misbehaves has to fail a check, not \
               break it"
            .to_owned(),
        place: None,
        cause: Some(report),
    }
}

pub(super) fn contradicts_play(check: &Check, fault: &KnownFault) -> Finding {
    Finding {
        kind: FindingKind::ContradictsPlay,
        check: Some(check.id.clone()),
        checkpoint: None,
        fault: Some(fault.name.clone()),
        message: format!(
            "the check `{}` comes to other verdicts under the fault `{}` than playing the fault \
             over the messages without it shows",
            check.id, fault.name
        ),
        help: "this is a bug in mcp-checks; please report it together with both scripts".to_owned(),
        place: None,
        cause: None,
    }
}

fn about_claim(kind: FindingKind, check: &Check, place: usize, message: String) -> Finding {
    let span = check.header.checkpoint_spans.get(place).cloned();
    let source = check.source().ok();
    Finding {
        kind,
        check: Some(check.id.clone()),
        checkpoint: check.header.checkpoints.get(place).map(|claim| claim.id.clone()),
        fault: None,
        message,
        help: String::new(),
        place: source
            .zip(span)
            .map(|(source, span)| (Place { source, span }, "this claim".to_owned())),
        cause: None,
    }
}

pub(super) fn does_not_hold(
    check: &Check,
    place: usize,
    trial: &Trial,
    verdict: Verdict,
) -> Finding {
    let id = &check.header.checkpoints[place].id;
    let cause = match &trial.trouble {
        Some(Trouble::Broken(report) | Trouble::Subject(report)) => Some(report.clone()),
        _ => None,
    };
    let message = format!(
        "the checkpoint `{id}` of `{}` does not hold to begin with: {verdict} without any fault",
        check.id
    );
    Finding {
        help: format!("see `mcp-checks run {}`", check.id),
        cause,
        ..about_claim(FindingKind::DoesNotHold, check, place, message)
    }
}

pub(super) fn survivor(check: &Check, place: usize, is_skipped: bool, large: &[String]) -> Finding {
    let id = &check.header.checkpoints[place].id;
    let message = format!("no fault turns the checkpoint `{id}` of `{}` red", check.id);
    let help = if is_skipped {
        "it is skipped wherever the check runs: decide it, or take it away".to_owned()
    } else if large.is_empty() {
        "write a fault in `checks/_faults` that breaks it; if one should break it already, the \
         check does not look at what it claims"
            .to_owned()
    } else {
        format!(
            "only faults that kill too much do ({}): write a smaller one that breaks it alone",
            large.join(", ")
        )
    };
    Finding { help, ..about_claim(FindingKind::Survivor, check, place, message) }
}
