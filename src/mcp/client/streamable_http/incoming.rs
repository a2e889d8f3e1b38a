//! What comes in on a stream or in a body: [`Incoming`] hands each message to
//! whom it is for, answers the server's requests, and remembers where a stream
//! broke off.

use std::time::Duration;

use ::http::HeaderValue;
use futures_util::stream::{FuturesUnordered, StreamExt};

use super::refusal::discard;
use super::sending::StreamableHttp;
use crate::mcp::client::budget::Suspension;
use crate::mcp::client::inbox::Inbox;
use crate::mcp::client::transport::Session;
use crate::mcp::json_rpc::{InvalidMessage, Message, Request, Response};
use crate::wire::body::{READ_LIMIT, ReadError};
use crate::wire::event_stream::{EventReader, ServerEvent};
use crate::wire::http::{Body, BoxFuture};

/// How long to wait before resuming, if the server did not say.
const DEFAULT_RETRY: Duration = Duration::from_millis(1000);
/// How long to wait at least: a server that says 0 and never answers must not
/// keep the client busy.
const LEAST_RETRY: Duration = Duration::from_millis(100);

/// How many requests of the server are being answered at once.
const MOST_REPLIES: usize = 64;

/// What comes in for one request, or on the stream that the client listens to.
pub struct Incoming<'a> {
    transport: &'a StreamableHttp,
    /// What further messages carry.
    pub session: Session,
    inbox: &'a Inbox,
    /// What is not to count while the server waits for an answer.
    suspension: Suspension,
    /// The stream that is being read.
    events: Option<EventReader>,
    /// Answers to the server's own requests, on their way.
    replies: FuturesUnordered<BoxFuture<'a, ()>>,
    last_event_id: Option<String>,
    retry: Option<Duration>,
}

impl<'a> Incoming<'a> {
    /// Nothing came in yet.
    pub fn new(
        transport: &'a StreamableHttp,
        session: Session,
        inbox: &'a Inbox,
        suspension: Suspension,
    ) -> Self {
        Incoming {
            transport,
            session,
            inbox,
            suspension,
            events: None,
            replies: FuturesUnordered::new(),
            last_event_id: None,
            retry: None,
        }
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

    /// From now on, events come from this body.
    pub fn open(&mut self, body: Body) {
        self.events = Some(EventReader::new(body, READ_LIMIT));
    }

    /// Breaks off the stream that is being read.
    pub fn break_off(&mut self) {
        self.events = None;
    }

    /// The next event; meanwhile, answers to the server's requests go out.
    /// `None` at the end of the stream, or if none is open.
    pub async fn next_event(&mut self) -> Option<Result<ServerEvent, ReadError>> {
        let events = self.events.as_mut()?;
        loop {
            tokio::select! {
                biased;
                Some(()) = self.replies.next(), if !self.replies.is_empty() => {}
                // A server that asks without end is read as fast as it is answered.
                event = events.next(), if self.replies.len() < MOST_REPLIES => return event,
            }
        }
    }

    /// Waits until every answer to the server's requests went out.
    pub async fn replied(&mut self) {
        while self.replies.next().await.is_some() {}
    }

    /// Takes one event in; returns the responses that it carries.
    ///
    /// # Errors
    /// [`InvalidMessage`] if its data are no message.
    pub fn take_event(&mut self, event: &ServerEvent) -> Result<Vec<Response>, InvalidMessage> {
        if let Some(id) = &event.id {
            // An empty id takes back the one before.
            self.last_event_id = (!id.is_empty()).then(|| id.clone());
        }
        if event.retry.is_some() {
            self.retry = event.retry;
        }
        // Events of other types are for others.
        let is_message = event.event.as_deref().is_none_or(|name| name == "message");
        // White space alone keeps a connection open and says nothing.
        if !is_message || event.data.trim().is_empty() {
            return Ok(Vec::new());
        }
        self.take(event.data.as_bytes())
    }

    /// Hands each message to whom it is for; returns the responses.
    ///
    /// # Errors
    /// [`InvalidMessage`] if the text is no message.
    pub fn take(&mut self, text: &[u8]) -> Result<Vec<Response>, InvalidMessage> {
        let mut responses = Vec::new();
        let messages = Message::parse(text, self.session.revision.has_batches())?;
        // Of a batch, each has its part.
        let size = text.len().div_ceil(messages.len().max(1));
        for message in messages {
            match message {
                Message::Response(response) => responses.push(response),
                Message::Notification(notification) => {
                    if !self.inbox.keep(notification, size) {
                        return Err(InvalidMessage::TooMany);
                    }
                }
                // It breaks the rules, and a client sends no responses then.
                Message::Request(_) if !self.session.revision.answers_server_requests() => {}
                Message::Request(request) => self.reply(request),
            }
        }
        Ok(responses)
    }

    /// Answers a request of the server, in the time that this takes.
    fn reply(&mut self, request: Request) {
        let (transport, inbox) = (self.transport, self.inbox);
        let (session, suspension) = (self.session.clone(), self.suspension.clone());
        self.replies.push(Box::pin(async move {
            let answer = {
                let _held = suspension.hold();
                inbox.answer(request, session.revision).await
            };
            let Some(response) = answer else { return };
            if let Ok(taken) = transport.post(response.to_value(), &session).await {
                discard(taken, transport.scale).await;
            }
        }));
    }
}
