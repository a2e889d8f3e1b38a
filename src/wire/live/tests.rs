//! Tests of the live client against far sides that write bytes as they are.

use std::io::Write;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;
use crate::wire::body::{READ_LIMIT, ReadError, read_whole};

fn get(url: &str) -> Request {
    ::http::Request::get(url).body(Bytes::new()).expect("a request")
}

/// A far side that reads one request's head, writes `response` and closes;
/// returns its URL and what it read.
async fn far(response: Vec<u8>) -> (String, tokio::task::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let served = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            // Something that is no HTTP, such as TLS, comes without such an end.
            if stream.read_buf(&mut request).await.expect("readable") == 0
                || request.first() == Some(&0x16)
            {
                break;
            }
        }
        // The asking side may have gone away in the middle.
        let _ = stream.write_all(&response).await;
        String::from_utf8_lossy(&request).into_owned()
    });
    (url, served)
}

fn zip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("written");
    encoder.finish().expect("compressed")
}

fn zipped_response(body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// What comes of reading the whole of `response`.
async fn read(response: &[u8]) -> Result<Bytes, ReadError> {
    let (url, _served) = far(response.to_vec()).await;
    let response = Live::new().send(get(&url)).await.map_err(reason)?;
    read_whole(response.into_body(), READ_LIMIT).await
}

/// Why there was no response, without the request.
fn reason(error: ClientError) -> TransportError {
    match error {
        ClientError::Network { reason, .. } | ClientError::InvalidResponse { reason, .. } => reason,
        ClientError::InvalidRequest { .. } => panic!("{error:?} is about a valid request"),
    }
}

#[tokio::test]
async fn little_is_added_to_a_request() {
    let (url, served) = far(b"HTTP/1.1 204 No Content\r\n\r\n".to_vec()).await;
    let request = ::http::Request::get(format!("{url}/mcp"))
        .header("mcp-session-id", "s-1")
        .body(Bytes::new())
        .expect("a request");
    let response = Live::new().send(request).await.expect("a response");
    assert_eq!(response.status(), 204);
    let mut lines: Vec<String> = served.await.expect("served").lines().map(str::to_owned).collect();
    assert_eq!(lines.remove(0), "GET /mcp HTTP/1.1");
    lines.retain(|line| !line.is_empty());
    lines.sort();
    let host = format!("host: {}", url.trim_start_matches("http://"));
    let agent = concat!("user-agent: mcp-checks/", env!("CARGO_PKG_VERSION"));
    assert_eq!(
        lines,
        ["accept-encoding: gzip", "accept: */*", host.as_str(), "mcp-session-id: s-1", agent,]
    );
}

#[tokio::test]
async fn compressed_bodies_are_decoded() {
    let whole = read(&zipped_response(&zip(b"{\"a\":1}"))).await;
    assert_eq!(whole.as_deref(), Ok(&b"{\"a\":1}"[..]));
}

#[tokio::test]
async fn limits_count_decoded_bytes() {
    let small = zip(&vec![b' '; 3 * 1024 * 1024]);
    assert!(small.len() < 8 * 1024);
    assert_eq!(
        read(&zipped_response(&small)).await,
        Err(ReadError::TooLarge { limit: READ_LIMIT })
    );
}

#[tokio::test]
async fn what_is_not_http_says_nothing_of_the_far_side() {
    for response in [
        &b"SECRET nonsense\r\n\r\n"[..],
        b"HTTP/1.1 SECRET\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nSECRET\r\n",
        &zipped_response(b"SECRET, and not compressed at all"),
    ] {
        let about = String::from_utf8_lossy(response).into_owned();
        match read(response).await {
            Err(ReadError::Transport(TransportError::Protocol(text))) => {
                assert!(!text.contains("SECRET"), "{text}");
            }
            other => panic!("{about:?} gave {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_head_of_a_megabyte_is_refused() {
    let padding = "a".repeat(1024 * 1024);
    let head = format!("HTTP/1.1 200 OK\r\nx-padding: {padding}\r\ncontent-length: 0\r\n\r\n");
    let refused = Err(ReadError::Transport(TransportError::HeadTooLarge));
    assert_eq!(read(head.as_bytes()).await, refused);
}

#[tokio::test]
async fn a_connection_that_ends_too_early_is_told_apart() {
    let zipped = zip(b"{\"a\":1}");
    for response in [
        &b""[..],
        b"HTTP/1.1 200 OK\r\ncontent-len",
        b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n",
        &zipped_response(&zipped)[..zipped_response(&zipped).len() - 12],
    ] {
        assert_eq!(
            read(response).await,
            Err(ReadError::Transport(TransportError::Closed)),
            "{:?}",
            String::from_utf8_lossy(response)
        );
    }
}

#[tokio::test]
async fn a_refused_connection_says_where_and_what_to_do() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let url = format!("http://name:password@{address}/path?token=1");
    match Live::new().send(get(&url)).await.map_err(reason) {
        Err(TransportError::Connect(text)) => assert_eq!(
            text,
            format!(
                "{address} refuses connections; start the server there, or correct the URL's host \
                 and port"
            )
        ),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_host_that_is_not_known_is_named() {
    // No label may have 64 letters, so that no name server is asked.
    let host = format!("{}.invalid", "a".repeat(64));
    match Live::new().send(get(&format!("http://{host}/"))).await.map_err(reason) {
        Err(TransportError::Connect(text)) => {
            assert!(text.starts_with(&format!("the host `{host}` is not known")), "{text}");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn tls_that_fails_is_no_connection() {
    let (url, _served) = far(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()).await;
    match Live::new().send(get(&url.replace("http:", "https:"))).await.map_err(reason) {
        // Which of the two depends on whether the system has certificates.
        Err(TransportError::Connect(text)) => assert!(
            text.contains("the URL should begin with `http://`")
                || text.contains("ca-certificates"),
            "{text}"
        ),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_client_can_be_made_before_its_runtime() {
    let live = Live::new();
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let (url, _served) = far(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok".to_vec()).await;
        let response = live.send(get(&url)).await.expect("a response");
        assert_eq!(read_whole(response.into_body(), 8).await.as_deref(), Ok(&b"ok"[..]));
    });
}

/// Names that lead where a test says.
struct Names(std::collections::HashMap<&'static str, std::net::SocketAddr>);

impl Resolve for Names {
    fn resolve(&self, name: reqwest::dns::Name) -> reqwest::dns::Resolving {
        let found = self.0.get(name.as_str()).copied();
        Box::pin(async move {
            let found = found.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
            Ok(Box::new(std::iter::once(found)) as reqwest::dns::Addrs)
        })
    }
}

/// What comes of asking `metadata.test`, which leads to this machine, found from `host`.
async fn found_from(host: &str) -> Result<Bytes, TransportError> {
    let (url, _served) = far(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok".to_vec()).await;
    let here: std::net::SocketAddr = url.trim_start_matches("http://").parse().expect("it is one");
    let names = [
        ("metadata.test", here),
        ("mcp.test", ([203, 0, 113, 7], 0).into()),
        ("intranet.test", ([10, 1, 2, 3], 0).into()),
    ];
    let live = Live { names: Arc::new(Names(names.into())), ..Live::default() };
    let mut request = get(&format!("http://metadata.test:{}/", here.port()));
    request.extensions_mut().insert(FoundFrom(host.to_owned()));
    let response = live.send(request).await.map_err(reason)?;
    Ok(read_whole(response.into_body(), 8).await.expect("a body"))
}

#[tokio::test]
async fn a_name_that_was_found_outside_leads_nowhere_inside() {
    assert_eq!(found_from("mcp.test").await, Err(TransportError::Inside));
    // All names of an organization may lead inside of it.
    assert_eq!(found_from("intranet.test").await.as_deref(), Ok(&b"ok"[..]));
}
