//! The MCP client: [`Client`], a handle to one connection.
//!
//! Three layers: the client knows operations and messages, the
//! [`transport`] that it is made with knows framing, [`HttpClient`](crate::wire::HttpClient)
//! knows bytes. How a connection
//! begins and ends is the `lifecycle` of its revision. Tasks (2025-11-25) are
//! not declared, so no server may ask for them; they will be operations.

mod answers;
pub mod budget;
mod cache;
mod calling;
pub mod cancellation;
mod channel;
pub mod error;
pub mod features;
mod inbox;
mod inner;
mod interim;
mod lifecycle;
pub mod operation;
mod options;
mod pages;
mod receiving;
mod result_type;
mod resuming;
mod round_limit;
mod rounds;
mod size;
pub mod stage;
mod streamable_http;
mod tasks;
pub mod transport;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

pub use self::cancellation::Cancellation;
pub use self::channel::Progress;
pub use self::error::{ClientError, ErrorKind};
pub use self::interim::{Interim, NotKept, Original};
pub use self::operation::Operation;
pub use self::options::Options;
pub use self::round_limit::{InvalidRoundLimit, RoundLimit};
pub use self::rounds::Round;
pub use self::stage::Stage;
pub use self::streamable_http::{Endpoint, StreamableHttp};
pub use self::transport::{LeftOut, Session, Transport};

use self::budget::Budget;
use self::cache::Cache;
use self::channel::Channel;
use self::inner::{Inner, State, lock, offered};
pub use self::lifecycle::Eras;
use self::lifecycle::Lifecycle;
use super::Revision;
use super::negotiation::CapabilityPath;

/// What an operation came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Completed {
    /// An array of all pages' items for a list, else the result as it came.
    pub result: Value,
    /// From the sending of the request that completed the operation to its
    /// result, multiplied by the scale.
    pub round_trip: Duration,
    /// The tools that were left out of a list, since they must not be called.
    pub left_out: Vec<LeftOut>,
}

/// A client of one server. A clone is another handle to the same connection.
#[derive(Clone)]
pub struct Client(Arc<Inner>, Progress);

impl Client {
    /// A client of the server behind `transport`; nothing is sent yet.
    pub fn new(transport: Arc<dyn Transport>, options: Options) -> Client {
        let lifecycle = Lifecycle::new(&options);
        Client::living(transport, options.scale, lifecycle)
    }

    /// A client of both eras: it finds out which one the server belongs to, and
    /// notes it in `eras`, where the next client of that server finds it.
    pub fn of_both_eras(transport: Arc<dyn Transport>, options: Options, eras: Eras) -> Client {
        let scale = options.scale;
        let lifecycle = Lifecycle::dual_era(options, eras, transport.server());
        Client::living(transport, scale, lifecycle)
    }

    fn living(transport: Arc<dyn Transport>, scale: u32, lifecycle: Lifecycle) -> Client {
        let inner = Inner {
            channel: Channel::new(transport, scale),
            lifecycle,
            listening: Mutex::default(),
            turn: tokio::sync::Mutex::new(()),
            state: Mutex::new(State::Idle),
            log_level: Mutex::default(),
            round_limit: AtomicU32::new(RoundLimit::default().get()),
            cache: Cache::default(),
        };
        Client(Arc::new(inner), Progress::default())
    }

    /// Another handle to the same connection, whose requests ask for progress.
    #[must_use]
    pub fn with_progress(&self) -> Client {
        Client(self.0.clone(), Progress::Asked)
    }

    /// How often it sends a request again for which the server wants more.
    pub fn round_limit(&self) -> u32 {
        self.0.round_limit.load(Ordering::Relaxed)
    }

    /// From now on, it sends a request again so often.
    pub fn limit_rounds(&self, limit: RoundLimit) {
        self.0.round_limit.store(limit.get(), Ordering::Relaxed);
    }

    /// Opens the connection and returns what the server said of itself: the
    /// result of `initialize` or `server/discover`, null if it knows neither. If
    /// it is open already, nothing is sent.
    ///
    /// # Errors
    /// [`ClientError`] if no connection came about.
    pub async fn connect(&self) -> Result<Value, ClientError> {
        let mut budget = self.0.channel.own_budget();
        Ok(self.0.connection(&mut budget).await?.introduction().clone())
    }

    /// Ends the session, if one was issued. Operations fail from now on.
    ///
    /// # Errors
    /// [`ClientError`] if the server was not reached or answered with an
    /// unexpected status; the client is closed all the same.
    pub async fn close(&self) -> Result<(), ClientError> {
        self.0.stop_listening().await;
        // Whoever has the turn opens a connection, within a budget of its own.
        let _turn = self.0.turn.lock().await;
        let before = std::mem::replace(&mut *self.0.lock(), State::Closed);
        if !matches!(before, State::Closed) {
            self.0.channel.life().enter(Stage::Closed);
        }
        let State::Connected(connection) = before else { return Ok(()) };
        let mut budget = self.0.channel.own_budget();
        self.0.channel.transport().end_session(connection.session(), &mut budget).await
    }

    /// Does one operation, within one budget of 20 seconds. A list returns an
    /// array of all pages' items, everything else the result as it came.
    ///
    /// # Errors
    /// [`ClientError`], each kind.
    pub async fn perform(
        &self,
        operation: Operation,
        cancellation: &Cancellation,
    ) -> Result<Value, ClientError> {
        Ok(self.perform_timed(operation, cancellation).await?.result)
    }

    /// Does one operation as [`Client::perform`] does, and says how long the
    /// server took.
    ///
    /// # Errors
    /// [`ClientError`], each kind.
    pub async fn perform_timed(
        &self,
        operation: Operation,
        cancellation: &Cancellation,
    ) -> Result<Completed, ClientError> {
        let mut budget = Budget::start(self.0.channel.scale(), cancellation);
        let was_connected = self.0.connected().is_some();
        let mut left_out = Vec::new();
        let result = match operation.items() {
            Some(items) => {
                let walked = pages::walk(&self.0, &operation, items, self.1, &mut budget).await?;
                left_out = walked.left_out;
                walked.items.into()
            }
            None => {
                let connection = self.0.connection(&mut budget).await?;
                let revision = connection.session().revision;
                match &operation {
                    // Opening the connection asked the same.
                    Operation::Discover
                        if !was_connected
                            && !revision.has_handshake()
                            && !connection.introduction().is_null() =>
                    {
                        connection.introduction().clone()
                    }
                    Operation::SetLoggingLevel { level } if !revision.sets_logging_level() => {
                        offered(&connection, &operation)?;
                        *lock(&self.0.log_level) = Some(level.clone());
                        json!({})
                    }
                    _ => {
                        let params = operation.params(revision)?;
                        rounds::request(&self.0, &operation, params, self.1, &mut budget).await?
                    }
                }
            }
        };
        Ok(Completed { result, round_trip: budget.round_trip(), left_out })
    }

    /// Sends one round of an operation, within a budget of its own, and returns
    /// the result as it came: where it asks for input (`resultType` is
    /// `input_required`), the caller gives it in a [`Round`] that follows it
    /// (2026-07-28, basic/patterns/mrtr). A list is one page, the first one or
    /// that of a cursor ([`Round::at`]), less the tools that must not be called;
    /// a task is a handle. Nothing is kept of the result.
    ///
    /// # Errors
    /// [`ClientError`], each kind but that of the bounds of rounds and pages.
    pub async fn perform_round(
        &self,
        operation: &Operation,
        round: &Round,
        cancellation: &Cancellation,
    ) -> Result<Value, ClientError> {
        let mut budget = Budget::start(self.0.channel.scale(), cancellation);
        rounds::once(&self.0, operation, round, self.1, &mut budget).await
    }

    /// The session id, if one was issued.
    pub fn session_id(&self) -> Option<String> {
        self.0.connected()?.session().id.clone()
    }

    /// The revision in force; the one that is asked for until then.
    pub fn revision(&self) -> Revision {
        match self.0.connected() {
            Some(connection) => connection.session().revision,
            None => self.0.lifecycle.opening().revision,
        }
    }

    /// The version in force, once the server chose it.
    pub fn protocol_version(&self) -> Option<String> {
        Some(self.0.connected()?.session().revision.as_str().to_owned())
    }

    /// The policy's optional capabilities that the server declares; empty until
    /// a connection is open.
    pub fn enabled_capabilities(&self) -> Vec<CapabilityPath> {
        self.0.connected().map(|connection| connection.enabled().to_vec()).unwrap_or_default()
    }

    /// The stages of its life so far, the earliest first; see [`stage`].
    pub fn stages(&self) -> Vec<Stage> {
        self.0.channel.life().stages()
    }

    /// Has each stage of its life from now on told to `watch`, when it is
    /// entered.
    pub fn watch_stages(&self, watch: Arc<stage::Watch>) {
        self.0.channel.life().watch(watch);
    }

    /// What the server is known by ([`Transport::server`]).
    pub fn server(&self) -> &str {
        self.0.channel.transport().server()
    }

    /// What the next message would carry.
    pub fn session(&self) -> Session {
        self.0.session()
    }

    /// What each request carries in `_meta`; null where the revision has no such
    /// thing.
    pub fn request_metadata(&self) -> Value {
        let session = self.0.session();
        self.0.channel.metadata(&session).map_or(Value::Null, Value::Object)
    }

    /// The tools that were left out of a list because their annotations are
    /// invalid, each with the reason (2026-07-28, server/tools, "x-mcp-header").
    pub fn rejected_tools(&self) -> Vec<(String, String)> {
        self.0.channel.transport().rejected_tools()
    }

    /// Every notification so far, as whole messages in the order in which they
    /// came.
    pub fn notifications(&self) -> Vec<Value> {
        self.0.channel.inbox().notifications()
    }

    /// The first notification of `method` that no earlier wait returned; waits
    /// up to `bound`, divided by the scale. `None` if none came.
    pub async fn wait_for_notification(&self, method: &str, bound: Duration) -> Option<Value> {
        let bound = bound / self.0.channel.scale().max(1);
        self.0.channel.inbox().wait_for(method, bound).await
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let version = self.protocol_version();
        formatter.debug_struct("Client").field("version", &version).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
