//! What is kept of the wire: one [`Exchange`] for each request and its response, as
//! bytes, and the log of messages in them; the main type is [`Wire`].

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ::http::{HeaderMap, Method, StatusCode, Uri};
use bytes::{Bytes, BytesMut};
use tokio::time::Instant;

use super::event_stream::{EventParser, ServerEvent};
use super::http::Request;
use super::intake::{Counted, Intake, TooMuch, head_size, weight};
use super::messages::{Carrier, MessageText, Sender, is_event_stream};

/// One request and its response.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// Place among the exchanges of one execution, over all origins, from 0.
    pub index: usize,
    /// What was asked.
    pub method: Method,
    /// The absolute URI that was asked for.
    pub uri: Uri,
    /// The request's header fields, in the order in which they were sent.
    pub headers: HeaderMap,
    /// The request's body.
    pub body: Bytes,
    /// When the request arrived, since the execution began.
    pub at: Duration,
    /// The response's head; `None` if none came.
    pub response: Option<ResponseHead>,
    /// As much of the response's body as was read.
    pub response_body: Bytes,
    /// How the exchange ended.
    pub end: End,
    /// When it ended; `None` while it is open.
    pub completed_at: Option<Duration>,
}

/// The status and header fields of a response.
#[derive(Clone, Debug)]
pub struct ResponseHead {
    /// The status code.
    pub status: StatusCode,
    /// The header fields, in the order in which they were sent.
    pub headers: HeaderMap,
}

/// How an exchange ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The response is still awaited, or its body still arriving.
    Open,
    /// The response was read to its end.
    Complete,
    /// The asking side closed it before the response's end.
    Aborted,
    /// The answering side broke it off.
    Broken,
    /// No connection came about, so that nothing was sent.
    Unreached,
}

impl Exchange {
    /// Whether the response was a success (2xx).
    pub fn accepted(&self) -> bool {
        self.response.as_ref().is_some_and(|head| head.status.is_success())
    }
}

/// Gets each exchange when it ended.
pub type Watch = dyn Fn(&Exchange) + Send + Sync;

/// The exchanges of one execution, in the order in which requests arrived.
///
/// A clone is another handle to the same list.
#[derive(Clone)]
pub struct Wire {
    start: Instant,
    /// How many times slower the clock that scripts see runs: the loopback
    /// subject divides every delay by its scale.
    scale: u32,
    entries: Arc<Mutex<Vec<Entry>>>,
    texts: Arc<Mutex<Vec<Arc<MessageText>>>>,
    watch: Option<Arc<Watch>>,
    intake: Intake,
}

/// An exchange while it is written down.
struct Entry {
    exchange: Exchange,
    /// What reads the events of the response, if it is a stream of them.
    events: Option<EventParser>,
    /// The response's body from its second chunk on, until it ended: a body of
    /// one chunk is never copied.
    arriving: BytesMut,
}

impl Entry {
    /// Takes the next bytes of the response's body in; returns the events that they
    /// complete.
    fn add(&mut self, chunk: &Bytes) -> Vec<ServerEvent> {
        let mut events = Vec::new();
        if let Some(parser) = &mut self.events {
            // What is too large for one event ends the stream for everyone.
            let _ = parser.push(chunk, &mut events);
        }
        self.append(chunk);
        events
    }

    fn append(&mut self, chunk: &Bytes) {
        let body = &mut self.exchange.response_body;
        if self.arriving.is_empty() && body.is_empty() {
            *body = chunk.clone();
            return;
        }
        if self.arriving.is_empty() {
            self.arriving.extend_from_slice(body);
        }
        self.arriving.extend_from_slice(chunk);
    }

    /// What came of the response's body so far.
    fn came(&self) -> Bytes {
        match self.arriving.is_empty() {
            true => self.exchange.response_body.clone(),
            false => Bytes::copy_from_slice(&self.arriving),
        }
    }

    /// The body of the response as a text for the log, unless it is empty or told
    /// event by event.
    fn text(&self, at: Duration) -> Option<MessageText> {
        if self.exchange.response.is_none() || self.events.is_some() {
            return None;
        }
        let came = self.came();
        let index = Some(self.exchange.index);
        (!came.is_empty()).then(|| MessageText::new(Sender::Server, at, came, Carrier::Body, index))
    }

    /// The same, of a body that did not end yet.
    fn unfinished(&self, at: Duration) -> Option<Arc<MessageText>> {
        let is_open = self.exchange.end == End::Open;
        is_open.then(|| self.text(at)).flatten().map(Arc::new)
    }

    /// Makes the exchange whole; from then on a copy of it costs nothing.
    fn settle(&mut self) {
        if !self.arriving.is_empty() {
            self.exchange.response_body = std::mem::take(&mut self.arriving).freeze();
        }
    }
}

impl Wire {
    /// An empty wire whose time begins now; recorded times are multiplied by
    /// `scale`.
    pub fn new(scale: u32) -> Self {
        let (entries, texts) = (Arc::default(), Arc::default());
        let intake = Intake::default();
        Wire { start: Instant::now(), scale, entries, texts, watch: None, intake }
    }

    /// The same wire, which takes in no more of what one side sends than an execution
    /// may; what is beyond ends the exchange.
    pub fn bounded(self, counted: Counted) -> Self {
        Wire { intake: Intake::of(counted), ..self }
    }

    /// What was too much to be recorded, if anything.
    pub fn too_much(&self) -> Option<TooMuch> {
        self.intake.too_much()
    }

    /// The same wire, watched while it is written down.
    pub fn watched(self, watch: Arc<Watch>) -> Self {
        Wire { watch: Some(watch), ..self }
    }

    /// The time since the execution began, as scripts see it.
    pub fn now(&self) -> Duration {
        self.start.elapsed() * self.scale
    }

    /// How many exchanges have begun.
    pub fn begun(&self) -> usize {
        self.lock().len()
    }

    /// What was recorded so far.
    pub fn exchanges(&self) -> Vec<Exchange> {
        let entries = self.lock();
        let copy =
            |entry: &Entry| Exchange { response_body: entry.came(), ..entry.exchange.clone() };
        entries.iter().map(copy).collect()
    }

    /// The log of messages so far, in the order in which they were whole. What came
    /// of a body that did not end yet stands at the end.
    pub fn texts(&self) -> Vec<Arc<MessageText>> {
        let mut texts = lock(&self.texts).clone();
        let at = self.now();
        let unfinished = self.lock().iter().filter_map(|entry| entry.unfinished(at)).collect();
        texts.extend::<Vec<_>>(unfinished);
        texts
    }

    /// Adds a text to the log of messages: what a transport without HTTP sent or got.
    pub fn log(&self, sender: Sender, line: Bytes) -> Arc<MessageText> {
        self.add(MessageText::new(sender, self.now(), line, Carrier::Line, None))
    }

    fn add(&self, text: MessageText) -> Arc<MessageText> {
        let text = Arc::new(text);
        lock(&self.texts).push(text.clone());
        text
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        lock(&self.entries)
    }

    /// The index of the exchange that begins with `request`, which from then on has
    /// its [`MessageText`] with it if it is a POST; `None` if it is more than is taken
    /// in.
    pub(super) fn begin(&self, request: &mut Request) -> Option<usize> {
        let at = self.now();
        let mut entries = self.lock();
        let index = entries.len();
        let size = head_size(request.headers())
            + weight(request.body())
            + request.uri().path_and_query().map_or(0, |path| path.as_str().len());
        if !self.intake.begin(index) || !self.intake.take(Counted::Requests, size) {
            return None;
        }
        let exchange = Exchange {
            index,
            method: request.method().clone(),
            uri: request.uri().clone(),
            headers: request.headers().clone(),
            body: request.body().clone(),
            at,
            response: None,
            response_body: Bytes::new(),
            end: End::Open,
            completed_at: None,
        };
        if exchange.method == Method::POST {
            let body = exchange.body.clone();
            let text = MessageText::new(Sender::Client, at, body, Carrier::Body, Some(index));
            request.extensions_mut().insert(self.add(text));
        }
        entries.push(Entry { exchange, events: None, arriving: BytesMut::new() });
        Some(index)
    }

    fn update(&self, index: usize, change: impl FnOnce(&mut Entry)) {
        if let Some(entry) = self.lock().get_mut(index) {
            change(entry);
        }
    }

    /// Whether so many more bytes of what one side sends are taken in.
    pub(super) fn admits(&self, counted: Counted, size: usize) -> bool {
        self.intake.take(counted, size)
    }

    /// Writes down the head of a response.
    pub(super) fn answered(&self, index: usize, head: ResponseHead) {
        self.update(index, |entry| {
            entry.events = is_event_stream(&head.headers).then(EventParser::default);
            entry.exchange.response = Some(head);
        });
    }

    /// Takes the next bytes of a response's body in.
    pub(super) fn take(&self, index: usize, chunk: &Bytes) {
        let at = self.now();
        self.update(index, |entry| {
            for event in entry.add(chunk) {
                if !event.data.trim_ascii().is_empty() {
                    let carrier = Carrier::Event(event.event);
                    let data = event.data.into();
                    let exchange = Some(index);
                    self.add(MessageText::new(Sender::Server, at, data, carrier, exchange));
                }
            }
        });
    }

    /// Whether an exchange did not end yet.
    pub(super) fn is_open(&self, index: usize) -> bool {
        self.lock().get(index).is_some_and(|entry| entry.exchange.end == End::Open)
    }

    /// Ends an exchange, unless it ended already.
    pub(super) fn finish(&self, index: usize, end: End) {
        let now = self.now();
        let mut ended = None;
        self.update(index, |entry| {
            entry.settle();
            if entry.exchange.end == End::Open {
                if let Some(text) = entry.text(now) {
                    self.add(text);
                }
                entry.exchange.end = end;
                entry.exchange.completed_at = Some(now);
                ended = self.watch.is_some().then(|| entry.exchange.clone());
            }
        });
        if let (Some(watch), Some(exchange)) = (&self.watch, ended) {
            watch(&exchange);
        }
    }
}

fn lock<T>(list: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic elsewhere leaves a list whole: each entry is written at once.
    list.lock().unwrap_or_else(PoisonError::into_inner)
}
