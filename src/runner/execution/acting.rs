//! How a script tells the built-in client, or the host around it, what to do.

use std::sync::Arc;

use bytes::Bytes;
use http::Uri;
use rhai::Dynamic;
use serde_json::Value;

use super::stage::{Stage, Stopped, broken};
use crate::check::CheckKind;
use crate::host::{Clock, Host as McpHost, Parts, Store};
use crate::mcp::client::{Client as McpClient, Endpoint, StreamableHttp};
use crate::runner::event::Trouble;
use crate::runner::subject::Subject;
use crate::script::blocking::Blocking;
use crate::script::client::Client;
use crate::script::error::Cause;
use crate::script::host::{Host, Record};
use crate::script::value::Absent;
use crate::wire::HttpClient;

/// What is left when the built-in client, or the host, is done.
pub(super) struct Acted {
    pub(super) result: Dynamic,
    /// What the host kept; `None` if there was none.
    pub(super) record: Option<Record>,
    /// The bodies that the script sent past the client.
    pub(super) raw: Vec<Bytes>,
}

impl Acted {
    /// What is known of a client that is not ours: nothing.
    pub(super) fn by_others() -> Self {
        Acted { result: Dynamic::from(Absent), record: None, raw: Vec::new() }
    }
}

impl Stage<'_> {
    /// Lets the script tell the built-in client, or the host around it, what to
    /// do. `context` is what an external client would be told.
    pub(super) fn act(
        &self,
        http: Arc<dyn HttpClient>,
        endpoint: Uri,
        context: Value,
    ) -> Result<Acted, Stopped> {
        let endpoint = Endpoint { url: endpoint, headers: self.settings.headers.clone() };
        let options = self.profile.client_options(self.settings.scale);
        let blocking = Blocking {
            runtime: self.runtime.clone(),
            deadline: (!self.on_paused_clock).then_some(self.deadline),
            interrupt: self.settings.interrupt.clone(),
            scale: self.settings.scale,
            waits: Arc::default(),
        };
        match self.check.kind {
            CheckKind::Host => {
                let transport = StreamableHttp::new(http, endpoint, self.settings.scale);
                self.operate(McpClient::new(Arc::new(transport), options), blocking)
            }
            CheckKind::Client | CheckKind::Server => {
                let handlers = self.handlers.clone();
                let client = Client::new(http, endpoint, options, blocking, handlers, context);
                self.drive(client)
            }
        }
    }

    fn drive(&self, client: Client) -> Result<Acted, Stopped> {
        let result = self.call_under_fault("drive", Dynamic::from(client.clone()))?;
        client.close_all().map_err(|_| self.out_of_time())?;
        Ok(Acted { result, record: None, raw: client.sent_raw() })
    }

    fn operate(&self, client: McpClient, blocking: Blocking) -> Result<Acted, Stopped> {
        let host = McpHost::new(Parts {
            client,
            operator: self.profile.operator.clone(),
            store: Store::in_memory().map_err(broken)?,
            clock: Clock::runtime(self.settings.scale),
            lease_owner: self.check.id.clone(),
        });
        let host = Host::new(host, self.profile.operator.zone, blocking);
        let result = self.call_under_fault("operate", Dynamic::from(host.clone()))?;
        host.finish().map_err(|_| self.out_of_time())?;
        let record = Some(host.record().map_err(broken)?);
        Ok(Acted { result, record, raw: Vec::new() })
    }

    /// Calls an entry of the check's script. What came of a fault may be more
    /// than the script can go on from; and a server from outside may be one with
    /// which a loop of it never ends. Then what was seen so far is judged.
    fn call_under_fault(&self, name: &str, subject: Dynamic) -> Result<Dynamic, Stopped> {
        match self.call(self.script, name, subject) {
            Err(Stopped::Script(error)) if self.fault.is_some() && !error.cause.is_an_end() => {
                Ok(Dynamic::from(Absent))
            }
            Err(Stopped::Script(error))
                if error.cause == Cause::WithoutEnd
                    && matches!(self.settings.subject, Subject::Server(_)) =>
            {
                self.engine.scripts.log().note(name, format!("it was ended: {error}"));
                Ok(Dynamic::from(Absent))
            }
            called => called,
        }
    }

    fn out_of_time(&self) -> Stopped {
        Stopped::Trouble(if self.settings.interrupt.is_cancelled() {
            Trouble::Cancelled
        } else {
            Trouble::TimedOut(self.settings.timeout)
        })
    }
}
