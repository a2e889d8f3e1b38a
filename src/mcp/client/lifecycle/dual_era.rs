//! A client of both eras: [`DualEra`] finds out which one a server belongs to
//! (2026-07-28, basic/versioning, "Backward Compatibility with
//! Initialization-Based Versions"; basic/transports/streamable-http, "Backward
//! Compatibility").

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::json;

use super::handshake::Handshake;
use super::opening::Connection;
use super::stateless::Stateless;
use crate::mcp::Revision;
use crate::mcp::client::Options;
use crate::mcp::client::budget::Budget;
use crate::mcp::client::channel::Channel;
use crate::mcp::client::error::{ClientError, ErrorKind};
use crate::mcp::client::transport::Session;
use crate::mcp::json_rpc::{
    HEADER_MISMATCH, METHOD_NOT_FOUND, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_PROTOCOL_VERSION,
};
use crate::mcp::negotiation::{Offer, negotiate};

/// Which era each server belongs to, as far as a connection or the server's own
/// words showed it. A clone is another handle.
#[derive(Clone, Debug, Default)]
pub struct Eras(Arc<Mutex<BTreeMap<String, Era>>>);

/// The era of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Era {
    /// It opens with a handshake of this revision at most.
    Legacy(Revision),
    /// Each request carries its own state.
    Modern,
}

/// What an error shows of the server that it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// It is modern, and refuses the request all the same.
    Modern,
    /// It is modern, and does not know the method.
    ModernWithoutMethod,
    /// It does not know what it was asked, or speaks older versions alone.
    Legacy(Revision),
    /// It had no time for the request, as either may: legacy by the letter, but
    /// that is nothing to keep.
    Busy(Revision),
}

/// The statuses of 4xx that ask for another attempt of the same request (RFC
/// 9110, section 15.5.9; RFC 8470, section 5.2; RFC 6585, section 4).
const BUSY: [u16; 3] = [408, 425, 429];

impl Eras {
    /// Whether the server of this name ([`Transport::server`]) was seen to be of
    /// the era without a handshake.
    ///
    /// [`Transport::server`]: crate::mcp::client::Transport::server
    pub fn is_modern(&self, server: &str) -> bool {
        self.lock().get(server) == Some(&Era::Modern)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Era>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks in the modern way first, and falls back to the handshake.
pub struct DualEra {
    options: Options,
    modern: Stateless,
    eras: Eras,
    server: String,
}

impl DualEra {
    /// The lifecycle that `options` describe; what is found out of `server` goes to
    /// `eras`.
    pub fn new(options: Options, eras: Eras, server: &str) -> Self {
        let modern = options.policy_where(|revision| !revision.has_handshake());
        let preferred = modern.versions.first().and_then(|version| version.parse().ok());
        let revision = preferred.unwrap_or(Revision::V2026_07_28);
        let modern = Stateless::new(&Options { revision, ..options.clone() });
        DualEra { options, modern, eras, server: server.to_owned() }
    }

    /// What a request carries before the era is known.
    pub fn opening(&self) -> Session {
        match self.known() {
            Some(Era::Legacy(revision)) => Session::opening(revision),
            Some(Era::Modern) | None => self.modern.opening(),
        }
    }

    /// Opens a connection of the server's era. An era that was found out before
    /// is taken as it is; if the server's answer speaks against it, the server is
    /// asked once more (basic/versioning, "Backward Compatibility with
    /// Initialization-Based Versions").
    ///
    /// # Errors
    /// [`ClientError`] if it did not come to one.
    pub async fn open(
        &self,
        channel: &Channel,
        budget: &mut Budget,
    ) -> Result<Connection, ClientError> {
        let mut refused = None;
        if let Some(Era::Legacy(revision)) = self.known() {
            match self.initialize(revision, channel, budget).await {
                Ok(connection) => return Ok(connection),
                Err((error, None | Some(Shown::Busy(_)))) => return Err(error),
                Err((error, Some(_))) => refused = Some((revision, error)),
            }
        }
        let (error, shown) = match self.discover(channel, budget).await {
            Ok(connection) => return Ok(connection),
            Err(failed) => failed,
        };
        let revision = match shown {
            Some(Shown::Legacy(revision)) => revision,
            // Where a server is known to be modern, it is only to be asked later.
            Some(Shown::Busy(revision)) if self.known().is_none() => revision,
            _ => return Err(error),
        };
        if let Some((_, refusal)) = refused.filter(|(asked, _)| *asked == revision) {
            return Err(refusal);
        }
        match self.initialize(revision, channel, budget).await {
            Ok(connection) => Ok(connection),
            // It is modern after all: then what it said in that era stands.
            Err((_, Some(Shown::Modern | Shown::ModernWithoutMethod))) => Err(error),
            Err((refusal, _)) => Err(refusal),
        }
    }

    /// Opens a connection by the handshake.
    async fn initialize(
        &self,
        revision: Revision,
        channel: &Channel,
        budget: &mut Budget,
    ) -> Result<Connection, (ClientError, Option<Shown>)> {
        let options = Options { revision, ..self.options.clone() };
        match Handshake::new(&options).open(channel, budget).await {
            Ok(connection) => {
                self.remember(Era::Legacy(revision));
                Ok(connection)
            }
            Err(error) => Err(self.failed(error)),
        }
    }

    /// Opens a connection by asking the server what it is.
    async fn discover(
        &self,
        channel: &Channel,
        budget: &mut Budget,
    ) -> Result<Connection, (ClientError, Option<Shown>)> {
        let (asked, answer) = self.modern.ask(channel, budget).await;
        let concluded = match answer {
            Ok(introduction) => {
                self.modern.conclude(asked, introduction).map_err(|error| self.failed(error))
            }
            Err(error) => match self.failed(error) {
                // It does not know what it was asked, and says so in the modern
                // way.
                (_, shown @ Some(Shown::ModernWithoutMethod)) => {
                    self.modern.go_on(asked).map_err(|error| (error, shown))
                }
                failed => Err(failed),
            },
        };
        if concluded.is_ok() {
            self.remember(Era::Modern);
        }
        concluded
    }

    /// A failure with what it shows of the server; that is noted, or what it
    /// speaks against is forgotten.
    fn failed(&self, error: ClientError) -> (ClientError, Option<Shown>) {
        let shown = self.shown(&error);
        match shown {
            Some(Shown::Modern | Shown::ModernWithoutMethod) => self.remember(Era::Modern),
            Some(Shown::Legacy(_)) => self.forget(),
            Some(Shown::Busy(_)) | None => {}
        }
        (error, shown)
    }

    /// What an error shows of the server; `None` if it shows nothing, or
    /// something that this client can do nothing with.
    fn shown(&self, error: &ClientError) -> Option<Shown> {
        let facts = &error.facts;
        match (facts.status, facts.code) {
            (_, Some(HEADER_MISMATCH | MISSING_CLIENT_CAPABILITY)) => Some(Shown::Modern),
            (_, Some(UNSUPPORTED_PROTOCOL_VERSION)) => Some(self.of_versions(error)),
            (Some(404), Some(METHOD_NOT_FOUND)) => Some(Shown::ModernWithoutMethod),
            // A challenge comes before everything else; without one, a server may
            // refuse so whatever it does not know.
            (Some(401), _) if facts.challenged => None,
            (Some(status), _) if BUSY.contains(&status) => self.preferred().map(Shown::Busy),
            // Any other refusal, and any other answer, is that of a server which
            // does not know what it was asked.
            (Some(400..500), _) | (None, Some(_)) => self.preferred().map(Shown::Legacy),
            _ => match error.kind {
                ErrorKind::InvalidResult | ErrorKind::InvalidMessage => {
                    self.preferred().map(Shown::Legacy)
                }
                // The versions of a result that says what the server is.
                ErrorKind::UnsupportedVersion if facts.supported.is_some() => {
                    Some(self.of_versions(error))
                }
                _ => None,
            },
        }
    }

    /// What the server's versions show, none of which is a modern one of this
    /// client: it is initialized if there is an older one that both speak
    /// (policy: the specification says nothing of such a list).
    fn of_versions(&self, error: &ClientError) -> Shown {
        let offered = json!({ "supported": error.facts.supported });
        let policy = self.options.policy_where(Revision::has_handshake);
        let agreed = negotiate(&policy, Offer::UnsupportedVersion(&offered));
        let revision = agreed.ok().and_then(|agreed| agreed.version.parse().ok());
        revision.map_or(Shown::Modern, Shown::Legacy)
    }

    /// The version with a handshake that the policy prefers.
    fn preferred(&self) -> Option<Revision> {
        let policy = self.options.policy_where(Revision::has_handshake);
        policy.versions.first()?.parse().ok()
    }

    fn known(&self) -> Option<Era> {
        self.eras.lock().get(&self.server).copied()
    }

    fn remember(&self, era: Era) {
        self.eras.lock().insert(self.server.clone(), era);
    }

    fn forget(&self) {
        self.eras.lock().remove(&self.server);
    }
}
