//! Taking credentials out of what people read. The main type is [`Redactor`].
//!
//! Two kinds of text are taken out, and `[redacted]` is written in their place:
//!
//! - what stands in a place that is known to hold credentials: the header
//!   fields in [`CREDENTIAL_HEADERS`], the values of the JSON and form members
//!   in [`CREDENTIAL_MEMBERS`] and of those whose name ends as one of
//!   [`CREDENTIAL_ENDINGS`], also inside JSON that is itself a JSON string,
//!   in a URI's query, percent-encoded, and in what a program prints; the user
//!   information of a URI; and JSON Web Tokens, signed or encrypted, wherever
//!   they stand;
//! - the secrets that a profile names, in every form that [`Redactor::new`]
//!   lists.
//!
//! An empty value stays: it gives nothing away, and a reviewer wants to see it.
//! Numbers stay as the value of `code`, since that is how JSON-RPC tells what
//! an error is. Redacting twice changes nothing.

use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};

use serde_json::{Map, Value};

use super::scan;
use super::secret::{Secrets, hexadecimal, unicode_escape};

/// What is written in the place of a credential.
pub const REDACTED: &str = "[redacted]";

/// Header fields whose value is a credential, in lower case. So is one whose
/// name is that of a member which holds one.
pub const CREDENTIAL_HEADERS: [&str; 8] = [
    "authorization",
    "cookie",
    "dpop",
    "proxy-authorization",
    "set-cookie",
    "x-api-key",
    "x-auth-token",
    "x-goog-api-key",
];

/// JSON and form members whose value is a credential; `accessToken` and
/// `ACCESS-TOKEN` are `access_token` too.
pub const CREDENTIAL_MEMBERS: [&str; 19] = [
    "access_token",
    "actor_token",
    "api_key",
    "assertion",
    "client_assertion",
    "client_secret",
    "code",
    "code_verifier",
    "cookies",
    "device_code",
    "id_token",
    "passwd",
    "password",
    "private_key",
    "refresh_token",
    "registration_access_token",
    "secret",
    "subject_token",
    "token",
];

/// What the name of a member ends with whose value is a credential, whatever
/// stands before it: `GITHUB_TOKEN`, `authToken`, `x-session-token`.
pub const CREDENTIAL_ENDINGS: [&str; 8] = [
    "api_key",
    "passwd",
    "password",
    "private_key",
    "secret",
    "secret_access_key",
    "secret_key",
    "token",
];

/// Names that end so and hold none: fields of the protocol, positions in lists,
/// and what an authorization server calls a mistake.
const NO_CREDENTIALS: [&str; 9] = [
    "cancel_token",
    "cancellation_token",
    "continuation_token",
    "invalid_token",
    "next_page_token",
    "next_token",
    "page_token",
    "progress_token",
    "unexpected_token",
];

/// Those that are words of prose as well: a colon after them makes a member
/// only if they stand in quotes or the value does, an equals sign only where a
/// member can begin; elsewhere the value has to look like a token.
const PROSE: [&str; 6] = ["assertion", "code", "cookies", "dpop", "secret", "token"];

/// Those whose value is often an object that says something else.
const NO_OBJECTS: [&str; 2] = ["assertion", "code"];

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

/// The name of a member whose value is a credential.
#[derive(Clone, Copy, Debug)]
struct Member {
    /// What the name is, or what it ends with.
    name: &'static str,
    /// Whether it is among [`CREDENTIAL_MEMBERS`].
    is_listed: bool,
    is_prose: bool,
}

impl Member {
    fn named(word: &[u8]) -> Option<Member> {
        let member = |name, is_listed| Member { name, is_listed, is_prose: PROSE.contains(&name) };
        let is = |name: &&str| is_name(word, name);
        if can_begin(word)
            && let Some(name) = CREDENTIAL_MEMBERS.into_iter().find(is)
        {
            return Some(member(name, true));
        }
        if !can_end(word) {
            return None;
        }
        let name = CREDENTIAL_ENDINGS.into_iter().find(|ending| ends_with(word, ending))?;
        (!NO_CREDENTIALS.iter().any(is)).then(|| member(name, false))
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
        let (start, end) = (at, at + word);
        at = end;
        match credentials_at(text, start, end) {
            Found::Nothing => {}
            Found::Beside(range) => ranges.push(read.original(range)),
            Found::Here(found) => {
                for range in found.into_iter().filter(|range| !range.is_empty()) {
                    at = range.end;
                    ranges.push(read.original(range));
                }
            }
        }
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

/// The letters, in lower case, that the name of a member ends with: the last one
/// and the one before.
const ENDS: [[bool; 256]; 2] = {
    let mut tables = [[false; 256]; 2];
    let mut at = 0;
    while at < CREDENTIAL_ENDINGS.len() {
        let ending = CREDENTIAL_ENDINGS[at].as_bytes();
        tables[0][ending[ending.len() - 1] as usize] = true;
        tables[1][ending[ending.len() - 2] as usize] = true;
        at += 1;
    }
    tables
};

/// What a word says of credentials.
enum Found {
    Nothing,
    /// One in another member: other names may stand before it.
    Beside(Range<usize>),
    /// The word itself, or what follows it: no name before the end of the last one
    /// says more.
    Here(Vec<Range<usize>>),
}

impl From<Option<Range<usize>>> for Found {
    fn from(range: Option<Range<usize>>) -> Found {
        range.map_or(Found::Nothing, |range| Found::Here(vec![range]))
    }
}

/// The credential that the word at `start..end` is, or those that it names.
fn credentials_at(text: &[u8], start: usize, end: usize) -> Found {
    // No name that matters is shorter or longer; a body may be one word of
    // megabytes.
    const LENGTHS: RangeInclusive<usize> = 4..=64;
    let word = &text[start..end];
    if word.starts_with(b"eyJ") {
        return web_token(text, start, end).into();
    }
    if let Some(authority) = scan::authority(text, end) {
        return user_information(text, authority).into();
    }
    if !LENGTHS.contains(&word.len()) {
        return Found::Nothing;
    }
    let can_begin = can_begin(word);
    let header = if can_begin { one_of(&CREDENTIAL_HEADERS, word) } else { None };
    let member = Member::named(word);
    if (header.is_some() || member.is_some())
        && let Some(value) = value_beside(text, header, member, start, end)
    {
        return Found::Beside(value);
    }
    if let Some(name) = header
        && let credentials = header_value(text, name, start, end)
        && !credentials.is_empty()
    {
        Found::Here(credentials)
    } else if let Some(member) = member {
        Found::Here(member_value(text, member, start, end))
    } else if can_begin && one_of(&SCHEMES, word).is_some() {
        token_after_scheme(text, end).into()
    } else {
        Found::Nothing
    }
}

fn can_begin(word: &[u8]) -> bool {
    let first = word.iter().find(|byte| byte.is_ascii_alphanumeric());
    first.is_some_and(|first| BEGINNINGS[usize::from(first.to_ascii_lowercase())])
}

fn can_end(word: &[u8]) -> bool {
    let is_in = |(table, byte): (&[bool; 256], &u8)| table[usize::from(byte.to_ascii_lowercase())];
    ENDS.iter().zip(word.iter().rev()).all(is_in)
}

/// `"name", "value"` and `"name": "token", "value": "…"`: the credential of the
/// name in quotes at `start..end`.
fn value_beside(
    text: &[u8],
    header: Option<&str>,
    member: Option<Member>,
    start: usize,
    end: usize,
) -> Option<Range<usize>> {
    let after_name = name_end(text, start, end);
    if after_name == end {
        return None;
    }
    let (value, by_member) = scan::named_value(text, after_name)?;
    let (value, is_sure) = match (header, member) {
        (Some(name), _) => {
            let whole = string(text, value).or_else(|| scan::strings(text, value))?;
            let credential = credential_in(name, &text[whole.clone()]);
            let credential = whole.start + credential.start..whole.start + credential.end;
            (credential, by_member || !PROSE.contains(&name))
        }
        (None, member) => {
            (string(text, value)?, by_member && member.is_some_and(|member| !member.is_prose))
        }
    };
    let is_credential = is_sure || scan::is_token_like(&text[value.clone()]);
    is_credential.then_some(value)
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

/// Whether the word ends with the name of this member, however its parts are
/// joined.
fn ends_with(word: &[u8], name: &str) -> bool {
    fn letters(text: &[u8]) -> impl Iterator<Item = u8> {
        let letters = text.iter().rev().filter(|byte| !matches!(byte, b'_' | b'-'));
        letters.map(u8::to_ascii_lowercase)
    }
    let mut word = letters(word);
    letters(name.as_bytes()).all(|letter| word.next() == Some(letter))
}

fn one_of(names: &[&'static str], word: &[u8]) -> Option<&'static str> {
    names.iter().find(|name| word.eq_ignore_ascii_case(name.as_bytes())).copied()
}

/// A JSON Web Token (RFC 7519): words with dots between them, of which the first
/// is a JSON object in base64; three if it is signed, five if it is encrypted.
fn web_token(text: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    let part = |at: usize| {
        let length = (text.get(at) == Some(&b'.')).then(|| scan::word_length(&text[at + 1..]))?;
        Some(at + 1 + length)
    };
    // A dot after the third may be that of a sentence.
    let more = |at: usize| part(at).filter(|end| *end > at + 1);
    let signed = part(end).and_then(part)?;
    let encrypted = more(signed).and_then(more);
    Some(start..encrypted.or_else(|| more(signed)).unwrap_or(signed))
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
fn member_value(text: &[u8], member: Member, start: usize, end: usize) -> Vec<Range<usize>> {
    let after_name = name_end(text, start, end);
    let is_quoted = after_name > end;
    if text[start..].starts_with(b"--") {
        return Vec::from_iter(option_value(text, end));
    }
    let equals = scan::equals(text, after_name);
    let Some(mut value) =
        equals.map(|equals| equals.value).or_else(|| scan::colon(text, after_name))
    else {
        return Vec::new();
    };
    let is_encoded = match equals {
        Some(equals) => equals.is_encoded,
        None => text[after_name..value].contains(&b'%'),
    };
    // The debug form of an optional value, or of one in a type of its own.
    while let word = scan::word_length(&text[value..])
        && word > 0
        && text.get(value + word) == Some(&b'(')
    {
        value += word + 1;
    }
    // Elsewhere what is percent-encoded is the value's own.
    let is_marked = is_encoded || text.get(value) != Some(&b'%');
    let string = string(text, value).filter(|_| is_marked);
    if string.is_none()
        && is_marked
        && let Some(credentials) = inner(text, member, value, is_quoted, equals.is_some())
    {
        return credentials;
    }
    let is_in_quotes = string.is_some();
    let found = string.unwrap_or_else(|| {
        let rest = &text[value..];
        let length = match equals {
            _ if is_quoted && equals.is_none() => {
                if member.is_prose || !member.is_listed {
                    0
                } else {
                    scan::number_length(rest)
                }
            }
            Some(equals) if !equals.is_encoded || !is_quoted => scan::form_value_length(rest),
            _ if is_encoded => scan::encoded_value_length(rest, false),
            _ => scan::bare_value_length(rest),
        };
        value..value + length
    });
    let is_code = member.name == "code";
    let is_sure = match equals {
        _ if is_quoted => true,
        Some(equals) if equals.is_apart || equals.is_before_spaces => {
            !member.is_prose && (is_in_quotes || member.is_listed && equals.is_apart)
        }
        Some(_) => !member.is_prose || scan::member_begins(text, start),
        None => is_in_quotes || member.is_listed && !member.is_prose,
    };
    // What is not sure has to look like one; a code is seldom one.
    let can_be = match equals {
        Some(equals) => !is_code || !equals.is_apart,
        None => !is_code,
    };
    let is_credential = is_sure || can_be && scan::is_token_like(&text[found.clone()]);
    if is_credential { vec![found] } else { Vec::new() }
}

/// What the string at `at` holds.
fn string(text: &[u8], at: usize) -> Option<Range<usize>> {
    let (quote, start) = scan::string_at(text, at)?;
    Some(start..quote.closing(text, start))
}

/// What is secret of the list or object that is a member's value. Prose has
/// lists after a colon too.
fn inner(
    text: &[u8],
    member: Member,
    value: usize,
    is_quoted: bool,
    is_assigned: bool,
) -> Option<Vec<Range<usize>>> {
    if let Some(list) = scan::strings(text, value).filter(|_| is_quoted) {
        return Some(vec![list]);
    }
    let can_be = is_quoted || is_assigned || text.get(value) != Some(&b'[');
    if !can_be || NO_OBJECTS.contains(&member.name) {
        return None;
    }
    let strings = scan::inner_strings(text, value, !is_quoted)?;
    (!strings.is_empty()).then_some(strings)
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
/// several values in brackets, as programs print their header fields.
fn header_value(text: &[u8], name: &str, start: usize, end: usize) -> Vec<Range<usize>> {
    let after_name = name_end(text, start, end);
    let is_quoted = after_name > end;
    let equals = scan::equals(text, after_name);
    let colon = scan::colon(text, after_name);
    let Some(value) = colon.or_else(|| equals.map(|equals| equals.value)) else {
        return Vec::new();
    };
    if is_quoted {
        if let Some(list) = scan::strings(text, value) {
            return vec![list];
        }
        if let Some(strings) = scan::inner_strings(text, value, false) {
            return strings;
        }
    }
    let is_encoded = text[after_name..value].contains(&b'%');
    let is_apart = equals.is_some_and(|equals| equals.is_apart || equals.is_before_spaces);
    let mut has_to_look_like_one = PROSE.contains(&name) && !(is_quoted && colon.is_some());
    // Elsewhere what is percent-encoded is the value's own.
    let is_marked = is_encoded || text.get(value) != Some(&b'%');
    let whole = match string(text, value).filter(|_| is_marked) {
        Some(range) => range,
        None if is_quoted => return Vec::new(), // A JSON member that is no string.
        None if is_encoded => value..value + scan::encoded_value_length(&text[value..], true),
        None if is_apart && colon.is_none() => {
            has_to_look_like_one = true;
            value..value + scan::bare_value_length(&text[value..])
        }
        // A member of a query, rather than a line that a program prints.
        None if colon.is_none() && Member::named(name.as_bytes()).is_some() => return Vec::new(),
        None if colon.is_none() && PROSE.contains(&name) => {
            value..value + scan::form_value_length(&text[value..])
        }
        None => value..value + scan::line_length(text, start, value),
    };
    let credential = credential_in(name, &text[whole.clone()]);
    let credential = whole.start + credential.start..whole.start + credential.end;
    let said = &text[credential.clone()];
    if said == PLACEHOLDER || has_to_look_like_one && !scan::is_token_like(said) {
        return Vec::new();
    }
    vec![credential]
}

/// `Bearer value` anywhere; only if the value looks like a token, since the
/// word also begins sentences and challenges, and ends the value of a member
/// before another one's name.
fn token_after_scheme(text: &[u8], end: usize) -> Option<Range<usize>> {
    let rest = &text[end..];
    let space: [&[u8]; 3] = [b" ", b"+", b"%20"];
    let start = end + space.iter().find(|space| rest.starts_with(space))?.len();
    let length = scan::token68_length(&text[start..]);
    let token = &text[start..start + length];
    if Member::named(token).is_some() {
        return None;
    }
    let is_no_word = token.iter().any(|byte| byte.is_ascii_digit() || *byte == b'=')
        || token.iter().skip(1).any(u8::is_ascii_uppercase);
    (length >= 20 || length >= 8 && is_no_word).then_some(start..start + length)
}

#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;
