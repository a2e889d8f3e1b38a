//! What crossed the wire, as a judge reads it: [`Observation`], with the
//! JSON-RPC messages ([`Message`]) found in its exchanges.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use http::{HeaderMap, Method, Uri};
use serde_json::Value;

use super::value::AsJson;
use crate::wire::Exchange;
use crate::wire::event_stream::EventParser;
use crate::wire::exchange::End;

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
    endpoint: Uri,
    /// The exchange that a script looked at last.
    touched: AtomicUsize,
}

/// One JSON-RPC message and where it was found.
#[derive(Debug)]
pub struct MessageData {
    /// The message.
    pub json: Value,
    /// The index of the exchange that carried it.
    pub exchange: usize,
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
    /// Reads the messages out of `exchanges`; those that went to `endpoint`
    /// are MCP's, the others belong to other origins.
    pub fn new(exchanges: Vec<Exchange>, endpoint: Uri) -> Self {
        let mut observation = Observation {
            sent: Vec::new(),
            received: OnceLock::new(),
            responses: OnceLock::new(),
            exchanges: Vec::new(),
            endpoint,
            touched: AtomicUsize::new(UNTOUCHED),
        };
        for exchange in &exchanges {
            if exchange.method == Method::POST && observation.is_mcp(exchange) {
                let keep = |json| Arc::new(MessageData { json, exchange: exchange.index });
                observation.sent.extend(messages_of(&exchange.body).into_iter().map(keep));
            }
        }
        observation.exchanges = exchanges;
        observation
    }

    /// What the server sent as JSON-RPC.
    pub fn received(&self) -> &[Arc<MessageData>] {
        self.received.get_or_init(|| {
            let of_mcp = self.exchanges.iter().filter(|exchange| self.is_mcp(exchange));
            of_mcp
                .flat_map(|exchange| {
                    let keep = |json| Arc::new(MessageData { json, exchange: exchange.index });
                    answered(exchange).into_iter().map(keep)
                })
                .collect()
        })
    }

    /// The first response to a request of this id that came in the exchange which
    /// carried it, or in a later one.
    fn response_to(&self, id: &Value, exchange: usize) -> Option<&Arc<MessageData>> {
        let received = self.received();
        let responses = self.responses.get_or_init(|| {
            let mut responses: HashMap<String, Vec<usize>> = HashMap::new();
            for (place, message) in received.iter().enumerate() {
                if let (true, Some(id)) = (message.is_response(), message.json.get("id")) {
                    responses.entry(id_key(id)).or_default().push(place);
                }
            }
            responses
        });
        let places = |key: String| {
            let of_id = responses.get(&key)?;
            // Exchanges are in order, and so are the messages in them.
            let first = of_id.partition_point(|place| received[*place].exchange < exchange);
            of_id.get(first).copied()
        };
        let exact = if id.is_f64() { None } else { places(id.to_string()) };
        let by_value = value_key(id).and_then(places);
        exact.into_iter().chain(by_value).min().map(|place| &received[place])
    }

    /// The messages that an exchange carried to the server.
    pub(super) fn sent_in(&self, exchange: usize) -> &[Arc<MessageData>] {
        let first = self.sent.partition_point(|data| data.exchange < exchange);
        let end = self.sent.partition_point(|data| data.exchange <= exchange);
        &self.sent[first..end]
    }

    /// Whether an exchange was with the MCP endpoint.
    pub fn is_mcp(&self, exchange: &Exchange) -> bool {
        exchange.uri.authority() == self.endpoint.authority()
            && exchange.uri.path() == self.endpoint.path()
    }

    /// Remembers that a script looked at an exchange.
    pub fn touch(&self, index: usize) {
        self.touched.store(index, Ordering::Relaxed);
    }

    /// The exchange that was looked at since the last call.
    pub fn take_touched(&self) -> Option<usize> {
        let index = self.touched.swap(UNTOUCHED, Ordering::Relaxed);
        (index != UNTOUCHED).then_some(index)
    }
}

impl MessageData {
    /// The method of a request or notification.
    pub fn method(&self) -> Option<&str> {
        self.json.get("method")?.as_str()
    }

    /// Whether it is a request: a method and an id.
    pub fn is_request(&self) -> bool {
        self.json.get("method").is_some() && self.json.get("id").is_some()
    }

    /// Whether it is a notification: a method and no id.
    pub fn is_notification(&self) -> bool {
        self.json.get("method").is_some() && self.json.get("id").is_none()
    }

    /// Whether it is a response: no method.
    pub fn is_response(&self) -> bool {
        self.json.get("method").is_none()
    }
}

impl Message {
    /// The exchange that carried the message.
    pub fn exchange(&self) -> SeenExchange {
        SeenExchange { observation: self.observation.clone(), index: self.data.exchange }
    }

    /// The server's response to this request.
    pub fn response(&self) -> Option<Message> {
        let id = self.data.json.get("id")?;
        let found = self.observation.response_to(id, self.data.exchange)?;
        Some(Message { observation: self.observation.clone(), data: found.clone() })
    }

    /// Whether the exchange that carried it has a status of success.
    pub fn is_accepted(&self) -> bool {
        self.status().is_some_and(|status| status.is_success())
    }

    /// Whether it was accepted, and answered with a result that is no tool's error.
    pub fn succeeded(&self) -> bool {
        self.is_accepted()
            && self.response().is_some_and(|response| {
                response.data.json.get("result").is_some_and(|result| {
                    result.get("isError").and_then(Value::as_bool) != Some(true)
                })
            })
    }

    /// What became of a request that did not succeed, in words.
    pub(super) fn fate(&self) -> String {
        match (self.status(), self.response()) {
            (None, _) => "got no response".to_owned(),
            (Some(status), None) if !status.is_success() => {
                format!("was refused with {}", status.as_u16())
            }
            (Some(_), None) => "was never answered".to_owned(),
            (Some(_), Some(response)) => match response.data.json.get("error") {
                Some(error) => format!("was answered with the error {}", error["code"]),
                None => "was answered with a tool's error".to_owned(),
            },
        }
    }

    fn status(&self) -> Option<http::StatusCode> {
        let exchange = self.observation.exchanges.get(self.data.exchange)?;
        exchange.response.as_ref().map(|head| head.status)
    }

    pub(super) fn member(&self, name: &str) -> &Value {
        self.observation.touch(self.data.exchange);
        &self.data.json[name]
    }
}

impl AsJson for Message {
    fn as_json(&self) -> Value {
        self.observation.touch(self.data.exchange);
        self.data.json.clone()
    }
}

impl SeenExchange {
    pub(super) fn get(&self) -> Option<&Exchange> {
        self.observation.touch(self.index);
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

/// Whether a body with these header fields is an event stream.
pub(super) fn is_event_stream(headers: &HeaderMap) -> bool {
    let media_type = header(headers, "content-type").unwrap_or_default();
    media_type.trim_start().to_ascii_lowercase().starts_with("text/event-stream")
}

/// The JSON-RPC messages in a body: one, or those of a batch.
fn messages_of(body: &[u8]) -> Vec<Value> {
    match serde_json::from_slice(body) {
        Ok(Value::Array(batch)) => batch.into_iter().filter(Value::is_object).collect(),
        Ok(message @ Value::Object(_)) => vec![message],
        _ => Vec::new(),
    }
}

/// The JSON-RPC messages in a response.
fn answered(exchange: &Exchange) -> Vec<Value> {
    let Some(head) = &exchange.response else { return Vec::new() };
    messages_in(&head.headers, &exchange.response_body)
}

/// The JSON-RPC messages in the body of a response with these header fields, be
/// it JSON or an event stream.
pub(super) fn messages_in(headers: &HeaderMap, body: &[u8]) -> Vec<Value> {
    if !is_event_stream(headers) {
        return messages_of(body);
    }
    let mut events = Vec::new();
    // What is too large for one event was refused by the client as well; the
    // events before it were read.
    let _ = EventParser::default().push(body, &mut events);
    events.iter().flat_map(|event| messages_of(event.data.as_bytes())).collect()
}

/// Whether the client closed the exchange before its end.
pub fn aborted(exchange: &Exchange) -> bool {
    exchange.end == End::Aborted
}
