//! How messages travel: the trait [`Transport`]. Streamable HTTP is one
//! transport, a channel in memory another (for tests); stdio will be a third.

use std::sync::Arc;

use serde_json::{Map, Value};
use tokio::sync::oneshot;

use super::budget::Budget;
use super::error::ClientError;
use super::inbox::Inbox;
use crate::mcp::Revision;
use crate::mcp::header_parameter::InvalidAnnotation;
use crate::mcp::json_rpc::{ErrorObject, Notification, Request};
use crate::wire::http::BoxFuture;

/// What every message of one session carries.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// What the server issued; `None` if it issued nothing.
    pub id: Option<String>,
    /// The revision in force: the one asked for until one was chosen.
    pub revision: Revision,
    /// Whether the revision stands, so that it is announced: with a handshake,
    /// once the server chose it.
    pub negotiated: bool,
    /// What each request carries in `_meta`; `None` where the revision has no
    /// such thing.
    pub metadata: Option<Arc<Map<String, Value>>>,
}

impl Session {
    /// What the handshake itself carries: nothing.
    pub fn opening(revision: Revision) -> Self {
        Session { id: None, revision, negotiated: false, metadata: None }
    }

    /// What carries its own state in each request, and has no session.
    pub fn stateless(revision: Revision, metadata: Map<String, Value>) -> Self {
        Session { id: None, revision, negotiated: true, metadata: Some(Arc::new(metadata)) }
    }
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The result, or the error response.
    pub outcome: Result<Value, ErrorObject>,
    /// The session id that came with it.
    pub session_id: Option<String>,
}

/// A tool of a list that must not be called, and is left out of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its name; `None` if it has none.
    pub name: Option<String>,
    /// Why (2026-07-28, server/tools, "x-mcp-header").
    pub reason: InvalidAnnotation,
}

/// Carries messages to the server and back.
pub trait Transport: Send + Sync {
    /// What the server is known by beside others, and to whom it is safe to say
    /// what it said: over HTTP the origin of its endpoint, serialized (RFC 6454,
    /// section 6.2).
    fn server(&self) -> &str;

    /// Sends `request` and waits for its answer. What else comes meanwhile goes
    /// to `inbox`, and the server's own requests are answered.
    ///
    /// # Errors
    /// [`ClientError`] if no answer came: each kind but those that judge a
    /// result.
    fn request<'a>(
        &'a self,
        request: &'a Request,
        session: &'a Session,
        inbox: &'a Inbox,
        budget: &'a mut Budget,
    ) -> BoxFuture<'a, Result<Reply, ClientError>>;

    /// Sends `notification` as a leg of the budget and waits until it was
    /// accepted.
    ///
    /// # Errors
    /// [`ClientError`] if it was not accepted.
    fn notify<'a>(
        &'a self,
        notification: &'a Notification,
        session: &'a Session,
        budget: &'a mut Budget,
    ) -> BoxFuture<'a, Result<(), ClientError>>;

    /// Sends `notification` beside the budget; whoever calls bounds it. What
    /// becomes of it does not matter.
    fn notify_aside<'a>(
        &'a self,
        notification: &'a Notification,
        session: &'a Session,
    ) -> BoxFuture<'a, ()>;

    /// Hears what the server sends between requests, for as long as it lets it:
    /// that goes to `inbox`, and the server's own requests are answered. Where
    /// the revision asks for it, `request` is what it is asked with. Whether this
    /// could begin is told to `opened`, with what the server agreed to send; null
    /// where it is not asked for anything.
    fn listen<'a>(
        &'a self,
        request: Option<Request>,
        session: &'a Session,
        inbox: &'a Inbox,
        opened: oneshot::Sender<Result<Value, ClientError>>,
    ) -> BoxFuture<'a, ()>;

    /// Tells the server that `session` is over, if it issued an id.
    ///
    /// # Errors
    /// [`ClientError`] if the server neither accepted that nor has a reason to
    /// refuse it.
    fn end_session<'a>(
        &'a self,
        session: &'a Session,
        budget: &'a mut Budget,
    ) -> BoxFuture<'a, Result<(), ClientError>>;

    /// Takes note of tools that were listed, and takes out those that must not
    /// be called over this transport: none, unless it says so.
    fn admit_tools(&self, _tools: &mut Vec<Value>, _session: &Session) -> Vec<LeftOut> {
        Vec::new()
    }

    /// The tools that were left out when they were listed last, each with the
    /// reason.
    fn rejected_tools(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Why a call of the tool `name` with these arguments cannot travel over this
    /// transport as the tool wants it to; `None` if it can.
    fn unsendable(&self, _name: &str, _arguments: &Value) -> Option<String> {
        None
    }
}
