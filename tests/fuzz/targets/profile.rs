//! Profiles: TOML.

use std::hash::DefaultHasher;

use mcp_checks::profile::{embedded_files, read as read_profile};

use super::{are_well_told, rendered, source};
use crate::engine::{Target, about, note};

/// What no diagnostic may show.
const SECRET: &str = "hush-4711-hush";

pub const TARGET: Target = Target {
    name: "profile",
    seeds: || embedded_files().map(|(_, text)| text.to_vec()).collect(),
    words: &[
        "revision = \"2025-11-25\"\n",
        "secret = [\"hush-4711-hush\"]\n",
        "hush-4711-hush",
        "url = \"https://mcp.example.com/mcp\"\n",
        "[server]\n",
        "session = \"one\"\n",
        "framing = \"event-stream\"\n",
        "lacks = [\"tools\"]\n",
        "[operator]\n",
        "identifier = \"it\"\n",
        "data-class = \"source-code\"\n",
        "requires-approval = false\n",
        "zone = \"local\"\n",
        "[policy]\n",
        "versions = [\"2026-07-28\"]\n",
        "required = [\"tools.listChanged\"]\n",
        "optional = ",
        " = ",
        "\"\"\"",
        "'''",
        "[[a]]\n",
        "a.b.c = 1\n",
        "{ a = 1 }",
        "[",
        "]",
        "\\u00e9",
        "1979-05-27T07:32:00Z",
        "# ",
    ],
    read,
};

fn read(input: &[u8], hasher: &mut DefaultHasher) {
    let text = String::from_utf8_lossy(input);
    match read_profile("it", &source(&text)) {
        Ok(profile) => {
            note(hasher, (profile.revision, profile.server.session.is_some()));
            note(hasher, (about(profile.secrets.len()), profile.url.is_some()));
            note(hasher, (about(profile.policy.versions.len()), profile.is_accepted()));
            assert!(profile.secrets.iter().all(|secret| !secret.trim().is_empty()));
            assert!(!profile.policy.versions.is_empty() && !profile.operator.identifier.is_empty());
            let session = profile.server.session.unwrap_or_else(|| "none".to_owned());
            assert!(!session.is_empty() && session.bytes().all(|byte| byte.is_ascii_graphic()));
            let host = profile.url.as_ref().map_or(Some("none"), |url| url.host());
            assert!(host.is_some_and(|host| !host.is_empty()));
        }
        Err(error) => {
            are_well_told(&error, &text, hasher);
            if text.len() <= 4096 && is_secret_alone(&text) {
                let shown = rendered(&error);
                assert!(!shown.contains(SECRET), "{shown}");
            }
        }
    }
}

/// Whether the secret stands as one of the profile's secrets, and nowhere else.
fn is_secret_alone(text: &str) -> bool {
    let Ok(table) = text.parse::<toml::Table>() else { return false };
    let secrets = table.get("secret").map(ToString::to_string).unwrap_or_default();
    secrets.contains(SECRET) && text.matches(SECRET).count() == 1
}
