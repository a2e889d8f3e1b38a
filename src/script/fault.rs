//! Faults: deliberate misbehaviour between the client and the far side, to
//! show that checks can fail. The main types are [`FaultScript`], [`Fault`] and
//! [`Faulty`].
//!
//! `fn request(request)` sees what the client sends and may change it,
//! withhold it, repeat it, send another before it or hold it back until after
//! the next; `fn response(response)` does as much to what comes back. In a
//! check of a client the recorder is behind the fault and sees a client that
//! misbehaves; in a check of a server it is before it and sees such a server.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use rhai::{Dynamic, Engine, EvalAltResult};
use serde_json::Value;

use super::Script;
use super::action::{Handlers, json_value};
use super::observation::header;
use super::value::from_json;
use crate::check::SourceText;
use crate::wire::event_stream::{EventParser, encode};
use crate::wire::http::BoxFuture;
use crate::wire::{Body, HttpClient, READ_LIMIT, Request, Response, TransportError, read_whole};

type Evaluated<T> = Result<T, Box<EvalAltResult>>;

/// A fault as it was read: its name, its text, and how often it did something.
pub struct FaultScript {
    /// Its file's name without the ending.
    pub name: String,
    /// The script.
    pub source: SourceText,
    fired: AtomicU64,
}

impl FaultScript {
    /// A fault that has done nothing yet.
    pub fn new(name: String, source: SourceText) -> Self {
        FaultScript { name, source, fired: AtomicU64::new(0) }
    }

    /// How often it changed something.
    pub fn times_fired(&self) -> u64 {
        self.fired.load(Ordering::Relaxed)
    }

    /// Counts that it changed something.
    pub fn fired(&self) {
        self.fired.fetch_add(1, Ordering::Relaxed);
    }
}

/// A fault in one execution.
pub struct Fault {
    of: Arc<FaultScript>,
    handlers: Handlers,
    on_request: bool,
    on_response: bool,
    /// A request that waits until after the next one.
    held: Mutex<Option<Request>>,
}

impl Fault {
    /// The fault of `script`, whose functions `handlers` calls.
    pub fn new(of: Arc<FaultScript>, script: &Script, handlers: Handlers) -> Self {
        Fault {
            of,
            handlers,
            on_request: script.parameters("request").is_some(),
            on_response: script.parameters("response").is_some(),
            held: Mutex::new(None),
        }
    }

    fn apply(&self, function: &str, message: &HttpMessage) -> Directive {
        let before = message.state().clone();
        let called = self.handlers.engine.call_fn_with_options::<Dynamic>(
            rhai::CallFnOptions::new().eval_ast(false),
            &mut rhai::Scope::new(),
            &self.handlers.ast,
            function,
            (message.clone(),),
        );
        let directive = match called {
            Ok(returned) => returned.try_cast::<Directive>().unwrap_or(Directive::Pass),
            Err(error) => {
                let mut trouble =
                    self.handlers.trouble.lock().unwrap_or_else(PoisonError::into_inner);
                trouble.get_or_insert(error);
                Directive::Pass
            }
        };
        if directive != Directive::Pass || *message.state() != before {
            self.of.fired();
        }
        directive
    }
}

/// What becomes of a message after the fault saw it.
#[derive(Clone, Debug, PartialEq)]
enum Directive {
    /// It goes on as it is now.
    Pass,
    /// It does not go on.
    Withhold,
    /// It goes on twice.
    Repeat,
    /// Another goes before it.
    After(Box<State>),
    /// It goes on after the next one.
    HoldBack,
}

/// A request or a response as a fault changes it. A clone is another handle.
#[derive(Clone)]
pub struct HttpMessage(Arc<Mutex<State>>);

#[derive(Clone, Debug, PartialEq)]
struct State {
    method: Method,
    uri: Uri,
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
    /// The request that a response answers.
    answers: Option<Value>,
}

impl HttpMessage {
    fn of_request(request: &Request) -> Self {
        HttpMessage(Arc::new(Mutex::new(State {
            method: request.method().clone(),
            uri: request.uri().clone(),
            status: StatusCode::OK,
            headers: request.headers().clone(),
            body: request.body().clone(),
            answers: None,
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn into_request(self) -> Request {
        let mut request = Request::new(self.body);
        *request.method_mut() = self.method;
        *request.uri_mut() = self.uri;
        *request.headers_mut() = self.headers;
        request
    }

    fn is_event_stream(&self) -> bool {
        header(&self.headers, "content-type")
            .is_some_and(|media_type| media_type.starts_with("text/event-stream"))
    }

    /// The JSON in the body: of an event stream that of its last message.
    fn json(&self) -> Value {
        if !self.is_event_stream() {
            return serde_json::from_slice(&self.body).unwrap_or(Value::Null);
        }
        let mut events = Vec::new();
        let _ = EventParser::default().push(&self.body, &mut events);
        let messages = events.iter().rev();
        messages
            .filter_map(|event| serde_json::from_str(&event.data).ok())
            .next()
            .unwrap_or(Value::Null)
    }

    fn set_json(&mut self, json: &Value) {
        if !self.is_event_stream() {
            self.body = json.to_string().into();
            return;
        }
        let mut events = Vec::new();
        let _ = EventParser::default().push(&self.body, &mut events);
        if let Some(last) =
            events.iter_mut().rev().find(|event| event.has_data && !event.data.is_empty())
        {
            last.data = json.to_string();
        }
        self.body = events.iter().map(encode).collect::<Vec<_>>().concat().into();
    }

    /// Changes what stands at a JSON pointer (RFC 6901) of the body.
    fn edit(&mut self, pointer: &str, value: Option<Value>) -> bool {
        let mut json = self.json();
        let Some((parent, last)) = pointer.rsplit_once('/') else { return false };
        let changed = match (json.pointer_mut(parent), value) {
            (Some(Value::Object(members)), Some(value)) => {
                members.insert(last.to_owned(), value);
                true
            }
            // Not `remove`, which would change the order of the others.
            (Some(Value::Object(members)), None) => members.shift_remove(last).is_some(),
            (Some(Value::Array(items)), Some(value)) => match last.parse::<usize>() {
                Ok(index) if index < items.len() => {
                    items[index] = value;
                    true
                }
                _ => false,
            },
            (Some(Value::Array(items)), None) => match last.parse::<usize>() {
                Ok(index) if index < items.len() => {
                    items.remove(index);
                    true
                }
                _ => false,
            },
            _ => false,
        };
        if changed {
            self.set_json(&json);
        }
        changed
    }
}

/// A connection with a fault in it.
pub struct Faulty<C> {
    inner: C,
    fault: Fault,
}

impl<C: HttpClient> Faulty<C> {
    /// Puts `fault` before `inner`.
    pub fn new(inner: C, fault: Fault) -> Self {
        Faulty { inner, fault }
    }

    /// Sends a request and throws its answer away.
    async fn send_aside(&self, request: Request) {
        if let Ok(response) = self.inner.send(request).await {
            let _ = read_whole(response.into_body(), READ_LIMIT).await;
        }
    }

    async fn send_faulty(&self, request: Request) -> Result<Response, TransportError> {
        let original = serde_json::from_slice(request.body()).ok();
        let held = self.fault.held.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut request = request;
        let mut again = None;
        if self.fault.on_request {
            let message = HttpMessage::of_request(&request);
            let directive = self.fault.apply("request", &message);
            request = message.state().clone().into_request();
            match directive {
                Directive::Pass => {}
                Directive::Withhold => return Ok(withheld(&request)),
                Directive::Repeat => again = Some(copy(&request)),
                Directive::After(first) => self.send_aside(first.into_request()).await,
                Directive::HoldBack => {
                    let answer = withheld(&request);
                    let mut place = self.fault.held.lock().unwrap_or_else(PoisonError::into_inner);
                    *place = Some(request);
                    return Ok(answer);
                }
            }
        }
        let response = self.inner.send(request).await;
        if let Some(again) = again {
            self.send_aside(again).await;
        }
        if let Some(held) = held {
            self.send_aside(held).await;
        }
        match response {
            Ok(response) if self.fault.on_response => self.answer(response, original).await,
            response => response,
        }
    }

    /// Lets the fault change a response. It is read to its end first, so a
    /// response that never ends is not changed.
    async fn answer(
        &self,
        response: Response,
        answers: Option<Value>,
    ) -> Result<Response, TransportError> {
        let (head, body) = response.into_parts();
        let body = read_whole(body, READ_LIMIT).await.map_err(|_| TransportError::Closed)?;
        let message = HttpMessage(Arc::new(Mutex::new(State {
            method: Method::GET,
            uri: Uri::default(),
            status: head.status,
            headers: head.headers,
            body,
            answers,
        })));
        let directive = self.fault.apply("response", &message);
        if directive == Directive::Withhold {
            return std::future::pending().await;
        }
        let state = message.state().clone();
        let chunks: VecDeque<Bytes> = match directive {
            Directive::Repeat => [state.body.clone(), state.body].into(),
            _ => [state.body].into(),
        };
        let mut response =
            Response::new(Body::whole(chunks.into_iter().collect::<Vec<_>>().concat()));
        *response.status_mut() = state.status;
        *response.headers_mut() = state.headers;
        Ok(response)
    }
}

impl<C: HttpClient> HttpClient for Faulty<C> {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        Box::pin(self.send_faulty(request))
    }
}

/// What a client is told of a request that never arrived: the most that a
/// server says of something it took in and will not answer.
fn withheld(request: &Request) -> Response {
    let mut response = Response::new(Body::whole(Bytes::new()));
    *response.status_mut() =
        if request.method() == Method::POST { StatusCode::ACCEPTED } else { StatusCode::OK };
    response
}

fn copy(request: &Request) -> Request {
    HttpMessage::of_request(request).state().clone().into_request()
}

/// Registers what a fault can reach.
pub(super) fn register(engine: &mut Engine) {
    fn field(name: &str) -> Evaluated<HeaderName> {
        HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| format!("`{name}` is not the name of a header field").into())
    }
    engine
        .register_type_with_name::<HttpMessage>("HttpMessage")
        .register_get("http_method", |message: &mut HttpMessage| message.state().method.to_string())
        .register_set("http_method", |message: &mut HttpMessage, method: &str| -> Evaluated<()> {
            let parsed = Method::from_bytes(method.as_bytes());
            message.state().method =
                parsed.map_err(|_| format!("`{method}` is not an HTTP method"))?;
            Ok(())
        })
        .register_get("url", |message: &mut HttpMessage| message.state().uri.to_string())
        .register_set("url", |message: &mut HttpMessage, url: &str| -> Evaluated<()> {
            message.state().uri = url.parse().map_err(|_| format!("`{url}` is not a URL"))?;
            Ok(())
        })
        .register_get("status", |message: &mut HttpMessage| {
            i64::from(message.state().status.as_u16())
        })
        .register_set("status", |message: &mut HttpMessage, status: i64| -> Evaluated<()> {
            let status =
                u16::try_from(status).ok().and_then(|code| StatusCode::from_u16(code).ok());
            message.state().status = status.ok_or("an HTTP status is a number from 100 to 999")?;
            Ok(())
        })
        .register_get("method", |message: &mut HttpMessage| {
            from_json(&message.state().json()["method"])
        })
        .register_get("id", |message: &mut HttpMessage| from_json(&message.state().json()["id"]))
        .register_get("answers", |message: &mut HttpMessage| {
            let answers = message.state().answers.clone();
            answers.map_or(Dynamic::UNIT, |request| from_json(&request["method"]))
        })
        .register_fn("member", |message: &mut HttpMessage, pointer: &str| {
            message.state().json().pointer(pointer).map_or(Dynamic::UNIT, from_json)
        })
        .register_fn(
            "put",
            |message: &mut HttpMessage, pointer: &str, value: Dynamic| -> Evaluated<bool> {
                let value = json_value(&value)?;
                Ok(message.state().edit(pointer, Some(value)))
            },
        )
        .register_fn("take", |message: &mut HttpMessage, pointer: &str| {
            message.state().edit(pointer, None)
        })
        .register_get("body", |message: &mut HttpMessage| {
            String::from_utf8_lossy(&message.state().body).into_owned()
        })
        .register_set("body", |message: &mut HttpMessage, body: &str| {
            message.state().body = Bytes::copy_from_slice(body.as_bytes());
        })
        .register_fn("header", |message: &mut HttpMessage, name: &str| {
            header(&message.state().headers, name).map_or(Dynamic::UNIT, Dynamic::from)
        })
        .register_fn(
            "set_header",
            |message: &mut HttpMessage, name: &str, value: &str| -> Evaluated<()> {
                let value = HeaderValue::from_str(value)
                    .map_err(|_| format!("the value of `{name}` holds a control character"))?;
                message.state().headers.insert(field(name)?, value);
                Ok(())
            },
        )
        .register_fn("remove_header", |message: &mut HttpMessage, name: &str| -> Evaluated<bool> {
            let name = field(name)?;
            Ok(message.state().headers.remove(&name).is_some())
        })
        .register_fn("copy", |message: &mut HttpMessage| {
            HttpMessage(Arc::new(Mutex::new(message.state().clone())))
        });
    engine
        .register_type_with_name::<Directive>("Directive")
        .register_fn("withhold", || Directive::Withhold)
        .register_fn("twice", || Directive::Repeat)
        .register_fn("hold_back", || Directive::HoldBack)
        .register_fn("send_before", |first: HttpMessage| {
            let state = first.state().clone();
            Directive::After(Box::new(state))
        });
}
