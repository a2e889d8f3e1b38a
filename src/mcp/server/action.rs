//! What a handler may do with a request: an [`Action`].

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use serde_json::Value;

use super::Framing;
use crate::wire::event_stream::ServerEvent;

/// Decides what follows the client's answer (a whole JSON-RPC response) to a
/// request of the server.
pub type Answered = Arc<dyn Fn(&Value) -> Action + Send + Sync>;

/// What a handler does with a request.
#[derive(Clone)]
pub enum Action {
    /// A plain value; what registered the handler says how it becomes a result.
    Value(Value),
    /// This is the `result`, framed as the profile says unless stated here.
    Reply {
        /// The JSON-RPC `result`.
        result: Value,
        /// The framing of this one reply.
        framing: Option<Framing>,
    },
    /// A JSON-RPC error.
    Error {
        /// The error's `code`.
        code: i64,
        /// The error's `message`.
        message: String,
        /// The error's `data`.
        data: Option<Value>,
    },
    /// These bytes and nothing else.
    Raw {
        /// The status code.
        status: StatusCode,
        /// The header fields.
        headers: HeaderMap,
        /// The body.
        body: Bytes,
    },
    /// This head, and the body item by item.
    Pieces {
        /// The status code.
        status: StatusCode,
        /// The header fields.
        headers: HeaderMap,
        /// The items that the body is made of.
        items: Vec<StreamItem>,
    },
    /// An event stream, item by item.
    Stream(Vec<StreamItem>),
    /// The same, later.
    After(Duration, Box<Action>),
    /// No answer ever comes.
    Silence,
    /// The connection is dropped.
    Drop,
    /// A request to the client first; its answer decides.
    Ask {
        /// The request's method.
        method: String,
        /// The request's params.
        params: Option<Value>,
        /// What follows the answer.
        then: Answered,
    },
}

/// One item of an event stream.
#[derive(Clone, Debug)]
pub enum StreamItem {
    /// One event, as it is.
    Event(ServerEvent),
    /// A comment line.
    Comment(String),
    /// Bytes as they stand, as one chunk.
    Chunk(Bytes),
    /// Nothing for this long.
    Pause(Duration),
    /// The server ends the response; what follows waits for a GET that resumes
    /// the stream.
    Disconnect,
    /// The connection is dropped in the middle; what follows waits likewise.
    Break,
    /// A JSON-RPC message as one event.
    Message(Value),
    /// The answer to the request, with this result.
    Answer(Value),
    /// The answer to the request, with this error.
    AnswerError {
        /// The error's `code`.
        code: i64,
        /// The error's `message`.
        message: String,
    },
}
