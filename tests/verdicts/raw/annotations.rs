//! Whether the annotations `x-mcp-header` of a tool keep to their rules (2026-07-28,
//! basic/transports/streamable-http#schema-extension).

use serde_json::Value;

const KEY: &str = "x-mcp-header";

/// Whether a client may keep the tool.
pub fn is_valid(tool: &Value) -> bool {
    let mut names = Vec::new();
    let schema = &tool["inputSchema"];
    let in_place = properties(schema, &mut names);
    let distinct: std::collections::BTreeSet<_> = names.iter().collect();
    // Whatever stands anywhere else is an annotation in a wrong place.
    in_place && distinct.len() == names.len() && names.len() == count(schema)
}

/// Takes the names of what is annotated along chains of `properties`; false if one
/// breaks a rule.
fn properties(schema: &Value, names: &mut Vec<String>) -> bool {
    schema["properties"].as_object().into_iter().flatten().all(|(_, property)| {
        let is_right = match property.get(KEY) {
            None => true,
            Some(name) => {
                let name = name.as_str().unwrap_or_default();
                names.push(name.to_lowercase());
                let is_token =
                    |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
                !name.is_empty()
                    && name.bytes().all(is_token)
                    && ["string", "integer", "boolean"].iter().any(|kind| property["type"] == *kind)
            }
        };
        is_right && properties(property, names)
    })
}

fn count(value: &Value) -> usize {
    match value {
        Value::Object(members) => {
            usize::from(members.contains_key(KEY)) + members.values().map(count).sum::<usize>()
        }
        Value::Array(items) => items.iter().map(count).sum(),
        _ => 0,
    }
}
