//! Taking credentials out of values: [`Redactor::value`].

use serde_json::{Map, Value};

use super::Redactor;
use super::credential::{REDACTED, is_token_like};
use super::names::Name;

impl Redactor {
    /// `value` without credentials: each string by itself, so that no escape hides
    /// what it says, and what a name makes one: that of its member, that of a header
    /// field before it in a list, or one that its object says beside a member `value`.
    pub fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.redact(text).into(),
            Value::Array(items) => {
                let names = std::iter::once(&Value::Null).chain(items);
                let redacted = |(name, item): (&Value, &Value)| match name.as_str().and_then(named)
                {
                    Some(name) if name.is_header && !name.is_prose => self.member(name, item),
                    _ => self.value(item),
                };
                names.zip(items).map(redacted).collect()
            }
            Value::Object(members) => {
                let member = |(key, value): (&String, &Value)| {
                    let is_value = key.eq_ignore_ascii_case("value");
                    let beside = is_value.then(|| named_beside(members, value)).flatten();
                    let shown = match beside.or_else(|| named(key)) {
                        Some(name) => self.member(name, value),
                        None => self.value(value),
                    };
                    (self.redact(key), shown)
                };
                members.iter().map(member).collect()
            }
            other => other.clone(),
        }
    }

    /// The value of the member `name` without what it says.
    fn member(&self, name: Name, value: &Value) -> Value {
        match value {
            Value::String(text) if !text.is_empty() => REDACTED.into(),
            // A code is how JSON-RPC tells what an error is.
            Value::Number(_) if !name.is_prose => REDACTED.into(),
            Value::Array(items) => items.iter().map(|item| self.member(name, item)).collect(),
            Value::Object(members) if name.is_of_cookies() => members
                .iter()
                .map(|(key, value)| (self.redact(key), self.member(name, value)))
                .collect(),
            other => self.value(other),
        }
    }
}

fn named(text: &str) -> Option<Name> {
    Name::of(text.as_bytes())
}

/// The name of a credential that a string of the object says, if `value` can be
/// that credential.
fn named_beside(members: &Map<String, Value>, value: &Value) -> Option<Name> {
    let others = members.values().filter(|other| !std::ptr::eq(*other, value));
    let names = others.filter_map(|other| other.as_str().and_then(named));
    let is_token = || value.as_str().is_some_and(|text| is_token_like(text.as_bytes()));
    names.into_iter().find(|name| !name.is_prose || is_token())
}

#[cfg(test)]
mod tests {
    use crate::wire::redact::Redactor;

    #[test]
    fn a_value_is_redacted_and_stays_json() {
        let value = serde_json::json!({
            "hush": [1, "cookie: a=\"b\"; c", null], "x": "hush", "password": 7, "idToken": ["a"],
            "error": { "code": -32000 }, "token": "", "Cookie": { "y": "z" },
        });
        let expected = serde_json::json!({
            "[redacted]": [1, "cookie: [redacted]", null], "x": "[redacted]", "password": "[redacted]",
            "idToken": ["[redacted]"], "error": { "code": -32000 }, "token": "",
            "Cookie": { "y": "[redacted]" },
        });
        assert_eq!(Redactor::new(["hush"]).value(&value), expected);
    }

    #[test]
    fn a_value_is_known_by_the_name_beside_it() {
        let value = serde_json::json!({
            "headers": [{ "name": "Cookie", "value": "sid=zq" }, { "name": "Host", "value": "h" }],
            "tokens": [{ "name": "token", "value": "zq345678" }],
            "fields": [{ "Value": "zq", "key": "password" }, { "name": "code", "value": "py" }],
            "raw": ["Cookie", "sid=zq", "Host", "h", "token", "bucket"],
            "cookies": { "v": "zq", "n": [{ "x": "zq" }], "empty": "" },
            "password": { "type": "string", "title": "Password" },
            "authToken": "zq", "progressToken": "zq", "maxTokens": 7, "sessionToken": 7,
            "error": { "code": { "text": "x" } },
        });
        let expected = serde_json::json!({
            "headers": [
                { "name": "Cookie", "value": "[redacted]" }, { "name": "Host", "value": "h" },
            ],
            "tokens": [{ "name": "token", "value": "[redacted]" }],
            "fields": [
                { "Value": "[redacted]", "key": "password" }, { "name": "code", "value": "py" },
            ],
            "raw": ["Cookie", "[redacted]", "Host", "h", "token", "bucket"],
            "cookies": { "v": "[redacted]", "n": [{ "x": "[redacted]" }], "empty": "" },
            "password": { "type": "string", "title": "Password" },
            "authToken": "[redacted]", "progressToken": "zq", "maxTokens": 7, "sessionToken": 7,
            "error": { "code": { "text": "x" } },
        });
        let shown = Redactor::default().value(&value);
        assert_eq!(shown, expected);
        assert_eq!(Redactor::default().value(&shown), expected);
        // The same as text, but for what stands before its name.
        let text = Redactor::default().redact(&value.to_string());
        assert_eq!(text.matches("zq").count(), 2, "{text}");
        assert!(text.contains(r#"{"Value":"zq","key":"password"}"#), "{text}");
    }
}
