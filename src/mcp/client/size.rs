//! What values of a server take in memory, so that what is kept of them is bounded.

use serde_json::Value;

/// How many bytes a value takes, about.
pub(super) fn size(value: &Value) -> usize {
    let within: usize = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| 2 * size_of::<String>() + key.len() + size(value))
            .sum(),
        _ => 0,
    };
    size_of::<Value>() + within
}
