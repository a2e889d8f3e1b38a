//! Where credentials stand in a text: [`places_in`].

use std::ops::{Range, RangeInclusive};

use super::credential::{REDACTED, credential_in, is_token_like};
use super::layers::Layer;
use super::names::{Name, SCHEMES};
use crate::wire::scan;

/// What help texts write in the place of a credential; it stays.
const PLACEHOLDER: &[u8] = b"TOKEN";

/// How many texts inside of one another are read.
const LAYERS: usize = 4;

/// What stands in the places that are known to hold credentials, in the text and
/// in the texts inside of it.
pub(super) fn places_in(text: &[u8]) -> Vec<Range<usize>> {
    places(text, 0)
}

fn places(text: &[u8], depth: usize) -> Vec<Range<usize>> {
    let mut ranges = named(text, depth == 0);
    if depth < LAYERS {
        for layer in Layer::below(text) {
            let inside = places(&layer.text, depth + 1);
            ranges.extend(inside.into_iter().map(|range| layer.original(range)));
        }
    }
    ranges
}

/// The credentials that can be told by the words of `text` alone. If it
/// `has_lines`, they are those of a program or of a message, rather than of a
/// string.
fn named(text: &[u8], has_lines: bool) -> Vec<Range<usize>> {
    // No name that matters is shorter or longer; a body may be one word of
    // megabytes.
    const LENGTHS: RangeInclusive<usize> = 4..=64;
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let length = scan::word_length(&text[at..]);
        if length == 0 {
            // What is escaped is no part of a word.
            at += if text[at] == b'%' { 3 } else { 1 };
            continue;
        }
        let (start, end) = (at, at + length);
        at = end;
        let word = &text[start..end];
        let found = if word.starts_with(b"eyJ") {
            web_token(text, start, end)
        } else if let Some(authority) = scan::authority(text, end) {
            user_information(text, authority)
        } else if !LENGTHS.contains(&length) {
            None
        } else if let Some(name) = Name::of(word) {
            ranges.extend(value_beside(text, name, start, end));
            value_after(text, name, start, end, has_lines)
        } else {
            token_after_scheme(text, start, end)
        };
        // No name before the end of a credential says more.
        if let Some(range) = found.filter(|range| !range.is_empty()) {
            at = range.end.max(at);
            ranges.push(range);
        }
    }
    ranges
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
    Some(start..encrypted.unwrap_or(signed))
}

/// The user and password before the host of the authority (RFC 3986, 3.2.1).
fn user_information(text: &[u8], authority: Range<usize>) -> Option<Range<usize>> {
    let length = memchr::memrchr(b'@', &text[authority.clone()])?;
    Some(authority.start..authority.start + length)
}

/// Where the name at `start..end` ends, its closing quotation mark included.
fn name_end(text: &[u8], start: usize, end: usize) -> usize {
    let before = start.checked_sub(1).map(|before| text[before]);
    let is_quoted = matches!(before, Some(b'"' | b'\'')) && before == text.get(end).copied();
    end + usize::from(is_quoted)
}

/// `"name", "value"`, as raw header fields are printed, and
/// `"name": "token", "value": "…"`: the credential of the name in quotes at
/// `start..end`.
fn value_beside(text: &[u8], name: Name, start: usize, end: usize) -> Option<Range<usize>> {
    let after_name = name_end(text, start, end);
    if after_name == end {
        return None;
    }
    let (value, by_member) = scan::value_beside(text, after_name)?;
    let string = scan::string_at(text, value)?;
    let credential = credential_in(name, text, string);
    let is_sure = !name.is_prose && (by_member || name.is_header);
    (is_sure || by_member && is_token_like(&text[credential.clone()])).then_some(credential)
}

/// What follows a name: `"name": "value"`, `name: value`, `name=value`,
/// `--name value`, a header field to the end of its line.
fn value_after(
    text: &[u8],
    name: Name,
    start: usize,
    end: usize,
    has_lines: bool,
) -> Option<Range<usize>> {
    if text[start..end].starts_with(b"--") {
        return option_value(text, end);
    }
    let after_name = name_end(text, start, end);
    let is_quoted = after_name > end;
    let equals = scan::equals(text, after_name);
    let mut value = match equals {
        Some((value, _)) => value,
        None => scan::colon(text, after_name)?,
    };
    let is_field = name.is_header && !name.is_prose && !is_quoted && equals.is_none();
    if is_field && has_lines && begins_line(text, start) {
        let line = value..value + scan::line_length(text, start, value, true);
        return shown(text, credential_in(name, text, line));
    }
    // The debug form of an optional value, or of one in a type of its own.
    while let word = scan::word_length(&text[value..])
        && word > 0
        && text.get(value + word) == Some(&b'(')
    {
        value += word + 1;
    }
    if let Some(string) = scan::string_at(text, value) {
        return shown(text, credential_in(name, text, string));
    }
    if let Some(list) = scan::strings(text, value) {
        return Some(list);
    }
    let rest = &text[value..];
    if name.is_of_cookies()
        && !rest.starts_with(REDACTED.as_bytes())
        && let Some(cookies) = scan::bracketed(text, value)
    {
        return Some(cookies);
    }
    let is_tight = equals.is_some_and(|(_, is_apart)| !is_apart);
    let (length, is_sure) = match equals {
        _ if is_field => (scan::line_length(text, start, value, false), true),
        None if is_quoted && name.is_prose => return None,
        None if is_quoted => (scan::number_length(rest), true),
        Some(_) if is_tight && (!name.is_prose || scan::member_begins(text, start)) => {
            (scan::form_value_length(rest), true)
        }
        _ if !name.is_prose => (scan::bare_length(rest), true),
        // A code is seldom one.
        _ if name.name == "code" && !is_tight => return None,
        _ => (scan::token68_length(rest), false),
    };
    let credential = credential_in(name, text, value..value + length);
    let is_credential = is_sure || is_token_like(&text[credential.clone()]);
    shown(text, credential).filter(|_| is_credential)
}

fn shown(text: &[u8], credential: Range<usize>) -> Option<Range<usize>> {
    (&text[credential.clone()] != PLACEHOLDER).then_some(credential)
}

/// Whether the word at `start` is the first of its line, but for the mark of a
/// trace: `> Cookie: …`.
fn begins_line(text: &[u8], start: usize) -> bool {
    let before = text[..start].iter().rev().take(8).find(|byte| !b" \t<>*".contains(byte));
    before.is_none_or(|byte| *byte == b'\n')
}

/// `--name value`, `--name=value` on a command line.
fn option_value(text: &[u8], end: usize) -> Option<Range<usize>> {
    let value = matches!(text.get(end), Some(b' ' | b'=')).then_some(end + 1)?;
    let bare = || value..value + scan::bare_length(&text[value..]);
    shown(text, scan::string_at(text, value).unwrap_or_else(bare))
}

/// `Bearer value` anywhere; only if the value looks like a token, since the
/// word also begins sentences and challenges, and ends the value of a member
/// before another one's name.
fn token_after_scheme(text: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    let word = &text[start..end];
    if !SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme.as_bytes())) {
        return None;
    }
    let start = (text.get(end) == Some(&b' ')).then_some(end + 1)?;
    let length = scan::token68_length(&text[start..]);
    let token = &text[start..start + length];
    let is_no_word = token.iter().any(|byte| byte.is_ascii_digit() || *byte == b'=')
        || token.iter().skip(1).any(u8::is_ascii_uppercase);
    let is_token = length >= 20 || length >= 8 && is_no_word;
    (is_token && Name::of(token).is_none()).then_some(start..start + length)
}
