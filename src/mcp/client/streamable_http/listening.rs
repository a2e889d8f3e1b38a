//! The stream on which a client hears from the server between requests
//! (basic/transports, "Listening for Messages from the Server").

use ::http::StatusCode;
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::sleep;

use super::StreamableHttp;
use super::asking::media_type;
use super::incoming::Incoming;
use super::refusal::{accepted, discard};
use crate::mcp::client::budget::Suspension;
use crate::mcp::client::error::{ClientError, ErrorKind};
use crate::mcp::client::inbox::Inbox;
use crate::mcp::client::transport::Session;
use crate::mcp::json_rpc::Request;
use crate::wire::http;

/// Reads the stream, and resumes it, for as long as the server lets it. Whether
/// it could be opened, and what the server agreed to send on it, is told to
/// `opened`.
pub async fn listen(
    transport: &StreamableHttp,
    request: Option<Request>,
    session: &Session,
    inbox: &Inbox,
    opened: oneshot::Sender<Result<Value, ClientError>>,
) {
    let mut incoming = Incoming::new(transport, session.clone(), inbox, Suspension::default());
    let asked = match &request {
        Some(request) => subscribe(transport, request, session).await,
        None => open(transport, session, None).await,
    };
    let response = match asked {
        Ok(response) => response,
        Err(error) => {
            // Nobody may wait for it any more.
            let _ = opened.send(Err(error));
            return;
        }
    };
    let mut unconfirmed = match &request {
        Some(request) => Some((request, opened)),
        None => {
            let _ = opened.send(Ok(Value::Null));
            None
        }
    };
    incoming.open(response.into_body());
    loop {
        while let Some(Ok(event)) = incoming.next_event().await {
            // A message that is none, and a response, which nobody here waits
            // for, are passed over.
            let _ = incoming.take_event(&event);
            // What the server agreed to comes first ("Acknowledgment").
            if let Some((request, opened)) = unconfirmed.take() {
                match inbox.agreed(&request.id) {
                    Some(agreed) => {
                        let _ = opened.send(Ok(agreed));
                    }
                    None => unconfirmed = Some((request, opened)),
                }
            }
        }
        incoming.replied().await;
        if let Some((request, opened)) = unconfirmed.take() {
            let message = format!("{} was not acknowledged", request.method);
            let _ = opened.send(Err(ClientError::new(ErrorKind::NoAnswer, message)));
        }
        let Some(last_event_id) = incoming.last_event_id() else { return };
        sleep(incoming.retry() / transport.scale).await;
        match open(transport, session, Some(last_event_id)).await {
            Ok(response) => incoming.open(response.into_body()),
            Err(_) => return,
        }
    }
}

/// Asks for the stream by a request of its own (2026-07-28,
/// basic/patterns/subscriptions).
async fn subscribe(
    transport: &StreamableHttp,
    request: &Request,
    session: &Session,
) -> Result<http::Response, ClientError> {
    let response = transport.post(request.to_value(), session).await?;
    let response = accepted(response, &request.method, Some(&request.id), session).await?;
    event_stream(response, &request.method)
}

/// Asks for the stream, or for what comes after an event of it.
async fn open(
    transport: &StreamableHttp,
    session: &Session,
    last_event_id: Option<::http::HeaderValue>,
) -> Result<http::Response, ClientError> {
    let response = transport.get(last_event_id, session).await?;
    if response.status() == StatusCode::METHOD_NOT_ALLOWED {
        discard(response, transport.scale).await;
        let message = "the server offers no stream to listen to";
        return Err(ClientError::new(ErrorKind::NotSupported, message)
            .with(|facts| facts.status = Some(405)));
    }
    let response = accepted(response, "GET", None, session).await?;
    event_stream(response, "GET")
}

/// What answers `asked`, which has to be an event stream.
fn event_stream(response: http::Response, asked: &str) -> Result<http::Response, ClientError> {
    if media_type(response.headers()).as_deref() == Some("text/event-stream") {
        return Ok(response);
    }
    let message = format!("what answers {asked} is no event stream");
    Err(ClientError::new(ErrorKind::InvalidMessage, message))
}
