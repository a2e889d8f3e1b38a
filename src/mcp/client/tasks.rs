//! A call that goes on as a task (the extension `io.modelcontextprotocol/tasks`):
//! [`follow`] asks for its state until it has come to an end.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Map, Value};

use super::answers::answers;
use super::budget::{Budget, bounded};
use super::channel::Progress;
use super::error::{ClientError, ErrorKind};
use super::inner::{Attempts, Inner};
use super::operation::Operation;
use super::result_type::{ResultType, unexpected};
use crate::mcp::json_rpc::ErrorObject;

/// How long to wait between two questions if the server does not say (policy).
const DEFAULT_INTERVAL: Duration = Duration::from_millis(1000);
/// How long to wait at least (policy): a server that says 0 must not keep the
/// client busy.
const LEAST_INTERVAL: Duration = Duration::from_millis(50);
/// How long to wait at most (policy): no server keeps a call for ever by one
/// number.
const LONGEST_INTERVAL: Duration = Duration::from_secs(300);
/// How often a task is asked for at most (policy).
pub const POLL_LIMIT: u32 = 1000;
/// How many questions in a row may come to nothing for a reason that passes
/// (policy).
const FAILURE_LIMIT: u32 = 5;

/// The result of the call that `task`, the handle that came in its place,
/// stands for. Waiting for it costs nothing of the budget. If it is given up, for
/// whatever reason, the server is asked to cancel the task (ext-tasks, "Task
/// Polling").
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
    match poll(client, &id, task, budget).await {
        Ok(end) => end,
        Err(given_up) => {
            // The operation is over; what becomes of this does not matter.
            let cancel = Operation::CancelTask { id };
            let mut own = client.channel.own_budget();
            let sent = ask(client, &cancel, &mut own);
            let _ = bounded(client.channel.scale(), sent).await;
            Err(given_up)
        }
    }
}

/// What the task came to in the end.
///
/// # Errors
/// Why it was given up before its end.
async fn poll(
    client: &Inner,
    id: &str,
    mut task: Value,
    budget: &mut Budget,
) -> Result<Result<Value, ClientError>, ClientError> {
    let mut answered = BTreeSet::new();
    let mut failures = 0;
    let get = Operation::GetTask { id: id.to_owned() };
    for _ in 0..POLL_LIMIT {
        match task["status"].as_str() {
            Some("completed") if task["result"].is_object() => {
                return Ok(Ok(task["result"].take()));
            }
            Some("failed") => return Ok(Err(failure(task["error"].take(), client))),
            Some("cancelled") => {
                let message = "the server cancelled the task that tools/call became";
                return Ok(Err(ClientError::new(ErrorKind::TaskCancelled, message)));
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
        match ask(client, &get, budget).await {
            Ok(state) => {
                failures = 0;
                task = state;
            }
            // The task goes on, so the next question may find its end.
            Err(error) if passes(&error) && failures < FAILURE_LIMIT => failures += 1,
            Err(error) => return Err(error),
        }
    }
    let message = format!("the task goes on after it was asked for {POLL_LIMIT} times");
    Err(ClientError::new(ErrorKind::RoundLimit, message)
        .with(|facts| facts.limit = Some(u64::from(POLL_LIMIT))))
}

/// Sends a request about a task and returns its result.
async fn ask(
    client: &Inner,
    operation: &Operation,
    budget: &mut Budget,
) -> Result<Value, ClientError> {
    let revision = client.session().revision;
    let params = operation.params(revision)?;
    let mut attempts = Attempts::default();
    let progress = Progress::default();
    let result = client.send(operation, params, progress, &mut attempts, budget).await?;
    match ResultType::of(&result, revision, client.channel.takes_tasks()) {
        Some(of) if operation.may_come_to(of) => Ok(result),
        _ => Err(unexpected(operation.method())),
    }
}

/// Whether the next question may fare better: the server is busy, or the
/// connection broke.
fn passes(error: &ClientError) -> bool {
    matches!(error.facts.status, Some(429 | 503))
        || error.kind == ErrorKind::Connection
        || error.facts.lost
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
    ask(client, &update, budget).await?;
    Ok(())
}

/// Lets the time pass that the server asks for, within the bounds of the policy,
/// while the budget's clock stands still.
async fn wait(task: &Value, budget: &mut Budget) -> Result<(), ClientError> {
    let asked = task["pollIntervalMs"].as_u64().map(Duration::from_millis);
    let _held = budget.suspension().hold();
    let interval = asked.unwrap_or(DEFAULT_INTERVAL).clamp(LEAST_INTERVAL, LONGEST_INTERVAL);
    budget.pause(interval).await
}

fn failure(error: Value, client: &Inner) -> ClientError {
    match ErrorObject::from_value(error) {
        Ok(error) => ClientError::from_response("tools/call", error, client.session().revision),
        Err(_) => unexpected("tasks/get"),
    }
}
