//! Of what type a result is: [`ResultType`] (basic, "ResultType").

use serde_json::Value;

use super::error::{ClientError, ErrorKind};
use crate::mcp::Revision;

/// Of what type a result is (basic, "ResultType").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultType {
    /// It is the whole of it.
    Complete,
    /// Something is to be answered first.
    InputRequired,
    /// The call goes on as a task (the extension for tasks).
    Task,
}

impl ResultType {
    /// The type of a result at `revision`; one that does not say is complete.
    /// `None` for a type that nobody knows; a task is known to those alone who
    /// said that they take `tasks`.
    pub fn of(result: &Value, revision: Revision, tasks: bool) -> Option<Self> {
        if !revision.has_result_types() {
            return Some(ResultType::Complete);
        }
        match result.get("resultType").map(Value::as_str) {
            None | Some(Some("complete")) => Some(ResultType::Complete),
            Some(Some("input_required")) => Some(ResultType::InputRequired),
            Some(Some("task")) if tasks => Some(ResultType::Task),
            Some(_) => None,
        }
    }
}

/// A result that this method, or this client, does not have.
pub(super) fn unexpected(method: &str) -> ClientError {
    let message = format!("the result of {method} is of no type that it may have");
    ClientError::new(ErrorKind::InvalidResult, message)
}
