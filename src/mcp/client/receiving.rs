//! What a client has for a server that speaks first: handlers, what it declares
//! of them, and the stream between requests.

use std::sync::PoisonError;

use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::Client;
use super::error::{ClientError, ErrorKind};
use super::features::{ClientFeature, Handler};
use super::inner::State;
use crate::mcp::json_rpc::Notification;

impl Client {
    /// Answers what the server asks of `feature` with `handler`, and declares
    /// it in the handshake: as `declared`, or else with all that the revision
    /// has of it.
    ///
    /// # Errors
    /// [`ErrorKind::NotSupported`] if the revision does not have the feature,
    /// or a connection was opened already.
    pub fn handle(
        &self,
        feature: ClientFeature,
        declared: Option<Value>,
        handler: Handler,
    ) -> Result<(), ClientError> {
        let name = feature.as_str();
        let revision = self.0.lifecycle.opening().revision;
        let refused = |message: String| Err(ClientError::new(ErrorKind::NotSupported, message));
        if !feature.is_known_at(revision) {
            return refused(format!("{revision} has no {name}"));
        }
        if !matches!(*self.0.lock(), State::Idle) {
            return refused(format!("{name} is declared when a connection begins, not later"));
        }
        self.0.channel.inbox().features().register(feature, declared, handler);
        Ok(())
    }

    /// Tells the server that the roots are others now (client/roots, "Root List
    /// Changes").
    ///
    /// # Errors
    /// [`ErrorKind::NotSupported`] if `roots.listChanged` was not declared;
    /// else [`ClientError`] if the notification was not accepted.
    pub async fn roots_changed(&self) -> Result<(), ClientError> {
        let mut budget = self.0.channel.own_budget();
        let connection = self.0.connection(&mut budget).await?;
        let revision = connection.session().revision;
        let refused = |message: String| Err(ClientError::new(ErrorKind::NotSupported, message));
        if !revision.tells_of_roots() {
            return refused(format!("at {revision} a client does not tell that its roots changed"));
        }
        let declared = self.0.channel.inbox().features().capabilities(revision);
        if declared["roots"]["listChanged"] != true {
            return refused("this client did not declare `roots.listChanged`".to_owned());
        }
        let method = "notifications/roots/list_changed".to_owned();
        let changed = Notification { method, params: None };
        self.0.channel.transport().notify(&changed, connection.session(), &mut budget).await
    }

    /// Says with each request that a call may come back as a task, which is then
    /// followed to its end (the extension for tasks).
    ///
    /// # Errors
    /// [`ErrorKind::NotSupported`] if the revision does not have them, or a
    /// connection was opened already.
    pub fn take_tasks(&self) -> Result<(), ClientError> {
        let revision = self.revision();
        if revision.has_handshake() || !matches!(*self.0.lock(), State::Idle) {
            let message = "tasks are declared from 2026-07-28 on, before the first request";
            return Err(ClientError::new(ErrorKind::NotSupported, message));
        }
        self.0.channel.take_tasks();
        Ok(())
    }

    /// Begins to listen to what the server sends between requests, until the
    /// client is closed. From 2026-07-28 on `filter` says to what:
    /// `{"toolsListChanged": true}`. Returns what of that the server agreed to,
    /// which may be less (basic/patterns/subscriptions, "Acknowledgment"); null
    /// before 2026-07-28. Has to be called within a runtime of tokio.
    ///
    /// # Errors
    /// [`ErrorKind::NotSupported`] if the server offers no such stream; else
    /// [`ClientError`] if none could be opened.
    pub async fn listen(&self, filter: Option<Value>) -> Result<Value, ClientError> {
        let mut budget = self.0.channel.own_budget();
        let connection = self.0.connection(&mut budget).await?;
        let request = match (connection.session().revision.subscribes(), filter) {
            (true, filter) => {
                let filter = filter.unwrap_or_else(|| json!({}));
                Some(self.0.channel.subscription(filter, connection.session()))
            }
            (false, None) => None,
            (false, Some(_)) => {
                let message = "a client cannot say to what it listens before 2026-07-28";
                return Err(ClientError::new(ErrorKind::NotSupported, message));
            }
        };
        let (opened, opening) = oneshot::channel();
        let inner = self.0.clone();
        let listening = tokio::spawn(async move {
            let (channel, session) = (&inner.channel, connection.session());
            channel.transport().listen(request, session, channel.inbox(), opened).await;
        });
        let ending = listening.abort_handle();
        self.0.listening.lock().unwrap_or_else(PoisonError::into_inner).push(listening);
        let closed = || ClientError::new(ErrorKind::Closed, "the client was closed meanwhile");
        let opened = budget.leg(async { opening.await.unwrap_or_else(|_| Err(closed())) }).await;
        if opened.is_err() {
            ending.abort();
        }
        opened
    }
}
