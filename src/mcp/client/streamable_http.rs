//! The transport of the web: [`StreamableHttp`] (basic/transports, "Streamable
//! HTTP").
//!
//! Every message is a POST of its own; how one is answered stands in
//! `asking`, what it is sent as in `sending`, what a refusal means in `refusal`. The stream that a client may
//! open with GET to hear from the server between requests stands in
//! `listening`; what both read from streams in `incoming`.

mod asking;
mod incoming;
mod listening;
mod refusal;
mod sending;
mod tools;

use ::http::header::ACCEPT;
use ::http::{HeaderValue, Method, StatusCode};
use bytes::Bytes;
use serde_json::Value;
use tokio::sync::oneshot;

pub use self::sending::{Endpoint, StreamableHttp};

use self::asking::{Asking, Step};
use self::refusal::{accepted, discard, refused};
use super::budget::{Budget, bounded};
use super::error::{ClientError, ErrorKind};
use super::inbox::Inbox;
use super::transport::{LeftOut, Reply, Session, Transport};
use crate::mcp::authorization::{self, Challenge};
use crate::mcp::json_rpc::{Notification, Request};
use crate::wire::RequestHead;
use crate::wire::http::BoxFuture;

impl StreamableHttp {
    /// Sends a request and reads its response, and what resumes it.
    async fn ask(
        &self,
        request: &Request,
        session: &Session,
        inbox: &Inbox,
        budget: &mut Budget,
    ) -> Result<Reply, ClientError> {
        let suspension = budget.suspension().clone();
        let mut asking = Asking::new(self, request, session.clone(), inbox, suspension);
        let mut step = budget.leg(asking.begin()).await?;
        loop {
            match step {
                Step::Answered(outcome) => {
                    budget.settle();
                    // The answer is here. The stream is given a moment to end by
                    // itself, rather than be broken off.
                    bounded(self.scale, asking.finish()).await;
                    return Ok(Reply { outcome, session_id: asking.issued_session() });
                }
                Step::Unfinished(error) => {
                    let Some(last_event_id) = asking.last_event_id() else {
                        return Err(error.with(|facts| facts.lost = true));
                    };
                    budget.pause(asking.retry()).await?;
                    step = budget.leg(asking.resume(last_event_id)).await?;
                }
                Step::Challenged(challenges) => {
                    budget.settle();
                    let method = &request.method;
                    return Err(self.challenged(method, challenges, session, budget).await);
                }
            }
        }
    }

    /// A failure with the request that it is about, if what failed is the way to
    /// the server and back: the response may have broken off, or never come.
    fn about(&self, error: ClientError, message: &Value, session: &Session) -> ClientError {
        if !matches!(error.kind, ErrorKind::Connection | ErrorKind::Timeout) {
            return error;
        }
        error.with(|facts| {
            facts.request.get_or_insert_with(|| {
                let headers = self.headers(message, session);
                Box::new(RequestHead::new("POST", self.endpoint.url.to_string(), &headers))
            });
        })
    }

    /// Finds out whom to ask for authorization; the error that says so.
    async fn challenged(
        &self,
        method: &str,
        challenges: Vec<Challenge>,
        session: &Session,
        budget: &mut Budget,
    ) -> ClientError {
        let http = self.http.as_ref();
        let endpoint = &self.endpoint.url;
        match authorization::discover(http, endpoint, session.revision, &challenges, budget).await {
            Ok(discovery) => {
                discovery.into_error(method).with(|facts| facts.challenged = !challenges.is_empty())
            }
            Err(interruption) => interruption,
        }
    }
}

impl Transport for StreamableHttp {
    fn server(&self) -> &str {
        &self.origin
    }

    fn request<'a>(
        &'a self,
        request: &'a Request,
        session: &'a Session,
        inbox: &'a Inbox,
        budget: &'a mut Budget,
    ) -> BoxFuture<'a, Result<Reply, ClientError>> {
        Box::pin(async move {
            let reply = self.ask(request, session, inbox, budget).await;
            reply.map_err(|error| self.about(error, &request.to_value(), session))
        })
    }

    fn notify<'a>(
        &'a self,
        notification: &'a Notification,
        session: &'a Session,
        budget: &'a mut Budget,
    ) -> BoxFuture<'a, Result<(), ClientError>> {
        let method = &notification.method;
        Box::pin(async move {
            let work = async {
                let response = self.post(notification.to_value(), session).await?;
                if response.status() == StatusCode::UNAUTHORIZED {
                    let challenges = authorization::challenges(response.headers());
                    discard(response, self.scale).await;
                    return Ok(Some(challenges));
                }
                discard(accepted(response, method, None, session).await?, self.scale).await;
                Ok(None)
            };
            let taken = budget.leg(work).await;
            match taken.map_err(|error| self.about(error, &notification.to_value(), session))? {
                None => Ok(()),
                Some(challenges) => Err(self.challenged(method, challenges, session, budget).await),
            }
        })
    }

    fn notify_aside<'a>(
        &'a self,
        notification: &'a Notification,
        session: &'a Session,
    ) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            if let Ok(response) = self.post(notification.to_value(), session).await {
                discard(response, self.scale).await;
            }
        })
    }

    fn listen<'a>(
        &'a self,
        request: Option<Request>,
        session: &'a Session,
        inbox: &'a Inbox,
        opened: oneshot::Sender<Result<Value, ClientError>>,
    ) -> BoxFuture<'a, ()> {
        Box::pin(listening::listen(self, request, session, inbox, opened))
    }

    fn end_session<'a>(
        &'a self,
        session: &'a Session,
        budget: &'a mut Budget,
    ) -> BoxFuture<'a, Result<(), ClientError>> {
        Box::pin(async move {
            if session.id.is_none() {
                return Ok(());
            }
            let work = async {
                // Said so that no library under it says something else.
                let accepted = HeaderValue::from_static("application/json");
                let headers = self.headers_with([(ACCEPT, accepted)], session);
                let response = self.send(Method::DELETE, headers, Bytes::new()).await?;
                let status = response.status();
                discard(response, self.scale).await;
                Ok(status)
            };
            let status = budget.leg(work).await?;
            // 405: the server does not let clients end sessions. 404: the
            // session is over already.
            let fine = [StatusCode::METHOD_NOT_ALLOWED, StatusCode::NOT_FOUND];
            if status.is_success() || fine.contains(&status) {
                return Ok(());
            }
            Err(refused("DELETE", status))
        })
    }

    fn admit_tools(&self, tools: &mut Vec<Value>, session: &Session) -> Vec<LeftOut> {
        if session.revision.mirrors_parameters() { self.tools.admit(tools) } else { Vec::new() }
    }

    fn rejected_tools(&self) -> Vec<(String, String)> {
        self.tools.rejected()
    }

    fn unsendable(&self, name: &str, arguments: &Value) -> Option<String> {
        self.tools.unrepeatable(name, arguments).map(|reason| reason.to_string())
    }
}
