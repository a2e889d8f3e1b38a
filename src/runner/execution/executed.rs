//! What one execution came to ([`Executed`]), and what is left of it to be judged.

use std::sync::Arc;

use http::Uri;
use rhai::{Dynamic, Map};
use tokio::runtime::Runtime;

use super::acting::Acted;
use super::wire_schema::{AsWritten, WireSchema};
use crate::check::CheckpointResult;
use crate::runner::event::{ClientProcess, Trouble};
use crate::script::fault::Passed;
use crate::script::host::Record;
use crate::script::log::Logged;
use crate::script::observation::Observation;
use crate::script::server::Server;
use crate::script::value::deep_copy;
use crate::wire::Exchange;

/// What one execution came to.
#[derive(Default)]
pub struct Executed {
    /// Every checkpoint that is claimed at the revision, in the header's order, and
    /// `wire-schema`.
    pub checkpoints: Vec<CheckpointResult>,
    /// Why there are no ordinary verdicts.
    pub trouble: Option<Trouble>,
    /// What crossed the wire.
    pub exchanges: Vec<Exchange>,
    /// Base URLs of origins, and their names.
    pub origins: Vec<(String, String)>,
    /// The client's process, if there was one.
    pub client: Option<ClientProcess>,
    /// What the script logged.
    pub log: Logged,
    /// What faults can be played over, if it was to be kept.
    pub(super) kept: Option<Kept>,
}

/// What an execution without a fault keeps, for faults to be played over it.
pub(super) struct Kept {
    pub(super) outcome: Outcome,
    pub(super) passed: Passed,
    /// The runtime on which it was executed; making one takes longer than most faults.
    pub(super) runtime: Arc<Runtime>,
    pub(super) observation: Arc<Observation>,
    pub(super) wire: WireSchema,
    /// What a fault can change of what is seen, as text.
    pub(super) text: String,
}

/// What is left when the subject is done.
pub(super) struct Outcome {
    pub(super) result: Dynamic,
    pub(super) notes: Map,
    /// What the host kept; `None` if there was none.
    pub(super) record: Option<Record>,
    /// The MCP endpoint as the recorded exchanges name it.
    pub(super) endpoint: Uri,
    /// What a script wrote itself, byte for byte.
    pub(super) as_written: AsWritten,
}

impl Outcome {
    /// What is left of the client, or the host, and of the server that a script
    /// plays, if one does.
    pub(super) fn of(acted: Acted, server: Option<&Server>, endpoint: Uri) -> Outcome {
        Outcome {
            result: acted.result,
            notes: server.map(Server::notes).unwrap_or_default(),
            record: acted.record,
            endpoint,
            as_written: AsWritten {
                requests: acted.raw,
                responses: server.map(Server::sent_verbatim).unwrap_or_default(),
            },
        }
    }

    /// A copy that shares nothing that a judge or a fault can change.
    pub(super) fn copy(&self) -> Outcome {
        Outcome {
            result: deep_copy(&self.result),
            notes: self.notes.clone(),
            record: self.record.as_ref().map(Record::copy),
            endpoint: self.endpoint.clone(),
            as_written: self.as_written.clone(),
        }
    }
}
