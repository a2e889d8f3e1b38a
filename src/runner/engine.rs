//! An [`Engine`] for a run: Rhai's, with the scripts that checks lean on and the
//! fault in force.

use std::sync::{Arc, OnceLock};

use super::execution::require_functions;
use super::subject::Settings;
use crate::check::Check;
use crate::check::discovery::{Support, SupportScript};
use crate::check::nearest::did_you_mean;
use crate::script::fault::FaultScript;
use crate::script::{Limits, Script, ScriptEngine, ScriptError};

/// An engine with the scripts that every check may lean on. A clone shares
/// them.
#[derive(Clone)]
pub struct Engine {
    /// The engine.
    pub scripts: Arc<ScriptEngine>,
    /// What checks of servers run against if no server was named.
    servers: Arc<[Served]>,
    /// The fault in force.
    pub fault: Option<(Arc<FaultScript>, Arc<Script>)>,
}

/// A script of `_servers`, compiled when a check first runs against it.
type Served = (SupportScript, OnceLock<Arc<Script>>);

impl Engine {
    /// An engine for a run of these settings.
    ///
    /// # Errors
    /// [`ScriptError`] if a support script does not compile.
    pub fn new(support: &Support, settings: &Settings) -> Result<Self, ScriptError> {
        let limits = Limits::new(settings.interrupt.clone());
        let scripts = Arc::new(ScriptEngine::new(&support.libraries, limits)?);
        let servers = support.servers.iter().cloned().map(|one| (one, OnceLock::new()));
        let engine = Engine { scripts, servers: servers.collect(), fault: None };
        match &settings.fault {
            Some(fault) => engine.with_fault(fault.clone()),
            None => Ok(engine),
        }
    }

    /// The server of `_servers` by this name.
    ///
    /// # Errors
    /// A diagnostic if there is none, or if its script does not compile.
    pub fn server(&self, name: &str) -> miette::Result<Arc<Script>> {
        let Some((server, compiled)) = self.servers.iter().find(|(one, _)| one.name == name) else {
            let near = did_you_mean(name, self.servers.iter().map(|(one, _)| one.name.as_str()));
            let add =
                format!("add `checks/_servers/{name}.rhai`, or name a server with `--server URL`");
            return Err(miette::miette!(
                help = near.unwrap_or(add),
                "there is no server `{name}` that this check could run against"
            ));
        };
        if let Some(script) = compiled.get() {
            return Ok(script.clone());
        }
        let script = Arc::new(self.scripts.compile(&server.source)?);
        Ok(compiled.get_or_init(|| script).clone())
    }

    /// The same engine with this fault in force.
    ///
    /// # Errors
    /// A fault that does not compile.
    pub fn with_fault(&self, fault: Arc<FaultScript>) -> Result<Self, ScriptError> {
        let script = Arc::new(fault.compile(&self.scripts)?);
        Ok(Engine { fault: Some((fault, script)), ..self.clone() })
    }

    /// Compiles a check and holds it to the functions that it has to have.
    ///
    /// # Errors
    /// Why it cannot be run.
    pub fn compile(&self, check: &Check) -> Result<Script, Arc<miette::Report>> {
        let source = check.source().map_err(|error| Arc::new(error.into()))?;
        let script = self.scripts.compile(&source).map_err(|error| Arc::new(error.into()))?;
        require_functions(check, &script).map_err(|error| Arc::new(error.into()))?;
        Ok(script)
    }
}
