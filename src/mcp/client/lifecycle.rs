//! How a connection begins and ends: [`Lifecycle`], chosen once by the revision
//! that is asked for.
//!
//! `handshake` is the one of every revision up to 2025-11-25, `stateless` the
//! one from 2026-07-28 on, where each request carries its own state. `dual_era`
//! finds out which of the two a server needs.

mod dual_era;
mod handshake;
mod opening;
mod stateless;

use self::dual_era::DualEra;
pub use self::dual_era::Eras;
use self::handshake::Handshake;
pub use self::opening::Connection;
use self::stateless::Stateless;
use super::Options;
use super::budget::Budget;
use super::channel::Channel;
use super::error::ClientError;
use super::transport::Session;

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

    /// The lifecycle of whichever era `server` belongs to, by which `eras` knows it.
    pub fn dual_era(options: Options, eras: Eras, server: &str) -> Self {
        Lifecycle::DualEra(Box::new(DualEra::new(options, eras, server)))
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
