//! What a server may ask of a client: elicitation, sampling, roots (the pages
//! `client/*` of the specification). The main type is [`Features`].
//!
//! A feature is there once a [`Handler`] is registered for it: then it is
//! declared, and what a server asks is held against the revision before the
//! handler sees it, and the handler's answer before the server does. How a
//! request reaches the client is no matter here, so the same handlers answer
//! what comes within a result (2026-07-28, multi round-trip requests).

mod elicitation;
mod handler;
mod requested_schema;
mod roots;
mod sampling;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value, json};

pub use self::handler::Handler;
pub use self::requested_schema::{RequestedSchema, SchemaFault};

use self::handler::refusal;
use crate::mcp::Revision;
use crate::mcp::json_rpc::{ErrorObject, METHOD_NOT_FOUND};

/// What a server may ask of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClientFeature {
    /// Asking the user, in a form or behind a URL; from 2025-06-18 on.
    Elicitation,
    /// Where in the file system the server may work.
    Roots,
    /// Letting the client's model write a message.
    Sampling,
}

impl ClientFeature {
    /// Every feature, in the order of their names.
    pub const ALL: [ClientFeature; 3] =
        [ClientFeature::Elicitation, ClientFeature::Roots, ClientFeature::Sampling];

    /// The name of its capability.
    pub fn as_str(self) -> &'static str {
        match self {
            ClientFeature::Elicitation => "elicitation",
            ClientFeature::Roots => "roots",
            ClientFeature::Sampling => "sampling",
        }
    }

    /// The method by which a server asks.
    pub fn method(self) -> &'static str {
        match self {
            ClientFeature::Elicitation => "elicitation/create",
            ClientFeature::Roots => "roots/list",
            ClientFeature::Sampling => "sampling/createMessage",
        }
    }

    /// The feature that a method asks for, if it is one of a client.
    pub fn of_method(method: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|feature| feature.method() == method)
    }

    /// Whether a revision has the feature.
    pub fn is_known_at(self, revision: Revision) -> bool {
        self != ClientFeature::Elicitation || revision.has_elicitation()
    }

    /// What is declared of it unless its owner says otherwise.
    fn usual(self, revision: Revision) -> Value {
        match self {
            ClientFeature::Elicitation if revision.has_url_elicitation() => {
                json!({ "form": {}, "url": {} })
            }
            _ => json!({}),
        }
    }
}

/// The features of one client, and what answers them.
#[derive(Default)]
pub struct Features(Mutex<BTreeMap<ClientFeature, Registered>>);

#[derive(Clone)]
struct Registered {
    /// The value of the capability, if its owner set it.
    declared: Option<Value>,
    handler: Handler,
}

impl Registered {
    /// What is declared of `feature` at `revision`.
    fn declared(&self, feature: ClientFeature, revision: Revision) -> Value {
        self.declared.clone().unwrap_or_else(|| feature.usual(revision))
    }
}

impl Features {
    /// Answers what servers ask of `feature` with `handler`. `declared` is the
    /// value of the capability, such as `{"form": {}}`; left out, it is all
    /// that the revision has and this client can do without further ado.
    pub fn register(&self, feature: ClientFeature, declared: Option<Value>, handler: Handler) {
        self.lock().insert(feature, Registered { declared, handler });
    }

    /// The client's capabilities at `revision`: what has a handler, and nothing
    /// else.
    pub fn capabilities(&self, revision: Revision) -> Value {
        let known = |feature: &ClientFeature| feature.is_known_at(revision);
        let all = self.lock();
        let declared = all.iter().filter(|(feature, _)| known(feature));
        let capabilities: Map<String, Value> = declared
            .map(|(feature, registered)| {
                (feature.as_str().to_owned(), registered.declared(*feature, revision))
            })
            .collect();
        Value::Object(capabilities)
    }

    /// What a server is answered that asks for `feature`.
    ///
    /// # Errors
    /// The error of the response: the feature, or this use of it, was not declared
    /// ([`METHOD_NOT_FOUND`], [`INVALID_PARAMS`]); the request is not what the
    /// revision asks for ([`INVALID_PARAMS`]); the handler's own error; its answer
    /// does not fit ([`INTERNAL_ERROR`]).
    ///
    /// [`INVALID_PARAMS`]: crate::mcp::json_rpc::INVALID_PARAMS
    /// [`INTERNAL_ERROR`]: crate::mcp::json_rpc::INTERNAL_ERROR
    pub async fn answer(
        &self,
        feature: ClientFeature,
        params: Option<Value>,
        revision: Revision,
    ) -> Result<Value, ErrorObject> {
        let registered = self.lock().get(&feature).cloned();
        let registered = registered.filter(|_| feature.is_known_at(revision));
        let Some(registered) = registered else { return Err(undeclared(feature, revision)) };
        let declared = registered.declared(feature, revision);
        let params = params.unwrap_or_else(|| json!({}));
        match feature {
            ClientFeature::Elicitation => {
                elicitation::answer(&declared, params, revision, &registered.handler).await
            }
            ClientFeature::Roots => roots::answer(params, &registered.handler).await,
            ClientFeature::Sampling => {
                sampling::answer(&declared, params, revision, &registered.handler).await
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<ClientFeature, Registered>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Features {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_set().entries(self.lock().keys()).finish()
    }
}

/// The refusal that the feature's page asks for.
fn undeclared(feature: ClientFeature, revision: Revision) -> ErrorObject {
    match feature {
        ClientFeature::Elicitation => refusal(
            revision.undeclared_elicitation_code(),
            "This mode of elicitation was not declared",
        ),
        ClientFeature::Roots => refusal(METHOD_NOT_FOUND, "Roots are not supported"),
        ClientFeature::Sampling => refusal(METHOD_NOT_FOUND, "Sampling is not supported"),
    }
}

#[cfg(test)]
mod tests;
