//! A check's `drive` by itself, against any server: [`drive_alone`]. There is no
//! `serve` and no `judge`; what serves and judges may be another program.

use std::sync::Arc;
use std::time::Instant;

use http::Uri;
use rhai::Dynamic;
use serde_json::Value;

use super::functions::require_functions;
use super::stage::{Stage, Stopped, new_runtime};
use crate::check::Check;
use crate::check::discovery::Support;
use crate::profile::Profile;
use crate::runner::engine::Engine;
use crate::runner::event::Trouble;
use crate::runner::subject::Settings;
use crate::script::fault::Passed;
use crate::script::log::Logged;
use crate::wire::Wire;
use crate::wire::intake::Counted;
use crate::wire::live::Live;

/// What is played by itself, and where.
#[derive(Clone, Copy)]
pub struct Alone<'a> {
    /// The check.
    pub check: &'a Check,
    /// The case, if the check has cases.
    pub case: Option<&'a str>,
    /// What the client accepts.
    pub profile: &'a Profile,
    /// The support scripts.
    pub support: &'a Support,
    /// How it is set up.
    pub settings: &'a Settings,
    /// The server.
    pub url: &'a Uri,
    /// What a runner told of the task; it stands over what is known without it.
    pub told: Option<&'a Value>,
}

/// What came of it.
pub struct Driven {
    /// What `drive` returned, or why it did not come to its end: the check is
    /// broken, its time was up, or the run was interrupted.
    pub returned: Result<Dynamic, Trouble>,
    /// What the script logged.
    pub log: Logged,
}

/// Lets the built-in client play a check's `drive` against a server, on the real
/// clock.
pub fn drive_alone(alone: Alone<'_>) -> Driven {
    let mut log = Logged::default();
    let returned = play(alone, &mut log);
    Driven { returned, log }
}

fn play(alone: Alone<'_>, logged: &mut Logged) -> Result<Dynamic, Trouble> {
    let Alone { check, case, profile, support, settings, url, told } = alone;
    let broken = |error: miette::Report| Trouble::Broken(Arc::new(error));
    let engine = Engine::new(support, settings).map_err(|error| broken(error.into()))?;
    let source = check.source().map_err(|error| broken(error.into()))?;
    let script = engine.scripts.compile(&source).map_err(|error| broken(error.into()))?;
    require_functions(check, &script).map_err(|error| broken(error.into()))?;
    let runtime = new_runtime(false).map_err(|error| {
        Trouble::Subject(Arc::new(miette::miette!("no runtime could be started: {error}")))
    })?;
    let runtime = Arc::new(runtime);
    let entered = runtime.clone();
    let _entered = entered.enter();
    let deadline = Instant::now() + settings.timeout;
    engine.scripts.limits().set_deadline(Some(deadline));
    let stage = Stage {
        engine: &engine,
        check,
        script: &script,
        profile,
        case,
        settings,
        fault: None,
        passed: Passed::default(),
        handlers: engine.scripts.handlers(&script),
        runtime,
        on_paused_clock: false,
        wire: Wire::new(settings.scale).bounded(Counted::Responses),
        deadline,
    };
    let log = engine.scripts.begin_log(&script);
    let mut context = stage.context(None);
    if let (Some(members), Some(Value::Object(told))) = (context.as_object_mut(), told) {
        members.extend(told.clone());
    }
    let acted = stage.act(Arc::new(Live::new()), url.clone(), context);
    *logged = log.take();
    if let Some(error) = engine.scripts.handler_error(&script, &stage.handlers) {
        return Err(stage.trouble_of(error));
    }
    acted.map(|acted| acted.result).map_err(|stopped| match stopped {
        Stopped::Trouble(trouble) => trouble,
        Stopped::Script(error) => stage.trouble_of(error),
    })
}
