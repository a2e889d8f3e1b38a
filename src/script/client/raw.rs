//! Requests that a script sends by itself, past the client: `send_raw`, `get`
//! and `post`.

use std::sync::PoisonError;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue};
use rhai::{Array, Dynamic, Engine, Map};
use serde_json::Value;

use super::{Answer, Client, Evaluated};
use crate::mcp::client::{ClientError, ErrorKind};
use crate::script::action::bytes;
use crate::script::observation::header;
use crate::script::value::from_json;
use crate::wire::messages::is_event_stream;
use crate::wire::{self, Body, EventParser, READ_LIMIT, RequestHead, Response, TransportError};

/// How long a request that a script sends by itself is waited for: as long as
/// one leg of an operation.
const BOUND: Duration = Duration::from_secs(15);

/// How long an event stream that a script asked for by itself is read, unless
/// it ends before: such a stream may stay open for ever.
const STREAM_BOUND: Duration = Duration::from_secs(2);

/// The part of a browser says so itself, so that no library under it says
/// something else.
const ANYTHING: (HeaderName, HeaderValue) = (ACCEPT, HeaderValue::from_static("*/*"));

const FORM: (HeaderName, HeaderValue) =
    (CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));

impl Client {
    /// Sends what a conforming client would never send: `#{ method, url,
    /// headers, body }` over what the next POST would have. A header field of
    /// `()` is left out, and a list of values is a field for each. Returns
    /// `#{ status, headers, body, json, message }`, where `message` is the last
    /// JSON-RPC message, whatever carried it, or `#{ status: (), error }` if no
    /// response came.
    fn send_raw(&mut self, what: Map) -> Evaluated<Dynamic> {
        let body = what.get("body").map_or_else(|| Ok(Bytes::new()), bytes)?;
        let message = serde_json::from_slice(&body).unwrap_or_default();
        let mut headers = self.0.transport.headers(&message, &self.0.client.session());
        let mut invalid = Vec::new();
        let (mut method, mut url) = ("POST".to_owned(), self.0.endpoint.url.to_string());
        for (name, value) in &what {
            match name.as_str() {
                "method" => method = value.to_string(),
                "url" => url = value.to_string(),
                "body" => {}
                "headers" => {
                    let fields = value.read_lock::<Map>().ok_or("`headers` is a map")?;
                    invalid = set_fields(&mut headers, &fields);
                }
                other => {
                    let known = "method, url, headers and body";
                    return Err(format!("a raw request has {known}, not `{other}`").into());
                }
            }
        }
        let mut head = RequestHead::new(method, url, &headers);
        head.headers.extend(invalid);
        self.exchange(head, body)
    }

    fn get(&mut self, url: &str) -> Evaluated<Dynamic> {
        let headers = HeaderMap::from_iter([ANYTHING]);
        self.exchange(RequestHead::new("GET", url, &headers), Bytes::new())
    }

    fn post(&mut self, url: &str, form: Map) -> Evaluated<Dynamic> {
        let mut body = url::form_urlencoded::Serializer::new(String::new());
        for (name, value) in &form {
            body.append_pair(name, &value.to_string());
        }
        let headers = HeaderMap::from_iter([ANYTHING, FORM]);
        self.exchange(RequestHead::new("POST", url, &headers), body.finish().into())
    }

    fn exchange(&self, head: RequestHead, body: Bytes) -> Evaluated<Dynamic> {
        let request = match head.clone().into_request(body) {
            Ok(request) => request,
            Err(error) => return Ok(unanswered(failure(error))),
        };
        let sent = request.body().clone();
        self.0.raw.lock().unwrap_or_else(PoisonError::into_inner).push(sent);
        let bound = BOUND / self.0.options.scale.max(1);
        let response = self
            .0
            .blocking
            .wait(async { tokio::time::timeout(bound, self.0.http.send(request)).await })?;
        match response {
            Ok(Ok(response)) => self.read(response, head),
            Ok(Err(error)) => Ok(unanswered(failure(error.about(head)))),
            Err(_) => {
                let late = ClientError::new(ErrorKind::Timeout, "no response within 15 seconds");
                Ok(unanswered(Answer::from(Err(late.of(head))).error()))
            }
        }
    }

    fn read(&self, response: Response, request: RequestHead) -> Evaluated<Dynamic> {
        let (head, body) = response.into_parts();
        let bound = if is_event_stream(&head.headers) { STREAM_BOUND } else { BOUND };
        let bound = bound / self.0.options.scale.max(1);
        let mut content = Vec::new();
        let read = self
            .0
            .blocking
            .wait(async { tokio::time::timeout(bound, collect(body, &mut content)).await })?;
        let names = head.headers.keys().map(HeaderName::as_str);
        let headers: Map = names
            .filter_map(|name| Some((name.into(), header(&head.headers, name)?.into())))
            .collect();
        let json = serde_json::from_slice::<Value>(&content);
        let message = last_message(&head.headers, &content);
        let mut answer = Map::new();
        answer.insert("message".into(), message.map_or(Dynamic::UNIT, |last| from_json(&last)));
        answer.insert("status".into(), i64::from(head.status.as_u16()).into());
        answer.insert("headers".into(), headers.into());
        answer.insert("body".into(), String::from_utf8_lossy(&content).as_ref().into());
        answer.insert("json".into(), json.map_or(Dynamic::UNIT, |json| from_json(&json)));
        if let Ok(Err(broken)) = read {
            answer.insert("error".into(), failure(wire::ClientError::new(request, broken)));
        }
        Ok(answer.into())
    }
}

/// Reads a body, as far as it goes or a little beyond the limit.
async fn collect(mut body: Body, content: &mut Vec<u8>) -> Result<(), TransportError> {
    while let Some(chunk) = body.chunk().await {
        content.extend_from_slice(&chunk?);
        if content.len() > READ_LIMIT {
            break;
        }
    }
    Ok(())
}

/// The last JSON-RPC message in a body with these header fields, be it JSON or an
/// event stream.
fn last_message(headers: &HeaderMap, body: &[u8]) -> Option<Value> {
    let messages = |text: &[u8]| match serde_json::from_slice(text) {
        Ok(Value::Array(batch)) => batch,
        Ok(single) => vec![single],
        Err(_) => Vec::new(),
    };
    let mut events = Vec::new();
    let texts = if is_event_stream(headers) {
        // What is too large for one event ends the stream.
        let _ = EventParser::default().push(body, &mut events);
        events.iter().flat_map(|event| messages(event.data.as_bytes())).collect()
    } else {
        messages(body)
    };
    texts.into_iter().rfind(Value::is_object)
}

/// Puts the fields that a script says over `headers`; returns those that are no
/// header fields, as they were written.
fn set_fields(headers: &mut HeaderMap, fields: &Map) -> Vec<(String, Vec<u8>)> {
    let mut invalid = Vec::new();
    let (removed, set): (Vec<_>, Vec<_>) = fields.iter().partition(|(_, value)| value.is_unit());
    for (name, _) in removed {
        headers.remove(name.as_str());
    }
    for (name, value) in set {
        let values = match value.read_lock::<Array>() {
            Some(values) => values.iter().map(|value| value.to_string().into_bytes()).collect(),
            None => vec![value.to_string().into_bytes()],
        };
        let field = HeaderName::from_bytes(name.as_bytes());
        let parsed = values.iter().map(|value| HeaderValue::from_bytes(value));
        match (field, parsed.collect::<Result<Vec<_>, _>>()) {
            (Ok(field), Ok(values)) => {
                let mut values = values.into_iter();
                if let Some(first) = values.next() {
                    headers.insert(&field, first);
                }
                for value in values {
                    headers.append(&field, value);
                }
            }
            _ => invalid.extend(values.into_iter().map(|value| (name.to_string(), value))),
        }
    }
    invalid
}

/// Why no response came, or none that is whole, in the words of the wire: the
/// script wrote the request itself.
fn failure(error: wire::ClientError) -> Dynamic {
    let message = error.to_string();
    let error = ClientError { message, ..ClientError::from(error) };
    Answer::from(Err(error)).error()
}

fn unanswered(error: Dynamic) -> Dynamic {
    Map::from([("status".into(), Dynamic::UNIT), ("error".into(), error)]).into()
}

/// Registers what sends requests past the client.
pub(super) fn register(engine: &mut Engine) {
    engine
        .register_fn("send_raw", Client::send_raw)
        .register_fn("get", Client::get)
        .register_fn("post", Client::post);
}
