//! Bodies that have another length than they declare, or no end.

use super::*;

#[tokio::test]
async fn a_body_in_pieces_with_a_length_is_read_to_its_end() {
    let (_handle, url, wire) = serve(far(|_| async {
        let body = Body::stream(stream::iter([chunk("ab"), chunk(""), chunk("cd")]));
        let response = ::http::Response::builder().header(CONTENT_LENGTH, "4").body(body);
        Ok(response.expect("a response"))
    }));
    let live = Live::new();
    let body = live.send(get(&url)).await.expect("a response").into_body();
    let body = read_whole(body, 64).await;
    assert_eq!(body.as_deref(), Ok(&b"abcd"[..]));
    assert_eq!(only(&wire).end, End::Complete);
}

#[tokio::test]
async fn a_body_shorter_than_its_declared_length_breaks_off() {
    for text in ["abc", ""] {
        let (_handle, url, _wire) = serve(far(move |_| async move {
            let response = ::http::Response::builder().header(CONTENT_LENGTH, "9");
            Ok(response.body(Body::whole(text)).expect("a response"))
        }));
        let live = Live::new();
        let body = live.send(get(&url)).await.expect("the head came").into_body();
        let read = read_whole(body, 64).await;
        assert_eq!(read, Err(TransportError::Closed.into()), "{text:?}");
    }
}

#[tokio::test]
async fn a_body_longer_than_its_declared_length_is_cut_there() {
    let (_handle, url, wire) = serve(far(|_| async {
        let response = ::http::Response::builder().header(CONTENT_LENGTH, "2");
        Ok(response.body(Body::whole("abcd")).expect("a response"))
    }));
    let live = Live::new();
    let body = live.send(get(&url)).await.expect("a response").into_body();
    assert_eq!(read_whole(body, 64).await.as_deref(), Ok(&b"ab"[..]));
    assert_eq!(&only(&wire).response_body[..], b"abcd");
}

#[tokio::test]
async fn head_tells_a_declared_length_and_sends_nothing() {
    let (_handle, url, wire) = serve(far(|_| async {
        let response = ::http::Response::builder().header(CONTENT_LENGTH, "9");
        Ok(response.body(Body::whole("")).expect("a response"))
    }));
    let answer = raw(&url, b"HEAD / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
    assert!(answer.contains("content-length: 9\r\n") && answer.ends_with("\r\n\r\n"), "{answer}");
    assert_eq!(only(&wire).end, End::Complete);
}

#[tokio::test]
async fn a_body_without_end_is_passed_on_as_fast_as_it_is_read() {
    let (_handle, url, wire) =
        serve(bodies(|| Body::stream(stream::repeat(Ok(Bytes::from_static(&[b'x'; 65536]))))));
    let live = Live::new();
    let mut body = live.send(get(&url)).await.expect("a response").into_body();
    assert!(matches!(body.next().await, Some(Ok(_))));
    assert_eq!(only(&wire).end, End::Open);
}
