//! `WWW-Authenticate` of a server (RFC 9110, section 11.6.1).

use std::hash::DefaultHasher;

use mcp_checks::mcp::authorization::{Challenge, challenges_in};

use crate::engine::{Target, about, note};

pub const TARGET: Target = Target {
    name: "challenges",
    seeds: Vec::new,
    words: &[
        "Bearer ",
        "Basic",
        "Negotiate",
        "DPoP ",
        "realm=",
        "scope=\"a b\"",
        "error=\"insufficient_scope\"",
        "resource_metadata=\"https://a.test/.well-known/oauth-protected-resource\"",
        "\"",
        "\\\"",
        "=\"",
        " = ",
        ", ",
        "==",
        "a=b",
        "a=\"b\", ",
        "YWI=",
    ],
    read,
};

fn read(input: &[u8], hasher: &mut DefaultHasher) {
    let field = String::from_utf8_lossy(input);
    let all = challenges_in(&field);
    note(hasher, about(all.len()));
    for challenge in all.iter().take(10) {
        note(hasher, (about(challenge.parameters.len()), challenge.token.is_some()));
        note(hasher, challenge.is("Bearer"));
    }
    for challenge in &all {
        assert!(is_token(&challenge.scheme), "{challenge:?}");
        assert!(challenge.token.is_none() || challenge.parameter("a").is_none_or(|_| true));
        for (name, _) in &challenge.parameters {
            assert!(is_token(name) && !name.contains(|c: char| c.is_ascii_uppercase()), "{name}");
        }
    }
    // What was read, written, is read as the same.
    assert_eq!(challenges_in(&written(&all)), all);
}

fn is_token(text: &str) -> bool {
    let is_mark = |letter: char| "!#$%&'*+-.^_`|~".contains(letter);
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_alphanumeric() || is_mark(letter))
}

/// Challenges as a server writes them.
fn written(all: &[Challenge]) -> String {
    let one = |challenge: &Challenge| {
        let parameter = |(name, value): &(String, String)| {
            format!("{name}=\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
        };
        let mut parts: Vec<String> = challenge.token.iter().cloned().collect();
        parts.extend(challenge.parameters.iter().map(parameter));
        format!("{} {}", challenge.scheme, parts.join(", "))
    };
    all.iter().map(one).collect::<Vec<_>>().join(", ")
}
