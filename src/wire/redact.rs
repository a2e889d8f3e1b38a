//! Taking credentials out of what people read. The main type is [`Redactor`].
//!
//! Two kinds of text are taken out, and `[redacted]` is written in their place:
//!
//! - what stands in a place that is known to hold credentials: the header
//!   fields in [`CREDENTIAL_HEADERS`], the values of the JSON and form members
//!   in [`CREDENTIAL_MEMBERS`] and of those whose name ends as one of
//!   [`CREDENTIAL_ENDINGS`], also inside JSON that is itself a JSON string,
//!   in a URI's query, percent-encoded, and in what a program prints; the user
//!   information of a URI; and JSON Web Tokens, signed or encrypted, and private
//!   keys in PEM, wherever they stand;
//! - the secrets that a profile names, in every form that [`Redactor::new`]
//!   lists.
//!
//! An empty value stays: it gives nothing away, and a reviewer wants to see it.
//! Numbers stay as the value of `code`, since that is how JSON-RPC tells what
//! an error is. Redacting twice changes nothing.

mod names;
mod pem;
mod places;

use std::ops::Range;

use serde_json::{Map, Value};

pub use self::names::{CREDENTIAL_ENDINGS, CREDENTIAL_HEADERS, CREDENTIAL_MEMBERS, SCHEMES};

use self::names::{Member, NO_OBJECTS, PROSE, one_of};
use super::scan;
use super::secret::Secrets;

/// What is written in the place of a credential.
pub const REDACTED: &str = "[redacted]";

/// Takes credentials out of texts.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    secrets: Secrets,
}

impl Redactor {
    /// A redactor that also knows `secrets`, in every form in which a text can
    /// hold one: as they are, percent-encoded, escaped as in a JSON string or a
    /// debug form, needlessly or not, and as often as texts are nested; and in
    /// base64 (either alphabet, alone or as a part of a longer text, such as a
    /// client's id and secret). Of a secret of several lines each longer line is
    /// one as well. Where a text was cut, the beginning of a secret is.
    pub fn new<S: AsRef<str>>(secrets: impl IntoIterator<Item = S>) -> Self {
        Redactor { secrets: Secrets::new(secrets) }
    }

    /// `text` without credentials.
    pub fn redact(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.redact_bytes(text.as_bytes())).into_owned()
    }

    /// `bytes` without credentials; they need not be UTF-8.
    pub fn redact_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        // Both kinds are looked for in the original: if one were taken out
        // first, a remainder of the other could stay behind.
        let mut ranges = self.secrets.find(bytes, REDACTED.as_bytes());
        ranges.extend(places::places_in(bytes));
        ranges.extend(pem::blocks(bytes));
        replace(bytes, ranges)
    }

    /// The value of the header field `name` without credentials. Of an
    /// authorization the scheme stays: `Bearer [redacted]`.
    pub fn header(&self, name: &str, value: &[u8]) -> Vec<u8> {
        let name = name.to_ascii_lowercase();
        let member = Member::named(name.as_bytes());
        let is_credential = CREDENTIAL_HEADERS.contains(&name.as_str())
            || member.is_some_and(|member| !NO_OBJECTS.contains(&member.name));
        if is_credential {
            replace(value, vec![credential_in(&name, value)])
        } else {
            self.redact_bytes(value)
        }
    }

    /// `value` without credentials: each string by itself, so that no escape hides
    /// what it says, and what a name makes one: that of its member, or a string
    /// before it in a list or in an object with a member `value`.
    pub fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.redact(text).into(),
            Value::Array(items) => {
                let names = std::iter::once(&Value::Null).chain(items);
                let redacted = |(name, item): (&Value, &Value)| match (name, item) {
                    (Value::String(name), Value::String(text)) if is_listed(name, text) => {
                        REDACTED.into()
                    }
                    _ => self.value(item),
                };
                names.zip(items).map(redacted).collect()
            }
            Value::Object(members) => {
                let member = |(name, value): (&String, &Value)| {
                    let is_value = ["value", "values"].contains(&&*name.to_ascii_lowercase());
                    let shown = match is_value.then(|| credential_named(members, value)).flatten() {
                        Some(credential) => self.member(credential, value),
                        None => self.member(name, value),
                    };
                    (self.redact(name), shown)
                };
                members.iter().map(member).collect()
            }
            other => other.clone(),
        }
    }

    fn member(&self, name: &str, value: &Value) -> Value {
        let member = Member::named(name.as_bytes());
        if member.is_none() && one_of(&CREDENTIAL_HEADERS, name.as_bytes()).is_none() {
            return self.value(value);
        }
        let is_whole = member.is_none_or(|member| !NO_OBJECTS.contains(&member.name));
        let has_numbers = member.is_none_or(|member| member.is_listed && member.name != "code");
        let redacted = |value: &Value| match value {
            Value::String(text) if !text.is_empty() => REDACTED.into(),
            // How JSON-RPC tells what an error is.
            Value::Number(_) if has_numbers => REDACTED.into(),
            Value::Object(_) | Value::Array(_) if is_whole && !is_schema(value) => {
                self.strings(value)
            }
            other => self.value(other),
        };
        match value {
            Value::Array(items) => items.iter().map(redacted).collect(),
            other => redacted(other),
        }
    }

    /// `value` without what any of its strings says, however deep.
    fn strings(&self, value: &Value) -> Value {
        match value {
            Value::String(text) if !text.is_empty() => REDACTED.into(),
            Value::Array(items) => items.iter().map(|item| self.strings(item)).collect(),
            Value::Object(members) => members
                .iter()
                .map(|(name, value)| (self.redact(name), self.strings(value)))
                .collect(),
            other => other.clone(),
        }
    }
}

/// Whether `text`, which follows the string `name` in a list, is its credential.
fn is_listed(name: &str, text: &str) -> bool {
    let name = name.as_bytes();
    !text.is_empty()
        && match (one_of(&CREDENTIAL_HEADERS, name), Member::named(name)) {
            (Some(header), _) if !PROSE.contains(&header) => true,
            (None, None) => false,
            _ => scan::is_token_like(text.as_bytes()),
        }
}

/// The name of a credential that a string of the object says, if `value` can be
/// that credential.
fn credential_named<'a>(members: &'a Map<String, Value>, value: &Value) -> Option<&'a str> {
    let is_name = |name: &&str| {
        let name = name.as_bytes();
        match (one_of(&CREDENTIAL_HEADERS, name), Member::named(name)) {
            (Some(_), _) => true,
            (None, Some(member)) if member.is_prose => {
                value.as_str().is_some_and(|text| scan::is_token_like(text.as_bytes()))
            }
            (None, member) => member.is_some(),
        }
    };
    let strings = members.values().filter(|other| !std::ptr::eq(*other, value));
    strings.filter_map(Value::as_str).find(is_name)
}

/// Whether this describes a value rather than has one.
fn is_schema(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(name, value)| {
            let is_type =
                name == "type" && value.as_str().is_some_and(|it| scan::SCHEMA_TYPES.contains(&it));
            is_type || scan::SCHEMA_MEMBERS.contains(&name.as_str()) || is_schema(value)
        }),
        Value::Array(items) => items.iter().any(is_schema),
        _ => false,
    }
}

/// `bytes` with [`REDACTED`] in the place of each of `ranges`; those that
/// overlap are replaced as one.
fn replace(bytes: &[u8], mut ranges: Vec<Range<usize>>) -> Vec<u8> {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_by_key(|range| range.start);
    let mut out = Vec::with_capacity(bytes.len());
    let mut done = 0;
    for range in ranges {
        if range.start >= done {
            out.extend_from_slice(&bytes[done..range.start]);
            out.extend_from_slice(REDACTED.as_bytes());
        }
        done = done.max(range.end);
    }
    out.extend_from_slice(&bytes[done..]);
    out
}

/// The part of a credential header field's value that is the credential.
fn credential_in(name: &str, value: &[u8]) -> Range<usize> {
    if name.ends_with("authorization") {
        let scheme = value.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let gap = scan::spaces_length(&value[scheme..]);
        if is_scheme(&value[..scheme]) && (gap > 0 || scheme == value.len()) {
            return scheme + gap..value.len();
        }
    }
    0..value.len()
}

fn is_scheme(word: &[u8]) -> bool {
    SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme.as_bytes()))
}

#[cfg(test)]
mod tests;
