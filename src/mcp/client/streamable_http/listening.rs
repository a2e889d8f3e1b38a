//! The stream on which a client hears from the server between requests
//! (basic/transports, "Listening for Messages from the Server").

use ::http::StatusCode;
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::sleep;

use super::StreamableHttp;
use super::asking::{answer_among, no_answer_within};
use super::incoming::Incoming;
use super::refusal::{accepted, decoded, discard, unreadable};
use crate::mcp::client::budget::{Suspension, bounded};
use crate::mcp::client::error::{ClientError, ErrorKind};
use crate::mcp::client::inbox::Inbox;
use crate::mcp::client::transport::Session;
use crate::mcp::json_rpc::{ErrorObject, Request};
use crate::wire::body::{READ_LIMIT, read_whole};
use crate::wire::http;
use crate::wire::messages::{is_event_stream, media_type};

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
        Some(request) => subscribe(transport, request, &mut incoming).await,
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
        Some(_) => Some(opened),
        None => {
            let _ = opened.send(Ok(Value::Null));
            None
        }
    };
    incoming.open(response.into_body());
    loop {
        while let Some(Ok(event)) = incoming.next_event().await {
            let responses = incoming.take_event(&event);
            let Some(request) = &request else { continue };
            // What the server agreed to comes first ("Acknowledgment").
            if unconfirmed.is_some()
                && let Some(agreed) = inbox.agreed(&request.id)
                && let Some(opened) = unconfirmed.take()
            {
                let _ = opened.send(Ok(agreed));
            }
            // A message that is none, and the answer to another request, are
            // passed over. The answer to this one ends it ("Graceful Closure"),
            // whether or not the stream ends as well.
            if let Ok(Some(outcome)) = answer_among(responses, request) {
                if let Some(opened) = unconfirmed.take() {
                    let _ = opened.send(Err(ended(request, outcome, session)));
                }
                // It is given a moment to end by itself.
                bounded(transport.scale, async {
                    while let Some(Ok(_)) = incoming.next_event().await {}
                })
                .await;
                return;
            }
        }
        incoming.replied().await;
        if let Some(opened) = unconfirmed.take() {
            let message = "subscriptions/listen was not acknowledged";
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
/// basic/patterns/subscriptions). JSON in its place is the answer that ends the
/// subscription before it began (basic/transports/streamable-http, "Sending
/// Messages").
async fn subscribe(
    transport: &StreamableHttp,
    request: &Request,
    incoming: &mut Incoming<'_>,
) -> Result<http::Response, ClientError> {
    let method = &request.method;
    let response = transport.post(request.to_value(), &incoming.session).await?;
    let response = accepted(response, method, Some(&request.id), &incoming.session).await?;
    let response = decoded(response, method, transport.scale).await?;
    if media_type(response.headers()) != "application/json" {
        return event_stream(response, method);
    }
    let body = read_whole(response.into_body(), READ_LIMIT).await.map_err(unreadable)?;
    let answer = answer_among(incoming.take(&body), request)?;
    let outcome = answer.ok_or_else(|| no_answer_within(request))?;
    Err(ended(request, outcome, &incoming.session))
}

/// Why a subscription that was answered before it was acknowledged did not begin.
fn ended(request: &Request, outcome: Result<Value, ErrorObject>, session: &Session) -> ClientError {
    match outcome {
        Err(error) => ClientError::from_response(&request.method, error, session.revision),
        Ok(_) => {
            let message = format!("{} was ended before it was acknowledged", request.method);
            ClientError::new(ErrorKind::Closed, message)
        }
    }
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
    if is_event_stream(response.headers()) {
        return Ok(response);
    }
    let message = format!("what answers {asked} is no event stream");
    Err(ClientError::new(ErrorKind::InvalidMessage, message))
}
