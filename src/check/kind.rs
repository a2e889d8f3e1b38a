//! What a check is a check of: [`CheckKind`].

use super::discovery::functions;

/// What a check is a check of, told from the functions that its script defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckKind {
    /// A client: the script has `serve`.
    Client,
    /// A server: the script has no `serve`.
    Server,
    /// The host around a client: the script has `operate`.
    Host,
}

impl CheckKind {
    /// The kind in one word: `client`, `server`, `host`.
    pub fn as_str(self) -> &'static str {
        match self {
            CheckKind::Client => "client",
            CheckKind::Server => "server",
            CheckKind::Host => "host",
        }
    }

    /// The kind of the check with this script.
    pub fn of(script: &str) -> Self {
        if defines(script, "operate") {
            CheckKind::Host
        } else if defines(script, "serve") {
            CheckKind::Client
        } else {
            CheckKind::Server
        }
    }
}

/// Whether a script defines a function of this name.
pub(super) fn defines(script: &str, name: &str) -> bool {
    functions::names(script).any(|defined| defined == name)
}
