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

/// Those that are words of prose as well: a colon after them makes a member
/// only if they stand in quotes or the value does, an equals sign only where a
/// member can begin; elsewhere the value has to look like a token.
pub(super) const PROSE: [&str; 6] = ["assertion", "code", "cookies", "dpop", "secret", "token"];

/// Those whose value is often an object that says something else.
pub(super) const NO_OBJECTS: [&str; 2] = ["assertion", "code"];

/// Authentication schemes that stay readable before a redacted credential.
pub const SCHEMES: [&str; 5] = ["basic", "bearer", "digest", "dpop", "negotiate"];

/// The name of a member whose value is a credential.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// What the name is, or what it ends with.
    pub(super) name: &'static str,
    /// Whether it is among [`CREDENTIAL_MEMBERS`].
    pub(super) is_listed: bool,
    /// Whether it is among [`PROSE`].
    pub(super) is_prose: bool,
}

impl Member {
    pub(super) fn named(word: &[u8]) -> Option<Member> {
        let member = |name, is_listed| Member { name, is_listed, is_prose: PROSE.contains(&name) };
        let is = |name: &&str| is_name(word, name);
        if can_begin(word)
            && let Some(name) = CREDENTIAL_MEMBERS.into_iter().find(is)
        {
            return Some(member(name, true));
        }
        if !can_end(word) {
            return None;
        }
        let name = CREDENTIAL_ENDINGS.into_iter().find(|ending| ends_with(word, ending))?;
        (!NO_CREDENTIALS.iter().any(is)).then(|| member(name, false))
    }
}

/// The letters, in lower case, that a name or a scheme begins with. Most words of
/// a body begin with another.
const BEGINNINGS: [bool; 256] = {
    let mut table = [false; 256];
    let mut at = 0;
    while at < CREDENTIAL_MEMBERS.len() {
        table[CREDENTIAL_MEMBERS[at].as_bytes()[0] as usize] = true;
        at += 1;
    }
    at = 0;
    while at < CREDENTIAL_HEADERS.len() {
        table[CREDENTIAL_HEADERS[at].as_bytes()[0] as usize] = true;
        at += 1;
    }
    at = 0;
    while at < SCHEMES.len() {
        table[SCHEMES[at].as_bytes()[0] as usize] = true;
        at += 1;
    }
    table
};

/// The letters, in lower case, that the name of a member ends with: the last one
/// and the one before.
const ENDS: [[bool; 256]; 2] = {
    let mut tables = [[false; 256]; 2];
    let mut at = 0;
    while at < CREDENTIAL_ENDINGS.len() {
        let ending = CREDENTIAL_ENDINGS[at].as_bytes();
        tables[0][ending[ending.len() - 1] as usize] = true;
        tables[1][ending[ending.len() - 2] as usize] = true;
        at += 1;
    }
    tables
};

pub(super) fn can_begin(word: &[u8]) -> bool {
    let first = word.iter().find(|byte| byte.is_ascii_alphanumeric());
    first.is_some_and(|first| BEGINNINGS[usize::from(first.to_ascii_lowercase())])
}

fn can_end(word: &[u8]) -> bool {
    let is_in = |(table, byte): (&[bool; 256], &u8)| table[usize::from(byte.to_ascii_lowercase())];
    ENDS.iter().zip(word.iter().rev()).all(is_in)
}

/// Whether the word is the name of this member, however its parts are joined.
fn is_name(word: &[u8], name: &str) -> bool {
    fn letters(text: &[u8]) -> impl Iterator<Item = u8> {
        let letters = text.iter().filter(|byte| !matches!(byte, b'_' | b'-'));
        letters.map(u8::to_ascii_lowercase)
    }
    // Most words differ in the first letter already.
    let first = word.iter().find(|byte| byte.is_ascii_alphanumeric());
    first.is_some_and(|first| first.eq_ignore_ascii_case(&name.as_bytes()[0]))
        && letters(word).eq(letters(name.as_bytes()))
}

/// Whether the word ends with the name of this member, however its parts are
/// joined.
fn ends_with(word: &[u8], name: &str) -> bool {
    fn letters(text: &[u8]) -> impl Iterator<Item = u8> {
        let letters = text.iter().rev().filter(|byte| !matches!(byte, b'_' | b'-'));
        letters.map(u8::to_ascii_lowercase)
    }
    let mut word = letters(word);
    letters(name.as_bytes()).all(|letter| word.next() == Some(letter))
}

pub(super) fn one_of(names: &[&'static str], word: &[u8]) -> Option<&'static str> {
    names.iter().find(|name| word.eq_ignore_ascii_case(name.as_bytes())).copied()
}
