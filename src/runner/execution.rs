//! One execution: one check, one profile, one case, on one subject. The entry
//! is [`execute`].

mod acting;
mod alone;
mod judging;
mod wire_schema;

pub use self::alone::{Alone, Driven, drive_alone};
pub use self::judging::{all_checkpoints, require_functions};

use std::sync::Arc;
use std::time::{Duration, Instant};

use http::Uri;
use rhai::{Dynamic, Map};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use self::acting::Acted;
use self::wire_schema::{AsWritten, WireSchema};
use super::addresses::{InMemory, OnLoopback};
use super::event::{ClientProcess, Trouble};
use super::process::{self, Ended};
use super::subject::{Settings, Subject, Visitor};
use super::worker::Engine;
use crate::check::{Check, CheckKind, CheckpointResult};
use crate::mcp::server::Behaviour;
use crate::profile::Profile;
use crate::script::fault::{Fault, Faulty, Passed, Tap};
use crate::script::handler::Handlers;
use crate::script::host::Record;
use crate::script::log::Logged;
use crate::script::observation::Observation;
use crate::script::server::{Addresses, ENDPOINT_PATH, SERVER_ORIGIN, Server, authority};
use crate::script::value::deep_copy;
use crate::script::{Script, ScriptError};
use crate::wire::intake::Counted;
use crate::wire::live::Live;
use crate::wire::loopback::LoopbackHandle;
use crate::wire::{Double, Exchange, HttpClient, Recorder, Wire};

/// Tells an external client what it is asked to do: a check's scenario, or its id.
pub const SCENARIO_VARIABLE: &str = "MCP_CONFORMANCE_SCENARIO";
/// Tells an external client the revision to speak.
pub const VERSION_VARIABLE: &str = "MCP_CONFORMANCE_PROTOCOL_VERSION";
/// Tells an external client what the script has for it, as a JSON object: the
/// scenario as `name`, the check's id as `check`, since several checks may have
/// one scenario, and the case as `case` if the check has cases.
pub const CONTEXT_VARIABLE: &str = "MCP_CONFORMANCE_CONTEXT";

/// The server that checks of servers run against by themselves, unless they name
/// another one.
const REFERENCE_SERVER: &str = "reference";

/// How long the judge has for a client whose time was up.
const JUDGING_TIME: Duration = Duration::from_secs(5);

/// What one execution came to.
#[derive(Default)]
pub struct Executed {
    /// Every checkpoint that is claimed at the revision, in the header's order, and
    /// `wire-schema`.
    pub checkpoints: Vec<CheckpointResult>,
    /// Why there are no ordinary verdicts.
    pub trouble: Option<Trouble>,
    /// What crossed the wire.
    pub exchanges: Vec<Exchange>,
    /// Base URLs of origins, and their names.
    pub origins: Vec<(String, String)>,
    /// The client's process, if there was one.
    pub client: Option<ClientProcess>,
    /// What the script logged.
    pub log: Logged,
    /// What faults can be played over, if it was to be kept.
    kept: Option<Kept>,
}

/// The clock and the far side of one execution.
struct Stage<'a> {
    engine: &'a Engine,
    check: &'a Check,
    script: &'a Script,
    profile: &'a Profile,
    case: Option<&'a str>,
    settings: &'a Settings,
    fault: Option<Arc<Fault>>,
    /// What passed where a fault would stand, without one.
    passed: Passed,
    /// Calls functions of the check's own script.
    handlers: Handlers,
    runtime: Arc<Runtime>,
    /// Waiting costs no time, so nothing but the script itself can be late.
    on_paused_clock: bool,
    wire: Wire,
    deadline: Instant,
}

/// How an execution ended before it could be judged.
enum Stopped {
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

/// Whether nothing leaves the process: then the clock is paused.
fn is_in_memory(kind: CheckKind, subject: &Subject) -> bool {
    match subject {
        Subject::Embedded => true,
        // A check of a server needs no socket to reach the reference server,
        // but over loopback it gets one as well.
        Subject::Loopback | Subject::Client(_) | Subject::Visitor(_) => false,
        Subject::Server(_) => kind != CheckKind::Server,
    }
}

fn new_runtime(on_paused_clock: bool) -> std::io::Result<Runtime> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    if on_paused_clock {
        builder.enable_time().start_paused(true);
    } else {
        builder.enable_all();
    }
    builder.build()
}

impl Stage<'_> {
    /// A check of a client: the script's server is the far side.
    fn client_check(&self) -> Executed {
        let handlers = &self.handlers;
        let mut executed = Executed::default();
        let stopped = match &self.settings.subject {
            Subject::Embedded => self.in_memory(handlers, self.script, &mut executed),
            Subject::Loopback => self.over_socket(handlers, self.script, &mut executed),
            Subject::Client(command) => self.external_client(command, &mut executed),
            Subject::Visitor(visitor) => self.visited(visitor, &mut executed),
            Subject::Server(_) => return executed,
        };
        self.conclude(handlers, stopped, executed)
    }

    /// A check of a server: the far side is the reference server, or the one
    /// that was named.
    fn server_check(&self) -> Executed {
        let mut executed = Executed::default();
        if let Subject::Server(url) = &self.settings.subject {
            let stopped = self.external_server(url, &mut executed);
            return self.conclude(&self.handlers, stopped, executed);
        }
        let name = self.check.header.server.as_deref().unwrap_or(REFERENCE_SERVER);
        let served = match self.engine.server(name) {
            Ok(served) => served,
            Err(report) => {
                let trouble = Some(Trouble::Broken(Arc::new(report)));
                return Executed { trouble, ..executed };
            }
        };
        let handlers = self.engine.scripts.handlers(&served);
        let stopped = match &self.settings.subject {
            Subject::Loopback => self.over_socket(&handlers, &served, &mut executed),
            _ => self.in_memory(&handlers, &served, &mut executed),
        };
        self.conclude(&handlers, stopped, executed)
    }

    /// Everything in memory.
    fn in_memory(
        &self,
        handlers: &Handlers,
        served: &Script,
        executed: &mut Executed,
    ) -> Result<Outcome, Stopped> {
        let double = Arc::new(Double::new(self.settings.scale));
        let server = self.serve(&double, Arc::new(InMemory), handlers, served)?;
        executed.origins = server.origins();
        let http = self.with_fault(double);
        let endpoint = parse_url(&server.url())?;
        let acted = self.act(http, endpoint, self.context(Some(&server)))?;
        Ok(Outcome::of(acted, Some(&server), self.endpoint_by_name()?))
    }

    /// The recorder is always at the side that is not under test: at the double
    /// for a check of a client, at the client for a check of a server. A fault
    /// is on the other side of it, and so shows in what is recorded.
    fn with_fault(&self, double: Arc<Double>) -> Arc<dyn HttpClient> {
        match (self.fault.clone(), self.check.kind) {
            (None, _) if !self.settings.keep_outcome => {
                Arc::new(Recorder::new(double, self.wire.clone()))
            }
            (None, CheckKind::Server) => {
                Arc::new(Recorder::new(Tap::new(double, self.passed.clone()), self.wire.clone()))
            }
            (None, _) => {
                Arc::new(Tap::new(Recorder::new(double, self.wire.clone()), self.passed.clone()))
            }
            (Some(fault), CheckKind::Server) => {
                Arc::new(Recorder::new(Faulty::new(double, fault), self.wire.clone()))
            }
            (Some(fault), _) => {
                Arc::new(Faulty::new(Recorder::new(double, self.wire.clone()), fault))
            }
        }
    }

    /// The built-in client reaches the double over a real socket.
    fn over_socket(
        &self,
        handlers: &Handlers,
        served: &Script,
        executed: &mut Executed,
    ) -> Result<Outcome, Stopped> {
        let (server, serving) = self.serve_on_loopback(
            OnLoopback::default(),
            self.wire.clone(),
            handlers,
            served,
            executed,
        )?;
        let endpoint = parse_url(&server.url())?;
        let acted = self.act(Arc::new(Live::new()), endpoint, self.context(Some(&server)));
        self.runtime.block_on(serving.close());
        Ok(Outcome::of(acted?, Some(&server), self.endpoint_by_name()?))
    }

    /// A client process reaches the double over a real socket.
    fn external_client(
        &self,
        command: &super::subject::Command,
        executed: &mut Executed,
    ) -> Result<Outcome, Stopped> {
        let (server, serving) = self.serve_on_loopback(
            OnLoopback::default(),
            self.wire.clone(),
            &self.handlers,
            self.script,
            executed,
        )?;
        let environment = self.environment(&server);
        let ran = self.runtime.block_on(process::run(
            command,
            &server.url(),
            &environment,
            self.deadline,
            &self.settings.interrupt,
        ));
        self.runtime.block_on(serving.close());
        let ran = ran.map_err(|error| {
            Stopped::Trouble(Trouble::Subject(Arc::new(miette::miette!(
                help = "look whether the program can be run by hand",
                "the client `{command}` could not be started: {error}"
            ))))
        })?;
        let timed_out = ran.ended == Ended::TimedOut;
        let interrupted = ran.ended == Ended::Interrupted;
        let is_unknown = ran.does_not_know_the_task();
        let style = self.settings.style.with_origins(&executed.origins);
        executed.client = Some(ran.describe(command, &style.redactor));
        if interrupted {
            return Err(Stopped::Trouble(Trouble::Cancelled));
        }
        if is_unknown {
            // What it said before it knew is nobody's failure, but is not hidden.
            let reason = match self.wire.exchanges().len() {
                0 => "the client does not know this task (exit code 77)",
                _ => "the client does not know this task (exit code 77), and had sent requests",
            };
            return Err(Stopped::Trouble(Trouble::Skipped(reason.to_owned())));
        }
        if timed_out {
            executed.trouble = Some(Trouble::TimedOut(self.settings.timeout));
            // What held until then is judged, in a time of its own.
            let end = Instant::now() + JUDGING_TIME;
            self.engine.scripts.limits().set_deadline(Some(end));
        }
        Ok(Outcome::of(Acted::by_others(), Some(&server), self.endpoint_by_name()?))
    }

    /// Whatever client comes reaches the double over a real socket.
    fn visited(&self, visitor: &Visitor, executed: &mut Executed) -> Result<Outcome, Stopped> {
        let (server, serving) = self.serve_on_loopback(
            OnLoopback::at(visitor.port),
            self.wire.clone().watched(visitor.watch.clone()),
            &self.handlers,
            self.script,
            executed,
        )?;
        // However long the visit takes: a call of a handler has other limits.
        let limits = self.engine.scripts.limits();
        limits.set_deadline(None);
        (visitor.announce)(&server.url(), &self.environment(&server));
        self.runtime.block_on(visitor.leave.cancelled());
        self.runtime.block_on(serving.close());
        limits.set_deadline(Some(Instant::now() + self.settings.timeout));
        Ok(Outcome::of(Acted::by_others(), Some(&server), self.endpoint_by_name()?))
    }

    /// Serves what `served` scripts at `addresses`, recorded on `wire`.
    fn serve_on_loopback(
        &self,
        addresses: OnLoopback,
        wire: Wire,
        handlers: &Handlers,
        served: &Script,
        executed: &mut Executed,
    ) -> Result<(Server, LoopbackHandle), Stopped> {
        let double = Arc::new(Double::new(self.settings.scale));
        let server = self.serve(&double, Arc::new(addresses.clone()), handlers, served)?;
        executed.origins = self.named_origins(&server);
        let recorder = Arc::new(Recorder::new(double, wire));
        let serving = addresses.take().serve(recorder).map_err(no_socket)?;
        Ok((server, serving))
    }

    /// What an external client finds in its environment.
    fn environment(&self, server: &Server) -> [(&'static str, String); 3] {
        [
            (SCENARIO_VARIABLE, self.scenario().to_owned()),
            (VERSION_VARIABLE, self.profile.revision.as_str().to_owned()),
            (CONTEXT_VARIABLE, self.context(Some(server)).to_string()),
        ]
    }

    /// The word by which clients know the task.
    fn scenario(&self) -> &str {
        self.check.header.scenario.as_deref().unwrap_or(&self.check.id)
    }

    /// What a client is told: what the profile says, and what the script that
    /// plays `server` says over it. Of the policy, the script may say a part.
    fn context(&self, server: Option<&Server>) -> Value {
        let mut context = json!({
            "name": self.scenario(),
            "check": self.check.id,
            "policy": self.profile.policy,
        });
        if let Some(case) = self.case {
            context["case"] = case.into();
        }
        let said = server.map(Server::context).unwrap_or_default();
        if let (Some(members), Ok(Value::Object(mut said))) =
            (context.as_object_mut(), crate::script::value::to_json(&said.into()))
        {
            if let (Some(Value::Object(policy)), Some(Value::Object(part))) =
                (members.get_mut("policy"), said.get("policy").cloned())
            {
                policy.extend(part);
                said.remove("policy");
            }
            members.extend(said);
        }
        context
    }

    /// The built-in client reaches a server from outside.
    fn external_server(&self, url: &Uri, executed: &mut Executed) -> Result<Outcome, Stopped> {
        let http = Arc::new(Recorder::new(Live::new(), self.wire.clone()));
        let acted = self.act(http, url.clone(), self.context(None));
        let exchanges = self.wire.exchanges();
        if !exchanges.is_empty() && exchanges.iter().all(|exchange| exchange.response.is_none()) {
            executed.trouble = Some(Trouble::Subject(Arc::new(miette::miette!(
                code = "server::unreachable",
                help = "look whether the server runs there and speaks HTTP",
                "the server at {url} answered nothing"
            ))));
        }
        Ok(Outcome::of(acted?, None, url.clone()))
    }

    fn serve(
        &self,
        double: &Arc<Double>,
        addresses: Arc<dyn Addresses>,
        handlers: &Handlers,
        served: &Script,
    ) -> Result<Server, Stopped> {
        let is_accepted = self.profile.is_accepted();
        let required = is_accepted.then(|| self.profile.policy.required.clone());
        let behaviour = Behaviour {
            revision: self.profile.revision,
            session: self.profile.server.session.clone(),
            framing: self.profile.server.framing,
            declares: required.unwrap_or_default(),
            lacks: self.profile.server.lacks.clone(),
            path: ENDPOINT_PATH.to_owned(),
        };
        let server = Server::new(behaviour, double.clone(), addresses, handlers.clone())
            .map_err(no_socket)?;
        let _ = self.call(served, "serve", Dynamic::from(server.clone()))?;
        // A check of what the profile's server lacks has nothing to look at, and one whose
        // server has to lack what the policy requires nobody to look at it.
        let reason = match (server.withheld().first(), server.undeclared().first()) {
            (Some(path), _) => format!("the profile's server lacks `{path}`"),
            (_, Some(path)) => format!("the profile's policy requires `{path}`"),
            _ => return Ok(server),
        };
        if is_accepted { Err(Stopped::Trouble(Trouble::Skipped(reason))) } else { Ok(server) }
    }

    /// Calls an entry of a script with its subject, and with the case's name if
    /// it takes one.
    fn call(&self, script: &Script, name: &str, subject: Dynamic) -> Result<Dynamic, Stopped> {
        let scripts = &self.engine.scripts;
        Ok(match (script.parameters(name), self.case) {
            (Some(2), case) => {
                let case = case.map_or(Dynamic::UNIT, |case| Dynamic::from(case.to_owned()));
                scripts.invoke(script, name, (subject, case))?
            }
            _ => scripts.invoke(script, name, (subject,))?,
        })
    }

    /// The endpoint as the double knows it, whatever port it is served on.
    fn endpoint_by_name(&self) -> Result<Uri, Stopped> {
        parse_url(&format!("http://{}{ENDPOINT_PATH}", authority(SERVER_ORIGIN)))
    }

    /// Origins by the name that the double knows, and by their port.
    fn named_origins(&self, server: &Server) -> Vec<(String, String)> {
        let mut origins = server.origins();
        let by_name: Vec<_> = origins
            .iter()
            .map(|(_, name)| (format!("http://{}", authority(name)), name.clone()))
            .collect();
        origins.extend(by_name);
        origins
    }
}

/// What an execution without a fault keeps, for faults to be played over it.
struct Kept {
    outcome: Outcome,
    passed: Passed,
    /// The runtime on which it was executed; making one takes longer than most faults.
    runtime: Arc<Runtime>,
    observation: Arc<Observation>,
    wire: WireSchema,
    /// What a fault can change of what is seen, as text.
    text: String,
}

/// What is left when the subject is done.
struct Outcome {
    result: Dynamic,
    notes: Map,
    /// What the host kept; `None` if there was none.
    record: Option<Record>,
    /// The MCP endpoint as the recorded exchanges name it.
    endpoint: Uri,
    /// What a script wrote itself, byte for byte.
    as_written: AsWritten,
}

impl Outcome {
    /// What is left of the client, or the host, and of the server that a script
    /// plays, if one does.
    fn of(acted: Acted, server: Option<&Server>, endpoint: Uri) -> Outcome {
        Outcome {
            result: acted.result,
            notes: server.map(Server::notes).unwrap_or_default(),
            record: acted.record,
            endpoint,
            as_written: AsWritten {
                requests: acted.raw,
                responses: server.map(Server::sent_verbatim).unwrap_or_default(),
            },
        }
    }

    /// A copy that shares nothing that a judge or a fault can change.
    fn copy(&self) -> Outcome {
        Outcome {
            result: deep_copy(&self.result),
            notes: self.notes.clone(),
            record: self.record.as_ref().map(Record::copy),
            endpoint: self.endpoint.clone(),
            as_written: self.as_written.clone(),
        }
    }
}

fn parse_url(url: &str) -> Result<Uri, Stopped> {
    url.parse().map_err(|error| {
        let report = miette::miette!("`{url}` is not a URL: {error}");
        Stopped::Trouble(Trouble::Broken(Arc::new(report)))
    })
}

fn broken(error: impl Into<miette::Report>) -> Stopped {
    Stopped::Trouble(Trouble::Broken(Arc::new(error.into())))
}

fn no_socket(error: std::io::Error) -> Stopped {
    let report = miette::miette!("no socket could be opened on 127.0.0.1: {error}");
    Stopped::Trouble(Trouble::Subject(Arc::new(report)))
}
