//! The far side of one execution, on each subject: the double in memory or behind a
//! socket, for the built-in client, a process or a visitor; or a server from outside.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http::Uri;
use rhai::Dynamic;

use super::acting::Acted;
use super::executed::{Executed, Outcome};
use super::stage::{Stage, Stopped};
use crate::check::CheckKind;
use crate::mcp::server::Behaviour;
use crate::runner::addresses::{InMemory, OnLoopback};
use crate::runner::event::Trouble;
use crate::runner::process::{self, Ended};
use crate::runner::subject::{Command, Subject, Visitor};
use crate::script::Script;
use crate::script::fault::{Faulty, Tap};
use crate::script::handler::Handlers;
use crate::script::server::{Addresses, ENDPOINT_PATH, SERVER_ORIGIN, Server, authority};
use crate::wire::live::Live;
use crate::wire::loopback::LoopbackHandle;
use crate::wire::{Double, HttpClient, Recorder, Wire};

/// The server that checks of servers run against by themselves, unless they name
/// another one.
const REFERENCE_SERVER: &str = "reference";

/// How long the judge has for a client whose time was up.
const JUDGING_TIME: Duration = Duration::from_secs(5);

impl Stage<'_> {
    /// A check of a client: the script's server is the far side.
    pub(super) fn client_check(&self) -> Executed {
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
    pub(super) fn server_check(&self) -> Executed {
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
        command: &Command,
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

fn parse_url(url: &str) -> Result<Uri, Stopped> {
    url.parse().map_err(|error| {
        let report = miette::miette!("`{url}` is not a URL: {error}");
        Stopped::Trouble(Trouble::Broken(Arc::new(report)))
    })
}

fn no_socket(error: std::io::Error) -> Stopped {
    let report = miette::miette!("no socket could be opened on 127.0.0.1: {error}");
    Stopped::Trouble(Trouble::Subject(Arc::new(report)))
}
