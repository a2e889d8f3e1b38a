//! The scripted server: what the double plays at its MCP endpoint. The main
//! type is [`ScriptedServer`].
//!
//! The handshake, the session and the framing that a profile describes are
//! there already, and capabilities follow from what is registered. A request
//! is rejected only where the revision says that a server must.

mod acting;
mod action;
mod answering;
mod asking;
mod declaring;
mod endpoint;
mod features;
mod scripted;
mod stateless;
mod streams;
mod subscription;
mod web;

pub use action::{Action, Answered, StreamItem};
pub use features::{Call, Handler, Prompt, Resource, Tool};
pub use scripted::{Behaviour, ScriptedServer};
pub use web::{NotForOrigins, page};

use std::fmt;

use serde::Deserialize;

/// How a server frames its answers to a POST.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Framing {
    /// One JSON body.
    #[default]
    Json,
    /// An event stream.
    EventStream,
}

impl Framing {
    /// The word of profiles and scripts: `json`, `event-stream`.
    pub fn as_str(self) -> &'static str {
        match self {
            Framing::Json => "json",
            Framing::EventStream => "event-stream",
        }
    }
}

impl fmt::Display for Framing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}
