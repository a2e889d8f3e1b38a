//! The actions that a handler of a script can return, and the items of a stream.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use rhai::{Array, Blob, Dynamic, Engine, EvalAltResult, FnPtr, ImmutableString, Map};
use serde_json::{Value, json};

use super::types::what;
use super::value::to_json;
use crate::mcp::client::features::ClientFeature;
use crate::mcp::server::{Action, Framing, StreamItem};
use crate::wire::ServerEvent;

type Evaluated<T> = Result<T, Box<EvalAltResult>>;

/// What a handler returned, while it still holds values and functions of the
/// script.
#[derive(Clone)]
pub enum ScriptAction {
    /// Nothing in it belongs to the script.
    Ready(Action),
    /// The same, later.
    After(Duration, Dynamic),
    /// A request to the client first.
    Ask {
        /// The request's method.
        method: String,
        /// The request's params.
        params: Option<Value>,
        /// Takes the client's answer and returns an action.
        then: FnPtr,
    },
}

/// What a plain value means that a handler returned.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// It is the result, or a web page's JSON.
    Result,
    /// The result of a tool: text, or JSON written as text.
    Tool,
    /// A prompt: the text of one user message.
    Prompt,
    /// A resource with this URI: its text, or one content.
    Resource(String),
    /// What a client answers a server: a text is a message, a list is roots.
    Feature(ClientFeature),
}

impl Meaning {
    /// The JSON-RPC result; a value that has the shape of one already is kept.
    pub(super) fn result(&self, value: Value) -> Value {
        match (self, value) {
            (Meaning::Result, value) => value,
            (Meaning::Tool, value) if value.get("content").is_some() => value,
            (Meaning::Tool, Value::Null) => json!({ "content": [] }),
            (Meaning::Tool, value) => {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                json!({ "content": [{ "type": "text", "text": text }] })
            }
            (Meaning::Prompt, Value::String(text)) => {
                let content = json!({ "type": "text", "text": text });
                json!({ "messages": [{ "role": "user", "content": content }] })
            }
            (Meaning::Prompt, value) => value,
            (Meaning::Resource(uri), Value::String(text)) => {
                json!({ "contents": [{ "uri": uri, "text": text }] })
            }
            (Meaning::Resource(_), value) if value.get("contents").is_some() => value,
            (Meaning::Resource(_), content) => json!({ "contents": [content] }),
            (Meaning::Feature(ClientFeature::Sampling), Value::String(text)) => {
                let content = json!({ "type": "text", "text": text });
                json!({ "role": "assistant", "content": content, "model": "scripted" })
            }
            (Meaning::Feature(ClientFeature::Roots), Value::Array(roots)) => {
                let root =
                    |root| if let Value::String(uri) = root { json!({ "uri": uri }) } else { root };
                json!({ "roots": roots.into_iter().map(root).collect::<Vec<_>>() })
            }
            (Meaning::Feature(_), value) => value,
        }
    }
}

/// The bytes of a string or a blob.
pub(super) fn bytes(value: &Dynamic) -> Evaluated<Bytes> {
    if let Some(text) = value.read_lock::<ImmutableString>() {
        return Ok(Bytes::copy_from_slice(text.as_bytes()));
    }
    if let Some(blob) = value.read_lock::<Blob>() {
        return Ok(Bytes::copy_from_slice(&blob));
    }
    if value.is_map() {
        return json_value(value).map(|json| Bytes::from(json.to_string()));
    }
    Err(format!("bytes are a string, a blob or a map (written as JSON), not {}", what(value))
        .into())
}

/// A value as JSON, or an error that says what it is instead.
pub(super) fn json_value(value: &Dynamic) -> Evaluated<Value> {
    to_json(value).map_err(|found| format!("a JSON value was expected, not {found}").into())
}

/// Header fields from a map; a list of values gives a field for each.
pub(super) fn header_map(map: &Map) -> Evaluated<HeaderMap> {
    let mut headers = HeaderMap::new();
    for (name, value) in map {
        let header_name = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| format!("`{name}` is not the name of a header field"))?;
        let values = match value.read_lock::<Array>() {
            Some(values) => values.to_vec(),
            None => vec![value.clone()],
        };
        for value in values {
            let value = HeaderValue::from_bytes(value.to_string().as_bytes()).map_err(|_| {
                format!("the value of the header field `{name}` holds a control character")
            })?;
            headers.append(header_name.clone(), value);
        }
    }
    Ok(headers)
}

/// A time in milliseconds, as a script says it.
pub(super) fn duration(milliseconds: i64) -> Evaluated<Duration> {
    u64::try_from(milliseconds)
        .map(Duration::from_millis)
        .map_err(|_| format!("a time in milliseconds is not negative: {milliseconds}").into())
}

fn framing(word: &str) -> Evaluated<Framing> {
    match word {
        "json" => Ok(Framing::Json),
        "event-stream" => Ok(Framing::EventStream),
        other => Err(format!("a framing is \"json\" or \"event-stream\", not \"{other}\"").into()),
    }
}

fn ready(action: Action) -> ScriptAction {
    ScriptAction::Ready(action)
}

fn raw(status: i64, headers: Map, body: Dynamic) -> Evaluated<ScriptAction> {
    let status = u16::try_from(status)
        .ok()
        .and_then(|status| StatusCode::from_u16(status).ok())
        .ok_or_else(|| format!("an HTTP status is a number from 100 to 999, not {status}"))?;
    let headers = header_map(&headers)?;
    Ok(ready(match body.read_lock::<Array>() {
        Some(items) => Action::Pieces { status, headers, items: stream_items(&items)? },
        None => Action::Raw { status, headers, body: bytes(&body)? },
    }))
}

fn stream(items: Array) -> Evaluated<ScriptAction> {
    Ok(ready(Action::Stream(stream_items(&items)?)))
}

fn stream_items(items: &[Dynamic]) -> Evaluated<Vec<StreamItem>> {
    let items = items.iter().map(|item| {
        if let Some(item) = item.read_lock::<StreamItem>() {
            return Ok(item.clone());
        }
        bytes(item).map(StreamItem::Chunk)
    });
    items.collect()
}

fn event(members: Map) -> Evaluated<StreamItem> {
    let mut event = ServerEvent::default();
    for (name, value) in &members {
        match name.as_str() {
            "id" => event.id = Some(value.to_string()),
            "event" => event.event = Some(value.to_string()),
            "retry" => event.retry = Some(duration(value.as_int()?)?),
            "data" => {
                event.has_data = true;
                event.data = match value.clone().into_string() {
                    Ok(text) => text,
                    Err(_) => json_value(value)?.to_string(),
                };
            }
            other => {
                return Err(format!("an event has id, event, data and retry, not `{other}`").into());
            }
        }
    }
    Ok(StreamItem::Event(event))
}

fn notification(method: &str, params: &Dynamic) -> Evaluated<Value> {
    let mut message = json!({ "jsonrpc": "2.0", "method": method });
    if !params.is_unit() {
        message["params"] = json_value(params)?;
    }
    Ok(message)
}

/// Registers every action and every item of a stream.
pub(super) fn register(engine: &mut Engine) {
    engine
        .register_type_with_name::<ScriptAction>("Action")
        .register_fn("reply", |result: Dynamic| -> Evaluated<ScriptAction> {
            Ok(ready(Action::Reply { result: json_value(&result)?, framing: None }))
        })
        .register_fn("reply", |result: Dynamic, word: &str| -> Evaluated<ScriptAction> {
            let framing = Some(framing(word)?);
            Ok(ready(Action::Reply { result: json_value(&result)?, framing }))
        })
        .register_fn("tool_error", |text: &str| {
            let content = json!([{ "type": "text", "text": text }]);
            let result = json!({ "content": content, "isError": true });
            ready(Action::Reply { result, framing: None })
        })
        .register_fn("error", |code: i64, message: &str| {
            ready(Action::Error { code, message: message.to_owned(), data: None })
        })
        .register_fn(
            "error",
            |code: i64, message: &str, data: Dynamic| -> Evaluated<ScriptAction> {
                let data = Some(json_value(&data)?);
                Ok(ready(Action::Error { code, message: message.to_owned(), data }))
            },
        )
        .register_fn("raw", raw)
        .register_fn("stream", stream)
        .register_fn("after", |milliseconds: i64, action: Dynamic| -> Evaluated<ScriptAction> {
            Ok(ScriptAction::After(duration(milliseconds)?, action))
        })
        .register_fn("silence", || ready(Action::Silence))
        .register_fn("drop_connection", || ready(Action::Drop))
        .register_fn(
            "ask",
            |method: &str, params: Dynamic, then: FnPtr| -> Evaluated<ScriptAction> {
                let params = if params.is_unit() { None } else { Some(json_value(&params)?) };
                Ok(ScriptAction::Ask { method: method.to_owned(), params, then })
            },
        );

    engine
        .register_type_with_name::<StreamItem>("StreamItem")
        .register_fn("event", event)
        .register_fn("comment", |text: &str| StreamItem::Comment(text.to_owned()))
        .register_fn("chunk", |content: Dynamic| -> Evaluated<StreamItem> {
            bytes(&content).map(StreamItem::Chunk)
        })
        .register_fn("pause", |milliseconds: i64| -> Evaluated<StreamItem> {
            duration(milliseconds).map(StreamItem::Pause)
        })
        .register_fn("disconnect", || StreamItem::Disconnect)
        .register_fn("break_off", || StreamItem::Break)
        .register_fn("message", |message: Dynamic| -> Evaluated<StreamItem> {
            json_value(&message).map(StreamItem::Message)
        })
        .register_fn("notification", |method: &str| -> Evaluated<StreamItem> {
            notification(method, &Dynamic::UNIT).map(StreamItem::Message)
        })
        .register_fn("notification", |method: &str, params: Dynamic| -> Evaluated<StreamItem> {
            notification(method, &params).map(StreamItem::Message)
        })
        .register_fn("answer", |result: Dynamic| -> Evaluated<StreamItem> {
            json_value(&result).map(StreamItem::Answer)
        })
        .register_fn("answer_error", |code: i64, message: &str| StreamItem::AnswerError {
            code,
            message: message.to_owned(),
        });
}
