//! The lifecycle with a handshake, up to 2025-11-25: [`Handshake`]
//! (basic/lifecycle, "Initialization").

use serde_json::{Value, json};

use super::opening::{Asked, Confirmed, Connection, Initialize, Opening};
use crate::mcp::Revision;
use crate::mcp::client::Options;
use crate::mcp::client::budget::{Budget, bounded};
use crate::mcp::client::channel::Channel;
use crate::mcp::client::error::{ClientError, ErrorKind};
use crate::mcp::client::transport::Session;
use crate::mcp::json_rpc::Notification;
use crate::mcp::negotiation::Policy;

/// `initialize`, its answer, `notifications/initialized`.
pub struct Handshake {
    revision: Revision,
    policy: Policy,
    name: String,
    version: String,
}

impl Handshake {
    /// The handshake that `options` describe.
    pub fn new(options: &Options) -> Self {
        Handshake {
            revision: options.revision,
            policy: options.policy_where(Revision::has_handshake),
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
    /// [`ErrorKind::UnsupportedVersion`], [`ErrorKind::InvalidResult`],
    /// [`ErrorKind::MissingCapabilities`], or whatever the transport came to.
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
        let asked = Opening::new(channel.life()).initialize();
        let reply = channel.initialize(params, &self.opening(), budget).await?;
        let mut session = Session { id: reply.session_id, ..self.opening() };
        match self.confirm(asked, reply.result, &mut session, channel, budget).await {
            Ok(confirmed) => Ok(confirmed.ready(session)),
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

    /// Holds what the server said of itself against the policy, then says that
    /// the client is ready.
    async fn confirm(
        &self,
        asked: Opening<Asked<Initialize>>,
        introduction: Value,
        session: &mut Session,
        channel: &Channel,
        budget: &mut Budget,
    ) -> Result<Opening<Confirmed>, ClientError> {
        let agreed = asked.answered(introduction, &self.policy)?;
        session.revision = agreed.revision()?;
        session.negotiated = true;
        let ready = Notification { method: "notifications/initialized".into(), params: None };
        channel.transport().notify(&ready, session, budget).await?;
        Ok(agreed.confirmed())
    }
}
