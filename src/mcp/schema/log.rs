//! Every message of a log, held against the types of its revision: [`judge`].

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use http::{Method, StatusCode};
use serde_json::Value;

use super::{Answered, Invalid, Sender, has_batches, message};
use crate::mcp::{Revision, metadata, mirror};
use crate::wire::exchange::End;
use crate::wire::messages::{Carrier, Unread, media_type};
use crate::wire::{Exchange, MessageText, READ_LIMIT};

/// One message, or what stands where one has to be.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The index of the exchange that carried it, if it came over HTTP.
    pub exchange: Option<usize>,
    /// Who sent it.
    pub sender: Sender,
    /// The revision that it was held against.
    pub revision: Revision,
    /// What is wrong with it, if anything.
    pub invalid: Option<Invalid>,
}

/// Holds every message of `texts`, which all passed between one client and one
/// server and stand in the order of the exchanges that carried them, against its
/// revision: that of the request's
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
    texts: impl IntoIterator<Item = &'a Arc<MessageText>>,
    exchanges: &[Exchange],
    revision: Revision,
) -> Vec<Judged> {
    let text = |text: &'a Arc<MessageText>| {
        let exchange = text.exchange.and_then(|index| exchanges.get(index));
        let header = exchange.and_then(|exchange| {
            exchange.headers.get(mirror::PROTOCOL_VERSION)?.to_str().ok()?.parse().ok()
        });
        is_judged(text, exchange).then_some(Text { text, header })
    };
    let texts: Vec<Text<'_>> = texts.into_iter().filter_map(text).collect();
    let mut judging =
        Judging { requests: requests(&texts), chosen: vec![revision], judged: Vec::new() };
    for text in &texts {
        judging.text(text);
    }
    judging.judged
}

/// A text that is judged.
struct Text<'a> {
    text: &'a MessageText,
    /// The revision that the request's header field names.
    header: Option<Revision>,
}

/// Whether what a text says has to be a message, by what carried it.
fn is_judged(text: &MessageText, exchange: Option<&Exchange>) -> bool {
    let stands_for_one = match (&text.carrier, exchange) {
        (Carrier::Event(name), _) => name.as_deref().is_none_or(|name| name == "message"),
        (Carrier::Body, Some(exchange)) if text.sender == Sender::Server => {
            let Some(head) = &exchange.response else { return false };
            let says_so = |message: &Value| message.get("jsonrpc").is_some();
            exchange.method == Method::POST
                && exchange.end == End::Complete
                && media_type(&head.headers) == "application/json"
                && !text.bytes.trim_ascii().is_empty()
                // What is longer is read by no one.
                && text.bytes.len() <= READ_LIMIT
                && (head.status == StatusCode::OK || text.messages().iter().any(says_so))
        }
        (Carrier::Body | Carrier::Line, _) => true,
    };
    stands_for_one && text.json() != Err(Unread::BeyondReading)
}

/// Requests by who sent them and their ids as JSON; of each the exchanges that
/// carried one, in their order.
type Requests = HashMap<(Sender, String), Vec<(Option<usize>, Answered)>>;

fn requests(texts: &[Text<'_>]) -> Requests {
    let mut requests = Requests::new();
    for Text { text, .. } in texts {
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
    fn text(&mut self, text: &Text<'_>) {
        let revision = self.in_force(text);
        let mut add = |revision, invalid| {
            let (exchange, sender) = (text.text.exchange, text.text.sender);
            self.judged.push(Judged { exchange, sender, revision, invalid });
        };
        match text.text.json() {
            Err(_) => add(revision, Some(Invalid::no_message("JSON"))),
            Ok(Value::Array(_)) if !has_batches(revision) => {
                let expected = "a single message: this revision has no batches";
                add(revision, Some(Invalid::no_message(expected)));
            }
            Ok(Value::Array(batch)) if batch.is_empty() => {
                add(revision, Some(Invalid::no_message("a batch of at least one message")));
            }
            Ok(_) => {
                for message in text.text.messages() {
                    self.message(text, message);
                }
            }
        }
    }

    fn message(&mut self, text: &Text<'_>, json: &Value) {
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
        let invalid = message(&held, revision, text.text.sender, answered.as_ref()).err();
        let (exchange, sender) = (text.text.exchange, text.text.sender);
        self.judged.push(Judged { exchange, sender, revision, invalid });
    }

    /// The revision of an exchange: the one that its header field names, if a
    /// handshake chose it or none is needed; else the last that was chosen.
    fn in_force(&self, text: &Text<'_>) -> Revision {
        let named =
            text.header.filter(|named| !named.has_handshake() || self.chosen.contains(named));
        named.or(self.chosen.last().copied()).unwrap_or(Revision::ALL[0])
    }

    /// The request that a response answers: the one of that id in the same
    /// exchange, or the last before it.
    fn answered(&self, text: &Text<'_>, json: &Value) -> Option<Answered> {
        if json.get("method").is_some() {
            return None;
        }
        let of_id = self.requests.get(&(text.text.sender.other(), json.get("id")?.to_string()))?;
        // In the order of their exchanges.
        let after = of_id.partition_point(|(exchange, _)| *exchange <= text.text.exchange);
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
