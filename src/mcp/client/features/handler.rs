//! What answers a request of the server: a [`Handler`], and the errors of such
//! responses.

use std::sync::Arc;

use serde_json::Value;

use crate::mcp::json_rpc::{ErrorObject, INTERNAL_ERROR, INVALID_PARAMS};
use crate::wire::http::BoxFuture;

/// Answers a request of the server: gets its `params`, and returns the result
/// or the error. It may take as long as a person takes.
pub type Handler =
    Arc<dyn Fn(Value) -> BoxFuture<'static, Result<Value, ErrorObject>> + Send + Sync>;

/// The error of the response.
pub(super) fn refusal(code: i64, message: impl Into<String>) -> ErrorObject {
    ErrorObject { code, message: message.into(), data: None }
}

/// The request is not what the revision asks for.
pub(super) fn invalid(message: impl Into<String>) -> ErrorObject {
    refusal(INVALID_PARAMS, message)
}

/// The handler's answer is not one that a server may be sent.
pub(super) fn unfit(message: impl Into<String>) -> ErrorObject {
    refusal(INTERNAL_ERROR, message)
}
