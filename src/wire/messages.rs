//! The log of messages: every text that stands where a JSON-RPC message does,
//! written down once, as it crosses ([`MessageText`]).
//!
//! The recorder of HTTP adds the body of each POST, the body of each response,
//! and each event of a stream. A transport without HTTP adds its lines.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Request, header};
use serde_json::Value;

/// Who sends a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sender {
    /// The client.
    Client,
    /// The server.
    Server,
}

impl Sender {
    /// Whom it sends to.
    pub fn other(self) -> Sender {
        match self {
            Sender::Client => Sender::Server,
            Sender::Server => Sender::Client,
        }
    }

    /// `client` or `server`.
    pub fn as_str(self) -> &'static str {
        match self {
            Sender::Client => "client",
            Sender::Server => "server",
        }
    }
}

/// What carries a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// The body of a request or of a response.
    Body,
    /// An event of a stream, by its name; `None` stands for `message`.
    Event(Option<String>),
    /// A line of a transport without HTTP.
    Line,
}

/// A text that stands where a message does. Nobody has looked yet whether it is
/// one: it is parsed when that is first asked, and never again.
#[derive(Debug)]
pub struct MessageText {
    /// Who sent it.
    pub sender: Sender,
    /// When it was whole, since the execution began.
    pub at: Duration,
    /// Its bytes, as they were sent; of an event its data.
    pub bytes: Bytes,
    /// What carried it.
    pub carrier: Carrier,
    /// The index of the exchange that carried it, if it came over HTTP.
    pub exchange: Option<usize>,
    json: OnceLock<Result<Value, Unread>>,
}

/// Why a text was not read as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It is no JSON.
    NotJson,
    /// It nests deeper, or has larger numbers, than can be read here.
    BeyondReading,
}

impl MessageText {
    /// A text that was not looked at yet.
    pub fn new(
        sender: Sender,
        at: Duration,
        bytes: Bytes,
        carrier: Carrier,
        exchange: Option<usize>,
    ) -> Self {
        MessageText { sender, at, bytes, carrier, exchange, json: OnceLock::new() }
    }

    /// What it says.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn json(&self) -> Result<&Value, Unread> {
        let read = || serde_json::from_slice(&self.bytes).map_err(|error| Unread::from(&error));
        self.json.get_or_init(read).as_ref().map_err(|unread| *unread)
    }

    /// The messages in it, were batches allowed: the items of an array, or the one
    /// value that it is. They need not be objects.
    pub fn messages(&self) -> &[Value] {
        match self.json() {
            Err(_) => &[],
            Ok(Value::Array(batch)) => batch,
            Ok(single) => std::slice::from_ref(single),
        }
    }
}

impl From<&serde_json::Error> for Unread {
    /// The parser has no other sign of what is JSON as far as it was read than its
    /// words.
    fn from(error: &serde_json::Error) -> Self {
        let words = error.to_string();
        let beyond = ["recursion limit exceeded", "number out of range"];
        match beyond.iter().any(|known| words.starts_with(known)) {
            true => Unread::BeyondReading,
            false => Unread::NotJson,
        }
    }
}

/// What the body of a request says; `None` if it is no JSON. A body that was
/// recorded on its way is not parsed again.
pub fn body_json(request: &Request<Bytes>) -> Option<Cow<'_, Value>> {
    let body = request.body();
    let recorded = request.extensions().get::<Arc<MessageText>>();
    // Whatever stands between the recorder and here may have put another in its place.
    match recorded.filter(|text| text.bytes.as_ptr() == body.as_ptr() && text.bytes == *body) {
        Some(text) => text.json().ok().map(Cow::Borrowed),
        None => serde_json::from_slice(body).ok().map(Cow::Owned),
    }
}

/// The media type of a body, in lower case and without parameters; empty if none is
/// said.
pub fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.and_then(|value| value.split(';').next()).unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether a body with these header fields is an event stream.
pub fn is_event_stream(headers: &HeaderMap) -> bool {
    media_type(headers) == "text/event-stream"
}

#[cfg(test)]
#[path = "messages_tests.rs"]
mod tests;
