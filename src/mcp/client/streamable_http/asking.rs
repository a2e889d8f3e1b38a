//! One request on its way to its answer: [`Asking`] reads JSON and event
//! streams alike, and resumes a stream that ended too early.

use std::time::Duration;

use ::http::header::CONTENT_TYPE;
use ::http::{HeaderMap, HeaderValue, StatusCode};
use futures_util::stream::{FuturesUnordered, StreamExt};
use serde_json::Value;

use super::refusal::{accepted, discard, invalid, no_response, unreadable};
use super::{SESSION_ID, StreamableHttp};
use crate::mcp::authorization::{self, Challenge};
use crate::mcp::client::error::{ClientError, ErrorKind};
use crate::mcp::client::inbox::Inbox;
use crate::mcp::client::transport::Session;
use crate::mcp::json_rpc::{ErrorObject, Message, Request};
use crate::wire::body::{READ_LIMIT, ReadError, read_whole};
use crate::wire::event_stream::{EventReader, ServerEvent};
use crate::wire::http::{self, BoxFuture};

/// How long to wait before resuming, if the server did not say.
const DEFAULT_RETRY: Duration = Duration::from_millis(1000);
/// How long to wait at least: a server that says 0 and never answers must not
/// keep the client busy.
const LEAST_RETRY: Duration = Duration::from_millis(100);

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
    /// What further messages carry; a session that is issued with the answer
    /// to `initialize` counts at once.
    session: Session,
    inbox: &'a Inbox,
    issued: Option<String>,
    /// The stream that is being read. It stays open, while the request is
    /// given up, until the notice was sent.
    events: Option<EventReader>,
    /// Answers to the server's own requests, on their way.
    replies: FuturesUnordered<BoxFuture<'a, ()>>,
    last_event_id: Option<String>,
    retry: Option<Duration>,
}

impl<'a> Asking<'a> {
    /// A request that is not sent yet.
    pub fn new(
        transport: &'a StreamableHttp,
        request: &'a Request,
        session: Session,
        inbox: &'a Inbox,
    ) -> Self {
        Asking {
            transport,
            request,
            session,
            inbox,
            issued: None,
            events: None,
            replies: FuturesUnordered::new(),
            last_event_id: None,
            retry: None,
        }
    }

    /// The session id that came with the response.
    pub fn issued_session(&self) -> Option<String> {
        self.issued.clone()
    }

    /// The id to resume after; `None` if none came, or the revision does not
    /// resume.
    pub fn last_event_id(&self) -> Option<HeaderValue> {
        let id = self.last_event_id.as_ref().filter(|_| self.session.revision.resumes_streams())?;
        HeaderValue::from_bytes(id.as_bytes()).ok()
    }

    /// How long to wait before resuming.
    pub fn retry(&self) -> Duration {
        self.retry.unwrap_or(DEFAULT_RETRY).max(LEAST_RETRY)
    }

    /// Sends the request and reads its response.
    pub async fn begin(&mut self) -> Result<Step, ClientError> {
        let method = &self.request.method;
        let response = self.transport.post(self.request.to_value(), &self.session).await?;
        if response.status() == StatusCode::UNAUTHORIZED {
            return Ok(challenge(response, self.transport.scale).await);
        }
        let response = accepted(response, method, Some(&self.request.id), &self.session).await?;
        if response.status() == StatusCode::ACCEPTED {
            discard(response, self.transport.scale).await;
            let message = format!("{method} was accepted with status 202 and not answered");
            return Err(ClientError::new(ErrorKind::NoAnswer, message)
                .with(|facts| facts.status = Some(202)));
        }
        if !self.session.negotiated {
            self.issued = issued_session(response.headers())?;
            self.session.id = self.issued.clone();
        }
        match media_type(response.headers()).as_deref() {
            Some("application/json") => self.read_json(response).await,
            Some("text/event-stream") => self.read_events(response).await,
            _ => Err(self.wrong_media_type("neither JSON nor an event stream")),
        }
    }

    /// Asks for what came after the last event, and reads it.
    pub async fn resume(&mut self, last_event_id: HeaderValue) -> Result<Step, ClientError> {
        self.events = None;
        let response = self.transport.get(last_event_id, &self.session).await?;
        if response.status() == StatusCode::UNAUTHORIZED {
            return Ok(challenge(response, self.transport.scale).await);
        }
        // The request itself was taken in before: it must not be sent again.
        let response = accepted(response, "GET", Some(&self.request.id), &self.session)
            .await
            .map_err(|error| error.with(|facts| facts.unprocessed = false))?;
        match media_type(response.headers()).as_deref() {
            Some("text/event-stream") => self.read_events(response).await,
            _ => Err(self.wrong_media_type("no event stream")),
        }
    }

    /// Sends what is still to be sent and reads the stream to its end.
    pub async fn finish(&mut self) {
        while self.events.is_some() {
            match self.next_event().await {
                Some(Ok(event)) => {
                    // The answer has come: nothing that follows can spoil it.
                    let _ = self.take_event(&event);
                }
                Some(Err(_)) | None => self.events = None,
            }
        }
        while self.replies.next().await.is_some() {}
    }

    async fn read_json(&mut self, response: http::Response) -> Result<Step, ClientError> {
        let body = read_whole(response.into_body(), READ_LIMIT).await.map_err(unreadable)?;
        let answer = self.take_messages(&body)?.ok_or_else(|| {
            let message =
                format!("the body that answers {} holds no answer to it", self.request.method);
            ClientError::new(ErrorKind::InvalidMessage, message)
        })?;
        Ok(Step::Answered(answer))
    }

    async fn read_events(&mut self, response: http::Response) -> Result<Step, ClientError> {
        self.events = Some(EventReader::new(response.into_body(), READ_LIMIT));
        let method = &self.request.method;
        loop {
            match self.next_event().await {
                Some(Ok(event)) => {
                    if let Some(answer) = self.take_event(&event)? {
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

    /// The next event; meanwhile, answers to the server's requests go out.
    async fn next_event(&mut self) -> Option<Result<ServerEvent, ReadError>> {
        let events = self.events.as_mut()?;
        loop {
            tokio::select! {
                biased;
                Some(()) = self.replies.next(), if !self.replies.is_empty() => {}
                event = events.next() => return event,
            }
        }
    }

    fn take_event(
        &mut self,
        event: &ServerEvent,
    ) -> Result<Option<Result<Value, ErrorObject>>, ClientError> {
        if let Some(id) = &event.id {
            // An empty id takes back the one before.
            self.last_event_id = (!id.is_empty()).then(|| id.clone());
        }
        if event.retry.is_some() {
            self.retry = event.retry;
        }
        // Events of other types are for others.
        let is_message = event.event.as_deref().is_none_or(|name| name == "message");
        if !is_message || event.data.is_empty() {
            return Ok(None);
        }
        self.take_messages(event.data.as_bytes())
    }

    /// Hands each message to whom it is for; returns the answer if it is among
    /// them.
    fn take_messages(
        &mut self,
        text: &[u8],
    ) -> Result<Option<Result<Value, ErrorObject>>, ClientError> {
        let batches = self.session.revision.receives_batches();
        let messages = Message::parse(text, batches)
            .map_err(|reason| invalid(&self.request.method, reason))?;
        let mut answer = None;
        for message in messages {
            match message {
                Message::Response(response) if response.id == self.request.id => {
                    answer.get_or_insert(response.outcome);
                }
                // It answers another request, which has its own stream.
                Message::Response(_) => {}
                Message::Notification(notification) => self.inbox.keep(notification),
                // It breaks the rules, and a client sends no responses then.
                Message::Request(_) if !self.session.revision.answers_server_requests() => {}
                Message::Request(request) => {
                    let response = self.inbox.answer(request, self.session.revision);
                    let (transport, session) = (self.transport, self.session.clone());
                    self.replies.push(Box::pin(async move {
                        if let Ok(taken) = transport.post(response.to_value(), &session).await {
                            discard(taken, transport.scale).await;
                        }
                    }));
                }
            }
        }
        Ok(answer)
    }

    fn wrong_media_type(&self, what: &str) -> ClientError {
        let message = format!("what answers {} is {what}", self.request.method);
        ClientError::new(ErrorKind::InvalidMessage, message)
    }
}

async fn challenge(response: http::Response, scale: u32) -> Step {
    let challenges = authorization::challenges(response.headers());
    discard(response, scale).await;
    Step::Challenged(challenges)
}

/// The media type without its parameters, in lower case.
fn media_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let essence = value.split_once(';').map_or(value, |(essence, _)| essence);
    Some(essence.trim().to_ascii_lowercase())
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
