//! Requests as they were written, and exchanges as text that a person reads.

use std::hash::DefaultHasher;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, Uri};
use mcp_checks::wire::exchange::{End, ResponseHead};
use mcp_checks::wire::text::{Style, escape, escape_name, render, visible};
use mcp_checks::wire::{ClientError, Exchange, RequestHead};

use crate::engine::{Target, about, note};

pub const TARGET: Target = Target {
    name: "http_text",
    seeds: Vec::new,
    words: &[
        "POST http://server.test/mcp\n",
        "GET ",
        "https://[::1]:99999/",
        "http://a:b@c.test/d?e=f#g",
        "content-length: 3\n",
        "transfer-encoding: chunked\n",
        "mcp-session-id: ",
        "\n\n",
        "> ",
        "< ",
        "\\x41",
        "\\x5c",
        "\\r",
        " \n",
        "\r\n",
        "%41",
        "\u{200b}",
        "{\"clientInfo\":{\"name\":\"a\",\"version\":\"0.1.0\"}}",
    ],
    read,
};

fn read(input: &[u8], hasher: &mut DefaultHasher) {
    // The first line is a method and a URL, those up to an empty one are fields.
    let (head, body) = match input.windows(2).position(|two| two == b"\n\n") {
        Some(end) => (&input[..end], &input[end + 2..]),
        None => (input, &[][..]),
    };
    let head = String::from_utf8_lossy(head);
    let mut lines = head.lines();
    let (method, url) = lines.next().unwrap_or_default().split_once(' ').unwrap_or_default();
    let mut request = RequestHead::new(method, url, &HeaderMap::new());
    let fields = lines.filter_map(|line| line.split_once(':'));
    request.headers = fields.map(|(name, value)| (name.into(), value.into())).collect();
    request.to_json();
    let body = Bytes::copy_from_slice(body);
    let mut exchange = Exchange {
        index: 0,
        method: Method::POST,
        uri: Uri::from_static("http://server.test/mcp"),
        headers: HeaderMap::new(),
        body: body.clone(),
        at: Duration::from_millis(7),
        response: Some(ResponseHead { status: StatusCode::OK, headers: HeaderMap::new() }),
        response_body: Bytes::copy_from_slice(input),
        end: End::Complete,
        completed_at: None,
    };
    match request.clone().into_request(body.clone()) {
        Ok(valid) => {
            // What was taken is taken once more, as the same.
            let again = RequestHead::from(&valid);
            let twice = again.clone().into_request(body).map(|twice| RequestHead::from(&twice));
            assert_eq!(twice.ok(), Some(again));
            exchange.headers = valid.headers().clone();
            exchange.uri = valid.uri().clone();
            note(hasher, about(exchange.headers.len()));
        }
        Err(ClientError::InvalidRequest { reason, .. }) => {
            note(hasher, std::mem::discriminant(&reason));
        }
        Err(other) => panic!("{other:?}"),
    }
    is_reviewable(&exchange);
    is_told_visibly(input);
}

/// Nothing in an exchange passes for a line that it is not.
fn is_reviewable(exchange: &Exchange) {
    let text = render(exchange, &Style::default());
    for line in text.lines() {
        let is_known = [">", "<", "(", "at "].iter().any(|mark| line.starts_with(mark));
        assert!(is_known, "{line:?}");
        assert_eq!(line, line.trim_end(), "white space at the end of a line is lost");
    }
    assert!(text.ends_with('\n') && !text.contains('\r'));
}

fn is_told_visibly(input: &[u8]) {
    let escaped = escape(input);
    let is_plain = |text: &str| {
        text.chars()
            .all(|it| it == '\n' || !it.is_control() && !('\u{202a}'..='\u{202e}').contains(&it))
    };
    assert!(is_plain(&escaped), "{escaped:?}");
    assert_eq!(unescaped(&escaped), input, "{escaped:?}");
    let text = String::from_utf8_lossy(input);
    let name = escape_name(&text);
    assert!(is_plain(&name) && !name.contains('\n') && name.len() < 4_000, "{name:?}");
    let told = visible(&text);
    assert_eq!(visible(&told), told);
    assert!(is_plain(&told.replace("\x1b[", "")), "{told:?}");
}

/// What `escape` wrote.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = rest.strip_prefix(b"\\x").and_then(|rest| rest.get(..2));
        let byte = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = byte.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let ends_line = after == b"r" || after.starts_with(b"r\n");
        let (byte, length) = match byte {
            Some(byte) => (byte, 4),
            None if first == b'\\' && ends_line => (b'\r', 2),
            None => (first, 1),
        };
        bytes.push(byte);
        rest = &rest[length..];
    }
    bytes
}
