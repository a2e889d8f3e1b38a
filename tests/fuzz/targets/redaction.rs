//! Credentials taken out of whatever a far side or a client's process said: JSON, forms,
//! log lines, in one another.

use std::hash::DefaultHasher;
use std::sync::LazyLock;

use mcp_checks::wire::redact::{REDACTED, Redactor};

use crate::engine::{Target, about, note};

const SECRETS: [&str; 3] = ["hush-4711-hush", "a\"b\\c d/e+f=12", "p%41ss w\u{f6}rd"];

pub const TARGET: Target = Target {
    name: "redaction",
    seeds: Vec::new,
    words: &[
        "hush-4711-hush",
        "hush-4711",
        "aHVzaC00NzExLWh1c2g=",
        "\"access_token\":\"abc\"",
        "access_token=abc&",
        "\\\"refresh_token\\\":\\\"abc\\\"",
        "Authorization: Bearer ",
        "authorization: Basic YTpi",
        "https://a:b@c.test/",
        "%22client_secret%22%3A%22abc%22",
        "eyJhbGciOiJub25lIn0.eyJhIjoxfQ.c2ln",
        "-----BEGIN PRIVATE KEY-----\n",
        "-----END PRIVATE KEY-----\n",
        "[redacted]",
        "\\u0068",
        "\\\\",
        "\"",
        "'",
        "{",
        "}",
        "[",
        "]",
        ":",
        "=",
        ",",
        "\n",
        "password",
        "\"name\":\"authorization\",\"value\":",
        "data: ",
        "b'",
        "%",
        "%25",
    ],
    read,
};

static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| Redactor::new(SECRETS));

fn read(input: &[u8], hasher: &mut DefaultHasher) {
    let redacted = REDACTOR.redact_bytes(input);
    let text = String::from_utf8_lossy(&redacted);
    note(hasher, (about(text.matches(REDACTED).count()), redacted == input));
    for secret in SECRETS {
        assert!(!text.contains(secret), "{text:?}");
    }
    for name in ["authorization", "cookie", "mcp-session-id", "x-anything"] {
        let value = REDACTOR.header(name, input);
        assert!(!String::from_utf8_lossy(&value).contains(SECRETS[0]), "{name}");
    }
    if let Ok(value) = serde_json::from_slice::<serde_json::Value>(input) {
        note(hasher, "JSON");
        let value = REDACTOR.value(&value).to_string();
        assert!(!value.contains(SECRETS[0]), "{value}");
    }
}
