//! One execution: one check, one profile, one case, on one subject. The entry
//! is [`execute`].

mod acting;
mod alone;
mod context;
mod executed;
mod far_side;
mod functions;
mod judging;
mod stage;
mod wire_schema;

pub use self::alone::{Alone, Driven, drive_alone};
pub use self::context::{CONTEXT_VARIABLE, SCENARIO_VARIABLE, VERSION_VARIABLE};
pub use self::executed::Executed;
pub use self::functions::require_functions;
pub use self::judging::all_checkpoints;

use std::sync::Arc;
use std::time::Instant;

use tokio::runtime::Runtime;

use self::stage::{Stage, new_runtime};
use super::engine::Engine;
use super::event::Trouble;
use super::subject::{Settings, is_in_memory};
use crate::check::{Check, CheckKind};
use crate::profile::Profile;
use crate::script::Script;
use crate::script::fault::{Fault, Passed};
use crate::wire::Wire;
use crate::wire::intake::Counted;

/// What is executed: a check, and its script, for a profile and a case.
#[derive(Clone, Copy)]
pub struct Piece<'a> {
    /// The check.
    pub check: &'a Check,
    /// Its script.
    pub script: &'a Script,
    /// The profile.
    pub profile: &'a Profile,
    /// The case, if the check has cases.
    pub case: Option<&'a str>,
}

/// Runs a check once.
pub fn execute(engine: &Engine, piece: Piece<'_>, settings: &Settings) -> Executed {
    on_stage(engine, piece, settings, |stage| match piece.check.kind {
        CheckKind::Server => stage.server_check(),
        CheckKind::Client | CheckKind::Host => stage.client_check(),
    })
}

/// What playing a fault over an execution without it shows.
pub enum Played {
    /// It changes nothing: under it everything would be the same.
    Nothing,
    /// It changes nothing but what is seen, of which this is the judgement.
    Seen(Box<Executed>),
    /// It changes what happens, or may: that takes an execution.
    Something,
}

/// Plays the fault in force over what an earlier execution of the same kept, which
/// was without it.
pub fn play(engine: &Engine, piece: Piece<'_>, settings: &Settings, earlier: &Executed) -> Played {
    let (Some(kept), Some((of, script)), None) = (&earlier.kept, &engine.fault, &earlier.trouble)
    else {
        return Played::Something;
    };
    let has = |name| script.parameters(name).is_some();
    if has("request") || has("response") {
        let limits = engine.scripts.limits();
        limits.set_deadline(Some(Instant::now() + settings.timeout));
        limits.measure();
        let fault = Fault::new(of.clone(), script, engine.scripts.handlers(script));
        if fault.would_change(&kept.passed) {
            return Played::Something;
        }
    }
    if !has("seen") {
        return Played::Nothing;
    }
    let mut judged = None;
    on_stage_of(kept.runtime.clone(), engine, piece, settings, |stage| {
        judged = stage.judge_anew(kept, earlier);
        Executed::default()
    });
    judged.map_or(Played::Nothing, |executed| Played::Seen(Box::new(executed)))
}

/// Sets the stage of one execution and lets `play` play on it.
fn on_stage(
    engine: &Engine,
    piece: Piece<'_>,
    settings: &Settings,
    play: impl FnOnce(&Stage<'_>) -> Executed,
) -> Executed {
    match new_runtime(is_in_memory(piece.check.kind, &settings.subject)) {
        Ok(runtime) => on_stage_of(Arc::new(runtime), engine, piece, settings, play),
        Err(error) => {
            let trouble =
                Trouble::Subject(Arc::new(miette::miette!("no runtime could be started: {error}")));
            Executed { trouble: Some(trouble), ..Executed::default() }
        }
    }
}

/// The same on a runtime that is there.
fn on_stage_of(
    runtime: Arc<Runtime>,
    engine: &Engine,
    piece: Piece<'_>,
    settings: &Settings,
    play: impl FnOnce(&Stage<'_>) -> Executed,
) -> Executed {
    let Piece { check, script, profile, case } = piece;
    let deadline = Instant::now() + settings.timeout;
    engine.scripts.limits().set_deadline(Some(deadline));
    let on_paused_clock = is_in_memory(check.kind, &settings.subject);
    // The recorder's clock is that of the runtime.
    let entered = runtime.clone();
    let _entered = entered.enter();
    let stage = Stage {
        engine,
        check,
        script,
        profile,
        case,
        settings,
        fault: engine.fault.as_ref().map(|(of, script)| {
            let handlers = engine.scripts.handlers(script);
            Arc::new(Fault::new(of.clone(), script, handlers))
        }),
        passed: Passed::default(),
        handlers: engine.scripts.handlers(script),
        wire: Wire::new(settings.scale).bounded(match check.kind {
            CheckKind::Server => Counted::Responses,
            CheckKind::Client | CheckKind::Host => Counted::Requests,
        }),
        runtime,
        on_paused_clock,
        deadline,
    };
    let log = engine.scripts.begin_log(script);
    let mut executed = play(&stage);
    executed.log = log.take();
    executed
}
