//! Values between JSON and scripts, and the two types that keep a silent
//! subject from breaking a check: [`List`] and [`Absent`].

use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use rhai::{Array, Dynamic, FnPtr, ImmutableString, Map};
use serde_json::Value;

use super::limits::spend;
use super::types::what;

/// What is not there: an item beyond the end of a list, and every property of
/// it. What is decided on it is "not exercised".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Absent;

/// A list as scripts see it: asking for an item that is not there is not an
/// error. A clone shares the items.
#[derive(Clone, Debug, Default)]
pub struct List(pub Arc<Vec<Dynamic>>);

impl List {
    /// The item at `index`, from the end if negative; else [`Absent`].
    pub fn item(&self, index: i64) -> Dynamic {
        let position = if index < 0 {
            self.0.len().checked_sub(index.unsigned_abs() as usize)
        } else {
            usize::try_from(index).ok()
        };
        let item = position.and_then(|position| self.0.get(position));
        item.cloned().unwrap_or_else(|| Dynamic::from(Absent))
    }
}

impl FromIterator<Dynamic> for List {
    fn from_iter<I: IntoIterator<Item = Dynamic>>(items: I) -> Self {
        List(Arc::new(items.into_iter().collect()))
    }
}

/// Types that scripts see in place of JSON and that stand for a JSON value.
pub trait AsJson {
    /// The JSON value that this stands for.
    fn as_json(&self) -> Value;
}

/// A JSON value as scripts see it: objects are maps, arrays are [`List`]s, null
/// is `()`.
pub fn from_json(value: &Value) -> Dynamic {
    match value {
        Value::Null => Dynamic::UNIT,
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => integer.into(),
            None => number.as_f64().unwrap_or(f64::NAN).into(),
        },
        Value::String(text) => text.into(),
        Value::Array(items) => Dynamic::from(items.iter().map(from_json).collect::<List>()),
        Value::Object(members) => {
            let map: Map = members
                .iter()
                .map(|(key, value)| (key.as_str().into(), from_json(value)))
                .collect();
            map.into()
        }
    }
}

/// A copy that shares nothing that a script can change in place.
pub fn deep_copy(value: &Dynamic) -> Dynamic {
    deep_copy_within(value, &mut JSON_PARTS.clone())
}

/// The same of at most `left` parts. Beyond them lists are shared: they can be made
/// anew, and not changed.
fn deep_copy_within(value: &Dynamic, left: &mut usize) -> Dynamic {
    *left = left.saturating_sub(1);
    if let Some(array) = value.read_lock::<Array>() {
        return array.iter().map(|item| deep_copy_within(item, left)).collect::<Array>().into();
    }
    if let Some(map) = value.read_lock::<Map>() {
        let members = map.iter().map(|(key, value)| (key.clone(), deep_copy_within(value, left)));
        return members.collect::<Map>().into();
    }
    if let Some(list) = value.read_lock::<List>().filter(|_| *left > 0) {
        let items = list.0.iter().map(|item| deep_copy_within(item, left));
        return Dynamic::from(items.collect::<List>());
    }
    value.flatten_clone()
}

/// How many values, members and items a script's value has at most as JSON. Lists
/// share their items, so that a few of them can stand for more than all memory.
pub const JSON_PARTS: usize = 1_000_000;
/// How many bytes its texts have at most.
pub const JSON_TEXT: usize = 64 * 1024 * 1024;

/// How deep it nests at most: further than anyone reads, and no further than the stack
/// of a worker bears.
pub const JSON_DEPTH: usize = 10_000;

/// What may still become JSON.
struct Left {
    parts: usize,
    text: usize,
    depth: usize,
}

impl Left {
    fn take(&mut self, text: usize) -> Result<(), String> {
        let left = self.parts.checked_sub(1).zip(self.text.checked_sub(text));
        let (parts, text) = left.ok_or_else(|| {
            format!("a value of more than {JSON_PARTS} parts or {JSON_TEXT} bytes")
        })?;
        (self.parts, self.text) = (parts, text);
        Ok(())
    }

    /// Takes a whole JSON value.
    fn take_json(&mut self, value: &Value) -> Result<(), String> {
        match value {
            Value::String(text) => self.take(text.len()),
            Value::Array(items) => {
                self.take(0)?;
                items.iter().try_for_each(|item| self.take_json(item))
            }
            Value::Object(members) => {
                self.take(0)?;
                members.iter().try_for_each(|(key, value)| {
                    self.take(key.len())?;
                    self.take_json(value)
                })
            }
            _ => self.take(0),
        }
    }
}

/// A script's value as JSON, of at most [`JSON_PARTS`] parts.
///
/// # Errors
/// What it is that has no JSON form: `a function`.
pub fn to_json(value: &Dynamic) -> Result<Value, String> {
    let mut left = Left { parts: JSON_PARTS, text: JSON_TEXT, depth: JSON_DEPTH };
    let json = json_within(value, &mut left);
    // That it took too long is said by what comes next.
    let _ = spend(JSON_PARTS - left.parts);
    json
}

fn json_within(value: &Dynamic, left: &mut Left) -> Result<Value, String> {
    let Some(depth) = left.depth.checked_sub(1) else {
        return Err(format!("a value that nests deeper than {JSON_DEPTH}"));
    };
    left.depth = depth;
    let json = json_at(value, left);
    left.depth += 1;
    json
}

fn json_at(value: &Dynamic, left: &mut Left) -> Result<Value, String> {
    if let Some(text) = value.read_lock::<ImmutableString>() {
        left.take(text.len())?;
        return Ok(text.as_str().into());
    }
    if let Some(message) = value.read_lock::<super::observation::Message>() {
        left.take_json(message.data.json())?;
        return Ok(message.as_json());
    }
    if let Some(answer) = value.read_lock::<super::client::Answer>() {
        let json = answer.as_json();
        left.take_json(&json)?;
        return Ok(json);
    }
    left.take(0)?;
    if value.is_unit() {
        return Ok(Value::Null);
    }
    if let Ok(boolean) = value.as_bool() {
        return Ok(boolean.into());
    }
    if let Ok(integer) = value.as_int() {
        return Ok(integer.into());
    }
    if let Ok(float) = value.as_float() {
        return serde_json::Number::from_f64(float)
            .map(Value::Number)
            .ok_or_else(|| format!("the number {float}"));
    }
    if let Ok(character) = value.as_char() {
        return Ok(character.to_string().into());
    }
    let mut all = |items: &[Dynamic]| {
        let items = items.iter().map(|item| json_within(item, left));
        items.collect::<Result<_, _>>().map(Value::Array)
    };
    if let Some(array) = value.read_lock::<Array>() {
        return all(&array);
    }
    if let Some(list) = value.read_lock::<List>() {
        return all(&list.0);
    }
    if let Some(map) = value.read_lock::<Map>() {
        let members = map.iter().map(|(key, value)| {
            left.take(key.len())?;
            Ok((key.to_string(), json_within(value, left)?))
        });
        return members.collect::<Result<_, String>>().map(Value::Object);
    }
    if value.is::<FnPtr>() {
        return Err("a function".to_owned());
    }
    Err(what(value))
}

/// Whether two JSON values are equal as JSON: numbers by value, whatever their
/// form, objects whatever the order of their members.
pub fn json_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64().is_some_and(|one| Some(one) == other.as_f64())
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| json_equal(a, b))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, a)| other.get(key).is_some_and(|b| json_equal(a, b)))
        }
        _ => one == other,
    }
}

/// Feeds `value` to `hasher` so that what [`json_equal`] takes for equal has one hash.
pub fn hash_json(value: &Value, hasher: &mut impl Hasher) {
    match value {
        Value::Null => hasher.write_u8(0),
        Value::Bool(value) => hasher.write_u8(1 + u8::from(*value)),
        // Both zeros are equal, and have two forms.
        Value::Number(number) => {
            let number = number.as_f64().filter(|number| *number != 0.0).unwrap_or(0.0);
            hasher.write_u64(number.to_bits());
        }
        Value::String(text) => hasher.write(text.as_bytes()),
        Value::Array(items) => {
            hasher.write_usize(items.len());
            items.iter().for_each(|item| hash_json(item, hasher));
        }
        Value::Object(members) => {
            // In any order.
            let all = members.iter().fold(0_u64, |all, (key, value)| {
                let mut own = DefaultHasher::new();
                own.write(key.as_bytes());
                hash_json(value, &mut own);
                all.wrapping_add(own.finish())
            });
            hasher.write_u64(all);
        }
    }
}

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
    use super::*;
    use serde_json::json;

    #[test]
    fn json_survives_the_way_through_a_script() {
        let value = json!({ "a": [1, 2.5, "x", null, true], "b": { "c": [] } });
        assert_eq!(to_json(&from_json(&value)), Ok(value));
    }

    #[test]
    fn numbers_are_equal_by_value_alone() {
        assert!(json_equal(&json!(17), &json!(17.0)));
        assert!(!json_equal(&json!(17), &json!("17")));
        assert!(json_equal(&json!({ "a": 1, "b": 2 }), &json!({ "b": 2.0, "a": 1 })));
    }

    #[test]
    fn values_read_as_a_script_would_write_them() {
        let value = from_json(&json!({ "b": 1, "a b": ["x", null], "c": {} }));
        assert_eq!(describe(&value), r#"#{ "a b": ["x", ()], b: 1, c: #{} }"#);
        assert_eq!(describe(&Dynamic::from(Absent)), "absent");
        let within: Array = vec![Dynamic::from(Absent), 1_i64.into(), Dynamic::UNIT];
        assert_eq!(describe(&within.into()), "[absent, 1, ()]");
    }

    #[test]
    fn an_item_that_is_not_there_is_absent() {
        let list: List = [Dynamic::from(1_i64)].into_iter().collect();
        assert!(list.item(1).is::<Absent>());
        assert!(list.item(-2).is::<Absent>());
        assert_eq!(list.item(-1).as_int(), Ok(1));
        assert!(list.item(i64::MIN).is::<Absent>());
    }
}
