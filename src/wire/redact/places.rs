//! Where credentials stand in a text: [`places_in`].

use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};

use super::credential_in;
use super::names::{CREDENTIAL_HEADERS, Member, NO_OBJECTS, PROSE, SCHEMES, can_begin, one_of};
use crate::wire::scan;
use crate::wire::secret::{hexadecimal, unicode_escape};

/// What help texts write in the place of a credential; it stays.
const PLACEHOLDER: &[u8] = b"TOKEN";

/// What stands in the places that are known to hold credentials.
pub(super) fn places_in(text: &[u8]) -> Vec<Range<usize>> {
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
