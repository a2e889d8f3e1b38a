//! Texts inside of texts: JSON in a string, what is percent-encoded. The main type
//! is [`Layer`].

use std::ops::Range;

use crate::wire::secret::{hexadecimal, unicode_escape};

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

    fn read(
        original: &[u8],
        part: Range<usize>,
        escape: fn(&[u8], usize) -> Option<(u8, usize)>,
    ) -> Layer {
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
