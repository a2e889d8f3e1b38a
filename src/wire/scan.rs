//! Finding quoted strings, separators and words in bytes that need not be well
//! formed: JSON, JSON inside a JSON string, forms, queries, log lines. The main
//! type is [`Quote`].

use std::ops::Range;

use super::secret::hexadecimal;

/// A quotation mark, escaped as often as the text around it is nested: `"`,
/// `\"` in a JSON string, `\\\"` in a JSON string in a JSON string; or `%22` in
/// a text that is percent-encoded as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quote {
    mark: u8,
    backslashes: usize,
    is_encoded: bool,
}

impl Quote {
    /// How many bytes the mark and its backslashes take.
    pub(super) fn length(&self) -> usize {
        (self.backslashes + 1) * if self.is_encoded { 3 } else { 1 }
    }

    /// Whether a mark of this kind stands at `at`.
    pub(super) fn opens_at(&self, text: &[u8], at: usize) -> bool {
        quote_at(text, at) == Some(*self)
    }

    /// Whether both are nested in as many texts.
    fn is_as_deep_as(&self, other: Quote) -> bool {
        (self.backslashes, self.is_encoded) == (other.backslashes, other.is_encoded)
    }

    /// Where the string that begins at `start` ends: before its closing mark,
    /// at the end of its line, or at the end of the text.
    pub(super) fn closing(&self, text: &[u8], start: usize) -> usize {
        let mut run = 0;
        let mut at = start;
        while at < text.len() {
            let (byte, length) = self.read(text, at);
            match byte {
                b'\n' => return at,
                // No such byte is in what is percent-encoded: it has ended.
                _ if self.is_encoded && length == 1 && b" \"<>&\\".contains(&byte) => return at,
                b'\\' => run += 1,
                mark if mark == self.mark => {
                    if run < self.backslashes {
                        return at - run * length; // The string around this one ends here.
                    }
                    // A backslash of the string's own takes twice as many here
                    // as a mark's one does; what is left over escapes a mark.
                    let own = run - self.backslashes;
                    if own.is_multiple_of(2 * (self.backslashes + 1)) {
                        return at - self.backslashes * length;
                    }
                    run = 0;
                }
                _ => run = 0,
            }
            at += length;
        }
        text.len()
    }

    /// The byte at `at` as this string has it, and how long it is there. A mark
    /// and its backslashes are of one kind; another kind is text.
    fn read(&self, text: &[u8], at: usize) -> (u8, usize) {
        if !self.is_encoded {
            return (text[at], 1);
        }
        match (text[at], encoded_byte(text, at)) {
            (b'\'', _) => (0, 1),
            (_, Some(b'\n')) => (0, 3),
            (_, Some(byte)) => (byte, 3),
            (byte, None) => (byte, 1),
        }
    }
}

/// The byte that is percent-encoded at `at`.
fn encoded_byte(text: &[u8], at: usize) -> Option<u8> {
    if text.get(at) != Some(&b'%') {
        return None;
    }
    hexadecimal(text, at + 1, 2).and_then(|byte| u8::try_from(byte).ok())
}

/// The quotation mark at `at`.
pub(super) fn quote_at(text: &[u8], at: usize) -> Option<Quote> {
    let rest = text.get(at..)?;
    if rest.first() == Some(&b'%') {
        let mut backslashes = 0;
        while encoded_byte(text, at + 3 * backslashes) == Some(b'\\') {
            backslashes += 1;
        }
        let mark = encoded_byte(text, at + 3 * backslashes)?;
        return matches!(mark, b'"' | b'\'').then_some(Quote {
            mark,
            backslashes,
            is_encoded: true,
        });
    }
    let backslashes = rest.iter().take_while(|&&byte| byte == b'\\').count();
    let mark = *rest.get(backslashes)?;
    matches!(mark, b'"' | b'\'').then_some(Quote { mark, backslashes, is_encoded: false })
}

/// The quotation mark that ends just before `at`.
pub(super) fn quote_before(text: &[u8], at: usize) -> Option<Quote> {
    let encoded = |at: Option<usize>| at.and_then(|at| encoded_byte(text, at));
    if let Some(mark @ (b'"' | b'\'')) = encoded(at.checked_sub(3)) {
        let before = |run: usize| at.checked_sub(3 * (run + 2));
        let backslashes = (0..).take_while(|run| encoded(before(*run)) == Some(b'\\')).count();
        return Some(Quote { mark, backslashes, is_encoded: true });
    }
    let (&mark, before) = text.get(..at)?.split_last()?;
    let backslashes = before.iter().rev().take_while(|&&byte| byte == b'\\').count();
    matches!(mark, b'"' | b'\'').then_some(Quote { mark, backslashes, is_encoded: false })
}

/// The quotation mark of the string at `at`, and where what it holds begins.
/// Python and Rust write a letter or two before it: `b'…'`.
pub(super) fn string_at(text: &[u8], at: usize) -> Option<(Quote, usize)> {
    let letters = text.get(at..)?.iter().take(2);
    let prefix = letters.take_while(|byte| b"bBfFrRuU".contains(byte)).count();
    let quote = quote_at(text, at + prefix)?;
    Some((quote, at + prefix + quote.length()))
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
    loop {
        match text.get(at) {
            Some(byte) if byte.is_ascii_whitespace() => {
                at += 1;
                if *byte == b'\n' && text[at..].starts_with(DATA) {
                    at += DATA.len();
                }
            }
            Some(b'%') if encoded_byte(text, at).is_some_and(|it| it.is_ascii_whitespace()) => {
                at += 3;
            }
            _ => return at,
        }
    }
}

/// Spaces and tabs, also percent-encoded.
pub(super) fn spaces_length(text: &[u8]) -> usize {
    let mut at = 0;
    loop {
        match text.get(at) {
            Some(b' ' | b'\t') => at += 1,
            Some(b'%') if matches!(encoded_byte(text, at), Some(b' ' | b'\t')) => at += 3,
            _ => return at,
        }
    }
}

/// How many bytes at `at` are the mark `mark`, as it is or percent-encoded; 0 if
/// it is not there.
fn mark_length(text: &[u8], at: usize, mark: u8) -> usize {
    match text.get(at) {
        Some(byte) if *byte == mark => 1,
        Some(b'%') if encoded_byte(text, at) == Some(mark) => 3,
        _ => 0,
    }
}

/// Where what follows the mark `mark` at `at` begins.
fn after(text: &[u8], at: usize, mark: u8) -> Option<usize> {
    let length = mark_length(text, at, mark);
    (length > 0).then_some(at + length)
}

/// Where the value begins after a colon at `at`, white space aside; `:=` is one
/// too.
pub(super) fn colon(text: &[u8], at: usize) -> Option<usize> {
    let at = at + white_space_length(text.get(at..)?);
    let value = after(text, at, b':')?;
    let value = value + usize::from(text.get(value) == Some(&b'='));
    let spaces = spaces_length(&text[value..]);
    // A value on the next line is still one if it is in quotes, or of several.
    let lines = white_space_length(&text[value..]);
    let is_opened = string_at(text, value + lines).is_some()
        || matches!(text.get(value + lines), Some(b'{' | b'['));
    Some(value + if is_opened { lines } else { spaces })
}

/// Where the value begins after a comma at `at`, if it is in quotes.
pub(super) fn comma(text: &[u8], at: usize) -> Option<usize> {
    let at = at + spaces_length(text.get(at..)?);
    let value = after(text, at, b',')?;
    let value = value + white_space_length(&text[value..]);
    string_at(text, value).map(|_| value)
}

/// How many members are looked at for the value of a name.
const MEMBERS: usize = 8;

/// Where the value of a name begins whose own string ends at `at`, and whether
/// it is told by a member: in `"name", "value"` it is the next string, in
/// `"name": "…", "value": "…"` what the member `value` holds.
pub(super) fn named_value(text: &[u8], at: usize) -> Option<(usize, bool)> {
    let mut at = at;
    for member in 0..MEMBERS {
        let next = comma(text, at)?;
        let (quote, start) = string_at(text, next)?;
        let end = quote.closing(text, start);
        let Some(value) = colon(text, end + quote.length()) else {
            return (member == 0).then_some((next, false));
        };
        if [&b"value"[..], b"values"].iter().any(|key| text[start..end].eq_ignore_ascii_case(key)) {
            return Some((value, true));
        }
        at = match string_at(text, value) {
            Some((quote, start)) => quote.closing(text, start) + quote.length(),
            None => value + bare_value_length(&text[value..]),
        };
    }
    None
}

/// What the strings of the list that begins at `at` hold, from the first one's
/// first byte to the last one's last.
pub(super) fn strings(text: &[u8], at: usize) -> Option<Range<usize>> {
    let mut at = after(text, at, b'[')?;
    let mut found: Option<Range<usize>> = None;
    loop {
        at += white_space_length(text.get(at..)?);
        let Some((quote, start)) = string_at(text, at) else { return found };
        let end = quote.closing(text, start);
        found = Some(found.map_or(start, |found| found.start)..end);
        at = end + quote.length();
        let spaces = text.get(at..).map_or(0, white_space_length);
        match after(text, at + spaces, b',') {
            Some(next) => at = next,
            None => return found,
        }
    }
}

/// The types of JSON Schema, by which a member that describes a value is told
/// from one that has it.
pub(super) const SCHEMA_TYPES: [&str; 7] =
    ["array", "boolean", "integer", "null", "number", "object", "string"];

/// The members that only a schema has.
pub(super) const SCHEMA_MEMBERS: [&str; 6] = ["$ref", "allOf", "anyOf", "const", "enum", "oneOf"];

/// How far a schema is looked for: names may stand in each other without end.
const SCHEMA_LENGTH: usize = 1024;

/// What the strings hold that are values in the object or list at `at`, however
/// deep. `None` if none begins there, if it is a schema, or if `is_whole` and
/// its end is not near.
pub(super) fn inner_strings(text: &[u8], at: usize, is_whole: bool) -> Option<Vec<Range<usize>>> {
    let mut at = after(text, at, b'{').or_else(|| after(text, at, b'['))?;
    let begin = at;
    let is_near = |at: usize| at - begin < SCHEMA_LENGTH;
    let mut depth = 1_usize;
    let mut found = Vec::new();
    let mut key: Option<&[u8]> = None;
    let mut first: Option<Quote> = None;
    while depth > 0 && at < text.len() && (is_near(at) || !is_whole && !found.is_empty()) {
        let (byte, length) = match text[at] {
            b'%' => encoded_byte(text, at).map_or((b'%', 1), |byte| (byte, 3)),
            byte => (byte, 1),
        };
        if matches!(byte, b'{' | b'[') {
            (at, depth, key) = (at + length, depth + 1, None);
        } else if matches!(byte, b'}' | b']') {
            (at, depth, key) = (at + length, depth - 1, None);
        } else if byte == b' ' {
            at += length;
        } else if let Some((quote, start)) = string_at(text, at) {
            if !first.get_or_insert(quote).is_as_deep_as(quote) {
                break; // The string around all of this ends here.
            }
            let end = quote.closing(text, start);
            at = (end + quote.length()).min(text.len());
            if let Some(value) = colon(text, at) {
                (at, key) = (value, Some(&text[start..end]));
            } else {
                let is_type = key == Some(b"type") && is_one_of(&SCHEMA_TYPES, &text[start..end]);
                if is_near(at) && is_type {
                    return None;
                }
                found.push(start..end);
                key = None;
            }
        } else {
            let word = word_length(&text[at..]);
            let value = if word > 0 { colon(text, at + word) } else { None };
            (at, key) = match value {
                Some(value) => (value, Some(&text[at..at + word])),
                None => (at + word.max(1), key),
            };
        }
        if is_near(at) && key.is_some_and(|key| is_one_of(&SCHEMA_MEMBERS, key)) {
            return None;
        }
    }
    (depth == 0 || !is_whole).then_some(found)
}

fn is_one_of(names: &[&str], word: &[u8]) -> bool {
    names.iter().any(|name| name.as_bytes() == word)
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

/// An equals sign, and how it stands before its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Equals {
    /// Where the value begins.
    pub(super) value: usize,
    /// Whether the sign itself is percent-encoded: so is what is around it.
    pub(super) is_encoded: bool,
    /// Whether spaces are before it.
    pub(super) is_apart: bool,
    /// Whether spaces are after it.
    pub(super) is_before_spaces: bool,
}

/// The equals sign at `at`, which may be escaped; spaces may be around it. `=>`
/// is one too, `==` is none.
pub(super) fn equals(text: &[u8], at: usize) -> Option<Equals> {
    let sign = at + spaces_length(text.get(at..)?);
    let mut value = form_separator(text, sign)?;
    let is_encoded = text[sign] == b'%';
    let is_apart = sign > at;
    match text.get(value) {
        Some(b'>') => value += 1,
        Some(b'=') if is_apart => return None,
        _ => {}
    }
    let spaces = spaces_length(&text[value..]);
    // A space of a value that begins with one, where nothing else is apart.
    let spaces = if text[value..].starts_with(b"%") && !is_encoded { 0 } else { spaces };
    Some(Equals { value: value + spaces, is_encoded, is_apart, is_before_spaces: spaces > 0 })
}

fn form_separator(text: &[u8], at: usize) -> Option<usize> {
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

/// How many bytes a value without quotes takes in a text that is percent-encoded
/// as a whole. With `spaces` it may have some, as a line of a header has.
pub(super) fn encoded_value_length(text: &[u8], spaces: bool) -> usize {
    let ends: &[u8] = if spaces { b"\r\n\"" } else { b" \t\r\n\"',;&()[]{}<>" };
    let ends_at = |at: &usize| match text[*at] {
        b'%' => encoded_byte(text, *at).is_some_and(|byte| ends.contains(&byte)),
        byte => byte.is_ascii_whitespace() || b"&,;\"'<>\\`(){}[]".contains(&byte),
    };
    (0..text.len()).find(ends_at).unwrap_or(text.len())
}

/// Whether the whole of a value looks like a token rather than a word, a
/// number, a path or the name of a constant.
pub(super) fn is_token_like(value: &[u8]) -> bool {
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~+/=%".contains(byte);
    let has = |is: fn(&u8) -> bool| value.iter().any(is);
    let is_constant = !has(u8::is_ascii_lowercase) && value.contains(&b'_');
    value.len() >= 8
        && value.iter().all(is_token)
        && has(u8::is_ascii_alphabetic)
        && !is_constant
        && !value.starts_with(b"0x")
        && (has(u8::is_ascii_digit)
            || value.len() >= 20 && value.iter().all(u8::is_ascii_alphabetic))
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
