//! Tests of the client against a far side that is scripted request by request:
//! [`FarSide`]. Time is paused throughout.

mod authorization;
mod basic;
mod caching;
mod in_memory;
mod listening;
mod refusals;
mod rounds;
mod stateless;
mod streams;
mod tasks;
mod time;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::http::{HeaderMap, Method, StatusCode, Uri};
use bytes::Bytes;
use futures_util::stream;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::*;
use crate::mcp::negotiation::Policy;
use crate::wire::http::{self, BoxFuture};
use crate::wire::{Body, HttpClient, Request, RequestHead, Response, TransportError};

/// One request, as it came.
#[derive(Clone, Debug)]
struct Seen {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    /// The body as JSON; `null` if there is none.
    body: Value,
    text: String,
    at: Duration,
}

impl Seen {
    /// `initialize`, `notifications/cancelled`, `GET`, `response`.
    fn name(&self) -> String {
        match self.body["method"].as_str() {
            Some(method) => method.to_owned(),
            None if self.method == Method::POST => "response".to_owned(),
            None => self.method.to_string(),
        }
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// What becomes of one request.
enum Act {
    Respond(Response),
    /// The response comes only after this time.
    Late(Duration, Response),
    /// No response ever comes.
    Silence,
    Fail(TransportError),
}

type Script = dyn Fn(&Seen) -> Act + Send + Sync;

struct FarSide {
    script: Box<Script>,
    seen: Mutex<Vec<Seen>>,
    start: Instant,
}

impl FarSide {
    /// A far side on which `script` decides; the handshake and notifications
    /// are for `script` too.
    fn new(script: impl Fn(&Seen) -> Act + Send + Sync + 'static) -> Arc<FarSide> {
        let script = Box::new(script);
        Arc::new(FarSide { script, seen: Mutex::default(), start: Instant::now() })
    }

    /// A server without a session at `version`; `script` decides the rest.
    fn serving(
        version: &'static str,
        script: impl Fn(&Seen) -> Act + Send + Sync + 'static,
    ) -> Arc<FarSide> {
        FarSide::new(move |seen| usual(seen, version, None).unwrap_or_else(|| script(seen)))
    }

    fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    fn names(&self) -> Vec<String> {
        self.seen().iter().map(Seen::name).collect()
    }

    fn client(self: &Arc<Self>, revision: Revision) -> Client {
        self.client_with(options(revision))
    }

    fn client_with(self: &Arc<Self>, options: Options) -> Client {
        Client::new(transport(self.clone(), &options), options)
    }
}

/// What carries the messages of a client with these options to `http`.
fn transport(http: Arc<dyn HttpClient>, options: &Options) -> Arc<StreamableHttp> {
    Arc::new(StreamableHttp::new(http, Uri::from_static(URL).into(), options.scale))
}

impl HttpClient for FarSide {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, http::ClientError>> {
        Box::pin(async move {
            let sent = RequestHead::from(&request);
            let (head, body) = request.into_parts();
            let seen = Seen {
                method: head.method,
                uri: head.uri,
                headers: head.headers,
                body: serde_json::from_slice(&body).unwrap_or_default(),
                text: String::from_utf8_lossy(&body).into_owned(),
                at: self.start.elapsed(),
            };
            self.seen.lock().unwrap().push(seen.clone());
            match (self.script)(&seen) {
                Act::Respond(response) => Ok(response),
                Act::Late(delay, response) => {
                    tokio::time::sleep(delay).await;
                    Ok(response)
                }
                Act::Silence => std::future::pending().await,
                Act::Fail(reason) => Err(http::ClientError::new(sent, reason)),
            }
        })
    }
}

const URL: &str = "http://server.test/public/mcp";

fn options(revision: Revision) -> Options {
    Options {
        revision,
        policy: Policy::every_version(),
        client_name: "checker".into(),
        client_version: "1.0".into(),
        scale: 1,
    }
}

/// What any server does with the handshake, notifications and responses.
fn usual(seen: &Seen, version: &str, session: Option<&str>) -> Option<Act> {
    match seen.name().as_str() {
        "initialize" => {
            let mut response = answer(seen, introduction(version));
            if let Some(session) = session {
                response.headers_mut().insert("mcp-session-id", session.parse().unwrap());
            }
            Some(Act::Respond(response))
        }
        "notifications/initialized" | "notifications/cancelled" | "response" => Some(status(202)),
        _ => None,
    }
}

fn introduction(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {
            "tools": {}, "resources": {}, "prompts": {}, "completions": {}, "logging": {},
        },
        "serverInfo": { "name": "server", "version": "1" },
    })
}

fn response(status: u16, content_type: &str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    if !content_type.is_empty() {
        response.headers_mut().insert("content-type", content_type.parse().unwrap());
    }
    response
}

fn status(status: u16) -> Act {
    Act::Respond(response(status, "", Body::whole("")))
}

fn json_body(status: u16, body: impl ToString) -> Act {
    Act::Respond(response(status, "application/json", Body::whole(body.to_string())))
}

/// The result for this request, as JSON.
fn answer(seen: &Seen, result: Value) -> Response {
    let body = json!({ "jsonrpc": "2.0", "id": seen.body["id"], "result": result });
    response(200, "application/json", Body::whole(body.to_string()))
}

fn result(seen: &Seen, value: Value) -> Act {
    Act::Respond(answer(seen, value))
}

/// An event stream that ends after `text`.
fn events(text: impl Into<Bytes>) -> Act {
    Act::Respond(response(200, "text/event-stream", Body::whole(text)))
}

/// An event stream that sends `text` and then stays open.
fn open_events(text: impl Into<Bytes>) -> Act {
    let body = stream::unfold(Some(text.into()), |text| async move {
        match text {
            Some(text) => Some((Ok(text), None)),
            None => std::future::pending().await,
        }
    });
    Act::Respond(response(200, "text/event-stream", Body::stream(body)))
}

async fn perform(client: &Client, operation: Operation) -> Result<Value, ClientError> {
    client.perform(operation, &Cancellation::new()).await
}

async fn failure(client: &Client, operation: Operation) -> ClientError {
    perform(client, operation).await.unwrap_err()
}

fn add() -> Operation {
    Operation::CallTool { name: "add".into(), arguments: Some(json!({ "a": 17, "b": 25 })) }
}
