//! What a response that is no answer means: [`accepted`] turns statuses into
//! errors, the rest names them in our own words.

use ::http::header::CONTENT_ENCODING;
use ::http::{HeaderMap, StatusCode};
use serde_json::Value;

use crate::mcp::authorization::insufficient_scope;
use crate::mcp::client::budget::bounded;
use crate::mcp::client::error::{ClientError, ErrorKind};
use crate::mcp::client::transport::Session;
use crate::mcp::json_rpc::{ErrorObject, InvalidMessage, Message, Response, same_id};
use crate::wire::body::{HEAD_LIMIT, READ_LIMIT, ReadError, read_whole};
use crate::wire::http::{self, TransportError};

/// The response if its status is a success, else the error that it stands for.
pub async fn accepted(
    response: http::Response,
    method: &str,
    id: Option<&Value>,
    session: &Session,
) -> Result<http::Response, ClientError> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let scopes = match status {
        StatusCode::FORBIDDEN => insufficient_scope(response.headers()),
        _ => None,
    };
    let body = read_whole(response.into_body(), READ_LIMIT).await.unwrap_or_default();
    if status == StatusCode::NOT_FOUND && session.id.is_some() {
        let message = format!("{method} was refused: the server no longer knows the session");
        return Err(ClientError::new(ErrorKind::SessionLost, message).with(|facts| {
            facts.status = Some(404);
            facts.unprocessed = true;
        }));
    }
    if status.is_client_error()
        && let Some(error) = error_response(&body, id)
    {
        let error = ClientError::from_response(method, error, session.revision);
        return Err(error.with(|facts| {
            facts.status = Some(status.as_u16());
            facts.scopes = scopes;
        }));
    }
    Err(refused(method, status).with(|facts| facts.scopes = scopes))
}

/// The error response in the body of a refusal, if there is one: for this
/// request, or without an id.
fn error_response(body: &[u8], id: Option<&Value>) -> Option<ErrorObject> {
    let mut messages = Message::parse(body, false).ok()?;
    match messages.pop()? {
        Message::Response(Response { id: named, outcome: Err(error) })
            if named.is_null() || id.is_some_and(|id| same_id(&named, id)) =>
        {
            Some(error)
        }
        _ => None,
    }
}

/// The error that a status stands for.
pub fn refused(method: &str, status: StatusCode) -> ClientError {
    let number = status.as_u16();
    let (kind, message) = if status.is_redirection() {
        let message =
            format!("{method} was redirected with status {number}, and that is not followed");
        (ErrorKind::Redirect, message)
    } else {
        (ErrorKind::HttpStatus, format!("{method} was answered with status {number}"))
    };
    ClientError::new(kind, message).with(|facts| facts.status = Some(number))
}

/// What came instead of a message.
pub fn invalid(method: &str, reason: InvalidMessage) -> ClientError {
    if reason == InvalidMessage::TooMany {
        let message = format!("with what answers {method}, more came than is kept");
        return ClientError::new(ErrorKind::TooLarge, message);
    }
    let message = format!("what answers {method} is not a message: {reason}");
    ClientError::new(ErrorKind::InvalidMessage, message)
}

/// Reads what is of no interest, so that the exchange comes to its end; what
/// does not end soon is dropped.
pub async fn discard(response: http::Response, scale: u32) {
    bounded(scale, read_whole(response.into_body(), READ_LIMIT)).await;
}

/// A body that could not be read to its end.
pub fn unreadable(error: ReadError) -> ClientError {
    match error {
        ReadError::TooLarge { limit } => too_large("the answer", limit),
        ReadError::TooMany { limit } => {
            let message = format!("the event stream has more than {limit} events");
            let error = ClientError::new(ErrorKind::TooLarge, message);
            error.with(|facts| facts.limit = Some(limit as u64))
        }
        ReadError::Transport(error) => no_response(error),
    }
}

fn too_large(what: &str, limit: usize) -> ClientError {
    let message = format!("{what} is longer than {limit} bytes");
    ClientError::new(ErrorKind::TooLarge, message).with(|facts| facts.limit = Some(limit as u64))
}

/// The response if its head is no longer than what is taken in. What is longer
/// is read to its end and let go of.
pub async fn with_bounded_head(
    response: http::Response,
    scale: u32,
) -> Result<http::Response, ClientError> {
    if head_length(response.headers()) <= HEAD_LIMIT {
        return Ok(response);
    }
    discard(response, scale).await;
    Err(no_response(TransportError::HeadTooLarge))
}

fn head_length(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum()
}

/// The response if its body stands as it is read: what a transport did not
/// decode, nobody does. Anything else is read to its end and let go of.
pub async fn decoded(
    response: http::Response,
    method: &str,
    scale: u32,
) -> Result<http::Response, ClientError> {
    let mut encodings = response.headers().get_all(CONTENT_ENCODING).into_iter();
    if encodings.all(|encoding| encoding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Ok(response);
    }
    discard(response, scale).await;
    let message = format!("what answers {method} is compressed in a way that was not asked for");
    Err(ClientError::new(ErrorKind::InvalidMessage, message))
}

/// A request to which no response came. The words are our own: a URL may have
/// come from the far side, and is data beside them.
impl From<http::ClientError> for ClientError {
    fn from(error: http::ClientError) -> Self {
        let (request, error) = match error {
            http::ClientError::InvalidRequest { request, reason } => {
                let message = format!("the request was not sent: {reason}");
                (request, ClientError::new(ErrorKind::InvalidRequest, message))
            }
            http::ClientError::Network { request, reason }
            | http::ClientError::InvalidResponse { request, reason } => {
                (request, no_response(reason))
            }
        };
        error.with(|facts| facts.request = Some(request))
    }
}

/// A transport's error, without the words that it may have taken from the far
/// side.
pub fn no_response(error: TransportError) -> ClientError {
    let (kind, message) = match error {
        TransportError::HeadTooLarge => {
            return too_large("the head of the answer", HEAD_LIMIT);
        }
        TransportError::Connect(_) | TransportError::Inside => {
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
