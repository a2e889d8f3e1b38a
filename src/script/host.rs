//! `host`: how a script operates the built-in host. The main type is [`Host`].
//!
//! As with `client`, each operation blocks on the execution's own runtime, and
//! what is begun in the background goes on whenever the script waits. What a
//! call, an import or a ping comes to is a map.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rhai::{Array, Dynamic, Engine, EvalAltResult, Map};
use serde_json::{Map as JsonMap, Value, json};
use tokio::task::JoinHandle;

use super::action::json_value;
use super::client::Blocking;
use super::value::{List, from_json, to_json};
use crate::host::store::Place;
use crate::host::{
    Call, CallRefusal, Caller, Decision, Host as McpHost, Import, Mode, Model, Origin, Ping, Run,
    Step, Store, StoreError, Tool, ToolResult,
};
use crate::mcp::client::ClientError;
use crate::profile::{DataClass, Zone};

type Evaluated<T> = Result<T, Box<EvalAltResult>>;

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

impl Host {
    /// A host whose caller is an administrator that approves each call, with a
    /// model in `zone`.
    pub fn new(host: McpHost, zone: Zone, blocking: Blocking) -> Self {
        let caller = Caller {
            name: "operator".to_owned(),
            administrator: true,
            group: None,
            model: Model { zone: Some(zone), fallbacks: Vec::new() },
            mode: Mode::default(),
        };
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
        let _ = self.0.blocking.wait(self.0.host.close())?;
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
        let task = self.0.blocking.runtime.spawn(called);
        let state = Arc::new(Mutex::new(PendingState::Running(task)));
        Ok(PendingCall { state, blocking: self.0.blocking.clone() })
    }

    fn ping(&self) -> Evaluated<Dynamic> {
        let pinged = self.0.blocking.wait(self.0.host.ping())?;
        Ok(from_json(&describe_ping(pinged)))
    }

    fn write_row(&self, table: &str, row: &Map, checked: bool) -> Evaluated<Dynamic> {
        let Value::Object(row) = json_value(&row.clone().into())? else {
            return Err("a row is a map".into());
        };
        let written = self.0.host.store().write_row(place(table)?, &row, checked);
        let described = match written {
            Ok(()) => json!({ "ok": true }),
            Err(error) => json!({ "ok": false, "error": error.to_string() }),
        };
        Ok(from_json(&described))
    }

    fn set_model(&self, model: &Map) -> Evaluated<()> {
        let model = read_model(model)?;
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

fn describe_import(import: &Import) -> Value {
    let imported = import.imported.iter();
    let refused = import.refused.iter();
    json!({
        "ok": true,
        "imported": imported
            .map(|(name, became)| json!({ "name": name, "became": became.as_str() }))
            .collect::<Value>(),
        "refused": refused
            .map(|tool| {
                json!({
                    "name": tool.remote_name,
                    "reason": tool.reason.as_str(),
                    "message": tool.reason.to_string(),
                })
            })
            .collect::<Value>(),
        "orphaned": import.orphaned,
    })
}

/// A registered tool as the gate and a model see it.
fn describe_tool(tool: &Tool) -> Value {
    let (server, remote_name) = match &tool.origin {
        Origin::Local { .. } => (None, None),
        Origin::Remote { server, remote_name } => (Some(server), Some(remote_name)),
    };
    json!({
        "name": tool.name,
        "remote": server.is_some(),
        "server": server,
        "remote_name": remote_name,
        "group": tool.group(),
        "description": tool.description,
        "schema": tool.schema,
        "data_class": tool.data_class.as_str(),
        "requires_approval": tool.requires_approval,
        "requires_administrator": tool.requires_administrator(),
        "effect": tool.effect().as_str(),
        "enabled": tool.enabled,
    })
}

fn describe_call(called: Result<ToolResult, CallRefusal>) -> Value {
    match called {
        Ok(result) => json!({
            "outcome": result.outcome().as_str(),
            "is_error": result.is_error(),
            "text": result.text(),
            "artifacts": result.artifacts(),
            "write_target": result.write_target(),
            "refused": null,
        }),
        Err(refusal) => json!({ "refused": refusal.as_str(), "message": refusal.to_string() }),
    }
}

fn describe_ping(pinged: Result<Ping, ClientError>) -> Value {
    match pinged {
        Ok(ping) => json!({
            "reachable": true,
            "latency": ping.latency,
            "versions": ping.versions,
            "server": ping.server,
            "capabilities": ping.capabilities,
        }),
        Err(error) => json!({
            "reachable": false,
            "error": { "kind": error.kind.as_str(), "message": error.message },
        }),
    }
}

/// What a host kept, as a judge reads it: lists of maps.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Steps of runs.
    pub audit: List,
    /// Runs.
    pub runs: List,
    /// Completed operations.
    pub contacts: List,
    /// Denials of the gate.
    pub denials: List,
    /// Tools of servers, as they are stored.
    pub catalogue: List,
}

impl Record {
    fn read(store: &Store) -> Result<Self, StoreError> {
        fn list(rows: impl Iterator<Item = Value>) -> List {
            rows.map(|row| from_json(&row)).collect()
        }
        let decoded = |text: &str| serde_json::from_str(text).unwrap_or(Value::Null);
        Ok(Record {
            audit: list(store.events()?.iter().map(|event| {
                let mut row =
                    json!({ "run": event.run, "sequence": event.sequence, "at": event.at });
                describe_step(&mut row, &event.step);
                row
            })),
            runs: list(store.runs()?.iter().map(|run| {
                json!({
                    "id": run.id,
                    "caller": run.caller,
                    "status": run.status.as_ref().map_or(Value::Null, |status| status.as_str().into()),
                    "started_at": run.started_at,
                    "ended_at": run.ended_at,
                })
            })),
            contacts: list(store.contacts()?.iter().map(|contact| {
                json!({
                    "server": contact.server,
                    "at": contact.at,
                    "operation": contact.operation,
                    "latency": contact.latency,
                })
            })),
            denials: list(store.denials()?.iter().map(|denial| {
                json!({
                    "at": denial.at,
                    "caller": denial.caller,
                    "tool": denial.tool,
                    "reason": denial.reason,
                })
            })),
            catalogue: list(store.tools()?.iter().map(|tool| {
                json!({
                    "server": tool.server,
                    "remote_name": tool.remote_name,
                    "local_name": tool.local_name,
                    "description": tool.description,
                    "schema": decoded(&tool.schema),
                    "schema_as_sent": decoded(&tool.schema_as_sent),
                    "annotations": tool.annotations.as_deref().map(decoded),
                    "enabled": tool.enabled,
                    "orphaned": tool.orphaned,
                })
            })),
        })
    }

    /// The record as text: to see whether a fault changed it.
    pub fn text(&self) -> String {
        let all = [&self.audit, &self.runs, &self.contacts, &self.denials, &self.catalogue];
        let texts = all.map(|list| {
            let json = to_json(&Dynamic::from(list.clone()));
            json.map_or_else(|other| other, |json| json.to_string())
        });
        texts.join("\n")
    }
}

fn describe_step(row: &mut Value, step: &Result<Step, StoreError>) {
    match step {
        Ok(step) => {
            row["kind"] = step.kind().into();
            match step {
                Step::Declared { tool, effect } => {
                    row["tool"] = tool.as_str().into();
                    row["effect"] = effect.as_str().into();
                }
                Step::Tool { tool, outcome, text } => {
                    row["tool"] = tool.as_str().into();
                    row["outcome"] = outcome.as_str().into();
                    row["is_error"] = outcome.is_error().into();
                    row["text"] = text.as_str().into();
                }
            }
        }
        Err(error) => row["unreadable"] = error.to_string().into(),
    }
}

/// A call in the background. A clone is another handle.
#[derive(Clone)]
pub struct PendingCall {
    state: Arc<Mutex<PendingState>>,
    blocking: Blocking,
}

enum PendingState {
    Running(JoinHandle<Value>),
    Taken,
    Done(Value),
}

impl PendingCall {
    /// Waits for what the call comes to.
    fn result(&mut self) -> Evaluated<Dynamic> {
        let state = std::mem::replace(&mut *self.state(), PendingState::Taken);
        let described = match state {
            PendingState::Done(described) => described,
            PendingState::Running(task) => match self.blocking.wait(task)? {
                Ok(described) => described,
                Err(_) => return Err("the call in the background ended by a panic".into()),
            },
            PendingState::Taken => return Err("the call was ended before".into()),
        };
        let result = from_json(&described);
        *self.state() = PendingState::Done(described);
        Ok(result)
    }

    fn state(&self) -> MutexGuard<'_, PendingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Registers `host` and its calls in the background.
pub(super) fn register(engine: &mut Engine) {
    engine
        .register_type_with_name::<Host>("Host")
        .register_fn("import_tools", |host: &mut Host| host.import())
        .register_fn("enable", |host: &mut Host, name: &str| host.enable(name, true))
        .register_fn("disable", |host: &mut Host, name: &str| host.enable(name, false))
        .register_get("tools", |host: &mut Host| host.tools())
        .register_fn("own_tool", |host: &mut Host, name: &str, class: &str, answer: &str| {
            host.add_own_tool(name, class, answer)
        })
        .register_fn("decide", |host: &mut Host, name: &str| host.decide(name))
        .register_fn("call_tool", |host: &mut Host, name: &str| {
            host.call_tool(name, &Dynamic::UNIT, true)
        })
        .register_fn("call_tool", |host: &mut Host, name: &str, arguments: Dynamic| {
            host.call_tool(name, &arguments, true)
        })
        .register_fn("call_without_run", |host: &mut Host, name: &str, arguments: Dynamic| {
            host.call_tool(name, &arguments, false)
        })
        .register_fn("begin_call", |host: &mut Host, name: &str, arguments: Dynamic| {
            host.begin_call(name, &arguments)
        })
        .register_fn("begin_run", |host: &mut Host| host.begin_run())
        .register_fn("end_run", |host: &mut Host| host.end_run())
        .register_fn("cancel_run", |host: &mut Host| host.cancel_run())
        .register_fn("ping", |host: &mut Host| host.ping())
        .register_fn("wait", |host: &mut Host, milliseconds: i64| {
            let time = Duration::from_millis(u64::try_from(milliseconds).unwrap_or(0));
            let scaled = time / host.0.blocking.scale.max(1);
            host.0.blocking.wait(async move { tokio::time::sleep(scaled).await })
        })
        .register_get("identifier", |host: &mut Host| host.0.host.operator().identifier.clone())
        .register_get("data_class", |host: &mut Host| host.0.host.operator().data_class.as_str())
        .register_get("requires_approval", |host: &mut Host| {
            host.0.host.operator().requires_approval
        });
    engine
        .register_set("administrator", |host: &mut Host, administrator: bool| {
            host.state().caller.administrator = administrator;
        })
        .register_set("approves", |host: &mut Host, approves: bool| {
            host.state().approves = approves;
        })
        .register_set("group", |host: &mut Host, group: Array| {
            let group = group.into_iter().map(|name| name.to_string()).collect();
            host.state().caller.group = Some(group);
        })
        .register_set("mode", |host: &mut Host, mode: &str| {
            host.state().caller.mode = Mode::stated(mode);
        })
        .register_set("model", |host: &mut Host, model: Map| host.set_model(&model));
    engine
        .register_fn("refuse_rows", |host: &mut Host, table: &str| {
            host.0.host.store().refuse_rows(place(table)?).map_err(thrown)
        })
        .register_fn("take_rows", |host: &mut Host, table: &str| {
            host.0.host.store().take_rows(place(table)?).map_err(thrown)
        })
        .register_fn("fill_store", |host: &mut Host| host.0.host.store().fill().map_err(thrown))
        .register_fn("write_row", |host: &mut Host, table: &str, row: Map| {
            host.write_row(table, &row, true)
        })
        .register_fn("write_row_unchecked", |host: &mut Host, table: &str, row: Map| {
            host.write_row(table, &row, false)
        });
    engine
        .register_type_with_name::<PendingCall>("PendingCall")
        .register_fn("result", PendingCall::result);
}
