//! The event streams of a scripted server: what was written, and what waits
//! for a client that resumes.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde_json::{Value, json};
use tokio::sync::{Notify, oneshot};

use super::action::{Action, Answered, StreamItem};
use super::answering::Answering;
use super::subscription::Subscription;
use crate::wire::double::{Frame, Plan};
use crate::wire::event_stream::{ServerEvent, encode};

const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The streams of one scripted server. A clone is another handle.
#[derive(Clone, Default)]
pub(super) struct Streams {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    /// How many streams were opened: the first part of an event's id.
    opened: AtomicU64,
    /// How many requests were sent to the client.
    asked: AtomicU64,
    /// What is left of a stream, by the last event id that it sent.
    waiting: Mutex<HashMap<String, Rest>>,
    /// Who waits for the client's answer, by the request's id.
    asking: Mutex<HashMap<String, oneshot::Sender<Value>>>,
    /// Messages for the GET stream.
    pushed: Mutex<Vec<Value>>,
    /// Says that a message was pushed.
    push: Notify,
    /// Bytes that were sent as a script wrote them.
    verbatim: Mutex<Vec<Bytes>>,
}

struct Rest {
    request: Answering,
    items: VecDeque<StreamItem>,
}

/// The stream that a request is answered on, while it is being written.
struct Writer {
    streams: Streams,
    /// The request that the stream answers.
    request: Answering,
    stream: u64,
    events: u64,
    last_id: Option<String>,
}

impl Streams {
    /// A response that carries `items`.
    pub fn respond(&self, request: &Answering, items: Vec<StreamItem>) -> Plan {
        let mut writer = self.writer(request);
        let frames = writer.write(items.into());
        writer.event_stream(frames)
    }

    /// A response that carries `items` under a head of the script's own.
    pub fn respond_in_pieces(
        &self,
        request: &Answering,
        status: StatusCode,
        headers: HeaderMap,
        items: Vec<StreamItem>,
    ) -> Plan {
        in_pieces(status, headers, self.writer(request).write(items.into()))
    }

    /// A response that begins as the revision recommends and then does what
    /// `action` says.
    pub fn respond_with(&self, request: &Answering, action: Action) -> Plan {
        let mut writer = self.writer(request);
        let mut frames = writer.prime();
        frames.extend(writer.act(action));
        writer.event_stream(frames)
    }

    /// Goes on with the stream whose last event had this id.
    pub fn resume(&self, last_event_id: &str) -> Option<Plan> {
        let waiting = lock(&self.inner.waiting).remove(last_event_id);
        let rest = waiting?;
        let mut writer = self.writer(&rest.request);
        writer.last_id = Some(last_event_id.to_owned());
        let frames = writer.write(rest.items);
        Some(writer.event_stream(frames))
    }

    /// Hands the client's response to whoever asked; false if nobody did.
    pub fn answered(&self, message: &Value) -> bool {
        let Some(id) = message["id"].as_str() else { return false };
        let waiting = lock(&self.inner.asking).remove(id);
        waiting.is_some_and(|asking| asking.send(message.clone()).is_ok())
    }

    /// Remembers bytes that are sent as a script wrote them.
    pub fn verbatim(&self, bytes: &Bytes) {
        lock(&self.inner.verbatim).push(bytes.clone());
    }

    /// The bytes that were sent as a script wrote them, in their order.
    pub fn sent_verbatim(&self) -> Vec<Bytes> {
        lock(&self.inner.verbatim).clone()
    }

    /// Puts a message on the GET stream.
    pub fn push(&self, message: Value) {
        lock(&self.inner.pushed).push(message);
        self.inner.push.notify_waiters();
    }

    /// The GET stream: every pushed message, then whatever is pushed later.
    pub fn listen(&self) -> Plan {
        event_stream([pushed(self.clone(), 0, None)].into())
    }

    /// The stream of a subscription: what was agreed on, then every pushed message
    /// that was asked for.
    pub fn subscribe(&self, request: &Answering, subscription: Subscription) -> Plan {
        let acknowledged = message_event(&subscription.acknowledgment());
        let frames =
            [Frame::Bytes(encode(&acknowledged)), pushed(self.clone(), 0, Some(subscription))];
        self.writer(request).event_stream(frames.into())
    }

    fn writer(&self, request: &Answering) -> Writer {
        Writer {
            streams: self.clone(),
            request: request.clone(),
            stream: self.inner.opened.fetch_add(1, Ordering::Relaxed) + 1,
            events: 0,
            last_id: None,
        }
    }
}

/// What was pushed from a place on, and whatever is pushed later; for a
/// subscription, what it asked for.
fn pushed(streams: Streams, from: usize, subscription: Option<Subscription>) -> Frame {
    Frame::Later(Box::pin(async move {
        loop {
            // Registered before looking, so that no push is missed.
            let notified = streams.inner.push.notified();
            let messages = lock(&streams.inner.pushed)[from..].to_vec();
            if !messages.is_empty() {
                let next = from + messages.len();
                let delivered = messages.into_iter().filter_map(|message| match &subscription {
                    Some(subscription) => subscription.deliver(&message),
                    None => Some(message),
                });
                let mut frames: VecDeque<Frame> = delivered
                    .map(|message| Frame::Bytes(encode(&message_event(&message))))
                    .collect();
                frames.push_back(pushed(streams.clone(), next, subscription));
                return frames;
            }
            notified.await;
        }
    }))
}

impl Writer {
    /// The event that a 2025-11-25 server opens a stream with, so that the
    /// client can resume it ("Sending Messages to the Server" of that
    /// revision's transports page); nothing before.
    fn prime(&mut self) -> VecDeque<Frame> {
        if !self.request.revision.resumes_streams() {
            return VecDeque::new();
        }
        let id = self.next_id();
        let event = ServerEvent { id: Some(id), ..ServerEvent::message("") };
        [Frame::Bytes(encode(&event))].into()
    }

    fn next_id(&mut self) -> String {
        let id = format!("{}-{}", self.stream, self.events);
        self.events += 1;
        self.last_id = Some(id.clone());
        id
    }

    fn message(&mut self, message: &Value) -> Frame {
        let mut event = message_event(message);
        if self.request.revision.resumes_streams() {
            event.id = Some(self.next_id());
        }
        Frame::Bytes(encode(&event))
    }

    fn write(&mut self, mut items: VecDeque<StreamItem>) -> VecDeque<Frame> {
        let mut frames = VecDeque::new();
        while let Some(item) = items.pop_front() {
            match item {
                StreamItem::Event(event) => {
                    if let Some(id) = &event.id {
                        self.last_id = Some(id.clone());
                    }
                    frames.push_back(Frame::Bytes(encode(&event)));
                }
                StreamItem::Comment(text) => {
                    frames.push_back(Frame::Bytes(comment(&text)));
                }
                StreamItem::Chunk(bytes) => {
                    self.streams.verbatim(&bytes);
                    frames.push_back(Frame::Bytes(bytes));
                }
                StreamItem::Pause(time) => frames.push_back(Frame::Wait(time)),
                StreamItem::Message(message) => {
                    let frame = self.message(&message);
                    frames.push_back(frame);
                }
                StreamItem::Answer(result) => {
                    let message = self.request.result(result);
                    let frame = self.message(&message);
                    frames.push_back(frame);
                }
                StreamItem::AnswerError { code, message } => {
                    let message = self.request.error(code, &message, None);
                    let frame = self.message(&message);
                    frames.push_back(frame);
                }
                StreamItem::Disconnect | StreamItem::Break => {
                    self.keep(items);
                    if matches!(item, StreamItem::Break) {
                        frames.push_back(Frame::Break);
                    }
                    return frames;
                }
            }
        }
        frames
    }

    /// Keeps what is left for a client that resumes.
    fn keep(&mut self, items: VecDeque<StreamItem>) {
        if let Some(id) = self.last_id.take() {
            let rest = Rest { request: self.request.clone(), items };
            lock(&self.streams.inner.waiting).insert(id, rest);
        }
    }

    /// The response that carries `frames`.
    fn event_stream(&self, frames: VecDeque<Frame>) -> Plan {
        let plan = event_stream(frames);
        if self.request.revision.has_handshake() {
            return plan;
        }
        // So that no proxy holds events back (2026-07-28,
        // basic/transports/streamable-http, "Receiving Messages", SHOULD).
        plan.with_header(BUFFERING, HeaderValue::from_static("no"))
    }

    /// What an action writes on a stream that is already open.
    fn act(&mut self, action: Action) -> VecDeque<Frame> {
        match action {
            Action::Value(result) | Action::Reply { result, .. } => {
                let message = self.request.result(result);
                [self.message(&message)].into()
            }
            Action::Error { code, message, data } => {
                let message = self.request.error(code, &message, data.as_ref());
                [self.message(&message)].into()
            }
            Action::Pieces { items, .. } | Action::Stream(items) => self.write(items.into()),
            Action::After(time, action) => {
                let mut frames = self.act(*action);
                frames.push_front(Frame::Wait(time));
                frames
            }
            // The head has gone out already; what can still come is the body.
            Action::Raw { body, .. } => {
                self.streams.verbatim(&body);
                [Frame::Bytes(body)].into()
            }
            Action::Silence => [Frame::Hang].into(),
            Action::Drop => [Frame::Break].into(),
            Action::Ask { method, params, then } => self.ask(&method, params, then),
        }
    }

    fn ask(&mut self, method: &str, params: Option<Value>, then: Answered) -> VecDeque<Frame> {
        let number = self.streams.inner.asked.fetch_add(1, Ordering::Relaxed) + 1;
        // A string, so that a client that takes every id for a number shows.
        let id = format!("server-{number}");
        let mut request = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        if let Some(params) = params {
            request["params"] = params;
        }
        let (sender, receiver) = oneshot::channel();
        lock(&self.streams.inner.asking).insert(id, sender);
        let asked = self.message(&request);
        let mut writer = Writer {
            streams: self.streams.clone(),
            request: self.request.clone(),
            stream: self.stream,
            events: self.events,
            last_id: self.last_id.clone(),
        };
        let later = Frame::Later(Box::pin(async move {
            match receiver.await {
                Ok(answer) => writer.act(then(&answer)),
                Err(_) => [Frame::Hang].into(),
            }
        }));
        [asked, later].into()
    }
}

/// A comment, as a stream carries it.
pub(super) fn comment(text: &str) -> Bytes {
    format!(": {text}\n\n").into()
}

/// A response with this head, and `frames` as its body.
pub(super) fn in_pieces(status: StatusCode, headers: HeaderMap, frames: VecDeque<Frame>) -> Plan {
    Plan { frames, ..Plan::respond(status, headers, Bytes::new()) }
}

/// A message as one event.
pub(super) fn message_event(message: &Value) -> ServerEvent {
    ServerEvent { event: Some("message".to_owned()), ..ServerEvent::message(message.to_string()) }
}

/// A response that is an event stream.
pub(super) fn event_stream(frames: VecDeque<Frame>) -> Plan {
    let content_type = HeaderValue::from_static("text/event-stream");
    in_pieces(StatusCode::OK, HeaderMap::from_iter([(CONTENT_TYPE, content_type)]), frames)
}

/// A body of JSON.
pub(super) fn json_body(status: StatusCode, value: &Value) -> Plan {
    Plan::media(status, "application/json", Bytes::from(value.to_string()))
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
