//! The double on real sockets: a [`Loopback`] serves an [`HttpClient`] over
//! HTTP/1.1 on 127.0.0.1.
//!
//! What arrives is turned back into a [`Request`] to the origin by its name, so
//! that what stands behind it cannot tell a socket from memory.

use std::collections::VecDeque;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use ::http::header::CONTENT_LENGTH;
use ::http::uri::{Authority, Parts, PathAndQuery, Scheme};
use ::http::{Method, Response, StatusCode, Uri};
use bytes::{Bytes, BytesMut};
use futures_util::stream::Stream;
use http_body_util::{BodyExt, Either, Full};
use hyper::body::{Body as _, Frame, Incoming, SizeHint};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::http::{Body, ClientError, HttpClient, Request, TransportError};

/// How large the body of a request may be, in bytes: 4 MiB, twice what a client
/// reads of an answer. A larger one is answered with 413 and does not reach the
/// double.
pub const REQUEST_LIMIT: usize = 4 * 1024 * 1024;

/// How many bytes of bodies may be arriving at once, over all connections: 8 MiB.
/// What is beyond is answered with 413 as well.
const ARRIVING_LIMIT: usize = 8 * 1024 * 1024;

/// How many connections to an origin are open at once; more of them wait.
const CONNECTION_LIMIT: usize = 128;

/// How many bytes of a connection are read ahead: the longest head of a request.
const BUFFER_LIMIT: usize = 128 * 1024;

/// How long no connection is taken on after the system had none to give.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// Listening sockets on 127.0.0.1, one for each origin, not served yet.
///
/// Connections that arrive before [`Loopback::serve`] wait in the system's
/// queue, so a URL may be handed out as soon as it is known.
#[derive(Debug, Default)]
pub struct Loopback {
    origins: Vec<(Origin, TcpListener)>,
}

impl Loopback {
    /// Opens one socket for each of `origins`, written as in
    /// `http://server.test`.
    ///
    /// # Errors
    /// As [`Loopback::open`].
    pub fn bind(origins: &[&str]) -> io::Result<Self> {
        let mut loopback = Loopback::default();
        for origin in origins {
            loopback.open(origin)?;
        }
        Ok(loopback)
    }

    /// Opens a socket for `origin`, unless it has one, and returns its URL
    /// without a path: `http://127.0.0.1:41234`.
    ///
    /// # Errors
    /// `InvalidInput` if `origin` is not a scheme, a host and perhaps a port;
    /// else what the system says of a socket that it cannot open.
    pub fn open(&mut self, origin: &str) -> io::Result<String> {
        self.open_at(origin, 0)
    }

    /// Opens a socket for `origin` as [`Loopback::open`] does, at this port
    /// unless it is 0.
    ///
    /// # Errors
    /// As [`Loopback::open`].
    pub fn open_at(&mut self, origin: &str, port: u16) -> io::Result<String> {
        if let Some(url) = self.url(origin) {
            return Ok(url);
        }
        let base = Base::parse(origin).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("`{origin}` is no origin; write it as in `http://server.test`"),
            )
        })?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let url = format!("http://{}", listener.local_addr()?);
        let name = origin.to_owned();
        self.origins.push((Origin { name, base, url: url.clone() }, listener));
        Ok(url)
    }

    /// Where `origin` is served, if it has a socket.
    pub fn url(&self, origin: &str) -> Option<String> {
        let mut origins = self.origins.iter().map(|(origin, _)| origin);
        origins.find(|known| known.name == origin).map(|known| known.url.clone())
    }

    /// Begins to serve `client` at every origin, in tasks of the current tokio
    /// runtime.
    ///
    /// An error of `client` drops the connection without a response, a request
    /// that it finds invalid is answered with 400, and an error in a response's
    /// body breaks it off in the middle. If the far side
    /// goes away, the future or body that was meant for it is dropped.
    ///
    /// # Errors
    /// What the system says if the runtime cannot watch a socket.
    ///
    /// # Panics
    /// Outside a tokio runtime whose input and output are enabled.
    pub fn serve(self, client: Arc<dyn HttpClient>) -> io::Result<LoopbackHandle> {
        let mut origins = Vec::new();
        let mut servers = JoinSet::new();
        let arriving = Arc::new(AtomicUsize::new(0));
        for (origin, listener) in self.origins {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let far = Far { client: client.clone(), arriving: arriving.clone() };
            servers.spawn(accept(listener, origin.base.clone(), far));
            origins.push(origin);
        }
        Ok(LoopbackHandle { origins, servers })
    }
}

/// Origins that are being served. Dropping it closes every socket and
/// connection.
#[derive(Debug)]
pub struct LoopbackHandle {
    origins: Vec<Origin>,
    servers: JoinSet<()>,
}

impl LoopbackHandle {
    /// Where `origin` is served, if it was opened.
    pub fn url(&self, origin: &str) -> Option<String> {
        self.origins.iter().find(|known| known.name == origin).map(|known| known.url.clone())
    }

    /// Closes every socket and connection and returns when they are closed:
    /// whatever was still open has then been recorded as aborted.
    pub async fn close(mut self) {
        self.servers.shutdown().await;
    }
}

/// An origin and where it is served.
#[derive(Debug)]
struct Origin {
    name: String,
    base: Base,
    url: String,
}

/// What stands before the path in the URI of a request to an origin.
#[derive(Clone, Debug)]
struct Base {
    scheme: Scheme,
    authority: Authority,
}

impl Base {
    /// Reads `http://server.test`, with or without a slash at its end.
    fn parse(origin: &str) -> Option<Self> {
        let Parts { scheme, authority, path_and_query, .. } =
            origin.parse::<Uri>().ok()?.into_parts();
        let bare = path_and_query.is_none_or(|path| path == "/");
        match (scheme, authority) {
            (Some(scheme), Some(authority)) if bare => Some(Base { scheme, authority }),
            _ => None,
        }
    }

    /// The absolute URI of what is at `path` here.
    fn uri(&self, path: PathAndQuery) -> Result<Uri, ::http::Error> {
        Uri::builder()
            .scheme(self.scheme.clone())
            .authority(self.authority.clone())
            .path_and_query(path)
            .build()
    }
}

/// Takes on connections for ever. The connections end with it: they belong to
/// its set of tasks.
async fn accept(listener: tokio::net::TcpListener, base: Base, far: Far) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < CONNECTION_LIMIT => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve_connection(stream, base.clone(), far.clone()));
                }
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            },
            // Connections that ended are let go of.
            Some(_) = connections.join_next() => {}
        }
    }
}

/// What stands behind the sockets, and how many bytes of bodies are on their way to
/// it.
#[derive(Clone)]
struct Far {
    client: Arc<dyn HttpClient>,
    arriving: Arc<AtomicUsize>,
}

/// Bytes that are arriving, until it is dropped.
struct Arriving<'a> {
    all: &'a AtomicUsize,
    own: usize,
}

impl Arriving<'_> {
    /// Takes `bytes` more; false if that is too much.
    fn take(&mut self, bytes: usize) -> bool {
        self.own += bytes;
        let all = self.all.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.own <= REQUEST_LIMIT && all <= ARRIVING_LIMIT
    }
}

impl Drop for Arriving<'_> {
    fn drop(&mut self) {
        self.all.fetch_sub(self.own, Ordering::Relaxed);
    }
}

/// The body of a request; `Ok(None)` if it is too large.
async fn read_body(mut body: Incoming, all: &AtomicUsize) -> Result<Option<Bytes>, TransportError> {
    let mut arriving = Arriving { all, own: 0 };
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| TransportError::Closed)?;
        let Ok(chunk) = frame.into_data() else { continue };
        if !arriving.take(chunk.len()) {
            return Ok(None);
        }
        whole.extend_from_slice(&chunk);
    }
    Ok(Some(whole.freeze()))
}

async fn serve_connection(stream: TcpStream, base: Base, far: Far) {
    // Small writes go out at once; without it they only come later.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| answer(request, &base, &far));
    // An error here is the far side going away, or the double dropping the
    // connection on purpose: both are recorded behind `client`.
    let _ = hyper::server::conn::http1::Builder::new()
        .max_buf_size(BUFFER_LIMIT)
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

type Answer = Response<Either<Full<Bytes>, Outgoing>>;

/// Sends one request to the far side. An error makes hyper drop the
/// connection without a response.
async fn answer(
    request: ::http::Request<Incoming>,
    base: &Base,
    far: &Far,
) -> Result<Answer, TransportError> {
    let (mut head, body) = request.into_parts();
    if head.method == Method::CONNECT {
        return Ok(refusal(StatusCode::METHOD_NOT_ALLOWED));
    }
    let path = head.uri.path_and_query().cloned().unwrap_or(PathAndQuery::from_static("/"));
    let Ok(uri) = base.uri(path) else {
        return Ok(refusal(StatusCode::BAD_REQUEST));
    };
    head.uri = uri;

    // A length that is declared is believed: nothing of such a body is read.
    if body.size_hint().lower() > REQUEST_LIMIT as u64 {
        return Ok(refusal(StatusCode::PAYLOAD_TOO_LARGE));
    }
    let Some(body) = read_body(body, &far.arriving).await? else {
        return Ok(refusal(StatusCode::PAYLOAD_TOO_LARGE));
    };

    let response = match far.client.send(Request::from_parts(head, body)).await {
        Ok(response) => response,
        Err(ClientError::InvalidRequest { .. }) => return Ok(refusal(StatusCode::BAD_REQUEST)),
        Err(ClientError::Network { reason, .. } | ClientError::InvalidResponse { reason, .. }) => {
            return Err(reason);
        }
    };
    let (head, body) = response.into_parts();
    let declared = head.headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    let mut body = Outgoing::new(body, declared.and_then(|length| length.parse().ok()));
    body.begin().await;
    Ok(Response::from_parts(head, Either::Right(body)))
}

fn refusal(status: StatusCode) -> Answer {
    let mut response = Response::new(Either::Left(Full::default()));
    *response.status_mut() = status;
    response
}

/// A response's body on its way out, read a little ahead of what is written.
///
/// Reading ahead shows whether a chunk is the last one. So a body that is there
/// as a whole gets a `content-length`, as servers usually send it, and a body
/// is always read to its end, even if hyper has no use for the end any more.
struct Outgoing {
    body: Body,
    /// The length that the double declared itself, right or wrong. hyper is then
    /// told nothing of the true one.
    declared: Option<usize>,
    /// How many bytes were read.
    read: usize,
    /// Chunks that were read and not written yet.
    ahead: VecDeque<Bytes>,
    /// How the body ended, once it did.
    end: Option<Result<(), TransportError>>,
    /// The chunks before an error were given time to go out.
    flushed: bool,
}

impl Outgoing {
    fn new(body: Body, declared: Option<usize>) -> Self {
        Outgoing { body, declared, read: 0, ahead: VecDeque::new(), end: None, flushed: false }
    }

    /// Reads what is there already, without waiting for more.
    async fn begin(&mut self) {
        std::future::poll_fn(|context| {
            self.read_ahead(context, 2);
            Poll::Ready(())
        })
        .await;
    }

    /// Reads until `wanted` chunks are at hand, or nothing more is there now.
    fn read_ahead(&mut self, context: &mut Context<'_>, wanted: usize) {
        while self.ahead.len() < wanted && self.end.is_none() {
            match Pin::new(&mut self.body).poll_next(context) {
                Poll::Ready(Some(Ok(chunk))) if chunk.is_empty() => {}
                Poll::Ready(Some(Ok(chunk))) => {
                    self.read += chunk.len();
                    self.ahead.push_back(chunk);
                }
                Poll::Ready(Some(Err(error))) => self.end = Some(Err(error)),
                // Shorter than declared: what the far side sees is a body that
                // breaks off.
                Poll::Ready(None) if self.declared.is_some_and(|length| self.read < length) => {
                    self.end = Some(Err(TransportError::Closed));
                }
                Poll::Ready(None) => self.end = Some(Ok(())),
                Poll::Pending => break,
            }
        }
    }
}

impl hyper::body::Body for Outgoing {
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        self.read_ahead(context, 1);
        if let Some(chunk) = self.ahead.pop_front() {
            self.read_ahead(context, 1);
            return Poll::Ready(Some(Ok(Frame::data(chunk))));
        }
        match &self.end {
            None => Poll::Pending,
            Some(Ok(())) => Poll::Ready(None),
            Some(Err(error)) if self.flushed => Poll::Ready(Some(Err(error.clone()))),
            Some(Err(_)) => {
                // An error makes hyper forget what it has not written yet. While
                // the body is pending it writes the chunks that came before.
                self.flushed = true;
                context.waker().wake_by_ref();
                Poll::Pending
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.declared.is_none() && self.ahead.is_empty() && self.end == Some(Ok(()))
    }

    fn size_hint(&self) -> SizeHint {
        if self.declared.is_some() || self.end != Some(Ok(())) {
            return SizeHint::default();
        }
        let length: usize = self.ahead.iter().map(Bytes::len).sum();
        SizeHint::with_exact(length as u64)
    }
}

#[cfg(test)]
#[path = "loopback_tests.rs"]
mod tests;
