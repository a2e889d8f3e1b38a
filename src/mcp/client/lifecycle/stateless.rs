//! The lifecycle without a handshake, from 2026-07-28 on: [`Stateless`]
//! (basic/versioning). Each request carries its own state; what opens a
//! connection is the question what the server is (`server/discover`), which the
//! revision leaves to the client.

use serde_json::{Map, Value, json};

use super::opening::{Asked, Connection, Discover, Opening, Question};
use crate::mcp::client::budget::Budget;
use crate::mcp::client::channel::Channel;
use crate::mcp::client::error::{ClientError, ErrorKind};
use crate::mcp::client::result_type::{ResultType, unexpected};
use crate::mcp::client::transport::Session;
use crate::mcp::client::{Options, Progress};
use crate::mcp::json_rpc::METHOD_NOT_FOUND;
use crate::mcp::negotiation::{Offer, Policy, negotiate};
use crate::mcp::{Revision, metadata};

/// `server/discover`, and what every request carries.
pub struct Stateless {
    revision: Revision,
    policy: Policy,
    name: String,
    version: String,
}

impl Stateless {
    /// The lifecycle that `options` describe.
    pub fn new(options: &Options) -> Self {
        Stateless {
            revision: options.revision,
            policy: options.policy_where(|revision| !revision.has_handshake()),
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
    /// [`ErrorKind::UnsupportedVersion`], [`ErrorKind::InvalidResult`],
    /// [`ErrorKind::MissingCapabilities`], or whatever the transport came to.
    pub async fn open(
        &self,
        channel: &Channel,
        budget: &mut Budget,
    ) -> Result<Connection, ClientError> {
        match self.ask(channel, budget).await {
            (asked, Ok(introduction)) => self.conclude(asked, introduction),
            (asked, Err(error)) if error.facts.code == Some(METHOD_NOT_FOUND) => self.go_on(asked),
            (_, Err(error)) => Err(error),
        }
    }

    /// Asks the server what it is, and returns what it said. If it refuses the
    /// version of the question, it is asked once more with one that it names.
    pub async fn ask(
        &self,
        channel: &Channel,
        budget: &mut Budget,
    ) -> (Opening<Asked<Discover>>, Result<Value, ClientError>) {
        let asked = Opening::new(channel.life()).discover();
        let session = self.opening();
        let answer = question(channel, &session, budget).await;
        let refused = answer.as_ref().err().filter(|e| e.kind == ErrorKind::UnsupportedVersion);
        let Some(data) = refused.map(|error| error.facts.data.clone().unwrap_or_default()) else {
            return (asked, answer);
        };
        let agreed = match negotiate(&self.policy, Offer::UnsupportedVersion(&data)) {
            Ok(agreed) => agreed,
            Err(refusal) => {
                let category = Some(refusal.category());
                let answer = answer.map_err(|error| error.with(|facts| facts.category = category));
                return (asked, answer);
            }
        };
        match agreed.version.parse() {
            Ok(revision) => {
                let session = self.session(revision);
                let asked = asked.asked_again();
                (asked, question(channel, &session, budget).await)
            }
            Err(_) => (asked, answer),
        }
    }

    /// The connection that follows from what the server said of itself.
    ///
    /// # Errors
    /// [`ErrorKind::UnsupportedVersion`], [`ErrorKind::InvalidResult`],
    /// [`ErrorKind::MissingCapabilities`].
    pub fn conclude(
        &self,
        asked: Opening<Asked<Discover>>,
        introduction: Value,
    ) -> Result<Connection, ClientError> {
        if ResultType::of(&introduction, self.revision, false) != Some(ResultType::Complete) {
            let named = Discover::versions(&introduction);
            return Err(unexpected("server/discover").with(|facts| facts.named = named));
        }
        let agreed = asked.answered(introduction, &self.policy)?;
        let session = self.session(agreed.revision()?);
        Ok(agreed.ready(session))
    }

    /// The connection to a server that does not say what it is.
    ///
    /// # Errors
    /// [`ErrorKind::MissingCapabilities`] if the policy requires any.
    pub fn go_on(&self, asked: Opening<Asked<Discover>>) -> Result<Connection, ClientError> {
        asked.unanswered(self.opening(), &self.policy)
    }

    fn session(&self, revision: Revision) -> Session {
        let mut carried = Map::new();
        carried.insert(metadata::PROTOCOL_VERSION.into(), revision.as_str().into());
        let client = json!({ "name": self.name, "version": self.version });
        carried.insert(metadata::CLIENT_INFO.into(), client);
        Session::stateless(revision, carried)
    }
}

async fn question(
    channel: &Channel,
    session: &Session,
    budget: &mut Budget,
) -> Result<Value, ClientError> {
    channel.request("server/discover", None, Progress::default(), session, budget).await
}
