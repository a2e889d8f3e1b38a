//! A connection with a fault in it: [`Faulty`].

use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::stream;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, StatusCode};
use serde_json::Value;

use super::message::{HttpMessage, State, events, whole_events};
use super::{Directive, Fault};
use crate::wire::event_stream::encode;
use crate::wire::http::BoxFuture;
use crate::wire::{
    Body, ClientError, HttpClient, READ_LIMIT, Request, Response, TransportError, read_whole,
};

/// How long a request that the fault sends by itself is waited for, so that it
/// comes before or after the one it belongs to. A server that does not answer
/// must not hold the client up for longer.
const ASIDE_BOUND: Duration = Duration::from_millis(250);

/// A connection with a fault in it. It belongs to a paused clock: its own waits
/// are not scaled.
pub struct Faulty<C> {
    inner: C,
    fault: Arc<Fault>,
}

impl<C: HttpClient> Faulty<C> {
    /// Puts `fault` before `inner`.
    pub fn new(inner: C, fault: Arc<Fault>) -> Self {
        Faulty { inner, fault }
    }

    #[cfg(test)]
    pub(super) fn fault(&self) -> &Fault {
        &self.fault
    }

    fn held(&self) -> MutexGuard<'_, Vec<Request>> {
        self.fault.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request and throws its answer away.
    async fn send_aside(&self, request: Request) {
        let work = async {
            if let Ok(response) = self.inner.send(request).await {
                let _ = read_whole(response.into_body(), READ_LIMIT).await;
            }
        };
        let _ = tokio::time::timeout(ASIDE_BOUND, work).await;
    }

    async fn send_faulty(&self, request: Request) -> Result<Response, ClientError> {
        let original = State::of_request(&request);
        let mut sent = original.clone();
        let mut again = None;
        if self.fault.on_request {
            let message = HttpMessage::new(sent);
            let (directive, _) = self.fault.apply("request", &message);
            sent = message.state().clone();
            match directive {
                Directive::Pass | Directive::StopReading => {}
                Directive::Drop => return Ok(taken_in(&original)),
                Directive::Tell(json) => return Ok(told(&json)),
                Directive::Duplicate => again = Some(sent.clone().into_request()),
                Directive::After(first) => self.send_aside(first.into_request()).await,
                Directive::HoldBack => {
                    self.held().push(sent.into_request());
                    return Ok(taken_in(&original));
                }
                Directive::Delay(time) => tokio::time::sleep(time).await,
            }
        }
        let id = RenamedId::between(&original, &sent);
        let response = self.inner.send(sent.into_request()).await;
        let held = std::mem::take(&mut *self.held());
        for aside in again.into_iter().chain(held) {
            self.send_aside(aside).await;
        }
        let response = response.map_err(|error| error.about(original.head()))?;
        if !self.fault.on_response && id.is_none() {
            return Ok(response);
        }
        self.answer(
            response,
            Incoming { fault: self.fault.clone(), original: Arc::new(original), id },
        )
        .await
    }

    /// Lets the fault change a response.
    async fn answer(
        &self,
        response: Response,
        incoming: Incoming,
    ) -> Result<Response, ClientError> {
        let broken_off = || ClientError::new(incoming.original.head(), TransportError::Closed);
        let (head, body) = response.into_parts();
        let mut state =
            State { status: head.status, headers: Arc::new(head.headers), ..State::default() };
        let streamed = state.is_event_stream();
        let mut body = Some(body);
        if let Some(body) = body.take_if(|_| !streamed) {
            let whole = read_whole(body, READ_LIMIT).await;
            state.body = whole.map_err(|_| broken_off())?;
        }
        let (state, directive, _) = incoming.change(state);
        let repeated = directive == Directive::Duplicate;
        match directive {
            Directive::Drop => return std::future::pending().await,
            Directive::After(first) => self.send_aside(first.into_request()).await,
            Directive::Delay(time) => tokio::time::sleep(time).await,
            Directive::StopReading => return Err(broken_off()),
            Directive::Pass | Directive::Tell(_) | Directive::Duplicate | Directive::HoldBack => {}
        }
        let body = match body {
            Some(body) => changed_events(body, state.clone(), incoming),
            None if repeated => Body::whole([state.body.clone(), state.body.clone()].concat()),
            None => Body::whole(state.body.clone()),
        };
        let mut response = Response::new(body);
        *response.status_mut() = state.status;
        *response.headers_mut() = Arc::unwrap_or_clone(state.headers);
        Ok(response)
    }
}

impl<C: HttpClient> HttpClient for Faulty<C> {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, ClientError>> {
        Box::pin(self.send_faulty(request))
    }
}

/// What the sender is told of a request that never arrived: the most that a
/// server says of something that it took in and will not answer.
fn taken_in(request: &State) -> Response {
    let mut response = Response::new(Body::whole(Bytes::new()));
    *response.status_mut() =
        if request.method == Method::POST { StatusCode::ACCEPTED } else { StatusCode::OK };
    response
}

/// A response of this JSON.
fn told(json: &Value) -> Response {
    let mut response = Response::new(Body::whole(json.to_string()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// The id that a request was sent with, and the one that its sender knows.
struct RenamedId {
    sent: Value,
    known: Value,
}

impl RenamedId {
    fn between(original: &State, sent: &State) -> Option<Self> {
        if original.body == sent.body {
            return None;
        }
        let known = original.json().get("id")?.clone();
        let sent = sent.json().get("id")?.clone();
        (known != sent).then_some(RenamedId { sent, known })
    }

    /// Gives a response back the id that its receiver knows.
    fn restore(&self, state: &mut State) -> bool {
        let mut json = Arc::unwrap_or_clone(state.json());
        let answers = json.get("method").is_none() && json.get("id") == Some(&self.sent);
        if answers {
            json["id"] = self.known.clone();
            state.set_json(&json);
        }
        answers
    }
}

/// How the response to one request is changed.
struct Incoming {
    fault: Arc<Fault>,
    original: Arc<State>,
    id: Option<RenamedId>,
}

impl Incoming {
    /// What becomes of a whole response, of a head, or of one event; whether
    /// its content is another now.
    fn change(&self, mut state: State) -> (State, Directive, bool) {
        let restored = self.id.as_ref().is_some_and(|id| id.restore(&mut state));
        if !self.fault.on_response {
            return (state, Directive::Pass, restored);
        }
        let request = Some(self.original.clone());
        let message = HttpMessage::new(State { request, ..state });
        let (directive, changed) = self.fault.apply("response", &message);
        let state = message.state().clone();
        (state, directive, changed || restored)
    }

    /// What becomes of a piece of a stream that holds whole events, and whether
    /// reading goes on. A piece in which nothing is changed stays as it is, to
    /// the byte.
    async fn change_piece(&self, head: &State, piece: Bytes) -> (Bytes, bool) {
        let mut changed = false;
        let mut out = BytesMut::new();
        for event in events(&piece) {
            let (state, directive, other) = self.change(head.with_body(encode(&event)));
            changed |= other || matches!(directive, Directive::Drop | Directive::Duplicate);
            let times = match directive {
                Directive::Drop => 0,
                Directive::StopReading => return (out.freeze(), false),
                Directive::Duplicate => 2,
                Directive::Delay(time) => {
                    tokio::time::sleep(time).await;
                    1
                }
                Directive::Pass
                | Directive::Tell(_)
                | Directive::After(_)
                | Directive::HoldBack => 1,
            };
            for _ in 0..times {
                out.extend_from_slice(&state.body);
            }
        }
        (if changed { out.freeze() } else { piece }, true)
    }
}

/// The events of `body` as the fault changes them, each as soon as it is whole.
fn changed_events(body: Body, head: State, incoming: Incoming) -> Body {
    let head = head.with_body(Bytes::new());
    let reading = Some((body, BytesMut::new()));
    let context = Arc::new((head, incoming));
    Body::stream(stream::unfold(reading, move |reading| {
        let context = context.clone();
        async move {
            let (head, incoming) = &*context;
            let (mut body, mut unread) = reading?;
            loop {
                match body.chunk().await {
                    Some(Ok(chunk)) => unread.extend_from_slice(&chunk),
                    Some(Err(error)) => return Some((Err(error), None)),
                    // What no blank line ends is no event.
                    None if unread.is_empty() => return None,
                    None => return Some((Ok(unread.freeze()), None)),
                }
                let piece = unread.split_to(whole_events(&unread)).freeze();
                if piece.is_empty() {
                    continue;
                }
                let (piece, goes_on) = incoming.change_piece(head, piece).await;
                if !goes_on {
                    return Some((Ok(piece), None));
                }
                if !piece.is_empty() {
                    return Some((Ok(piece), Some((body, unread))));
                }
            }
        }
    }))
}
