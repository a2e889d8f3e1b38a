//! Requests by name over a transport: [`Channel`] gives each its id, cancels
//! what is given up, and turns error responses into errors.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use serde_json::{Map, Value, json};

use super::budget::{Budget, bounded};
use super::cancellation::Cancellation;
use super::error::{ClientError, ErrorKind};
use super::inbox::Inbox;
use super::result_type::ResultType;
use super::stage::Life;
use super::transport::{Session, Transport};
use crate::mcp::json_rpc::{Notification, Request};
use crate::mcp::metadata;

/// Whether the requests of a handle ask for progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Progress {
    /// They do not.
    #[default]
    Unasked,
    /// Each has a `progressToken` of its own, which is its id
    /// (basic/utilities/progress, "Progress Flow").
    Asked,
}

/// Requests by name over a transport.
pub struct Channel {
    transport: Arc<dyn Transport>,
    inbox: Inbox,
    life: Life,
    /// The id of the latest request; they are never used twice, not even in
    /// another session.
    ids: AtomicI64,
    /// Whether a call may come back as a task.
    tasks: AtomicBool,
    scale: u32,
}

/// The result of a request, and the session id that came with it.
pub struct Answer {
    /// The result: an object.
    pub result: Value,
    /// The session id that came with it.
    pub session_id: Option<String>,
}

impl Channel {
    /// Requests over `transport`; delays are divided by `scale`.
    pub fn new(transport: Arc<dyn Transport>, scale: u32) -> Self {
        Channel {
            transport,
            inbox: Inbox::default(),
            life: Life::default(),
            ids: AtomicI64::new(0),
            tasks: AtomicBool::new(false),
            scale,
        }
    }

    /// What carries the messages.
    pub fn transport(&self) -> &dyn Transport {
        self.transport.as_ref()
    }

    /// What the server sent on its own.
    pub fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    /// Where what becomes of connections is noted.
    pub fn life(&self) -> &Life {
        &self.life
    }

    /// By what delays are divided.
    pub fn scale(&self) -> u32 {
        self.scale
    }

    /// A whole budget that no one cancels.
    pub fn own_budget(&self) -> Budget {
        Budget::start(self.scale, &Cancellation::new())
    }

    /// Sends `initialize`, which is never cancelled.
    ///
    /// # Errors
    /// [`ClientError`] if no result came.
    pub async fn initialize(
        &self,
        params: Value,
        opening: &Session,
        budget: &mut Budget,
    ) -> Result<Answer, ClientError> {
        let request = self.next("initialize", Some(params));
        self.answer(&request, opening, budget).await
    }

    /// Sends a request of `session` and returns its result. When it is given
    /// up, the server is told, by a notification or by the end of the response,
    /// as the revision has it. If it asks for progress, its id is the token.
    ///
    /// # Errors
    /// [`ClientError`] if no result came.
    pub async fn request(
        &self,
        method: &str,
        params: Option<Value>,
        progress: Progress,
        session: &Session,
        budget: &mut Budget,
    ) -> Result<Value, ClientError> {
        let mut request = self.next(method, self.with_metadata(params, session));
        if progress == Progress::Asked {
            let params = request.params.get_or_insert_with(|| json!({}));
            params["_meta"]["progressToken"] = request.id.clone();
        }
        if session.revision.cancels_by_notification() {
            let (transport, session, scale) = (self.transport.clone(), session.clone(), self.scale);
            let notice = Notification {
                method: "notifications/cancelled".into(),
                params: Some(json!({ "requestId": request.id })),
            };
            budget.set_notice(Box::pin(async move {
                bounded(scale, transport.notify_aside(&notice, &session)).await;
            }));
        }
        let answer = self.answer(&request, session, budget).await;
        budget.settle();
        Ok(answer?.result)
    }

    /// From now on, each request says that a call may come back as a task.
    pub fn take_tasks(&self) {
        self.tasks.store(true, Ordering::Relaxed);
    }

    /// Whether a call may come back as a task.
    pub fn takes_tasks(&self) -> bool {
        self.tasks.load(Ordering::Relaxed)
    }

    /// What each request of `session` carries in `_meta`; `None` where the
    /// revision has no such thing.
    pub fn metadata(&self, session: &Session) -> Option<Map<String, Value>> {
        let mut carried = (**session.metadata.as_ref()?).clone();
        let mut capabilities = self.inbox.features().capabilities(session.revision);
        if self.takes_tasks() {
            capabilities["extensions"][metadata::TASKS] = json!({});
        }
        carried.insert(metadata::CLIENT_CAPABILITIES.into(), capabilities);
        Some(carried)
    }

    /// The params with what each request of the session carries in `_meta`,
    /// beside what stands there already.
    fn with_metadata(&self, params: Option<Value>, session: &Session) -> Option<Value> {
        let Some(carried) = self.metadata(session) else { return params };
        let mut params = params.unwrap_or_else(|| json!({}));
        for (name, value) in carried {
            params["_meta"][name] = value;
        }
        Some(params)
    }

    /// The request that asks for what `filter` names between other requests.
    pub fn subscription(&self, filter: Value, session: &Session) -> Request {
        let params = Some(json!({ "notifications": filter }));
        self.next("subscriptions/listen", self.with_metadata(params, session))
    }

    /// The id of the latest request; 0 before the first.
    pub fn latest_id(&self) -> i64 {
        self.ids.load(Ordering::Relaxed)
    }

    /// From now on, each request has an id above `id`.
    pub fn pass_id(&self, id: i64) {
        self.ids.fetch_max(id, Ordering::Relaxed);
    }

    fn next(&self, method: &str, params: Option<Value>) -> Request {
        let id = self.ids.fetch_add(1, Ordering::Relaxed) + 1;
        Request { id: id.into(), method: method.to_owned(), params }
    }

    async fn answer(
        &self,
        request: &Request,
        session: &Session,
        budget: &mut Budget,
    ) -> Result<Answer, ClientError> {
        let start = budget.now();
        let reply = self.transport.request(request, session, &self.inbox, budget).await?;
        budget.answered(start);
        let result = reply.outcome.map_err(|error| {
            ClientError::from_response(&request.method, error, session.revision)
        })?;
        if !result.is_object() {
            let message = format!("the result of {} is not an object", request.method);
            return Err(ClientError::new(ErrorKind::InvalidResult, message));
        }
        if ResultType::of(&result, session.revision, self.takes_tasks()).is_none() {
            let message = format!("the result of {} is of no known type", request.method);
            return Err(ClientError::new(ErrorKind::InvalidResult, message));
        }
        Ok(Answer { result, session_id: reply.session_id })
    }
}
