//! What does not reach the double.

use super::*;

#[tokio::test]
async fn a_large_request_does_not_reach_the_double() {
    let (_handle, url, wire) = serve(bodies(|| Body::whole("")));
    let live = Live::new();
    let post = |length| {
        let body = Bytes::from(vec![b'x'; length]);
        ::http::Request::post(&url).body(body).expect("a request")
    };
    let response = live.send(post(REQUEST_LIMIT)).await.expect("a response");
    assert_eq!(response.status(), 200);
    assert_eq!(wire.exchanges().len(), 1);

    // Declared, and not: neither is read beyond the limit.
    let head =
        format!("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", REQUEST_LIMIT + 1);
    assert!(raw(&url, head.as_bytes()).await.starts_with("HTTP/1.1 413 "));
    let mut chunked = b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    chunked.extend_from_slice(format!("{:x}\r\n", REQUEST_LIMIT + 1).as_bytes());
    chunked.resize(chunked.len() + REQUEST_LIMIT + 1, b'x');
    let mut stream = connect(&url).await;
    stream.write_all(&chunked).await.expect("written");
    let mut status = [0; 13];
    stream.read_exact(&mut status).await.expect("a status line");
    assert_eq!(&status, b"HTTP/1.1 413 ");
    assert_eq!(wire.exchanges().len(), 1);
}

#[tokio::test]
async fn what_is_no_request_does_not_reach_the_double() {
    let (_handle, url, wire) = serve(bodies(|| Body::whole("")));
    assert!(raw(&url, b"nonsense\r\n\r\n").await.starts_with("HTTP/1.1 400 "));
    let tunnel = b"CONNECT a.test:443 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    assert!(raw(&url, tunnel).await.starts_with("HTTP/1.1 405 "));
    // A request that ends in the middle of its body.
    let half = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nab";
    let mut stream = connect(&url).await;
    stream.write_all(half).await.expect("written");
    stream.shutdown().await.expect("closed for writing");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("read to the end");
    assert!(wire.exchanges().is_empty());
    // A target that is a whole URI is still a request to the origin's name.
    let absolute = b"GET http://other.test/x HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    assert!(raw(&url, absolute).await.starts_with("HTTP/1.1 200 "));
    assert_eq!(only(&wire).uri, "http://server.test/x");
}
