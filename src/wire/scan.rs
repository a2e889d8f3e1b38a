//! Finding quoted strings, separators and words in bytes that need not be well
//! formed: JSON, JSON inside a JSON string, forms, queries, log lines. The main
//! type is [`Quote`].

use std::ops::Range;

/// A quotation mark, escaped as often as the text around it is nested: `"`,
/// `\"` in a JSON string, `\\\"` in a JSON string in a JSON string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quote {
    mark: u8,
    backslashes: usize,
}

impl Quote {
    /// How many bytes the mark and its backslashes take.
    pub(super) fn length(&self) -> usize {
        self.backslashes + 1
    }

    /// Whether a mark of this kind stands at `at`.
    pub(super) fn opens_at(&self, text: &[u8], at: usize) -> bool {
        quote_at(text, at) == Some(*self)
    }

    /// Where the string that begins at `start` ends: before its closing mark,
    /// at the end of its line, or at the end of the text.
    pub(super) fn closing(&self, text: &[u8], start: usize) -> usize {
        let mut run = 0;
        for (at, &byte) in text.iter().enumerate().skip(start) {
            match byte {
                b'\\' => run += 1,
                b'\n' => return at,
                mark if mark == self.mark => {
                    if run < self.backslashes {
                        return at - run; // The string around this one ends here.
                    }
                    // A backslash of the string's own takes twice as many here
                    // as a mark's one does; what is left over escapes a mark.
                    let own = run - self.backslashes;
                    if own.is_multiple_of(2 * (self.backslashes + 1)) {
                        return at - self.backslashes;
                    }
                    run = 0;
                }
                _ => run = 0,
            }
        }
        text.len()
    }
}

/// The quotation mark at `at`.
pub(super) fn quote_at(text: &[u8], at: usize) -> Option<Quote> {
    let rest = text.get(at..)?;
    let backslashes = rest.iter().take_while(|&&byte| byte == b'\\').count();
    let mark = *rest.get(backslashes)?;
    matches!(mark, b'"' | b'\'').then_some(Quote { mark, backslashes })
}

/// The quotation mark that ends just before `at`.
pub(super) fn quote_before(text: &[u8], at: usize) -> Option<Quote> {
    let (&mark, before) = text.get(..at)?.split_last()?;
    let backslashes = before.iter().rev().take_while(|&&byte| byte == b'\\').count();
    matches!(mark, b'"' | b'\'').then_some(Quote { mark, backslashes })
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
                let quote = quote_at(text, at)?;
                let end = quote.closing(text, at + 1);
                if depth == 1
                    && &text[at + 1..end] == key
                    && let Some(value) = colon(text, end + 1)
                    && quote.opens_at(text, value)
                {
                    return Some(value + 1..quote.closing(text, value + 1));
                }
                at = end;
            }
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return None;
        }
    }
}

/// How many bytes from `at` are one escaped character: `%3D`, `\n`, `\u0026`;
/// 0 if none is.
pub(super) fn escape_length(text: &[u8], at: usize) -> usize {
    let is_hex = |range: Range<usize>| {
        text.get(range).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    if !matches!(text[at], b'%' | b'\\') {
        return 0;
    }
    match (text[at], text.get(at + 1)) {
        (b'%', _) if is_hex(at + 1..at + 3) => 3,
        (b'\\', Some(b'u')) if is_hex(at + 2..at + 6) => 6,
        (b'\\', Some(b'n' | b'r' | b't' | b'b' | b'f' | b'/')) => 2,
        _ => 0,
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

/// Where the value begins after a colon at `at`, white space aside.
pub(super) fn colon(text: &[u8], at: usize) -> Option<usize> {
    let at = at + white_space_length(text.get(at..)?);
    let value = (text.get(at) == Some(&b':')).then_some(at + 1)?;
    let spaces = text[value..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    // A value on the next line is still one if it is in quotes.
    let lines = white_space_length(&text[value..]);
    Some(value + if quote_at(text, value + lines).is_some() { lines } else { spaces })
}

/// Where the value begins after a comma at `at`, if it is in quotes.
pub(super) fn comma(text: &[u8], at: usize) -> Option<usize> {
    let value = (text.get(at) == Some(&b',')).then_some(at + 1)?;
    let value = value + white_space_length(&text[value..]);
    quote_at(text, value).map(|_| value)
}

/// What the strings of the list that begins at `at` hold, from the first one's
/// first byte to the last one's last.
pub(super) fn strings(text: &[u8], at: usize) -> Option<Range<usize>> {
    let mut at = (text.get(at) == Some(&b'[')).then_some(at + 1)?;
    let mut found: Option<Range<usize>> = None;
    loop {
        at += white_space_length(text.get(at..)?);
        let quote = quote_at(text, at)?;
        let start = at + quote.length();
        let end = quote.closing(text, start);
        found = Some(found.map_or(start, |found| found.start)..end);
        at = end + quote.length();
        match text.get(at..).and_then(|rest| rest.get(white_space_length(rest))) {
            Some(b',') => at += white_space_length(&text[at..]) + 1,
            _ => return found,
        }
    }
}

/// How many bytes from `value` on belong to the line that began at `start`: a
/// line of its own, or one inside of a string.
pub(super) fn line_length(text: &[u8], start: usize, value: usize) -> usize {
    let is_own = start == 0 || text[start - 1] == b'\n';
    let opening = quote_before(text, start);
    let closing = opening.map_or(text.len(), |quote| quote.closing(text, value));
    let mut end = value;
    while end < closing {
        match text[end] {
            b'\r' | b'\n' => break,
            _ if is_own => {}
            b'\\' if matches!(text.get(end + 1), Some(b'n' | b'r')) => break,
            b'=' => {
                // A parameter in quotes, which are none of the string's own.
                if let Some(quote) = quote_at(text, end + 1) {
                    end = quote.closing(text, end + 1 + quote.length()) + quote.length();
                    continue;
                }
            }
            b'"' | b'\'' if opening.is_none() && ends_string(text, end) => break,
            _ => {}
        }
        end += 1;
    }
    let end = end.min(closing);
    // The backslashes before a mark belong to it.
    let backslashes = text[value..end].iter().rev().take_while(|&&byte| byte == b'\\').count();
    end - backslashes - value
}

/// Whether the quotation mark at `at` ends a string, rather than being a part of
/// the text in it: no backslash is before it, or JSON is after it.
fn ends_string(text: &[u8], at: usize) -> bool {
    if at == 0 || text[at - 1] != b'\\' {
        return true;
    }
    let after = &text[at + 1..];
    let after = &after[white_space_length(after)..];
    match after.first() {
        None | Some(b'}' | b']' | b':') => true,
        Some(b',') => matches!(after.get(1), Some(b'"' | b'\\' | b'{' | b'[')),
        _ => false,
    }
}

/// The authority of the URI whose scheme ends at `at`: what stands before its
/// path. The URI may be percent-encoded as a whole.
pub(super) fn authority(text: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = &text[at..];
    if !matches!(rest.first(), Some(b':' | b'%')) {
        return None;
    }
    let marks: [&[u8]; 4] = [b"://", b":\\/\\/", b"%3A%2F%2F", b"%3a%2f%2f"];
    let mark = marks.into_iter().find(|mark| rest.starts_with(mark))?;
    let start = at + mark.len();
    let is_encoded = mark[0] == b'%';
    let ends = |at: &usize| match text[*at] {
        b'%' => {
            is_encoded && text.get(at + 1..at + 3).is_some_and(|it| it.eq_ignore_ascii_case(b"2F"))
        }
        byte => byte.is_ascii_whitespace() || b"/?#\"'<>\\`,;(){}[]".contains(&byte),
    };
    Some(start..(start..text.len()).find(ends).unwrap_or(text.len()))
}

/// Where the value begins after an equals sign at `at`, which may be escaped.
pub(super) fn form_separator(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let signs: [&[u8]; 6] = [b"=", b"%3D", b"%3d", b"\\u003d", b"\\u003D", b"%253D"];
    signs.iter().find(|sign| rest.starts_with(sign)).map(|sign| at + sign.len())
}

/// Whether a form or query member can begin at `at`: at the start, or after
/// `&`, `?`, `#`, a quotation mark or an escaped character.
pub(super) fn member_begins(text: &[u8], at: usize) -> bool {
    let before = &text[..at];
    let escaped = |length: usize| {
        before.len() >= length && escape_length(text, before.len() - length) == length
    };
    before.last().is_none_or(|byte| b"&?#\"'".contains(byte)) || escaped(3) || escaped(6)
}

/// How many bytes a form member's value takes, not counting what ends it: `&`,
/// also escaped, `#`, white space, a quotation mark, a bracket.
pub(super) fn form_value_length(text: &[u8]) -> usize {
    let ends: [&[u8]; 3] = [b"%26", b"%23", b"%2526"];
    (0..text.len())
        .find(|&at| {
            let byte = text[at];
            byte.is_ascii_whitespace()
                || b"&#\"'<>()\\;,`".contains(&byte)
                || ends.iter().any(|end| text[at..].starts_with(end))
        })
        .unwrap_or(text.len())
}

/// How many bytes a value without quotes takes in a log line.
pub(super) fn bare_value_length(text: &[u8]) -> usize {
    text.iter()
        .position(|byte| byte.is_ascii_whitespace() || b",;\"'<>(){}[]\\`".contains(byte))
        .unwrap_or(text.len())
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
