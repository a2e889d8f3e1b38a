//! Finding known secrets in texts, however they are written there. The main
//! type is [`Secrets`].

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};

/// The least length of a part of a secret's base64 form that is looked for
/// inside a longer base64 text: shorter ones are found by chance.
const BASE64_PART: usize = 8;

/// The least length of a line of a secret that is looked for alone.
const LINE: usize = 8;

/// The least length of a secret's beginning that is taken for a secret where
/// the text was cut.
const CUT_SECRET: usize = 6;

/// How many backslashes before one character are read: those of five texts inside of
/// one another. A body may be nothing but backslashes.
const BACKSLASHES: usize = 32;

/// What stands where a text was cut, unless it just ends.
const CUT_MARKS: [&[u8]; 3] = ["…".as_bytes(), b"\n[cut:", b"\\n[cut:"];

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Form {
    bytes: Vec<u8>,
    /// Whether it may be wrapped: base64 is, after 64 or 76 characters.
    is_base64: bool,
}

/// Secrets, and how to find them.
#[derive(Clone, Debug, Default)]
pub(super) struct Secrets {
    /// Every secret, its lines if it has several, and all of these in base64;
    /// the longest first.
    forms: Vec<Form>,
    /// For each byte whether a form can begin with it; empty without forms.
    begins: Vec<bool>,
}

impl Secrets {
    /// What is looked for if `secrets` are to be found. An empty one is none.
    pub(super) fn new<S: AsRef<str>>(secrets: impl IntoIterator<Item = S>) -> Self {
        let mut forms: Vec<Form> =
            secrets.into_iter().flat_map(|secret| forms_of(secret.as_ref())).collect();
        let order = |form: &Form| (form.bytes.len(), form.bytes.clone(), form.is_base64);
        forms.sort_by_cached_key(|form| std::cmp::Reverse(order(form)));
        forms.dedup();
        let mut begins = vec![false; if forms.is_empty() { 0 } else { 256 }];
        for form in &forms {
            // As it is, or as the beginning of an escape.
            let first = form.bytes[0];
            let also = if first == b' ' { b'+' } else { b'%' };
            for byte in [first, also, b'%', b'\\'] {
                begins[usize::from(byte)] = true;
            }
        }
        Secrets { forms, begins }
    }

    /// Where a secret stands in `text`; `passed_over` is no part of one.
    pub(super) fn find(&self, text: &[u8], passed_over: &[u8]) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        if self.forms.is_empty() {
            return ranges;
        }
        let mut at = 0;
        while at < text.len() {
            if !self.begins[usize::from(text[at])] && text[at] != passed_over[0] {
                at += 1;
                continue;
            }
            let rest = &text[at..];
            at += if rest.starts_with(passed_over) {
                passed_over.len()
            } else if let Some(length) = self.forms.iter().find_map(|form| length_of(rest, form)) {
                ranges.push(at..at + length);
                length
            } else {
                1
            };
        }
        ranges
    }
}

/// What is looked for if `secret` is to be found.
fn forms_of(secret: &str) -> Vec<Form> {
    let lines = secret.lines().map(str::trim).filter(|line| line.len() >= LINE);
    let lines = lines.filter(|_| secret.trim().contains('\n'));
    let mut forms = Vec::new();
    for text in std::iter::once(secret).chain(lines).filter(|text| !text.is_empty()) {
        forms.push(Form { bytes: text.into(), is_base64: false });
        for engine in [&STANDARD, &URL_SAFE] {
            let whole = engine.encode(text);
            let mut encoded = vec![whole.trim_end_matches('=').to_owned(), whole];
            encoded.extend((0..3).filter_map(|offset| base64_part(engine, text, offset)));
            let form = |text: String| Form { bytes: text.into(), is_base64: true };
            forms.extend(encoded.into_iter().map(form));
        }
    }
    forms
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

/// How many bytes of `text` say `form`, or the beginning of it if the text was
/// cut there; `None` if they say something else.
fn length_of(text: &[u8], form: &Form) -> Option<usize> {
    let Form { bytes: wanted, is_base64 } = form;
    let (mut at, mut said) = (0, 0);
    while said < wanted.len() {
        let rest = &text[at..];
        match rest.first().and_then(|_| next(rest, &wanted[said..])) {
            None if *is_base64 && said > 0 && !is_cut(rest) && line_end_length(rest) > 0 => {
                at += line_end_length(rest);
            }
            Some((length, bytes)) => {
                at += length;
                said += bytes;
            }
            None => {
                return (is_cut(rest) && said >= CUT_SECRET).then_some(at);
            }
        }
    }
    Some(at)
}

/// Whether the text before `rest` was cut.
fn is_cut(rest: &[u8]) -> bool {
    rest.is_empty() || CUT_MARKS.iter().any(|mark| rest.starts_with(mark))
}

/// How many bytes of `text` are ends of lines, and spaces before the next line,
/// as they are, escaped or percent-encoded.
fn line_end_length(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let rest = &text[at..];
        let length = match byte {
            b'\r' | b'\n' => Some(1),
            b' ' | b'\t' if at > 0 => Some(1),
            b'%' => percent_encoded(rest, b'\n').or_else(|| percent_encoded(rest, b'\r')),
            b'\\' => {
                let escape = escaped(rest, b"\n").or_else(|| escaped(rest, b"\r"));
                escape.map(|(length, _)| length)
            }
            _ => None,
        };
        let Some(length) = length else { break };
        at += length;
    }
    at
}

/// How many bytes of `text` say how many of `wanted`: one character, as it is,
/// percent-encoded, or escaped as JSON and debug forms do it; the latter two as
/// often as texts are nested.
fn next(text: &[u8], wanted: &[u8]) -> Option<(usize, usize)> {
    let byte = wanted[0];
    match text[0] {
        b'%' if byte != b'%' => percent_encoded(text, byte).map(|length| (length, 1)),
        b'%' if text.starts_with(b"%25") => Some((3, 1)),
        b'+' if byte == b' ' => Some((1, 1)),
        b'\\' => escaped(text, wanted),
        other => (other == byte).then_some((1, 1)),
    }
}

/// `%41`, `%2541`: the length, if it is `byte`.
fn percent_encoded(text: &[u8], byte: u8) -> Option<usize> {
    let mut at = 1;
    while text[at..].starts_with(b"25") && hexadecimal(text, at + 2, 2).is_some() {
        at += 2;
    }
    (hexadecimal(text, at, 2)? == u32::from(byte)).then_some(at + 2)
}

/// `\n`, `\"`, `\u0041`, `\u{41}`, `\x41`, with more backslashes: the
/// length, and how many bytes of `wanted` it says.
fn escaped(text: &[u8], wanted: &[u8]) -> Option<(usize, usize)> {
    let backslashes =
        |text: &[u8]| text.iter().take(BACKSLASHES).take_while(|&&byte| byte == b'\\').count();
    let (run, own) = (backslashes(text), backslashes(wanted));
    if own > 0 {
        return (run >= own).then_some((run, own));
    }
    let one = |byte: u8| (wanted[0] == byte).then_some((run + 1, 1));
    match *text.get(run)? {
        b'n' => one(b'\n'),
        b'r' => one(b'\r'),
        b't' => one(b'\t'),
        b'b' => one(b'\x08'),
        b'f' => one(b'\x0c'),
        mark @ (b'"' | b'\'' | b'/') => one(mark),
        b'x' => {
            let byte = hexadecimal(text, run + 1, 2)?;
            (byte == u32::from(wanted[0])).then_some((run + 3, 1))
        }
        b'u' => {
            let (character, length) = unicode_escape(text, run + 1)?;
            let said = character.encode_utf8(&mut [0; 4]).len();
            wanted
                .starts_with(character.encode_utf8(&mut [0; 4]).as_bytes())
                .then_some((length, said))
        }
        _ => None,
    }
}

/// The character whose digits begin at `at`, after `\u`, and where it ends: four
/// digits, a pair of surrogates, or digits in braces.
pub(super) fn unicode_escape(text: &[u8], at: usize) -> Option<(char, usize)> {
    if text.get(at) == Some(&b'{') {
        let length = text[at + 1..].iter().take(7).position(|&byte| byte == b'}')?;
        let character = char::from_u32(hexadecimal(text, at + 1, length)?)?;
        return Some((character, at + length + 2));
    }
    let unit = hexadecimal(text, at, 4)?;
    if let Some(character) = char::from_u32(unit) {
        return Some((character, at + 4));
    }
    let backslashes = text[at + 4..].iter().take_while(|&&byte| byte == b'\\').count();
    let low = at + 4 + backslashes + 1;
    if backslashes == 0 || text.get(low - 1) != Some(&b'u') {
        return None;
    }
    let units = [u16::try_from(unit).ok()?, u16::try_from(hexadecimal(text, low, 4)?).ok()?];
    let character = char::decode_utf16(units).next()?.ok()?;
    Some((character, low + 4))
}

/// The number that `length` hexadecimal digits at `at` make.
pub(super) fn hexadecimal(text: &[u8], at: usize, length: usize) -> Option<u32> {
    let digits = text.get(at..at.checked_add(length)?)?;
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(secret: &str, text: &str) -> Option<String> {
        let ranges = Secrets::new([secret]).find(text.as_bytes(), b"[redacted]");
        ranges.first().map(|range| text[range.clone()].to_owned())
    }

    #[test]
    fn a_character_is_found_however_it_is_written() {
        let secret = "p@ss wörd/\"1\"😀";
        for text in [
            secret,
            "p%40ss%20w%C3%B6rd%2F%221%22%F0%9F%98%80",
            "p%40ss+w%c3%b6rd/\"1\"%f0%9f%98%80",
            "%2570%2540ss+w%25c3%25b6rd/\"1\"%25f0%259f%2598%2580",
            r#"p@ss wörd\/\"1\"😀"#,
            r#"\u0070@ss w\u00f6rd/\u00221\"\ud83d\ude00"#,
            r#"\\u0070@ss w\\u00F6rd/\\\"1\\\"\\ud83d\\ude00"#,
            r#"p@ss w\u{f6}rd/\"1\"\u{1f600}"#,
            r#"\x70@ss wörd/\"1\"\xf0\x9f\x98\x80"#,
        ] {
            assert_eq!(found(secret, &format!("<{text}>")).as_deref(), Some(text));
        }
        assert_eq!(found("a%41\\b", r"a%2541\\b").as_deref(), Some(r"a%2541\\b"));
        let written = r"a\nb\\tc\bd\f-and-so-on";
        assert_eq!(found("a\nb\tc\u{8}d\u{c}-and-so-on", written).as_deref(), Some(written));
    }

    #[test]
    fn what_only_begins_like_a_secret_is_none() {
        for text in
            ["correct horse", "correct%20horsX battery", r"correct \u0068or", r"\", "%", "%2"]
        {
            assert_eq!(found("correct horse battery", &format!("{text}.")), None, "{text}");
        }
        assert_eq!(found("", "text"), None);
    }

    #[test]
    fn the_beginning_of_a_secret_is_found_where_the_text_was_cut() {
        for text in ["correct h", "correct h… (900 bytes)", "correct h\n[cut: the result is longer"]
        {
            assert_eq!(found("correct horse battery", text).as_deref(), Some("correct h"));
        }
        assert_eq!(found("correct horse battery", "a corre"), None, "too short to tell");
    }

    #[test]
    fn base64_that_is_wrapped_is_found() {
        let secret = "correct horse battery staple";
        for text in ["correct horse battery staple", "user:correct horse battery staple!"] {
            let whole = STANDARD.encode(text);
            let (one, other) = whole.split_at(18);
            for end in ["\n", "\r\n", "\n  ", "\\n", "\\r\\n", "\\\\n", "%0A", "%0D%0A", "\n\n"] {
                let wrapped = format!("<{one}{end}{other}>");
                let found = found(secret, &wrapped).unwrap();
                assert!(found.starts_with("Y29") || found.len() > 30, "{found}");
                assert!(found.contains(&other[..10]), "{found}");
            }
            assert_eq!(found(secret, &format!("{one} {other}")), None, "no line ends there");
        }
        assert_eq!(
            found(secret, "correct horse\n battery staple"),
            None,
            "as it is, it is another"
        );
    }

    #[test]
    fn each_line_of_a_secret_is_one() {
        let key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nab==\n-----END KEY-----\n";
        assert_eq!(found(key, "data: MIIEvQIBADANBgkq").as_deref(), Some("MIIEvQIBADANBgkq"));
        assert_eq!(found(key, "data: ab=="), None);
        assert_eq!(found(key, &format!("<{key}>")).as_deref(), Some(key), "the whole comes first");
    }
}
