//! How a connection begins and ends: [`Lifecycle`], chosen once by the revision
//! that is asked for.
//!
//! `handshake` is the one of every revision up to 2025-11-25, `stateless` the
//! one from 2026-07-28 on, where each request carries its own state. `dual_era`
//! finds out which of the two a server needs.

mod dual_era;
mod handshake;
mod stateless;

use serde_json::Value;

use self::dual_era::DualEra;
pub use self::dual_era::Eras;
use self::handshake::Handshake;
use self::stateless::Stateless;
use super::Options;
use super::budget::Budget;
use super::channel::Channel;
use super::error::ClientError;
use super::transport::Session;

/// A connection that was opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    /// What every message carries from now on.
    pub session: Session,
    /// What the server said of itself: the result of `initialize` or
    /// `server/discover`; null if it knows neither.
    pub introduction: Value,
}

impl Connection {
    /// Whether the server declared the capability at a JSON pointer into its
    /// capabilities; one that said nothing of itself may have any.
    pub fn declares(&self, capability: &str) -> bool {
        if self.introduction.is_null() {
            return true;
        }
        let declared = self.introduction["capabilities"].pointer(capability);
        declared.is_some_and(|declared| !matches!(declared, Value::Null | Value::Bool(false)))
    }
}

/// How a connection begins and ends.
pub enum Lifecycle {
    /// `initialize`, its answer, `notifications/initialized`.
    Handshake(Handshake),
    /// `server/discover`; each request carries its own state.
    Stateless(Stateless),
    /// Whichever of the two the server belongs to.
    DualEra(Box<DualEra>),
}

impl Lifecycle {
    /// The lifecycle of the revision that `options` ask for.
    pub fn new(options: &Options) -> Self {
        if options.revision.has_handshake() {
            Lifecycle::Handshake(Handshake::new(options))
        } else {
            Lifecycle::Stateless(Stateless::new(options))
        }
    }

    /// The lifecycle of whichever era the server belongs to.
    pub fn dual_era(options: Options, eras: Eras) -> Self {
        Lifecycle::DualEra(Box::new(DualEra::new(options, eras)))
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
            Lifecycle::Stateless(stateless) => stateless.open(channel, budget).await,
            Lifecycle::DualEra(dual_era) => dual_era.open(channel, budget).await,
        }
    }

    /// What a request carries when no connection was opened yet.
    pub fn opening(&self) -> Session {
        match self {
            Lifecycle::Handshake(handshake) => handshake.opening(),
            Lifecycle::Stateless(stateless) => stateless.opening(),
            Lifecycle::DualEra(dual_era) => dual_era.opening(),
        }
    }
}
