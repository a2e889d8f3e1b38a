//! One request on its way to its answer: [`Asking`] reads JSON and event
//! streams alike, and resumes a stream that ended too early.

use std::time::Duration;

use ::http::{HeaderMap, HeaderValue, StatusCode};
use serde_json::Value;

use super::incoming::Incoming;
use super::refusal::{accepted, decoded, discard, invalid, no_response, unreadable};
use super::{SESSION_ID, StreamableHttp};
use crate::mcp::authorization::{self, Challenge};
use crate::mcp::client::budget::Suspension;
use crate::mcp::client::error::{ClientError, ErrorKind};
use crate::mcp::client::inbox::Inbox;
use crate::mcp::client::transport::Session;
use crate::mcp::json_rpc::{ErrorObject, InvalidMessage, Request, Response, same_id};
use crate::wire::body::{READ_LIMIT, ReadError, read_whole};
use crate::wire::http;
use crate::wire::messages::media_type;

/// How one leg of a request ended.
pub enum Step {
    /// With the answer.
    Answered(Result<Value, ErrorObject>),
    /// The stream ended, or broke, before the answer; why it is a failure if
    /// the stream cannot be resumed.
    Unfinished(ClientError),
    /// With a 401.
    Challenged(Vec<Challenge>),
}

/// One request on its way to its answer.
pub struct Asking<'a> {
    transport: &'a StreamableHttp,
    request: &'a Request,
    /// What came for it. The stream stays open, while the request is given up,
    /// until the notice was sent. A session that is issued with the answer to
    /// `initialize` counts at once.
    incoming: Incoming<'a>,
    issued: Option<String>,
}

impl<'a> Asking<'a> {
    /// A request that is not sent yet.
    pub fn new(
        transport: &'a StreamableHttp,
        request: &'a Request,
        session: Session,
        inbox: &'a Inbox,
        suspension: Suspension,
    ) -> Self {
        let incoming = Incoming::new(transport, session, inbox, suspension);
        Asking { transport, request, incoming, issued: None }
    }

    /// The session id that came with the response.
    pub fn issued_session(&self) -> Option<String> {
        self.issued.clone()
    }

    /// The id to resume after; `None` if none came, or the revision does not
    /// resume.
    pub fn last_event_id(&self) -> Option<HeaderValue> {
        self.incoming.last_event_id()
    }

    /// How long to wait before resuming.
    pub fn retry(&self) -> Duration {
        self.incoming.retry()
    }

    /// Sends the request and reads its response.
    pub async fn begin(&mut self) -> Result<Step, ClientError> {
        let (method, scale) = (&self.request.method, self.transport.scale);
        let response = self.transport.post(self.request.to_value(), &self.incoming.session).await?;
        if response.status() == StatusCode::UNAUTHORIZED {
            return Ok(challenge(response, self.transport.scale).await);
        }
        let response =
            accepted(response, method, Some(&self.request.id), &self.incoming.session).await?;
        if response.status() == StatusCode::ACCEPTED {
            discard(response, self.transport.scale).await;
            let message = format!("{method} was accepted with status 202 and not answered");
            return Err(ClientError::new(ErrorKind::NoAnswer, message)
                .with(|facts| facts.status = Some(202)));
        }
        let response = decoded(response, method, self.transport.scale).await?;
        if !self.incoming.session.negotiated {
            self.issued = match issued_session(response.headers()) {
                Ok(issued) => issued,
                Err(error) => {
                    discard(response, self.transport.scale).await;
                    return Err(error);
                }
            };
            self.incoming.session.id = self.issued.clone();
        }
        match media_type(response.headers()).as_str() {
            "application/json" => self.read_json(response).await,
            "text/event-stream" => self.read_events(response).await,
            _ => {
                Err(wrong_media_type(method, "neither JSON nor an event stream", response, scale)
                    .await)
            }
        }
    }

    /// Asks for what came after the last event, and reads it.
    pub async fn resume(&mut self, last_event_id: HeaderValue) -> Result<Step, ClientError> {
        self.incoming.break_off();
        let scale = self.transport.scale;
        let response = self.transport.get(Some(last_event_id), &self.incoming.session).await?;
        if response.status() == StatusCode::UNAUTHORIZED {
            return Ok(challenge(response, self.transport.scale).await);
        }
        // The request itself was taken in before: it must not be sent again.
        let response = accepted(response, "GET", Some(&self.request.id), &self.incoming.session)
            .await
            .map_err(|error| error.with(|facts| facts.unprocessed = false))?;
        let response = decoded(response, "GET", self.transport.scale).await?;
        match media_type(response.headers()).as_str() {
            "text/event-stream" => self.read_events(response).await,
            _ => {
                Err(wrong_media_type(&self.request.method, "no event stream", response, scale)
                    .await)
            }
        }
    }

    /// Sends what is still to be sent and reads the stream to its end.
    pub async fn finish(&mut self) {
        while let Some(Ok(event)) = self.incoming.next_event().await {
            // The answer has come: nothing that follows can spoil it.
            let _ = self.incoming.take_event(&event);
        }
        self.incoming.break_off();
        self.incoming.replied().await;
    }

    async fn read_json(&mut self, response: http::Response) -> Result<Step, ClientError> {
        let body = read_whole(response.into_body(), READ_LIMIT).await.map_err(unreadable)?;
        let responses = self.incoming.take(&body);
        let answer = answer_among(responses, self.request)?;
        Ok(Step::Answered(answer.ok_or_else(|| no_answer_within(self.request))?))
    }

    async fn read_events(&mut self, response: http::Response) -> Result<Step, ClientError> {
        self.incoming.open(response.into_body());
        let method = &self.request.method;
        loop {
            match self.incoming.next_event().await {
                Some(Ok(event)) => {
                    let responses = self.incoming.take_event(&event);
                    if let Some(answer) = answer_among(responses, self.request)? {
                        return Ok(Step::Answered(answer));
                    }
                }
                Some(Err(ReadError::Transport(error))) => {
                    return Ok(Step::Unfinished(no_response(error)));
                }
                Some(Err(error)) => return Err(unreadable(error)),
                None => {
                    let message = format!("the event stream ended without an answer to {method}");
                    return Ok(Step::Unfinished(ClientError::new(ErrorKind::NoAnswer, message)));
                }
            }
        }
    }
}

/// What is no answer by its media type. It is read to its end all the same: what
/// was recorded of it would depend on how fast it came otherwise.
async fn wrong_media_type(
    method: &str,
    what: &str,
    response: http::Response,
    scale: u32,
) -> ClientError {
    discard(response, scale).await;
    ClientError::new(ErrorKind::InvalidMessage, format!("what answers {method} is {what}"))
}

/// The answer to `request`, if it is among what came. The others answer other
/// requests, which have their own streams.
pub fn answer_among(
    responses: Result<Vec<Response>, InvalidMessage>,
    request: &Request,
) -> Result<Option<Result<Value, ErrorObject>>, ClientError> {
    let responses = responses.map_err(|reason| invalid(&request.method, reason))?;
    let mut answers = responses.into_iter().filter(|response| same_id(&response.id, &request.id));
    Ok(answers.next().map(|answer| answer.outcome))
}

/// A whole body that does not answer `request`.
pub fn no_answer_within(request: &Request) -> ClientError {
    let message = format!("the body that answers {} holds no answer to it", request.method);
    ClientError::new(ErrorKind::InvalidMessage, message)
}

async fn challenge(response: http::Response, scale: u32) -> Step {
    let challenges = authorization::challenges(response.headers());
    discard(response, scale).await;
    Step::Challenged(challenges)
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
