//! A check's `drive` by itself, against any server: [`drive_alone`]. There is no
//! `serve` and no `judge`; what serves and judges may be another program.

use std::sync::Arc;
use std::time::Instant;

use http::Uri;
use rhai::Dynamic;

use super::{Stage, Stopped, Trouble, new_runtime, require_functions};
use crate::check::Check;
use crate::check::discovery::Support;
use crate::profile::Profile;
use crate::runner::subject::Settings;
use crate::runner::worker::Engine;
use crate::wire::Wire;
use crate::wire::live::Live;

/// Lets the built-in client play the check's `drive` against the server at `url`,
/// on the real clock, and returns what it returned.
///
/// # Errors
/// Why it did not come to its end: the check is broken, its time was up, or the
/// run was interrupted.
pub fn drive_alone(
    check: &Check,
    case: Option<&str>,
    profile: &Profile,
    support: &Support,
    settings: &Settings,
    url: &Uri,
) -> Result<Dynamic, Trouble> {
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
        handlers: engine.scripts.handlers(&script),
        runtime,
        on_paused_clock: false,
        wire: Wire::new(settings.scale),
        deadline,
    };
    let acted = stage.act(Arc::new(Live::new()), url.clone());
    if let Some(error) = engine.scripts.handler_error(&script, &stage.handlers) {
        return Err(stage.trouble_of(error));
    }
    acted.map(|acted| acted.result).map_err(|stopped| match stopped {
        Stopped::Trouble(trouble) => trouble,
        Stopped::Script(error) => stage.trouble_of(error),
    })
}
