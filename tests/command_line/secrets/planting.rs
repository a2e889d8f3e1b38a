//! Secrets of which each stands in one place, and a search for them that knows
//! nothing of how they are redacted: [`Planted`].

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;
use sha2::{Digest as _, Sha256};

/// How much of a secret has to be found for it to have leaked.
const PIECE: usize = 8;

/// Why something must not be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// It is a credential by the place where it stands.
    Credential,
    /// A profile lists it.
    Marked,
    /// It is what a message says: nothing that a diagnostic may hold.
    Content,
}

/// Secrets by their kinds and places, made as texts name them.
#[derive(Default)]
pub struct Planted(BTreeMap<(Kind, String), String>);

impl Planted {
    /// `template` with a secret in place of each `<<KIND: PLACE>>`, or
    /// `<<KIND: PLACE|FORM>>` for one that is written in a form of its own.
    pub fn text(&mut self, template: &str) -> String {
        let mut pieces = template.split("<<");
        let mut text = pieces.next().unwrap().to_owned();
        for piece in pieces {
            let (mark, rest) = piece.split_once(">>").unwrap();
            let (kind, place) = mark.split_once(": ").unwrap();
            let kind = match kind {
                "credential" => Kind::Credential,
                "marked" => Kind::Marked,
                "content" => Kind::Content,
                other => panic!("`{other}` is no kind of secret"),
            };
            let (place, form) = place.split_once('|').unwrap_or((place, "plain"));
            text.push_str(&written(&self.secret(kind, place), form));
            text.push_str(rest);
        }
        text
    }

    fn secret(&mut self, kind: Kind, place: &str) -> String {
        let value = || {
            let digest = Sha256::digest(format!("{kind:?} {place}"));
            let letters = b"abcdefghijklmnopqrstuvwxyz0123456789";
            let letter = |byte: &u8| char::from(letters[usize::from(*byte) % letters.len()]);
            format!("z{}", digest.iter().take(23).map(letter).collect::<String>())
        };
        self.0.entry((kind, place.to_owned())).or_insert_with(value).clone()
    }

    /// The values that a profile has to list.
    pub fn marked(&self) -> Vec<&str> {
        let marked = self.0.iter().filter(|((kind, _), _)| *kind == Kind::Marked);
        marked.map(|(_, value)| value.as_str()).collect()
    }

    /// The places of these kinds of which a piece stands in `text`, in any form.
    pub fn seen_in(&self, kinds: &[Kind], text: &str) -> BTreeSet<String> {
        let mut pieces: BTreeMap<&[u8], &str> = BTreeMap::new();
        for ((kind, place), value) in &self.0 {
            if kinds.contains(kind) {
                pieces.extend(value.as_bytes().windows(PIECE).map(|piece| (piece, place.as_str())));
            }
        }
        let mut seen = BTreeSet::new();
        for reading in readings(text) {
            let found = reading.windows(PIECE).filter_map(|piece| pieces.get(piece));
            seen.extend(found.map(|place| (*place).to_owned()));
        }
        seen
    }

    /// The places of these kinds.
    pub fn places(&self, kinds: &[Kind]) -> BTreeSet<String> {
        let those = self.0.keys().filter(|(kind, _)| kinds.contains(kind));
        those.map(|(_, place)| place.clone()).collect()
    }
}

fn written(secret: &str, form: &str) -> String {
    let each = |write: fn(u8) -> String| secret.bytes().map(write).collect::<String>();
    match form {
        "plain" => secret.to_owned(),
        "first half" => secret[..12].to_owned(),
        "second half" => secret[12..].to_owned(),
        "percent" => each(|byte| format!("%{byte:02X}")),
        "percent twice" => each(|byte| format!("%25{byte:02x}")),
        "escaped" => each(|byte| format!("\\u{byte:04x}")),
        "escaped twice" => each(|byte| format!("\\\\u{byte:04X}")),
        "base64" => engine(&alphabet::STANDARD).encode(secret),
        "base64 of a pair" => engine(&alphabet::URL_SAFE).encode(format!("user:{secret}")),
        "base64 in lines" => {
            let whole = engine(&alphabet::STANDARD).encode(format!("user of it:{secret}"));
            format!("{}\n{}", &whole[..24], &whole[24..])
        }
        other => panic!("`{other}` is no form"),
    }
}

fn engine(alphabet: &alphabet::Alphabet) -> GeneralPurpose {
    let lenient = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent);
    GeneralPurpose::new(alphabet, lenient)
}

/// The text as it is, and as those read it who decode what is in it.
fn readings(text: &str) -> Vec<Vec<u8>> {
    let percent = |text: &str| percent_decode_str(text).collect::<Vec<u8>>();
    let once = percent(text);
    let twice = percent(&String::from_utf8_lossy(&once));
    let mut base64 = Vec::new();
    // What is in lines as well: they are those of the text, or of a string in it.
    let lines = text.replace("\\r", "\n").replace("\\n", "\n");
    let joined: String = lines.lines().map(str::trim).collect();
    let is_base64 = |c: char| c.is_ascii_alphanumeric() || "+/-_".contains(c);
    let words = [text, &joined].into_iter().flat_map(|text| text.split(|c| !is_base64(c)));
    for word in words.filter(|word| word.len() >= PIECE) {
        let word = word.replace('-', "+").replace('_', "/");
        for start in 0..4.min(word.len()) {
            // One letter that is left over is no byte.
            let length = (word.len() - start) - usize::from((word.len() - start) % 4 == 1);
            let part = &word[start..start + length];
            base64.extend(engine(&alphabet::STANDARD).decode(part).unwrap_or_default());
            base64.push(b'\n');
        }
    }
    vec![text.as_bytes().to_vec(), once, twice, unescaped(text), base64]
}

/// The text with `\u0041` read, whatever stands before the `u`.
fn unescaped(text: &str) -> Vec<u8> {
    let mut pieces = text.split("\\u");
    let mut read = pieces.next().unwrap().to_owned();
    for piece in pieces {
        let digits = piece.get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match digits.and_then(char::from_u32) {
            Some(character) => {
                read.truncate(read.trim_end_matches('\\').len());
                read.push(character);
                read.push_str(&piece[4..]);
            }
            None => read.push_str(piece),
        }
    }
    read.into_bytes()
}

#[test]
fn the_search_finds_every_form_and_nothing_else() {
    for form in [
        "plain",
        "percent",
        "percent twice",
        "escaped",
        "escaped twice",
        "base64",
        "base64 of a pair",
        "base64 in lines",
    ] {
        let mut planted = Planted::default();
        let text = planted.text(&format!("a <<marked: one|{form}>>. b"));
        assert_eq!(planted.seen_in(&[Kind::Marked], &text).len(), 1, "{form}: {text}");
        assert_eq!(planted.seen_in(&[Kind::Content], &text).len(), 0, "{form}");
        assert_eq!(planted.seen_in(&[Kind::Marked], "a [redacted]. b").len(), 0, "{form}");
    }
    let mut planted = Planted::default();
    let text = planted.text("<<marked: one|first half>> and <<marked: one|second half>>");
    assert_eq!(planted.seen_in(&[Kind::Marked], &text).len(), 1, "a half is enough");
}
