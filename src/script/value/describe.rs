//! A value as a script would write it: [`describe`].

use rhai::{Array, Dynamic, Map};
use serde_json::Value;

use super::{Absent, List, to_json};

/// A value as a script would write it, at most [`DESCRIPTION_LIMIT`] characters.
pub fn describe(value: &Dynamic) -> String {
    describe_within(value, DESCRIPTION_LIMIT)
}

/// A value as a script would write it, at most `limit` characters.
pub fn describe_within(value: &Dynamic, limit: usize) -> String {
    let mut text = String::new();
    if write_value(value, &mut text).is_some() {
        return shorten(text, limit);
    }
    let shown = text.char_indices().nth(limit).map_or(text.len(), |(end, _)| end);
    format!("{}… (more than {WRITTEN} bytes)", &text[..shown])
}

/// How many bytes of a value's text are made to say how long it is.
const WRITTEN: usize = 16 * 1024 * 1024;

/// How much of a value a diagnostic shows, in characters: enough for a message,
/// not for a page.
pub const DESCRIPTION_LIMIT: usize = 400;

/// A text, or the first `limit` characters of it and its length.
pub fn shorten(text: String, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}

/// Writes a value, whatever in it has no form in JSON; `None` as soon as the text is
/// longer than [`WRITTEN`].
fn write_value(value: &Dynamic, text: &mut String) -> Option<()> {
    if value.is::<Absent>() {
        text.push_str("absent");
    } else if let Some(array) = value.read_lock::<Array>() {
        return write_items(array.iter(), text, write_value);
    } else if let Some(list) = value.read_lock::<List>() {
        return write_items(list.0.iter(), text, write_value);
    } else if let Some(map) = value.read_lock::<Map>() {
        let members = map.iter().map(|(key, value)| (key.as_str(), value));
        return write_members(members, text, write_value);
    } else {
        match to_json(value) {
            Ok(json) => return write_json(&json, text),
            Err(other) => text.push_str(&other),
        }
    }
    Some(())
}

fn write_json(value: &Value, text: &mut String) -> Option<()> {
    match value {
        Value::Null => text.push_str("()"),
        Value::Array(items) => return write_items(items.iter(), text, write_json),
        Value::Object(members) => {
            // Maps of scripts sort their keys; so both sides read alike.
            let mut members: Vec<_> = members.iter().map(|(key, value)| (&**key, value)).collect();
            members.sort_by_key(|(key, _)| *key);
            return write_members(members.into_iter(), text, write_json);
        }
        other => text.push_str(&other.to_string()),
    }
    Some(())
}

fn write_items<T>(
    items: impl Iterator<Item = T>,
    text: &mut String,
    write: fn(T, &mut String) -> Option<()>,
) -> Option<()> {
    text.push('[');
    for (index, item) in items.enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        write(item, text)?;
        within(text)?;
    }
    text.push(']');
    Some(())
}

fn write_members<'a, T>(
    members: impl Iterator<Item = (&'a str, T)>,
    text: &mut String,
    write: fn(T, &mut String) -> Option<()>,
) -> Option<()> {
    text.push_str("#{");
    for (index, (key, value)) in members.enumerate() {
        text.push_str(if index > 0 { ", " } else { " " });
        let plain = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if plain {
            text.push_str(key);
        } else {
            text.push_str(&Value::from(key).to_string());
        }
        text.push_str(": ");
        write(value, text)?;
        within(text)?;
    }
    text.push_str(if text.ends_with("#{") { "}" } else { " }" });
    Some(())
}

fn within(text: &str) -> Option<()> {
    (text.len() <= WRITTEN).then_some(())
}

#[cfg(test)]
mod tests {
    use super::super::from_json;
    use super::*;
    use serde_json::json;

    #[test]
    fn values_read_as_a_script_would_write_them() {
        let value = from_json(&json!({ "b": 1, "a b": ["x", null], "c": {} }));
        assert_eq!(describe(&value), r#"#{ "a b": ["x", ()], b: 1, c: #{} }"#);
        assert_eq!(describe(&Dynamic::from(Absent)), "absent");
        let within: Array = vec![Dynamic::from(Absent), 1_i64.into(), Dynamic::UNIT];
        assert_eq!(describe(&within.into()), "[absent, 1, ()]");
    }
}
