//! Event streams (`text/event-stream`, WHATWG HTML section 9.2): the
//! incremental [`EventParser`], the [`EventReader`] over a body, and [`encode`].
//!
//! One event is bounded while it is still arriving, so a far side that never
//! ends an event cannot fill the memory.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};

use super::body::{EVENT_LIMIT, READ_LIMIT, ReadError, STREAM_LIMIT};
use super::http::Body;

/// One block of an event stream: its lines up to a blank line.
///
/// The standard dispatches only blocks with a `data` field. A block that has
/// none but sets an id or a retry delay is reported as well, with `has_data`
/// false: both values count whether or not an event is dispatched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerEvent {
    /// The id that this block's own lines set; `Some("")` takes back an
    /// earlier one. `None` leaves the last id of the stream in force.
    pub id: Option<String>,
    /// The event's type; `None` stands for `message`.
    pub event: Option<String>,
    /// The `data` lines, joined by line feeds. An empty one is no message: MCP
    /// servers open a stream with an id and empty data (revision 2025-11-25,
    /// basic/transports, "Sending Messages to the Server").
    pub data: String,
    /// Whether the block has a `data` field at all.
    pub has_data: bool,
    /// How long to wait before connecting again.
    pub retry: Option<Duration>,
}

impl ServerEvent {
    /// An event of the type `message` without an id.
    pub fn message(data: impl Into<String>) -> Self {
        ServerEvent { data: data.into(), has_data: true, ..ServerEvent::default() }
    }
}

/// One event is larger than what is read of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("one event is larger than {limit} bytes; no more than that is read")]
pub struct EventTooLarge {
    /// How many bytes of one event's lines are read.
    pub limit: usize,
}

impl From<EventTooLarge> for ReadError {
    fn from(error: EventTooLarge) -> Self {
        ReadError::TooLarge { limit: error.limit }
    }
}

/// Splits the bytes of an event stream into events, however they are cut into
/// chunks.
///
/// An event at the end of the stream that no blank line ends is discarded, as
/// the standard says: simply drop the parser.
#[derive(Debug)]
pub struct EventParser {
    limit: usize,
    /// The beginning of a line whose end has not come yet.
    line: Vec<u8>,
    /// The block that is being read.
    block: ServerEvent,
    /// How many bytes the finished lines of the block have.
    block_size: usize,
    /// The last byte was a carriage return, which ended a line: a line feed
    /// that follows belongs to it.
    after_carriage_return: bool,
    /// No line has ended yet: the first one may begin with a byte order mark.
    first_line: bool,
    /// An event was too large: nothing that follows can be told apart.
    failed: bool,
}

impl Default for EventParser {
    fn default() -> Self {
        EventParser::new(READ_LIMIT)
    }
}

impl EventParser {
    /// A parser at the start of a stream that reads up to `limit` bytes of the
    /// lines of one event. Comments do not count, but no line may be longer.
    pub fn new(limit: usize) -> Self {
        EventParser {
            limit,
            line: Vec::new(),
            block: ServerEvent::default(),
            block_size: 0,
            after_carriage_return: false,
            first_line: true,
            failed: false,
        }
    }

    /// Reads the next bytes and appends the events that they complete to
    /// `events`.
    ///
    /// # Errors
    /// [`EventTooLarge`] as soon as the event that is being read exceeds the
    /// limit, and from then on; the events before it were appended.
    pub fn push(
        &mut self,
        mut chunk: &[u8],
        events: &mut impl Extend<ServerEvent>,
    ) -> Result<(), EventTooLarge> {
        if self.failed {
            return Err(EventTooLarge { limit: self.limit });
        }
        while let Some(&first) = chunk.first() {
            if std::mem::take(&mut self.after_carriage_return) && first == b'\n' {
                chunk = &chunk[1..];
                continue;
            }
            let end = chunk.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
            let part = &chunk[..end.unwrap_or(chunk.len())];
            self.admit(part)?;
            let Some(end) = end else {
                self.line.extend_from_slice(part);
                break;
            };
            if self.line.is_empty() {
                events.extend(self.finish_line(part));
            } else {
                let mut line = std::mem::take(&mut self.line);
                line.extend_from_slice(part);
                events.extend(self.finish_line(&line));
                // The buffer is kept for the next line that comes in pieces.
                line.clear();
                self.line = line;
            }
            self.after_carriage_return = chunk[end] == b'\r';
            chunk = &chunk[end + 1..];
        }
        Ok(())
    }

    /// Refuses `part` of a line if the event would become too large with it.
    fn admit(&mut self, part: &[u8]) -> Result<(), EventTooLarge> {
        let line = self.line.len() + part.len();
        let is_comment = self.line.first().or(part.first()) == Some(&b':');
        let size = if is_comment { line } else { self.block_size + line };
        if size > self.limit {
            self.failed = true;
            self.line = Vec::new();
            self.block = ServerEvent::default();
            return Err(EventTooLarge { limit: self.limit });
        }
        Ok(())
    }

    /// Takes in one whole line, without its end; returns the event that it
    /// completes, if it is a blank line after a block worth reporting.
    fn finish_line(&mut self, mut line: &[u8]) -> Option<ServerEvent> {
        if std::mem::take(&mut self.first_line) {
            line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        }
        if line.is_empty() {
            self.block_size = 0;
            let block = std::mem::take(&mut self.block);
            let reported = block.has_data || block.id.is_some() || block.retry.is_some();
            return reported.then_some(block);
        }
        let (name, value) = match line.iter().position(|&byte| byte == b':') {
            Some(0) => return None,
            Some(colon) => {
                let value = &line[colon + 1..];
                (&line[..colon], value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, &b""[..]),
        };
        self.block_size += line.len();
        // No invalid sequence of UTF-8 reaches over a line's end, so decoding
        // line by line gives what decoding the whole stream would.
        match name {
            b"data" => {
                if std::mem::replace(&mut self.block.has_data, true) {
                    self.block.data.push('\n');
                }
                self.block.data.push_str(&String::from_utf8_lossy(value));
            }
            b"event" => {
                let event = String::from_utf8_lossy(value);
                self.block.event = (!event.is_empty()).then(|| event.into_owned());
            }
            b"id" if !value.contains(&0) => {
                self.block.id = Some(String::from_utf8_lossy(value).into_owned());
            }
            b"retry" => {
                if let Some(milliseconds) = decimal(value) {
                    self.block.retry = Some(Duration::from_millis(milliseconds));
                }
            }
            _ => {}
        }
        None
    }
}

/// The number that `digits` write, if they are digits alone; the largest there
/// is if it is larger still.
fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |number, digit| {
        digit
            .is_ascii_digit()
            .then(|| number.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
    })
}

/// Reads the events of a response's body, one after the other.
#[derive(Debug)]
pub struct EventReader {
    /// `None` once it ended, or once it was given up.
    body: Option<Body>,
    parser: EventParser,
    ready: VecDeque<ServerEvent>,
    /// What is told after the events that came before it.
    error: Option<ReadError>,
    /// How many bytes and events came.
    came: (usize, usize),
}

impl EventReader {
    /// Reads `body`, up to `limit` bytes of each event: [`READ_LIMIT`] unless
    /// there is a reason for another.
    pub fn new(body: Body, limit: usize) -> Self {
        EventReader {
            body: Some(body),
            parser: EventParser::new(limit),
            ready: VecDeque::new(),
            error: None,
            came: (0, 0),
        }
    }

    /// Reads what a chunk holds, within the limits of a stream.
    fn read(&mut self, chunk: &[u8]) -> Result<(), ReadError> {
        self.came.0 += chunk.len();
        if self.came.0 > STREAM_LIMIT {
            return Err(ReadError::TooLarge { limit: STREAM_LIMIT });
        }
        let before = self.ready.len();
        let read = self.parser.push(chunk, &mut self.ready).map_err(ReadError::from);
        self.came.1 += self.ready.len() - before;
        if self.came.1 > EVENT_LIMIT {
            self.ready.truncate(self.ready.len().saturating_sub(self.came.1 - EVENT_LIMIT));
            return Err(ReadError::TooMany { limit: EVENT_LIMIT });
        }
        read
    }

    /// The next event; `None` at the end of the stream, and after an error.
    ///
    /// Nothing is lost if the returned future is dropped before it is ready.
    ///
    /// # Errors
    /// [`ReadError::TooLarge`] if one event exceeds the limit, or the stream
    /// [`STREAM_LIMIT`], [`ReadError::TooMany`] after [`EVENT_LIMIT`] events: the body
    /// is dropped at once, which aborts the request. [`ReadError::Transport`] if the
    /// body broke off.
    pub async fn next(&mut self) -> Option<Result<ServerEvent, ReadError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            if let Some(error) = self.error.take() {
                return Some(Err(error));
            }
            let read = match self.body.as_mut()?.chunk().await {
                Some(Ok(chunk)) => self.read(&chunk),
                Some(Err(error)) => Err(ReadError::from(error)),
                None => {
                    self.body = None;
                    return None;
                }
            };
            if let Err(error) = read {
                self.body = None;
                self.error = Some(error);
            }
        }
    }
}

/// Writes one event with the blank line that ends it.
///
/// Each line of the data becomes a `data` line. A line end inside an id or a
/// type cannot be written and is left out.
pub fn encode(event: &ServerEvent) -> Bytes {
    let mut bytes = BytesMut::with_capacity(event.data.len() + 64);
    let mut field = |name: &str, value: &str| {
        bytes.put_slice(name.as_bytes());
        bytes.put_u8(b':');
        // No space before an empty value: it would be white space at a line's
        // end, which nobody sees in a review.
        if !value.is_empty() {
            bytes.put_u8(b' ');
            bytes.put_slice(value.as_bytes());
        }
        bytes.put_u8(b'\n');
    };
    if let Some(id) = &event.id {
        field("id", &id.replace(['\r', '\n'], ""));
    }
    if let Some(event) = &event.event {
        field("event", &event.replace(['\r', '\n'], ""));
    }
    if let Some(retry) = event.retry {
        field("retry", &retry.as_millis().to_string());
    }
    if event.has_data {
        for line in event.data.replace("\r\n", "\n").split(['\r', '\n']) {
            field("data", line);
        }
    }
    bytes.put_u8(b'\n');
    bytes.freeze()
}

#[cfg(test)]
mod tests;
