//! What the server asks for in the middle of a request, answered: [`answers`].

use serde_json::{Map, Value};

use super::budget::Budget;
use super::error::{ClientError, ErrorKind};
use super::features::ClientFeature;
use super::inner::Inner;
use super::result_type::unexpected;

/// The answers to requests, under their keys. While they are given, which may
/// take a person, the budget's clock stands still.
pub(super) async fn answers(
    client: &Inner,
    method: &str,
    requests: Map<String, Value>,
    budget: &mut Budget,
) -> Result<Map<String, Value>, ClientError> {
    let revision = client.session().revision;
    let mut responses = Map::new();
    for (key, mut request) in requests {
        let asked = request["method"].as_str().and_then(ClientFeature::of_method);
        let feature = asked.ok_or_else(|| unexpected(method))?;
        let params = request.get_mut("params").map(Value::take);
        let features = client.channel.inbox().features();
        let held = budget.suspension().hold();
        let outcome = budget.wait(features.answer(feature, params, revision)).await?;
        drop(held);
        let response = outcome.map_err(|error| {
            let asked = feature.method();
            let message = format!("{method} asks for {asked}, which this client refuses");
            ClientError::new(ErrorKind::InputRefused, message)
                .with(|facts| facts.code = Some(error.code))
        })?;
        responses.insert(key, response);
    }
    Ok(responses)
}
