//! The double: the scripted far side, in memory. The main type is [`Double`].
//!
//! It routes a request to the origin it is for, and what that origin answers
//! is a [`Plan`]: which bytes come when, and whether the connection survives
//! it. It never calls code of the client under test.

use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use ::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use bytes::Bytes;
use futures_util::stream;

use super::http::{
    Body, BoxFuture, ClientError, HttpClient, Request, Response, TransportError, valid,
};

/// Answers the requests for one origin.
pub trait Origin: Send + Sync {
    /// What becomes of `request`. It is called at the moment of arrival and
    /// never waits; whatever takes time is in the plan.
    fn answer(&self, request: &Request) -> Plan;
}

/// What becomes of one request.
#[derive(Debug)]
pub struct Plan {
    /// How long nothing happens first.
    pub delay: Duration,
    /// The response's head, or what takes its place.
    pub head: Head,
    /// The response's body, piece by piece.
    pub frames: VecDeque<Frame>,
}

/// The response's head, or what takes its place.
#[derive(Debug)]
pub enum Head {
    /// A status and header fields.
    Respond {
        /// The status code.
        status: StatusCode,
        /// The header fields, in the order in which they are sent.
        headers: HeaderMap,
    },
    /// No answer ever comes; the connection stays open.
    Silence,
    /// The connection is dropped without an answer.
    Drop,
}

/// One piece of a response's body.
pub enum Frame {
    /// These bytes, as one chunk.
    Bytes(Bytes),
    /// Nothing for this long.
    Wait(Duration),
    /// The connection is dropped in the middle of the body.
    Break,
    /// Nothing more comes, and the connection stays open.
    Hang,
    /// What comes next depends on something that has not happened yet.
    Later(BoxFuture<'static, VecDeque<Frame>>),
}

impl std::fmt::Debug for Frame {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Frame::Bytes(bytes) => formatter.debug_tuple("Bytes").field(bytes).finish(),
            Frame::Wait(time) => formatter.debug_tuple("Wait").field(time).finish(),
            Frame::Break => formatter.write_str("Break"),
            Frame::Hang => formatter.write_str("Hang"),
            Frame::Later(_) => formatter.write_str("Later"),
        }
    }
}

impl Plan {
    /// A response with these header fields and this body in one piece.
    pub fn respond(status: StatusCode, headers: HeaderMap, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        let frames = if body.is_empty() { VecDeque::new() } else { [Frame::Bytes(body)].into() };
        Plan { delay: Duration::ZERO, head: Head::Respond { status, headers }, frames }
    }

    /// A response without a body.
    pub fn status(status: StatusCode) -> Self {
        Plan::respond(status, HeaderMap::new(), Bytes::new())
    }

    /// A response with a body of this media type.
    pub fn media(status: StatusCode, media_type: &'static str, body: impl Into<Bytes>) -> Self {
        let content_type = HeaderValue::from_static(media_type);
        let headers = HeaderMap::from_iter([(::http::header::CONTENT_TYPE, content_type)]);
        Plan::respond(status, headers, body)
    }

    /// A plan without a response.
    pub fn without_response(head: Head) -> Self {
        Plan { delay: Duration::ZERO, head, frames: VecDeque::new() }
    }

    /// The same response with one header field more.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        if let Head::Respond { headers, .. } = &mut self.head {
            headers.append(name, value);
        }
        self
    }
}

/// The far side of every connection of one execution.
#[derive(Default)]
pub struct Double {
    /// Origins by authority, such as `server.test` or `127.0.0.1:41234`.
    origins: RwLock<BTreeMap<String, Arc<dyn Origin>>>,
    /// What every delay is divided by.
    scale: u32,
}

impl Double {
    /// A double without origins; every delay of a plan is divided by `scale`.
    pub fn new(scale: u32) -> Self {
        Double { origins: RwLock::default(), scale }
    }

    /// Lets `origin` answer what is sent to `authority`.
    pub fn add(&self, authority: impl Into<String>, origin: Arc<dyn Origin>) {
        self.origins
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(authority.into(), origin);
    }

    fn origin(&self, request: &Request) -> Option<Arc<dyn Origin>> {
        // Who asks is not part of whom it is for.
        let authority = request.uri().authority()?.as_str().rsplit('@').next()?;
        self.origins.read().unwrap_or_else(PoisonError::into_inner).get(authority).cloned()
    }
}

impl HttpClient for Double {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, ClientError>> {
        Box::pin(async move {
            let request = valid(request)?;
            let Some(origin) = self.origin(&request) else {
                let host = request.uri().host().unwrap_or_default();
                let reason = format!("the double has no origin `{host}`");
                return Err(ClientError::new(&request, TransportError::Connect(reason)));
            };
            let plan = origin.answer(&request);
            perform(request, plan, self.scale).await
        })
    }
}

async fn perform(request: Request, plan: Plan, scale: u32) -> Result<Response, ClientError> {
    wait(plan.delay, scale).await;
    let (status, headers) = match plan.head {
        Head::Respond { status, headers } => (status, headers),
        Head::Silence => std::future::pending().await,
        Head::Drop => return Err(ClientError::new(&request, TransportError::Closed)),
    };
    let mut response = Response::new(body(plan.frames, scale));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Ok(response)
}

/// Sleeps for `time / scale`. No time at all is no point at which to yield:
/// most plans have none, and this is the hottest path there is.
async fn wait(time: Duration, scale: u32) {
    if !time.is_zero() {
        tokio::time::sleep(time / scale.max(1)).await;
    }
}

fn body(frames: VecDeque<Frame>, scale: u32) -> Body {
    let is_whole = match frames.front() {
        None => true,
        Some(Frame::Bytes(_)) => frames.len() == 1,
        Some(_) => false,
    };
    if is_whole {
        let whole = match frames.into_iter().next() {
            Some(Frame::Bytes(bytes)) => bytes,
            _ => Bytes::new(),
        };
        return Body::whole(whole);
    }
    Body::stream(stream::unfold(Some(frames), move |frames| async move {
        let mut frames = frames?;
        loop {
            match frames.pop_front()? {
                Frame::Bytes(bytes) => return Some((Ok(bytes), Some(frames))),
                Frame::Wait(time) => wait(time, scale).await,
                Frame::Break => return Some((Err(TransportError::Closed), None)),
                Frame::Hang => std::future::pending().await,
                Frame::Later(next) => {
                    let mut next = next.await;
                    next.append(&mut frames);
                    frames = next;
                }
            }
        }
    }))
}
