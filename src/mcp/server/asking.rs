//! What a server may ask of a client: what the client declared, and nothing else
//! (up to 2025-11-25: basic/lifecycle, "Operation"; from 2026-07-28 on: basic,
//! "Per-request protocol fields").

use std::sync::Arc;

use serde_json::{Value, json};

use super::Action;

/// Takes the questions out of an action, and out of what follows their answers,
/// that a client with these capabilities must not be asked; `refused` makes the
/// error that takes the place of one, of the capabilities that it needs.
pub(super) fn within(
    declared: &Arc<Value>,
    action: Action,
    refused: fn(Value) -> Action,
) -> Action {
    match action {
        Action::Ask { method, params, then } => {
            if let Some(needed) = lacking(&method, params.as_ref(), declared) {
                return refused(needed);
            }
            let declared = declared.clone();
            let then = Arc::new(move |answer: &Value| within(&declared, then(answer), refused));
            Action::Ask { method, params, then }
        }
        Action::After(time, action) => {
            Action::After(time, Box::new(within(declared, *action, refused)))
        }
        action => action,
    }
}

/// The capabilities that a question needs, if one of them is not declared.
fn lacking(method: &str, params: Option<&Value>, declared: &Value) -> Option<Value> {
    let params = params.unwrap_or(&Value::Null);
    let has = |path: &str| declared.pointer(path).is_some_and(|value| !value.is_null());
    match method {
        "roots/list" if !has("/roots") => Some(json!({ "roots": {} })),
        "sampling/createMessage" if !has("/sampling") => Some(json!({ "sampling": {} })),
        "sampling/createMessage" if !params["tools"].is_null() && !has("/sampling/tools") => {
            Some(json!({ "sampling": { "tools": {} } }))
        }
        "elicitation/create" if !has("/elicitation") => Some(json!({ "elicitation": {} })),
        "elicitation/create" if params["mode"] == "url" => {
            (!has("/elicitation/url")).then(|| json!({ "elicitation": { "url": {} } }))
        }
        // Without any mode, forms are declared (client/elicitation, "Capabilities").
        "elicitation/create" if has("/elicitation/url") && !has("/elicitation/form") => {
            Some(json!({ "elicitation": { "form": {} } }))
        }
        _ => None,
    }
}
