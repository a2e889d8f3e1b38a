//! The actions that a handler of a script can return, and the items of a stream.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use rhai::{Array, Blob, Dynamic, FnPtr, ImmutableString, Map};
use serde_json::{Value, json};

use super::api::{Api, Evaluated, ScriptType, Text};
use super::types::what;
use super::value::to_json;
use crate::mcp::client::features::ClientFeature;
use crate::mcp::server::{Action, Framing, StreamItem};
use crate::wire::ServerEvent;

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

impl ScriptType for ScriptAction {
    const NAME: &'static str = "Action";
}

impl ScriptType for StreamItem {
    const NAME: &'static str = "StreamItem";
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

fn reply(result: &Dynamic, framing: Option<Framing>) -> Evaluated<ScriptAction> {
    Ok(ready(Action::Reply { result: json_value(result)?, framing }))
}

fn raw(status: i64, headers: &Map, body: &Dynamic) -> Evaluated<ScriptAction> {
    let status = u16::try_from(status)
        .ok()
        .and_then(|status| StatusCode::from_u16(status).ok())
        .ok_or_else(|| format!("an HTTP status is a number from 100 to 999, not {status}"))?;
    let headers = header_map(headers)?;
    Ok(ready(match body.read_lock::<Array>() {
        Some(items) => Action::Pieces { status, headers, items: stream_items(&items)? },
        None => Action::Raw { status, headers, body: bytes(body)? },
    }))
}

fn stream(items: &Array) -> Evaluated<ScriptAction> {
    Ok(ready(Action::Stream(stream_items(items)?)))
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

fn event(members: &Map) -> Evaluated<StreamItem> {
    let mut event = ServerEvent::default();
    for (name, value) in members {
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

fn notification(method: &str, params: &Dynamic) -> Evaluated<StreamItem> {
    let mut message = json!({ "jsonrpc": "2.0", "method": method });
    if !params.is_unit() {
        message["params"] = json_value(params)?;
    }
    Ok(StreamItem::Message(message))
}

/// Declares every action and every item of a stream.
pub(super) fn declare(api: &mut Api) {
    api.opaque::<ScriptAction>().opaque::<StreamItem>();
    api.functions(
        "actions",
        "What a handler can return instead of a plain value, which is its result.",
    )
    .doc(
        "Answers with exactly this result, framed as the profile says, or as \"json\" or \
         \"event-stream\".",
    )
    .function("reply(result: any) -> Action", |result| reply(&result, None))
    .function("reply(result: any, framing: string) -> Action", |(result, word): (Dynamic, Text)| {
        reply(&result, Some(framing(&word)?))
    })
    .doc("Answers that the tool failed, with a text.")
    .function("tool_error(text: string) -> Action", |text: Text| {
        let content = json!([{ "type": "text", "text": text.as_str() }]);
        let result = json!({ "content": content, "isError": true });
        ready(Action::Reply { result, framing: None })
    })
    .doc("Answers with a JSON-RPC error.")
    .function("error(code: integer, message: string) -> Action", |(code, message): (i64, Text)| {
        ready(Action::Error { code, message: message.into(), data: None })
    })
    .function(
        "error(code: integer, message: string, data: any) -> Action",
        |(code, message, data): (i64, Text, Dynamic)| -> Evaluated<ScriptAction> {
            let data = Some(json_value(&data)?);
            Ok(ready(Action::Error { code, message: message.into(), data }))
        },
    )
    .doc(
        "Answers with these bytes and nothing else; a map as the body is written as JSON, an \
         array of stream items piece by piece.",
    )
    .function(
        "raw(status: integer, headers: map, body: any) -> Action",
        |(status, headers, body)| raw(status, &headers, &body),
    )
    .doc("Answers with an event stream of these items.")
    .function("stream(items: array) -> Action", |items: Array| stream(&items))
    .doc("Does the same later, on the execution's own clock.")
    .function(
        "after(milliseconds: integer, action: any) -> Action",
        |(milliseconds, action): (i64, Dynamic)| -> Evaluated<ScriptAction> {
            Ok(ScriptAction::After(duration(milliseconds)?, action))
        },
    )
    .doc("Never answers, and leaves the connection open.")
    .function("silence() -> Action", |()| ready(Action::Silence))
    .doc("Drops the connection without an answer.")
    .function("drop_connection() -> Action", |()| ready(Action::Drop))
    .doc(
        "Sends the client a request first; `then` gets its answer and returns an action. A \
         client that did not declare what it is asked for is not asked: the answer is an \
         error then. A `message` on a stream is sent to whomever.",
    )
    .function(
        "ask(method: string, params: any, then: function) -> Action",
        |(method, params, then): (Text, Dynamic, FnPtr)| -> Evaluated<ScriptAction> {
            let params = if params.is_unit() { None } else { Some(json_value(&params)?) };
            Ok(ScriptAction::Ask { method: method.into(), params, then })
        },
    );
    api.functions(
        "stream items",
        "What an event stream is made of: `stream([event(…), pause(500), answer(…)])`.",
    )
    .doc(
        "One event with any of `id`, `event`, `data` and `retry`; data that is no string is \
         written as JSON.",
    )
    .function("event(members: map) -> StreamItem", |members: Map| event(&members))
    .doc("A JSON-RPC message as one event.")
    .function("message(message: any) -> StreamItem", |message: Dynamic| {
        json_value(&message).map(StreamItem::Message)
    })
    .doc("A notification as one event.")
    .function("notification(method: string) -> StreamItem", |method: Text| {
        notification(&method, &Dynamic::UNIT)
    })
    .function(
        "notification(method: string, params: any) -> StreamItem",
        |(method, params): (Text, Dynamic)| notification(&method, &params),
    )
    .doc("The answer to the request, with this result, as one event.")
    .function("answer(result: any) -> StreamItem", |result: Dynamic| {
        json_value(&result).map(StreamItem::Answer)
    })
    .doc("The answer to the request, with a JSON-RPC error, as one event.")
    .function(
        "answer_error(code: integer, message: string) -> StreamItem",
        |(code, message): (i64, Text)| StreamItem::AnswerError { code, message: message.into() },
    )
    .doc("A comment, which a client passes over.")
    .function("comment(text: string) -> StreamItem", |text: Text| StreamItem::Comment(text.into()))
    .doc("Bytes as they stand, in one piece: to split an event where it is not expected.")
    .function("chunk(content: any) -> StreamItem", |content: Dynamic| {
        bytes(&content).map(StreamItem::Chunk)
    })
    .doc("Nothing for so long.")
    .function("pause(milliseconds: integer) -> StreamItem", |milliseconds| {
        duration(milliseconds).map(StreamItem::Pause)
    })
    .doc(
        "Ends the response in order; what follows waits for a client that resumes the \
         stream.",
    )
    .function("disconnect() -> StreamItem", |()| StreamItem::Disconnect)
    .doc("Breaks the response off; what follows waits for a client that resumes the stream.")
    .function("break_off() -> StreamItem", |()| StreamItem::Break);
}
