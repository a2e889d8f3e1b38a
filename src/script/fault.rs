//! Faults: deliberate misbehaviours, which show that a check can fail. A
//! [`Fault`] is one of them in one execution.
//!
//! A fault is a script with one or more of these functions, which may take a
//! second parameter, a map that they share and that lasts for one execution:
//!
//! - `request(request)` sees each request before it is sent,
//! - `response(response)` sees each response before it is received: a JSON body
//!   whole; an event stream first as a head without a body, then event by event
//!   as the events come, so that a stream that waits for the client still can,
//! - `seen(seen)` sees what `drive` returned before it is judged.
//!
//! They change the message in place, and what they return says what becomes of
//! it (a directive). If a request gets another id, the responses to it are
//! given back the first one: so the sender goes on as one does that chose that
//! id itself.

mod connection;
mod message;
mod tap;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rhai::{Dynamic, Map};
use serde_json::Value;

pub use self::connection::Faulty;
pub use self::message::HttpMessage;
pub use self::tap::{Passed, Tap};

use self::message::State;
use self::tap::Passing;
use super::action::json_value;
use super::api::{Api, ScriptType};
use super::engine::{Script, ScriptEngine};
use super::error::ScriptError;
use super::handler::Handlers;
use crate::check::SourceText;
use crate::wire::Request;

/// A fault as it was read: its name, its text, and what became of it so far.
pub struct FaultScript {
    /// Its file's name without the ending.
    pub name: String,
    /// The script.
    pub source: SourceText,
    fired: AtomicU64,
    broken: Mutex<Option<Arc<miette::Report>>>,
}

/// The functions that a fault may have.
const FUNCTIONS: [&str; 3] = ["request", "response", "seen"];

impl FaultScript {
    /// A fault that has done nothing yet.
    pub fn new(name: String, source: SourceText) -> Self {
        FaultScript { name, source, fired: AtomicU64::new(0), broken: Mutex::default() }
    }

    /// Compiles the fault.
    ///
    /// # Errors
    /// [`ScriptError`] if it does not compile, or has none of the functions
    /// that a fault has, or one with another number of parameters.
    pub fn compile(&self, scripts: &ScriptEngine) -> Result<Script, ScriptError> {
        let script = scripts.compile(&self.source)?;
        let counts = FUNCTIONS.map(|name| script.parameters(name));
        if counts.iter().all(Option::is_none) {
            return Err(ScriptError::new(
                format!("the fault `{}` has no function that could change anything", self.name),
                "give it `request(request)`, `response(response)` or `seen(seen)`",
            ));
        }
        for (name, count) in FUNCTIONS.iter().zip(counts) {
            let most = if *name == "seen" { 1 } else { 2 };
            if let Some(count) = count.filter(|count| !(1..=most).contains(count)) {
                return Err(ScriptError::new(
                    format!("`{name}` of the fault `{}` takes {count} parameters", self.name),
                    "it takes what it changes; `request` and `response` also a map to remember in",
                ));
            }
        }
        Ok(script)
    }

    /// How often it changed something.
    pub fn times_fired(&self) -> u64 {
        self.fired.load(Ordering::Relaxed)
    }

    /// Counts that it changed something.
    pub fn fired(&self) {
        self.fired.fetch_add(1, Ordering::Relaxed);
    }

    /// The first error that it ended with, if it is broken.
    pub fn broken(&self) -> Option<Arc<miette::Report>> {
        self.broken.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Remembers that it is broken.
    pub fn breaks(&self, report: Arc<miette::Report>) {
        self.broken.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(report);
    }
}

/// A fault in one execution.
pub struct Fault {
    of: Arc<FaultScript>,
    handlers: Handlers,
    on_request: bool,
    on_response: bool,
    /// What its functions remember.
    memory: Dynamic,
    /// Requests that wait until after the next one that goes on.
    held: Mutex<Vec<Request>>,
}

impl Fault {
    /// The fault of `script`, whose functions `handlers` calls.
    pub fn new(of: Arc<FaultScript>, script: &Script, handlers: Handlers) -> Self {
        Fault {
            of,
            handlers,
            on_request: script.parameters("request").is_some(),
            on_response: script.parameters("response").is_some(),
            memory: Dynamic::from(Map::new()).into_shared(),
            held: Mutex::default(),
        }
    }

    /// The handlers, which hold the first error of its functions.
    pub fn handlers(&self) -> &Handlers {
        &self.handlers
    }

    /// Lets `function` change `message`; says what becomes of it, and whether it
    /// is another now.
    fn apply(&self, function: &str, message: &HttpMessage) -> (Directive, bool) {
        let (directive, changed) = self.consult(function, message);
        if changed || directive != Directive::Pass {
            self.of.fired();
        }
        (directive, changed)
    }

    /// Whether it would change, add, drop, delay or reorder any of the messages of
    /// an execution without it, or cannot be asked.
    ///
    /// It is asked in the order in which it would be asked in an execution of its
    /// own. Until it changes something that one is the same as without it: so the
    /// answer is exact, whatever it remembers.
    pub fn would_change(&self, passed: &Passed) -> bool {
        if !passed.is_exact(self.on_response) {
            return true;
        }
        passed.any(|passing, state| {
            let function = match passing {
                Passing::Request if self.on_request => "request",
                Passing::Response if self.on_response => "response",
                Passing::Request | Passing::Response => return false,
            };
            let message = HttpMessage::new(state.clone());
            self.consult(function, &message) != (Directive::Pass, false) || self.is_broken()
        })
    }

    fn is_broken(&self) -> bool {
        self.handlers.has_failed()
    }

    fn consult(&self, function: &str, message: &HttpMessage) -> (Directive, bool) {
        let before = message.state().clone();
        let arguments = vec![Dynamic::from(message.clone()), self.memory.clone()];
        let called = self.handlers.call(function, arguments);
        let directive = match called {
            Ok(returned) => returned.try_cast::<Directive>().unwrap_or(Directive::Pass),
            Err(error) => {
                self.handlers.fail(error);
                Directive::Pass
            }
        };
        let changed = *message.state() != before;
        (directive, changed)
    }
}

/// What becomes of a message after the fault saw it.
#[derive(Clone, Debug, PartialEq)]
enum Directive {
    /// It goes on as it is now.
    Pass,
    /// It does not go on. The sender of a request is told that it was taken in;
    /// the receiver of a response, that nothing came yet.
    Drop,
    /// It does not go on, and the sender of a request is told this JSON.
    Tell(Value),
    /// It goes on twice.
    Duplicate,
    /// This request is sent before it goes on.
    After(Box<State>),
    /// It goes on after the next one that does.
    HoldBack,
    /// It goes on after this time.
    Delay(Duration),
    /// A response, or what follows of a stream, is not read any more.
    StopReading,
}

impl ScriptType for Directive {
    const NAME: &'static str = "Directive";
}

/// Declares what a fault can reach.
pub(super) fn declare(api: &mut Api) {
    message::declare(api);
    api.opaque::<Directive>();
    api.functions(
        "fault directives",
        "What a fault can return; nothing lets the message go on as it is now.",
    )
    .doc("The message does not go on.")
    .function("drop() -> Directive", |()| Directive::Drop)
    .doc("The request does not go on; the client is answered with this JSON instead.")
    .function("drop(answer: map) -> Directive", |told: Map| {
        json_value(&told.into()).map(Directive::Tell)
    })
    .doc("The message goes on twice.")
    .function("duplicate() -> Directive", |()| Directive::Duplicate)
    .doc("The message goes on so much later, on the execution's own clock.")
    .function("delay(milliseconds: integer) -> Directive", |milliseconds: i64| {
        Directive::Delay(Duration::from_millis(u64::try_from(milliseconds).unwrap_or(0)))
    })
    .doc("A request goes on after the next one that does.")
    .function("hold_back() -> Directive", |()| Directive::HoldBack)
    .doc("A response, or what follows of a stream, is not read any more.")
    .function("stop_reading() -> Directive", |()| Directive::StopReading)
    .doc("Another request goes before this one.")
    .function("send_before(message: HttpMessage) -> Directive", |first: HttpMessage| {
        Directive::After(Box::new(first.state().clone()))
    });
}

#[cfg(test)]
mod tests;
