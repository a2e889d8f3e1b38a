use bytes::Bytes;
use serde_json::json;

use super::*;
use crate::wire::messages::Carrier;

/// What lines without HTTP say, each at the next millisecond.
fn observation(lines: &[(Sender, Value)]) -> Arc<Observation> {
    let text = |(place, (sender, json)): (usize, &(Sender, Value))| {
        let (at, bytes) = (Duration::from_millis(place as u64), Bytes::from(json.to_string()));
        Arc::new(MessageText::new(*sender, at, bytes, Carrier::Line, None))
    };
    let texts = lines.iter().enumerate().map(text).collect();
    Arc::new(Observation::new(Vec::new(), texts, Uri::from_static("http://server.test/mcp")))
}

fn sent(observation: &Arc<Observation>) -> Vec<Message> {
    let message =
        |data: &Arc<MessageData>| Message { observation: observation.clone(), data: data.clone() };
    observation.sent.iter().map(message).collect()
}

#[test]
fn messages_without_http_have_everything_but_exchanges() {
    let call = |id: i64| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call" });
    let observation = observation(&[
        (Sender::Client, call(1)),
        (Sender::Client, json!([call(2), call(3), "no message"])),
        (Sender::Server, json!({ "jsonrpc": "2.0", "method": "notifications/message" })),
        (Sender::Server, json!({ "jsonrpc": "2.0", "id": 2, "result": {} })),
        (Sender::Server, json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -32602 } })),
    ]);
    let sent = sent(&observation);
    let told: Vec<_> = sent
        .iter()
        .map(|one| {
            let answered = one.response().map(|response| response.data.at().as_millis());
            (one.data.at().as_millis(), answered, one.is_accepted(), one.succeeded())
        })
        .collect();
    assert_eq!(told, [(0, Some(4), true, false), (1, Some(3), true, true), (1, None, true, false)]);
    assert_eq!(sent[0].fate(), "was answered with the error -32602");
    assert_eq!(sent[2].fate(), "was never answered");
    assert_eq!(observation.received().len(), 3);
    assert!(sent.iter().all(|one| one.exchange().is_none()));
    assert_eq!(observation.take_touched(), None);
}
