//! `host`: how a script operates the built-in host. The main type is [`Host`].
//!
//! As with `client`, each operation blocks on the execution's own runtime, and
//! what is begun in the background goes on whenever the script waits. What a
//! call, an import or a ping comes to is a map.

mod describe;
mod functions;
mod record;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rhai::{Array, Dynamic, EvalAltResult, Map};
use serde_json::{Map as JsonMap, Value, json};

pub(super) use self::functions::declare;
pub use self::record::Record;

use self::describe::{describe_call, describe_import, describe_ping, describe_tool};
use super::action::json_value;
use super::api::{Evaluated, ScriptType};
use super::blocking::{Background, Blocking};
use super::value::{List, from_json};
use crate::host::store::Place;
use crate::host::{
    Call, CallRefusal, Caller, Changes, Decision, Host as McpHost, Model, Origin, Run, StoreError,
    Tool,
};
use crate::profile::{DataClass, Zone};

/// The built-in host as scripts hold it. A clone is another handle.
#[derive(Clone)]
pub struct Host(Arc<Inner>);

struct Inner {
    host: McpHost,
    blocking: Blocking,
    state: Mutex<State>,
}

struct State {
    caller: Caller,
    approves: bool,
    run: Option<Run>,
}

impl ScriptType for Host {
    const NAME: &'static str = "Host";
}

impl Host {
    /// A host whose caller is an administrator that approves each call, with a
    /// model in `zone`.
    pub fn new(host: McpHost, zone: Zone, blocking: Blocking) -> Self {
        let caller = Caller::operator(zone);
        let state = Mutex::new(State { caller, approves: true, run: None });
        Host(Arc::new(Inner { host, blocking, state }))
    }

    /// Ends the run that goes on, and the connection.
    ///
    /// # Errors
    /// The evaluation is to end.
    pub fn finish(&self) -> Evaluated<()> {
        let run = self.state().run.take();
        if let Some(run) = run {
            // A run that cannot be ended shows in the record.
            let _ = self.0.host.complete_run(&run);
        }
        // How a connection ends is on the wire; there is nobody to tell.
        let _ = self.0.blocking.finish(self.0.host.close())?;
        Ok(())
    }

    /// What the host keeps, as a judge reads it.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be read.
    pub fn record(&self) -> Result<Record, StoreError> {
        Record::read(self.0.host.store())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn import(&self) -> Evaluated<Dynamic> {
        let imported = self.0.blocking.wait(self.0.host.import())?;
        let described = match imported {
            Ok(import) => describe_import(&import),
            Err(error) => json!({ "ok": false, "error": error.to_string() }),
        };
        Ok(from_json(&described))
    }

    fn enable(&self, name: &str, enabled: bool) -> Evaluated<bool> {
        self.0.host.store().enable(name, enabled).map_err(thrown)
    }

    fn tools(&self) -> Evaluated<List> {
        let tools = self.0.host.tools().map_err(thrown)?;
        Ok(tools.iter().map(|tool| from_json(&describe_tool(tool))).collect())
    }

    fn decide(&self, name: &str) -> Evaluated<Dynamic> {
        let caller = self.state().caller.clone();
        let decision = self.0.host.decide(name, &caller).map_err(thrown)?;
        let (denial, observed) = match decision {
            Decision::Allowed => (None, None),
            Decision::Observed(denial) => (None, Some(denial)),
            Decision::Denied(denial) => (Some(denial), None),
        };
        Ok(from_json(&json!({
            "allowed": denial.is_none(),
            "denial": denial.map(|denial| denial.as_str()),
            "observed": observed.map(|denial| denial.as_str()),
        })))
    }

    /// The run that goes on; begun if there is none.
    fn current_run(&self) -> Result<Run, StoreError> {
        let mut state = self.state();
        if let Some(run) = &state.run {
            return Ok(run.clone());
        }
        let run = self.0.host.begin_run(&state.caller)?;
        state.run = Some(run.clone());
        Ok(run)
    }

    fn begin_run(&self) -> Evaluated<Dynamic> {
        let begun = self.0.host.begin_run(&self.state().caller.clone());
        let described = match &begun {
            Ok(run) => json!({ "ok": true, "run": run.id }),
            Err(error) => json!({ "ok": false, "error": error.to_string() }),
        };
        self.state().run = begun.ok();
        Ok(from_json(&described))
    }

    fn end_run(&self) -> Evaluated<()> {
        let run = self.state().run.take();
        run.map_or(Ok(()), |run| self.0.host.complete_run(&run).map_err(thrown))
    }

    fn cancel_run(&self) -> Evaluated<()> {
        let run = self.state().run.clone();
        run.map_or(Ok(()), |run| self.0.host.cancel_run(&run).map_err(thrown))
    }

    /// A call as a task of its own, with all that it needs.
    fn task(
        &self,
        tool: &str,
        arguments: Option<Value>,
        with_run: bool,
    ) -> impl Future<Output = Value> + Send + 'static {
        let host = self.0.host.clone();
        let (caller, approved) = {
            let state = self.state();
            (state.caller.clone(), state.approves)
        };
        let run = if with_run { Some(self.current_run()) } else { None };
        let tool = tool.to_owned();
        async move {
            let run = match run.transpose() {
                Ok(run) => run,
                Err(error) => return describe_call(Err(CallRefusal::NotRecorded(error))),
            };
            let call = Call { tool: &tool, arguments, run: run.as_ref(), approved };
            describe_call(host.call(call, &caller).await)
        }
    }

    fn call_tool(&self, tool: &str, arguments: &Dynamic, with_run: bool) -> Evaluated<Dynamic> {
        let called = self.task(tool, object(arguments)?, with_run);
        Ok(from_json(&self.0.blocking.wait(called)?))
    }

    fn begin_call(&self, tool: &str, arguments: &Dynamic) -> Evaluated<PendingCall> {
        let called = self.task(tool, object(arguments)?, true);
        self.0.blocking.begin(called).map(PendingCall)
    }

    fn ping(&self) -> Evaluated<Dynamic> {
        let pinged = self.0.blocking.wait(self.0.host.ping())?;
        Ok(from_json(&describe_ping(pinged)))
    }

    fn write_row(&self, table: &str, row: Map, checked: bool) -> Evaluated<Dynamic> {
        let Value::Object(row) = json_value(&row.into())? else {
            return Err("a row is a map".into());
        };
        let written = self.0.host.store().write_row(place(table)?, &row, checked);
        let described = match written {
            Ok(()) => json!({ "ok": true }),
            Err(error) => json!({ "ok": false, "error": error.to_string() }),
        };
        Ok(from_json(&described))
    }

    fn group(&mut self) -> Dynamic {
        match &self.state().caller.group {
            Some(group) => {
                Dynamic::from(group.iter().cloned().map(Dynamic::from).collect::<List>())
            }
            None => Dynamic::UNIT,
        }
    }

    fn set_group(&mut self, group: Dynamic) -> Evaluated<()> {
        let group = if group.is_unit() {
            None
        } else {
            let names = group.into_typed_array::<String>();
            let names = names.map_err(|_| "a group is an array of names, or ()")?;
            Some(names.into_iter().collect())
        };
        self.state().caller.group = group;
        Ok(())
    }

    fn model(&mut self) -> Map {
        write_model(&self.state().caller.model)
    }

    fn set_model(&mut self, model: Map) -> Evaluated<()> {
        let model = read_model(&model)?;
        self.state().caller.model = model;
        Ok(())
    }

    fn add_own_tool(&self, name: &str, class: &str, answer: &str) -> Evaluated<()> {
        self.0.host.add_own_tool(Tool {
            name: name.to_owned(),
            origin: Origin::Local { answer: answer.to_owned() },
            description: None,
            schema: JsonMap::new(),
            data_class: data_class(class)?,
            requires_approval: false,
            enabled: true,
            changed: Changes::default(),
        });
        Ok(())
    }
}

fn thrown(error: StoreError) -> Box<EvalAltResult> {
    error.to_string().into()
}

fn place(table: &str) -> Evaluated<Place> {
    Place::named(table).ok_or_else(|| {
        let known = Place::ALL.map(Place::as_str).join(", ");
        format!("the store has no table `{table}`; it has {known}").into()
    })
}

fn data_class(name: &str) -> Evaluated<DataClass> {
    serde_json::from_value(Value::from(name))
        .map_err(|_| format!("`{name}` is no class of data").into())
}

fn object(arguments: &Dynamic) -> Evaluated<Option<Value>> {
    if arguments.is_unit() { Ok(None) } else { json_value(arguments).map(Some) }
}

/// `#{ zone: "local", fallbacks: [#{ zone: … }, …] }`.
fn read_model(model: &Map) -> Evaluated<Model> {
    let mut read = Model::default();
    for (name, value) in model {
        match name.as_str() {
            // A zone that is unknown is one that was not stated.
            "zone" => read.zone = Some(Zone::stated(value.clone().into_string().ok().as_deref())),
            "fallbacks" => {
                let fallbacks =
                    value.clone().try_cast::<Array>().ok_or("`fallbacks` is an array")?;
                for fallback in fallbacks {
                    let fallback = fallback.try_cast::<Map>().ok_or("a fall-back is a map")?;
                    read.fallbacks.push(read_model(&fallback)?);
                }
            }
            other => return Err(format!("a model has zone and fallbacks, not `{other}`").into()),
        }
    }
    Ok(read)
}

fn write_model(model: &Model) -> Map {
    let mut written = Map::new();
    if let Some(zone) = model.zone {
        written.insert("zone".into(), zone.as_str().into());
    }
    let fallbacks: Array = model.fallbacks.iter().map(|model| write_model(model).into()).collect();
    written.insert("fallbacks".into(), fallbacks.into());
    written
}

/// A call in the background. A clone is another handle.
#[derive(Clone)]
pub struct PendingCall(Background<Value>);

impl ScriptType for PendingCall {
    const NAME: &'static str = "PendingCall";
}
