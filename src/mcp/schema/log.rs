//! Every message in recorded exchanges, held against the types of its revision:
//! [`judge`].

use std::borrow::Cow;
use std::collections::HashMap;

use http::{HeaderMap, Method, StatusCode};
use serde_json::Value;

use super::{Answered, Invalid, Sender, has_batches, message};
use crate::mcp::{Revision, metadata, mirror};
use crate::wire::exchange::End;
use crate::wire::{EventParser, Exchange, READ_LIMIT};

/// One message, or what stands where one has to be.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The index of the exchange that carried it.
    pub exchange: usize,
    /// Who sent it.
    pub sender: Sender,
    /// The revision that it was held against.
    pub revision: Revision,
    /// What is wrong with it, if anything.
    pub invalid: Option<Invalid>,
}

/// Holds every message of `exchanges`, which are all with one MCP endpoint and
/// in the order of their requests, against its revision: that of the request's
/// `_meta`, of `initialize`, or of the header field if it names what a handshake
/// chose or needs none, whichever names a known one first; else what was chosen
/// last, or `revision`.
///
/// - The body of a POST is a message, or a batch where the revision has them.
/// - What answers a POST with 200 is one if it is JSON that is not empty, came
///   whole and is not too long to be read, and each event of a stream that has
///   data and no other name. With another status a body is a message only if it
///   says so by its member `jsonrpc`: servers may answer errors of HTTP as they
///   like. No message answers a DELETE, and a GET only as an event.
/// - An error with null for an id is held as one without: JSON-RPC 2.0 (section 5)
///   demands it where the id could not be read, and the schemas forbid it.
/// - JSON that nests deeper, or holds larger numbers, than can be read here is not
///   judged.
pub fn judge<'a>(
    exchanges: impl IntoIterator<Item = &'a Exchange>,
    revision: Revision,
) -> Vec<Judged> {
    let texts: Vec<Text> = exchanges.into_iter().flat_map(texts).collect();
    let mut judging =
        Judging { requests: requests(&texts), chosen: vec![revision], judged: Vec::new() };
    for text in &texts {
        judging.text(text);
    }
    judging.judged
}

/// What stands in one body, or in one event of it.
struct Text {
    exchange: usize,
    sender: Sender,
    /// The revision that the request's header field names.
    header: Option<Revision>,
    /// `None` if it is not JSON.
    json: Option<Value>,
}

impl Text {
    /// The messages in it, were batches allowed.
    fn messages(&self) -> &[Value] {
        match &self.json {
            None => &[],
            Some(Value::Array(batch)) => batch,
            Some(single) => std::slice::from_ref(single),
        }
    }
}

fn texts(exchange: &Exchange) -> Vec<Text> {
    let header = exchange.headers.get(mirror::PROTOCOL_VERSION);
    let header = header.and_then(|version| version.to_str().ok()?.parse().ok());
    let text = |sender, bytes: &[u8]| {
        let json = match serde_json::from_slice(bytes) {
            Ok(json) => Some(json),
            Err(error) if is_beyond_reading(&error) => return None,
            Err(_) => None,
        };
        Some(Text { exchange: exchange.index, sender, header, json })
    };
    let mut texts = Vec::new();
    if exchange.method == Method::POST {
        texts.extend(text(Sender::Client, &exchange.body));
    }
    let Some(head) = &exchange.response else { return texts };
    match media_type(&head.headers).as_str() {
        // What is longer is read by no one.
        "application/json"
            if exchange.method == Method::POST
                && exchange.end == End::Complete
                && exchange.response_body.len() <= READ_LIMIT
                && !exchange.response_body.trim_ascii().is_empty() =>
        {
            let body = text(Sender::Server, &exchange.response_body);
            let says_so = |message: &Value| message.get("jsonrpc").is_some();
            texts.extend(body.filter(|body| {
                head.status == StatusCode::OK || body.messages().iter().any(says_so)
            }));
        }
        "text/event-stream" => {
            let mut events = Vec::new();
            // What is too large for one event ends the stream for everyone; the
            // events before it were read.
            let _ = EventParser::default().push(&exchange.response_body, &mut events);
            let is_message = |name: &Option<String>| name.as_deref().is_none_or(|n| n == "message");
            let data = events.iter().filter(|event| is_message(&event.event));
            let data = data.filter(|event| !event.data.trim_ascii().is_empty());
            texts.extend(data.filter_map(|event| text(Sender::Server, event.data.as_bytes())));
        }
        _ => {}
    }
    texts
}

/// Whether what was read is JSON as far as it goes. The parser has no other sign
/// of it than its words.
fn is_beyond_reading(error: &serde_json::Error) -> bool {
    let words = error.to_string();
    ["recursion limit exceeded", "number out of range"].iter().any(|known| words.starts_with(known))
}

/// The media type of a body, in lower case and without parameters.
fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.and_then(|value| value.split(';').next()).unwrap_or_default().trim().to_ascii_lowercase()
}

/// Requests by who sent them and their ids as JSON; of each the exchanges that
/// carried one, in their order.
type Requests = HashMap<(Sender, String), Vec<(usize, Answered)>>;

fn requests(texts: &[Text]) -> Requests {
    let mut requests = Requests::new();
    for text in texts {
        for message in text.messages() {
            if let (Some(id), Some(request)) = (message.get("id"), Answered::of(message)) {
                let of_id = requests.entry((text.sender, id.to_string())).or_default();
                of_id.push((text.exchange, request));
            }
        }
    }
    requests
}

struct Judging {
    requests: Requests,
    /// What the handshakes chose, each once and the latest last, after what holds
    /// without one.
    chosen: Vec<Revision>,
    judged: Vec<Judged>,
}

impl Judging {
    fn text(&mut self, text: &Text) {
        let revision = self.in_force(text);
        let mut add = |revision, invalid| {
            let (exchange, sender) = (text.exchange, text.sender);
            self.judged.push(Judged { exchange, sender, revision, invalid });
        };
        match &text.json {
            None => add(revision, Some(Invalid::no_message("JSON"))),
            Some(Value::Array(_)) if !has_batches(revision) => {
                let expected = "a single message: this revision has no batches";
                add(revision, Some(Invalid::no_message(expected)));
            }
            Some(Value::Array(batch)) if batch.is_empty() => {
                add(revision, Some(Invalid::no_message("a batch of at least one message")));
            }
            Some(_) => {
                for message in text.messages() {
                    self.message(text, message);
                }
            }
        }
    }

    fn message(&mut self, text: &Text, json: &Value) {
        let answered = self.answered(text, json);
        let own = match &answered {
            Some(answered) if answered.method == "initialize" => known(&json["result"]),
            Some(_) => None,
            None => named_by(json),
        };
        let revision = own.unwrap_or_else(|| self.in_force(text));
        if let (Some(own), Some(_)) = (own, &answered) {
            self.chosen.retain(|chosen| *chosen != own);
            self.chosen.push(own);
        }
        let held = without_null_id(json);
        let invalid = message(&held, revision, text.sender, answered.as_ref()).err();
        let (exchange, sender) = (text.exchange, text.sender);
        self.judged.push(Judged { exchange, sender, revision, invalid });
    }

    /// The revision of an exchange: the one that its header field names, if a
    /// handshake chose it or none is needed; else the last that was chosen.
    fn in_force(&self, text: &Text) -> Revision {
        let named =
            text.header.filter(|named| !named.has_handshake() || self.chosen.contains(named));
        named.or(self.chosen.last().copied()).unwrap_or(Revision::ALL[0])
    }

    /// The request that a response answers: the one of that id in the same
    /// exchange, or the last before it.
    fn answered(&self, text: &Text, json: &Value) -> Option<Answered> {
        if json.get("method").is_some() {
            return None;
        }
        let of_id = self.requests.get(&(text.sender.other(), json.get("id")?.to_string()))?;
        // In the order of their exchanges.
        let after = of_id.partition_point(|(exchange, _)| *exchange <= text.exchange);
        of_id.get(after.saturating_sub(1)).map(|(_, request)| request.clone())
    }
}

/// An error with null for an id, as one without; anything else as it is.
fn without_null_id(json: &Value) -> Cow<'_, Value> {
    match json {
        Value::Object(members)
            if members.contains_key("error") && members.get("id") == Some(&Value::Null) =>
        {
            let mut members = members.clone();
            members.remove("id");
            Cow::Owned(Value::Object(members))
        }
        _ => Cow::Borrowed(json),
    }
}

/// The revision that a request names for itself, if it is a known one.
fn named_by(request: &Value) -> Option<Revision> {
    let params = request.get("params")?;
    let own = params.get("_meta").and_then(|meta| meta.get(metadata::PROTOCOL_VERSION)?.as_str());
    own.and_then(|version| version.parse().ok())
        .or_else(|| (request["method"] == "initialize").then(|| known(params)).flatten())
}

/// The `protocolVersion` of what takes part in a handshake, if it is a known
/// one.
fn known(value: &Value) -> Option<Revision> {
    value.get("protocolVersion")?.as_str()?.parse().ok()
}
