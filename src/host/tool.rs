//! A tool as the gate, the audit and a model see it: [`Tool`].

use serde_json::{Map, Value};

use super::changes::Changes;
use crate::profile::DataClass;

/// How long a local name may be: what models take for the name of a function.
pub const NAME_LIMIT: usize = 64;

/// A tool that is registered.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// The local name: `mcp_IDENTIFIER_NAME` for a remote tool.
    pub name: String,
    /// Where it comes from.
    pub origin: Origin,
    /// What it is for, as a model reads it.
    pub description: Option<String>,
    /// The normalized schema of its arguments.
    pub schema: Map<String, Value>,
    /// How sensitive what it returns may be: the operator's word, never the
    /// server's.
    pub data_class: DataClass,
    /// Whether a person has to approve each call: the operator's word too.
    pub requires_approval: bool,
    /// Whether it may be called at all.
    pub enabled: bool,
    /// What is not as it was when a person enabled it: then it is off.
    pub changed: Changes,
}

/// Where a tool comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// The host's own: it answers with this text.
    Local {
        /// What it answers.
        answer: String,
    },
    /// A server's.
    Remote {
        /// The identifier under which the operator knows the server.
        server: String,
        /// The name that goes on the wire.
        remote_name: String,
    },
}

/// What a call may do to the far side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing that matters.
    Read,
    /// Something that is not the same if it is done twice.
    NonIdempotentWrite,
}

impl Effect {
    /// The effect in a word: `read`, `non-idempotent-write`.
    pub fn as_str(self) -> &'static str {
        match self {
            Effect::Read => "read",
            Effect::NonIdempotentWrite => "non-idempotent-write",
        }
    }
}

impl Tool {
    /// What a call may do. Every remote call is a write: what a server says of
    /// its tools is a hint that nobody holds it to.
    pub fn effect(&self) -> Effect {
        match self.origin {
            Origin::Local { .. } => Effect::Read,
            Origin::Remote { .. } => Effect::NonIdempotentWrite,
        }
    }

    /// Whether only an administrator may call it.
    pub fn requires_administrator(&self) -> bool {
        matches!(self.origin, Origin::Remote { .. })
    }

    /// The group that it belongs to: `mcp_IDENTIFIER`; `None` for the host's
    /// own.
    pub fn group(&self) -> Option<String> {
        match &self.origin {
            Origin::Local { .. } => None,
            Origin::Remote { server, .. } => Some(format!("mcp_{server}")),
        }
    }
}

/// The local name of a server's tool; `None` if a model could not be given it.
/// A name is never rewritten: two remote names could come to one local name.
pub fn local_name(identifier: &str, remote_name: &str) -> Option<String> {
    let name = format!("mcp_{identifier}_{remote_name}");
    let is_taken = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    (name.len() <= NAME_LIMIT && !remote_name.is_empty() && name.chars().all(is_taken))
        .then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_local_name_is_the_remote_one_with_its_server() {
        assert_eq!(local_name("stateless", "add").as_deref(), Some("mcp_stateless_add"));
        for name in ["", "a b", "a.b", "é", "a\n", &"a".repeat(64)] {
            assert_eq!(local_name("s", name), None, "{name:?}");
        }
        assert!(local_name("s", &"a".repeat(NAME_LIMIT - "mcp_s_".len())).is_some());
    }
}
