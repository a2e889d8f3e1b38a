//! A result that asks for more, and the request that it answers: [`Interim`], by
//! which an operation goes on later (2026-07-28, basic/patterns/mrtr).
//!
//! It is plain data: whoever keeps it can go on in another process.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The largest id of a request that can be kept: every program reads it alike
/// (RFC 8259, section 6).
const LARGEST_ID: i64 = (1 << 53) - 1;

/// A result that asks for more, with the request that it answers. Its state
/// belongs to that request alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Interim {
    /// What it answers.
    pub request: Original,
    /// The result, as it came.
    pub result: Value,
}

/// The request that an [`Interim`] result answers. As JSON: `{"origin": …,
/// "method": …, "params": …, "id": …}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Value")]
pub struct Original {
    /// The origin of the server, serialized (RFC 6454, section 6.2).
    pub origin: String,
    /// The method that was called.
    pub method: String,
    /// The params, without what each request carries and without answers and
    /// state.
    pub params: Value,
    /// The largest id that the client had used. Ids only rise, so a larger one
    /// is that of none of the requests before (basic/patterns/mrtr, "Client
    /// Requirements").
    pub id: i64,
}

/// Why a value is no request or result that was kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotKept(pub(super) String);

impl Original {
    const MEMBERS: [&str; 4] = ["origin", "method", "params", "id"];
}

impl TryFrom<Value> for Original {
    type Error = NotKept;

    fn try_from(value: Value) -> Result<Self, NotKept> {
        let Value::Object(members) = value else {
            return Err(NotKept("it is no map".into()));
        };
        if let Some(other) = members.keys().find(|key| !Self::MEMBERS.contains(&key.as_str())) {
            let known = "`origin`, `method`, `params` and `id`";
            return Err(NotKept(format!("it has `{other}` beside {known}")));
        }
        let lacks = |what: &str| NotKept(format!("it lacks {what}"));
        let text = |name: &str| {
            let found = members.get(name).and_then(Value::as_str).map(str::to_owned);
            found.ok_or_else(|| lacks(&format!("the string `{name}`")))
        };
        let params = members.get("params").filter(|params| params.is_object());
        let id = members.get("id").and_then(Value::as_i64);
        Ok(Original {
            origin: text("origin")?,
            method: text("method")?,
            params: params.cloned().ok_or_else(|| lacks("the map `params`"))?,
            id: id
                .filter(|id| (0..=LARGEST_ID).contains(id))
                .ok_or_else(|| lacks("a whole number from 0 to 2^53 - 1 as `id`"))?,
        })
    }
}

impl Interim {
    /// The state of the result, if it has one; what it means is known to the
    /// server alone.
    pub fn state(&self) -> Option<&str> {
        self.result["requestState"].as_str()
    }

    /// What is said of it beside an error: `request`, `result`, and `state` if
    /// there is one.
    pub(super) fn details(&self) -> Map<String, Value> {
        let mut details = Map::new();
        details.insert("request".into(), json!(self.request));
        details.insert("result".into(), self.result.clone());
        details.extend(self.state().map(|state| ("state".to_owned(), state.into())));
        details
    }
}
