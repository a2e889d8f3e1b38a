//! Trials: one check, executed once, without a fault or under one, or the fault
//! played over the execution without it. [`run`] makes all that one check needs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::check::discovery::{Support, SupportScript};
use crate::check::header::{FaultHeader, parse_fault};
use crate::check::{Check, CheckKind, Level, Side, SourceText, Verdict, WIRE_SCHEMA};
use crate::runner::engine::Engine;
use crate::runner::event::Trouble;
use crate::runner::execution::{self, Executed, Piece, Played};
use crate::runner::plan::{Job, Run};
use crate::runner::subject::Settings;
use crate::runner::worker::panicked;
use crate::script::fault::FaultScript;

/// Which faults are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Those that change something, as playing them shows.
    Played,
    /// All of them, and what comes of it is held against what playing shows.
    Exhaustive,
}

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

/// One check under one fault, or without one.
pub struct Trial {
    /// The fault in force, by its place among all faults; `None` without one.
    pub fault: Option<usize>,
    /// Where it ran: places in the job's runs and in that run's cases.
    pub place: (usize, usize),
    /// Verdicts, by the place of the checkpoint in the header.
    pub verdicts: Arc<[(usize, Verdict)]>,
    /// The verdict on `wire-schema`; `None` if it was not decided.
    pub wire_schema: Option<Verdict>,
    /// Whether the fault changed something.
    pub fired: bool,
    /// Why there are no ordinary verdicts, if it is not the fault's own error.
    pub trouble: Option<Trouble>,
    /// The fault's own error.
    pub broken_fault: Option<Arc<miette::Report>>,
    /// Whether it was executed; if not, playing the fault over the execution
    /// without it showed that nothing would be another.
    pub executed: bool,
    /// Whether an execution came to something else than playing had shown.
    pub contradicts: bool,
}

impl Trial {
    /// A trial of which nothing is known yet.
    fn new(fault: Option<usize>, place: (usize, usize)) -> Self {
        Trial {
            fault,
            place,
            verdicts: Arc::default(),
            wire_schema: None,
            fired: false,
            trouble: None,
            broken_fault: None,
            executed: true,
            contradicts: false,
        }
    }

    /// Takes over what `piece` came to.
    fn take(&mut self, piece: Piece<'_>, executed: &Executed) {
        let (header, profile) = (&piece.check.header, piece.profile);
        let claimed = (0..header.checkpoints.len())
            .filter(|place| header.checkpoints[*place].applies_to(profile.revision));
        let verdicts = executed.checkpoints.iter().map(|result| result.verdict);
        self.verdicts = claimed.zip(verdicts).collect();
        let last = executed.checkpoints.last();
        self.wire_schema =
            last.filter(|one| one.checkpoint.id == WIRE_SCHEMA).map(|result| result.verdict);
        self.trouble.clone_from(&executed.trouble);
    }

    /// Takes over what came of the same without a fault.
    fn take_from(&mut self, without: &Trial) {
        self.verdicts = without.verdicts.clone();
        self.wire_schema = without.wire_schema;
        self.trouble.clone_from(&without.trouble);
    }

    fn came_to_the_same_as(&self, other: &Trial) -> bool {
        self.verdicts == other.verdicts
            && self.wire_schema == other.wire_schema
            && self.trouble.is_some() == other.trouble.is_some()
            && self.fired == other.fired
    }
}

/// Everything that was tried with one check.
pub enum JobTrials {
    /// The check, or the engine, cannot be used.
    Broken(Arc<miette::Report>),
    /// The trials, in order.
    Tried(Vec<Trial>),
}

impl JobTrials {
    /// How many trials there are.
    pub fn count(&self) -> usize {
        match self {
            JobTrials::Broken(_) => 0,
            JobTrials::Tried(trials) => trials.len(),
        }
    }
}

/// How many trials a job takes.
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
    effort: Effort,
}

impl<'a> Bench<'a> {
    /// Compiles the support scripts and every fault.
    pub fn new(
        support: &Support,
        faults: &'a [KnownFault],
        settings: &'a Settings,
        effort: Effort,
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
        Ok(Bench { engine, faults, with_fault, settings, effort })
    }

    /// Tries `piece`, which stands at `place` in its job, without a fault. What it
    /// came to is kept for those under a fault; nothing is if it panicked.
    fn without(&self, piece: Piece<'_>, place: (usize, usize)) -> (Trial, Option<Executed>) {
        let mut trial = Trial::new(None, place);
        let execute = || execution::execute(&self.engine, piece, self.settings);
        let executed = trial.guarded(execute);
        if let Some(executed) = &executed {
            trial.take(piece, executed);
        }
        (trial, executed)
    }

    /// Tries it under a fault, after it was tried without.
    fn under(
        &self,
        fault: usize,
        piece: Piece<'_>,
        (without, earlier): (&Trial, Option<&Executed>),
    ) -> Trial {
        let mut trial = Trial::new(Some(fault), without.place);
        let (of, engine) = match &self.with_fault[fault] {
            Ok(in_force) => in_force,
            Err(report) => {
                trial.broken_fault = Some(report.clone());
                return trial;
            }
        };
        let settings = self.settings;
        let play = |trial: &mut Trial| {
            let fired_before = of.times_fired();
            let play = |earlier| execution::play(engine, piece, settings, earlier);
            let played = trial.guarded(|| earlier.map_or(Played::Something, play));
            trial.fired = of.times_fired() > fired_before;
            trial.broken_fault = of.broken();
            match played? {
                Played::Nothing => {
                    trial.take_from(without);
                    trial.executed = false;
                }
                Played::Seen(executed) => trial.take(piece, &executed),
                Played::Something => return None,
            }
            Some(())
        };
        let is_known = play(&mut trial).is_some();
        if is_known && self.effort == Effort::Played {
            return trial;
        }
        let fired_before = of.times_fired();
        let mut executed = Trial::new(Some(fault), without.place);
        if let Some(all) = executed.guarded(|| execution::execute(engine, piece, settings)) {
            executed.take(piece, &all);
        }
        executed.fired = of.times_fired() > fired_before;
        executed.broken_fault = of.broken();
        executed.contradicts = is_known && !executed.came_to_the_same_as(&trial);
        executed
    }
}

impl Trial {
    /// Runs something for this trial; a panic in it is its trouble.
    fn guarded<T>(&mut self, run: impl FnOnce() -> T) -> Option<T> {
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(done) => Some(done),
            Err(panic) => {
                self.trouble = Some(Trouble::Broken(Arc::new(panicked(&*panic))));
                None
            }
        }
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
    let is_cancelled = || bench.settings.interrupt.is_cancelled();
    for (at_run, run) in job.runs.iter().enumerate().filter(|(_, run)| run.skipped.is_none()) {
        let in_force = bench.faults.iter().enumerate();
        let in_force = in_force.filter(|(_, fault)| fault.is_for(check, run));
        let faults: Vec<usize> = in_force.map(|(at, _)| at).collect();
        for (at_case, case) in run.cases.iter().enumerate() {
            let (profile, place) = (run.profile, (at_run, at_case));
            let piece = Piece { check, script: &script, profile, case: *case };
            if is_cancelled() {
                return JobTrials::Tried(trials);
            }
            let (without, earlier) = bench.without(piece, place);
            let at = trials.len();
            trials.push(without);
            for fault in &faults {
                if is_cancelled() {
                    return JobTrials::Tried(trials);
                }
                let trial = bench.under(*fault, piece, (&trials[at], earlier.as_ref()));
                trials.push(trial);
            }
        }
    }
    JobTrials::Tried(trials)
}
