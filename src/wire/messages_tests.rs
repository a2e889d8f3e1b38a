use std::sync::Mutex;

use http::{Method, StatusCode};
use serde_json::json;

use super::*;
use crate::wire::double::{Frame, Origin, Plan};
use crate::wire::{Double, HttpClient, Recorder, Wire};

/// Answers a POST with a stream of two events, the second half a second later, and
/// anything else with what is no message. Keeps what it was asked.
#[derive(Default)]
struct Server {
    asked: Mutex<Vec<Option<Value>>>,
}

impl Origin for Server {
    fn answer(&self, request: &Request<Bytes>) -> Plan {
        self.asked.lock().unwrap().push(body_json(request).map(Cow::into_owned));
        if request.method() != Method::POST {
            return Plan::media(StatusCode::OK, "text/html", "<p>");
        }
        let mut plan = Plan::media(StatusCode::OK, "text/event-stream", "");
        plan.frames = [
            Frame::Bytes(": hello\n\nid: 1\ndata:\n\ndata: {\"id\"".into()),
            Frame::Bytes(":1}\n\n".into()),
            Frame::Wait(Duration::from_millis(500)),
            Frame::Bytes("event: other\ndata: [2, {}]\n\ndata: {\"lost\"".into()),
        ]
        .into();
        plan
    }
}

/// Sends a request through a recorder and reads what comes; the log of it, and what
/// the server read.
async fn log(method: Method, body: &'static str) -> (Vec<Arc<MessageText>>, Option<Value>) {
    let (double, wire, server) = (Double::new(1), Wire::new(1), Arc::<Server>::default());
    double.add("server.test", server.clone());
    let recorder = Recorder::new(double, wire.clone());
    let request = Request::builder().method(method).uri("http://server.test/mcp");
    let response = recorder.send(request.body(body.into()).unwrap()).await.unwrap();
    let mut came = response.into_body();
    while came.chunk().await.is_some() {}
    let asked = server.asked.lock().unwrap().remove(0);
    (wire.texts(), asked)
}

#[tokio::test(start_paused = true)]
async fn each_text_is_logged_when_it_is_whole() {
    let (texts, asked) = log(Method::POST, r#"{"id":1,"method":"ping"}"#).await;
    let told: Vec<_> = texts
        .iter()
        .map(|text| (text.sender, text.at.as_millis(), text.carrier.clone(), text.messages()))
        .collect();
    let asks = json!({ "id": 1, "method": "ping" });
    assert_eq!(
        told,
        [
            (Sender::Client, 0, Carrier::Body, std::slice::from_ref(&asks)),
            (Sender::Server, 0, Carrier::Event(None), &[json!({ "id": 1 })][..]),
            (Sender::Server, 500, Carrier::Event(Some("other".into())), &[json!(2), json!({})]),
        ]
    );
    assert!(texts.iter().all(|text| text.exchange == Some(0)));
    assert_eq!(asked, Some(asks));
}

#[tokio::test(start_paused = true)]
async fn a_get_says_nothing_and_a_page_is_no_message() {
    let (texts, asked) = log(Method::GET, "").await;
    assert_eq!(asked, None);
    let [page] = &texts[..] else { panic!("{texts:?}") };
    assert_eq!((page.sender, &page.bytes[..]), (Sender::Server, &b"<p>"[..]));
    assert_eq!((page.json(), page.messages()), (Err(Unread::NotJson), &[][..]));
}

#[test]
fn what_was_changed_on_its_way_is_read_anew() {
    let logged = Bytes::from_static(b"1");
    let text =
        MessageText::new(Sender::Client, Duration::ZERO, logged.clone(), Carrier::Body, Some(0));
    let text = Arc::new(text);
    let read = |body: Bytes| {
        let mut request = Request::new(body);
        request.extensions_mut().insert(text.clone());
        body_json(&request).map(Cow::into_owned)
    };
    assert_eq!(read(logged.clone()), Some(json!(1)));
    assert_eq!(read(Bytes::from_static(b"2")), Some(json!(2)));
    assert_eq!(read(Bytes::from_static(b"{")), None);
}

#[test]
fn what_is_beyond_reading_is_told_from_what_is_no_json() {
    let unread = |text: String| {
        let bytes = Bytes::from(text);
        let text = MessageText::new(Sender::Server, Duration::ZERO, bytes, Carrier::Line, None);
        text.json().err()
    };
    assert_eq!(unread("{".to_owned()), Some(Unread::NotJson));
    assert_eq!(unread("[".repeat(1000)), Some(Unread::BeyondReading));
    assert_eq!(unread("1e999".to_owned()), Some(Unread::BeyondReading));
    assert_eq!(unread("1".to_owned()), None);
}
