//! Tests of the loopback server, and of the live client against it.

mod bodies;
mod refused;

use std::sync::atomic::{AtomicUsize, Ordering};

use ::http::Method;
use ::http::header::{ACCEPT, CONTENT_LENGTH, HOST, LOCATION, USER_AGENT};
use bytes::Bytes;
use futures_util::stream::{self, StreamExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};

use super::*;
use crate::wire::body::read_whole;
use crate::wire::exchange::{End, Wire};
use crate::wire::http::{Body, BoxFuture, ClientError, Request, Response, TransportError};
use crate::wire::live::Live;
use crate::wire::{Exchange, Recorder, RequestHead};

const ORIGIN: &str = "http://server.test";

/// What a chunk is on its way to be.
type Chunk = Result<Bytes, TransportError>;

/// A far side that is one function.
struct Far<F>(F);

impl<F, A> HttpClient for Far<F>
where
    F: Fn(Request) -> A + Send + Sync,
    A: Future<Output = Result<Response, TransportError>> + Send + 'static,
{
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, ClientError>> {
        let head = RequestHead::from(&request);
        let answer = (self.0)(request);
        Box::pin(async { answer.await.map_err(|reason| ClientError::new(head, reason)) })
    }
}

fn far<F, A>(answer: F) -> Far<F>
where
    F: Fn(Request) -> A + Send + Sync,
    A: Future<Output = Result<Response, TransportError>> + Send + 'static,
{
    Far(answer)
}

/// A far side that answers every request with a body of its own making.
fn bodies(make: impl Fn() -> Body + Send + Sync) -> impl HttpClient {
    far(move |_| std::future::ready(Ok(Response::new(make()))))
}

/// Serves `client` at [`ORIGIN`]; returns where, and what is recorded there.
fn serve(client: impl HttpClient + 'static) -> (LoopbackHandle, String, Wire) {
    let wire = Wire::new(1);
    let loopback = Loopback::bind(&[ORIGIN]).expect("a socket");
    let url = loopback.url(ORIGIN).expect("it is open");
    let handle = loopback.serve(Arc::new(Recorder::new(client, wire.clone()))).expect("a runtime");
    (handle, url, wire)
}

/// What happened to the connection.
#[track_caller]
fn network_failure(sent: Result<Response, ClientError>) -> TransportError {
    match sent {
        Err(ClientError::Network { reason, .. }) => reason,
        other => panic!("{other:?} is no failure of the network"),
    }
}

fn get(url: &str) -> Request {
    ::http::Request::get(url).body(Bytes::new()).expect("a request")
}

fn chunk(text: &'static str) -> Chunk {
    Ok(Bytes::from_static(text.as_bytes()))
}

/// A body whose chunks the test sends, and a word when it is dropped.
fn body_in_hand() -> (mpsc::UnboundedSender<Chunk>, Body, oneshot::Receiver<()>) {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    let (guard, dropped) = drop_guard();
    let chunks = stream::poll_fn(move |context| {
        let _held = &guard;
        receiver.poll_recv(context)
    });
    (sender, Body::stream(chunks), dropped)
}

/// A value, and what resolves when the value is dropped.
fn drop_guard() -> (impl Send, oneshot::Receiver<()>) {
    let (sender, receiver) = oneshot::channel::<()>();
    (sender, receiver)
}

/// A place for one thing that a far side hands out at its first request.
struct Once<T>(std::sync::Mutex<Option<T>>);

impl<T> Once<T> {
    fn new(value: T) -> Self {
        Once(std::sync::Mutex::new(Some(value)))
    }

    fn take(&self) -> T {
        self.0.lock().expect("no panic").take().expect("taken once")
    }
}

/// The only exchange of a wire.
fn only(wire: &Wire) -> Exchange {
    let mut exchanges = wire.exchanges();
    assert_eq!(exchanges.len(), 1);
    exchanges.remove(0)
}

/// Sends `bytes` as they are, and nothing more; returns all that comes back.
async fn raw(url: &str, bytes: &[u8]) -> String {
    let mut stream = connect(url).await;
    stream.write_all(bytes).await.expect("written");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("read to the end");
    String::from_utf8(answer).expect("text")
}

async fn connect(url: &str) -> TcpStream {
    TcpStream::connect(url.strip_prefix("http://").expect("a URL")).await.expect("a connection")
}

#[tokio::test]
async fn requests_and_responses_pass_as_they_are() {
    let (_handle, url, wire) = serve(far(|request: Request| async move {
        let mut body = request.body().to_vec();
        body.reverse();
        let response = ::http::Response::builder()
            .status(418)
            .header("mcp-session-id", "s-1")
            .header("set-cookie", "a=1")
            .header("set-cookie", "b=2")
            .body(Body::whole(body));
        Ok(response.expect("a response"))
    }));
    let request = ::http::Request::post(format!("{url}/mcp?a=%20b"))
        .header(ACCEPT, "application/json, text/event-stream")
        .header("x-twice", "1")
        .header("x-twice", "2")
        .body(Bytes::from_static(b"abc"))
        .expect("a request");
    let live = Live::new();
    let response = live.send(request).await.expect("a response");

    assert_eq!(response.status(), 418);
    assert_eq!(response.headers()["mcp-session-id"], "s-1");
    assert_eq!(response.headers()["content-length"], "3");
    let cookies: Vec<_> = response.headers().get_all("set-cookie").iter().collect();
    assert_eq!(cookies, ["a=1", "b=2"]);
    let body = read_whole(response.into_body(), 64).await;
    assert_eq!(body.as_deref(), Ok(&b"cba"[..]));

    let exchange = only(&wire);
    assert_eq!(exchange.method, Method::POST);
    assert_eq!(exchange.uri, "http://server.test/mcp?a=%20b");
    assert_eq!(exchange.body, "abc");
    assert_eq!(exchange.headers[ACCEPT], "application/json, text/event-stream");
    assert_eq!(exchange.headers[HOST], url.strip_prefix("http://").expect("a URL"));
    assert_eq!(exchange.headers[USER_AGENT], concat!("mcp-checks/", env!("CARGO_PKG_VERSION")));
    let twice: Vec<_> = exchange.headers.get_all("x-twice").iter().collect();
    assert_eq!(twice, ["1", "2"]);
    assert_eq!(exchange.end, End::Complete);
    assert_eq!(&exchange.response_body[..], b"cba");
}

#[tokio::test]
async fn each_origin_has_a_url_of_its_own() {
    let client = far(|request: Request| async move {
        Ok(Response::new(Body::whole(request.uri().to_string())))
    });
    let auth = "http://auth.test:8080";
    let mut loopback = Loopback::bind(&[ORIGIN, auth]).expect("sockets");
    let urls = [ORIGIN, auth].map(|origin| loopback.url(origin).expect("it is open"));
    assert_ne!(urls[0], urls[1]);
    assert_eq!(loopback.open(auth).expect("no second socket"), urls[1]);
    assert_eq!(loopback.url("http://elsewhere.test"), None);
    for wrong in ["server", "http://server.test/mcp", "/mcp", ""] {
        let error = loopback.open(wrong).expect_err(wrong);
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }
    let handle = loopback.serve(Arc::new(client)).expect("a runtime");
    assert_eq!(handle.url(auth), Some(urls[1].clone()));

    let live = Live::new();
    for (url, seen) in [(&urls[0], "http://server.test/x"), (&urls[1], "http://auth.test:8080/x")] {
        let mut body = live.send(get(&format!("{url}/x"))).await.expect("a response").into_body();
        assert_eq!(body.chunk().await, Some(chunk(seen)));
    }
}

#[tokio::test]
async fn chunks_arrive_one_by_one_before_the_end() {
    let (sender, body, _dropped) = body_in_hand();
    let body = Once::new(body);
    let (_handle, url, wire) = serve(bodies(move || body.take()));
    // The head arrives although there is no chunk yet.
    let live = Live::new();
    let mut body = live.send(get(&url)).await.expect("a response").into_body();
    for text in ["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"] {
        sender.send(chunk(text)).expect("the body is open");
        assert_eq!(body.chunk().await, Some(chunk(text)));
    }
    assert_eq!(only(&wire).end, End::Open);
    drop(sender);
    assert_eq!(body.chunk().await, None);
    assert_eq!(only(&wire).end, End::Complete);
}

#[tokio::test]
async fn one_connection_serves_many_requests() {
    let (_handle, url, _wire) = serve(bodies(|| Body::whole("here")));
    let answer = raw(
        &url,
        b"GET /1 HTTP/1.1\r\nhost: x\r\n\r\n\
          HEAD /2 HTTP/1.1\r\nhost: x\r\n\r\n\
          GET /3 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
    )
    .await;
    assert_eq!(answer.matches("HTTP/1.1 200 OK").count(), 3);
    // HEAD tells the length and sends nothing.
    assert_eq!(answer.matches("content-length: 4").count(), 3);
    assert_eq!(answer.matches("\r\n\r\nhere").count(), 2);
}

#[tokio::test]
async fn a_dropped_connection_gives_no_response() {
    let (_handle, url, wire) = serve(far(|_| async { Err(TransportError::Closed) }));
    let live = Live::new();
    // The second request needs a new connection.
    for _ in 0..2 {
        assert_eq!(network_failure(live.send(get(&url)).await), TransportError::Closed);
    }
    assert_eq!(raw(&url, b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await, "");
    assert!(wire.exchanges().iter().all(|exchange| exchange.end == End::Broken));
}

#[tokio::test]
async fn a_broken_body_breaks_off_after_what_came_before() {
    let chunks = [chunk("data: 1\n\n"), chunk("da"), Err(TransportError::Closed)];
    let (_handle, url, wire) = serve(bodies(move || Body::stream(stream::iter(chunks.clone()))));
    let live = Live::new();
    let mut body = live.send(get(&url)).await.expect("a response").into_body();
    let mut read = Vec::new();
    let end = loop {
        match body.chunk().await {
            Some(Ok(chunk)) => read.extend_from_slice(&chunk),
            end => break end,
        }
    };
    assert_eq!(String::from_utf8_lossy(&read), "data: 1\n\nda");
    assert_eq!(end, Some(Err(TransportError::Closed)));
    assert_eq!(only(&wire).end, End::Broken);

    let answer = raw(&url, b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert!(answer.contains("transfer-encoding: chunked"), "{answer}");
    assert!(answer.ends_with("\r\n2\r\nda\r\n"), "{answer}");
}

#[tokio::test]
async fn a_body_may_break_off_before_its_first_chunk() {
    let (_handle, url, _wire) =
        serve(bodies(|| Body::stream(stream::iter([Err(TransportError::Closed)]))));
    let live = Live::new();
    let mut body = live.send(get(&url)).await.expect("the head came").into_body();
    assert_eq!(body.chunk().await, Some(Err(TransportError::Closed)));
}

#[tokio::test]
async fn a_client_that_drops_a_body_is_noticed() {
    let (sender, body, dropped) = body_in_hand();
    let body = Once::new(body);
    let (_handle, url, wire) = serve(bodies(move || body.take()));
    let live = Live::new();
    let mut body = live.send(get(&url)).await.expect("a response").into_body();
    sender.send(chunk("data: 1\n\n")).expect("the body is open");
    assert_eq!(body.chunk().await, Some(chunk("data: 1\n\n")));
    drop(body);
    assert!(dropped.await.is_err());
    let exchange = only(&wire);
    assert_eq!(exchange.end, End::Aborted);
    assert_eq!(&exchange.response_body[..], b"data: 1\n\n");
}

#[tokio::test]
async fn a_client_that_stops_waiting_is_noticed() {
    let (arrived, mut arrival) = mpsc::unbounded_channel();
    let (guard, dropped) = drop_guard();
    let guard = Once::new(guard);
    let (_handle, url, wire) = serve(far(move |_| {
        let guard = guard.take();
        let arrived = arrived.clone();
        async move {
            let _held = guard;
            arrived.send(()).expect("the test waits");
            std::future::pending().await
        }
    }));
    let live = Live::new();
    let request = ::http::Request::post(&url).body(Bytes::from_static(b"{}")).expect("a request");
    tokio::select! {
        _ = live.send(request) => panic!("no response was sent"),
        _ = arrival.recv() => {}
    }
    assert!(dropped.await.is_err());
    let exchange = only(&wire);
    assert_eq!(exchange.end, End::Aborted);
    assert!(exchange.response.is_none());
}

#[tokio::test]
async fn closing_ends_what_is_open() {
    let (_sender, body, _dropped) = body_in_hand();
    let body = Once::new(body);
    let (handle, url, wire) = serve(bodies(move || body.take()));
    let live = Live::new();
    let mut body = live.send(get(&url)).await.expect("a response").into_body();
    handle.close().await;
    assert_eq!(only(&wire).end, End::Aborted);
    assert_eq!(body.chunk().await, Some(Err(TransportError::Closed)));
    let failure = network_failure(live.send(get(&url)).await);
    assert!(matches!(failure, TransportError::Connect(_)), "{failure:?}");
}

#[tokio::test]
async fn dropping_the_handle_ends_what_is_open() {
    let (_sender, body, dropped) = body_in_hand();
    let body = Once::new(body);
    let (handle, url, wire) = serve(bodies(move || body.take()));
    let live = Live::new();
    let mut body = live.send(get(&url)).await.expect("a response").into_body();
    drop(handle);
    assert!(dropped.await.is_err());
    assert_eq!(only(&wire).end, End::Aborted);
    assert_eq!(body.chunk().await, Some(Err(TransportError::Closed)));
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = asked.clone();
    let (_handle, url, _wire) = serve(far(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
        let response = ::http::Response::builder().status(307).header(LOCATION, "/elsewhere");
        std::future::ready(Ok(response.body(Body::whole("")).expect("a response")))
    }));
    let live = Live::new();
    let response = live.send(get(&url)).await.expect("a response");
    assert_eq!(response.status(), 307);
    assert_eq!(response.headers()[LOCATION], "/elsewhere");
    assert_eq!(response.headers()[CONTENT_LENGTH], "0");
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}
