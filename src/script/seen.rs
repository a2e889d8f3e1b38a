//! `seen`: what a judge looks at, and how it decides. The main type is
//! [`Seen`].

mod deciding;
mod functions;
mod kept;
mod messages;
mod walk;

use std::sync::{Arc, Mutex, PoisonError};

use http::Method;
use rhai::{Dynamic, FnPtr, Map, NativeCallContext, Position};

pub(super) use self::functions::declare;

use self::walk::{change_answers, change_maps};
use super::api::{Evaluated, ScriptType};
use super::decisions::{Decisions, Said};
use super::host::Record;
use super::observation::{Message, MessageData, Observation, SeenExchange};
use super::value::{Absent, List, to_json};
use crate::check::{Checkpoint, Decision, Place};
use crate::mcp::Revision;

/// Finds the place of a call in the source texts.
pub type Locate = dyn Fn(Option<&str>, Position) -> Option<Place> + Send + Sync;

/// What a judge looks at and decides with. A clone is another handle.
#[derive(Clone)]
pub struct Seen(Arc<Inner>);

struct Inner {
    observation: Arc<Observation>,
    checkpoints: Vec<Checkpoint>,
    revision: Revision,
    /// Whether the built-in client is the subject; if not, what only it can
    /// show is not decided here.
    builtin: bool,
    paused_clock: bool,
    profile: Map,
    state: Mutex<State>,
    locate: Arc<Locate>,
}

struct State {
    result: Dynamic,
    notes: Map,
    record: Option<Record>,
    decisions: Decisions,
}

/// What a [`Seen`] is made of.
pub struct Parts {
    /// What crossed the wire.
    pub observation: Arc<Observation>,
    /// Every checkpoint of the check.
    pub checkpoints: Vec<Checkpoint>,
    /// The revision in force.
    pub revision: Revision,
    /// Whether the built-in client is the subject.
    pub builtin: bool,
    /// Whether times are exact, because nothing but the script lets them pass.
    pub paused_clock: bool,
    /// What the profile says, as a map.
    pub profile: Map,
    /// What `drive` returned.
    pub result: Dynamic,
    /// What the script noted.
    pub notes: Map,
    /// What the host kept; `None` if there was none.
    pub record: Option<Record>,
    /// Finds the place of a call.
    pub locate: Arc<Locate>,
}

impl ScriptType for Seen {
    const NAME: &'static str = "Seen";
}

impl Seen {
    /// What is judged.
    pub fn new(parts: Parts) -> Self {
        let state = State {
            result: parts.result,
            notes: parts.notes,
            record: parts.record,
            decisions: Decisions::default(),
        };
        Seen(Arc::new(Inner {
            observation: parts.observation,
            checkpoints: parts.checkpoints,
            revision: parts.revision,
            builtin: parts.builtin,
            paused_clock: parts.paused_clock,
            profile: parts.profile,
            state: Mutex::new(state),
            locate: parts.locate,
        }))
    }

    /// What was decided so far.
    pub fn decisions(&self) -> Decisions {
        self.state().decisions.clone()
    }

    /// Forgets what was decided, so that it is judged once more.
    pub fn forget_decisions(&self) {
        self.state().decisions = Decisions::default();
    }

    /// What `drive` or `operate` returned and what the host kept, whole and as
    /// text: to see whether a fault changed it.
    pub fn text(&self) -> String {
        let state = self.state();
        let mut text = to_json(&state.result).map_or_else(|other| other, |json| json.to_string());
        if let Some(record) = &state.record {
            text.push('\n');
            text.push_str(&record.text());
        }
        text
    }

    /// Hands each map in what `drive` or `operate` returned, the inner ones
    /// first, to `change`, which returns what takes its place.
    fn change_maps(&self, context: &NativeCallContext<'_>, change: &FnPtr) -> Evaluated<()> {
        let result = self.state().result.clone();
        let changed = change_maps(context, &result, change)?;
        self.state().result = changed;
        Ok(())
    }

    /// Hands each answer of the client, however deep it stands in what `drive`
    /// returned, to `change` as a message whose JSON is `#{ ok, value }` or
    /// `#{ ok, error }`; what became of it takes the answer's place.
    fn change(&self, context: &NativeCallContext<'_>, change: &FnPtr) -> Evaluated<()> {
        let result = self.state().result.clone();
        let changed = change_answers(context, &result, change)?;
        self.state().result = changed;
        Ok(())
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn messages(&self, wanted: impl Fn(&MessageData) -> bool) -> List {
        let observation = &self.0.observation;
        observation.sent.iter().filter(|data| wanted(data)).map(|data| self.message(data)).collect()
    }

    fn message(&self, data: &Arc<MessageData>) -> Dynamic {
        Dynamic::from(Message { observation: self.0.observation.clone(), data: data.clone() })
    }

    fn exchanges(&self, wanted: impl Fn(&crate::wire::Exchange) -> bool) -> List {
        let observation = &self.0.observation;
        let found = observation.exchanges.iter().filter(|exchange| wanted(exchange));
        found.map(|exchange| exchange_value(observation, exchange.index)).collect()
    }

    /// The exchanges with the MCP endpoint, of one HTTP method or of every one.
    fn endpoint(&self, method: Option<&Method>) -> List {
        self.exchanges(|exchange| {
            method.is_none_or(|method| exchange.method == *method)
                && self.0.observation.is_mcp(exchange)
        })
    }

    fn calls(&mut self, name: &str) -> List {
        self.messages(|data| {
            data.is_request()
                && data.method() == Some("tools/call")
                && data.json()["params"]["name"] == name
        })
    }

    fn received(&mut self) -> List {
        self.0.observation.received().iter().map(|data| self.message(data)).collect()
    }

    /// Whether the first message of the method `first` was sent before the
    /// first of `second`; absent if there is none of `second`.
    fn before(&mut self, first: &str, second: &str) -> Dynamic {
        let sent = &self.0.observation.sent;
        let place = |method| sent.iter().position(|data| data.method() == Some(method));
        let Some(second) = place(second) else { return Dynamic::from(Absent) };
        self.0.observation.touch(sent[second].exchange());
        place(first).is_some_and(|first| first < second).into()
    }

    /// Adds a decision, if the checkpoint is claimed here; `said` gets an empty
    /// decision that knows its place.
    fn decide(
        &self,
        context: &NativeCallContext<'_>,
        id: &str,
        said: impl FnOnce(Decision) -> Said,
    ) -> Evaluated<()> {
        let exchange = self.0.observation.take_touched();
        if !self.0.checkpoints.iter().any(|checkpoint| checkpoint.id == id) {
            let known = self.0.checkpoints.iter().map(|checkpoint| checkpoint.id.as_str());
            let near = crate::check::nearest::nearest(id, known);
            let hint = match near.first() {
                Some(near) => format!("; did you mean `{near}`?"),
                None => String::new(),
            };
            return Err(format!("the header declares no checkpoint `{id}`{hint}").into());
        }
        let claimed = self.0.checkpoints.iter().any(|checkpoint| {
            checkpoint.id == id
                && checkpoint.applies_to(self.0.revision)
                && (self.0.builtin || !checkpoint.builtin)
        });
        if claimed {
            let place = (self.0.locate)(context.call_source(), context.call_position());
            let said = said(Decision { place, exchange, ..Decision::default() });
            self.state().decisions.add(id, said);
        }
        Ok(())
    }
}

fn exchange_value(observation: &Arc<Observation>, index: usize) -> Dynamic {
    Dynamic::from(SeenExchange { observation: observation.clone(), index })
}
