//! An exchange as text that a person reviews: [`render`], in a [`Style`].
//!
//! ```text
//! at 15000 ms
//! > POST {server}/mcp
//! > accept: application/json, text/event-stream
//! > content-type: application/json
//! >
//! > {"jsonrpc":"2.0","id":2,"method":"tools/list"}
//! < 200 OK
//! < content-type: text/event-stream
//! <
//! < data: {"jsonrpc":"2.0","id":2,"result":{"tools":[]}}
//! <
//! <
//! (aborted by the client at 20000 ms)
//! ```
//!
//! What a reader can rely on:
//!
//! - Lines of the request begin with `>`, lines of the response with `<`; no
//!   other line does, so nothing in a body can pass for something else. The
//!   version of HTTP is left out: an exchange in memory has none.
//! - Header fields stand in the order in which they were sent, without those
//!   in [`HOP_HEADERS`].
//! - A body follows an empty line and stays as it was sent, byte for byte; no
//!   JSON is laid out anew. Each newline of it is a line break here, so a body
//!   that ends with a newline has an empty last line, and one that does not has
//!   none. A message without a body has no empty line either.
//! - Bytes that a reader or a tool would lose are written as `\xNN`: control
//!   characters, tabs, spaces at the end of a line, invisible characters, what
//!   is not UTF-8. A carriage return at the end of a line is written as `\r`.
//!   Where a body itself holds what looks like one of these, its backslash is
//!   written as `\x5c`; every other backslash stays as it is, so that JSON,
//!   which knows no `\x`, reads as it was sent.
//! - A body longer than [`LONG_BODY`] bytes, and the value of a header field
//!   that is as long, are shown by their first [`BEGINNING`] bytes, their length
//!   and their digest: those after redaction and naming, so they neither tell a
//!   secret nor vary with a port.
//! - Credentials are redacted ([`super::redact`]); origins that a style names
//!   are written as `{name}`, everywhere; the program's own version is written
//!   by name inside `clientInfo`.
//! - Times are given where they are not those of the line before: when the
//!   request was sent unless that is 0, when the response ended if that was
//!   later.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::Duration;

use http::HeaderMap;
use memchr::memmem;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::{Digest as _, Sha256};

use super::exchange::{End, Exchange};
use super::redact::Redactor;
use super::scan;
pub(crate) use super::visible::is_lost;
pub use super::visible::{NAME_LIMIT, cut_name, escape, escape_name, visible};

/// Header fields that belong to one connection, or to the program that sends
/// them, rather than to the exchange. They differ between the double in memory
/// and the same double on a socket, and are left out of every text.
pub const HOP_HEADERS: [&str; 8] = [
    "accept-encoding",
    "connection",
    "content-length",
    "date",
    "host",
    "keep-alive",
    "transfer-encoding",
    "user-agent",
];

/// The length, in bytes, up to which a body, or the value of a header field, is
/// shown whole.
pub const LONG_BODY: usize = 4096;

/// How many bytes of a longer body are shown.
pub const BEGINNING: usize = 256;

/// How an exchange is written.
#[derive(Clone, Debug)]
pub struct Style {
    /// Origins (`http://127.0.0.1:1234`) and the names they are shown by
    /// (`server`, shown as `{server}`), also where they stand percent-encoded.
    pub origins: Vec<(String, String)>,
    /// What takes credentials out.
    pub redactor: Redactor,
    /// Values of `version` in a `clientInfo`, and the names they are shown by
    /// (`version`, shown as `{version}`).
    pub versions: Vec<(String, String)>,
    /// Whether times are shown.
    pub times: bool,
}

impl Default for Style {
    /// No origins, no further secrets, this program's own version, times shown.
    fn default() -> Self {
        Style {
            origins: Vec::new(),
            redactor: Redactor::default(),
            versions: vec![(env!("CARGO_PKG_VERSION").to_owned(), "version".to_owned())],
            times: true,
        }
    }
}

impl Style {
    /// This style with the origins of one execution.
    pub fn with_origins(&self, origins: &[(String, String)]) -> Self {
        Style { origins: origins.to_vec(), ..self.clone() }
    }

    /// `bytes` as a person may see them: redacted, named, escaped.
    pub fn text(&self, bytes: &[u8]) -> String {
        escape(&self.shown(bytes))
    }

    /// The value of a header field as a person may see it.
    pub fn header_value(&self, name: &str, value: &[u8]) -> String {
        escape(&self.shown_field(name, value))
    }

    fn shown_field<'a>(&self, name: &str, value: &'a [u8]) -> Cow<'a, [u8]> {
        self.named(self.redactor.header(name, value))
    }

    fn shown<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        self.named(self.redactor.redact_bytes(bytes))
    }

    fn named<'a>(&self, mut bytes: Cow<'a, [u8]>) -> Cow<'a, [u8]> {
        for (origin, name) in &self.origins {
            // Every form has the host as it is, and none is shorter.
            let host = origin.split("://").last().and_then(|host| host.split(':').next());
            let is_there = |host: &str| memmem::find(&bytes, host.as_bytes()).is_some();
            if bytes.len() < origin.len() || !host.is_some_and(is_there) {
                continue;
            }
            let name = format!("{{{name}}}");
            let percent = utf8_percent_encode(origin, NON_ALPHANUMERIC)
                .to_string()
                .replace("%2E", ".")
                .replace("%2D", "-");
            let forms = [origin.replace('/', "\\/"), percent.to_lowercase(), percent];
            for form in forms.iter().chain([origin]) {
                bytes = replace_origin(bytes, form.as_bytes(), name.as_bytes());
            }
        }
        for (version, name) in &self.versions {
            bytes = replace_version(bytes, version.as_bytes(), format!("{{{name}}}").as_bytes());
        }
        bytes
    }
}

/// The exchanges of one execution, an empty line between them.
pub fn render_all(exchanges: &[Exchange], style: &Style) -> String {
    if exchanges.is_empty() {
        return "(no exchange)\n".to_owned();
    }
    let texts: Vec<String> = exchanges.iter().map(|exchange| render(exchange, style)).collect();
    texts.join("\n")
}

/// The same exchanges for a comparison with another environment: without times,
/// and with header fields in the order of their names. HTTP gives their order no
/// meaning (RFC 9110, section 5.3), and a socket's library may change it.
pub fn render_to_compare(exchanges: &[Exchange], style: &Style) -> String {
    let style = Style { times: false, ..style.clone() };
    let sorted: Vec<Exchange> = exchanges
        .iter()
        .map(|exchange| {
            let mut sorted = exchange.clone();
            sort_by_name(&mut sorted.headers);
            if let Some(head) = &mut sorted.response {
                sort_by_name(&mut head.headers);
            }
            sorted
        })
        .collect();
    render_all(&sorted, &style)
}

fn sort_by_name(headers: &mut HeaderMap) {
    let mut fields: Vec<_> =
        headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    fields.sort_by(|(one, _), (other, _)| one.as_str().cmp(other.as_str()));
    headers.clear();
    for (name, value) in fields {
        headers.append(name, value);
    }
}

/// One exchange; each line ends with a newline.
pub fn render(exchange: &Exchange, style: &Style) -> String {
    let mut out = String::new();
    if style.times && !exchange.at.is_zero() {
        line(&mut out, &format!("at {} ms", exchange.at.as_millis()));
    }
    let uri = style.text(exchange.uri.to_string().as_bytes());
    let request_line = format!("{} {uri}", exchange.method);
    message(&mut out, '>', &request_line, &exchange.headers, &exchange.body, style);
    if let Some(response) = &exchange.response {
        let reason = response.status.canonical_reason().unwrap_or_default();
        let status_line = format!("{} {reason}", response.status.as_str());
        message(
            &mut out,
            '<',
            status_line.trim_end(),
            &response.headers,
            &exchange.response_body,
            style,
        );
    }
    let end = match exchange.end {
        End::Complete => "complete",
        End::Aborted => "aborted by the client",
        End::Broken => "broken off by the server",
        End::Unreached => "no connection was made",
        End::Open if exchange.response.is_some() => "still open",
        End::Open => "no response",
    };
    match exchange.completed_at {
        Some(time) if style.times && has_passed(exchange.at, time) => {
            line(&mut out, &format!("({end} at {} ms)", time.as_millis()));
        }
        _ if exchange.end == End::Complete => {}
        _ => line(&mut out, &format!("({end})")),
    }
    out
}

/// Whether a reader sees a difference between the two times.
fn has_passed(from: Duration, to: Duration) -> bool {
    from.as_millis() != to.as_millis()
}

fn message(
    out: &mut String,
    mark: char,
    first_line: &str,
    headers: &HeaderMap,
    body: &[u8],
    style: &Style,
) {
    line(out, &format!("{mark} {first_line}"));
    for (name, value) in headers {
        if !HOP_HEADERS.contains(&name.as_str()) {
            let value = style.shown_field(name.as_str(), value.as_bytes());
            let name = style.redactor.redact(name.as_str());
            let beginning = beginning(&value);
            line(out, format!("{mark} {name}: {}", escape(beginning)).trim_end());
            rest(out, &value, beginning);
        }
    }
    if body.is_empty() {
        return;
    }
    line(out, &mark.to_string());
    let body = style.shown(body);
    let beginning = beginning(&body);
    for text in escape(beginning).split('\n') {
        line(out, format!("{mark} {text}").trim_end());
    }
    rest(out, &body, beginning);
}

/// Says what is not shown of `whole`, if anything.
fn rest(out: &mut String, whole: &[u8], shown: &[u8]) {
    if shown.len() < whole.len() {
        let (first, all, digest) = (shown.len(), whole.len(), digest(whole));
        line(out, &format!("(the first {first} of {all} bytes, whose SHA-256 digest is {digest})"));
    }
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

/// All of it up to [`LONG_BODY`] bytes; else the first [`BEGINNING`], fewer if a
/// character would be cut.
fn beginning(body: &[u8]) -> &[u8] {
    if body.len() <= LONG_BODY {
        return body;
    }
    let is_inside = |at: &usize| body.get(*at).is_some_and(|byte| byte & 0xC0 == 0x80);
    let end = (BEGINNING - 3..=BEGINNING).rev().find(|at| !is_inside(at)).unwrap_or(BEGINNING);
    &body[..end]
}

fn digest(body: &[u8]) -> String {
    Sha256::digest(body).iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// Replaces `origin` where it is not the beginning of a longer one.
fn replace_origin<'a>(bytes: Cow<'a, [u8]>, origin: &[u8], name: &[u8]) -> Cow<'a, [u8]> {
    let found: Vec<usize> = memmem::find_iter(&bytes, origin)
        .filter(|at| !origin.is_empty() && !continues_origin(&bytes[at + origin.len()..]))
        .collect();
    if found.is_empty() {
        return bytes;
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut done = 0;
    for at in found {
        out.extend_from_slice(&bytes[done..at]);
        out.extend_from_slice(name);
        done = at + origin.len();
    }
    out.extend_from_slice(&bytes[done..]);
    Cow::Owned(out)
}

fn continues_origin(after: &[u8]) -> bool {
    let is_name = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    match after.first() {
        Some(b'.' | b'-' | b':') => is_name(after.get(1)),
        first => is_name(first),
    }
}

/// Replaces `version` where it is the `version` of a `clientInfo`.
fn replace_version<'a>(mut bytes: Cow<'a, [u8]>, version: &[u8], name: &[u8]) -> Cow<'a, [u8]> {
    const KEY: &[u8] = b"clientInfo\"";
    let mut from = 0;
    while let Some(found) = memmem::find(&bytes[from..], KEY) {
        from += found + KEY.len();
        let Some(object) = scan::colon(&bytes, from) else { continue };
        if let Some(value) = scan::string_member(&bytes, object, b"version")
            && &bytes[value.clone()] == version
        {
            bytes.to_mut().splice(value, name.iter().copied());
        }
    }
    bytes
}

#[cfg(test)]
mod tests;
