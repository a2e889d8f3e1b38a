//! Why a host did not do what it was asked: [`CallRefusal`], [`HostError`].

use miette::Diagnostic;

use super::gate::Denial;
use super::store::StoreError;
use crate::mcp::client::ClientError;

/// Why a tool was not called, or why what a call came to is not handed out.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum CallRefusal {
    /// The gate denied it.
    #[error("`{tool}` may not be called: {denial}")]
    #[diagnostic(code("host::denied"))]
    Denied {
        /// The name that was asked for.
        tool: String,
        /// Why.
        denial: Denial,
    },
    /// A person has to approve each call, and none did.
    #[error("`{tool}` may not be called: each call takes the approval of a person")]
    #[diagnostic(code("host::not-approved"))]
    NotApproved {
        /// The tool.
        tool: String,
    },
    /// No run was persisted, or this host does not hold it.
    #[error("`{tool}` was not called: a write takes a run that is persisted and leased")]
    #[diagnostic(code("host::no-run"))]
    NoRun {
        /// The tool.
        tool: String,
    },
    /// What was to be done could not be stored; nothing was sent.
    #[error("nothing was sent, since it could not be recorded")]
    #[diagnostic(code("host::not-recorded"))]
    NotRecorded(
        #[source]
        #[diagnostic_source]
        StoreError,
    ),
    /// The call was made, and what came of it could not be stored. The run has
    /// failed.
    #[error("the call was made, but what it came to could not be recorded; the run has failed")]
    #[diagnostic(code("host::result-not-recorded"))]
    ResultNotRecorded(
        #[source]
        #[diagnostic_source]
        StoreError,
    ),
}

impl CallRefusal {
    /// The reason in a word: that of the [`Denial`], `not-approved`, `no-run`,
    /// `not-recorded`, `result-not-recorded`.
    pub fn as_str(&self) -> &'static str {
        match self {
            CallRefusal::Denied { denial, .. } => denial.as_str(),
            CallRefusal::NotApproved { .. } => "not-approved",
            CallRefusal::NoRun { .. } => "no-run",
            CallRefusal::NotRecorded(_) => "not-recorded",
            CallRefusal::ResultNotRecorded(_) => "result-not-recorded",
        }
    }
}

/// Why a host could not import, or know a tool.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum HostError {
    /// The server did not answer as it should.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Client(#[from] ClientError),
    /// The store cannot be used.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Store(#[from] StoreError),
}
