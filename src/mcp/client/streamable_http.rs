//! The transport of the web: [`StreamableHttp`] (basic/transports, "Streamable
//! HTTP").
//!
//! Every message is a POST of its own. The stream that a client may open with
//! GET to hear from the server between requests will stand beside
//! `StreamableHttp::request`.

use std::sync::Arc;

use ::http::header::{ACCEPT, CONTENT_TYPE};
use ::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use bytes::Bytes;
use serde_json::Value;

use super::budget::Budget;
use super::error::{ClientError, ErrorKind};
use super::inbox::Inbox;
use super::transport::{Reply, Session, Transport};
use crate::mcp::json_rpc::{ErrorObject, InvalidMessage, Message, Notification, Request, Response};
use crate::wire::body::{READ_LIMIT, ReadError, read_whole};
use crate::wire::http::{self, BoxFuture, HttpClient, TransportError};

const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// Messages over HTTP, to one endpoint.
pub struct StreamableHttp {
    http: Arc<dyn HttpClient>,
    endpoint: Uri,
    /// Added to every request.
    extra: HeaderMap,
}

impl StreamableHttp {
    /// Sends to `endpoint` through `http`, with `extra` header fields.
    pub fn new(http: Arc<dyn HttpClient>, endpoint: Uri, extra: HeaderMap) -> Self {
        StreamableHttp { http, endpoint, extra }
    }

    /// What every request of a session carries, whatever its method.
    fn session_headers(&self, session: &Session) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if let Some(id) = &session.id
            && let Ok(id) = HeaderValue::from_str(id)
        {
            headers.insert(SESSION_ID, id);
        }
        if session.negotiated && session.revision.sends_version_header() {
            let version = HeaderValue::from_static(session.revision.as_str());
            headers.insert(PROTOCOL_VERSION, version);
        }
        headers
    }

    fn post_headers(&self, session: &Session) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let accepted = HeaderValue::from_static("application/json, text/event-stream");
        headers.insert(ACCEPT, accepted);
        headers.extend(self.session_headers(session));
        self.add_extra(&mut headers);
        headers
    }

    fn add_extra(&self, headers: &mut HeaderMap) {
        for (name, value) in &self.extra {
            headers.append(name.clone(), value.clone());
        }
    }

    async fn send(
        &self,
        method: Method,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<http::Response, ClientError> {
        let mut request = http::Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = self.endpoint.clone();
        *request.headers_mut() = headers;
        self.http.send(request).await.map_err(no_response)
    }

    async fn post(&self, message: Value, session: &Session) -> Result<http::Response, ClientError> {
        let body = Bytes::from(message.to_string());
        self.send(Method::POST, self.post_headers(session), body).await
    }

    async fn ask(
        &self,
        request: &Request,
        session: &Session,
        inbox: &Inbox,
    ) -> Result<Reply, ClientError> {
        let response = self.post(request.to_value(), session).await?;
        let session_id = issued_session(response.headers())?;
        let response = accepted(response, &request.method, Some(&request.id), session).await?;
        if response.status() == StatusCode::ACCEPTED {
            discard(response).await;
            let message =
                format!("{} was accepted with status 202 and not answered", request.method);
            return Err(ClientError::new(ErrorKind::NoAnswer, message)
                .with(|facts| facts.status = Some(202)));
        }
        let body = read_whole(response.into_body(), READ_LIMIT).await.map_err(unreadable)?;
        let messages = Message::parse(&body, session.revision.receives_batches())
            .map_err(|reason| invalid(&request.method, reason))?;
        let mut answer = None;
        for message in messages {
            match message {
                Message::Response(response) if response.id == request.id => answer = Some(response),
                Message::Response(_) => {}
                Message::Notification(notification) => inbox.keep(notification),
                Message::Request(asked) => {
                    let answer = inbox.answer(asked, session.revision);
                    self.post(answer.to_value(), session).await?;
                }
            }
        }
        let answer = answer.ok_or_else(|| {
            let message = format!("the body that answers {} holds no answer to it", request.method);
            ClientError::new(ErrorKind::InvalidMessage, message)
        })?;
        Ok(Reply { outcome: answer.outcome, session_id })
    }
}

impl Transport for StreamableHttp {
    fn request<'a>(
        &'a self,
        request: &'a Request,
        session: &'a Session,
        inbox: &'a Inbox,
        budget: &'a mut Budget,
    ) -> BoxFuture<'a, Result<Reply, ClientError>> {
        Box::pin(async move { budget.leg(self.ask(request, session, inbox)).await })
    }

    fn notify<'a>(
        &'a self,
        notification: &'a Notification,
        session: &'a Session,
        budget: &'a mut Budget,
    ) -> BoxFuture<'a, Result<(), ClientError>> {
        let work = async move {
            let response = self.post(notification.to_value(), session).await?;
            discard(accepted(response, &notification.method, None, session).await?).await;
            Ok(())
        };
        Box::pin(budget.leg(work))
    }

    fn notify_aside<'a>(
        &'a self,
        notification: &'a Notification,
        session: &'a Session,
    ) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            if let Ok(response) = self.post(notification.to_value(), session).await {
                discard(response).await;
            }
        })
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
            let mut headers = self.session_headers(session);
            self.add_extra(&mut headers);
            let work = async {
                let response = self.send(Method::DELETE, headers, Bytes::new()).await?;
                let status = response.status();
                discard(response).await;
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

    fn headers(&self, session: &Session) -> HeaderMap {
        self.post_headers(session)
    }
}

/// The session id of a response: visible ASCII characters only.
fn issued_session(headers: &HeaderMap) -> Result<Option<String>, ClientError> {
    let Some(value) = headers.get(SESSION_ID) else { return Ok(None) };
    let bytes = value.as_bytes();
    if !bytes.is_empty() && bytes.iter().all(u8::is_ascii_graphic) {
        return Ok(Some(String::from_utf8_lossy(bytes).into_owned()));
    }
    let message = "the session id that was issued is not made of visible ASCII characters";
    Err(ClientError::new(ErrorKind::InvalidMessage, message))
}

/// The response if its status is a success, else the error that it stands for.
async fn accepted(
    response: http::Response,
    method: &str,
    id: Option<&Value>,
    session: &Session,
) -> Result<http::Response, ClientError> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let body = read_whole(response.into_body(), READ_LIMIT).await.unwrap_or_default();
    if status == StatusCode::NOT_FOUND && session.id.is_some() {
        let message = format!("{method} was refused: the server no longer knows the session");
        return Err(ClientError::new(ErrorKind::SessionLost, message)
            .with(|facts| facts.status = Some(404)));
    }
    if status.is_client_error()
        && let Some(error) = error_response(&body, id)
    {
        return Err(json_rpc(method, error).with(|facts| facts.status = Some(status.as_u16())));
    }
    Err(refused(method, status))
}

/// The error response in the body of a refusal, if there is one: for this
/// request, or without an id.
fn error_response(body: &[u8], id: Option<&Value>) -> Option<ErrorObject> {
    let mut messages = Message::parse(body, false).ok()?;
    match messages.pop()? {
        Message::Response(Response { id: named, outcome: Err(error) })
            if named.is_null() || Some(&named) == id =>
        {
            Some(error)
        }
        _ => None,
    }
}

/// An error response as an error.
pub(super) fn json_rpc(method: &str, error: ErrorObject) -> ClientError {
    let message = format!("{method} was answered with the error {}", error.code);
    ClientError::new(ErrorKind::JsonRpc, message).with(|facts| {
        facts.code = Some(error.code);
        facts.data = error.data;
    })
}

fn refused(method: &str, status: StatusCode) -> ClientError {
    let number = status.as_u16();
    let error = if status.is_redirection() {
        let message =
            format!("{method} was redirected with status {number}, which is not followed");
        ClientError::new(ErrorKind::Redirect, message)
    } else {
        let message = format!("{method} was answered with status {number}");
        ClientError::new(ErrorKind::HttpStatus, message)
    };
    error.with(|facts| facts.status = Some(number))
}

fn invalid(method: &str, reason: InvalidMessage) -> ClientError {
    let message = format!("what answers {method} is not a message: {reason}");
    ClientError::new(ErrorKind::InvalidMessage, message)
}

/// Reads what is of no interest, so that the exchange comes to its end.
async fn discard(response: http::Response) {
    let _ = read_whole(response.into_body(), READ_LIMIT).await;
}

fn unreadable(error: ReadError) -> ClientError {
    match error {
        ReadError::TooLarge { .. } => {
            let message = format!("the answer is longer than {READ_LIMIT} bytes");
            ClientError::new(ErrorKind::TooLarge, message)
                .with(|facts| facts.limit = Some(READ_LIMIT as u64))
        }
        ReadError::Transport(error) => no_response(error),
    }
}

/// A transport's error, without the words that it may have taken from the far
/// side.
fn no_response(error: TransportError) -> ClientError {
    let (kind, message) = match error {
        TransportError::Connect(_) => {
            (ErrorKind::Connection, "no connection to the server could be opened")
        }
        TransportError::Closed => {
            (ErrorKind::Connection, "the connection ended before the answer was complete")
        }
        TransportError::Protocol(_) => {
            (ErrorKind::InvalidMessage, "what came is not HTTP, or cannot be decoded")
        }
    };
    ClientError::new(kind, message)
}
