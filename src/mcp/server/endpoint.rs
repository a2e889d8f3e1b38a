//! The MCP endpoint over HTTP: which requests are refused, and the plans that actions
//! become.

use http::header::ORIGIN;
use http::{HeaderName, HeaderValue, Method, StatusCode, Uri};
use serde_json::Value;

use super::action::Action;
use super::answering::{Answering, error_message};
use super::features::Call;
use super::scripted::ScriptedServer;
use super::streams::json_body;
use super::subscription::Subscription;
use super::{Framing, StreamItem, stateless};
use crate::mcp::mirror;
use crate::wire::Request;
use crate::wire::double::{Head, Origin, Plan};
use crate::wire::messages::body_json;

const SESSION_HEADER: HeaderName = HeaderName::from_static("mcp-session-id");

impl Origin for ScriptedServer {
    fn answer(&self, request: &Request) -> Plan {
        if request.uri().path() != self.behaviour.path {
            return Plan::status(StatusCode::NOT_FOUND);
        }
        if request.headers().get(ORIGIN).is_some_and(is_foreign) {
            return Plan::status(StatusCode::FORBIDDEN);
        }
        if let Some(refusal) = self.refusal(request) {
            return refusal;
        }
        match *request.method() {
            Method::POST => self.post(request),
            Method::GET => self.get(request),
            Method::DELETE => self.delete(request),
            _ => not_allowed("POST, GET, DELETE"),
        }
    }
}

impl ScriptedServer {
    /// The refusal that the revision demands before a message is looked at.
    fn refusal(&self, request: &Request) -> Option<Plan> {
        if !self.revision_of(&Value::Null).has_handshake() {
            // GET and DELETE went with the sessions (SHOULD).
            return (request.method() != Method::POST).then(|| not_allowed("POST"));
        }
        // From 2025-06-18: an invalid or unsupported version header is answered
        // with 400 (transports, "Protocol Version Header").
        if self.revision_of(&Value::Null).has_version_header()
            && let Some(version) = request.headers().get(mirror::PROTOCOL_VERSION)
            && !version.to_str().is_ok_and(|text| self.knows(text))
        {
            let message = "Bad Request: Unsupported protocol version";
            return Some(bad_request(&request_id(request), -32000, message));
        }
        // A session that was ended is answered with 404 (transports, "Session
        // Management"). A request without any is let through: refusing it is
        // only a SHOULD.
        if self.behaviour.session.is_some()
            && let Some(session) = request.headers().get(SESSION_HEADER)
            && !session.to_str().is_ok_and(|id| self.state().sessions.contains(id))
        {
            let body = error_message(&request_id(request), -32001, "Session not found", None);
            return Some(json_body(StatusCode::NOT_FOUND, &body));
        }
        None
    }

    fn post(&self, request: &Request) -> Plan {
        match body_json(request).as_deref() {
            None => bad_request(&Value::Null, -32700, "Parse error"),
            Some(Value::Array(batch)) if self.behaviour.revision.has_batches() => {
                self.batch(request, batch)
            }
            Some(message) if message.is_object() => self.message(request, message),
            Some(_) => bad_request(&Value::Null, -32600, "Invalid Request"),
        }
    }

    /// Only 2025-03-26 has batches. Each request is answered at once; one whose
    /// handler wants more than that (a stream, a delay) is answered alone.
    fn batch(&self, request: &Request, batch: &[Value]) -> Plan {
        let mut answers = Vec::new();
        for message in batch {
            if !is_request(message) {
                self.streams.answered(message);
                continue;
            }
            let answering = self.answering(message);
            answers.push(match self.settled(message, self.act(request, message)) {
                Action::Value(result) | Action::Reply { result, .. } => answering.result(result),
                Action::Error { code, message, data } => {
                    answering.error(code, &message, data.as_ref())
                }
                action => return self.plan(&answering, action),
            });
        }
        if answers.is_empty() {
            return Plan::status(StatusCode::ACCEPTED);
        }
        match self.behaviour.framing {
            Framing::Json => json_body(StatusCode::OK, &Value::Array(answers)),
            Framing::EventStream => {
                let items = answers.into_iter().map(StreamItem::Message).collect();
                self.streams.respond(&Answering::nothing(self.revision()), items)
            }
        }
    }

    fn message(&self, request: &Request, message: &Value) -> Plan {
        if !is_request(message) {
            if message.get("method").is_none() {
                self.streams.answered(message);
            } else if let Some(handler) = self.handler_of(message) {
                // A script may refuse a notification, or watch it.
                match handler(&Call { message, headers: request.headers() }) {
                    Action::Value(Value::Null) => {}
                    action => return self.plan(&self.answering(message), action),
                }
            }
            return Plan::status(StatusCode::ACCEPTED);
        }
        if !self.revision_of(message).has_handshake()
            && let Some(refusal) = self.stateless_refusal(request, message)
        {
            return refusal;
        }
        let scripted = self.handler_of(message).is_some();
        if message["method"] == "subscriptions/listen"
            && !scripted
            && !self.revision_of(message).has_handshake()
        {
            let subscription = Subscription::new(message);
            return self.streams.subscribe(&self.answering(message), subscription);
        }
        let action = self.settled(message, self.act(request, message));
        let opens = message["method"] == "initialize" && succeeds(&action);
        let mut plan = self.plan(&self.answering(message), action);
        let method = message["method"].as_str().unwrap_or_default();
        plan.delay += self.state().delays.get(method).copied().unwrap_or_default();
        if !opens {
            return plan;
        }
        match self.issue_session() {
            Some(session) => plan.with_header(SESSION_HEADER, session),
            None => plan,
        }
    }

    fn stateless_refusal(&self, request: &Request, message: &Value) -> Option<Plan> {
        let parameters = self.features().header_parameters(message);
        let supported = self.supported();
        let supported: Vec<_> = supported.iter().map(String::as_str).collect();
        stateless::refusal(request, message, &supported, &parameters)
    }

    fn answering(&self, message: &Value) -> Answering {
        Answering::new(message, self.revision_of(message))
    }

    fn issue_session(&self) -> Option<HeaderValue> {
        let first = self.behaviour.session.as_ref()?;
        let mut state = self.state();
        state.sessions_issued += 1;
        let id = match state.sessions_issued {
            1 => first.clone(),
            number => format!("{first}-{number}"),
        };
        let value = HeaderValue::from_str(&id).ok()?;
        state.sessions.insert(id);
        Some(value)
    }

    fn plan(&self, request: &Answering, action: Action) -> Plan {
        match action {
            Action::Value(result) => self.framed(None, request, result),
            Action::Reply { result, framing } => self.framed(framing, request, result),
            Action::Error { code, message, data } => {
                let body = request.error(code, &message, data.as_ref());
                match (request.error_status(code), self.behaviour.framing) {
                    (Some(status), _) => json_body(status, &body),
                    (None, Framing::Json) => json_body(StatusCode::OK, &body),
                    (None, Framing::EventStream) => {
                        let action = Action::Error { code, message, data };
                        self.streams.respond_with(request, action)
                    }
                }
            }
            Action::Raw { status, headers, body } => {
                self.streams.verbatim(&body);
                Plan::respond(status, headers, body)
            }
            Action::Pieces { status, headers, items } => {
                self.streams.respond_in_pieces(request, status, headers, items)
            }
            Action::Stream(items) => self.streams.respond(request, items),
            Action::After(time, action) => {
                let mut plan = self.plan(request, *action);
                plan.delay += time;
                plan
            }
            Action::Silence => Plan::without_response(Head::Silence),
            Action::Drop => Plan::without_response(Head::Drop),
            action @ Action::Ask { .. } => self.streams.respond_with(request, action),
        }
    }

    fn framed(&self, framing: Option<Framing>, request: &Answering, result: Value) -> Plan {
        match framing.unwrap_or(self.behaviour.framing) {
            Framing::Json => json_body(StatusCode::OK, &request.result(result)),
            Framing::EventStream => self.streams.respond_with(request, Action::Value(result)),
        }
    }

    fn get(&self, request: &Request) -> Plan {
        if let Some(last) = request.headers().get("last-event-id") {
            let resumed = last.to_str().ok().and_then(|id| self.streams.resume(id));
            return resumed.unwrap_or_else(|| {
                bad_request(&Value::Null, -32000, "Bad Request: Unknown event id")
            });
        }
        if self.state().listens { self.streams.listen() } else { not_allowed("POST, DELETE") }
    }

    fn delete(&self, request: &Request) -> Plan {
        if self.behaviour.session.is_none() {
            return not_allowed("POST");
        }
        if let Some(id) = request.headers().get(SESSION_HEADER).and_then(|id| id.to_str().ok()) {
            self.state().sessions.remove(id);
        }
        Plan::status(StatusCode::OK)
    }
}

/// Whether an origin is a site that is not on this machine, and none of the double's
/// own (basic/transports, "Security Warning").
fn is_foreign(origin: &HeaderValue) -> bool {
    let origin = origin.to_str().ok().and_then(|text| text.parse::<Uri>().ok());
    let host = origin.as_ref().and_then(Uri::host);
    host.is_some_and(|host| {
        !["127.0.0.1", "localhost", "[::1]"].contains(&host) && !host.ends_with(".test")
    })
}

/// Whether an action ends as a result, at once or later.
fn succeeds(action: &Action) -> bool {
    match action {
        Action::Value(_) | Action::Reply { .. } => true,
        Action::After(_, action) => succeeds(action),
        _ => false,
    }
}

pub(super) fn is_request(message: &Value) -> bool {
    message.get("method").is_some() && message.get("id").is_some()
}

/// The id of the request in a body; null if it has none that can be read.
fn request_id(request: &Request) -> Value {
    body_json(request).and_then(|message| message.get("id").cloned()).unwrap_or_default()
}

fn bad_request(id: &Value, code: i64, message: &str) -> Plan {
    json_body(StatusCode::BAD_REQUEST, &error_message(id, code, message, None))
}

fn not_allowed(allowed: &'static str) -> Plan {
    Plan::status(StatusCode::METHOD_NOT_ALLOWED)
        .with_header(http::header::ALLOW, HeaderValue::from_static(allowed))
}
