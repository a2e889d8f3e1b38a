//! Trials: one check, executed once, without a fault or under one. [`run`]
//! makes all that one check needs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::check::discovery::{Support, SupportScript};
use crate::check::header::{FaultHeader, parse_fault};
use crate::check::{Check, CheckKind, Level, Side, SourceText, Verdict, WIRE_SCHEMA};
use crate::runner::event::Trouble;
use crate::runner::execution::{self, Executed, Piece};
use crate::runner::plan::{Job, Run};
use crate::runner::subject::Settings;
use crate::runner::worker::{Engine, panicked};
use crate::script::fault::FaultScript;

/// A fault and what it says of itself.
pub struct KnownFault {
    pub name: String,
    pub source: SourceText,
    pub header: Result<FaultHeader, Arc<miette::Report>>,
}

impl KnownFault {
    pub fn read(script: &SupportScript) -> Self {
        let header = parse_fault(&script.source).map_err(|error| Arc::new(error.into()));
        KnownFault { name: script.name.clone(), source: script.source.clone(), header }
    }

    /// Whether the fault is in force in a run of `check`. A check without a
    /// MUST has nothing to prove there.
    fn is_for(&self, check: &Check, run: &Run<'_>) -> bool {
        let claims = &mut check.header.checkpoints_at(run.profile.revision);
        claims.any(|claim| claim.level == Level::Must)
            && self.header.as_ref().is_ok_and(|header| {
                header.side == side(check.kind) && header.revisions.contains(&run.profile.revision)
            })
    }
}

/// Who is under test in a check.
pub fn side(kind: CheckKind) -> Side {
    match kind {
        CheckKind::Client => Side::Client,
        CheckKind::Server => Side::Server,
        CheckKind::Host => Side::Host,
    }
}

/// One execution.
pub struct Trial {
    /// The fault in force, by its place among all faults; `None` without one.
    pub fault: Option<usize>,
    /// Where it ran: places in the job's runs and in that run's cases.
    pub place: (usize, usize),
    /// Verdicts, by the place of the checkpoint in the header.
    pub verdicts: Vec<(usize, Verdict)>,
    /// The verdict on `wire-schema`; `None` if it was not decided.
    pub wire_schema: Option<Verdict>,
    /// Whether the fault changed something.
    pub fired: bool,
    /// Why there are no ordinary verdicts, if it is not the fault's own error.
    pub trouble: Option<Trouble>,
    /// The fault's own error.
    pub broken_fault: Option<Arc<miette::Report>>,
}

/// Everything that was tried with one check.
pub enum JobTrials {
    /// The check, or the engine, cannot be used.
    Broken(Arc<miette::Report>),
    /// The executions, in order.
    Tried(Vec<Trial>),
}

impl JobTrials {
    pub fn executions(&self) -> usize {
        match self {
            JobTrials::Broken(_) => 0,
            JobTrials::Tried(trials) => trials.len(),
        }
    }
}

/// How many executions a job takes.
pub fn count(job: &Job<'_>, faults: &[KnownFault]) -> usize {
    let Ok(check) = job.check else { return 0 };
    let runs = job.runs.iter().filter(|run| run.skipped.is_none());
    runs.map(|run| {
        let in_force = faults.iter().filter(|fault| fault.is_for(check, run)).count();
        run.cases.len() * (1 + in_force)
    })
    .sum()
}

/// A fault, and the engine with it in force.
type InForce = (Arc<FaultScript>, Engine);

/// One worker's engine, and the same with each of the faults in force.
pub struct Bench<'a> {
    engine: Engine,
    faults: &'a [KnownFault],
    with_fault: Vec<Result<InForce, Arc<miette::Report>>>,
    settings: &'a Settings,
}

impl<'a> Bench<'a> {
    /// Compiles the support scripts and every fault.
    pub fn new(
        support: &Support,
        faults: &'a [KnownFault],
        settings: &'a Settings,
    ) -> Result<Self, Arc<miette::Report>> {
        let engine = Engine::new(support, settings).map_err(|error| Arc::new(error.into()))?;
        let with_fault = faults
            .iter()
            .map(|fault| {
                fault.header.as_ref().map_err(Arc::clone)?;
                let script = Arc::new(FaultScript::new(fault.name.clone(), fault.source.clone()));
                let engine = engine.with_fault(script.clone());
                engine.map(|engine| (script, engine)).map_err(|error| Arc::new(error.into()))
            })
            .collect();
        Ok(Bench { engine, faults, with_fault, settings })
    }

    /// Executes `piece`, which stands at `place` in its job, under a fault or
    /// without one. What it came to without one is kept in `without`, for those
    /// under a fault.
    fn trial(
        &self,
        piece: Piece<'_>,
        place: (usize, usize),
        fault: Option<usize>,
        without: &mut Option<Executed>,
    ) -> Trial {
        let mut trial = Trial {
            fault,
            place,
            verdicts: Vec::new(),
            wire_schema: None,
            fired: false,
            trouble: None,
            broken_fault: None,
        };
        let (engine, of) = match fault.and_then(|fault| self.with_fault.get(fault)) {
            None => (&self.engine, None),
            Some(Ok((of, engine))) => (engine, Some(of)),
            Some(Err(report)) => {
                trial.broken_fault = Some(report.clone());
                return trial;
            }
        };
        let fired_before = of.map_or(0, |of| of.times_fired());
        let settings = self.settings;
        let executed = catch_unwind(AssertUnwindSafe(|| {
            // Nothing else happens under a fault that only changes what is seen.
            let earlier = without.as_ref().filter(|_| engine.fault_is_only_seen());
            let judged =
                earlier.and_then(|earlier| execution::judge_anew(engine, piece, settings, earlier));
            judged.unwrap_or_else(|| execution::execute(engine, piece, settings))
        }));
        trial.fired = of.is_some_and(|of| of.times_fired() > fired_before);
        trial.broken_fault = of.and_then(|of| of.broken());
        match executed {
            Ok(executed) => {
                let (header, profile) = (&piece.check.header, piece.profile);
                let claimed = (0..header.checkpoints.len())
                    .filter(|place| header.checkpoints[*place].applies_to(profile.revision));
                let verdicts = executed.checkpoints.iter().map(|result| result.verdict);
                trial.verdicts = claimed.zip(verdicts).collect();
                let last = executed.checkpoints.last();
                trial.wire_schema = last
                    .filter(|result| result.checkpoint.id == WIRE_SCHEMA)
                    .map(|result| result.verdict);
                trial.trouble = executed.trouble.clone();
                if fault.is_none() {
                    *without = Some(executed);
                }
            }
            Err(panic) => trial.trouble = Some(Trouble::Broken(Arc::new(panicked(&*panic)))),
        }
        trial
    }
}

/// Executes one check in every way.
pub fn run(bench: &Result<Arc<Bench<'_>>, Arc<miette::Report>>, job: &Job<'_>) -> JobTrials {
    match (bench, job.check) {
        (_, Err(broken)) => JobTrials::Broken(broken.problem.clone()),
        (Err(report), _) => JobTrials::Broken(report.clone()),
        (Ok(bench), Ok(check)) => run_check(bench, check, job),
    }
}

fn run_check(bench: &Bench<'_>, check: &Check, job: &Job<'_>) -> JobTrials {
    let mut trials = Vec::new();
    if job.runs.iter().all(|run| run.skipped.is_some()) {
        return JobTrials::Tried(trials);
    }
    let script = match bench.engine.compile(check) {
        Ok(script) => script,
        Err(report) => return JobTrials::Broken(report),
    };
    for (at_run, run) in job.runs.iter().enumerate().filter(|(_, run)| run.skipped.is_none()) {
        let in_force = bench.faults.iter().enumerate();
        let faults: Vec<Option<usize>> = std::iter::once(None)
            .chain(in_force.filter(|(_, fault)| fault.is_for(check, run)).map(|(at, _)| Some(at)))
            .collect();
        for (at_case, case) in run.cases.iter().enumerate() {
            let (profile, place) = (run.profile, (at_run, at_case));
            let piece = Piece { check, script: &script, profile, case: *case };
            let mut without = None;
            for fault in &faults {
                if bench.settings.interrupt.is_cancelled() {
                    return JobTrials::Tried(trials);
                }
                trials.push(bench.trial(piece, place, *fault, &mut without));
            }
        }
    }
    JobTrials::Tried(trials)
}
