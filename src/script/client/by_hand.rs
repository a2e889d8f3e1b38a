//! Rounds by hand: what `client.step` and `client.step_from` return, and
//! how many rounds the client goes by itself.

use rhai::{Dynamic, Map};
use serde_json::{Value, json};

use super::operations::operation;
use super::{Answer, Client};
use crate::mcp::client::{
    Cancellation, Interim, Operation, Original, Round as McpRound, RoundLimit,
};
use crate::script::action::json_value;
use crate::script::api::{Api, Evaluated, ScriptType};
use crate::script::types::{a, type_word};
use crate::script::value::from_json;

/// One round of an operation, whose result came as the server sent it. A clone is
/// another handle.
#[derive(Clone)]
pub struct Round {
    client: Client,
    operation: Operation,
    answer: Answer,
}

impl Client {
    fn step(&self, operation: Operation, round: &McpRound) -> Evaluated<Round> {
        let never = Cancellation::new();
        let sent = self.0.client.perform_round(&operation, round, &never);
        let answer = Answer::from(self.0.blocking.wait(sent)?);
        Ok(Round { client: self.clone(), operation, answer })
    }

    /// One round of the operation of this name. What a list takes is the cursor of a
    /// page.
    pub(super) fn step_operation(&self, name: &str, arguments: &[Dynamic]) -> Evaluated<Round> {
        if let [cursor] = arguments
            && let Ok(list) = operation(name, &[])
            && list.is_list()
        {
            let cursor = cursor.clone().into_string().map_err(|found| {
                format!("the cursor of {name} is a string, not {}", a(&type_word(found)))
            })?;
            return self.step(list, &McpRound::at(cursor));
        }
        self.step(operation(name, arguments)?, &McpRound::default())
    }

    /// Sets how many rounds the client goes by itself.
    pub(super) fn limit_rounds(&mut self, limit: i64) -> Evaluated<()> {
        let limit =
            RoundLimit::try_from(limit).map_err(|error| format!("{error}, and {limit} is none"))?;
        self.0.client.limit_rounds(limit);
        Ok(())
    }

    /// The round that ended with `result`, which was kept with the `request` that
    /// it answers. Nothing is sent.
    pub(super) fn step_from(&self, request: Map, result: Map) -> Evaluated<Round> {
        let request = Original::try_from(json_value(&request.into())?)
            .map_err(|error| format!("this is no request that was kept: {error}"))?;
        let interim = Interim { request, result: json_value(&result.into())? };
        let operation = interim
            .operation()
            .map_err(|error| format!("this is no result from which to go on: {error}"))?;
        let resumed = self.0.client.resume(&interim);
        let answer = Answer::from(resumed.map(|_| interim.result));
        Ok(Round { client: self.clone(), operation, answer })
    }
}

impl Round {
    fn answer(&mut self, responses: Map) -> Evaluated<Round> {
        let Ok(result) = &self.answer.0 else {
            return Err("the round before failed: there is nothing to give an answer to".into());
        };
        let Value::Object(responses) = json_value(&responses.into())? else {
            return Err("the answers are a map".into());
        };
        self.client.step(self.operation.clone(), &McpRound::after(result, responses))
    }

    /// What is kept beside the result; `()` if that asks for nothing.
    fn request(&mut self) -> Dynamic {
        let result = self.answer.0.as_ref().ok();
        let kept =
            result.and_then(|result| self.client.0.client.interim(&self.operation, result.clone()));
        kept.map_or(Dynamic::UNIT, |kept| from_json(&json!(kept.request)))
    }
}

impl ScriptType for Round {
    const NAME: &'static str = "Round";
}

/// Declares rounds.
pub(super) fn declare(api: &mut Api) {
    api.methods::<Round>(
        "rounds by hand",
        "round",
        "What `client.step` and `client.step_from` return: one round of an operation.",
    )
    .doc("The result as the server sent it, which may ask for input.")
    .property("result: Answer", |round| round.answer.clone())
    .doc("What the result answers, for `client.step_from`; `()` if it asks for nothing.")
    .property("request: any", Round::request)
    .doc(
        "Sends the operation once more with an answer to each request of the result, under \
         its key, and with the state that it holds. The request has an id that none before \
         it had.",
    )
    .function("answer(responses: map) -> Round", Round::answer);
}
