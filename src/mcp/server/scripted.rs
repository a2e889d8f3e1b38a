//! The MCP server that the double plays: [`ScriptedServer`], and what a script
//! registers with it. How it is reached stands in `endpoint`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use serde_json::{Map, Value};

use super::Framing;
use super::action::Answered;
use super::features::{Features, Handler, Prompt, Resource, Tool};
use super::streams::{Streams, lock};
use crate::mcp::negotiation::CapabilityPath;
use crate::mcp::{Revision, metadata};
use crate::wire::double::{Frame, Plan};

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
    pub(super) behaviour: Behaviour,
    pub(super) features: Mutex<Features>,
    pub(super) state: Mutex<State>,
    pub(super) streams: Streams,
}

/// What changes in it while it answers.
#[derive(Default)]
pub(super) struct State {
    /// What the script says of the server, over what follows by itself.
    pub(super) initialize: Map<String, Value>,
    pub(super) sessions_issued: usize,
    pub(super) sessions: BTreeSet<String>,
    /// How long an answer takes, by the method of the request.
    pub(super) delays: BTreeMap<String, std::time::Duration>,
    /// The versions that it speaks, if they are not the profile's alone.
    pub(super) versions: Option<Vec<String>>,
    /// The version that the latest handshake came to.
    pub(super) negotiated: Option<Revision>,
    /// What the client declared in the latest handshake.
    pub(super) declared: Arc<Value>,
    /// What follows the input that was asked for, by the state that was issued.
    pub(super) asked: BTreeMap<String, Answered>,
    /// Whether a GET stream may be opened: only if something is pushed on it.
    pub(super) listens: bool,
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
    pub(super) fn supported(&self) -> Vec<String> {
        let versions = self.state().versions.clone();
        versions.unwrap_or_else(|| vec![self.behaviour.revision.as_str().to_owned()])
    }

    /// Whether it knows a version that a header field names: one that it speaks,
    /// or any with a handshake.
    pub(super) fn knows(&self, version: &str) -> bool {
        let revision = version.parse::<Revision>();
        revision.is_ok_and(Revision::has_handshake)
            || self.supported().iter().any(|supported| supported == version)
    }

    /// The revision in force for a message: a server of both eras tells them by
    /// what each request carries.
    pub(super) fn revision_of(&self, message: &Value) -> Revision {
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

    /// What is registered.
    pub(super) fn features(&self) -> MutexGuard<'_, Features> {
        lock(&self.features)
    }

    /// What changes while it answers.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}
