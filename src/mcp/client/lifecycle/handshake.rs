//! The lifecycle with a handshake, up to 2025-11-25: [`Handshake`]
//! (basic/lifecycle, "Initialization").

use serde_json::{Value, json};

use super::Connection;
use crate::mcp::Revision;
use crate::mcp::client::Options;
use crate::mcp::client::budget::{Budget, bounded};
use crate::mcp::client::channel::Channel;
use crate::mcp::client::error::{ClientError, ErrorKind};
use crate::mcp::client::transport::Session;
use crate::mcp::json_rpc::Notification;

/// `initialize`, its answer, `notifications/initialized`.
pub struct Handshake {
    revision: Revision,
    accepted: Vec<String>,
    name: String,
    version: String,
}

impl Handshake {
    /// The handshake that `options` describe.
    pub fn new(options: &Options) -> Self {
        Handshake {
            revision: options.revision,
            accepted: options.accepted_versions.clone(),
            name: options.client_name.clone(),
            version: options.client_version.clone(),
        }
    }

    /// What `initialize` carries.
    pub fn opening(&self) -> Session {
        Session::opening(self.revision)
    }

    /// Goes through the handshake in its order.
    ///
    /// # Errors
    /// [`ErrorKind::UnsupportedVersion`], [`ErrorKind::InvalidResult`], or
    /// whatever the transport came to.
    pub async fn open(
        &self,
        channel: &Channel,
        budget: &mut Budget,
    ) -> Result<Connection, ClientError> {
        let params = json!({
            "protocolVersion": self.revision.as_str(),
            "capabilities": channel.inbox().features().capabilities(self.revision),
            "clientInfo": { "name": self.name, "version": self.version },
        });
        let opening = self.opening();
        let reply = channel.initialize(params, &opening, budget).await?;
        let mut session = Session { id: reply.session_id, ..opening };
        match self.confirm(&reply.result, &mut session, channel, budget).await {
            Ok(()) => Ok(Connection { session, introduction: reply.result }),
            Err(error) => {
                if error.kind != ErrorKind::SessionLost {
                    // No one needs the session that was issued: it is ended
                    // beside the budget, whatever comes of that.
                    let mut own = channel.own_budget();
                    let end = channel.transport().end_session(&session, &mut own);
                    let _ = bounded(channel.scale(), end).await;
                }
                Err(error)
            }
        }
    }

    /// Checks what the server said of itself, then says that the client is
    /// ready.
    async fn confirm(
        &self,
        introduction: &Value,
        session: &mut Session,
        channel: &Channel,
        budget: &mut Budget,
    ) -> Result<(), ClientError> {
        session.revision = self.accept(check(introduction)?)?;
        session.negotiated = true;
        let ready = Notification { method: "notifications/initialized".into(), params: None };
        channel.transport().notify(&ready, session, budget).await
    }

    /// The revision by this name, if this client speaks it and the policy, or
    /// the request itself, named it.
    fn accept(&self, version: &str) -> Result<Revision, ClientError> {
        let known = version.parse::<Revision>().ok().filter(|revision| revision.has_handshake());
        let named = |revision: &Revision| {
            self.accepted.is_empty()
                || *revision == self.revision
                || self.accepted.iter().any(|accepted| accepted == revision.as_str())
        };
        known.filter(named).ok_or_else(|| {
            let message = "the server chose a protocol version that this client does not accept";
            ClientError::new(ErrorKind::UnsupportedVersion, message)
                .with(|facts| facts.version = Some(version.to_owned()))
        })
    }
}

/// Checks the result of `initialize` and returns the version in it.
fn check(result: &Value) -> Result<&str, ClientError> {
    let invalid = |what: &str| {
        let message = format!("the result of initialize has no {what}");
        ClientError::new(ErrorKind::InvalidResult, message)
    };
    let version = result["protocolVersion"].as_str();
    let version = version.ok_or_else(|| invalid("string `protocolVersion`"))?;
    if !result["capabilities"].is_object() {
        return Err(invalid("object `capabilities`"));
    }
    for member in ["name", "version"] {
        if !result["serverInfo"][member].is_string() {
            return Err(invalid(&format!("string `serverInfo.{member}`")));
        }
    }
    Ok(version)
}
