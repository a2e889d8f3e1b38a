//! Finding quoted strings, separators and words in bytes that need not be well
//! formed: JSON, forms, queries, log lines. Escapes are read no further than a
//! string needs to know its end; texts inside of texts are taken out beforehand
//! (`redact::layers`).

use std::ops::Range;

/// The string at `at` and where what it holds begins and ends, its quotation marks
/// aside: `"…"`, `'…'`. Python and Rust write a letter or two before it: `b'…'`.
/// It ends before its closing mark, at the end of its line, or with the text.
pub(super) fn string_at(text: &[u8], at: usize) -> Option<Range<usize>> {
    let letters = text.get(at..)?.iter().take(2);
    let mark_at = at + letters.take_while(|byte| b"bBfFrRuU".contains(byte)).count();
    let mark = *text.get(mark_at).filter(|byte| matches!(byte, b'"' | b'\''))?;
    let start = mark_at + 1;
    let mut end = start;
    while end < text.len() && text[end] != mark && text[end] != b'\n' {
        end += if text[end] == b'\\' { 2 } else { 1 };
    }
    Some(start..end.min(text.len()))
}

/// Where the string lies that the object at `start` has as its member `key`,
/// without its quotation marks; members of inner objects do not count.
pub(super) fn string_member(text: &[u8], start: usize, key: &[u8]) -> Option<Range<usize>> {
    let mut depth = 0_usize;
    let mut at = start;
    loop {
        match text.get(at)? {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b'"' => {
                let name = string_at(text, at)?;
                at = name.end;
                if depth == 1
                    && &text[name] == key
                    && let Some(value) = colon(text, at + 1)
                    && text.get(value) == Some(&b'"')
                {
                    return string_at(text, value);
                }
            }
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return None;
        }
    }
}

/// Whether a name can have this byte.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// How many bytes of a name `text` begins with.
pub(super) fn word_length(text: &[u8]) -> usize {
    // A body may be one word of megabytes: so much of it is looked at at once,
    // without a branch for each byte.
    const AT_ONCE: usize = 64;
    let length = |text: &[u8]| text.iter().take_while(|byte| is_word(**byte)).count();
    let mut at = length(&text[..text.len().min(AT_ONCE)]);
    if at < AT_ONCE {
        return at;
    }
    while let Some(chunk) = text.get(at..at + AT_ONCE)
        && chunk.iter().fold(true, |all, byte| all & is_word(*byte))
    {
        at += AT_ONCE;
    }
    at + length(&text[at..])
}

/// White space, and what an event stream has where a line of data begins.
fn white_space_length(text: &[u8]) -> usize {
    const DATA: &[u8] = b"data:";
    let mut at = 0;
    while let Some(byte) = text.get(at).filter(|byte| byte.is_ascii_whitespace()) {
        at += 1;
        if *byte == b'\n' && text[at..].starts_with(DATA) {
            at += DATA.len();
        }
    }
    at
}

/// How many spaces and tabs `text` begins with.
pub(super) fn spaces_length(text: &[u8]) -> usize {
    text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Where the value begins after a colon at `at`, white space aside; `:=` is one
/// too.
pub(super) fn colon(text: &[u8], at: usize) -> Option<usize> {
    let value = after(text, at + white_space_length(text.get(at..)?), b':')?;
    let value = value + usize::from(text.get(value) == Some(&b'='));
    // A value on the next line is still one if it is in quotes, or of several.
    let lines = value + white_space_length(&text[value..]);
    let is_opened =
        string_at(text, lines).is_some() || matches!(text.get(lines), Some(b'{' | b'['));
    Some(if is_opened { lines } else { value + spaces_length(&text[value..]) })
}

/// Where the value begins after an equals sign at `at`, and whether spaces are
/// around the sign. `=>` is one too, `==` is none.
pub(super) fn equals(text: &[u8], at: usize) -> Option<(usize, bool)> {
    let before = spaces_length(text.get(at..)?);
    let value = after(text, at + before, b'=')?;
    let value = match text.get(value) {
        Some(b'>') => value + 1,
        Some(b'=') if before > 0 => return None,
        _ => value,
    };
    let behind = spaces_length(&text[value..]);
    Some((value + behind, before + behind > 0))
}

/// Where what follows the mark `mark` at `at` begins.
fn after(text: &[u8], at: usize, mark: u8) -> Option<usize> {
    (text.get(at) == Some(&mark)).then_some(at + 1)
}

/// How many members are looked at for the value of a name.
const MEMBERS: usize = 8;

/// What stands beside a name whose own string ends at `at`, and whether a member
/// says that it is the value: in `"name", "value"` it is the next string, in
/// `"name": "…", "value": "…"` what the member `value` holds.
pub(super) fn value_beside(text: &[u8], at: usize) -> Option<(usize, bool)> {
    let mut at = at;
    for member in 0..MEMBERS {
        let comma = after(text, at, b',')?;
        let next = comma + white_space_length(&text[comma..]);
        let key = string_at(text, next)?;
        let Some(value) = colon(text, key.end + 1) else {
            return (member == 0).then_some((next, false));
        };
        if text[key].eq_ignore_ascii_case(b"value") {
            return Some((value, true));
        }
        at = match string_at(text, value) {
            Some(other) => other.end + 1,
            None => value + bare_length(&text[value..]),
        };
    }
    None
}

/// What the strings of the list at `at` hold, from the first one's first byte to
/// the last one's last.
pub(super) fn strings(text: &[u8], at: usize) -> Option<Range<usize>> {
    let mut at = after(text, at, b'[')?;
    let mut found: Option<Range<usize>> = None;
    loop {
        at += white_space_length(text.get(at..)?);
        let Some(string) = string_at(text, at) else { return found };
        found = Some(found.map_or(string.start, |found| found.start)..string.end);
        let end = string.end + 1;
        let spaces = text.get(end..).map_or(0, white_space_length);
        let Some(next) = after(text, end + spaces, b',') else { return found };
        at = next;
    }
}

/// What stands in the brackets at `at`, others in them and strings included; to
/// the end of the text if they are not closed.
pub(super) fn bracketed(text: &[u8], at: usize) -> Option<Range<usize>> {
    let (mut depth, mut end) = (0_usize, at);
    while let Some(byte) = text.get(end) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth <= 1 => break,
            b'}' | b']' => depth -= 1,
            _ if depth == 0 => return None,
            b'"' | b'\'' => end = string_at(text, end)?.end,
            _ => {}
        }
        end += 1;
    }
    (depth > 0).then(|| at + 1..end.min(text.len()))
}

/// How many bytes from `value` on belong to the line in which the name at `start`
/// stands. If it `is_own`, the line is no part of a string.
pub(super) fn line_length(text: &[u8], start: usize, value: usize, is_own: bool) -> usize {
    let opens_string = || !matches!(text[..start], [.., b'\\', _]);
    let string = start.checked_sub(1).filter(|_| opens_string()).and_then(|at| string_at(text, at));
    let closing = string.as_ref().filter(|_| !is_own).map_or(text.len(), |string| string.end);
    let mut end = value;
    while end < closing {
        let next = text.get(end + 1);
        match text[end] {
            b'\r' | b'\n' => break,
            _ if is_own => {}
            b'\\' if matches!(next, Some(b'n' | b'r')) => break,
            _ if string.is_some() => {}
            // A parameter in quotes, which are none of a string around it.
            b'=' => end = string_at(text, end + 1).map_or(end, |parameter| parameter.end),
            b'"' | b'\'' => break,
            b'\\' if matches!(next, Some(b'"' | b'\'' | b'\\')) => break,
            _ => {}
        }
        end += 1;
    }
    end.min(closing).saturating_sub(value)
}

/// The authority of the URI whose scheme ends at `at`: what stands before its
/// path.
pub(super) fn authority(text: &[u8], at: usize) -> Option<Range<usize>> {
    const MARK: &[u8] = b"://";
    let start = at + MARK.len();
    let length = text
        .get(at..)?
        .strip_prefix(MARK)?
        .iter()
        .position(|byte| byte.is_ascii_whitespace() || b"/?#\"'<>\\`,;(){}[]".contains(byte));
    Some(start..length.map_or(text.len(), |length| start + length))
}

/// Whether a form or query member can begin at `at`: at the start, or after
/// `&`, `?`, `#`, a quotation mark or an escaped character.
pub(super) fn member_begins(text: &[u8], at: usize) -> bool {
    let before = &text[..at];
    before.last().is_none_or(|byte| b"&?#\"'".contains(byte))
        || at >= 3 && text[at - 3] == b'%' && text[at - 2..at].iter().all(u8::is_ascii_hexdigit)
}

/// How many bytes a form member's value takes.
pub(super) fn form_value_length(text: &[u8]) -> usize {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"&#\"'<>()\\;,`".contains(byte);
    text.iter().position(is_end).unwrap_or(text.len())
}

/// How many bytes a value without quotes takes in a log line.
pub(super) fn bare_length(text: &[u8]) -> usize {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b",;\"'<>(){}[]\\`".contains(byte);
    text.iter().position(is_end).unwrap_or(text.len())
}

/// How many bytes of a number `text` begins with.
pub(super) fn number_length(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count()
}

/// How many bytes of a token (RFC 9110's `token68`) `text` begins with; 0 if
/// they are the name of a parameter.
pub(super) fn token68_length(text: &[u8]) -> usize {
    let is_token = |byte: &&u8| byte.is_ascii_alphanumeric() || b"-._~+/".contains(byte);
    let token = text.iter().take_while(is_token).count();
    let padding = text[token..].iter().take_while(|&&byte| byte == b'=').count();
    let is_parameter = padding > 0
        && text
            .get(token + padding)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'"');
    if is_parameter { 0 } else { token + padding }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_ends_where_it_ends_however_long_it_is() {
        for length in [0, 1, 63, 64, 65, 127, 128, 129, 200] {
            let word = "aZ0-_".repeat(40)[..length].to_owned();
            for after in ["", ".", " next", "\u{e9}", &".".repeat(200)] {
                let text = format!("{word}{after}");
                assert_eq!(word_length(text.as_bytes()), length, "{length} bytes, then {after:?}");
            }
        }
    }
}
