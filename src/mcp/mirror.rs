//! What a request says in its header fields as well as in its body, so that it
//! can be routed without being read: [`name_member`], [`encode`], [`decode`]
//! (2026-07-28, basic/transports/streamable-http, "Request Metadata").

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderName, HeaderValue};

/// The protocol version, on every request.
pub const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// The method, on every request.
pub const METHOD: HeaderName = HeaderName::from_static("mcp-method");
/// The name of what is addressed.
pub const NAME: HeaderName = HeaderName::from_static("mcp-name");

const PREFIX: &str = "=?base64?";
const SUFFIX: &str = "?=";

/// The member of the params whose value `Mcp-Name` repeats; `None` if requests
/// of `method` have no such field. Of tasks it is the extension that says so
/// ("Streamable HTTP: Routing Headers").
pub fn name_member(method: &str) -> Option<&'static str> {
    match method {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" => Some("uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => Some("taskId"),
        _ => None,
    }
}

/// `text` as the value of a header field: as it is if that is safe, else as
/// base64 between the marks, which text that looks like that needs as well
/// ("Value Encoding").
pub fn encode(text: &str) -> HeaderValue {
    let is_plain = text.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte))
        && text.trim_matches([' ', '\t']).len() == text.len()
        && !(text.starts_with(PREFIX) && text.ends_with(SUFFIX));
    let encoded = if is_plain {
        text.to_owned()
    } else {
        format!("{PREFIX}{}{SUFFIX}", STANDARD.encode(text))
    };
    // Both forms are made of characters that a field can hold.
    HeaderValue::try_from(encoded).unwrap_or_else(|_| HeaderValue::from_static(""))
}

/// The text that a header field stands for; `None` if it holds characters that
/// no field may have, or what stands between the marks is not base64 of text.
pub fn decode(value: &HeaderValue) -> Option<String> {
    let text = value.to_str().ok()?;
    match text.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX)) {
        Some(encoded) => String::from_utf8(STANDARD.decode(encoded).ok()?).ok(),
        None => Some(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_encoded_as_the_specification_shows() {
        // "Encoding examples" of the section, and an empty text.
        for (text, encoded) in [
            ("us-west1", "us-west1"),
            ("Hello, \u{4e16}\u{754c}", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
            ("", ""),
        ] {
            let value = encode(text);
            assert_eq!(value, encoded);
            assert_eq!(decode(&value).as_deref(), Some(text));
        }
    }

    #[test]
    fn what_is_no_base64_of_text_stands_for_nothing() {
        for value in ["=?base64?%%%?=", "=?base64?/w==?="] {
            assert_eq!(decode(&HeaderValue::from_static(value)), None);
        }
        assert_eq!(decode(&HeaderValue::from_bytes(b"caf\xc3\xa9").unwrap()), None);
        // The marks are case-sensitive.
        let other = HeaderValue::from_static("=?BASE64?YQ==?=");
        assert_eq!(decode(&other).as_deref(), Some("=?BASE64?YQ==?="));
    }
}
