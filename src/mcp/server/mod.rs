//! The scripted server: what the double plays at its MCP endpoint. The main
//! type is [`ScriptedServer`].
//!
//! The handshake, the session and the framing that a profile describes are
//! there already, and capabilities follow from what is registered. A request
//! is rejected only where the revision says that a server must.

mod action;
mod features;
mod scripted;
mod streams;

pub use action::{Action, Answered, StreamItem};
pub use features::{Call, Handler, Prompt, Resource, Tool};
pub use scripted::{Behaviour, ScriptedServer};

/// How an answer is framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// One JSON body.
    Json,
    /// An event stream.
    EventStream,
}
