//! Rounds by hand: what `client.step` and `client.step_from` return, and
//! how many rounds the client goes by itself.

use rhai::{Dynamic, Engine, Map};
use serde_json::{Value, json};

use super::super::action::json_value;
use super::super::types::{a, type_word};
use super::super::value::from_json;
use super::{Answer, Client, Evaluated, operation};
use crate::mcp::client::{
    Cancellation, Interim, Operation, Original, Round as McpRound, RoundLimit,
};

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

    /// The round that ended with `result`, which was kept with the `request` that
    /// it answers. Nothing is sent.
    fn step_from(&mut self, request: Map, result: Map) -> Evaluated<Round> {
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

/// Registers the rounds of a client.
pub(super) fn register(engine: &mut Engine) {
    engine
        .register_fn("step", |client: &mut Client, name: &str| {
            client.step(operation(name, &[])?, &McpRound::default())
        })
        .register_fn("step", |client: &mut Client, name: &str, first: Dynamic| {
            // What a list takes is the cursor of a page.
            match operation(name, &[]) {
                Ok(list) if list.is_list() => {
                    let cursor = first.into_string().map_err(|found| {
                        format!("the cursor of {name} is a string, not {}", a(&type_word(found)))
                    })?;
                    client.step(list, &McpRound::at(cursor))
                }
                _ => client.step(operation(name, &[first])?, &McpRound::default()),
            }
        })
        .register_fn("step", |client: &mut Client, name: &str, first: Dynamic, second: Dynamic| {
            client.step(operation(name, &[first, second])?, &McpRound::default())
        })
        .register_fn("step_from", Client::step_from)
        .register_get("round_limit", |client: &mut Client| i64::from(client.0.client.round_limit()))
        .register_set("round_limit", |client: &mut Client, limit: i64| -> Evaluated<()> {
            let limit = RoundLimit::try_from(limit)
                .map_err(|error| format!("{error}, and {limit} is none"))?;
            client.0.client.limit_rounds(limit);
            Ok(())
        });
    engine
        .register_type_with_name::<Round>("Round")
        .register_get("result", |round: &mut Round| round.answer.clone())
        .register_get("request", Round::request)
        .register_fn("answer", Round::answer);
}
