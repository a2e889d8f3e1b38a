//! What passes where a fault would stand, kept: [`Tap`].

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use futures_util::stream::Stream;
use tokio::time::Instant;

use super::message::{State, events, whole_events};
use crate::wire::event_stream::encode;
use crate::wire::http::BoxFuture;
use crate::wire::{Body, ClientError, HttpClient, READ_LIMIT, Request, Response, TransportError};

/// Which function of a fault a message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passing {
    Request,
    Response,
}

/// The messages that passed in one execution, as a fault would have been asked
/// about them, in that order. A clone is another handle.
#[derive(Clone, Default)]
pub struct Passed(Arc<Mutex<Log>>);

#[derive(Default)]
struct Log {
    messages: Vec<(Passing, State)>,
    /// Bodies that have not come to their end.
    arriving: usize,
    /// Whether a body came in a way in which it would not have passed a fault: a
    /// fault holds a body back until it is whole, and a stream until the next event
    /// is.
    in_parts: bool,
}

impl Passed {
    /// Whether a fault would have been asked about the same messages at the same
    /// moments; `of_responses` if it has a function for responses.
    pub(super) fn is_exact(&self, of_responses: bool) -> bool {
        let log = self.log();
        !of_responses || (log.arriving == 0 && !log.in_parts)
    }

    /// Whether one of them is as asked for.
    pub(super) fn any(&self, mut is_wanted: impl FnMut(Passing, &State) -> bool) -> bool {
        self.log().messages.iter().any(|(passing, state)| is_wanted(*passing, state))
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, passing: Passing, state: State) {
        self.log().messages.push((passing, state));
    }
}

/// A connection that changes nothing, and keeps what a fault in its place would be
/// asked about.
pub struct Tap<C> {
    inner: C,
    passed: Passed,
}

impl<C: HttpClient> Tap<C> {
    /// Keeps what passes to and from `inner` in `passed`.
    pub fn new(inner: C, passed: Passed) -> Self {
        Tap { inner, passed }
    }

    async fn send_on(&self, request: Request) -> Result<Response, ClientError> {
        let original = State::of_request(&request);
        self.passed.add(Passing::Request, original.clone());
        let (head, body) = self.inner.send(request).await?.into_parts();
        let state = State {
            status: head.status,
            headers: Arc::new(head.headers.clone()),
            request: Some(Arc::new(original)),
            ..State::default()
        };
        let is_event_stream = state.is_event_stream();
        if is_event_stream {
            self.passed.add(Passing::Response, state.clone());
        } else {
            self.passed.log().arriving += 1;
        }
        let begun = (self.passed.log().messages.len(), Instant::now());
        let passed = self.passed.clone();
        let unread = BytesMut::new();
        let body = Tapped { body, passed, head: state, is_event_stream, unread, begun };
        Ok(Response::from_parts(head, Body::stream(body)))
    }
}

impl<C: HttpClient> HttpClient for Tap<C> {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, ClientError>> {
        Box::pin(self.send_on(request))
    }
}

/// A body that is read, and what of it was not yet a message.
struct Tapped {
    body: Body,
    passed: Passed,
    head: State,
    is_event_stream: bool,
    unread: BytesMut,
    /// How many messages there were, and when, as the head came.
    begun: (usize, Instant),
}

impl Tapped {
    fn note(&mut self, chunk: &Bytes) {
        self.unread.extend_from_slice(chunk);
        if !self.is_event_stream {
            return;
        }
        let piece = self.unread.split_to(whole_events(&self.unread)).freeze();
        for event in events(&piece) {
            let state = self.head.with_body(encode(&event));
            self.passed.add(Passing::Response, state);
        }
        if !self.unread.is_empty() {
            self.passed.log().in_parts = true;
        }
    }

    fn end(&mut self) {
        if self.is_event_stream {
            return;
        }
        let mut log = self.passed.log();
        log.arriving -= 1;
        log.in_parts |=
            self.unread.len() > READ_LIMIT || self.begun != (log.messages.len(), Instant::now());
        let state = self.head.with_body(self.unread.split().freeze());
        log.messages.push((Passing::Response, state));
    }
}

impl Stream for Tapped {
    type Item = Result<Bytes, TransportError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = Pin::new(&mut self.body).poll_next(context);
        match &polled {
            Poll::Ready(Some(Ok(chunk))) => self.note(chunk),
            Poll::Ready(Some(Err(_))) => self.passed.log().in_parts = true,
            Poll::Ready(None) => self.end(),
            Poll::Pending => {}
        }
        polled
    }
}
