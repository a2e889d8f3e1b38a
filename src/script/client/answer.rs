//! What an operation of the client came to: [`Answer`]; and one that is still in the
//! background, [`Pending`].

use rhai::Dynamic;
use serde_json::{Value, json};

use crate::mcp::client::{Cancellation, ClientError};
use crate::script::api::{Api, ScriptType};
use crate::script::blocking::Background;
use crate::script::value::{AsJson, from_json};

/// What an operation came to.
///
/// The error is a map: `kind`, `message`, and whatever facts are known.
#[derive(Clone, Debug)]
pub struct Answer(pub(super) Result<Value, Value>);

impl ScriptType for Answer {
    const NAME: &'static str = "Answer";
}

impl From<Result<Value, ClientError>> for Answer {
    fn from(result: Result<Value, ClientError>) -> Self {
        Answer(result.map_err(|error| {
            let mut members = error.details();
            members.insert("kind".into(), error.kind.as_str().into());
            members.insert("message".into(), error.message.as_str().into());
            Value::Object(members)
        }))
    }
}

impl Answer {
    /// Why it failed, as scripts read it; `()` if it succeeded.
    pub(super) fn error(&self) -> Dynamic {
        self.0.as_ref().err().map_or(Dynamic::UNIT, from_json)
    }

    /// The answer that [`AsJson`] writes like this: `#{ ok: true, value }` or
    /// `#{ ok: false, error }`.
    pub(in crate::script) fn from_json(mut json: Value) -> Self {
        if json["ok"] == true {
            Answer(Ok(json["value"].take()))
        } else {
            Answer(Err(json["error"].take()))
        }
    }
}

/// Whether a value is the answer of an operation that failed.
pub fn is_failed_answer(value: &Dynamic) -> bool {
    value.read_lock::<Answer>().is_some_and(|answer| answer.0.is_err())
}

impl AsJson for Answer {
    fn as_json(&self) -> Value {
        match &self.0 {
            Ok(value) => json!({ "ok": true, "value": value }),
            Err(error) => json!({ "ok": false, "error": error }),
        }
    }
}

/// An operation in the background. A clone is another handle.
#[derive(Clone)]
pub struct Pending {
    pub(super) answer: Background<Answer>,
    pub(super) cancellation: Cancellation,
}

impl ScriptType for Pending {
    const NAME: &'static str = "Pending";
}

/// Declares answers, and operations in the background.
pub(super) fn declare(api: &mut Api) {
    api.methods::<Answer>(
        "answers",
        "answer",
        "What an operation of the client came to. A failure of the protocol is an answer \
         too, and stops no script.",
    )
    .doc("Whether the operation succeeded.")
    .property("ok: bool", |answer| answer.0.is_ok())
    .doc("The result; `()` if it failed.")
    .property("value: any", |answer| answer.0.as_ref().map_or(Dynamic::UNIT, from_json))
    .doc(
        "Why it failed: `kind`, `message` and what else is known, such as `code` or \
         `status`; `()` if it succeeded. Where no whole response came (\"invalid-request\", \
         \"connection\", \"timeout\"), `http_request` is what was to be sent: `method`, \
         `url` and `headers`. Where an operation ended at a result that asks for more \
         (\"round-limit\", \"input-refused\"), that result as `result`, its state as \
         `state`, and as `request` what it answers: `origin`, `method`, `params` and `id`.",
    )
    .property("error: any", |answer| answer.error())
    .doc("The text of the first content of a tool's result.")
    .property("text: any", |answer| match &answer.0 {
        Ok(value) => from_json(&value["content"][0]["text"]),
        Err(_) => Dynamic::UNIT,
    })
    .doc("The answer as JSON.")
    .function("to_string() -> string", |answer, ()| answer.as_json().to_string());
    api.methods::<Pending>(
        "operations in the background",
        "pending",
        "What `client.begin` returns.",
    )
    .doc("Waits for the answer.")
    .function("result() -> Answer", |pending, ()| pending.answer.wait())
    .doc("Cancels the operation, and tells the server so.")
    .function("cancel()", |pending, ()| pending.cancellation.cancel());
}
