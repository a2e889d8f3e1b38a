//! What crossed the wire, as a judge reads it: [`Observation`], with the
//! JSON-RPC messages ([`Message`]) found in its exchanges.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::{HeaderMap, Uri};
use serde_json::Value;

use super::value::AsJson;
use crate::wire::exchange::End;
use crate::wire::{Exchange, MessageText, Sender};

/// Everything that was observed in one execution.
#[derive(Debug)]
pub struct Observation {
    /// Every exchange, over all origins, in the order of the requests.
    pub exchanges: Vec<Exchange>,
    /// What the client sent as JSON-RPC to the MCP endpoint.
    pub sent: Vec<Arc<MessageData>>,
    /// What the server sent as JSON-RPC: read when it is first asked for, since
    /// most checks judge the client alone.
    received: OnceLock<Vec<Arc<MessageData>>>,
    /// The responses among them by [`id_key`]: places in `received`, in their order.
    responses: OnceLock<HashMap<String, Vec<usize>>>,
    texts: Vec<Arc<MessageText>>,
    endpoint: Uri,
    /// The exchange that a script looked at last.
    touched: AtomicUsize,
}

/// One JSON-RPC message: an object, and where it was found.
#[derive(Debug)]
pub struct MessageData {
    text: Arc<MessageText>,
    /// Its place among the messages of the text.
    place: usize,
}

/// A message as scripts hold it. A clone is another handle.
#[derive(Clone, Debug)]
pub struct Message {
    pub(super) observation: Arc<Observation>,
    pub(super) data: Arc<MessageData>,
}

/// An exchange as scripts hold it. A clone is another handle.
#[derive(Clone, Debug)]
pub struct SeenExchange {
    pub(super) observation: Arc<Observation>,
    pub(super) index: usize,
}

const UNTOUCHED: usize = usize::MAX;

impl Observation {
    /// What a log of messages and `exchanges` say; what went to `endpoint` is MCP's,
    /// the rest belongs to other origins.
    pub fn new(exchanges: Vec<Exchange>, texts: Vec<Arc<MessageText>>, endpoint: Uri) -> Self {
        let mut observation = Observation {
            sent: Vec::new(),
            received: OnceLock::new(),
            responses: OnceLock::new(),
            texts: Vec::new(),
            exchanges,
            endpoint,
            touched: AtomicUsize::new(UNTOUCHED),
        };
        let is_mcp = |text: &Arc<MessageText>| match text.exchange {
            Some(index) => {
                observation.exchanges.get(index).is_some_and(|one| observation.is_mcp(one))
            }
            None => true,
        };
        let mut texts: Vec<_> = texts.into_iter().filter(is_mcp).collect();
        texts.sort_by_key(|text| text.exchange);
        observation.sent = of_sender(&texts, Sender::Client).collect();
        observation.texts = texts;
        observation
    }

    /// What the server sent as JSON-RPC.
    pub fn received(&self) -> &[Arc<MessageData>] {
        self.received.get_or_init(|| of_sender(&self.texts, Sender::Server).collect())
    }

    /// The texts that stand where MCP's messages do, in the order of the exchanges
    /// that carried them.
    pub fn texts(&self) -> &[Arc<MessageText>] {
        &self.texts
    }

    /// The first response to a request of this id that came in the exchange which
    /// carried it, or in a later one.
    fn response_to(&self, id: &Value, exchange: Option<usize>) -> Option<&Arc<MessageData>> {
        let received = self.received();
        let responses = self.responses.get_or_init(|| {
            let mut responses: HashMap<String, Vec<usize>> = HashMap::new();
            for (place, message) in received.iter().enumerate() {
                if let (true, Some(id)) = (message.is_response(), message.json().get("id")) {
                    responses.entry(id_key(id)).or_default().push(place);
                }
            }
            responses
        });
        let places = |key: String| {
            let of_id = responses.get(&key)?;
            // Exchanges are in order, and so are the messages in them.
            let first = of_id.partition_point(|place| received[*place].exchange() < exchange);
            of_id.get(first).copied()
        };
        let exact = if id.is_f64() { None } else { places(id.to_string()) };
        let by_value = value_key(id).and_then(places);
        exact.into_iter().chain(by_value).min().map(|place| &received[place])
    }

    /// The messages that an exchange carried to the server.
    pub(super) fn sent_in(&self, exchange: usize) -> &[Arc<MessageData>] {
        let exchange = Some(exchange);
        let first = self.sent.partition_point(|data| data.exchange() < exchange);
        let end = self.sent.partition_point(|data| data.exchange() <= exchange);
        &self.sent[first..end]
    }

    /// Whether an exchange was with the MCP endpoint.
    pub fn is_mcp(&self, exchange: &Exchange) -> bool {
        exchange.uri.authority() == self.endpoint.authority()
            && exchange.uri.path() == self.endpoint.path()
    }

    /// Remembers that a script looked at an exchange, if there was one.
    pub fn touch(&self, index: Option<usize>) {
        if let Some(index) = index {
            self.touched.store(index, Ordering::Relaxed);
        }
    }

    /// The exchange that was looked at since the last call.
    pub fn take_touched(&self) -> Option<usize> {
        let index = self.touched.swap(UNTOUCHED, Ordering::Relaxed);
        (index != UNTOUCHED).then_some(index)
    }
}

impl MessageData {
    /// The message.
    pub fn json(&self) -> &Value {
        self.text.messages().get(self.place).unwrap_or(&Value::Null)
    }

    /// The index of the exchange that carried it, if it came over HTTP.
    pub fn exchange(&self) -> Option<usize> {
        self.text.exchange
    }

    /// When it was whole, since the execution began.
    pub fn at(&self) -> Duration {
        self.text.at
    }

    /// The method of a request or notification.
    pub fn method(&self) -> Option<&str> {
        self.json().get("method")?.as_str()
    }

    /// Whether it is a request: a method and an id.
    pub fn is_request(&self) -> bool {
        self.json().get("method").is_some() && self.json().get("id").is_some()
    }

    /// Whether it is a notification: a method and no id.
    pub fn is_notification(&self) -> bool {
        self.json().get("method").is_some() && self.json().get("id").is_none()
    }

    /// Whether it is a response: no method.
    pub fn is_response(&self) -> bool {
        self.json().get("method").is_none()
    }
}

impl Message {
    /// The exchange that carried the message, if it came over HTTP.
    pub fn exchange(&self) -> Option<SeenExchange> {
        let index = self.data.exchange()?;
        Some(SeenExchange { observation: self.observation.clone(), index })
    }

    /// What `read` makes of the exchange that carried it.
    pub(super) fn carried<T>(&self, read: impl FnOnce(&Exchange) -> Option<T>) -> Option<T> {
        self.exchange()?.get().and_then(read)
    }

    /// The server's response to this request.
    pub fn response(&self) -> Option<Message> {
        let id = self.data.json().get("id")?;
        let found = self.observation.response_to(id, self.data.exchange())?;
        Some(Message { observation: self.observation.clone(), data: found.clone() })
    }

    /// Whether the exchange that carried it has a status of success; without one
    /// nothing is refused.
    pub fn is_accepted(&self) -> bool {
        self.data.exchange().is_none() || self.status().is_some_and(|status| status.is_success())
    }

    /// Whether it was accepted, and answered with a result that is no tool's error.
    pub fn succeeded(&self) -> bool {
        self.is_accepted()
            && self.response().is_some_and(|response| {
                response.data.json().get("result").is_some_and(|result| {
                    result.get("isError").and_then(Value::as_bool) != Some(true)
                })
            })
    }

    /// What became of a request that did not succeed, in words.
    pub(super) fn fate(&self) -> String {
        match (self.status(), self.response()) {
            (None, _) if self.data.exchange().is_some() => "got no response".to_owned(),
            (Some(status), None) if !status.is_success() => {
                format!("was refused with {}", status.as_u16())
            }
            (_, None) => "was never answered".to_owned(),
            (_, Some(response)) => match response.data.json().get("error") {
                Some(error) => format!("was answered with the error {}", error["code"]),
                None => "was answered with a tool's error".to_owned(),
            },
        }
    }

    fn status(&self) -> Option<http::StatusCode> {
        let exchange = self.observation.exchanges.get(self.data.exchange()?)?;
        exchange.response.as_ref().map(|head| head.status)
    }

    pub(super) fn member(&self, name: &str) -> &Value {
        self.observation.touch(self.data.exchange());
        &self.data.json()[name]
    }
}

impl AsJson for Message {
    fn as_json(&self) -> Value {
        self.observation.touch(self.data.exchange());
        self.data.json().clone()
    }
}

impl SeenExchange {
    pub(super) fn get(&self) -> Option<&Exchange> {
        self.observation.touch(Some(self.index));
        self.observation.exchanges.get(self.index)
    }
}

/// The names under which a response with the id `came` is found, as
/// [`same_id`](crate::mcp::json_rpc::same_id) has it: as it
/// stands, or by its value if it is written as a fraction.
fn id_key(came: &Value) -> String {
    if came.is_f64() { value_key(came).unwrap_or_default() } else { came.to_string() }
}

fn value_key(id: &Value) -> Option<String> {
    // Both zeros are equal, and have two forms.
    id.as_f64().map(|number| format!("~{}", if number == 0.0 { 0.0 } else { number }))
}

/// The value of a header field, several joined by `, ` (RFC 9110, section 5.3).
pub fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    let values: Vec<_> = headers
        .get_all(name)
        .iter()
        .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        .collect();
    (!values.is_empty()).then(|| values.join(", "))
}

/// The JSON-RPC messages in the texts of one side.
fn of_sender(texts: &[Arc<MessageText>], sender: Sender) -> impl Iterator<Item = Arc<MessageData>> {
    texts.iter().filter(move |text| text.sender == sender).flat_map(messages)
}

/// The JSON-RPC messages in a text: one, or those of a batch.
fn messages(text: &Arc<MessageText>) -> impl Iterator<Item = Arc<MessageData>> {
    let items = text.messages().iter().enumerate();
    let objects = items.filter(|(_, item)| item.is_object()).map(|(place, _)| place);
    objects.map(|place| Arc::new(MessageData { text: text.clone(), place }))
}

/// Whether the client closed the exchange before its end.
pub fn aborted(exchange: &Exchange) -> bool {
    exchange.end == End::Aborted
}

#[cfg(test)]
mod tests;
