//! An exchange in a few lines: [`short`].

use http::HeaderMap;

use crate::report::describe::cut;
use crate::wire::Exchange;
use crate::wire::exchange::End;
use crate::wire::text::{Style, render};

/// Header fields that tell a reader of MCP something; besides, those whose name
/// begins with `mcp-`.
const FIELDS: [&str; 9] = [
    "accept",
    "allow",
    "authorization",
    "content-type",
    "last-event-id",
    "location",
    "origin",
    "retry-after",
    "www-authenticate",
];

/// How many lines of a body are shown.
const BODY_LINES: usize = 3;

/// What was asked and what came, without most header fields and without what is
/// long; each line of at most `width` columns.
pub(super) fn short(exchange: &Exchange, style: &Style, width: usize) -> String {
    let uri = style.text(exchange.uri.to_string().as_bytes());
    let mut lines = vec![format!("> {} {uri}", exchange.method)];
    message(&mut lines, '>', &exchange.headers, &exchange.body, style);
    if let Some(response) = &exchange.response {
        lines.push(format!("< {}", response.status));
        message(&mut lines, '<', &response.headers, &exchange.response_body, style);
    }
    let whole = render(exchange, style);
    let end = whole.lines().last().filter(|_| exchange.end != End::Complete);
    lines.extend(end.map(str::to_owned));
    lines.iter().map(|line| cut(line, width) + "\n").collect()
}

fn message(lines: &mut Vec<String>, mark: char, headers: &HeaderMap, body: &[u8], style: &Style) {
    let is_shown = |name: &str| name.starts_with("mcp-") || FIELDS.contains(&name);
    let mut fields: Vec<String> = headers
        .iter()
        .filter(|(name, _)| is_shown(name.as_str()))
        .map(|(name, value)| {
            format!("{name}: {}", style.header_value(name.as_str(), value.as_bytes()))
        })
        .collect();
    // MCP's own come first: the end of a line may be cut.
    fields.sort_by_key(|field| !field.starts_with("mcp-"));
    if !fields.is_empty() {
        lines.push(format!("{mark} {}", fields.join(" | ")));
    }
    let body = style.text(body);
    // Of an event stream the messages are shown.
    let is_message = |line: &str| line.starts_with("data: ");
    let is_stream = body.lines().any(is_message);
    let mut rest = body
        .lines()
        .filter(|line| is_message(line) || !is_stream && !line.trim_end_matches("\\r").is_empty());
    lines.extend(rest.by_ref().take(BODY_LINES).map(|line| format!("{mark} {line}")));
    if rest.next().is_some() {
        lines.push(format!("{mark} …"));
    }
}
