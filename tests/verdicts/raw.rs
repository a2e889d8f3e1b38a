//! Raw subjects: a client and a server that share no code with the program, each
//! right by default, and each bent in one place by a closure.

mod annotations;
pub mod answer;
pub mod client;
pub mod http;
mod legacy;
pub mod modern;
mod offered;
pub mod server;
mod steps;
pub mod tasks;

/// What the keys in `_meta` begin with.
pub const PREFIX: &str = "io.modelcontextprotocol/";

/// The revision that has no handshake.
pub const STATELESS: &str = "2026-07-28";

/// The value of a header field, in the base64 form if it is no plain text, or
/// could be taken for that form (2026-07-28, basic/transports/streamable-http#value-encoding).
pub fn encoded(value: &str) -> String {
    let is_plain = value.chars().all(|character| (' '..='~').contains(&character))
        && value.trim() == value
        && !(value.starts_with("=?base64?") && value.ends_with("?="));
    if is_plain { value.to_owned() } else { in_base64(value) }
}

/// The base64 form, whether it is needed or not.
pub fn in_base64(value: &str) -> String {
    use base64::Engine as _;
    format!("=?base64?{}?=", base64::engine::general_purpose::STANDARD.encode(value))
}

/// What a header field says; `None` if it is in a base64 form that is none.
pub fn decoded(value: &str) -> Option<String> {
    use base64::Engine as _;
    let inner = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    match inner {
        None => Some(value.to_owned()),
        Some(inner) => {
            let bytes = base64::engine::general_purpose::STANDARD.decode(inner).ok()?;
            String::from_utf8(bytes).ok()
        }
    }
}
