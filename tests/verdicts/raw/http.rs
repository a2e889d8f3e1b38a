//! HTTP/1.1 over a socket by hand: nothing is added to what is sent, and nothing
//! of what comes is mended.

use std::io::{self, BufRead, BufReader, Read};

/// Header fields, in order, with each of several of one name.
pub type Fields = Vec<(String, String)>;

/// The first field of this name, in any case.
pub fn field<'a>(fields: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = fields.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

/// What stands before a body.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// `POST /mcp HTTP/1.1`, or `HTTP/1.1 200 OK`.
    pub start: String,
    pub fields: Fields,
}

impl Head {
    /// Reads one; `None` if the connection ended before it.
    pub fn read(reader: &mut impl BufRead) -> io::Result<Option<Head>> {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let mut head = Head { start: line.trim_end().to_owned(), fields: Fields::new() };
        loop {
            line.clear();
            if reader.read_line(&mut line)? == 0 || line.trim_end().is_empty() {
                return Ok(Some(head));
            }
            if let Some((name, value)) = line.split_once(':') {
                head.fields.push((name.to_owned(), value.trim().to_owned()));
            }
        }
    }

    /// The word of the first line at this place.
    pub fn word(&self, place: usize) -> &str {
        self.start.split(' ').nth(place).unwrap_or_default()
    }

    /// As it is written.
    pub fn written(&self) -> String {
        let fields = self.fields.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
        format!("{}\r\n{}\r\n", self.start, fields.collect::<String>())
    }

    /// The body that follows it.
    pub fn body<'a>(&self, reader: impl BufRead + 'a) -> Box<dyn BufRead + 'a> {
        if field(&self.fields, "transfer-encoding") == Some("chunked") {
            return Box::new(BufReader::new(Chunked { reader, left: 0, first: true }));
        }
        let length = field(&self.fields, "content-length").and_then(|text| text.parse().ok());
        match length {
            Some(length) => Box::new(reader.take(length)),
            None => Box::new(reader),
        }
    }
}

/// A body in chunks.
struct Chunked<R> {
    reader: R,
    left: usize,
    first: bool,
}

impl<R: BufRead> Read for Chunked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            let mut line = String::new();
            if !std::mem::take(&mut self.first) {
                self.reader.read_line(&mut line)?;
                line.clear();
            }
            self.reader.read_line(&mut line)?;
            let size = line.trim_end().split(';').next().unwrap_or_default();
            self.left = usize::from_str_radix(size, 16).unwrap_or(0);
            if self.left == 0 {
                return Ok(0);
            }
        }
        let most = buffer.len().min(self.left);
        let count = self.reader.read(&mut buffer[..most])?;
        self.left -= count;
        Ok(count)
    }
}

/// One event of a stream.
#[derive(Debug, Default)]
pub struct Event {
    /// `message` where the stream names none.
    pub kind: String,
    /// Empty where there was none.
    pub data: String,
    pub id: Option<String>,
    /// In milliseconds.
    pub retry: Option<u64>,
}

/// The events of a body, by the rules of the HTML standard.
pub struct Events<R> {
    reader: R,
    /// A line feed belongs to the carriage return before it.
    after_return: bool,
    first: bool,
}

impl<R: BufRead> Events<R> {
    pub fn new(reader: R) -> Self {
        Events { reader, after_return: false, first: true }
    }

    fn line(&mut self) -> Option<String> {
        let mut line = Vec::new();
        loop {
            let mut byte = [0];
            if self.reader.read(&mut byte).ok()? == 0 {
                return None;
            }
            let follows_return = std::mem::take(&mut self.after_return);
            match byte[0] {
                b'\n' if follows_return => {}
                b'\n' => break,
                b'\r' => {
                    self.after_return = true;
                    break;
                }
                other => line.push(other),
            }
        }
        let text = String::from_utf8_lossy(&line).into_owned();
        match std::mem::take(&mut self.first).then(|| text.strip_prefix('\u{feff}')).flatten() {
            Some(rest) => Some(rest.to_owned()),
            None => Some(text),
        }
    }
}

impl<R: BufRead> Iterator for Events<R> {
    type Item = Event;

    /// The next whole event; `None` at the end of the stream.
    fn next(&mut self) -> Option<Event> {
        let (mut event, mut data) = (Event::default(), Vec::new());
        loop {
            let line = self.line()?;
            if line.is_empty() {
                event.data = data.join("\n");
                if event.kind.is_empty() {
                    event.kind = "message".to_owned();
                }
                return Some(event);
            }
            let (name, value) = line.split_once(':').unwrap_or((&line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match name {
                "data" => data.push(value.to_owned()),
                "event" => event.kind = value.to_owned(),
                "id" => event.id = Some(value.to_owned()),
                "retry" => event.retry = value.parse().ok(),
                _ => {}
            }
        }
    }
}
