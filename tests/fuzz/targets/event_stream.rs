//! Event streams of a server (WHATWG HTML, section 9.2).

use std::hash::DefaultHasher;
use std::time::Duration;

use mcp_checks::wire::event_stream::encode;
use mcp_checks::wire::{EventParser, READ_LIMIT, ServerEvent};

use crate::engine::{Target, about, note};

pub const TARGET: Target = Target {
    name: "event_stream",
    seeds: Vec::new,
    words: &[
        "data: ",
        "data:",
        "data",
        "event: message\n",
        "event:",
        "id: 7\n",
        "id",
        "id: a\0b\n",
        "retry: 10\n",
        "retry: 99999999999999999999\n",
        ": comment\n",
        "\n\n",
        "\r\n\r\n",
        "\r\r",
        "\r",
        "{\"jsonrpc\":\"2.0\"}",
    ],
    read,
};

fn parsed<'a>(
    pieces: impl IntoIterator<Item = &'a [u8]>,
    limit: usize,
) -> (Vec<ServerEvent>, bool) {
    let (mut parser, mut events) = (EventParser::new(limit), Vec::new());
    let failed = pieces.into_iter().any(|piece| parser.push(piece, &mut events).is_err());
    (events, failed)
}

fn read(input: &[u8], hasher: &mut DefaultHasher) {
    let (events, failed) = parsed([input], READ_LIMIT);
    assert!(!failed, "no event is that long");
    note(hasher, about(events.len()));
    for event in events.iter().take(10) {
        note(hasher, (event.id.is_some(), event.event.is_some(), event.retry.is_some()));
        note(hasher, (event.has_data, about(event.data.len())));
    }
    assert_eq!(events, as_the_standard_says(&String::from_utf8_lossy(input)));

    // However it is cut into chunks, it is the same stream.
    assert_eq!(parsed(input.chunks(1), READ_LIMIT).0, events);
    let (size, middle) = (1 + input.len() % 7, input.len() / 2);
    assert_eq!(parsed(input.chunks(size), READ_LIMIT).0, events);
    let (one, other) = input.split_at(middle);
    assert_eq!(parsed([one, &[], other], READ_LIMIT).0, events);

    // What is too long is told as such, after the events that came before it, and alike
    // however it is cut.
    let (before, failed) = parsed([input], 24);
    assert_eq!(parsed(input.chunks(1), 24), (before.clone(), failed));
    assert_eq!(before, events[..before.len()]);
    assert!(failed || before == events);

    // What was read, written, is read as the same.
    let written: Vec<u8> = events.iter().flat_map(encode).collect();
    assert_eq!(parsed([written.as_slice()], READ_LIMIT).0, events);
}

/// Reads a whole stream as the standard describes it, without regard to its length.
fn as_the_standard_says(text: &str) -> Vec<ServerEvent> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut lines: Vec<&str> = text.split('\n').collect();
    // A line that does not end is none.
    lines.pop();
    let (mut events, mut event) = (Vec::new(), ServerEvent::default());
    for line in lines {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "" if line.is_empty() => {
                let done = std::mem::take(&mut event);
                if done.has_data || done.id.is_some() || done.retry.is_some() {
                    events.push(done);
                }
            }
            "data" => {
                if event.has_data {
                    event.data.push('\n');
                }
                event.has_data = true;
                event.data.push_str(value);
            }
            "event" => event.event = Some(value.to_owned()).filter(|value| !value.is_empty()),
            "id" if !value.contains('\0') => event.id = Some(value.to_owned()),
            "retry" if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
                event.retry = Some(Duration::from_millis(value.parse().unwrap_or(u64::MAX)));
            }
            _ => {}
        }
    }
    events
}
