//! The MCP endpoint of the double: [`ScriptedServer`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use http::header::ORIGIN;
use http::{HeaderName, HeaderValue, Method, StatusCode, Uri};
use serde_json::{Map, Value, json};

use super::action::{Action, Answered};
use super::answering::{Answering, error_message, server_info};
use super::features::{Call, Features, Handler, Prompt, Resource, Tool};
use super::streams::{Streams, json_body, lock};
use super::subscription::Subscription;
use super::{Framing, StreamItem, asking, stateless};
use crate::mcp::json_rpc::MISSING_CLIENT_CAPABILITY;
use crate::mcp::negotiation::CapabilityPath;
use crate::mcp::{Revision, metadata, mirror};
use crate::wire::Request;
use crate::wire::double::{Frame, Head, Origin, Plan};
use crate::wire::messages::body_json;

/// The key of the one request that a script asks the client.
const INPUT_KEY: &str = "input";

const SESSION_HEADER: HeaderName = HeaderName::from_static("mcp-session-id");

/// What a profile says of the far side.
#[derive(Clone, Debug)]
pub struct Behaviour {
    /// The revision in force: the version that the server chooses.
    pub revision: Revision,
    /// The session id that it issues, if it issues one.
    pub session: Option<String>,
    /// How it frames its answers.
    pub framing: Framing,
    /// The capabilities that it declares, whatever is registered: those that the
    /// client's policy requires of it.
    pub declares: Vec<CapabilityPath>,
    /// The capabilities that it never declares, whatever is registered.
    pub lacks: Vec<CapabilityPath>,
    /// The path of its endpoint.
    pub path: String,
}

/// A server whose answers a script decides.
///
/// Handlers run while no lock is held, so a handler may register more, expire
/// the session or push a message.
pub struct ScriptedServer {
    behaviour: Behaviour,
    features: Mutex<Features>,
    state: Mutex<State>,
    streams: Streams,
}

#[derive(Default)]
struct State {
    /// What the script says of the server, over what follows by itself.
    initialize: Map<String, Value>,
    sessions_issued: usize,
    sessions: BTreeSet<String>,
    /// How long an answer takes, by the method of the request.
    delays: BTreeMap<String, std::time::Duration>,
    /// The versions that it speaks, if they are not the profile's alone.
    versions: Option<Vec<String>>,
    /// The version that the latest handshake came to.
    negotiated: Option<Revision>,
    /// What the client declared in the latest handshake.
    declared: Arc<Value>,
    /// What follows the input that was asked for, by the state that was issued.
    asked: BTreeMap<String, Answered>,
    /// Whether a GET stream may be opened: only if something is pushed on it.
    listens: bool,
}

impl ScriptedServer {
    /// A server without tools, resources or prompts.
    pub fn new(behaviour: Behaviour) -> Self {
        ScriptedServer {
            behaviour,
            features: Mutex::default(),
            state: Mutex::default(),
            streams: Streams::default(),
        }
    }

    /// The revision in force.
    pub fn revision(&self) -> Revision {
        self.behaviour.revision
    }

    /// Offers a tool.
    pub fn tool(&self, tool: Tool) {
        self.features().tools.push(tool);
    }

    /// Offers a resource.
    pub fn resource(&self, resource: Resource) {
        self.features().resources.push(resource);
    }

    /// Offers a template of resources.
    pub fn resource_template(&self, resource: Resource) {
        self.features().templates.push(resource);
    }

    /// Offers a prompt.
    pub fn prompt(&self, prompt: Prompt) {
        self.features().prompts.push(prompt);
    }

    /// Answers every request of a method, whatever is registered.
    pub fn on(&self, method: impl Into<String>, handler: Handler) {
        self.features().methods.push((method.into(), handler));
    }

    /// How many items a page of a list holds.
    pub fn page_size(&self, size: usize) {
        self.features().page_size = Some(size);
    }

    /// Members of the `initialize` result, or of that of `server/discover`, that
    /// replace what follows by itself; a null one is left out.
    pub fn initialize(&self, members: Map<String, Value>) {
        self.state().initialize.extend(members);
    }

    /// Lets so much time pass before each answer to a request of a method, so that
    /// a client that does not wait for it is seen.
    pub fn delay(&self, method: impl Into<String>, time: std::time::Duration) {
        self.state().delays.insert(method.into(), time);
    }

    /// Speaks these versions, and not the profile's alone: those with a handshake,
    /// those without, or both at once (basic/versioning, "Compatibility Matrix").
    pub fn versions(&self, versions: Vec<String>) {
        self.state().versions = Some(versions);
    }

    /// The versions that it speaks, as it names them.
    fn supported(&self) -> Vec<String> {
        let versions = self.state().versions.clone();
        versions.unwrap_or_else(|| vec![self.behaviour.revision.as_str().to_owned()])
    }

    /// Whether it knows a version that a header field names: one that it speaks,
    /// or any with a handshake.
    fn knows(&self, version: &str) -> bool {
        let revision = version.parse::<Revision>();
        revision.is_ok_and(Revision::has_handshake)
            || self.supported().iter().any(|supported| supported == version)
    }

    /// The revision in force for a message: a server of both eras tells them by
    /// what each request carries.
    fn revision_of(&self, message: &Value) -> Revision {
        let state = self.state();
        let Some(versions) = &state.versions else { return self.behaviour.revision };
        let known = versions.iter().filter_map(|version| version.parse::<Revision>().ok());
        let (legacy, modern): (Vec<_>, Vec<_>) = known.partition(|known| known.has_handshake());
        let legacy = legacy.into_iter().max().map(|latest| state.negotiated.unwrap_or(latest));
        let modern = modern.into_iter().max();
        let carries = message["params"]["_meta"][metadata::PROTOCOL_VERSION].is_string();
        let wanted = if carries { modern.or(legacy) } else { legacy.or(modern) };
        wanted.unwrap_or(self.behaviour.revision)
    }

    /// Puts a message on the GET stream, and from then on allows one.
    pub fn push(&self, message: Value) {
        self.state().listens = true;
        self.streams.push(message);
    }

    /// Ends every session; requests that carry its id are answered with 404.
    pub fn expire_session(&self) {
        self.state().sessions.clear();
    }

    /// Takes note of what is answered in its place, which is as a script wrote
    /// it.
    pub fn passes_over(&self, plan: &Plan) {
        for frame in &plan.frames {
            if let Frame::Bytes(bytes) = frame {
                self.streams.verbatim(bytes);
            }
        }
    }

    /// The bytes that it sent as a script wrote them (`raw` and `chunk`), in
    /// their order: they need not be valid messages.
    pub fn sent_verbatim(&self) -> Vec<Bytes> {
        self.streams.sent_verbatim()
    }

    fn features(&self) -> MutexGuard<'_, Features> {
        lock(&self.features)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

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

    fn handler_of(&self, message: &Value) -> Option<Handler> {
        self.features().method(message["method"].as_str()?)
    }

    /// The action as this client and its era allow it. What the client did not
    /// declare it is not asked. From 2026-07-28 on it is asked within a result
    /// (basic/patterns/mrtr): what is asked for is a result of its own, and what
    /// follows it waits for the state that comes back.
    fn settled(&self, message: &Value, action: Action) -> Action {
        if self.revision_of(message).has_handshake() {
            let declared = self.state().declared.clone();
            return asking::within(&declared, action, undeclared);
        }
        let declared = message["params"]["_meta"][metadata::CLIENT_CAPABILITIES].clone();
        self.within_result(asking::within(&Arc::new(declared), action, missing_capability))
    }

    fn within_result(&self, action: Action) -> Action {
        match action {
            Action::Ask { method, params, then } => self.input_required(&method, params, then),
            Action::After(time, action) => {
                Action::After(time, Box::new(self.within_result(*action)))
            }
            action => action,
        }
    }

    fn input_required(&self, method: &str, params: Option<Value>, then: Answered) -> Action {
        let mut state = self.state();
        // What reading it, or trimming it, would change.
        let issued = format!(" {{\"asked\":{}}}=\u{e9}\\n ", state.asked.len() + 1);
        state.asked.insert(issued.clone(), then);
        let mut asked = json!({ "method": method });
        if let Some(params) = params {
            asked["params"] = params;
        }
        Action::Reply {
            result: json!({
                "resultType": "input_required",
                "inputRequests": { INPUT_KEY: asked },
                "requestState": issued,
            }),
            framing: None,
        }
    }

    /// What follows the input that comes with a request; `None` if none was
    /// asked for.
    fn answered(&self, message: &Value) -> Option<Action> {
        let state = message["params"]["requestState"].as_str()?;
        let then = self.state().asked.get(state).cloned()?;
        let given = &message["params"]["inputResponses"][INPUT_KEY];
        let answer = json!({ "jsonrpc": "2.0", "id": INPUT_KEY, "result": given });
        Some(then(&answer))
    }

    fn act(&self, request: &Request, message: &Value) -> Action {
        if let Some(action) = self.answered(message) {
            return action;
        }
        let method = message["method"].as_str().unwrap_or_default();
        if method == "initialize" {
            self.state().declared = Arc::new(message["params"]["capabilities"].clone());
        }
        let call = Call { message, headers: request.headers() };
        if let Some(handler) = self.handler_of(message) {
            return handler(&call);
        }
        let revision = self.revision_of(message);
        let feature = self.features().feature(method, call.params(), revision);
        if let Some(handler) = feature {
            return handler(&call);
        }
        if let Some(list) = self.features().list(method, call.params()) {
            return list;
        }
        match (method, revision.has_handshake()) {
            ("initialize", true) => Action::Value(self.initialize_result(call.params(), revision)),
            ("server/discover", false) => Action::Value(self.discover_result()),
            ("ping", true) => Action::Value(json!({})),
            _ => Action::Error {
                code: -32601,
                message: format!("Method not found: {method}"),
                data: None,
            },
        }
    }

    fn initialize_result(&self, params: &Value, latest: Revision) -> Value {
        let mut result = Map::new();
        let chosen = self.negotiate(params, latest);
        result.insert("protocolVersion".into(), chosen.as_str().into());
        result.insert("capabilities".into(), self.capabilities());
        result.insert("serverInfo".into(), server_info());
        result.extend(self.state().initialize.clone());
        result.retain(|_, value| !value.is_null());
        self.withhold(&mut result);
        Value::Object(result)
    }

    /// The version that a handshake comes to: the one that is asked for, if the
    /// server speaks several and this is one of them.
    fn negotiate(&self, params: &Value, latest: Revision) -> Revision {
        let mut state = self.state();
        let Some(versions) = &state.versions else { return latest };
        let asked = params["protocolVersion"].as_str();
        let asked = asked.filter(|asked| versions.iter().any(|version| version == asked));
        let asked = asked.and_then(|asked| asked.parse().ok());
        let chosen = asked.filter(|asked: &Revision| asked.has_handshake()).unwrap_or(latest);
        state.negotiated = Some(chosen);
        chosen
    }

    /// The same of a server without a handshake; what else belongs to it is
    /// added to every result.
    fn discover_result(&self) -> Value {
        let mut result = Map::new();
        result.insert("supportedVersions".into(), json!(self.supported()));
        result.insert("capabilities".into(), self.capabilities());
        result.extend(self.state().initialize.clone());
        result.shift_remove("protocolVersion");
        if let Some(info) = result.shift_remove("serverInfo") {
            result.insert("_meta".into(), json!({ metadata::SERVER_INFO: info }));
        }
        for member in ["supportedVersions", "capabilities", "instructions"] {
            if result.get(member).is_some_and(Value::is_null) {
                result.shift_remove(member);
            }
        }
        self.withhold(&mut result);
        Value::Object(result)
    }

    /// What a script registered and this server never declares.
    pub fn withheld(&self) -> Vec<CapabilityPath> {
        let registered = self.features().capabilities();
        let lacks = self.behaviour.lacks.iter();
        lacks.filter(|path| path.is_in(&registered)).cloned().collect()
    }

    /// What the client's policy requires, and a script left out of the capabilities
    /// that it wrote itself.
    pub fn undeclared(&self) -> Vec<CapabilityPath> {
        let state = self.state();
        let Some(written) = state.initialize.get("capabilities").filter(|of| of.is_object()) else {
            return Vec::new();
        };
        self.behaviour.declares.iter().filter(|path| !path.is_in(written)).cloned().collect()
    }

    /// What this server declares, unless a script says otherwise.
    pub fn capabilities(&self) -> Value {
        let mut capabilities = self.features().capabilities();
        if let Value::Object(members) = &mut capabilities {
            self.behaviour.declares.iter().for_each(|path| path.add_to(members));
        }
        self.behaviour.lacks.iter().for_each(|path| path.remove_from(&mut capabilities));
        capabilities
    }

    /// Takes out what this server never declares.
    fn withhold(&self, result: &mut Map<String, Value>) {
        if let Some(capabilities) = result.get_mut("capabilities") {
            self.behaviour.lacks.iter().for_each(|path| path.remove_from(capabilities));
        }
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

/// In place of a question to a client that did not declare what it needs; there is
/// no code for that up to 2025-11-25.
fn undeclared(needed: Value) -> Action {
    let message = format!("The client did not declare what this needs: {needed}");
    Action::Error { code: -32000, message, data: None }
}

/// The same from 2026-07-28 on (basic, "Per-request protocol fields").
fn missing_capability(needed: Value) -> Action {
    Action::Error {
        code: MISSING_CLIENT_CAPABILITY,
        message: "Missing required client capability".to_owned(),
        data: Some(json!({ "requiredCapabilities": needed })),
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
