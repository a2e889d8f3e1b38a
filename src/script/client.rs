//! `client`: how a script tells the built-in client what to do. The main type
//! is [`Client`].
//!
//! A script is synchronous: each operation blocks on the execution's own
//! runtime until it is done. What is begun in the background goes on whenever
//! the script waits for something. What it sends past the client stands in
//! `raw`.

mod answer;
mod by_hand;
mod functions;
mod operations;
mod raw;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use rhai::{Dynamic, FnPtr, Map};
use serde_json::{Value, json};

pub use self::answer::{Answer, Pending, is_failed_answer};
pub(super) use self::functions::declare;

use super::action::json_value;
use super::api::{Evaluated, ScriptType};
use super::blocking::Blocking;
use super::handler::Handlers;
use super::value::{Absent, from_json};
use crate::mcp::client::features::ClientFeature;
use crate::mcp::client::{
    Cancellation, Client as McpClient, Endpoint, Eras, Operation, Options, StreamableHttp,
    Transport,
};
use crate::wire::HttpClient;

/// How long a notification is waited for.
const NOTIFICATION_BOUND: Duration = Duration::from_secs(15);

/// The built-in client as scripts hold it. A clone is another handle.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    client: McpClient,
    transport: Arc<StreamableHttp>,
    http: Arc<dyn HttpClient>,
    endpoint: Endpoint,
    options: Options,
    blocking: Blocking,
    handlers: Handlers,
    /// Every client that the script made, this one included: all are closed at
    /// the end.
    all: Arc<Mutex<Vec<McpClient>>>,
    /// What clients of both eras found out, for the whole execution.
    eras: Eras,
    /// The bodies that the script sent by itself, past every client.
    raw: Arc<Mutex<Vec<Bytes>>>,
    /// What an external client would be told of its task.
    context: Arc<Value>,
}

impl ScriptType for Client {
    const NAME: &'static str = "Client";
}

impl Client {
    /// A client that sends through `http`, and whose handlers are functions of
    /// the script of `handlers`. `context` is what an external client would be
    /// told.
    pub fn new(
        http: Arc<dyn HttpClient>,
        endpoint: Endpoint,
        options: Options,
        blocking: Blocking,
        handlers: Handlers,
        context: Value,
    ) -> Self {
        let transport =
            Arc::new(StreamableHttp::new(http.clone(), endpoint.clone(), options.scale));
        let client = McpClient::new(transport.clone(), options.clone());
        let all = Arc::new(Mutex::new(vec![client.clone()]));
        let (eras, raw) = (Eras::default(), Arc::default());
        let context = Arc::new(context);
        Client(Arc::new(Inner {
            client,
            transport,
            http,
            endpoint,
            options,
            blocking,
            handlers,
            all,
            eras,
            raw,
            context,
        }))
    }

    /// The bodies that the script sent by itself (`send_raw`, `post`), in their
    /// order: they need not be valid messages.
    pub fn sent_raw(&self) -> Vec<Bytes> {
        self.0.raw.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Closes every connection that the script left open.
    ///
    /// # Errors
    /// The evaluation is to end.
    pub fn close_all(&self) -> Evaluated<()> {
        let clients: Vec<_> =
            self.0.all.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect();
        for client in clients {
            // How a connection ends is on the wire; there is nobody to tell.
            let _ = self.0.blocking.finish(client.close())?;
        }
        Ok(())
    }

    fn perform(&self, operation: Operation) -> Evaluated<Answer> {
        let never = Cancellation::new();
        self.0.blocking.wait(self.0.client.perform(operation, &never)).map(Answer::from)
    }

    fn begin(&self, operation: Operation) -> Evaluated<Pending> {
        let client = self.0.client.clone();
        let cancellation = Cancellation::new();
        let cancelled = cancellation.clone();
        let answer = self
            .0
            .blocking
            .begin(async move { Answer::from(client.perform(operation, &cancelled).await) })?;
        Ok(Pending { answer, cancellation })
    }

    fn another(&mut self) -> Client {
        self.beside(self.0.options.clone(), McpClient::new)
    }

    /// Another client, which accepts what `policy` says: `#{ versions, required,
    /// optional }`; what is left out is as in the profile.
    fn with_policy(&mut self, policy: Map) -> Evaluated<Client> {
        let mut options = self.0.options.clone();
        let mut written = json!(options.policy);
        if let (Some(written), Value::Object(said)) =
            (written.as_object_mut(), json_value(&policy.into())?)
        {
            written.extend(said);
        }
        options.policy = serde_json::from_value(written)
            .map_err(|error| format!("this is no policy: {error}"))?;
        options.revision = options.policy.asked_for(options.revision);
        Ok(self.beside(options, McpClient::new))
    }

    fn dual_era(&mut self) -> Client {
        let eras = self.0.eras.clone();
        self.beside(self.0.options.clone(), |transport, options| {
            McpClient::of_both_eras(transport, options, eras)
        })
    }

    /// A client with a connection of its own, which `make` makes; it shares
    /// everything else with this one.
    fn beside(
        &self,
        options: Options,
        make: impl FnOnce(Arc<dyn Transport>, Options) -> McpClient,
    ) -> Client {
        let (http, endpoint) = (self.0.http.clone(), self.0.endpoint.clone());
        let transport = Arc::new(StreamableHttp::new(http, endpoint, options.scale));
        let client = make(transport.clone(), options.clone());
        self.0.all.lock().unwrap_or_else(PoisonError::into_inner).push(client.clone());
        self.with(client, transport, options)
    }

    /// A handle to `client`, which was made with `transport` and `options`; it
    /// shares everything else with this one.
    fn with(&self, client: McpClient, transport: Arc<StreamableHttp>, options: Options) -> Client {
        let Inner { http, endpoint, blocking, handlers, all, eras, raw, context, .. } = &*self.0;
        Client(Arc::new(Inner {
            client,
            transport,
            http: http.clone(),
            endpoint: endpoint.clone(),
            options,
            blocking: blocking.clone(),
            handlers: handlers.clone(),
            all: all.clone(),
            eras: eras.clone(),
            raw: raw.clone(),
            context: context.clone(),
        }))
    }

    fn with_progress(&self) -> Client {
        let (transport, options) = (self.0.transport.clone(), self.0.options.clone());
        self.with(self.0.client.with_progress(), transport, options)
    }

    fn listen(&self, filter: Option<Value>) -> Evaluated<Answer> {
        self.0.blocking.wait(self.0.client.listen(filter)).map(Answer::from)
    }

    /// Answers what the server asks of a feature; the map is what is declared
    /// of it.
    fn handle(
        &self,
        feature: ClientFeature,
        declared: Option<Map>,
        handler: FnPtr,
    ) -> Evaluated<()> {
        let declared = declared.map(|map| json_value(&map.into())).transpose()?;
        let handler = self.0.handlers.of_client(handler, feature, self.0.options.scale);
        self.0.client.handle(feature, declared, handler).map_err(|error| error.message.into())
    }

    fn wait_for(&mut self, method: &str) -> Evaluated<Dynamic> {
        let wait = self.0.client.wait_for_notification(method, NOTIFICATION_BOUND);
        let found = self.0.blocking.wait(wait)?;
        Ok(found.map_or_else(|| Dynamic::from(Absent), |message| from_json(&message)))
    }
}
