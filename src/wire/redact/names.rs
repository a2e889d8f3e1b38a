//! The names of what holds credentials: of header fields, of JSON and form
//! members, and of authentication schemes.

/// Header fields whose value is a credential, in lower case. So is one whose
/// name is that of a member which holds one.
pub const CREDENTIAL_HEADERS: [&str; 8] = [
    "authorization",
    "cookie",
    "dpop",
    "proxy-authorization",
    "set-cookie",
    "x-api-key",
    "x-auth-token",
    "x-goog-api-key",
];

/// JSON and form members whose value is a credential; `accessToken` and
/// `ACCESS-TOKEN` are `access_token` too.
pub const CREDENTIAL_MEMBERS: [&str; 19] = [
    "access_token",
    "actor_token",
    "api_key",
    "assertion",
    "client_assertion",
    "client_secret",
    "code",
    "code_verifier",
    "cookies",
    "device_code",
    "id_token",
    "passwd",
    "password",
    "private_key",
    "refresh_token",
    "registration_access_token",
    "secret",
    "subject_token",
    "token",
];

/// What the name of a member ends with whose value is a credential, whatever
/// stands before it: `GITHUB_TOKEN`, `authToken`, `x-session-token`.
pub const CREDENTIAL_ENDINGS: [&str; 8] = [
    "api_key",
    "passwd",
    "password",
    "private_key",
    "secret",
    "secret_access_key",
    "secret_key",
    "token",
];

/// Names that end so and hold none: fields of the protocol, positions in lists,
/// and what an authorization server calls a mistake.
const NO_CREDENTIALS: [&str; 9] = [
    "cancel_token",
    "cancellation_token",
    "continuation_token",
    "invalid_token",
    "next_page_token",
    "next_token",
    "page_token",
    "progress_token",
    "unexpected_token",
];

/// Those that are words of prose as well: without quotes, what follows them has to
/// look like a token, unless it is the value of a form member.
const PROSE: [&str; 6] = ["assertion", "code", "cookies", "dpop", "secret", "token"];

/// Authentication schemes that stay readable before a redacted credential.
pub const SCHEMES: [&str; 5] = ["basic", "bearer", "digest", "dpop", "negotiate"];

/// The name of what holds a credential.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    /// What the name is, or what it ends with.
    pub(super) name: &'static str,
    /// Whether it is among [`CREDENTIAL_HEADERS`].
    pub(super) is_header: bool,
    /// Whether it is among [`PROSE`].
    pub(super) is_prose: bool,
}

/// The letters of each pair that a name of a credential ends with. Most words of a
/// body end with others.
const ENDS: [[u8; 2]; 11] =
    [*b"de", *b"en", *b"er", *b"es", *b"et", *b"ey", *b"ie", *b"on", *b"op", *b"rd", *b"wd"];

impl Name {
    /// What the word names, however its parts are joined: `accessToken` and
    /// `ACCESS-TOKEN` are `access_token` too.
    pub(super) fn of(word: &[u8]) -> Option<Name> {
        let [.., one, other] = word else { return None };
        if !ENDS.contains(&[one.to_ascii_lowercase(), other.to_ascii_lowercase()]) {
            return None;
        }
        let is = |name: &&str| letters(word).eq(letters(name.as_bytes()));
        let ends = |name: &&str| {
            let mut word = letters(word);
            letters(name.as_bytes()).all(|letter| word.next() == Some(letter))
        };
        let header = CREDENTIAL_HEADERS.into_iter().find(is);
        let name = header
            .or_else(|| CREDENTIAL_MEMBERS.into_iter().find(is))
            .or_else(|| CREDENTIAL_ENDINGS.into_iter().find(ends))
            .filter(|_| !NO_CREDENTIALS.iter().any(is))?;
        Some(Name { name, is_header: header.is_some(), is_prose: PROSE.contains(&name) })
    }

    /// Whether what it holds is cookies, which programs also print as an object.
    pub(super) fn is_of_cookies(&self) -> bool {
        ["cookie", "cookies"].contains(&self.name)
    }
}

/// The letters of a name from the last to the first, in lower case and without what
/// joins its parts.
fn letters(word: &[u8]) -> impl Iterator<Item = u8> {
    let letters = word.iter().rev().filter(|byte| !matches!(byte, b'_' | b'-'));
    letters.map(u8::to_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_one() {
        for name in CREDENTIAL_HEADERS.iter().chain(&CREDENTIAL_MEMBERS).chain(&CREDENTIAL_ENDINGS)
        {
            assert_eq!(Name::of(name.as_bytes()).map(|named| named.name), Some(*name));
        }
    }
}
