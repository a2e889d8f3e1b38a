//! Why an operation came to nothing: [`ClientError`] and its [`ErrorKind`].
//!
//! The message is always in our own words: it names methods, status numbers,
//! codes and limits, never what the far side sent.

use serde_json::{Map, Value, json};

use super::interim::Interim;
use crate::mcp::Revision;
use crate::mcp::json_rpc::{ErrorObject, UNSUPPORTED_PROTOCOL_VERSION};
use crate::wire::RequestHead;

/// The kinds of failure that a caller may want to tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The request is not valid HTTP, and was not sent.
    InvalidRequest,
    /// No connection, or it ended before the answer did.
    Connection,
    /// The client was closed before, or the server ended a subscription before it
    /// began.
    Closed,
    /// One leg used up its own bound while budget remained.
    Timeout,
    /// The operation's budget was spent.
    BudgetExhausted,
    /// The caller cancelled the operation.
    Cancelled,
    /// A status of 4xx or 5xx.
    HttpStatus,
    /// A status of 3xx: redirects are not followed.
    Redirect,
    /// An error response.
    JsonRpc,
    /// What came is not a message of the protocol.
    InvalidMessage,
    /// The result is not what the method promises.
    InvalidResult,
    /// The request was accepted and never answered.
    NoAnswer,
    /// The answer is longer than the limit.
    TooLarge,
    /// No protocol version that both sides speak.
    UnsupportedVersion,
    /// The server does not declare what the policy requires.
    MissingCapabilities,
    /// The list goes on beyond the limit of pages.
    PageLimit,
    /// The request was to be sent again beyond the limit of rounds.
    RoundLimit,
    /// The server asks for input that this client does not give.
    InputRefused,
    /// A result that was kept belongs to another server, or is nothing from which
    /// an operation goes on.
    NotResumable,
    /// The server cancelled the task that a call had become.
    TaskCancelled,
    /// The server asks for authorization.
    AuthorizationRequired,
    /// The server no longer knows the session.
    SessionLost,
    /// The revision or the server does not offer what was asked for.
    NotSupported,
    /// The arguments of a call cannot be sent as the tool wants them.
    InvalidArguments,
}

impl ErrorKind {
    /// The kind's name, in kebab-case.
    pub fn as_str(self) -> &'static str {
        match self {
            ErrorKind::InvalidRequest => "invalid-request",
            ErrorKind::Connection => "connection",
            ErrorKind::Closed => "closed",
            ErrorKind::Timeout => "timeout",
            ErrorKind::BudgetExhausted => "budget-exhausted",
            ErrorKind::Cancelled => "cancelled",
            ErrorKind::HttpStatus => "http-status",
            ErrorKind::Redirect => "redirect",
            ErrorKind::JsonRpc => "json-rpc",
            ErrorKind::InvalidMessage => "invalid-message",
            ErrorKind::InvalidResult => "invalid-result",
            ErrorKind::NoAnswer => "no-answer",
            ErrorKind::TooLarge => "too-large",
            ErrorKind::UnsupportedVersion => "unsupported-version",
            ErrorKind::MissingCapabilities => "missing-capabilities",
            ErrorKind::PageLimit => "page-limit",
            ErrorKind::RoundLimit => "round-limit",
            ErrorKind::InputRefused => "input-refused",
            ErrorKind::NotResumable => "not-resumable",
            ErrorKind::TaskCancelled => "task-cancelled",
            ErrorKind::AuthorizationRequired => "authorization-required",
            ErrorKind::SessionLost => "session-lost",
            ErrorKind::NotSupported => "not-supported",
            ErrorKind::InvalidArguments => "invalid-arguments",
        }
    }

    /// What the reader can do about it.
    pub fn advice(self) -> &'static str {
        match self {
            ErrorKind::InvalidRequest => {
                "correct the URL, the method or the header field that the message names"
            }
            ErrorKind::Connection => "see whether the server runs at this address",
            ErrorKind::Closed => "make a new client, or listen anew: what is closed stays closed",
            ErrorKind::Timeout | ErrorKind::NoAnswer => "see why the server did not answer",
            ErrorKind::BudgetExhausted => "see which legs of the operation took the time",
            ErrorKind::Cancelled => "nothing: the caller asked for it",
            ErrorKind::HttpStatus => "look the status up in the server's log",
            ErrorKind::Redirect => "use the address that the server redirects to, if you trust it",
            ErrorKind::JsonRpc => "look the code up in the server's documentation",
            ErrorKind::InvalidMessage | ErrorKind::InvalidResult => {
                "compare what the server sent with the specification of this revision"
            }
            ErrorKind::TooLarge => "have the server answer in smaller parts",
            ErrorKind::UnsupportedVersion => "add the server's version to the accepted ones",
            ErrorKind::MissingCapabilities => {
                "use a server that has them, or require less in the profile's `[policy]`"
            }
            ErrorKind::PageLimit => "have the server use larger pages, or end its list",
            ErrorKind::RoundLimit => {
                "raise the limit, or have the server ask for all it needs at once"
            }
            ErrorKind::InputRefused => {
                "register a handler for what the server asks, or see why it gave no answer"
            }
            ErrorKind::NotResumable => "go on with a client of the server that it came from",
            ErrorKind::TaskCancelled => "see why the server cancelled the task",
            ErrorKind::AuthorizationRequired => "authorize with the issuer that is named",
            ErrorKind::SessionLost => "see why the server ends its sessions",
            ErrorKind::NotSupported => "see what the server declares, and which revision is spoken",
            ErrorKind::InvalidArguments => "give arguments that fit the schema of the tool",
        }
    }
}

/// Why an operation came to nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ClientError {
    /// Which kind of failure it is.
    pub kind: ErrorKind,
    /// One sentence, in our own words.
    pub message: String,
    /// The facts, as far as there are any.
    pub facts: Box<Facts>,
}

/// What is known of a failure besides its kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The HTTP status.
    pub status: Option<u16>,
    /// The code of the JSON-RPC error.
    pub code: Option<i64>,
    /// The `data` of the JSON-RPC error, as it came.
    pub data: Option<Value>,
    /// The protocol version that the server chose, as it came.
    pub version: Option<String>,
    /// The protocol versions that the server says it supports, as they came.
    pub supported: Option<Vec<String>>,
    /// Of a refusal of what the server said of itself, its category; see
    /// [`Refusal::category`](crate::mcp::negotiation::Refusal::category).
    pub category: Option<&'static str>,
    /// The capabilities that the policy requires and the server lacks.
    pub missing: Option<Vec<String>>,
    /// The limit that was reached, in its own unit: bytes, pages or rounds.
    pub limit: Option<u64>,
    /// The authorization server to turn to.
    pub issuer: Option<String>,
    /// The scopes to ask for.
    pub scopes: Option<Vec<String>>,
    /// Where the protected resource describes itself.
    pub resource_metadata: Option<String>,
    /// Which step of the authorization discovery failed, and how.
    pub discovery: Option<String>,
    /// Where the operation ended: the last result, which asks for more, and
    /// what it answers. Nothing was sent behind it.
    pub interim: Option<Interim>,
    /// Of a request that could not be sent, or got no whole response, what was
    /// to be sent, credentials included.
    pub request: Option<Box<RequestHead>>,
    /// The protocol versions that stand in a result which lacks something else
    /// that the method promises.
    pub(crate) named: Vec<String>,
    /// Whether a 401 came with a challenge.
    pub(crate) challenged: bool,
    /// Whether the server refused the request without looking at it, so that it
    /// can be sent again.
    pub(crate) unprocessed: bool,
    /// Whether the response stream ended before the answer, so that nobody knows
    /// what became of the request.
    pub(crate) lost: bool,
}

impl ClientError {
    /// A failure of this kind, in these words.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        ClientError { kind, message: message.into(), facts: Box::default() }
    }

    /// The same failure with the request that it is about.
    #[must_use]
    pub fn of(mut self, request: RequestHead) -> Self {
        self.facts.request = Some(Box::new(request));
        self
    }

    /// Whether the operation ended because its caller cancelled it.
    pub fn is_cancellation(&self) -> bool {
        self.kind == ErrorKind::Cancelled
    }

    /// What an error response to `method` comes to at `revision`.
    pub(crate) fn from_response(method: &str, error: ErrorObject, revision: Revision) -> Self {
        let message = format!("{method} was answered with the error {}", error.code);
        let is_about_version =
            revision.has_error_codes() && error.code == UNSUPPORTED_PROTOCOL_VERSION;
        let kind =
            if is_about_version { ErrorKind::UnsupportedVersion } else { ErrorKind::JsonRpc };
        ClientError::new(kind, message).with(|facts| {
            facts.code = Some(error.code);
            if error.code == UNSUPPORTED_PROTOCOL_VERSION || method == "initialize" {
                facts.supported = error.data.as_ref().and_then(supported);
            }
            facts.data = error.data;
            facts.unprocessed = is_about_version;
        })
    }

    /// The facts that are known, by name: `status`, `code`, `data`, `version`,
    /// `supported`, `category`, `missing`, `limit`, `issuer`, `scopes`,
    /// `resource_metadata`, `discovery`, `http_request`; of [`Facts::interim`]
    /// `request`, `result` and `state`.
    pub fn details(&self) -> Map<String, Value> {
        let facts = &self.facts;
        let all = [
            ("status", json!(facts.status)),
            ("code", json!(facts.code)),
            ("data", json!(facts.data)),
            ("version", json!(facts.version)),
            ("supported", json!(facts.supported)),
            ("category", json!(facts.category)),
            ("missing", json!(facts.missing)),
            ("limit", json!(facts.limit)),
            ("issuer", json!(facts.issuer)),
            ("scopes", json!(facts.scopes)),
            ("resource_metadata", json!(facts.resource_metadata)),
            ("discovery", json!(facts.discovery)),
            ("http_request", json!(facts.request.as_ref().map(|request| request.to_json()))),
        ];
        let known = all.into_iter().filter(|(_, value)| !value.is_null());
        let known = known.map(|(name, value)| (name.to_owned(), value));
        known.chain(facts.interim.iter().flat_map(Interim::details)).collect()
    }

    /// The same failure with more facts.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Facts)) -> Self {
        change(&mut self.facts);
        self
    }
}

/// The versions that the data of an error name (basic/versioning, "Protocol
/// Version Negotiation"; up to 2025-11-25 basic/lifecycle, "Error Handling").
fn supported(data: &Value) -> Option<Vec<String>> {
    let versions = data["supported"].as_array()?.iter();
    versions.map(|version| version.as_str().map(str::to_owned)).collect()
}

impl miette::Diagnostic for ClientError {
    fn code<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        Some(Box::new(self.kind.as_str()))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        Some(Box::new(self.kind.advice()))
    }
}
