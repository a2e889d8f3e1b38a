//! What a client is made with: [`Options`].

use crate::mcp::Revision;
use crate::mcp::negotiation::Policy;

/// What a client is made with.
#[derive(Clone, Debug)]
pub struct Options {
    /// The revision that is asked for.
    pub revision: Revision,
    /// What it accepts of a server.
    pub policy: Policy,
    /// `clientInfo.name`.
    pub client_name: String,
    /// `clientInfo.version`.
    pub client_version: String,
    /// By what every delay is divided: 1 on real and on paused time.
    pub scale: u32,
}

impl Options {
    /// The policy over those of its versions that this client speaks and that
    /// `takes` takes.
    pub(super) fn policy_where(&self, takes: impl Fn(Revision) -> bool) -> Policy {
        let mut policy = self.policy.clone();
        policy.versions.retain(|version| version.parse().is_ok_and(&takes));
        policy
    }

    /// Whether the policy accepts versions with a handshake as well as versions
    /// without one.
    pub fn accepts_both_eras(&self) -> bool {
        let accepts = |takes: fn(Revision) -> bool| !self.policy_where(takes).versions.is_empty();
        accepts(Revision::has_handshake) && accepts(|revision| !revision.has_handshake())
    }
}
