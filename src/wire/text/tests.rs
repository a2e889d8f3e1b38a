use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, StatusCode, Uri};

use super::*;
use crate::wire::exchange::ResponseHead;

fn headers(fields: &[(&'static str, &'static str)]) -> HeaderMap {
    fields
        .iter()
        .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
        .collect()
}

fn exchange(body: &'static [u8], answer: &[u8]) -> Exchange {
    Exchange {
        index: 0,
        method: Method::POST,
        uri: Uri::from_static("http://127.0.0.1:1234/mcp"),
        headers: headers(&[("content-type", "application/json"), ("host", "127.0.0.1:1234")]),
        body: Bytes::from_static(body),
        at: Duration::ZERO,
        response: Some(ResponseHead { status: StatusCode::OK, headers: HeaderMap::new() }),
        response_body: Bytes::copy_from_slice(answer),
        end: End::Complete,
        completed_at: Some(Duration::ZERO),
    }
}

fn style() -> Style {
    let origins = [("http://127.0.0.1:1234", "server"), ("http://127.0.0.1:12345", "auth")];
    Style {
        redactor: Redactor::new(["open sesame"]),
        ..Style::default().with_origins(&origins.map(|(a, b)| (a.to_owned(), b.to_owned())))
    }
}

/// Undoes [`escape`], following the module's documentation alone.
fn unescape(text: &str) -> Vec<u8> {
    let lines: Vec<Vec<u8>> = text
        .split('\n')
        .map(|line| {
            let (line, ending) = match line.strip_suffix("\\r") {
                Some(rest) => (rest, &b"\r"[..]),
                None => (line, &b""[..]),
            };
            let mut pieces = line.split("\\x");
            let mut out = pieces.next().unwrap().as_bytes().to_vec();
            for piece in pieces {
                out.push(u8::from_str_radix(&piece[..2], 16).unwrap());
                out.extend_from_slice(&piece.as_bytes()[2..]);
            }
            out.extend_from_slice(ending);
            out
        })
        .collect();
    lines.join(&b'\n')
}

#[test]
fn what_is_compared_leaves_out_times_and_the_order_of_names() {
    let one = |fields: &[(&'static str, &'static str)], seconds| Exchange {
        headers: headers(fields),
        at: Duration::from_secs(seconds),
        ..exchange(b"{}", b"")
    };
    let text = |exchange| render_to_compare(&[exchange], &style());
    let plain = text(one(&[("accept", "a"), ("accept", "b"), ("x-key", "1")], 0));
    assert_eq!(plain, text(one(&[("x-key", "1"), ("accept", "a"), ("accept", "b")], 2)));
    assert_eq!(
        plain,
        text(one(&[("host", "x"), ("accept", "a"), ("accept", "b"), ("x-key", "1")], 0))
    );
    for other in [
        [("accept", "b"), ("accept", "a"), ("x-key", "1")],
        [("accept", "a"), ("accept", "b"), ("x-key", "2")],
    ] {
        assert_ne!(plain, text(one(&other, 0)), "{other:?}");
    }
}

#[test]
fn an_exchange_reads_from_top_to_bottom() {
    let mut exchange = exchange(b"{\"id\":1}", b"data: {}\n\n");
    exchange.at = Duration::from_secs(15);
    exchange.end = End::Aborted;
    exchange.completed_at = Some(Duration::from_secs(20));
    exchange.response.as_mut().unwrap().headers =
        headers(&[("content-type", "text/event-stream"), ("date", "now")]);
    assert_eq!(
        render(&exchange, &style()),
        "\
at 15000 ms
> POST {server}/mcp
> content-type: application/json
>
> {\"id\":1}
< 200 OK
< content-type: text/event-stream
<
< data: {}
<
<
(aborted by the client at 20000 ms)
"
    );
}

#[test]
fn how_it_ended_is_said_unless_it_is_complete() {
    let mut exchange = exchange(b"", b"");
    exchange.headers.clear();
    assert_eq!(render(&exchange, &style()), "> POST {server}/mcp\n< 200 OK\n");
    exchange.end = End::Broken;
    assert!(render(&exchange, &style()).ends_with("< 200 OK\n(broken off by the server)\n"));
    exchange.end = End::Open;
    assert!(render(&exchange, &style()).ends_with("< 200 OK\n(still open)\n"));
    exchange.response = None;
    assert_eq!(render(&exchange, &style()), "> POST {server}/mcp\n(no response)\n");
    exchange.end = End::Unreached;
    assert_eq!(render(&exchange, &style()), "> POST {server}/mcp\n(no connection was made)\n");
    assert_eq!(
        render_all(&[exchange.clone(), exchange], &style()).matches("\n\n> POST").count(),
        1
    );
    assert_eq!(render_all(&[], &style()), "(no exchange)\n");
}

#[test]
fn times_can_be_left_out() {
    let mut exchange = exchange(b"", b"");
    exchange.at = Duration::from_secs(1);
    exchange.completed_at = Some(Duration::from_secs(2));
    let timed = render(&exchange, &style());
    assert!(timed.starts_with("at 1000 ms\n") && timed.ends_with("(complete at 2000 ms)\n"));
    let untimed = render(&exchange, &Style { times: false, ..style() });
    assert!(!untimed.contains(" ms"), "{untimed}");
}

#[test]
fn a_final_newline_makes_a_difference() {
    let body = |answer| render(&exchange(b"", answer), &style());
    assert!(body(b"a").ends_with("<\n< a\n"));
    assert!(body(b"a\n").ends_with("<\n< a\n<\n"));
    assert!(body(b"\n").ends_with("<\n<\n<\n"));
    assert!(body(b"").ends_with("< 200 OK\n"));
}

#[test]
fn every_byte_can_be_read_back() {
    for bytes in [
        &b"plain"[..],
        b"data: a\r\nid: 1\r\n\r\n",
        b"a\rb \n\t\n c \r\n",
        br#"{"text":"a\nb\r\u0000 \\x41 \x41 \\\"end\r"#,
        b"ends in \\r",
        b"ends in \\r\r",
        b"ends in \\x0d\n\\r\n\\\r",
        b"\xff\xfe\x00\x1b[31m\x7f\xc3\xa9\xe2\x80",
        "\u{feff}zero\u{200b}width\u{a0}\u{2028}\u{202e}".as_bytes(),
        b"\n\n",
        b"",
    ] {
        let text = escape(bytes);
        assert_eq!(unescape(&text), bytes, "{text}");
        for line in text.split('\n') {
            assert_eq!(line.trim_end(), line, "nothing is lost at the end of a line");
            assert!(!line.chars().any(is_lost), "{line:?}");
        }
    }
}

#[test]
fn escapes_are_those_that_readers_know() {
    assert_eq!(escape(b"data: x\r\n\r\n"), "data: x\\r\n\\r\n");
    assert_eq!(escape(b"a \tb\x00\xff "), "a \\x09b\\x00\\xff\\x20");
    let json = br#"{"text":"a\r\n\t\"\\ \u00e9"}"#;
    assert_eq!(escape(json).as_bytes(), json, "JSON stays as it was sent");
}

#[test]
fn credentials_are_redacted_everywhere() {
    let mut exchange = exchange(br#"{"password":"p","note":"open sesame"}"#, b"code=abc&x=1");
    exchange.uri = Uri::from_static("http://127.0.0.1:1234/cb?code=abc&s=open%20sesame");
    exchange.headers = headers(&[("authorization", "Bearer abc"), ("x", "open sesame")]);
    let text = render(&exchange, &style());
    assert_eq!(
        text,
        "\
> POST {server}/cb?code=[redacted]&s=[redacted]
> authorization: Bearer [redacted]
> x: [redacted]
>
> {\"password\":\"[redacted]\",\"note\":\"[redacted]\"}
< 200 OK
<
< code=[redacted]&x=1
"
    );
}

#[test]
fn origins_are_named_in_every_form_and_not_taken_for_longer_ones() {
    let style = style();
    let shown = |text: &str| style.text(text.as_bytes());
    assert_eq!(
        shown("http://127.0.0.1:1234/a http://127.0.0.1:12345 http:\\/\\/127.0.0.1:1234\\/b"),
        "{server}/a {auth} {server}\\/b"
    );
    assert_eq!(
        shown("resource=http%3A%2F%2F127.0.0.1%3A1234%2Fmcp&o=http%3a%2f%2f127.0.0.1%3a12345"),
        "resource={server}%2Fmcp&o={auth}"
    );
    assert_eq!(
        shown("http://127.0.0.1:12346 see http://127.0.0.1:1234."),
        "http://127.0.0.1:12346 see {server}."
    );
}

#[test]
fn the_own_version_is_named_in_client_info_alone() {
    let own = env!("CARGO_PKG_VERSION");
    let text = |text: &str| style().text(text.replace("OWN", own).as_bytes());
    assert_eq!(
        text(r#"{"clientInfo":{"icons":[{"version":"OWN"}],"name":"a","version":"OWN"}}"#),
        format!(
            r#"{{"clientInfo":{{"icons":[{{"version":"{own}"}}],"name":"a","version":"{{version}}"}}}}"#
        )
    );
    assert_eq!(
        text(r#"{"io.modelcontextprotocol/clientInfo": { "version" : "OWN" }}"#),
        r#"{"io.modelcontextprotocol/clientInfo": { "version" : "{version}" }}"#
    );
    for other in [
        format!(r#"{{"serverInfo":{{"version":"{own}"}},"version":"{own}"}}"#),
        r#"{"clientInfo":{"version":"99.0"},"clientInfo":{"vers"#.to_owned(),
        r#""clientInfo""#.to_owned(),
    ] {
        assert_eq!(text(&other), other);
    }
}

#[test]
fn a_long_header_field_is_shown_like_a_long_body() {
    let mut exchange = exchange(b"{}", b"");
    for (length, whole) in [(LONG_BODY, true), (LONG_BODY + 1, false)] {
        let padding = HeaderValue::from_str(&"a".repeat(length)).unwrap();
        exchange.headers.insert("x-padding", padding);
        let text = render(&exchange, &style());
        assert_eq!(text.contains(&"a".repeat(BEGINNING + 1)), whole);
        let line = format!("\n(the first 256 of {length} bytes, whose SHA-256 digest is ");
        assert_eq!(text.contains(&line), !whole);
    }
}

#[test]
fn a_long_body_is_shown_by_its_beginning_and_its_digest() {
    let long = "é".repeat(LONG_BODY);
    let text = render(&exchange(b"", long.as_bytes()), &style());
    let shown = text.lines().nth(4).unwrap();
    assert_eq!(shown, format!("< {}", "é".repeat(BEGINNING / 2)));
    assert!(text.contains("(the first 256 of 8192 bytes, whose SHA-256 digest is "), "{text}");
    let cut = render(&exchange(b"", format!("a{long}").as_bytes()), &style());
    assert!(cut.contains("(the first 255 of 8193 bytes"), "no character is cut: {cut}");
    let with_port = |port: &str| {
        let body = format!("{long} http://127.0.0.1:{port}/");
        let origin = [(format!("http://127.0.0.1:{port}"), "server".to_owned())];
        let text = render(&exchange(b"", body.as_bytes()), &Style::default().with_origins(&origin));
        text.lines().last().unwrap().to_owned()
    };
    assert_eq!(with_port("1"), with_port("65535"), "the digest does not vary with a port");
}

#[test]
fn a_name_takes_one_line_and_obeys_no_terminal() {
    assert_eq!(escape_name("weather-v2"), "weather-v2");
    assert_eq!(
        escape_name("a\nb\u{1b}[31m\u{202e}\\x0a"),
        "a\\x0ab\\x1b[31m\\xe2\\x80\\xae\\x5cx0a"
    );
    let long = "é".repeat(NAME_LIMIT);
    assert_eq!(escape_name(&long), long);
    assert_eq!(escape_name(&(long.clone() + "é")), long + "…");
}

#[test]
fn what_is_said_obeys_no_terminal() {
    let said = "a\u{1b}[31mred\u{1b}[0m\n\u{1b}]0;title\u{7} \u{202e}gpj.exe \u{9b}2J \u{1b}[2J é";
    let shown = "a\u{1b}[31mred\u{1b}[0m\n\\x1b]0;title\\x07 \\xe2\\x80\\xaegpj.exe \\xc2\\x9b2J \\x1b[2J é";
    assert_eq!(visible(said), shown);
}
