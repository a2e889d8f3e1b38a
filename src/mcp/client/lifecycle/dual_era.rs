//! A client of both eras: [`DualEra`] finds out which one a server belongs to
//! (2026-07-28, basic/versioning, "Backward Compatibility with
//! Initialization-Based Versions"; basic/transports/streamable-http, "Backward
//! Compatibility").

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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

/// Which era each origin belongs to, as far as it was found out. A clone is
/// another handle.
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

impl Eras {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Era>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks in the modern way first, and falls back to the handshake.
pub struct DualEra {
    options: Options,
    modern: Stateless,
    eras: Eras,
    origin: String,
}

impl DualEra {
    /// The lifecycle that `options` describe; what is found out goes to `eras`.
    pub fn new(options: Options, eras: Eras) -> Self {
        let modern = options.policy_where(|revision| !revision.has_handshake());
        let preferred = modern.versions.first().and_then(|version| version.parse().ok());
        let revision = preferred.unwrap_or(Revision::V2026_07_28);
        let modern = Stateless::new(&Options { revision, ..options.clone() });
        let scheme = options.endpoint.scheme_str().unwrap_or_default();
        let authority = options.endpoint.authority().map_or("", |authority| authority.as_str());
        let origin = format!("{scheme}://{authority}");
        DualEra { options, modern, eras, origin }
    }

    /// What a request carries before the era is known.
    pub fn opening(&self) -> Session {
        let known = self.eras.lock().get(&self.origin).copied();
        match known {
            Some(Era::Legacy(revision)) => Session::opening(revision),
            Some(Era::Modern) | None => self.modern.opening(),
        }
    }

    /// Opens a connection of the server's era.
    ///
    /// # Errors
    /// [`ClientError`] if it did not come to one.
    pub async fn open(
        &self,
        channel: &Channel,
        budget: &mut Budget,
    ) -> Result<Connection, ClientError> {
        let known = self.eras.lock().get(&self.origin).copied();
        let revision = match known {
            Some(Era::Modern) => return self.modern.open(channel, budget).await,
            Some(Era::Legacy(revision)) => revision,
            None => {
                let (asked, answer) = self.modern.ask(channel, budget).await;
                let concluded = match answer {
                    Ok(introduction) => self.modern.conclude(asked, introduction),
                    Err(error) => match self.era(&error) {
                        // It does not know what it was asked, and says so in the
                        // modern way.
                        Some(Era::Modern) => self.modern.go_on(asked),
                        _ => Err(error),
                    },
                };
                match concluded {
                    Ok(connection) => {
                        self.remember(Era::Modern);
                        return Ok(connection);
                    }
                    Err(error) => match self.era(&error) {
                        Some(Era::Legacy(revision)) => revision,
                        _ => return Err(error),
                    },
                }
            }
        };
        self.remember(Era::Legacy(revision));
        let options = Options { revision, ..self.options.clone() };
        Handshake::new(&options).open(channel, budget).await
    }

    /// The era that an error shows; `None` if it shows none, or one that this
    /// client can do nothing with.
    fn era(&self, error: &ClientError) -> Option<Era> {
        let facts = &error.facts;
        match (facts.status, facts.code) {
            // A modern server that speaks older versions alone with this client
            // (policy: the specification says nothing of such a list).
            (_, Some(UNSUPPORTED_PROTOCOL_VERSION)) => {
                let data = facts.data.as_ref()?;
                let policy = self.options.policy_where(Revision::has_handshake);
                let agreed = negotiate(&policy, Offer::UnsupportedVersion(data)).ok()?;
                agreed.version.parse().ok().map(Era::Legacy)
            }
            (_, Some(HEADER_MISMATCH | MISSING_CLIENT_CAPABILITY)) => None,
            (Some(404), Some(METHOD_NOT_FOUND)) => Some(Era::Modern),
            // Any other refusal, and any other answer, is that of a server which
            // does not know what it was asked.
            (Some(status), _) if (400..500).contains(&status) && status != 401 => self.legacy(),
            (None, Some(_)) => self.legacy(),
            _ => match error.kind {
                ErrorKind::InvalidResult | ErrorKind::InvalidMessage => self.legacy(),
                _ => None,
            },
        }
    }

    /// The version with a handshake that the policy prefers.
    fn legacy(&self) -> Option<Era> {
        let policy = self.options.policy_where(Revision::has_handshake);
        policy.versions.first()?.parse().ok().map(Era::Legacy)
    }

    fn remember(&self, era: Era) {
        self.eras.lock().insert(self.origin.clone(), era);
    }
}
