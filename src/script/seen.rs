//! `seen`: what a judge looks at, and how it decides. The main type is
//! [`Seen`].

mod kept;
mod walk;

use std::sync::{Arc, Mutex, PoisonError};

use http::Method;
use rhai::{Array, Dynamic, Engine, EvalAltResult, FnPtr, Map, NativeCallContext, Position};
use serde_json::Value;

use self::walk::{change_answers, change_maps};
use super::decisions::{Decisions, Said};
use super::host::Record;
use super::list::holds;
use super::observation::{Message, MessageData, Observation, SeenExchange, aborted, header};
use super::types::what;
use super::value::{Absent, List, describe, from_json, json_equal, to_json};
use crate::check::{Checkpoint, Decision, Place};
use crate::mcp::json_schema::{misfit, wrong_schema};
use crate::mcp::{Revision, mirror};
use crate::wire::exchange::End;

type Evaluated<T> = Result<T, Box<EvalAltResult>>;

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
    fn change_maps(context: NativeCallContext, seen: &mut Seen, change: FnPtr) -> Evaluated<()> {
        let result = seen.state().result.clone();
        let changed = change_maps(&context, &result, &change)?;
        seen.state().result = changed;
        Ok(())
    }

    /// Hands each answer of the client, however deep it stands in what `drive`
    /// returned, to `change` as a message whose JSON is `#{ ok, value }` or
    /// `#{ ok, error }`; what became of it takes the answer's place.
    fn change(context: NativeCallContext, seen: &mut Seen, change: FnPtr) -> Evaluated<()> {
        let result = seen.state().result.clone();
        let changed = change_answers(&context, &result, &change)?;
        seen.state().result = changed;
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
        context: &NativeCallContext,
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

const NOT_EXERCISED: &str = "not exercised";
const EMPTY_LIST: &str = "not exercised: the list is empty";

fn check(
    context: NativeCallContext,
    seen: &mut Seen,
    id: &str,
    condition: Dynamic,
) -> Evaluated<()> {
    seen.decide(&context, id, |decision| {
        if condition.is::<Absent>() {
            return Said::Absent(Decision { reason: NOT_EXERCISED.to_owned(), ..decision });
        }
        match condition.as_bool() {
            Ok(true) => Said::Held,
            Ok(false) => {
                Said::NotHeld(Decision { reason: "the condition is false".to_owned(), ..decision })
            }
            Err(_) => Said::NotHeld(Decision {
                reason: "the condition is neither true nor false".to_owned(),
                expected: Some("true".to_owned()),
                actual: Some(describe(&condition)),
                ..decision
            }),
        }
    })
}

fn equal(
    context: NativeCallContext,
    seen: &mut Seen,
    id: &str,
    actual: Dynamic,
    expected: Dynamic,
) -> Evaluated<()> {
    if holds_absent(&expected) {
        return check(context, seen, id, Dynamic::from(Absent));
    }
    let wanted = to_json(&expected)
        .map_err(|found| format!("what is expected has to be a JSON value, not {found}"))?;
    seen.decide(&context, id, |decision| {
        let decision = Decision {
            expected: Some(describe(&expected)),
            actual: Some(describe(&actual)),
            ..decision
        };
        if actual.is::<Absent>() {
            return Said::Absent(Decision { reason: NOT_EXERCISED.to_owned(), ..decision });
        }
        match to_json(&actual) {
            Ok(found) if json_equal(&found, &wanted) => Said::Held,
            _ => Said::NotHeld(Decision { reason: "the values differ".to_owned(), ..decision }),
        }
    })
}

/// The items of a list, an array, or nothing if it is absent.
fn items(list: &Dynamic) -> Evaluated<Vec<Dynamic>> {
    if let Some(list) = list.read_lock::<List>() {
        return Ok(list.0.to_vec());
    }
    if let Some(array) = list.read_lock::<Array>() {
        return Ok(array.to_vec());
    }
    if list.is::<Absent>() || list.is_unit() {
        return Ok(Vec::new());
    }
    Err(format!("a list was expected, not {}", what(list)).into())
}

/// Decides `every` (`wanted` true) and `none` (`wanted` false).
fn for_all(
    context: &NativeCallContext,
    seen: &Seen,
    id: &str,
    list: &Dynamic,
    predicate: &FnPtr,
    wanted: bool,
) -> Evaluated<()> {
    let items = items(list)?;
    let mut unknown = None;
    for (index, item) in items.iter().enumerate() {
        match holds(context, predicate, item)? {
            Some(held) if held == wanted => continue,
            Some(_) => {}
            None => {
                unknown = unknown.or(Some(index));
                continue;
            }
        }
        seen.0.observation.touch(exchange_of(item));
        return seen.decide(context, id, |decision| {
            let words = if wanted { "does not hold" } else { "holds" };
            Said::NotHeld(Decision {
                reason: format!("it {words} for item {} of {}", index + 1, items.len()),
                actual: Some(describe_item(item)),
                ..decision
            })
        });
    }
    seen.decide(context, id, |decision| match (items.len(), unknown) {
        (0, _) => Said::Absent(Decision { reason: EMPTY_LIST.to_owned(), ..decision }),
        (number, Some(index)) => {
            let reason = format!(
                "{NOT_EXERCISED}: what it is about never happened for item {} of {number}",
                index + 1
            );
            Said::Absent(Decision { reason, ..decision })
        }
        _ => Said::Held,
    })
}

/// Decides `some`: one item is enough.
fn some(
    context: NativeCallContext,
    seen: &mut Seen,
    id: &str,
    list: Dynamic,
    predicate: FnPtr,
) -> Evaluated<()> {
    let items = items(&list)?;
    let found = find(&context, &items, &predicate)?;
    touch_last(seen, &items);
    seen.decide(&context, id, |decision| match found {
        _ if items.is_empty() => {
            Said::Absent(Decision { reason: EMPTY_LIST.to_owned(), ..decision })
        }
        Found::One => Said::Held,
        Found::Unknown => Said::Absent(Decision { reason: NOT_EXERCISED.to_owned(), ..decision }),
        Found::None => Said::NotHeld(Decision {
            reason: match items.len() {
                1 => "it does not hold for the only item".to_owned(),
                number => format!("it holds for none of {number} items"),
            },
            actual: items.last().map(describe_item),
            ..decision
        }),
    })
}

/// Decides `goal`: one message is enough that was accepted and answered as a
/// success.
fn goal(
    context: NativeCallContext,
    seen: &mut Seen,
    id: &str,
    list: Dynamic,
    predicate: FnPtr,
) -> Evaluated<()> {
    let items = items(&list)?;
    let (mut succeeded, mut others, mut last_other) = (Vec::new(), Vec::new(), None);
    for item in items {
        let Some(message) = item.read_lock::<Message>().map(|message| message.clone()) else {
            return Err("a goal is reached by requests: the list has to hold messages".into());
        };
        if message.succeeded() {
            succeeded.push(item);
        } else {
            others.push(item);
            last_other = Some(message);
        }
    }
    let found = find(&context, &succeeded, &predicate)?;
    let wanted = find(&context, &others, &predicate);
    touch_last(seen, &succeeded);
    touch_last(seen, &others);
    seen.decide(&context, id, |decision| match (found, succeeded.last(), last_other) {
        (_, None, None) => {
            let reason = format!("{NOT_EXERCISED}: nothing was sent for it");
            Said::Absent(Decision { reason, ..decision })
        }
        (Found::One, ..) => Said::Held,
        (Found::Unknown, ..) => {
            Said::Absent(Decision { reason: NOT_EXERCISED.to_owned(), ..decision })
        }
        // What would have been right did not succeed: that says most.
        (_, _, Some(message)) if succeeded.is_empty() || matches!(wanted, Ok(Found::One)) => {
            Said::NotHeld(Decision {
                reason: format!("what was sent for it {}", message.fate()),
                actual: Some(message.data.json()["params"].to_string()),
                ..decision
            })
        }
        (_, last, _) => Said::NotHeld(Decision {
            reason: "what was sent for it is something else".to_owned(),
            actual: last.map(describe_item),
            ..decision
        }),
    })
}

/// What a search for one item came to.
#[derive(Clone, Copy)]
enum Found {
    One,
    None,
    Unknown,
}

fn find(context: &NativeCallContext, items: &[Dynamic], predicate: &FnPtr) -> Evaluated<Found> {
    let mut found = Found::None;
    for item in items {
        match holds(context, predicate, item)? {
            Some(true) => return Ok(Found::One),
            Some(false) => {}
            None => found = Found::Unknown,
        }
    }
    Ok(found)
}

fn touch_last(seen: &Seen, items: &[Dynamic]) {
    seen.0.observation.touch(items.last().and_then(exchange_of));
}

/// Whether a value is absent, or an array or a map that holds something absent.
fn holds_absent(value: &Dynamic) -> bool {
    if let Some(array) = value.read_lock::<Array>() {
        return array.iter().any(holds_absent);
    }
    if let Some(map) = value.read_lock::<Map>() {
        return map.values().any(holds_absent);
    }
    value.is::<Absent>()
}

fn exchange_of(item: &Dynamic) -> Option<usize> {
    if let Some(message) = item.read_lock::<Message>() {
        return message.data.exchange();
    }
    item.read_lock::<SeenExchange>().map(|exchange| exchange.index)
}

fn describe_item(item: &Dynamic) -> String {
    match item.read_lock::<SeenExchange>() {
        Some(exchange) => match exchange.get() {
            Some(seen) => {
                format!("exchange {}: {} {}", exchange.index, seen.method, seen.uri.path())
            }
            None => format!("exchange {}", exchange.index),
        },
        None => describe(item),
    }
}

fn skip(context: NativeCallContext, seen: &mut Seen, id: &str, reason: &str) -> Evaluated<()> {
    let reason = reason.to_owned();
    seen.decide(&context, id, |decision| Said::Skipped(Decision { reason, ..decision }))
}

fn optional(text: Option<String>) -> Dynamic {
    text.map_or(Dynamic::UNIT, Dynamic::from)
}

fn milliseconds(time: std::time::Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// Registers `seen`, its messages and its exchanges.
pub(super) fn register(engine: &mut Engine) {
    kept::register(engine);
    engine
        .register_type_with_name::<Seen>("Seen")
        .register_get("exchanges", |seen: &mut Seen| seen.exchanges(|_| true))
        .register_get("requests", |seen: &mut Seen| seen.messages(MessageData::is_request))
        .register_get("notifications", |seen: &mut Seen| {
            seen.messages(MessageData::is_notification)
        })
        .register_get("responses", |seen: &mut Seen| seen.messages(MessageData::is_response))
        .register_get("messages", |seen: &mut Seen| seen.messages(|_| true))
        .register_get("received", Seen::received)
        .register_get("endpoint", |seen: &mut Seen| seen.endpoint(None))
        .register_get("posts", |seen: &mut Seen| seen.endpoint(Some(&Method::POST)))
        .register_get("gets", |seen: &mut Seen| seen.endpoint(Some(&Method::GET)))
        .register_get("deletes", |seen: &mut Seen| seen.endpoint(Some(&Method::DELETE)))
        .register_fn("calls", Seen::calls)
        .register_fn("before", Seen::before)
        .register_get("result", |seen: &mut Seen| seen.state().result.clone())
        .register_fn("change", Seen::change)
        .register_fn("change_maps", Seen::change_maps)
        .register_set("result", |seen: &mut Seen, result: Dynamic| seen.state().result = result)
        .register_get("notes", |seen: &mut Seen| seen.state().notes.clone())
        .register_get("profile", |seen: &mut Seen| seen.0.profile.clone())
        .register_get("has_handshake", |seen: &mut Seen| seen.0.revision.has_handshake())
        .register_get("revision", |seen: &mut Seen| seen.0.revision.as_str())
        .register_get(
            "clock",
            |seen: &mut Seen| if seen.0.paused_clock { "paused" } else { "real" },
        )
        .register_fn("check", check)
        .register_fn("equal", equal)
        .register_fn(
            "every",
            |context: NativeCallContext, seen: &mut Seen, id: &str, list: Dynamic, holds: FnPtr| {
                for_all(&context, seen, id, &list, &holds, true)
            },
        )
        .register_fn(
            "none",
            |context: NativeCallContext, seen: &mut Seen, id: &str, list: Dynamic, holds: FnPtr| {
                for_all(&context, seen, id, &list, &holds, false)
            },
        )
        .register_fn("some", some)
        .register_fn("goal", goal)
        .register_fn("wrong_schema", |_: &mut Seen, schema: Dynamic| {
            to_json(&schema).map_or(Dynamic::UNIT, |schema| optional(wrong_schema(&schema)))
        })
        .register_fn("misfit", |_: &mut Seen, schema: Dynamic, value: Dynamic| {
            match (to_json(&schema), to_json(&value)) {
                (Ok(schema), Ok(value)) => optional(misfit(&schema, &value)),
                _ => Dynamic::UNIT,
            }
        })
        .register_fn("skip", skip);
    register_message(engine);
    register_exchange(engine);
}

fn register_message(engine: &mut Engine) {
    engine.register_type_with_name::<Message>("Message");
    for name in ["jsonrpc", "method", "id", "params", "result", "error"] {
        engine.register_get(name, move |message: &mut Message| from_json(message.member(name)));
    }
    engine
        .register_get("arguments", |message: &mut Message| {
            from_json(&message.member("params")["arguments"])
        })
        .register_fn("has", |message: &mut Message, name: &str| {
            !message.member(name).is_null() || message.data.json().get(name).is_some()
        })
        .register_get("response", |message: &mut Message| match message.response() {
            Some(response) => Dynamic::from(response),
            None => Dynamic::from(Absent),
        })
        .register_get("exchange", |message: &mut Message| match message.exchange() {
            Some(exchange) => Dynamic::from(exchange),
            None => Dynamic::from(Absent),
        })
        .register_get("accepted", |message: &mut Message| message.is_accepted())
        .register_get("succeeded", |message: &mut Message| message.succeeded())
        .register_fn("header", |message: &mut Message, name: &str| {
            optional(message.carried(|exchange| header(&exchange.headers, name)))
        })
        .register_fn("mirrored", |message: &mut Message, name: &str| {
            optional(message.carried(|exchange| {
                let mut values = exchange.headers.get_all(name).iter();
                let value = values.next().filter(|_| values.next().is_none());
                value.and_then(mirror::decode)
            }))
        })
        .register_get("at", |message: &mut Message| {
            message.observation.touch(message.data.exchange());
            milliseconds(message.data.at())
        })
        .register_fn("to_string", |message: &mut Message| message.data.json().to_string());
}

fn register_exchange(engine: &mut Engine) {
    fn read<T: Clone + Send + Sync + 'static>(
        engine: &mut Engine,
        name: &str,
        otherwise: T,
        read: impl Fn(&crate::wire::Exchange) -> T + Send + Sync + 'static,
    ) {
        engine.register_get(name, move |exchange: &mut SeenExchange| {
            exchange.get().map_or_else(|| otherwise.clone(), &read)
        });
    }
    fn text(bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).into_owned()
    }
    fn json(bytes: &[u8]) -> Dynamic {
        serde_json::from_slice::<Value>(bytes).map_or(Dynamic::UNIT, |value| from_json(&value))
    }
    engine.register_type_with_name::<SeenExchange>("Exchange");
    read(engine, "method", String::new(), |exchange| exchange.method.to_string());
    read(engine, "url", String::new(), |exchange| exchange.uri.to_string());
    read(engine, "path", String::new(), |exchange| exchange.uri.path().to_owned());
    read(engine, "query", String::new(), |exchange| {
        exchange.uri.query().unwrap_or_default().to_owned()
    });
    read(engine, "body", String::new(), |exchange| text(&exchange.body));
    read(engine, "json", Dynamic::UNIT, |exchange| json(&exchange.body));
    read(engine, "status", Dynamic::UNIT, |exchange| {
        exchange
            .response
            .as_ref()
            .map_or(Dynamic::UNIT, |head| i64::from(head.status.as_u16()).into())
    });
    read(engine, "response_body", String::new(), |exchange| text(&exchange.response_body));
    read(engine, "response_json", Dynamic::UNIT, |exchange| json(&exchange.response_body));
    read(engine, "at", 0, |exchange| milliseconds(exchange.at));
    read(engine, "completed_at", Dynamic::UNIT, |exchange| {
        exchange.completed_at.map_or(Dynamic::UNIT, |at| milliseconds(at).into())
    });
    read(engine, "accepted", false, crate::wire::Exchange::accepted);
    read(engine, "aborted", false, aborted);
    read(engine, "complete", false, |exchange| exchange.end == End::Complete);
    engine
        .register_get("index", |exchange: &mut SeenExchange| exchange.index as i64)
        .register_get("messages", |exchange: &mut SeenExchange| -> List {
            let observation = &exchange.observation;
            let of_exchange = observation.sent_in(exchange.index).iter();
            of_exchange
                .map(|data| {
                    let observation = observation.clone();
                    Dynamic::from(Message { observation, data: data.clone() })
                })
                .collect()
        })
        .register_fn("header", |exchange: &mut SeenExchange, name: &str| {
            optional(exchange.get().and_then(|exchange| header(&exchange.headers, name)))
        })
        .register_fn("response_header", |exchange: &mut SeenExchange, name: &str| {
            let head = exchange.get().and_then(|exchange| exchange.response.as_ref());
            optional(head.and_then(|head| header(&head.headers, name)))
        });
}
