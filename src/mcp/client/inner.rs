//! What all handles of a client share: [`Inner`], which opens the connection when
//! it is needed and sends requests on it.

use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::budget::Budget;
use super::cache::Cache;
use super::channel::{Channel, Progress};
use super::error::{ClientError, ErrorKind};
use super::lifecycle::{Connection, Lifecycle};
use super::operation::Operation;
use super::transport::{LeftOut, Session, Transport};
use crate::mcp::{Revision, metadata};

/// What all handles of a client share.
pub(super) struct Inner {
    pub(super) channel: Channel,
    pub(super) lifecycle: Lifecycle,
    /// What listens to the server between requests.
    pub(super) listening: Mutex<Vec<JoinHandle<()>>>,
    /// Held while a connection is opened or closed, so that this is done once.
    pub(super) turn: tokio::sync::Mutex<()>,
    pub(super) state: Mutex<State>,
    /// The least level of the log, where each request names it.
    pub(super) log_level: Mutex<Option<String>>,
    /// How often a request is sent again.
    pub(super) round_limit: AtomicU32,
    pub(super) cache: Cache,
}

/// How far the connection is.
pub(super) enum State {
    /// Nothing is open; the next operation opens a connection.
    Idle,
    /// A connection is open.
    Connected(Arc<Connection>),
    /// The policy refuses what the server offers: nothing more is sent.
    Refused(ClientError),
    /// The client was closed.
    Closed,
}

/// What was done once already for one request.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    /// Whether a connection was opened anew.
    renewed: bool,
    /// Whether it was asked again after its stream was lost.
    reissued: bool,
    /// The revision at which it was sent last.
    pub(super) revision: Option<Revision>,
}

impl Inner {
    /// The connection; opened first, if there is none.
    pub(super) async fn connection(
        &self,
        budget: &mut Budget,
    ) -> Result<Arc<Connection>, ClientError> {
        if let Some(connection) = self.standing()? {
            return Ok(connection);
        }
        let _turn = budget.wait(self.turn.lock()).await?;
        if let Some(connection) = self.standing()? {
            return Ok(connection);
        }
        match self.lifecycle.open(&self.channel, budget).await {
            Ok(connection) => {
                let connection = Arc::new(connection);
                *self.lock() = State::Connected(connection.clone());
                Ok(connection)
            }
            Err(error) => {
                if is_refusal(&error) {
                    *self.lock() = State::Refused(error.clone());
                }
                Err(error)
            }
        }
    }

    /// Sends a request of `operation`. If the server no longer knows the
    /// session, or does not speak the version of this request, it did not look
    /// at it: a connection is opened anew and the request sent once more. Where
    /// the revision asks for it, what was lost with its stream is asked once more
    /// as well. What was done once is noted in `attempts`.
    pub(super) async fn send(
        &self,
        operation: &Operation,
        params: Option<Value>,
        progress: Progress,
        attempts: &mut Attempts,
        budget: &mut Budget,
    ) -> Result<Value, ClientError> {
        loop {
            let connection = self.connection(budget).await?;
            attempts.revision = Some(connection.session().revision);
            offered(&connection, operation)?;
            callable(self.channel.transport(), operation)?;
            let params = self.with_log_level(params.clone());
            let method = operation.method();
            let session = connection.session();
            let sent = self.channel.request(method, params, progress, session, budget);
            match sent.await {
                Err(error) if error.kind == ErrorKind::SessionLost || error.facts.unprocessed => {
                    self.forget(&connection);
                    if attempts.renewed || !error.facts.unprocessed {
                        return Err(error);
                    }
                    attempts.renewed = true;
                }
                Err(error)
                    if error.facts.lost
                        && !attempts.reissued
                        && operation.is_repeatable()
                        && connection.session().revision.reissues_lost_requests() =>
                {
                    attempts.reissued = true;
                }
                outcome => return outcome,
            }
        }
    }

    /// Takes out of `tools` those that must not be called.
    pub(super) fn admit_tools(&self, tools: &mut Vec<Value>) -> Vec<LeftOut> {
        self.channel.transport().admit_tools(tools, &self.session())
    }

    /// The params with the level of the log, if one was set for each request.
    fn with_log_level(&self, params: Option<Value>) -> Option<Value> {
        let Some(level) = lock(&self.log_level).clone() else { return params };
        let mut params = params.unwrap_or_else(|| json!({}));
        params["_meta"][metadata::LOG_LEVEL] = level.into();
        Some(params)
    }

    /// Drops a connection that the server no longer knows, unless another
    /// operation has replaced it already.
    fn forget(&self, lost: &Arc<Connection>) {
        let mut state = self.lock();
        if matches!(&*state, State::Connected(current) if Arc::ptr_eq(current, lost)) {
            *state = State::Idle;
        }
    }

    fn standing(&self) -> Result<Option<Arc<Connection>>, ClientError> {
        match &*self.lock() {
            State::Idle => Ok(None),
            State::Connected(connection) => Ok(Some(connection.clone())),
            State::Refused(error) => Err(error.clone()),
            State::Closed => Err(ClientError::new(ErrorKind::Closed, "the client is closed")),
        }
    }

    /// What the next request carries.
    pub(super) fn session(&self) -> Session {
        match self.connected() {
            Some(connection) => connection.session().clone(),
            None => self.lifecycle.opening(),
        }
    }

    /// The connection, if one is open.
    pub(super) fn connected(&self) -> Option<Arc<Connection>> {
        self.standing().ok().flatten()
    }

    /// How far it is; locked while it is looked at.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// The result of `operation` with these params that was kept and is fresh
    /// (2026-07-28, server/utilities/caching); `None` if there is none.
    pub(super) fn kept(&self, operation: &Operation, params: Option<&Value>) -> Option<Value> {
        if !self.may_be_kept(operation) {
            return None;
        }
        self.connected()?;
        let heard = self.channel.inbox().notifications();
        self.cache.fresh(operation.method(), params, &heard)
    }

    /// Keeps the complete `result` of `operation` with these params, if it may be
    /// kept; `heard` is how many notifications had come when it was asked for.
    pub(super) fn keep(
        &self,
        operation: &Operation,
        params: Option<Value>,
        result: &Value,
        heard: usize,
    ) {
        if self.may_be_kept(operation) {
            self.cache.keep(operation.method(), params, result, heard, self.channel.scale());
        }
    }

    fn may_be_kept(&self, operation: &Operation) -> bool {
        operation.is_cacheable() && self.session().revision.has_cache_hints()
    }

    /// Ends every stream that is listened to.
    pub(super) async fn stop_listening(&self) {
        let all =
            std::mem::take(&mut *self.listening.lock().unwrap_or_else(PoisonError::into_inner));
        for listening in all {
            listening.abort();
            // It was ended on purpose.
            let _ = listening.await;
        }
    }
}

/// Whether the policy refuses the server, as it would the next time.
fn is_refusal(error: &ClientError) -> bool {
    matches!(error.kind, ErrorKind::UnsupportedVersion | ErrorKind::MissingCapabilities)
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the server declared what `operation` needs: only capabilities that
/// were negotiated may be used (basic/lifecycle, "Operation"; from 2026-07-28 on
/// what was not declared has no method to answer with).
pub(super) fn offered(connection: &Connection, operation: &Operation) -> Result<(), ClientError> {
    match operation.capability() {
        Some(needed) if !connection.declares(&needed) => {
            let method = operation.method();
            let message = format!("{method} was not sent: the server did not declare `{needed}`");
            Err(ClientError::new(ErrorKind::NotSupported, message))
        }
        _ => Ok(()),
    }
}

/// Whether a tool may be called over `transport`: one that was left out of the
/// list must not be, nor one with arguments that cannot be said as it wants them.
pub(super) fn callable(
    transport: &dyn Transport,
    operation: &Operation,
) -> Result<(), ClientError> {
    let Operation::CallTool { name, arguments } = operation else { return Ok(()) };
    let unsent =
        |kind, reason| Err(ClientError::new(kind, format!("tools/call was not sent: {reason}")));
    let mut rejected = transport.rejected_tools().into_iter();
    if let Some((_, reason)) = rejected.find(|(rejected, _)| rejected == name) {
        return unsent(ErrorKind::NotSupported, reason);
    }
    match transport.unsendable(name, arguments.as_ref().unwrap_or(&Value::Null)) {
        Some(reason) => unsent(ErrorKind::InvalidArguments, reason),
        None => Ok(()),
    }
}
