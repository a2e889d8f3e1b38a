//! A request in several rounds (2026-07-28, basic/patterns/mrtr): [`request`]
//! gives the server what it asks for in the middle, and sends the request again
//! until the result is complete.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Map, Value};

use super::answers::answers;
use super::budget::Budget;
use super::channel::Progress;
use super::error::{ClientError, ErrorKind};
use super::inner::Inner;
use super::interim::Interim;
use super::operation::Operation;
use super::result_type::{ResultType, unexpected};
use super::{calling, tasks};

/// How long to wait before a request is sent again for which nothing was asked;
/// it doubles with each round (policy).
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// How long to wait at most (policy).
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// What a request carries when it is sent again, from the latest result alone;
/// nothing when it is sent first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Round {
    /// An answer to each request of that result, under its key.
    responses: Option<Map<String, Value>>,
    /// As it came: nobody but the server knows what it means.
    state: Option<Value>,
    /// Of a list: where the page begins.
    cursor: Option<String>,
}

impl Round {
    /// What follows `result`, which asks for input, when it is given
    /// `responses`: one for each key of its `inputRequests`, or none if it asks
    /// for nothing. What is given beyond that is sent too.
    pub fn after(result: &Value, responses: Map<String, Value>) -> Self {
        let gives = result.get("inputRequests").is_some() || !responses.is_empty();
        let (responses, state) = (gives.then_some(responses), result.get("requestState").cloned());
        Round { responses, state, cursor: None }
    }

    /// The page of a list that begins at `cursor` (server/utilities/pagination).
    pub fn at(cursor: String) -> Self {
        Round { cursor: Some(cursor), ..Round::default() }
    }
}

/// The complete result of `operation`: one that was kept, or that of
/// [`ask`].
///
/// # Errors
/// Those of [`ask`].
pub(super) async fn request(
    client: &Inner,
    operation: &Operation,
    params: Option<Value>,
    progress: Progress,
    budget: &mut Budget,
) -> Result<Value, ClientError> {
    match client.kept(operation, params.as_ref()) {
        Some(kept) => Ok(kept),
        None => ask(client, operation, params, progress, budget).await,
    }
}

/// The complete result of `operation`, asked for anew.
///
/// # Errors
/// [`ErrorKind::InvalidResult`] if the server asks for what it must not;
/// [`ErrorKind::InputRefused`] if it is not given what it asks for;
/// [`ErrorKind::RoundLimit`]; whatever a request came to. If it ended at a result
/// that asks for more, the error has that result.
pub(super) async fn ask(
    client: &Inner,
    operation: &Operation,
    params: Option<Value>,
    progress: Progress,
    budget: &mut Budget,
) -> Result<Value, ClientError> {
    let mut round = Round::default();
    let mut pause = FIRST_PAUSE;
    let mut turn = 0;
    loop {
        let carried = round.carried(params.clone());
        // What is said while the answer is on its way may be about what it holds.
        let heard = client.channel.inbox().heard();
        let result = calling::send(client, operation, carried, progress, budget).await?;
        let tasks = client.channel.takes_tasks();
        let of = ResultType::of(&result, client.session().revision, tasks)
            .filter(|of| operation.may_come_to(*of))
            .ok_or_else(|| unexpected(operation.method()))?;
        match of {
            ResultType::Task if matches!(operation, Operation::CallTool { .. }) => {
                return tasks::follow(client, result, budget).await;
            }
            ResultType::InputRequired => {}
            ResultType::Complete | ResultType::Task => {
                // What an answer had a part in belongs to that answer alone.
                if turn == 0 {
                    client.keep(operation, params, &result, heard);
                }
                return Ok(result);
            }
        }
        let next = next(client, operation, &result, turn, &mut pause, budget).await;
        round = next.map_err(|error| {
            error.with(|facts| facts.interim = Interim::of(client, operation, result))
        })?;
        turn += 1;
    }
}

/// What is sent behind `result`, the one of the turn that is counted from 0, once
/// its time has come.
async fn next(
    client: &Inner,
    operation: &Operation,
    result: &Value,
    turn: u32,
    pause: &mut Duration,
    budget: &mut Budget,
) -> Result<Round, ClientError> {
    let limit = client.round_limit.load(Ordering::Relaxed);
    if turn >= limit {
        // Nobody is asked for what would not be sent any more.
        let message =
            format!("{} asks for more; the limit of rounds is {limit}", operation.method());
        return Err(ClientError::new(ErrorKind::RoundLimit, message)
            .with(|facts| facts.limit = Some(u64::from(limit))));
    }
    let round = answer(client, operation, result, budget).await?;
    if round.responses.as_ref().is_none_or(Map::is_empty) {
        budget.pause(*pause).await?;
        *pause = (*pause * 2).min(LONGEST_PAUSE);
    }
    Ok(round)
}

/// The result of one round of `operation`, as it came: complete, or one that asks
/// for input, or a task. Who calls gives what is asked for, in the next round.
/// Of tools, those that must not be called are left out all the same.
///
/// # Errors
/// [`ErrorKind::InvalidResult`] if the server asks for what it must not;
/// [`ErrorKind::NotSupported`] if the revision has no rounds; whatever the
/// request came to.
pub(super) async fn once(
    client: &Inner,
    operation: &Operation,
    round: &Round,
    progress: Progress,
    budget: &mut Budget,
) -> Result<Value, ClientError> {
    client.connection(budget).await?;
    let revision = client.session().revision;
    if round.is_later() && !revision.has_result_types() {
        let message = format!("{} was not sent: {revision} has no rounds", operation.method());
        return Err(ClientError::new(ErrorKind::NotSupported, message));
    }
    let params = round.carried(operation.params(revision)?);
    let mut result = calling::send(client, operation, params, progress, budget).await?;
    if let (Operation::ListTools, Some(Value::Array(tools))) = (operation, result.get_mut("tools"))
    {
        client.admit_tools(tools);
    }
    match ResultType::of(&result, revision, client.channel.takes_tasks()) {
        Some(of) if operation.may_come_to(of) => Ok(result),
        _ => Err(unexpected(operation.method())),
    }
}

impl Round {
    /// Whether it follows a result that asked for more.
    fn is_later(&self) -> bool {
        self.responses.is_some() || self.state.is_some()
    }

    fn carried(&self, params: Option<Value>) -> Option<Value> {
        if *self == Round::default() {
            return params;
        }
        let mut params = params.unwrap_or_else(|| Value::Object(Map::new()));
        if let Some(responses) = &self.responses {
            params["inputResponses"] = Value::Object(responses.clone());
        }
        if let Some(state) = &self.state {
            params["requestState"] = state.clone();
        }
        if let Some(cursor) = &self.cursor {
            params["cursor"] = cursor.as_str().into();
        }
        Some(params)
    }
}

/// What the next round carries: an answer to each request in `result`.
async fn answer(
    client: &Inner,
    operation: &Operation,
    result: &Value,
    budget: &mut Budget,
) -> Result<Round, ClientError> {
    let state = match result.get("requestState") {
        Some(state @ Value::String(_)) => Some(state.clone()),
        Some(_) => return Err(unexpected(operation.method())),
        None => None,
    };
    let responses = match result.get("inputRequests") {
        Some(Value::Object(requests)) => {
            Some(answers(client, operation.method(), requests.clone(), budget).await?)
        }
        None if state.is_some() => None,
        _ => return Err(unexpected(operation.method())),
    };
    Ok(Round { responses, state, cursor: None })
}
