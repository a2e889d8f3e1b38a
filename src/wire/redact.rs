//! Taking credentials out of what people read. The main type is [`Redactor`].
//!
//! Two kinds of text are taken out, and `[redacted]` is written in their place:
//!
//! - what stands in a place that is known to hold credentials: the header
//!   fields in [`CREDENTIAL_HEADERS`], and the values of the JSON and form
//!   members in [`CREDENTIAL_MEMBERS`], also inside JSON that is itself a JSON
//!   string, in a URI's query, and in what a program prints;
//! - the secrets that a profile names, in every form that [`Redactor::new`]
//!   lists.
//!
//! An empty value stays: it gives nothing away, and a reviewer wants to see it.
//! Numbers stay as the value of `code`, since that is how JSON-RPC tells what
//! an error is. Redacting twice changes nothing.

use std::collections::BTreeSet;
use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::scan;

/// What is written in the place of a credential.
pub const REDACTED: &str = "[redacted]";

/// Header fields whose value is a credential, in lower case.
pub const CREDENTIAL_HEADERS: [&str; 4] =
    ["authorization", "cookie", "proxy-authorization", "set-cookie"];

/// JSON and form members whose value is a credential.
pub const CREDENTIAL_MEMBERS: [&str; 10] = [
    "access_token",
    "assertion",
    "client_assertion",
    "client_secret",
    "code",
    "code_verifier",
    "id_token",
    "password",
    "refresh_token",
    "subject_token",
];

/// Authentication schemes that stay readable before a redacted credential.
const SCHEMES: [&str; 5] = ["basic", "bearer", "digest", "dpop", "negotiate"];

/// What RFC 3986 leaves unreserved, and so is not percent-encoded.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The least length of a part of a secret's base64 form that is looked for
/// inside a longer base64 text: shorter ones are found by chance.
const BASE64_PART: usize = 8;

/// Takes credentials out of texts.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    /// Every form of every secret, the longest first.
    forms: Vec<Vec<u8>>,
}

impl Redactor {
    /// A redactor that also knows `secrets`: as they are, percent-encoded (with
    /// either case of digits, with `+` for a space), as the inside of a JSON
    /// string, and in base64 (either alphabet, alone or as a part of a longer
    /// text, such as a client's id and secret).
    pub fn new<S: AsRef<str>>(secrets: impl IntoIterator<Item = S>) -> Self {
        let forms: BTreeSet<Vec<u8>> =
            secrets.into_iter().flat_map(|secret| forms_of(secret.as_ref())).collect();
        let mut forms: Vec<Vec<u8>> = forms.into_iter().filter(|form| !form.is_empty()).collect();
        forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
        Redactor { forms }
    }

    /// `text` without credentials.
    pub fn redact(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.redact_bytes(text.as_bytes())).into_owned()
    }

    /// `bytes` without credentials; they need not be UTF-8.
    pub fn redact_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        // Both kinds are looked for in the original: if one were taken out
        // first, a remainder of the other could stay behind.
        let mut ranges = self.secrets_in(bytes);
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

    /// Where a known secret stands.
    fn secrets_in(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        if self.forms.is_empty() {
            return ranges;
        }
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            at += if rest.starts_with(REDACTED.as_bytes()) {
                REDACTED.len()
            } else if let Some(form) = self.forms.iter().find(|form| rest.starts_with(form)) {
                ranges.push(at..at + form.len());
                form.len()
            } else {
                1
            };
        }
        ranges
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

/// The forms in which `secret` is looked for.
fn forms_of(secret: &str) -> Vec<Vec<u8>> {
    let percent = utf8_percent_encode(secret, RESERVED).to_string();
    let plus = percent.replace("%20", "+");
    let json = serde_json::Value::from(secret).to_string();
    let json = json[1..json.len() - 1].to_owned();
    let ascii_json: String = json.chars().map(ascii_in_json).collect();
    let nested_json = json.replace('\\', "\\\\").replace('"', "\\\"");
    let mut forms = vec![
        secret.to_owned(),
        lower_case_digits(&percent),
        lower_case_digits(&plus),
        percent,
        plus,
        json.replace('/', "\\/"),
        json,
        ascii_json,
        nested_json,
    ];
    if !secret.is_empty() {
        for engine in [&STANDARD, &URL_SAFE] {
            let whole = engine.encode(secret);
            forms.push(whole.trim_end_matches('=').to_owned());
            forms.push(whole);
            forms.extend((0..3).filter_map(|offset| base64_part(engine, secret, offset)));
        }
    }
    forms.into_iter().map(String::into_bytes).collect()
}

/// What the base64 form of any text has in common that holds `secret` at a
/// place whose remainder by 3 is `offset`.
fn base64_part(engine: &impl base64::Engine, secret: &str, offset: usize) -> Option<String> {
    let mut padded = vec![0; offset];
    padded.extend_from_slice(secret.as_bytes());
    let encoded = engine.encode(&padded);
    // A character carries six bits: those that share bits with a neighbour of
    // the secret differ from text to text.
    let start = (offset * 8).div_ceil(6);
    let end = padded.len() * 8 / 6;
    encoded.get(start..end).filter(|part| part.len() >= BASE64_PART).map(str::to_owned)
}

fn ascii_in_json(character: char) -> String {
    if character.is_ascii() {
        return character.to_string();
    }
    let mut units = [0; 2];
    character.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect()
}

/// Percent-encoding with its hexadecimal digits in lower case.
fn lower_case_digits(percent_encoded: &str) -> String {
    let mut pieces = percent_encoded.split('%');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        out.push('%');
        let (digits, rest) = piece.split_at(piece.len().min(2));
        out.push_str(&digits.to_ascii_lowercase());
        out.push_str(rest);
    }
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
        let credential = credential_after(text, at, end).filter(|range| !range.is_empty());
        at = credential.as_ref().map_or(end, |range| range.end);
        ranges.extend(credential);
    }
    ranges
}

/// The credential that follows the word at `start..end`, if the word is one
/// that a credential follows.
fn credential_after(text: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    // Longer than any name that matters; a body may be one word of megabytes.
    const LONGEST: usize = 64;
    let word = text.get(start..end).filter(|word| word.len() <= LONGEST)?;
    let word = word.to_ascii_lowercase();
    let word = std::str::from_utf8(&word).ok()?;
    if CREDENTIAL_MEMBERS.contains(&word) {
        member_value(text, word, start, end)
    } else if CREDENTIAL_HEADERS.contains(&word) {
        header_value(text, word, start, end)
    } else if is_scheme(word.as_bytes()) {
        token_after_scheme(text, end)
    } else {
        None
    }
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
    let form = scan::form_separator(text, after_name);
    // In prose, a code that stands before an equals sign is something else.
    if form.is_some() && name == "code" && !is_quoted && !scan::member_begins(text, start) {
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
    let length = match form {
        Some(_) => scan::form_value_length(&text[value..]),
        None if name == "code" || name == "assertion" => 0,
        None if is_quoted => scan::number_length(&text[value..]),
        None => scan::bare_value_length(&text[value..]),
    };
    Some(value..value + length)
}

/// `authorization: Bearer value` to the end of its line, or in quotes.
fn header_value(text: &[u8], name: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let after_name = name_end(text, start, end);
    let value = scan::colon(text, after_name).or_else(|| scan::form_separator(text, after_name))?;
    let (value, value_end) = if let Some(quote) = scan::quote_at(text, value) {
        let value = value + quote.length();
        (value, quote.closing(text, value))
    } else if after_name > end {
        return None; // A JSON member that is no string.
    } else {
        let at_line_start = start == 0 || text[start - 1] == b'\n';
        let ends = |byte: &u8| match byte {
            b'\r' | b'\n' => true,
            b'"' | b'\'' | b'\\' => !at_line_start,
            _ => false,
        };
        let length = text[value..].iter().position(ends).unwrap_or(text.len() - value);
        (value, value + length)
    };
    let credential = credential_in(name, &text[value..value_end]);
    Some(value + credential.start..value + credential.end)
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
