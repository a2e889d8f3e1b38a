//! Texts inside of texts: JSON in a string, what is percent-encoded. The main type
//! is [`Layer`].

use std::ops::Range;

use crate::wire::secret::{hexadecimal, unicode_escape};

/// Reads the escape that stands at a place, if one does: the byte that it says, and
/// how many bytes it takes.
type Escape = fn(&[u8], usize) -> Option<(u8, usize)>;

/// A part of a text with its escapes read once.
pub(super) struct Layer {
    pub(super) text: Vec<u8>,
    /// For each byte of `text`, and for its end, where it stands in the original.
    places: Vec<usize>,
}

impl Layer {
    /// The layers right below `text`: all of it with the escapes of strings read,
    /// and each of its parts that is percent-encoded, read as a query's are. None
    /// where there is nothing to read.
    pub(super) fn below(text: &[u8]) -> Vec<Layer> {
        let mut layers = Vec::new();
        if memchr::memchr_iter(b'\\', text).any(|at| backslash(text, at).is_some()) {
            layers.push(Layer::read(text, 0..text.len(), backslash));
        }
        let mut from = 0;
        while let Some(found) = memchr::memchr(b'%', &text[from..]) {
            let at = from + found;
            from = at + 1;
            if percent(text, at).is_some_and(|(_, length)| length > 1) {
                let before = text[..at].iter().rev().take_while(|byte| is_encoded(**byte)).count();
                let after = text[at..].iter().take_while(|byte| is_encoded(**byte)).count();
                layers.push(Layer::read(text, at - before..at + after, percent));
                from = at + after;
            }
        }
        layers
    }

    fn read(original: &[u8], part: Range<usize>, escape: Escape) -> Layer {
        let (mut text, mut places) = (Vec::new(), Vec::new());
        let mut at = part.start;
        while at < part.end {
            let (byte, length) = escape(original, at).unwrap_or((original[at], 1));
            text.push(byte);
            places.push(at);
            at += length;
        }
        places.push(at);
        Layer { text, places }
    }

    /// Where `range` stands in the original.
    pub(super) fn original(&self, range: Range<usize>) -> Range<usize> {
        self.places[range.start]..self.places[range.end]
    }
}

/// What can stand in a text that is percent-encoded, form-encoded or both.
fn is_encoded(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"%+-._~*!".contains(&byte)
}

/// The byte that the percent-encoding at `at` says, and its length.
fn percent(text: &[u8], at: usize) -> Option<(u8, usize)> {
    match text[at] {
        b'%' => Some((u8::try_from(hexadecimal(text, at + 1, 2)?).ok()?, 3)),
        b'+' => Some((b' ', 1)),
        _ => None,
    }
}

/// The byte that the escape of a string at `at` says, in JSON or as a debug form
/// has it, and its length.
fn backslash(text: &[u8], at: usize) -> Option<(u8, usize)> {
    if text[at] != b'\\' {
        return None;
    }
    match *text.get(at + 1)? {
        b'n' => Some((b'\n', 2)),
        b'r' => Some((b'\r', 2)),
        b't' => Some((b'\t', 2)),
        mark @ (b'"' | b'\'' | b'/' | b'\\') => Some((mark, 2)),
        b'u' => {
            let (character, end) = unicode_escape(text, at + 2)?;
            let byte = u8::try_from(character).ok().filter(u8::is_ascii)?;
            Some((byte, end - at))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::wire::redact::Redactor;

    fn redact(text: &str) -> String {
        let once = Redactor::default().redact(text);
        assert_eq!(Redactor::default().redact(&once), once, "redacting twice changes nothing");
        once
    }

    #[test]
    fn four_texts_inside_of_one_another_are_read() {
        let mut text = r#"{"code":"zq"}"#.to_owned();
        for _ in 0..4 {
            text = serde_json::Value::from(text).to_string();
            assert!(!redact(&text).contains("zq"), "{text}");
        }
        for text in [r"a\rcode=zq345678", r"a\tcode=zq345678", r"'{\'code\': \'zq345678\'}'"] {
            assert!(!redact(text).contains("zq"), "{text}");
        }
    }

    #[test]
    fn json_in_a_json_string_is_redacted_too() {
        assert_eq!(
            redact(r#"{"text":"{\"client_secret\":\"a\\\"b\\\\\",\"x\":1}","y":2}"#),
            r#"{"text":"{\"client_secret\":\"[redacted]\",\"x\":1}","y":2}"#
        );
        assert_eq!(
            redact(r#"{"a":"{\"b\":\"{\\\"code\\\":\\\"abc\\\",\\\"x\\\":1}\"}"}"#),
            r#"{"a":"{\"b\":\"{\\\"code\\\":\\\"[redacted]\\\",\\\"x\\\":1}\"}"}"#
        );
    }

    #[test]
    fn what_is_percent_encoded_as_a_whole_is_redacted() {
        for (text, expected) in [
            (
                "%7B%22password%22%3A%22z%2Cq%22%2C%22x%22%3A%22y%22%7D",
                "%7B%22password%22%3A%22[redacted]%22%2C%22x%22%3A%22y%22%7D",
            ),
            ("%22password%22%3a%20%22z%5C%22q%22%7d", "%22password%22%3a%20%22[redacted]%22%7d"),
            (
                "h=Authorization%3A%20Bearer%20zq&x=1",
                "h=Authorization%3A%20Bearer%20[redacted]&x=1",
            ),
            ("h=Cookie%3A%20a%3D1%3B%20b%3Dzq%0D%0AHost", "h=Cookie%3A%20[redacted]%0D%0AHost"),
            ("Bearer%20zq345678 x", "Bearer%20[redacted] x"),
            ("access_token%3A%20zq%0Anext", "access_token%3A%20[redacted]%0Anext"),
            (
                "%22a%22%3A%22%7B%5C%22secret%5C%22%3A%5C%22zq%5C%22%7D%22",
                "%22a%22%3A%22%7B%5C%22secret%5C%22%3A%5C%22[redacted]%5C%22%7D%22",
            ),
            ("%22cookies%22%3A%7B%22sid%22%3A%22zq%22%7D", "%22cookies%22%3A%7B[redacted]%7D"),
            ("password=a%22b%20c&x=%22y%22", "password=[redacted]&x=%22y%22"),
            ("password=%22a%22b&x=1", "password=[redacted]&x=1"),
            ("password=%7B%22a%22%7Db&x=1", "password=[redacted]&x=1"),
            ("password: %22a%22b", "password: [redacted]"),
            ("> Cookie: %22a%22; b=zq", "> Cookie: [redacted]"),
            ("> Cookie: \"a\"; b=zq", "> Cookie: [redacted]"),
            ("h=Authorization%3A+Digest+zq&x=1", "h=Authorization%3A+Digest+[redacted]&x=1"),
            (
                "a=%257B%2522token%2522%253A%2522zq%2522%257D",
                "a=%257B%2522token%2522%253A%2522[redacted]%2522%257D",
            ),
        ] {
            assert_eq!(redact(text), expected);
        }
    }
}
