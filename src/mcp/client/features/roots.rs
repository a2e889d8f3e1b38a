//! `roots/list` (client/roots).

use serde_json::Value;

use super::handler::{Handler, unfit};
use crate::mcp::json_rpc::ErrorObject;

/// Gets the roots from `handler`. A root is a `file://` URI ("Data Types").
pub(super) async fn answer(params: Value, handler: &Handler) -> Result<Value, ErrorObject> {
    let result = handler(params).await?;
    let Some(roots) = result["roots"].as_array() else {
        return Err(unfit("The answer has no list of roots"));
    };
    let is_root = |root: &Value| root["uri"].as_str().is_some_and(|uri| uri.starts_with("file://"));
    if roots.iter().all(is_root) {
        return Ok(result);
    }
    Err(unfit("A root is not a file:// URI"))
}
