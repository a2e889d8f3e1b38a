//! The one seam of the wire: [`HttpClient`], in the manner of PSR-18.
//!
//! A request is sent whole; a response arrives as a head and a stream of
//! chunks. A status of 4xx or 5xx is a response, not an error: a [`ClientError`]
//! means that no response came.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt};

pub use super::request::Request;

use super::request::{InvalidRequest, RequestHead, validate};

/// One HTTP response whose body is still arriving.
pub type Response = ::http::Response<Body>;

/// A future that may move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Why no response came, and to which request (PSR-18's
/// `ClientExceptionInterface`).
///
/// The message says nothing of the request, which may hold credentials.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// The request is not valid, and nothing of it was sent (PSR-18's
    /// `RequestExceptionInterface`).
    #[error("the request was not sent: {reason}")]
    InvalidRequest {
        /// The request, as it was written.
        request: Box<RequestHead>,
        /// What is wrong with it.
        reason: InvalidRequest,
    },
    /// There was no connection, or none that lasted (PSR-18's
    /// `NetworkExceptionInterface`).
    #[error("{reason}")]
    Network {
        /// The request that came to nothing.
        request: Box<RequestHead>,
        /// What happened to the connection.
        reason: TransportError,
    },
    /// What came is no response that can be taken in.
    #[error("{reason}")]
    InvalidResponse {
        /// The request that it answers.
        request: Box<RequestHead>,
        /// What is wrong with it.
        reason: TransportError,
    },
}

impl ClientError {
    /// What `reason` means for a request that waits for its response.
    pub fn new(request: impl Into<RequestHead>, reason: TransportError) -> Self {
        let request = Box::new(request.into());
        match reason {
            TransportError::Connect(_) | TransportError::Inside | TransportError::Closed => {
                ClientError::Network { request, reason }
            }
            TransportError::HeadTooLarge | TransportError::Protocol(_) => {
                ClientError::InvalidResponse { request, reason }
            }
        }
    }

    /// The request that it is about.
    pub fn request(&self) -> &RequestHead {
        match self {
            ClientError::InvalidRequest { request, .. }
            | ClientError::Network { request, .. }
            | ClientError::InvalidResponse { request, .. } => request,
        }
    }

    /// The same failure of the request that its sender knows, where something in
    /// between has changed it.
    #[must_use]
    pub fn about(mut self, original: RequestHead) -> Self {
        let (ClientError::InvalidRequest { request, .. }
        | ClientError::Network { request, .. }
        | ClientError::InvalidResponse { request, .. }) = &mut self;
        **request = original;
        self
    }
}

impl RequestHead {
    /// The request, if it is valid.
    ///
    /// # Errors
    /// [`ClientError::InvalidRequest`], which says what is wrong with it.
    pub fn into_request(self, body: Bytes) -> Result<Request, ClientError> {
        match self.parse(body) {
            Ok(request) => Ok(request),
            Err(reason) => Err(ClientError::InvalidRequest { request: Box::new(self), reason }),
        }
    }
}

/// `request`, if it can be sent.
///
/// # Errors
/// [`ClientError::InvalidRequest`] if it cannot.
pub fn valid(request: Request) -> Result<Request, ClientError> {
    match validate(&request) {
        Ok(()) => Ok(request),
        Err(reason) => {
            let request = Box::new(RequestHead::from(&request));
            Err(ClientError::InvalidRequest { request, reason })
        }
    }
}

/// What happened to a connection: why no response came, or why a body stopped
/// before its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// No connection could be opened: refused, unknown host, no TLS.
    #[error("no connection could be opened: {0}")]
    Connect(String),
    /// No connection was opened: [`LeadsInside`](super::reach::LeadsInside).
    #[error("no connection was opened: {}", super::reach::LeadsInside)]
    Inside,
    /// The connection ended before the message did.
    #[error("the connection ended before the message did")]
    Closed,
    /// The head of the response is longer than what is taken in.
    #[error("the head of the response is too long")]
    HeadTooLarge,
    /// What came is not HTTP, or cannot be decoded.
    #[error("what came is not HTTP: {0}")]
    Protocol(String),
}

/// Sends one request and returns its response (PSR-18's `sendRequest`).
///
/// Redirects are never followed. Dropping the returned future, or the body,
/// aborts the request.
pub trait HttpClient: Send + Sync {
    /// Sends `request`, if it is valid.
    ///
    /// # Errors
    /// [`ClientError`] if no response head came; see
    /// [`validate`] for what is never sent.
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, ClientError>>;
}

impl<T: HttpClient + ?Sized> HttpClient for std::sync::Arc<T> {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, ClientError>> {
        (**self).send(request)
    }
}

/// The body of a response: chunks in the order in which they arrive.
pub struct Body(Pin<Box<dyn Stream<Item = Result<Bytes, TransportError>> + Send>>);

impl Body {
    /// A body that arrives in one chunk, or none if `bytes` is empty.
    pub fn whole(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        let chunk = (!bytes.is_empty()).then_some(Ok(bytes));
        Body(Box::pin(stream::iter(chunk)))
    }

    /// A body made of the chunks of `stream`.
    pub fn stream(
        stream: impl Stream<Item = Result<Bytes, TransportError>> + Send + 'static,
    ) -> Self {
        Body(Box::pin(stream))
    }

    /// The next chunk; `None` at the end.
    pub async fn chunk(&mut self) -> Option<Result<Bytes, TransportError>> {
        self.0.next().await
    }
}

impl Stream for Body {
    type Item = Result<Bytes, TransportError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(context)
    }
}

impl std::fmt::Debug for Body {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Body(..)")
    }
}
