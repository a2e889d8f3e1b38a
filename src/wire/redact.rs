//! Taking credentials out of what people read. The main type is [`Redactor`].
//!
//! Two kinds of text are taken out, and `[redacted]` is written in their place:
//!
//! - what stands in a place that is known to hold credentials: the header
//!   fields in [`CREDENTIAL_HEADERS`], the values of the JSON and form members
//!   in [`CREDENTIAL_MEMBERS`], also inside JSON that is itself a JSON string,
//!   in a URI's query, and in what a program prints; the user information of a
//!   URI; and signed JSON Web Tokens, wherever they stand;
//! - the secrets that a profile names, in every form that [`Redactor::new`]
//!   lists.
//!
//! An empty value stays: it gives nothing away, and a reviewer wants to see it.
//! Numbers stay as the value of `code`, since that is how JSON-RPC tells what
//! an error is. Redacting twice changes nothing.

use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};

use serde_json::Value;

use super::scan;
use super::secret::{Secrets, hexadecimal, unicode_escape};

/// What is written in the place of a credential.
pub const REDACTED: &str = "[redacted]";

/// Header fields whose value is a credential, in lower case.
pub const CREDENTIAL_HEADERS: [&str; 5] =
    ["authorization", "cookie", "proxy-authorization", "set-cookie", "x-api-key"];

/// JSON and form members whose value is a credential; `accessToken` and
/// `ACCESS-TOKEN` are `access_token` too.
pub const CREDENTIAL_MEMBERS: [&str; 16] = [
    "access_token",
    "actor_token",
    "api_key",
    "assertion",
    "client_assertion",
    "client_secret",
    "code",
    "code_verifier",
    "device_code",
    "id_token",
    "password",
    "refresh_token",
    "registration_access_token",
    "secret",
    "subject_token",
    "token",
];

/// Those that are words of prose as well: a colon after them makes a member
/// only if they stand in quotes, an equals sign only where a member can begin.
const PROSE: [&str; 4] = ["assertion", "code", "secret", "token"];

/// Authentication schemes that stay readable before a redacted credential.
pub const SCHEMES: [&str; 5] = ["basic", "bearer", "digest", "dpop", "negotiate"];

/// What help texts write in the place of a credential; it stays.
const PLACEHOLDER: &[u8] = b"TOKEN";

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
        ranges.extend(places_in(bytes));
        replace(bytes, ranges)
    }

    /// The value of the header field `name` without credentials. Of an
    /// authorization the scheme stays: `Bearer [redacted]`.
    pub fn header(&self, name: &str, value: &[u8]) -> Vec<u8> {
        let name = name.to_ascii_lowercase();
        if CREDENTIAL_HEADERS.contains(&name.as_str()) {
            replace(value, vec![credential_in(&name, value)])
        } else {
            self.redact_bytes(value)
        }
    }

    /// `value` without credentials: each string by itself, so that no escape hides
    /// what it says, and what a member's name makes one.
    pub fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.redact(text).into(),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(members) => {
                let member = |(name, value): (&String, &Value)| {
                    (self.redact(name), self.member(name, value))
                };
                members.iter().map(member).collect()
            }
            other => other.clone(),
        }
    }

    fn member(&self, name: &str, value: &Value) -> Value {
        let is_credential = CREDENTIAL_MEMBERS.iter().any(|known| is_name(name.as_bytes(), known))
            || one_of(&CREDENTIAL_HEADERS, name.as_bytes()).is_some();
        let redacted = |value: &Value| match value {
            Value::String(text) if !text.is_empty() => REDACTED.into(),
            // How JSON-RPC tells what an error is.
            Value::Number(_) if name != "code" => REDACTED.into(),
            other => self.value(other),
        };
        match value {
            Value::Array(items) if is_credential => items.iter().map(redacted).collect(),
            other if is_credential => redacted(other),
            other => self.value(other),
        }
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
        let gap = value[scheme..].iter().take_while(|&&byte| byte == b' ').count();
        if is_scheme(&value[..scheme]) && (gap > 0 || scheme == value.len()) {
            return scheme + gap..value.len();
        }
    }
    0..value.len()
}

fn is_scheme(word: &[u8]) -> bool {
    SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme.as_bytes()))
}

/// What stands in the places that are known to hold credentials.
fn places_in(text: &[u8]) -> Vec<Range<usize>> {
    let read = Read::new(text);
    let text = &*read.text;
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let escape = scan::escape_length(text, at);
        let word = scan::word_length(&text[at..]);
        if escape > 0 || word == 0 {
            at += escape.max(1);
            continue;
        }
        let end = at + word;
        let credential = credential_at(text, at, end).filter(|range| !range.is_empty());
        at = credential.as_ref().map_or(end, |range| range.end);
        ranges.extend(credential.map(|range| read.original(range)));
    }
    ranges
}

/// A text as a reader of JSON or of a URI would see its words: letters, digits,
/// `-` and `_` as they are, where they were escaped without need.
struct Read<'a> {
    text: Cow<'a, [u8]>,
    /// For each byte of `text`, and for its end, where it stands in the
    /// original; empty if that is the same.
    places: Vec<usize>,
}

impl<'a> Read<'a> {
    fn new(original: &'a [u8]) -> Self {
        let mut escapes = memchr::memchr2_iter(b'%', b'\\', original);
        if !escapes.any(|at| word_escape(original, at).is_some()) {
            return Read { text: Cow::Borrowed(original), places: Vec::new() };
        }
        let (mut text, mut places) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < original.len() {
            let (byte, length) = word_escape(original, at).unwrap_or((original[at], 1));
            text.push(byte);
            places.push(at);
            at += length;
        }
        places.push(at);
        Read { text: Cow::Owned(text), places }
    }

    fn original(&self, range: Range<usize>) -> Range<usize> {
        let place = |at: usize| self.places.get(at).copied().unwrap_or(at);
        place(range.start)..place(range.end)
    }
}

/// The byte of a word that is escaped at `at`, and how long the escape is.
fn word_escape(text: &[u8], at: usize) -> Option<(u8, usize)> {
    let (byte, end) = match text[at] {
        b'%' => (hexadecimal(text, at + 1, 2)?, at + 3),
        b'\\' => {
            let run = text[at..].iter().take_while(|&&byte| byte == b'\\').count();
            if text.get(at + run) != Some(&b'u') {
                return None;
            }
            let (character, end) = unicode_escape(text, at + run + 1)?;
            (u32::from(character), end)
        }
        _ => return None,
    };
    let byte = u8::try_from(byte).ok()?;
    let is_word = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    is_word.then_some((byte, end - at))
}

/// The letters, in lower case, that a name or a scheme begins with. Most words of
/// a body begin with another.
const BEGINNINGS: [bool; 256] = {
    let mut table = [false; 256];
    let mut at = 0;
    while at < CREDENTIAL_MEMBERS.len() {
        table[CREDENTIAL_MEMBERS[at].as_bytes()[0] as usize] = true;
        at += 1;
    }
    at = 0;
    while at < CREDENTIAL_HEADERS.len() {
        table[CREDENTIAL_HEADERS[at].as_bytes()[0] as usize] = true;
        at += 1;
    }
    at = 0;
    while at < SCHEMES.len() {
        table[SCHEMES[at].as_bytes()[0] as usize] = true;
        at += 1;
    }
    table
};

/// The credential that the word at `start..end` is, or that follows it.
fn credential_at(text: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    // No name that matters is shorter or longer; a body may be one word of
    // megabytes.
    const LENGTHS: RangeInclusive<usize> = 4..=64;
    let word = &text[start..end];
    if word.starts_with(b"eyJ") {
        return web_token(text, start, end);
    }
    if let Some(authority) = scan::authority(text, end) {
        return user_information(text, authority);
    }
    let first = word.iter().find(|byte| byte.is_ascii_alphanumeric())?;
    if !LENGTHS.contains(&word.len()) || !BEGINNINGS[usize::from(first.to_ascii_lowercase())] {
        return None;
    }
    if let Some(name) = CREDENTIAL_MEMBERS.into_iter().find(|name| is_name(word, name)) {
        member_value(text, name, start, end)
    } else if let Some(name) = one_of(&CREDENTIAL_HEADERS, word) {
        header_value(text, name, start, end)
    } else if one_of(&SCHEMES, word).is_some() {
        token_after_scheme(text, end)
    } else {
        None
    }
}

/// Whether the word is the name of this member, however its parts are joined.
fn is_name(word: &[u8], name: &str) -> bool {
    fn letters(text: &[u8]) -> impl Iterator<Item = u8> {
        let letters = text.iter().filter(|byte| !matches!(byte, b'_' | b'-'));
        letters.map(u8::to_ascii_lowercase)
    }
    // Most words differ in the first letter already.
    let first = word.iter().find(|byte| byte.is_ascii_alphanumeric());
    first.is_some_and(|first| first.eq_ignore_ascii_case(&name.as_bytes()[0]))
        && letters(word).eq(letters(name.as_bytes()))
}

fn one_of(names: &[&'static str], word: &[u8]) -> Option<&'static str> {
    names.iter().find(|name| word.eq_ignore_ascii_case(name.as_bytes())).copied()
}

/// A signed JSON Web Token (RFC 7519): three words with dots between them, of
/// which the first is a JSON object in base64.
fn web_token(text: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    let part = |at: usize| {
        let length = (text.get(at) == Some(&b'.')).then(|| scan::word_length(&text[at + 1..]))?;
        Some(at + 1 + length)
    };
    let end = part(end).and_then(part)?;
    Some(start..end)
}

/// The user and password before the host of the authority (RFC 3986, 3.2.1).
fn user_information(text: &[u8], authority: Range<usize>) -> Option<Range<usize>> {
    let inside = &text[authority.clone()];
    let end =
        ["@", "%40"].into_iter().find_map(|at| memchr::memmem::rfind(inside, at.as_bytes()))?;
    Some(authority.start..authority.start + end)
}

/// Where the name at `start..end` ends, its closing quotation mark included.
fn name_end(text: &[u8], start: usize, end: usize) -> usize {
    match scan::quote_before(text, start) {
        Some(quote) if quote.opens_at(text, end) => end + quote.length(),
        _ => end,
    }
}

/// `"name": "value"`, `name: "value"`, `name=value`, also escaped.
fn member_value(text: &[u8], name: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let after_name = name_end(text, start, end);
    let is_quoted = after_name > end;
    if text[start..].starts_with(b"--") {
        return option_value(text, end);
    }
    let form = scan::form_separator(text, after_name);
    let is_prose = PROSE.contains(&name) && !is_quoted;
    if form.is_some() && is_prose && !scan::member_begins(text, start) {
        return None;
    }
    let mut value = form.or_else(|| scan::colon(text, after_name))?;
    // The debug form of an optional value, or of one in a type of its own.
    while let word = scan::word_length(&text[value..])
        && word > 0
        && text.get(value + word) == Some(&b'(')
    {
        value += word + 1;
    }
    if let Some(quote) = scan::quote_at(text, value) {
        let value = value + quote.length();
        return Some(value..quote.closing(text, value));
    }
    if let Some(list) = scan::strings(text, value).filter(|_| is_quoted) {
        return Some(list);
    }
    let length = match form {
        Some(_) => scan::form_value_length(&text[value..]),
        None if PROSE.contains(&name) => 0,
        None if is_quoted => scan::number_length(&text[value..]),
        None => scan::bare_value_length(&text[value..]),
    };
    Some(value..value + length)
}

/// `--name value`, `--name=value` on a command line.
fn option_value(text: &[u8], end: usize) -> Option<Range<usize>> {
    let value = matches!(text.get(end), Some(b' ' | b'=')).then_some(end + 1)?;
    let (value, value_end) = match scan::quote_at(text, value) {
        Some(quote) => {
            let value = value + quote.length();
            (value, quote.closing(text, value))
        }
        None => (value, value + scan::bare_value_length(&text[value..])),
    };
    (&text[value..value_end] != PLACEHOLDER).then_some(value..value_end)
}

/// `authorization: Bearer value` to the end of its line, or in quotes; also
/// several values in brackets, or a value after a comma, as programs print their
/// header fields.
fn header_value(text: &[u8], name: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let after_name = name_end(text, start, end);
    let is_quoted = after_name > end;
    let value = scan::colon(text, after_name)
        .or_else(|| scan::form_separator(text, after_name))
        .or_else(|| scan::comma(text, after_name).filter(|_| is_quoted))?;
    if let Some(list) = scan::strings(text, value).filter(|_| is_quoted) {
        return Some(list);
    }
    let (value, value_end) = if let Some(quote) = scan::quote_at(text, value) {
        let value = value + quote.length();
        (value, quote.closing(text, value))
    } else if is_quoted {
        return None; // A JSON member that is no string.
    } else {
        (value, value + scan::line_length(text, start, value))
    };
    let credential = credential_in(name, &text[value..value_end]);
    let credential = value + credential.start..value + credential.end;
    (&text[credential.clone()] != PLACEHOLDER).then_some(credential)
}

/// `Bearer value` anywhere; only if the value looks like a token, since the
/// word also begins sentences and challenges.
fn token_after_scheme(text: &[u8], end: usize) -> Option<Range<usize>> {
    let start = (text.get(end) == Some(&b' ')).then_some(end + 1)?;
    let length = scan::token68_length(&text[start..]);
    let token = &text[start..start + length];
    let is_no_word = token.iter().any(|byte| byte.is_ascii_digit() || *byte == b'=')
        || token.iter().skip(1).any(u8::is_ascii_uppercase);
    (length >= 20 || length >= 8 && is_no_word).then_some(start..start + length)
}

#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;
