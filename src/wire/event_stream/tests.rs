//! Tests of the event stream's parser, reader and encoder.

use futures_util::stream;

use super::*;
use crate::wire::TransportError;

fn parse(chunks: &[&[u8]]) -> Vec<ServerEvent> {
    let mut parser = EventParser::default();
    let mut events = Vec::new();
    for chunk in chunks {
        parser.push(chunk, &mut events).expect("no event is large");
    }
    events
}

fn event(id: Option<&str>, event: Option<&str>, data: Option<&str>) -> ServerEvent {
    ServerEvent {
        id: id.map(str::to_owned),
        event: event.map(str::to_owned),
        data: data.unwrap_or_default().to_owned(),
        has_data: data.is_some(),
        retry: None,
    }
}

fn message(data: &str) -> ServerEvent {
    event(None, None, Some(data))
}

fn retry(milliseconds: u64) -> ServerEvent {
    ServerEvent { retry: Some(Duration::from_millis(milliseconds)), ..ServerEvent::default() }
}

/// Streams, what they are about, and the events in them.
fn cases() -> Vec<(&'static str, &'static [u8], Vec<ServerEvent>)> {
    vec![
        ("nothing", b"", vec![]),
        ("line feeds", b"data: a\n\ndata: b\n\n", vec![message("a"), message("b")]),
        ("carriage returns", b"data: a\r\rdata: b\r\r", vec![message("a"), message("b")]),
        ("both together", b"data: a\r\n\r\ndata: b\r\n\r\n", vec![message("a"), message("b")]),
        ("line ends of all kinds", b"data: a\rdata: b\ndata: c\r\n\n", vec![message("a\nb\nc")]),
        (
            "a line feed, then a carriage return",
            b"data: a\n\rdata: b\n\r",
            vec![message("a"), message("b")],
        ),
        ("several data lines", b"data: a\ndata\ndata: b\n\n", vec![message("a\n\nb")]),
        ("no space after the colon", b"data:a\n\n", vec![message("a")]),
        ("one space of two is taken away", b"data:  a \n\n", vec![message(" a ")]),
        ("a tab is not taken away", b"data:\ta\n\n", vec![message("\ta")]),
        ("a colon in the value", b"data: a: b\n\n", vec![message("a: b")]),
        (
            "all fields",
            b"event: note\nid: 7\nretry: 250\ndata: a\n\n",
            vec![ServerEvent {
                retry: Some(Duration::from_millis(250)),
                ..event(Some("7"), Some("note"), Some("a"))
            }],
        ),
        ("a byte order mark", b"\xEF\xBB\xBFdata: a\n\n", vec![message("a")]),
        ("a byte order mark before a comment", b"\xEF\xBB\xBF:x\ndata: a\n\n", vec![message("a")]),
        (
            "only the first byte order mark",
            b"\xEF\xBB\xBF\xEF\xBB\xBFdata: a\n\ndata: b\n\n",
            vec![message("b")],
        ),
        (
            "comments",
            b": hello\n:\n:data: x\ndata: a\n: between\ndata: b\n\n: end\n\n",
            vec![message("a\nb")],
        ),
        (
            "unknown fields",
            b"foo: 1\nDATA: 2\n data: 3\ndata : 4\n\ndata: a\n\n",
            vec![message("a")],
        ),
        (
            "empty data, with a colon or without",
            b"data\n\ndata:\n\ndata: \n\n",
            vec![message(""), message(""), message("")],
        ),
        ("two empty data lines", b"data\ndata\n\n", vec![message("\n")]),
        (
            "an id and empty data open a stream",
            b"id: 1\ndata: \n\n",
            vec![event(Some("1"), None, Some(""))],
        ),
        ("an id without data is reported", b"id: 1\n\n", vec![event(Some("1"), None, None)]),
        ("a retry delay without data is reported", b"retry: 10\n\n", vec![retry(10)]),
        ("a type without data is not", b"event: note\n\ndata: a\n\n", vec![message("a")]),
        (
            "an empty id takes the last one back",
            b"id\ndata: a\n\n",
            vec![event(Some(""), None, Some("a"))],
        ),
        (
            "an id stays with its own block",
            b"id: 1\ndata: a\n\ndata: b\n\n",
            vec![event(Some("1"), None, Some("a")), message("b")],
        ),
        (
            "the last id of a block counts",
            b"id: 1\nid: 2\ndata: a\n\n",
            vec![event(Some("2"), None, Some("a"))],
        ),
        (
            "an id with a NUL is ignored",
            b"id: 1\nid: 2\x003\ndata: a\n\n",
            vec![event(Some("1"), None, Some("a"))],
        ),
        ("an empty type is the usual one", b"event: note\nevent:\ndata: a\n\n", vec![message("a")]),
        (
            "a retry delay that is no number",
            b"retry: 1s\n\nretry: -1\n\nretry:\n\nretry: +1\n\n",
            vec![],
        ),
        (
            "a retry delay beyond all bounds",
            b"retry: 99999999999999999999999\n\n",
            vec![retry(u64::MAX)],
        ),
        ("a retry delay with zeros in front", b"retry: 007\n\n", vec![retry(7)]),
        ("UTF-8", "data: å∑🦀\n\n".as_bytes(), vec![message("å∑🦀")]),
        (
            "bytes that are not UTF-8",
            b"data: a\xFFb\xE2\x88\n\n",
            vec![message("a\u{FFFD}b\u{FFFD}")],
        ),
        ("an end without a blank line", b"data: a\n\ndata: b\n", vec![message("a")]),
        ("an end in the middle of a line", b"data: a\n\ndata: b", vec![message("a")]),
        ("blank lines in plenty", b"\n\r\n\rdata: a\n\n\n\n", vec![message("a")]),
    ]
}

#[test]
fn streams_hold_the_events_that_the_standard_says() {
    for (about, stream, events) in cases() {
        assert_eq!(parse(&[stream]), events, "{about}");
    }
}

#[test]
fn how_a_stream_is_cut_into_chunks_makes_no_difference() {
    for (about, stream, events) in cases() {
        for cut in 0..=stream.len() {
            let (head, tail) = stream.split_at(cut);
            assert_eq!(parse(&[head, tail]), events, "{about}, cut at {cut}");
        }
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(parse(&bytes), events, "{about}, byte by byte");
        let spaced: Vec<&[u8]> = stream.chunks(1).flat_map(|byte| [byte, b""]).collect();
        assert_eq!(parse(&spaced), events, "{about}, with empty chunks between");
    }
}

#[test]
fn an_event_is_bounded_however_it_is_cut() {
    // 14 bytes of lines in the first event, 15 in the second.
    let stream = b"data: a\ndata: b\n\ndata: c\ndata: dd\n\n";
    for size in 1..=stream.len() {
        let mut parser = EventParser::new(14);
        let mut events = Vec::new();
        let result = stream.chunks(size).try_for_each(|chunk| parser.push(chunk, &mut events));
        assert_eq!(result, Err(EventTooLarge { limit: 14 }), "chunks of {size}");
        assert_eq!(events, [message("a\nb")], "chunks of {size}");
        assert_eq!(parser.push(b"\n\n", &mut events), Err(EventTooLarge { limit: 14 }));
    }
}

#[test]
fn an_event_without_end_is_refused_before_it_is_read() {
    let mut parser = EventParser::new(1000);
    let mut events = Vec::new();
    let mut pushed = 0;
    while parser.push(b"data: x", &mut events).is_ok() {
        pushed += 7;
        assert!(pushed <= 1000);
    }
    assert_eq!(pushed, 994);
    assert!(parser.line.is_empty());
}

#[test]
fn comments_may_go_on_for_ever_but_no_line_may() {
    let mut parser = EventParser::new(16);
    let mut events = Vec::new();
    for _ in 0..100 {
        parser.push(b": still here\n", &mut events).expect("comments do not count");
    }
    parser.push(b"data: a\n\n", &mut events).expect("a small event");
    assert_eq!(events, [message("a")]);
    assert!(parser.push(b": a comment that is too long\n", &mut events).is_err());
}

#[test]
fn an_event_of_the_largest_size_may_come_byte_by_byte() {
    // Bytes are looked at once. If each chunk had the line scanned from its
    // start, this would be two trillion steps and not end.
    let mut parser = EventParser::default();
    let mut events = Vec::new();
    parser.push(b"data: ", &mut events).expect("small");
    for _ in 0..READ_LIMIT - 6 {
        parser.push(b"x", &mut events).expect("within the limit");
    }
    parser.push(b"\n\n", &mut events).expect("line ends do not count");
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].data.len(), READ_LIMIT - 6);
}

#[test]
fn what_is_encoded_reads_back_the_same() {
    let events = [
        message("{\"a\":1}"),
        message(""),
        message(" two lines,\n\n the last of them ends with a blank "),
        message("\n"),
        event(Some("7"), Some("note"), Some("å")),
        event(Some(""), None, Some("a")),
        event(Some("1"), None, None),
        retry(1500),
    ];
    let stream: Vec<u8> = events.iter().flat_map(encode).collect();
    assert_eq!(parse(&[&stream]), events);
}

#[test]
fn an_event_is_written_in_a_fixed_order() {
    let event = ServerEvent {
        retry: Some(Duration::from_millis(250)),
        ..event(Some("7"), Some("note"), Some("a\r\nb\rc\n"))
    };
    assert_eq!(
        encode(&event),
        "id: 7\nevent: note\nretry: 250\ndata: a\ndata: b\ndata: c\ndata:\n\n"
    );
    // Nothing in an id or a type can end its line.
    let forged = ServerEvent { id: Some("1\ndata: x".to_owned()), ..message("a") };
    assert_eq!(encode(&forged), "id: 1data: x\ndata: a\n\n");
}

#[tokio::test]
async fn the_reader_tells_events_then_the_error_then_the_end() {
    let chunks =
        ["data: a\n\nda", "ta: b\n\n"].map(|chunk| Ok(Bytes::from_static(chunk.as_bytes())));
    let broken = chunks.into_iter().chain([Err(TransportError::Closed), Ok(Bytes::new())]);
    let mut reader = EventReader::new(Body::stream(stream::iter(broken)), READ_LIMIT);
    assert_eq!(reader.next().await, Some(Ok(message("a"))));
    assert_eq!(reader.next().await, Some(Ok(message("b"))));
    assert_eq!(reader.next().await, Some(Err(ReadError::Transport(TransportError::Closed))));
    assert_eq!(reader.next().await, None);
    assert_eq!(reader.next().await, None);
}

#[tokio::test]
async fn the_reader_gives_up_an_event_that_is_too_large() {
    let endless = stream::iter([Ok(Bytes::from_static(b"data: a\n\ndata: "))]);
    let endless = futures_util::StreamExt::chain(
        endless,
        stream::repeat_with(|| Ok(Bytes::from_static(&[b'x'; 4096]))),
    );
    let mut reader = EventReader::new(Body::stream(endless), READ_LIMIT);
    assert_eq!(reader.next().await, Some(Ok(message("a"))));
    assert_eq!(reader.next().await, Some(Err(ReadError::TooLarge { limit: READ_LIMIT })));
    assert!(reader.body.is_none());
    assert_eq!(reader.next().await, None);
}

#[tokio::test]
async fn the_reader_gives_up_a_stream_without_end() {
    let events = stream::repeat_with(|| Ok(Bytes::from_static(b"data: a\n\ndata: b\n\n")));
    let mut reader = EventReader::new(Body::stream(events), READ_LIMIT);
    let mut read = 0;
    let error = loop {
        match reader.next().await {
            Some(Ok(_)) => read += 1,
            other => break other,
        }
    };
    assert_eq!(read, EVENT_LIMIT);
    assert_eq!(error, Some(Err(ReadError::TooMany { limit: EVENT_LIMIT })));
    let comments = stream::repeat_with(|| Ok(Bytes::from_static(&[b':'; 65536])));
    let lines = futures_util::StreamExt::map(comments, |chunk: Result<Bytes, TransportError>| {
        chunk.map(|chunk| Bytes::from([&chunk[..], b"\n"].concat()))
    });
    let mut reader = EventReader::new(Body::stream(lines), READ_LIMIT);
    assert_eq!(reader.next().await, Some(Err(ReadError::TooLarge { limit: STREAM_LIMIT })));
    assert_eq!(reader.next().await, None);
}
