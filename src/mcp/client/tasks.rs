//! A call that goes on as a task (the extension `io.modelcontextprotocol/tasks`):
//! [`follow`] asks for its state until it has come to an end.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Map, Value};

use super::budget::{Budget, bounded};
use super::error::{ClientError, ErrorKind};
use super::operation::Operation;
use super::rounds::{answers, unexpected};
use super::{Inner, Progress};
use crate::mcp::json_rpc::ErrorObject;

/// How long to wait between two questions if the server does not say (policy).
const DEFAULT_INTERVAL: Duration = Duration::from_millis(1000);
/// How long to wait at least (policy): a server that says 0 must not keep the
/// client busy.
const LEAST_INTERVAL: Duration = Duration::from_millis(50);
/// How often a task is asked for at most (policy).
pub const POLL_LIMIT: u32 = 1000;

/// The result of the call that `task`, the handle that came in its place,
/// stands for. Waiting for it costs nothing of the budget. If the caller cancels
/// the call, the server is asked to cancel the task.
///
/// # Errors
/// [`ErrorKind::JsonRpc`] if the call failed; [`ErrorKind::TaskCancelled`] if
/// the server cancelled it; [`ErrorKind::RoundLimit`] if it does not end;
/// [`ErrorKind::InvalidResult`] if its state is none; whatever a request came
/// to.
pub(super) async fn follow(
    client: &Inner,
    task: Value,
    budget: &mut Budget,
) -> Result<Value, ClientError> {
    let Some(id) = task["taskId"].as_str().map(str::to_owned) else {
        return Err(unexpected("tools/call"));
    };
    let outcome = poll(client, &id, task, budget).await;
    if outcome.as_ref().is_err_and(ClientError::is_cancellation) {
        // The operation is over; what becomes of this does not matter.
        let cancel = Operation::CancelTask { id };
        let mut own = client.channel.own_budget();
        let params = cancel.params(client.session().revision)?;
        let sent = client.send(&cancel, params, Progress::default(), &mut own);
        let _ = bounded(client.channel.scale(), sent).await;
    }
    outcome
}

async fn poll(
    client: &Inner,
    id: &str,
    mut task: Value,
    budget: &mut Budget,
) -> Result<Value, ClientError> {
    let mut answered = BTreeSet::new();
    let get = Operation::GetTask { id: id.to_owned() };
    for _ in 0..POLL_LIMIT {
        match task["status"].as_str() {
            Some("completed") if task["result"].is_object() => return Ok(task["result"].take()),
            Some("failed") => return Err(failure(task["error"].take(), client)),
            Some("cancelled") => {
                let message = "the server cancelled the task that tools/call became";
                return Err(ClientError::new(ErrorKind::TaskCancelled, message));
            }
            Some("working") => {}
            // The handle itself carries no questions; they come when it is asked.
            Some("input_required") => {
                if let Value::Object(requests) = task["inputRequests"].take() {
                    update(client, id, requests, &mut answered, budget).await?;
                }
            }
            _ => return Err(unexpected("tasks/get")),
        }
        wait(&task, budget).await?;
        let params = get.params(client.session().revision)?;
        task = client.send(&get, params, Progress::default(), budget).await?;
    }
    let message = format!("the task goes on after it was asked for {POLL_LIMIT} times");
    Err(ClientError::new(ErrorKind::RoundLimit, message)
        .with(|facts| facts.limit = Some(u64::from(POLL_LIMIT))))
}

/// Answers what the task asks for and was not given before.
async fn update(
    client: &Inner,
    id: &str,
    mut requests: Map<String, Value>,
    answered: &mut BTreeSet<String>,
    budget: &mut Budget,
) -> Result<(), ClientError> {
    requests.retain(|key, _| !answered.contains(key));
    if requests.is_empty() {
        return Ok(());
    }
    answered.extend(requests.keys().cloned());
    let responses = answers(client, "tasks/get", requests, budget).await?;
    let update = Operation::UpdateTask { id: id.to_owned(), responses: responses.into() };
    let params = update.params(client.session().revision)?;
    client.send(&update, params, Progress::default(), budget).await?;
    Ok(())
}

/// Lets the time pass that the server asks for, while the budget's clock stands
/// still.
async fn wait(task: &Value, budget: &mut Budget) -> Result<(), ClientError> {
    let asked = task["pollIntervalMs"].as_u64().map(Duration::from_millis);
    let _held = budget.suspension().hold();
    budget.pause(asked.unwrap_or(DEFAULT_INTERVAL).max(LEAST_INTERVAL)).await
}

fn failure(error: Value, client: &Inner) -> ClientError {
    match ErrorObject::from_value(error) {
        Ok(error) => ClientError::from_response("tools/call", error, client.session().revision),
        Err(_) => unexpected("tasks/get"),
    }
}
