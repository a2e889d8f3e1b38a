//! The rules of a proof: [`tally`] makes it out of trials.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::finding::{Finding, FindingKind};
use super::messages::{
    about_fault, breaks_under_fault, broken_check, contradicts_play, does_not_hold, survivor,
};
use super::proof::{Claim, FaultResult, Proof, Standing};
use super::trial::{self, JobTrials, KnownFault, Trial};
use crate::check::{BrokenCheck, Check, Checkpoint, Level, Side, Verdict, WIRE_SCHEMA};
use crate::runner::event::Trouble;
use crate::runner::plan::Job;

/// A fault that kills more than one in this many claims that it could reach
/// does not count.
const LARGE: usize = 4;

/// A claim, by its job's place in the plan and its own in the check's header.
type ClaimKey = (usize, usize);

/// What became of one fault so far.
#[derive(Default)]
struct FaultTally {
    executions: usize,
    played: usize,
    fired: usize,
    reach: BTreeSet<ClaimKey>,
    kills: BTreeSet<ClaimKey>,
    weaker: BTreeSet<ClaimKey>,
    /// Whether it made someone send what is not valid.
    sends_invalid: bool,
    broken: Option<Arc<miette::Report>>,
}

impl FaultTally {
    fn is_large(&self) -> bool {
        self.kills.len() * LARGE > self.reach.len()
    }

    fn counts(&self) -> bool {
        self.broken.is_none() && !self.is_large()
    }
}

/// Makes a proof of what was tried with each job; a job that is missing was
/// never begun.
pub fn tally(jobs: &[Job<'_>], tried: BTreeMap<usize, JobTrials>, faults: &[KnownFault]) -> Proof {
    let mut proof = Proof::default();
    let mut tallies: Vec<FaultTally> = faults.iter().map(|_| FaultTally::default()).collect();
    for (fault, tally) in faults.iter().zip(&mut tallies) {
        tally.broken = fault.header.as_ref().err().cloned();
    }
    for (at, trials) in &tried {
        let Some(job) = jobs.get(*at) else { continue };
        if let JobTrials::Tried(trials) = trials {
            let executed = trials.iter().filter(|trial| trial.executed).count();
            proof.executions += executed;
            proof.played += trials.len() - executed;
        }
        match (job.check, trials) {
            (Ok(check), JobTrials::Tried(trials)) => {
                count_trials(*at, check, trials, faults, &mut tallies, &mut proof);
            }
            (Ok(check), JobTrials::Broken(report)) => {
                proof.findings.push(broken_check(&check.id, report.clone()));
            }
            (Err(BrokenCheck { id, problem }), _) => {
                proof.findings.push(broken_check(id, problem.clone()));
            }
        }
    }
    for (at, job) in jobs.iter().enumerate() {
        if let Ok(check) = job.check {
            let trials = match tried.get(&at) {
                Some(JobTrials::Tried(trials)) => trials.as_slice(),
                _ => &[],
            };
            add_claims(at, check, trials, faults, &tallies, &mut proof);
        }
    }
    for side in [Side::Client, Side::Server, Side::Host] {
        add_wire_schema(side, jobs, &tried, faults, &tallies, &mut proof);
    }
    for (fault, tally) in faults.iter().zip(&tallies) {
        add_fault(fault, tally, &mut proof);
    }
    // Stable: what is of one kind stays in the order in which it was found.
    proof.findings.sort_by_key(|finding| finding.kind);
    proof
}

/// The verdicts without a fault, by place.
fn baseline(trials: &[Trial]) -> BTreeMap<(usize, usize), &Trial> {
    let without = trials.iter().filter(|trial| trial.fault.is_none());
    without.map(|trial| (trial.place, trial)).collect()
}

/// Whether a claim with this verdict could be turned red.
fn is_unharmed(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Pass | Verdict::Skip)
}

fn count_trials(
    at: usize,
    check: &Check,
    trials: &[Trial],
    faults: &[KnownFault],
    tallies: &mut [FaultTally],
    proof: &mut Proof,
) {
    let baseline = baseline(trials);
    let (mut broke, mut contradicted) = (BTreeSet::new(), BTreeSet::new());
    for trial in trials {
        let Some(number) = trial.fault else { continue };
        let (Some(tally), Some(fault)) = (tallies.get_mut(number), faults.get(number)) else {
            continue;
        };
        tally.executions += usize::from(trial.executed);
        tally.played += usize::from(!trial.executed);
        tally.fired += usize::from(trial.fired);
        if let Some(report) = &trial.broken_fault {
            tally.broken.get_or_insert_with(|| report.clone());
            continue;
        }
        let Some(without) = baseline.get(&trial.place) else { continue };
        let is_must = |place: usize| check.header.checkpoints[place].level == Level::Must;
        for (place, _) in without.verdicts.iter().filter(|(place, _)| is_must(*place)) {
            tally.reach.insert((at, *place));
        }
        let was_valid = without.wire_schema.is_some_and(is_unharmed);
        tally.sends_invalid |= was_valid && trial.wire_schema == Some(Verdict::Fail);
        let before: BTreeMap<usize, Verdict> = without.verdicts.iter().copied().collect();
        for (place, verdict) in trial.verdicts.iter() {
            if !before.get(place).copied().is_some_and(is_unharmed) {
                continue;
            }
            match verdict {
                // A claim that something is sent fails by nothing being sent.
                Verdict::NotExercised if check.header.checkpoints[*place].sent => {
                    match check.header.checkpoints[*place].level {
                        Level::Must => tally.kills.insert((at, *place)),
                        _ => tally.weaker.insert((at, *place)),
                    }
                }
                Verdict::Fail => tally.kills.insert((at, *place)),
                Verdict::Warn | Verdict::Note => tally.weaker.insert((at, *place)),
                _ => false,
            };
        }
        if trial.contradicts && contradicted.insert(number) {
            proof.findings.push(contradicts_play(check, fault));
        }
        // Once for each fault is enough.
        if let Some(Trouble::Broken(report)) = &trial.trouble
            && without.trouble.is_none()
            && broke.insert(number)
        {
            proof.findings.push(breaks_under_fault(check, fault, report.clone()));
        }
    }
}

fn add_claims(
    at: usize,
    check: &Check,
    trials: &[Trial],
    faults: &[KnownFault],
    tallies: &[FaultTally],
    proof: &mut Proof,
) {
    let baseline = baseline(trials);
    let broken = baseline.values().find_map(|trial| match &trial.trouble {
        Some(Trouble::Broken(report)) => Some(report.clone()),
        _ => None,
    });
    if let Some(report) = &broken {
        proof.findings.push(broken_check(&check.id, report.clone()));
    }
    for (place, checkpoint) in check.header.checkpoints.iter().enumerate() {
        if checkpoint.level != Level::Must {
            continue;
        }
        let verdicts: Vec<(&Trial, Verdict)> = baseline
            .values()
            .flat_map(|trial| trial.verdicts.iter().map(move |verdict| (*trial, *verdict)))
            .filter(|(_, (of, _))| *of == place)
            .map(|(trial, (_, verdict))| (trial, verdict))
            .collect();
        let killers = |counting: bool| -> Vec<String> {
            let all = faults.iter().zip(tallies);
            all.filter(|(_, tally)| tally.kills.contains(&(at, place)))
                .filter(|(_, tally)| tally.counts() == counting)
                .map(|(fault, _)| fault.name.clone())
                .collect()
        };
        let killed_by = killers(true);
        let red = verdicts.iter().find(|(_, verdict)| !is_unharmed(*verdict));
        let standing = match red {
            Some((trial, verdict)) => {
                if broken.is_none() {
                    proof.findings.push(does_not_hold(check, place, trial, *verdict));
                }
                Standing::DoesNotHold
            }
            None if verdicts.is_empty() => Standing::NotRun,
            None if killed_by.is_empty() => {
                let is_skipped = verdicts.iter().all(|(_, verdict)| *verdict == Verdict::Skip);
                proof.findings.push(survivor(check, place, is_skipped, &killers(false)));
                Standing::Survived
            }
            None => Standing::Proven,
        };
        let (check, checkpoint) = (check.id.clone(), checkpoint.clone());
        proof.claims.push(Claim { check, checkpoint, standing, killed_by });
    }
}

/// Adds the claim that every message of one side is valid, which all of its
/// checks share: what decides it is the same for each of them, so one fault that
/// counts shows that it can fail.
fn add_wire_schema(
    side: Side,
    jobs: &[Job<'_>],
    tried: &BTreeMap<usize, JobTrials>,
    faults: &[KnownFault],
    tallies: &[FaultTally],
    proof: &mut Proof,
) {
    let mut verdicts = Vec::new();
    for (at, trials) in tried {
        let Some(Ok(check)) = jobs.get(*at).map(|job| job.check) else { continue };
        let JobTrials::Tried(trials) = trials else { continue };
        if trial::side(check.kind) == side {
            let own = baseline(trials).into_values();
            verdicts.extend(own.filter_map(|trial| Some((check, trial.wire_schema?))));
        }
    }
    if verdicts.is_empty() {
        return;
    }
    let killers = faults.iter().zip(tallies).filter(|(fault, tally)| {
        let is_of_side = fault.header.as_ref().is_ok_and(|header| header.side == side);
        is_of_side && tally.sends_invalid && tally.counts()
    });
    let killed_by: Vec<String> = killers.map(|(fault, _)| fault.name.clone()).collect();
    let about = format!("every check of a {}", side.as_str());
    let finding = |kind, check: Option<String>, message, help: String| Finding {
        kind,
        check,
        checkpoint: Some(WIRE_SCHEMA.to_owned()),
        fault: None,
        message,
        help,
        place: None,
        cause: None,
    };
    let red: Vec<_> = verdicts.iter().filter(|(_, verdict)| *verdict == Verdict::Fail).collect();
    let standing = if let Some((check, _)) = red.first() {
        proof.findings.push(finding(
            FindingKind::DoesNotHold,
            Some(check.id.clone()),
            format!(
                "the checkpoint `{WIRE_SCHEMA}` of `{}` does not hold to begin with: fail without \
                 any fault",
                check.id
            ),
            format!("see `mcp-checks run {}`", check.id),
        ));
        Standing::DoesNotHold
    } else if killed_by.is_empty() {
        proof.findings.push(finding(
            FindingKind::Survivor,
            None,
            format!("no fault turns the checkpoint `{WIRE_SCHEMA}` of {about} red"),
            format!("write a fault of the side `{}` that sends what is not valid", side.as_str()),
        ));
        Standing::Survived
    } else {
        Standing::Proven
    };
    let checkpoint = Checkpoint::wire_schema();
    proof.claims.push(Claim { check: about, checkpoint, standing, killed_by });
}

fn add_fault(fault: &KnownFault, tally: &FaultTally, proof: &mut Proof) {
    if let Some(report) = &tally.broken {
        proof.findings.push(Finding {
            cause: Some(report.clone()),
            ..about_fault(
                FindingKind::BrokenFault,
                fault,
                format!("the fault `{}` is broken, so it proves nothing", fault.name),
                "put its script right",
            )
        });
    } else if tally.is_large() {
        let message = format!(
            "the fault `{}` kills {} of the {} claims that it could reach, so it does not count",
            fault.name,
            tally.kills.len(),
            tally.reach.len()
        );
        let help = "make it misbehave in one way only; a fault kills a quarter of them at most";
        proof.findings.push(about_fault(FindingKind::LargeFault, fault, message, help));
    } else if tally.fired == 0 {
        let message = format!("the fault `{}` never changed anything", fault.name);
        let help = "take it away, or write the check that it is meant for";
        proof.findings.push(about_fault(FindingKind::IdleFault, fault, message, help));
    } else if tally.kills.is_empty() && tally.weaker.is_empty() && !tally.sends_invalid {
        let message = format!("the fault `{}` turns no checkpoint red", fault.name);
        let help = "take it away, or write the check that it is meant for";
        proof.findings.push(about_fault(FindingKind::HarmlessFault, fault, message, help));
    }
    if let Ok(header) = &fault.header {
        proof.faults.push(FaultResult {
            name: fault.name.clone(),
            description: header.description.clone(),
            side: header.side,
            effect: header.effect,
            revisions: header.revisions.clone(),
            executions: tally.executions,
            played: tally.played,
            fired: tally.fired,
            kills: tally.kills.len(),
            reach: tally.reach.len(),
            weaker: tally.weaker.len(),
            counts: tally.counts(),
        });
    }
}
