//! The lifecycle without a handshake, from 2026-07-28 on: [`Stateless`]
//! (basic/versioning). Each request carries its own state; what opens a
//! connection is the question what the server is (`server/discover`), which the
//! revision leaves to the client.

use serde_json::{Map, Value, json};

use super::Connection;
use crate::mcp::client::budget::Budget;
use crate::mcp::client::channel::Channel;
use crate::mcp::client::error::{ClientError, ErrorKind};
use crate::mcp::client::rounds::{ResultType, unexpected};
use crate::mcp::client::transport::Session;
use crate::mcp::client::{Options, Progress};
use crate::mcp::json_rpc::{METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION};
use crate::mcp::{Revision, metadata};

/// `server/discover`, and what every request carries.
pub struct Stateless {
    revision: Revision,
    accepted: Vec<String>,
    name: String,
    version: String,
}

impl Stateless {
    /// The lifecycle that `options` describe.
    pub fn new(options: &Options) -> Self {
        Stateless {
            revision: options.revision,
            accepted: options.accepted_versions.clone(),
            name: options.client_name.clone(),
            version: options.client_version.clone(),
        }
    }

    /// What each request carries.
    pub fn opening(&self) -> Session {
        self.session(self.revision)
    }

    /// Asks the server what it is. One that does not know the question is
    /// spoken to without an introduction: a client may leave it out.
    ///
    /// # Errors
    /// [`ErrorKind::UnsupportedVersion`], [`ErrorKind::InvalidResult`], or
    /// whatever the transport came to.
    pub async fn open(
        &self,
        channel: &Channel,
        budget: &mut Budget,
    ) -> Result<Connection, ClientError> {
        match self.ask(channel, budget).await {
            Err(error) if error.facts.code == Some(METHOD_NOT_FOUND) => {
                Ok(Connection { session: self.opening(), introduction: Value::Null })
            }
            asked => asked,
        }
    }

    /// Asks the server what it is.
    ///
    /// # Errors
    /// The same, and the error of a server that does not know the question.
    pub async fn ask(
        &self,
        channel: &Channel,
        budget: &mut Budget,
    ) -> Result<Connection, ClientError> {
        let mut session = self.opening();
        let mut asked =
            channel.request("server/discover", None, Progress::default(), &session, budget).await;
        if let Err(error) = &asked
            && error.kind == ErrorKind::UnsupportedVersion
        {
            let supported =
                error.facts.data.as_ref().map_or(&Value::Null, |data| &data["supported"]);
            session = self.session(self.choose(supported).ok_or_else(|| error.clone())?);
            asked = channel
                .request("server/discover", None, Progress::default(), &session, budget)
                .await;
        }
        let introduction = asked?;
        if ResultType::of(&introduction, session.revision, false) != Some(ResultType::Complete) {
            return Err(unexpected("server/discover"));
        }
        check(&introduction)?;
        let supported = &introduction["supportedVersions"];
        let chosen = self.choose(supported).ok_or_else(|| unsupported(supported))?;
        Ok(Connection { session: self.session(chosen), introduction })
    }

    fn session(&self, revision: Revision) -> Session {
        let mut carried = Map::new();
        carried.insert(metadata::PROTOCOL_VERSION.into(), revision.as_str().into());
        let client = json!({ "name": self.name, "version": self.version });
        carried.insert(metadata::CLIENT_INFO.into(), client);
        Session::stateless(revision, carried)
    }

    /// The latest of the server's versions that has no handshake and that the
    /// policy, or this client's own wish, named.
    fn choose(&self, supported: &Value) -> Option<Revision> {
        let named = |revision: &Revision| {
            self.accepted.is_empty()
                || *revision == self.revision
                || self.accepted.iter().any(|accepted| accepted == revision.as_str())
        };
        let supported = supported.as_array()?.iter().filter_map(Value::as_str);
        let known = supported.filter_map(|version| version.parse::<Revision>().ok());
        known.filter(|revision| !revision.has_handshake()).filter(named).max()
    }
}

fn unsupported(supported: &Value) -> ClientError {
    let message = "the server supports no protocol version that this client accepts";
    ClientError::new(ErrorKind::UnsupportedVersion, message).with(|facts| {
        facts.code = Some(UNSUPPORTED_PROTOCOL_VERSION);
        facts.data = Some(json!({ "supported": supported }));
    })
}

/// Checks the result of `server/discover`.
fn check(result: &Value) -> Result<(), ClientError> {
    let invalid = |what: &str| {
        let message = format!("the result of server/discover has no {what}");
        Err(ClientError::new(ErrorKind::InvalidResult, message))
    };
    let versions = result["supportedVersions"].as_array();
    if !versions.is_some_and(|versions| versions.iter().all(Value::is_string)) {
        return invalid("array of strings `supportedVersions`");
    }
    if !result["capabilities"].is_object() {
        return invalid("object `capabilities`");
    }
    Ok(())
}
