//! A request, a response or an answer as a fault changes it: [`HttpMessage`].

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use rhai::Dynamic;
use serde_json::Value;

use crate::script::action::json_value;
use crate::script::api::{Api, Argument, Evaluated, ScriptType, Text};
use crate::script::observation::header;
use crate::script::value::from_json;
use crate::wire::event_stream::{EventParser, encode};
use crate::wire::{Request, RequestHead, ServerEvent};

/// A message as a fault changes it. A clone is another handle.
#[derive(Clone)]
pub struct HttpMessage(Arc<Mutex<State>>);

/// What a message is made of. A request has no meaningful status, a response no
/// meaningful method and URI.
///
/// A copy costs next to nothing: header fields and body are shared until they
/// are changed.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub method: Method,
    pub uri: Uri,
    pub status: StatusCode,
    pub headers: Arc<HeaderMap>,
    pub body: Bytes,
    /// The request that a response answers.
    pub request: Option<Arc<State>>,
    /// The body that was read first, as JSON: every fault reads the same again.
    pub read: Arc<OnceLock<ReadBody>>,
}

/// A body, and the JSON in it.
#[derive(Debug)]
pub(super) struct ReadBody {
    body: Bytes,
    is_event_stream: bool,
    json: Arc<Value>,
}

/// Whether these are the same bytes; those that are shared are not looked at.
fn same_bytes(one: &Bytes, other: &Bytes) -> bool {
    (one.as_ptr() == other.as_ptr() && one.len() == other.len()) || one == other
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.method == other.method
            && self.status == other.status
            && self.uri == other.uri
            && (Arc::ptr_eq(&self.headers, &other.headers) || self.headers == other.headers)
            && same_bytes(&self.body, &other.body)
            && self.request == other.request
    }
}

impl HttpMessage {
    pub(super) fn new(state: State) -> Self {
        HttpMessage(Arc::new(Mutex::new(state)))
    }

    /// A message whose body is this JSON.
    pub fn of_json(json: &Value) -> Self {
        HttpMessage::new(State { body: json.to_string().into(), ..State::default() })
    }

    /// The JSON in the body; of an event that of its data; null if there is
    /// none.
    pub fn json(&self) -> Arc<Value> {
        self.state().json()
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_header(&self, name: &str, value: &str) -> Evaluated<()> {
        let value = HeaderValue::from_str(value)
            .map_err(|_| format!("the value of `{name}` holds a control character"))?;
        Arc::make_mut(&mut self.state().headers).insert(field(name)?, value);
        Ok(())
    }

    fn remove_header(&self, name: &str) -> Evaluated<bool> {
        let name = field(name)?;
        let mut state = self.state();
        // One that is not there changes nothing.
        let is_there = state.headers.contains_key(&name);
        if is_there {
            Arc::make_mut(&mut state.headers).remove(&name);
        }
        Ok(is_there)
    }
}

impl ScriptType for HttpMessage {
    const NAME: &'static str = "HttpMessage";
}

impl Argument for HttpMessage {}

impl State {
    pub fn of_request(request: &Request) -> Self {
        State {
            method: request.method().clone(),
            uri: request.uri().clone(),
            headers: Arc::new(request.headers().clone()),
            body: request.body().clone(),
            ..State::default()
        }
    }

    /// The same with another body.
    pub fn with_body(&self, body: Bytes) -> Self {
        State { body, read: Arc::default(), ..self.clone() }
    }

    /// The request without its body, as errors name it.
    pub fn head(&self) -> RequestHead {
        RequestHead::new(self.method.as_str(), self.uri.to_string(), &self.headers)
    }

    pub fn into_request(self) -> Request {
        let mut request = Request::new(self.body);
        *request.method_mut() = self.method;
        *request.uri_mut() = self.uri;
        *request.headers_mut() = Arc::unwrap_or_clone(self.headers);
        request
    }

    pub fn is_event_stream(&self) -> bool {
        header(&self.headers, "content-type")
            .is_some_and(|media_type| media_type.starts_with("text/event-stream"))
    }

    pub fn json(&self) -> Arc<Value> {
        let is_event_stream = self.is_event_stream();
        let read = self.read.get_or_init(|| ReadBody {
            body: self.body.clone(),
            is_event_stream,
            json: Arc::new(self.parse(is_event_stream)),
        });
        if read.is_event_stream == is_event_stream && same_bytes(&read.body, &self.body) {
            read.json.clone()
        } else {
            Arc::new(self.parse(is_event_stream))
        }
    }

    fn parse(&self, is_event_stream: bool) -> Value {
        if !is_event_stream {
            return serde_json::from_slice(&self.body).unwrap_or(Value::Null);
        }
        let events = events(&self.body);
        let data = events.iter().rev().map(|event| event.data.as_str());
        data.filter_map(|data| serde_json::from_str(data).ok()).next().unwrap_or(Value::Null)
    }

    pub fn set_json(&mut self, json: &Value) {
        if !self.is_event_stream() {
            self.body = json.to_string().into();
            return;
        }
        let mut events = events(&self.body);
        if let Some(last) = events.iter_mut().rev().find(|event| !event.data.is_empty()) {
            last.data = json.to_string();
        }
        self.body = events.iter().map(encode).collect::<Vec<_>>().concat().into();
    }

    /// Changes what stands at a JSON pointer (RFC 6901) of the body; without a
    /// value, takes it away. False if there is no such place.
    fn edit(&mut self, pointer: &str, value: Option<Value>) -> bool {
        let mut json = Arc::unwrap_or_clone(self.json());
        let Some((parent, last)) = pointer.rsplit_once('/') else { return false };
        let last = last.replace("~1", "/").replace("~0", "~");
        let changed = match (json.pointer_mut(parent), value) {
            (Some(Value::Object(members)), Some(value)) => {
                members.insert(last, value);
                true
            }
            // Not `remove`, which would change the order of the others.
            (Some(Value::Object(members)), None) => members.shift_remove(&last).is_some(),
            (Some(Value::Array(items)), value) => {
                let index = last.parse::<usize>().ok().filter(|index| *index < items.len());
                match (index, value) {
                    (Some(index), Some(value)) => items[index] = value,
                    (Some(index), None) => drop(items.remove(index)),
                    (None, Some(value)) if last == "-" => items.push(value),
                    (None, _) => return false,
                }
                true
            }
            _ => false,
        };
        if changed {
            self.set_json(&json);
        }
        changed
    }
}

/// The events of a text that holds whole ones.
pub(super) fn events(text: &[u8]) -> Vec<ServerEvent> {
    let mut events = Vec::new();
    // What is too large for one event is refused by its reader as well.
    let _ = EventParser::default().push(text, &mut events);
    events
}

/// The name of a header field.
fn field(name: &str) -> Evaluated<HeaderName> {
    HeaderName::from_bytes(name.as_bytes())
        .map_err(|_| format!("`{name}` is not the name of a header field").into())
}

/// Declares the type.
pub(super) fn declare(api: &mut Api) {
    api.methods::<HttpMessage>(
        "fault messages",
        "message",
        "Given to `request(request)` and `response(response)` of a fault: what passes \
         between the client and the far side, to be changed. A place in the body is a JSON \
         pointer, `/params/name`.",
    )
    .doc("The method of the JSON-RPC message in the body; `()` if it has none.")
    .property("method: any", |message| from_json(&message.json()["method"]))
    .doc("The id of the JSON-RPC message in the body.")
    .property("id: any", |message| from_json(&message.json()["id"]))
    .doc("Of a response: the method of the request that it answers.")
    .property("answers: any", |message| {
        let state = message.state();
        let request = state.request.as_ref();
        request.map_or(Dynamic::UNIT, |request| from_json(&request.json()["method"]))
    })
    .doc("Of a response: the request that it answers, as a message; `()` of a request.")
    .property("request: HttpMessage or ()", |message| {
        let request = message.state().request.as_deref().cloned();
        request.map_or(Dynamic::UNIT, |request| Dynamic::from(HttpMessage::new(request)))
    })
    .doc("What stands at a place of the body.")
    .function("member(pointer: string) -> any", |message, pointer: Text| {
        message.json().pointer(&pointer).map_or(Dynamic::UNIT, from_json)
    })
    .doc("Whether something stands at a place of the body.")
    .function("has(pointer: string) -> bool", |message, pointer: Text| {
        message.json().pointer(&pointer).is_some()
    })
    .doc("Puts a value at a place of the body; returns whether there is such a place.")
    .function(
        "put(pointer: string, value: any) -> bool",
        |message, (pointer, value): (Text, Dynamic)| -> Evaluated<bool> {
            let value = json_value(&value)?;
            Ok(message.state().edit(&pointer, Some(value)))
        },
    )
    .doc("Takes away what stands at a place of the body; returns whether something did.")
    .function("take(pointer: string) -> bool", |message, pointer: Text| {
        message.state().edit(&pointer, None)
    })
    .doc("The whole body.")
    .settable(
        "body: string, settable",
        |message| String::from_utf8_lossy(&message.state().body).into_owned(),
        |message, body: Text| message.state().body = Bytes::copy_from_slice(body.as_bytes()),
    )
    .doc("A header field.")
    .function("header(name: string) -> string or ()", |message, name: Text| {
        header(&message.state().headers, &name).map_or(Dynamic::UNIT, Dynamic::from)
    })
    .doc("Sets a header field.")
    .function("set_header(name: string, value: string)", |message, (name, value): (Text, Text)| {
        message.set_header(&name, &value)
    })
    .doc("Takes a header field away; returns whether it was there.")
    .function("remove_header(name: string) -> bool", |message, name: Text| {
        message.remove_header(&name)
    })
    .doc("The HTTP method of a request.")
    .settable(
        "http_method: string, settable",
        |message| message.state().method.to_string(),
        |message, method: Text| -> Evaluated<()> {
            let parsed = Method::from_bytes(method.as_bytes());
            message.state().method =
                parsed.map_err(|_| format!("`{method}` is not an HTTP method"))?;
            Ok(())
        },
    )
    .doc("The URL of a request.")
    .settable(
        "url: string, settable",
        |message| message.state().uri.to_string(),
        |message, url: Text| -> Evaluated<()> {
            message.state().uri = url.parse().map_err(|_| format!("`{url}` is not a URL"))?;
            Ok(())
        },
    )
    .doc("The path of the URL of a request.")
    .property("path: string", |message| message.state().uri.path().to_owned())
    .doc("The status of a response.")
    .settable(
        "status: integer, settable",
        |message| i64::from(message.state().status.as_u16()),
        |message, status: i64| -> Evaluated<()> {
            let status =
                u16::try_from(status).ok().and_then(|code| StatusCode::from_u16(code).ok());
            message.state().status = status.ok_or("an HTTP status is a number from 100 to 999")?;
            Ok(())
        },
    )
    .doc("A copy, to be changed and sent before the original.")
    .function("copy() -> HttpMessage", |message, ()| {
        let state = message.state().clone();
        HttpMessage::new(state)
    });
}
