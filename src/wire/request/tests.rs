//! Tests of what is sent and what is not: the double and the live sender agree.

use std::sync::{Arc, Mutex};

use super::*;
use crate::wire::Recorder;
use crate::wire::double::{Double, Origin, Plan};
use crate::wire::exchange::Wire;
use crate::wire::http::ClientError;
use crate::wire::http::{HttpClient, TransportError};
use crate::wire::live::Live;
use crate::wire::loopback::{Loopback, LoopbackHandle};

const ORIGIN: &str = "http://server.test";

/// Keeps what arrives.
#[derive(Default)]
struct Keeper(Mutex<Vec<RequestHead>>);

impl Origin for Keeper {
    fn answer(&self, request: &Request) -> Plan {
        self.0.lock().unwrap().push(request.into());
        Plan::media(::http::StatusCode::OK, "text/plain", "taken")
    }
}

/// A double that keeps what arrives, and where it can be reached: in memory and
/// over a socket.
struct Rig {
    kept: Arc<Keeper>,
    wire: Wire,
    senders: [(Arc<dyn HttpClient>, String); 2],
    _served: LoopbackHandle,
}

fn rig() -> Rig {
    let (kept, wire) = (Arc::new(Keeper::default()), Wire::new(1));
    let double = Arc::new(Double::new(1));
    double.add("server.test", kept.clone());
    let recorded: Arc<dyn HttpClient> = Arc::new(Recorder::new(double, wire.clone()));
    let loopback = Loopback::bind(&[ORIGIN]).expect("a socket");
    let url = loopback.url(ORIGIN).expect("it is open");
    let served = loopback.serve(recorded.clone()).expect("a runtime");
    let senders = [(recorded, ORIGIN.to_owned()), (Arc::new(Live::new()) as _, url)];
    Rig { kept, wire, senders, _served: served }
}

impl Rig {
    fn kept(&self) -> Vec<RequestHead> {
        std::mem::take(&mut *self.kept.0.lock().unwrap())
    }
}

fn head(method: &str, url: &str, headers: &[(&str, &str)]) -> RequestHead {
    let headers = headers.iter();
    let headers = headers.map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec()));
    RequestHead { method: method.to_owned(), url: url.to_owned(), headers: headers.collect() }
}

/// What [`RequestHead::into_request`] would make of it if it looked at nothing
/// but types; `None` if there is no such request.
fn unchecked(head: &RequestHead, body: &'static str) -> Option<Request> {
    let mut request = ::http::Request::builder().method(head.method.as_str()).uri(&head.url);
    for (name, value) in &head.headers {
        request = request.header(name, value.as_slice());
    }
    request.body(body.into()).ok()
}

#[tokio::test]
async fn what_is_not_valid_is_sent_neither_in_memory_nor_over_a_socket() {
    let rig = rig();
    let value = |name: &str| InvalidRequest::HeaderValue(name.parse().unwrap());
    let length = InvalidRequest::ContentLength;
    let cases = [
        ("", "/a", &[][..], InvalidRequest::Method),
        ("BAD METHOD", "/a", &[], InvalidRequest::Method),
        ("GET\r\nX: 1", "/a", &[], InvalidRequest::Method),
        ("CONNECT", "/a", &[], InvalidRequest::Tunnel),
        ("POST", "/a", &[("x y", "1")], InvalidRequest::HeaderName),
        ("POST", "/a", &[("", "1")], InvalidRequest::HeaderName),
        ("POST", "/a", &[("x:", "1")], InvalidRequest::HeaderName),
        ("POST", "/a", &[("x\r\ny", "1")], InvalidRequest::HeaderName),
        ("POST", "/a", &[("x", "1"), ("X-Y", "a\r\nb: c")], value("x-y")),
        ("POST", "/a", &[("x", "a\nb")], value("x")),
        ("POST", "/a", &[("x", "a\0")], value("x")),
        ("POST", "/a", &[("content-length", "3")], length.clone()),
        ("POST", "/a", &[("content-length", "5")], length.clone()),
        ("POST", "/a", &[("content-length", "four")], length.clone()),
        ("POST", "/a", &[("content-length", "4"), ("content-length", "5")], length),
        ("POST", "/a", &[("transfer-encoding", "gzip")], InvalidRequest::TransferEncoding),
        (
            "POST",
            "/a",
            &[("transfer-encoding", "chunked"), ("content-length", "4")],
            InvalidRequest::TransferEncoding,
        ),
    ];
    for (sender, url) in &rig.senders {
        for (method, path, headers, reason) in &cases {
            let written = head(method, &format!("{url}{path}"), headers);
            let refused = written.clone().into_request("body".into()).unwrap_err();
            assert_eq!(
                refused,
                ClientError::InvalidRequest {
                    request: Box::new(written.clone()),
                    reason: reason.clone()
                }
            );
            // A sender finds the same, if there is such a request at all.
            if let Some(request) = unchecked(&written, "body") {
                match sender.send(request).await {
                    Err(ClientError::InvalidRequest { reason: found, request }) => {
                        assert_eq!(found, *reason, "{written:?}");
                        assert_eq!(request.method, *method);
                    }
                    other => panic!("{written:?} gave {other:?}"),
                }
            }
        }
    }
    assert_eq!(rig.kept(), []);
    assert!(rig.wire.exchanges().is_empty(), "what is never sent crosses no wire");
}

#[tokio::test]
async fn a_url_is_a_whole_one_of_the_web() {
    let rig = rig();
    for (url, reason) in [
        ("", InvalidRequest::Url),
        ("/mcp", InvalidRequest::Url),
        ("server.test/mcp", InvalidRequest::Url),
        ("//server.test/mcp", InvalidRequest::Url),
        ("http://", InvalidRequest::Url),
        ("http://:80/", InvalidRequest::Url),
        ("http://server.test:99999/", InvalidRequest::Url),
        ("http://1.2.3.4.5/", InvalidRequest::Url),
        ("http://[::g]/", InvalidRequest::Url),
        ("ftp://server.test/mcp", InvalidRequest::Scheme),
        ("file:///etc/hosts", InvalidRequest::Scheme),
        ("mailto:someone", InvalidRequest::Scheme),
        ("server.test:80/mcp", InvalidRequest::Scheme),
    ] {
        let written = head("GET", url, &[]);
        match written.clone().into_request(Bytes::new()) {
            Err(ClientError::InvalidRequest { reason: found, .. }) => {
                assert_eq!(found, reason, "{url}");
            }
            other => panic!("{url} gave {other:?}"),
        }
        for (sender, _) in &rig.senders {
            if let Some(request) = unchecked(&written, "") {
                let sent = sender.send(request).await;
                assert!(matches!(sent, Err(ClientError::InvalidRequest { .. })), "{url}: {sent:?}");
            }
        }
    }
    assert_eq!(rig.kept(), []);
}

/// A fragment and who asks are no part of what is sent; what else a browser
/// would write otherwise is written so in memory as well.
#[tokio::test]
async fn a_url_arrives_in_the_same_form_in_memory_and_over_a_socket() {
    let rig = rig();
    for (written, arrived) in [
        ("/a?b=c#d", "/a?b=c"),
        ("#d", "/"),
        ("", "/"),
        ("/a/./b/../c", "/a/c"),
        ("/a b/\u{e9}?q=\"x\"", "/a%20b/%C3%A9?q=%22x%22"),
        ("/%41%zz", "/%41%zz"),
    ] {
        for (sender, url) in &rig.senders {
            let request = head("GET", &format!("{url}{written}"), &[]).into_request(Bytes::new());
            sender.send(request.unwrap()).await.unwrap();
            let arrived = format!("{ORIGIN}{arrived}");
            assert_eq!(rig.kept()[0].url, arrived, "{written} to {url}");
        }
    }
    for (sender, url) in &rig.senders {
        let url = url.replace("http://", "HTTP://ada:lovelace@");
        let request = head("GET", &url, &[]).into_request(Bytes::new());
        sender.send(request.unwrap()).await.unwrap();
        let headers = rig.kept().remove(0).headers;
        assert!(headers.iter().all(|(name, _)| name != "authorization"), "{headers:?}");
    }
}

#[tokio::test]
async fn every_value_of_a_header_field_is_sent() {
    let rig = rig();
    let fields = [("x-one", "1"), ("mcp-method", "tools/list"), ("mcp-method", "tools/call")];
    for (sender, url) in &rig.senders {
        let request = head("POST", url, &fields).into_request("body".into()).unwrap();
        sender.send(request).await.unwrap();
        let mut arrived = rig.kept().remove(0).headers;
        arrived.retain(|(name, _)| name == "mcp-method" || name == "x-one");
        assert_eq!(arrived, head("POST", url, &fields).headers, "{url}");
    }
}

#[tokio::test]
async fn a_length_that_is_true_is_sent() {
    let rig = rig();
    for fields in [&[("content-length", "4")][..], &[("transfer-encoding", "Chunked")]] {
        for (sender, url) in &rig.senders {
            let request = head("POST", url, fields).into_request("body".into()).unwrap();
            sender.send(request).await.unwrap();
            assert_eq!(rig.kept().len(), 1, "{fields:?} to {url}");
        }
    }
}

#[tokio::test]
async fn a_failure_of_the_network_has_its_request() {
    let nowhere = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = nowhere.local_addr().unwrap();
    drop(nowhere);
    let rig = rig();
    for ((sender, _), url) in
        rig.senders.iter().zip(["http://nowhere.test/a".to_owned(), format!("http://{closed}/a")])
    {
        let written = head("PUT", &url, &[("x-token", "SECRET")]);
        let error =
            sender.send(written.clone().into_request(Bytes::new()).unwrap()).await.unwrap_err();
        assert!(matches!(&error, ClientError::Network { reason: TransportError::Connect(_), .. }));
        assert_eq!(*error.request(), written);
        assert!(!format!("{error} {error:?}").contains("SECRET"), "{error} {error:?}");
    }
}

#[test]
fn a_head_says_in_json_what_it_holds_and_in_debug_no_value() {
    let written = head(
        "GET",
        "https://ada:SECRET@server.test/SECRET?token=SECRET",
        &[("x", "SECRET"), ("x", "2"), ("Y z", "3")],
    );
    let shown = json!({
        "method": "GET",
        "url": "https://ada:SECRET@server.test/SECRET?token=SECRET",
        "headers": { "x": "SECRET, 2", "Y z": "3" },
    });
    assert_eq!(written.to_json(), shown);
    let debug = format!("{written:?}");
    assert!(debug.contains("server.test") && !debug.contains("SECRET"), "{debug}");
}
