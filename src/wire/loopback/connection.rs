//! Connections of the loopback server: each request is read within its limits and
//! answered by what stands behind the socket.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ::http::header::CONTENT_LENGTH;
use ::http::uri::{Authority, Parts, PathAndQuery, Scheme};
use ::http::{Method, Response, StatusCode, Uri};
use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt, Either, Full};
use hyper::body::{Body as _, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::outgoing::Outgoing;
use crate::wire::http::{ClientError, HttpClient, Request, TransportError};

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

/// What stands before the path in the URI of a request to an origin.
#[derive(Clone, Debug)]
pub(super) struct Base {
    scheme: Scheme,
    authority: Authority,
}

impl Base {
    /// Reads `http://server.test`, with or without a slash at its end.
    pub(super) fn parse(origin: &str) -> Option<Self> {
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
pub(super) async fn accept(listener: tokio::net::TcpListener, base: Base, far: Far) {
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
pub(super) struct Far {
    pub(super) client: Arc<dyn HttpClient>,
    pub(super) arriving: Arc<AtomicUsize>,
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
