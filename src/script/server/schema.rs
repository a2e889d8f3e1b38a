//! The schema of a tool's arguments, as a script writes it.

use rhai::Map;
use serde_json::{Map as Members, Value, json};

use crate::check::nearest::did_you_mean;
use crate::script::action::json_value;
use crate::script::api::Evaluated;

/// The members of an object; none of anything else.
pub(super) fn members(value: Value) -> Members<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Members::new(),
    }
}

/// A JSON Schema, from a whole one or from the short form that names a type
/// for each property, all of them required.
pub(super) fn input_schema(schema: &Map) -> Evaluated<Value> {
    whole_schema(members(json_value(&schema.clone().into())?))
}

/// The types of JSON Schema.
const TYPES: [&str; 7] = ["string", "integer", "number", "boolean", "object", "array", "null"];

/// A whole schema, from one or from the short form.
pub(super) fn whole_schema(schema: Members<String, Value>) -> Evaluated<Value> {
    let is_short =
        schema.values().all(Value::is_string) && schema.get("type") != Some(&json!("object"));
    if !is_short {
        return Ok(Value::Object(schema));
    }
    if schema.is_empty() {
        return Ok(json!({ "type": "object" }));
    }
    for (name, kind) in &schema {
        let kind = kind.as_str().unwrap_or_default();
        if !TYPES.contains(&kind) {
            let near = did_you_mean(kind, TYPES).map(|near| format!("; {near}"));
            return Err(format!(
                "the argument `{name}` has the type `{kind}`; the types of JSON Schema are {}{}",
                TYPES.join(", "),
                near.unwrap_or_default()
            )
            .into());
        }
    }
    let required: Vec<_> = schema.keys().cloned().collect();
    let typed = |(name, kind): (String, Value)| (name, json!({ "type": kind }));
    let properties: Members<String, Value> = schema.into_iter().map(typed).collect();
    Ok(json!({ "type": "object", "properties": properties, "required": required }))
}
