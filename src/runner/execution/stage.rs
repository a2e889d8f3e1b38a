//! What one execution is played on: its [`Stage`], and how it ends before it could be
//! judged.

use std::sync::Arc;
use std::time::Instant;

use rhai::Dynamic;
use tokio::runtime::Runtime;

use crate::check::Check;
use crate::profile::Profile;
use crate::runner::engine::Engine;
use crate::runner::event::Trouble;
use crate::runner::subject::Settings;
use crate::script::fault::{Fault, Passed};
use crate::script::handler::Handlers;
use crate::script::{Script, ScriptError};
use crate::wire::Wire;

/// The clock and the far side of one execution.
pub(super) struct Stage<'a> {
    pub(super) engine: &'a Engine,
    pub(super) check: &'a Check,
    pub(super) script: &'a Script,
    pub(super) profile: &'a Profile,
    pub(super) case: Option<&'a str>,
    pub(super) settings: &'a Settings,
    pub(super) fault: Option<Arc<Fault>>,
    /// What passed where a fault would stand, without one.
    pub(super) passed: Passed,
    /// Calls functions of the check's own script.
    pub(super) handlers: Handlers,
    pub(super) runtime: Arc<Runtime>,
    /// Waiting costs no time, so nothing but the script itself can be late.
    pub(super) on_paused_clock: bool,
    pub(super) wire: Wire,
    pub(super) deadline: Instant,
}

/// How an execution ended before it could be judged.
pub(super) enum Stopped {
    /// A script failed, or its time was up.
    Script(ScriptError),
    /// The far side or the client could not be set up.
    Trouble(Trouble),
}

impl From<ScriptError> for Stopped {
    fn from(error: ScriptError) -> Self {
        Stopped::Script(error)
    }
}

impl Stage<'_> {
    /// Calls an entry of a script with its subject, and with the case's name if
    /// it takes one.
    pub(super) fn call(
        &self,
        script: &Script,
        name: &str,
        subject: Dynamic,
    ) -> Result<Dynamic, Stopped> {
        let scripts = &self.engine.scripts;
        Ok(match (script.parameters(name), self.case) {
            (Some(2), case) => {
                let case = case.map_or(Dynamic::UNIT, |case| Dynamic::from(case.to_owned()));
                scripts.invoke(script, name, (subject, case))?
            }
            _ => scripts.invoke(script, name, (subject,))?,
        })
    }
}

/// A check, or what it leans on, that is broken.
pub(super) fn broken(error: impl Into<miette::Report>) -> Stopped {
    Stopped::Trouble(Trouble::Broken(Arc::new(error.into())))
}

pub(super) fn new_runtime(on_paused_clock: bool) -> std::io::Result<Runtime> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    if on_paused_clock {
        builder.enable_time().start_paused(true);
    } else {
        builder.enable_all();
    }
    builder.build()
}
