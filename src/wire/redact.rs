//! Taking credentials out of what people read. The main type is [`Redactor`].
//!
//! Two kinds of text are taken out, and `[redacted]` is written in their place:
//!
//! - what stands in a place that is known to hold credentials: the header
//!   fields in [`CREDENTIAL_HEADERS`], the values of the JSON and form members
//!   in [`CREDENTIAL_MEMBERS`] and of those whose name ends as one of
//!   [`CREDENTIAL_ENDINGS`], also inside JSON that is itself a JSON string,
//!   in a URI's query, percent-encoded, and as programs print them; the user
//!   information of a URI; and JSON Web Tokens, signed or encrypted, and private
//!   keys in PEM, wherever they stand;
//! - the secrets that a profile names, in every form that [`Redactor::new`]
//!   lists.
//!
//! An empty value stays: it gives nothing away, and a reviewer wants to see it.
//! Numbers stay as the value of `code`, since that is how JSON-RPC tells what
//! an error is, and of the other names that are words of prose. Redacting twice changes nothing.

mod credential;
mod layers;
mod names;
mod pem;
mod places;
mod value;

use std::borrow::Cow;
use std::ops::Range;

pub use self::credential::REDACTED;
pub use self::names::{CREDENTIAL_ENDINGS, CREDENTIAL_HEADERS, CREDENTIAL_MEMBERS, SCHEMES};

use self::credential::credential_in;
use self::names::Name;
use super::secret::Secrets;

/// Takes credentials out of texts.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    secrets: Secrets,
}

impl Redactor {
    /// A redactor that also knows `secrets`, in every form in which a text can
    /// hold one: as they are, percent-encoded, escaped as in a JSON string or a
    /// debug form, needlessly or not, in up to five texts inside of one another; and in
    /// base64 (either alphabet, alone or as a part of a longer text, such as a
    /// client's id and secret). Of a secret of several lines each longer line is
    /// one as well. Where a text was cut, the beginning of a secret is.
    pub fn new<S: AsRef<str>>(secrets: impl IntoIterator<Item = S>) -> Self {
        Redactor { secrets: Secrets::new(secrets) }
    }

    /// `text` without credentials.
    pub fn redact(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.redact_bytes(text.as_bytes())).into_owned()
    }

    /// `bytes` without credentials; they need not be UTF-8.
    pub fn redact_bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        // Both kinds are looked for in the original: if one were taken out
        // first, a remainder of the other could stay behind.
        let mut ranges = self.secrets.find(bytes, REDACTED.as_bytes());
        ranges.extend(places::places_in(bytes));
        ranges.extend(pem::blocks(bytes));
        replace(bytes, ranges)
    }

    /// The value of the header field `name` without credentials. Of an
    /// authorization the scheme stays: `Bearer [redacted]`.
    pub fn header<'a>(&self, name: &str, value: &'a [u8]) -> Cow<'a, [u8]> {
        match Name::of(name.as_bytes()) {
            Some(name) => replace(value, vec![credential_in(name, value, 0..value.len())]),
            None => self.redact_bytes(value),
        }
    }
}

/// `bytes` with [`REDACTED`] in the place of each of `ranges`; those that
/// overlap are replaced as one.
fn replace(bytes: &[u8], mut ranges: Vec<Range<usize>>) -> Cow<'_, [u8]> {
    ranges.retain(|range| !range.is_empty());
    if ranges.is_empty() {
        return Cow::Borrowed(bytes);
    }
    ranges.sort_by_key(|range| range.start);
    let mut out = Vec::with_capacity(bytes.len());
    let mut done = 0;
    for range in ranges {
        if range.start >= done {
            out.extend_from_slice(&bytes[done..range.start]);
            out.extend_from_slice(REDACTED.as_bytes());
        }
        done = done.max(range.end);
    }
    out.extend_from_slice(&bytes[done..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests;
