//! What a client and a server agree on before anything else is sent:
//! [`negotiate`], a pure function of a [`Policy`] and of what the server said.
//!
//! Three questions are asked in one order, and each takes the answer of the one
//! before, so that none can be passed over: has what came the right shape
//! ([`Offer::validate`]), is there a version that both speak
//! ([`Validated::accept_version`]), and is everything there that the policy
//! requires ([`VersionAccepted::require_capabilities`]).
//!
//! Versions are identifiers: they are equal or not, and which of them is
//! preferred is said by the policy's order alone (basic/lifecycle, "Version
//! Negotiation"; from 2026-07-28 on basic/versioning, "Protocol Version
//! Negotiation").

mod capability_path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Revision;

pub use self::capability_path::{CapabilityPath, InvalidPath};

/// What a client accepts. As JSON: `{"versions": […], "required": […], "optional":
/// […]}`, and what is left out is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// The protocol versions that it accepts, the preferred one first.
    pub versions: Vec<String>,
    /// Capabilities that the server must declare.
    pub required: Vec<CapabilityPath>,
    /// Capabilities that are used where the server declares them.
    pub optional: Vec<CapabilityPath>,
}

impl Policy {
    /// Every version that this program speaks, the newest first, and no
    /// capability.
    pub fn every_version() -> Self {
        let versions = Revision::ALL.iter().rev();
        let versions = versions.map(|revision| revision.as_str().to_owned()).collect();
        Policy { versions, ..Policy::default() }
    }

    /// Whether it accepts `revision`.
    pub fn accepts(&self, revision: Revision) -> bool {
        self.versions.iter().any(|version| version == revision.as_str())
    }

    /// The revision that a client asks for: its wish if the policy accepts it,
    /// else the one that the policy prefers.
    pub fn asked_for(&self, wish: Revision) -> Revision {
        let preferred = self.versions.iter().find_map(|version| version.parse().ok());
        if self.accepts(wish) { wish } else { preferred.unwrap_or(wish) }
    }
}

/// What a server said, by how it came to say it.
#[derive(Clone, Copy, Debug)]
pub enum Offer<'a> {
    /// The result of `initialize`: one version, the server's capabilities, who it
    /// is (basic/lifecycle, "Initialization").
    Initialize(&'a Value),
    /// The result of `server/discover`: several versions, the server's
    /// capabilities (server/discover, "Response").
    Discover(&'a Value),
    /// The data of an `UnsupportedProtocolVersionError`: several versions, and
    /// nothing of capabilities, so that it decides the version alone
    /// (basic/versioning, "Protocol Version Negotiation").
    UnsupportedVersion(&'a Value),
}

/// What both agreed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// The version that both speak.
    pub version: String,
    /// The optional capabilities that are on, in the policy's order.
    pub enabled: Vec<CapabilityPath>,
}

/// Why nothing was agreed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// What came has not the shape that the method promises.
    InvalidResponse {
        /// What it lacks: ``string `protocolVersion` ``.
        lacks: &'static str,
    },
    /// The policy names no version that the server offers.
    UnsupportedProtocolVersion {
        /// What the server offers, as it came.
        offered: Vec<String>,
    },
    /// The server does not declare all that the policy requires.
    MissingRequiredCapabilities {
        /// What it does not declare, in the policy's order.
        missing: Vec<CapabilityPath>,
    },
}

impl Refusal {
    /// The category: `invalid_response`, `unsupported_protocol_version`,
    /// `missing_required_capabilities`.
    pub fn category(&self) -> &'static str {
        match self {
            Refusal::InvalidResponse { .. } => "invalid_response",
            Refusal::UnsupportedProtocolVersion { .. } => "unsupported_protocol_version",
            Refusal::MissingRequiredCapabilities { .. } => "missing_required_capabilities",
        }
    }
}

/// Decides over what a server said.
///
/// # Errors
/// [`Refusal`], for the first of the three questions that has no good answer.
pub fn negotiate(policy: &Policy, offer: Offer<'_>) -> Result<Agreement, Refusal> {
    offer.validate()?.accept_version(policy)?.require_capabilities(policy)
}

/// An offer of the right shape.
#[derive(Clone, Debug)]
pub struct Validated<'a> {
    versions: Vec<&'a str>,
    /// `None` if nothing was said of them.
    capabilities: Option<&'a Value>,
}

/// An offer with a version that the policy accepts.
#[derive(Clone, Debug)]
pub struct VersionAccepted<'a> {
    version: &'a str,
    capabilities: Option<&'a Value>,
}

impl<'a> Offer<'a> {
    /// Looks at the members that the method promises. What else there is may be
    /// anything: these objects are open.
    ///
    /// # Errors
    /// [`Refusal::InvalidResponse`]
    pub fn validate(self) -> Result<Validated<'a>, Refusal> {
        let (versions, said) = match self {
            Offer::Initialize(result) => (vec![initialize_version(result)?], Some(result)),
            Offer::Discover(result) => {
                let versions = strings(&result["supportedVersions"]);
                (versions.ok_or(lacks("array of strings `supportedVersions`"))?, Some(result))
            }
            Offer::UnsupportedVersion(data) => {
                let versions = strings(&data["supported"]);
                (versions.ok_or(lacks("array of strings `data.supported`"))?, None)
            }
        };
        let capabilities = said.map(|result| &result["capabilities"]);
        if capabilities.is_some_and(|capabilities| !capabilities.is_object()) {
            return Err(lacks("object `capabilities`"));
        }
        if let Offer::Initialize(result) = self {
            server_info(&result["serverInfo"])?;
        }
        Ok(Validated { versions, capabilities })
    }
}

impl<'a> Validated<'a> {
    /// The first of the policy's versions that the server offers.
    ///
    /// # Errors
    /// [`Refusal::UnsupportedProtocolVersion`]
    pub fn accept_version(self, policy: &Policy) -> Result<VersionAccepted<'a>, Refusal> {
        let named = policy.versions.iter();
        let mut common = named
            .filter_map(|version| self.versions.iter().copied().find(|offered| offered == version));
        match common.next() {
            Some(version) => Ok(VersionAccepted { version, capabilities: self.capabilities }),
            None => Err(Refusal::UnsupportedProtocolVersion {
                offered: self.versions.iter().map(|&version| version.to_owned()).collect(),
            }),
        }
    }
}

impl VersionAccepted<'_> {
    /// The version that both speak.
    pub fn version(&self) -> &str {
        self.version
    }

    /// Whether everything is declared that the policy requires, and which of the
    /// optional capabilities are on.
    ///
    /// # Errors
    /// [`Refusal::MissingRequiredCapabilities`]
    pub fn require_capabilities(self, policy: &Policy) -> Result<Agreement, Refusal> {
        let version = self.version.to_owned();
        let Some(declared) = self.capabilities else {
            return Ok(Agreement { version, enabled: Vec::new() });
        };
        let missing: Vec<_> =
            policy.required.iter().filter(|path| !path.is_on(declared)).cloned().collect();
        if !missing.is_empty() {
            return Err(Refusal::MissingRequiredCapabilities { missing });
        }
        let enabled = policy.optional.iter().filter(|path| path.is_on(declared)).cloned();
        Ok(Agreement { version, enabled: enabled.collect() })
    }
}

fn lacks(lacks: &'static str) -> Refusal {
    Refusal::InvalidResponse { lacks }
}

fn initialize_version(result: &Value) -> Result<&str, Refusal> {
    result["protocolVersion"].as_str().ok_or(lacks("string `protocolVersion`"))
}

fn server_info(info: &Value) -> Result<(), Refusal> {
    if !info["name"].is_string() {
        return Err(lacks("string `serverInfo.name`"));
    }
    if !info["version"].is_string() {
        return Err(lacks("string `serverInfo.version`"));
    }
    Ok(())
}

fn strings(value: &Value) -> Option<Vec<&str>> {
    value.as_array()?.iter().map(Value::as_str).collect()
}

#[cfg(test)]
mod tests;
