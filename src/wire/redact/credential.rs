//! What a credential looks like, and what is written in its place.

use std::ops::Range;

use super::names::{Name, SCHEMES};
use crate::wire::scan;

/// What is written in the place of a credential.
pub const REDACTED: &str = "[redacted]";

/// Whether the whole of a value looks like a token rather than a word, a
/// number, a path or the name of a constant.
pub(super) fn is_token_like(value: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| value.iter().any(is);
    let is_constant = !has(u8::is_ascii_lowercase) && value.contains(&b'_');
    value.len() >= 8
        && scan::token68_length(value) == value.len()
        && has(u8::is_ascii_alphabetic)
        && !is_constant
        && !value.starts_with(b"0x")
        && (has(u8::is_ascii_digit)
            || value.len() >= 20 && value.iter().all(u8::is_ascii_alphabetic))
}

/// The part of `value` in `text` that is the credential: of an authorization all
/// but its scheme.
pub(super) fn credential_in(name: Name, text: &[u8], value: Range<usize>) -> Range<usize> {
    let whole = &text[value.clone()];
    let word = whole.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let gap = scan::spaces_length(&whole[word..]);
    let is_scheme = SCHEMES.iter().any(|it| whole[..word].eq_ignore_ascii_case(it.as_bytes()));
    if name.name.ends_with("authorization") && is_scheme {
        value.start + word + gap..value.end
    } else {
        value
    }
}
