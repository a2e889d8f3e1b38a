//! JSON-RPC 2.0 messages as the protocol uses them; the main type is
//! [`Message`].
//!
//! Only the envelope is checked here: what a result has to hold is for the one
//! that asked for it.

use serde_json::{Map, Value, json};

/// The code of an error response that refuses an unknown method.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The code of an error response that refuses the parameters.
pub const INVALID_PARAMS: i64 = -32602;
/// The code of an error response that blames the one that answers.
pub const INTERNAL_ERROR: i64 = -32603;
/// The code of an error response that refuses header fields which do not agree
/// with the body (2026-07-28, basic, "Error Codes").
pub const HEADER_MISMATCH: i64 = -32020;
/// The code of an error response that misses a capability of the client.
pub const MISSING_CLIENT_CAPABILITY: i64 = -32021;
/// The code of an error response that refuses the protocol version; its `data`
/// lists the ones that are `supported`.
pub const UNSUPPORTED_PROTOCOL_VERSION: i64 = -32022;

/// One message, read from the wire.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A method is called and a response awaited.
    Request(Request),
    /// Something is told, and nothing awaited.
    Notification(Notification),
    /// The answer to a request.
    Response(Response),
}

/// A method is called and a response awaited.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// A string or a number, unique in the session.
    pub id: Value,
    /// The method's name.
    pub method: String,
    /// The parameters; left out of the message if there are none.
    pub params: Option<Value>,
}

/// Something is told, and nothing awaited.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    /// The method's name.
    pub method: String,
    /// The parameters; left out of the message if there are none.
    pub params: Option<Value>,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The request's id; `null` if the response names none.
    pub id: Value,
    /// The result, or the error.
    pub outcome: Result<Value, ErrorObject>,
}

/// The `error` of a response (JSON-RPC 2.0, section 5.1).
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorObject {
    /// What kind of error it is.
    pub code: i64,
    /// A short sentence.
    pub message: String,
    /// More about it.
    pub data: Option<Value>,
}

/// Why bytes are not a message. The words are ours: nothing of the bytes is
/// repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidMessage {
    /// There is nothing.
    #[error("it is empty")]
    Empty,
    /// The bytes are not JSON in UTF-8, or its values are nested more deeply than
    /// they are read.
    #[error("it is not JSON, or nested too deeply")]
    NotJson,
    /// An array, where the revision has no batches.
    #[error("it is an array, and this revision has no batches")]
    Batch,
    /// An array without a message.
    #[error("it is a batch without a message")]
    EmptyBatch,
    /// Neither an object nor a batch.
    #[error("it is not an object")]
    NotAnObject,
    /// `jsonrpc` is not `"2.0"`.
    #[error("its member `jsonrpc` is not \"2.0\"")]
    Version,
    /// `method` is not a string.
    #[error("its member `method` is not a string")]
    Method,
    /// The id is neither a string nor a number.
    #[error("its member `id` is neither a string nor a number")]
    Id,
    /// A response with neither a result nor an error.
    #[error("it has neither a result nor an error")]
    NoOutcome,
    /// More messages came than are kept.
    #[error("more messages came than are kept")]
    TooMany,
    /// A response with both a result and an error.
    #[error("it has both a result and an error")]
    TwoOutcomes,
    /// An error without a whole number as code or without a message.
    #[error("its error lacks an integer `code` or a string `message`")]
    Error,
}

/// Whether an id that came is the one that was sent: a number by its value, for
/// JSON knows no difference between 2 and 2.0.
pub fn same_id(came: &Value, sent: &Value) -> bool {
    came == sent || came.is_f64() && came.as_f64() == sent.as_f64()
}

impl Message {
    /// Reads a body, or the data of one event: one message, or a batch where
    /// `batches` are allowed (2025-03-26 alone).
    ///
    /// # Errors
    /// [`InvalidMessage`] if any part of it is not a message.
    pub fn parse(text: &[u8], batches: bool) -> Result<Vec<Message>, InvalidMessage> {
        if text.trim_ascii().is_empty() {
            return Err(InvalidMessage::Empty);
        }
        match serde_json::from_slice(text).map_err(|_| InvalidMessage::NotJson)? {
            Value::Array(_) if !batches => Err(InvalidMessage::Batch),
            Value::Array(items) if items.is_empty() => Err(InvalidMessage::EmptyBatch),
            Value::Array(items) => items.into_iter().map(Message::from_value).collect(),
            single => Ok(vec![Message::from_value(single)?]),
        }
    }

    /// Reads one message.
    ///
    /// # Errors
    /// [`InvalidMessage`] if the envelope is not that of a message.
    pub fn from_value(value: Value) -> Result<Message, InvalidMessage> {
        let Value::Object(mut members) = value else { return Err(InvalidMessage::NotAnObject) };
        if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return Err(InvalidMessage::Version);
        }
        let id = members.remove("id");
        if !matches!(id, None | Some(Value::Null | Value::String(_) | Value::Number(_))) {
            return Err(InvalidMessage::Id);
        }
        if let Some(method) = members.remove("method") {
            let Value::String(method) = method else { return Err(InvalidMessage::Method) };
            let params = members.remove("params");
            return match id {
                None => Ok(Message::Notification(Notification { method, params })),
                Some(Value::Null) => Err(InvalidMessage::Id),
                Some(id) => Ok(Message::Request(Request { id, method, params })),
            };
        }
        let outcome = match (members.remove("result"), members.remove("error")) {
            (None, None) => return Err(InvalidMessage::NoOutcome),
            (Some(_), Some(_)) => return Err(InvalidMessage::TwoOutcomes),
            (Some(result), None) => Ok(result),
            (None, Some(error)) => Err(ErrorObject::from_value(error)?),
        };
        Ok(Message::Response(Response { id: id.unwrap_or(Value::Null), outcome }))
    }
}

impl ErrorObject {
    /// Reads the `error` of a response.
    ///
    /// # Errors
    /// [`InvalidMessage::Error`].
    pub fn from_value(value: Value) -> Result<ErrorObject, InvalidMessage> {
        let Value::Object(mut members) = value else { return Err(InvalidMessage::Error) };
        let code = members.get("code").and_then(Value::as_i64).ok_or(InvalidMessage::Error)?;
        let Some(Value::String(message)) = members.remove("message") else {
            return Err(InvalidMessage::Error);
        };
        Ok(ErrorObject { code, message, data: members.remove("data") })
    }
}

impl Request {
    /// The message as it is sent: `jsonrpc`, `id`, `method`, `params`.
    pub fn to_value(&self) -> Value {
        let mut members = Map::new();
        members.insert("jsonrpc".into(), "2.0".into());
        members.insert("id".into(), self.id.clone());
        members.insert("method".into(), self.method.clone().into());
        if let Some(params) = &self.params {
            members.insert("params".into(), params.clone());
        }
        Value::Object(members)
    }
}

impl Notification {
    /// The message as it is sent: `jsonrpc`, `method`, `params`.
    pub fn to_value(&self) -> Value {
        let mut members = Map::new();
        members.insert("jsonrpc".into(), "2.0".into());
        members.insert("method".into(), self.method.clone().into());
        if let Some(params) = &self.params {
            members.insert("params".into(), params.clone());
        }
        Value::Object(members)
    }
}

impl Response {
    /// The message as it is sent: `jsonrpc`, `id`, then `result` or `error`.
    pub fn to_value(&self) -> Value {
        match &self.outcome {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": self.id, "result": result }),
            Err(error) => {
                let mut members = Map::new();
                members.insert("code".into(), error.code.into());
                members.insert("message".into(), error.message.clone().into());
                if let Some(data) = &error.data {
                    members.insert("data".into(), data.clone());
                }
                json!({ "jsonrpc": "2.0", "id": self.id, "error": members })
            }
        }
    }
}
