//! How a connection begins and ends: [`Lifecycle`], chosen once by the revision
//! that is asked for.
//!
//! `handshake` is the one of every revision up to 2025-11-25. The one of
//! 2026-07-28, where each request carries its own state, will stand beside it
//! as `stateless`, and a value of this enum.

mod handshake;

use serde_json::Value;

use self::handshake::Handshake;
use super::Options;
use super::budget::Budget;
use super::channel::Channel;
use super::error::{ClientError, ErrorKind};
use super::transport::Session;

/// A connection that was opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    /// What every message carries from now on.
    pub session: Session,
    /// What the server said of itself: the result of `initialize`.
    pub introduction: Value,
}

/// How a connection begins and ends.
pub enum Lifecycle {
    /// `initialize`, its answer, `notifications/initialized`.
    Handshake(Handshake),
}

impl Lifecycle {
    /// The lifecycle of the revision that `options` ask for.
    ///
    /// # Errors
    /// [`ErrorKind::UnsupportedVersion`] if this client does not speak it.
    pub fn new(options: &Options) -> Result<Self, ClientError> {
        if options.revision.has_handshake() {
            return Ok(Lifecycle::Handshake(Handshake::new(options)));
        }
        let revision = options.revision;
        let message = format!("this client does not speak revision {revision}");
        Err(ClientError::new(ErrorKind::UnsupportedVersion, message)
            .with(|facts| facts.version = Some(revision.as_str().to_owned())))
    }

    /// Opens a connection.
    ///
    /// # Errors
    /// [`ClientError`] if it did not come to one; a session that was issued
    /// meanwhile is ended.
    pub async fn open(
        &self,
        channel: &Channel,
        budget: &mut Budget,
    ) -> Result<Connection, ClientError> {
        match self {
            Lifecycle::Handshake(handshake) => handshake.open(channel, budget).await,
        }
    }

    /// What a request carries when no connection was opened yet.
    pub fn opening(&self) -> Session {
        match self {
            Lifecycle::Handshake(handshake) => handshake.opening(),
        }
    }
}
