//! Runs and the calls in them: a [`Call`] asks the gate, is declared, sent, and
//! recorded.

use serde_json::Value;

use super::error::CallRefusal;
use super::gate::{self, Caller, Denial};
use super::run::{LEASE, Run};
use super::step::Step;
use super::store::{LoggedDenial, RunStatus, StoreError};
use super::tool::{Origin, Tool};
use super::tool_result::ToolResult;
use super::{Host, content};
use crate::mcp::client::{Cancellation, Operation};

/// A call of a tool.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// The local name.
    pub tool: &'a str,
    /// An object.
    pub arguments: Option<Value>,
    /// The run that it is a step of; without one, nothing is written to.
    pub run: Option<&'a Run>,
    /// Whether a person approved it.
    pub approved: bool,
}

impl Host {
    /// Begins a run: it is persisted and leased to this host.
    ///
    /// # Errors
    /// [`StoreError`]; then there is no run.
    pub fn begin_run(&self, caller: &Caller) -> Result<Run, StoreError> {
        let (owner, now) = (&self.0.lease_owner, self.now());
        let id = self.0.store.begin_run(&caller.name, owner, now, lease_until(now))?;
        Ok(Run { id, cancellation: Cancellation::new() })
    }

    /// Ends a run that goes on.
    ///
    /// # Errors
    /// [`StoreError`]; then its lease runs out.
    pub fn complete_run(&self, run: &Run) -> Result<(), StoreError> {
        self.0.store.end_run(run.id, RunStatus::Completed, self.now()).map(|_| ())
    }

    /// Cancels a run: what it has in flight is stopped, and nothing more is
    /// sent. A run that has ended stays as it is.
    ///
    /// # Errors
    /// [`StoreError`] if that cannot be stored; what is in flight is stopped
    /// all the same.
    pub fn cancel_run(&self, run: &Run) -> Result<(), StoreError> {
        run.cancel();
        self.0.store.end_run(run.id, RunStatus::Cancelled, self.now()).map(|_| ())
    }

    /// Calls a tool for `caller`: asks the gate, declares the call in the run,
    /// sends it, and records what it came to.
    ///
    /// Whatever the server or the way to it does is a [`ToolResult`] that is
    /// not ok.
    ///
    /// # Errors
    /// [`CallRefusal`]; nothing was sent but for
    /// [`CallRefusal::ResultNotRecorded`].
    pub async fn call(&self, call: Call<'_>, caller: &Caller) -> Result<ToolResult, CallRefusal> {
        let tool = self.tool(call.tool).map_err(CallRefusal::NotRecorded)?;
        if let Some(denial) = gate::decide(tool.as_ref(), caller).denial() {
            self.log_denial(call.tool, caller, denial);
            return Err(CallRefusal::Denied { tool: call.tool.to_owned(), denial });
        }
        let no_run = || CallRefusal::NoRun { tool: call.tool.to_owned() };
        let tool = tool.ok_or_else(no_run)?;
        if tool.requires_approval && !call.approved {
            return Err(CallRefusal::NotApproved { tool: tool.name });
        }
        let run = call.run.ok_or_else(no_run)?;
        if run.is_cancelled() {
            let result = ToolResult::cancelled("the run was cancelled before the call was sent");
            return self.record(run, &tool, result);
        }
        self.declare(run, &tool)?;
        let result = self.execute(&tool, call.arguments, &run.cancellation).await;
        self.record(run, &tool, result.bounded())
    }

    /// Holds the run and stores that the call is about to be made.
    fn declare(&self, run: &Run, tool: &Tool) -> Result<(), CallRefusal> {
        let (store, owner, now) = (&self.0.store, &self.0.lease_owner, self.now());
        let leased = store.renew_lease(run.id, owner, now, lease_until(now));
        if !leased.map_err(CallRefusal::NotRecorded)? {
            return Err(CallRefusal::NoRun { tool: tool.name.clone() });
        }
        let step =
            Step::Declared { tool: tool.name.clone(), effect: tool.effect().as_str().to_owned() };
        store.append(run.id, &step, now).map_err(|error| {
            self.fail_run(run);
            CallRefusal::NotRecorded(error)
        })
    }

    async fn execute(
        &self,
        tool: &Tool,
        arguments: Option<Value>,
        cancellation: &Cancellation,
    ) -> ToolResult {
        let (server, remote_name) = match &tool.origin {
            Origin::Local { answer } => return ToolResult::ok(answer.clone()),
            Origin::Remote { server, remote_name } => (server, remote_name),
        };
        let operation = Operation::CallTool { name: remote_name.clone(), arguments };
        match self.perform(operation, cancellation).await {
            Ok(completed) => content::read(&completed.result)
                .with_write_target(format!("{server}/{remote_name}")),
            Err(error) if error.is_cancellation() => ToolResult::cancelled(format!(
                "the call was cancelled; what the server {server} did is not known"
            )),
            Err(error) => ToolResult::failed(format!("the server {server}: {error}")),
        }
    }

    /// Stores what a call came to, and hands it out.
    fn record(
        &self,
        run: &Run,
        tool: &Tool,
        result: ToolResult,
    ) -> Result<ToolResult, CallRefusal> {
        let step = Step::Tool {
            tool: tool.name.clone(),
            outcome: result.outcome(),
            text: result.text().to_owned(),
        };
        match self.0.store.append(run.id, &step, self.now()) {
            Ok(()) => Ok(result),
            Err(error) => {
                self.fail_run(run);
                Err(CallRefusal::ResultNotRecorded(error))
            }
        }
    }

    fn fail_run(&self, run: &Run) {
        // If this cannot be stored either, the lease runs out.
        let _ = self.0.store.end_run(run.id, RunStatus::Failed, self.now());
    }

    fn log_denial(&self, tool: &str, caller: &Caller, denial: Denial) {
        // Denied is denied, whether or not it can be written down.
        let _ = self.0.store.record_denial(&LoggedDenial {
            at: self.now(),
            caller: caller.name.clone(),
            tool: tool.to_owned(),
            reason: denial.as_str().to_owned(),
        });
    }
}

fn lease_until(now: i64) -> i64 {
    now.saturating_add(i64::try_from(LEASE.as_millis()).unwrap_or(i64::MAX))
}
