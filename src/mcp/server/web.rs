//! What a handler's action comes to at an origin that is no MCP endpoint, such
//! as an authorization server: [`page`]. Nothing there belongs to a session, and
//! no stream is resumed.

use std::collections::VecDeque;

use http::StatusCode;
use serde_json::Value;

use super::Framing;
use super::action::{Action, StreamItem};
use super::answering::Answering;
use super::scripted::is_request;
use super::streams::{comment, event_stream, in_pieces, json_body, message_event};
use crate::mcp::Revision;
use crate::mcp::json_rpc::INTERNAL_ERROR;
use crate::wire::Request;
use crate::wire::double::{Frame, Head, Plan};
use crate::wire::event_stream::encode;
use crate::wire::messages::body_json;

/// What an origin that is no MCP endpoint cannot do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotForOrigins {
    /// Only a session has a client that can be asked.
    #[error(
        "an origin cannot answer with ask(…): it has no session with the client; have a handler of \
         the server ask, such as that of a tool"
    )]
    Ask,
    /// There is no request that it would answer.
    #[error(
        "answer(…) and answer_error(…) need a JSON-RPC request in the body, and this request has \
         none; send event(…) or message(…)"
    )]
    Answer,
    /// There is no client that resumes the stream.
    #[error(
        "what stands behind disconnect() or break_off() is never sent: an origin resumes no \
         streams; end the list there"
    )]
    Resumption,
}

/// What becomes of `request` by `action`, where `revision` is in force. A value
/// is a body of JSON.
///
/// # Errors
/// [`NotForOrigins`] if the action has no meaning here.
pub fn page(request: &Request, revision: Revision, action: Action) -> Result<Plan, NotForOrigins> {
    Ok(match action {
        Action::Reply { result, framing: Some(Framing::EventStream) } => {
            event_stream([Frame::Bytes(encode(&message_event(&result)))].into())
        }
        Action::Value(value) | Action::Reply { result: value, .. } => {
            json_body(StatusCode::OK, &value)
        }
        Action::Error { code, message, data } => {
            let (status, answering) = match answered(request, revision) {
                Some(answering) => {
                    (answering.error_status(code).unwrap_or(StatusCode::OK), answering)
                }
                // Nothing that the error could answer.
                None if code == INTERNAL_ERROR => {
                    (StatusCode::INTERNAL_SERVER_ERROR, Answering::nothing(revision))
                }
                None => (StatusCode::BAD_REQUEST, Answering::nothing(revision)),
            };
            json_body(status, &answering.error(code, &message, data.as_ref()))
        }
        Action::Raw { status, headers, body } => Plan::respond(status, headers, body),
        Action::Pieces { status, headers, items } => {
            in_pieces(status, headers, frames(request, revision, items)?)
        }
        Action::Stream(items) => event_stream(frames(request, revision, items)?),
        Action::After(time, action) => {
            let mut plan = page(request, revision, *action)?;
            plan.delay += time;
            plan
        }
        Action::Silence => Plan::without_response(Head::Silence),
        Action::Drop => Plan::without_response(Head::Drop),
        Action::Ask { .. } => return Err(NotForOrigins::Ask),
    })
}

/// The JSON-RPC request in the body, if there is one.
fn answered(request: &Request, revision: Revision) -> Option<Answering> {
    let message = body_json(request)?;
    is_request(&message).then(|| Answering::new(&message, revision))
}

fn frames(
    request: &Request,
    revision: Revision,
    items: Vec<StreamItem>,
) -> Result<VecDeque<Frame>, NotForOrigins> {
    let answering = || answered(request, revision).ok_or(NotForOrigins::Answer);
    let message = |message: &Value| Frame::Bytes(encode(&message_event(message)));
    let mut frames = VecDeque::new();
    let mut items = items.into_iter();
    while let Some(item) = items.next() {
        frames.push_back(match item {
            StreamItem::Event(event) => Frame::Bytes(encode(&event)),
            StreamItem::Comment(text) => Frame::Bytes(comment(&text)),
            StreamItem::Chunk(bytes) => Frame::Bytes(bytes),
            StreamItem::Pause(time) => Frame::Wait(time),
            StreamItem::Message(json) => message(&json),
            StreamItem::Answer(result) => message(&answering()?.result(result)),
            StreamItem::AnswerError { code, message: text } => {
                message(&answering()?.error(code, &text, None))
            }
            end @ (StreamItem::Disconnect | StreamItem::Break) => {
                if items.next().is_some() {
                    return Err(NotForOrigins::Resumption);
                }
                if matches!(end, StreamItem::Break) {
                    frames.push_back(Frame::Break);
                }
                break;
            }
        });
    }
    Ok(frames)
}
