//! A [`Profile`]: one connection, as a file describes it. It says what
//! legitimately differs between two servers that a client speaks to, and
//! nothing else.

mod file;
mod load;
mod masked;

use std::fmt;

use http::Uri;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::mcp::Revision;
use crate::mcp::client::Options;
use crate::mcp::negotiation::{CapabilityPath, Policy};
pub use crate::mcp::server::Framing;

pub use self::file::read;
pub use self::load::{LoadError, UnreadableProfile, embedded, embedded_files, load};

/// One connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The file's name without its ending.
    pub name: String,
    /// The revision that both sides speak.
    pub revision: Revision,
    /// What the far side does.
    pub server: ServerBehaviour,
    /// What the operator declared of it.
    pub operator: Operator,
    /// What the client accepts. The versions are the profile's revision alone if
    /// they were left out.
    pub policy: Policy,
    /// The real server that the profile names, for the operator's commands: an
    /// absolute `http` or `https` address.
    pub url: Option<Uri>,
    /// Values that every output has to redact; none is empty.
    pub secrets: Vec<String>,
}

impl Profile {
    /// A server of which the operator declared nothing but its address: its data
    /// may be secret-adjacent, each call takes approval, it stands anywhere, and
    /// every version that the client speaks is accepted.
    ///
    /// Its identifier names the host, and tells two addresses there apart.
    pub fn undeclared(url: Uri, revision: Revision) -> Self {
        let identifier = identifier_of(&url);
        Profile {
            name: identifier.clone(),
            revision,
            server: ServerBehaviour::default(),
            operator: Operator {
                identifier,
                data_class: DataClass::default(),
                requires_approval: true,
                zone: Zone::default(),
            },
            policy: Policy::every_version(),
            url: Some(url),
            secrets: Vec::new(),
        }
    }

    /// What a client of this connection is made with beside its transport, when it
    /// divides delays by `scale`.
    pub fn client_options(&self, scale: u32) -> Options {
        Options {
            revision: self.policy.asked_for(self.revision),
            policy: self.policy.clone(),
            client_name: env!("CARGO_PKG_NAME").to_owned(),
            client_version: env!("CARGO_PKG_VERSION").to_owned(),
            scale,
        }
    }

    /// Whether the policy accepts the far side as far as that can be told
    /// beforehand: the profile's revision is among the versions that the client
    /// accepts, and nothing is required that the far side lacks.
    pub fn is_accepted(&self) -> bool {
        let lacks =
            |path: &CapabilityPath| self.server.lacks.iter().any(|lacking| lacking.contains(path));
        self.policy.accepts(self.revision) && !self.policy.required.iter().any(lacks)
    }
}

/// What the far side does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerBehaviour {
    /// The session id that it issues, in visible ASCII; `None` if it issues none.
    /// Always `None` from 2026-07-28 on, which has no sessions.
    pub session: Option<String>,
    /// How it frames its answers.
    pub framing: Framing,
    /// The capabilities that it never declares, whatever a script registers.
    pub lacks: Vec<CapabilityPath>,
}

/// What the operator declared of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operator {
    /// The name under which the host knows the connection; the profile's name
    /// if it was left out.
    pub identifier: String,
    /// How sensitive the data may be that goes to it.
    pub data_class: DataClass,
    /// Whether a person has to approve each call; `true` if it was left out.
    pub requires_approval: bool,
    /// Where the model stands that reads what the server's tools return.
    pub zone: Zone,
}

/// How sensitive data is, in rising order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DataClass {
    /// What everybody may read.
    PublicContent,
    /// What editors work on before it is public.
    EditorContent,
    /// Source code.
    SourceCode,
    /// How systems are set up.
    InternalConfiguration,
    /// Logs and states of systems.
    SystemDiagnostics,
    /// What may hold credentials; assumed where nothing was declared.
    #[default]
    SecretAdjacent,
}

/// Where the model stands that reads what tools return, the farther the later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Zone {
    /// On the same machine.
    Local,
    /// On machines of the operator.
    PrivateHosted,
    /// With someone else inside the European Union.
    ExternalEu,
    /// With someone else anywhere; assumed where nothing was declared.
    #[default]
    ExternalGlobal,
}

/// `127-0-0-1-3001-1f2e3d`: the end of the host and the port, in the characters
/// that the name of a tool can have, and the beginning of the address's digest.
fn identifier_of(url: &Uri) -> String {
    const HOST: usize = 20;
    let authority = url.authority().map_or("", |authority| authority.as_str());
    let host = authority.rsplit('@').next().unwrap_or_default();
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let host: Vec<char> = host.chars().map(letter).collect();
    let host: String = host[host.len().saturating_sub(HOST)..].iter().collect();
    let digest = Sha256::digest(url.to_string());
    format!("{}-{:02x}{:02x}{:02x}", host.trim_matches('-'), digest[0], digest[1], digest[2])
}

impl DataClass {
    /// The class as it stands in a profile.
    pub fn as_str(self) -> &'static str {
        match self {
            DataClass::PublicContent => "public-content",
            DataClass::EditorContent => "editor-content",
            DataClass::SourceCode => "source-code",
            DataClass::InternalConfiguration => "internal-configuration",
            DataClass::SystemDiagnostics => "system-diagnostics",
            DataClass::SecretAdjacent => "secret-adjacent",
        }
    }
}

impl Zone {
    /// The zone as it stands in a profile.
    pub fn as_str(self) -> &'static str {
        match self {
            Zone::Local => "local",
            Zone::PrivateHosted => "private-hosted",
            Zone::ExternalEu => "external-eu",
            Zone::ExternalGlobal => "external-global",
        }
    }

    /// The most sensitive data that may reach a model in the zone.
    pub fn ceiling(self) -> DataClass {
        match self {
            Zone::Local => DataClass::SecretAdjacent,
            Zone::PrivateHosted => DataClass::SystemDiagnostics,
            Zone::ExternalEu => DataClass::InternalConfiguration,
            Zone::ExternalGlobal => DataClass::EditorContent,
        }
    }
}

impl Operator {
    /// Whether the model may read what the server's tools return.
    pub fn is_within_ceiling(&self) -> bool {
        self.data_class <= self.zone.ceiling()
    }
}

impl fmt::Display for DataClass {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests;
