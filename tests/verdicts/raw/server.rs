//! The raw server: it listens on a port of its own until it is dropped, and lets
//! a bend change each reply before it goes out.

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use super::http::{Fields, Head, field};
use super::{legacy, modern};

/// What a client sent.
#[derive(Debug)]
pub struct Asked {
    /// The HTTP method.
    pub verb: String,
    /// What is asked for: `/mcp`.
    pub path: String,
    pub fields: Fields,
    /// What the body says; null if it is no JSON.
    pub message: Value,
}

impl Asked {
    /// Whether it is a request or a notification of this method.
    pub fn is(&self, method: &str) -> bool {
        self.message["method"] == method
    }

    pub fn method(&self) -> &str {
        self.message["method"].as_str().unwrap_or_default()
    }

    /// A member of the parameters; null if there is none.
    pub fn param(&self, name: &str) -> &Value {
        &self.message["params"][name]
    }

    /// A header field; `None` if there are several, which together say something
    /// else than each.
    pub fn header(&self, name: &str) -> Option<&str> {
        let is_named = |(other, _): &&(String, String)| other.eq_ignore_ascii_case(name);
        let is_single = self.fields.iter().filter(is_named).count() == 1;
        field(&self.fields, name).filter(|_| is_single)
    }

    /// Whether it is a call of this tool.
    pub fn calls(&self, tool: &str) -> bool {
        self.is("tools/call") && *self.param("name") == tool
    }
}

/// How a reply is framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// The last message as JSON; nothing if there is none.
    Json,
    /// Each message as an event.
    Stream,
}

/// What goes back.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub fields: Fields,
    pub messages: Vec<Value>,
    pub framing: Framing,
    /// The body in the place of the messages.
    pub body: Option<String>,
}

impl Reply {
    /// A status alone.
    pub fn status(status: u16) -> Reply {
        Reply {
            status,
            fields: Fields::new(),
            messages: Vec::new(),
            framing: Framing::Json,
            body: None,
        }
    }

    /// A message at this status.
    pub fn json(status: u16, message: Value) -> Reply {
        Reply { messages: vec![message], ..Reply::status(status) }
    }

    /// The result of a request.
    pub fn result(asked: &Asked, result: Value) -> Reply {
        Reply::json(200, json!({ "jsonrpc": "2.0", "id": asked.message["id"], "result": result }))
    }

    /// An error that answers a request.
    pub fn error(asked: &Asked, status: u16, code: i64, data: Value) -> Reply {
        let mut error = json!({ "code": code, "message": "it cannot be done" });
        if !data.is_null() {
            error["data"] = data;
        }
        let mut message = json!({ "jsonrpc": "2.0" });
        if !asked.message["id"].is_null() {
            message["id"] = asked.message["id"].clone();
        }
        message["error"] = error;
        Reply::json(status, message)
    }

    /// The response, which is the last of the messages.
    pub fn response(&mut self) -> &mut Value {
        self.messages.last_mut().expect("there is a response")
    }

    /// The result of the response.
    pub fn result_mut(&mut self) -> &mut Value {
        &mut self.response()["result"]
    }

    /// The code of the error that it answers with, if it does.
    pub fn code(&self) -> Option<i64> {
        self.messages.last()?.get("error")?["code"].as_i64()
    }

    /// Puts this code in the place of `from`.
    pub fn recode(&mut self, from: i64, to: i64) {
        if self.code() == Some(from) {
            self.response()["error"]["code"] = to.into();
        }
    }

    /// Whether it answers with a result.
    pub fn succeeds(&self) -> bool {
        self.messages.last().is_some_and(|message| message.get("result").is_some())
    }

    /// Sends these before the response, as events.
    pub fn before(&mut self, notifications: Vec<Value>) {
        self.framing = Framing::Stream;
        let response = std::mem::take(&mut self.messages);
        self.messages = notifications;
        self.messages.extend(response);
    }

    fn written(&self) -> String {
        let (kind, body) = match (&self.body, self.framing) {
            (Some(body), _) => (Some("application/json"), body.clone()),
            (None, Framing::Stream) => {
                let events = self.messages.iter().map(|message| format!("data: {message}\n\n"));
                (Some("text/event-stream"), events.collect())
            }
            (None, Framing::Json) => match self.messages.last() {
                Some(message) => (Some("application/json"), message.to_string()),
                None => (None, String::new()),
            },
        };
        let mut fields = self.fields.clone();
        if let Some(kind) = kind
            && field(&fields, "content-type").is_none()
        {
            fields.push(("Content-Type".into(), kind.into()));
        }
        fields.push(("Content-Length".into(), body.len().to_string()));
        fields.push(("Connection".into(), "close".into()));
        Head { start: format!("HTTP/1.1 {} Status", self.status), fields }.written() + body.as_str()
    }
}

/// Changes what goes back.
pub type Bend = fn(&Asked, &mut Reply);

/// What a server keeps.
#[derive(Default)]
pub struct State {
    /// Sessions and the versions that they came to.
    pub sessions: Mutex<BTreeMap<String, String>>,
    issued: AtomicUsize,
}

impl State {
    /// A session that was not there before.
    pub fn open(&self, version: &str) -> String {
        let session = format!("raw-session-{}", self.issued.fetch_add(1, Ordering::Relaxed));
        self.sessions.lock().unwrap().insert(session.clone(), version.to_owned());
        session
    }
}

/// What a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// From 2025-03-26 to 2025-11-25, in sessions.
    Legacy,
    /// The same without sessions.
    Sessionless,
    /// 2026-07-28.
    Modern,
}

/// A server that listens.
pub struct Server {
    address: SocketAddr,
    ends: Arc<AtomicBool>,
    listening: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts one on a free port.
    pub fn start(era: Era, bend: Bend) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let ends = Arc::new(AtomicBool::new(false));
        let (ended, state) = (ends.clone(), Arc::new(State::default()));
        let listening = std::thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                if ended.load(Ordering::Relaxed) {
                    break;
                }
                let state = state.clone();
                std::thread::spawn(move || {
                    // A client may leave at any time.
                    let _ = serve(socket, era, bend, &state);
                });
            }
        });
        Server { address, ends, listening: Some(listening) }
    }

    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        // Whatever comes next lets it look.
        let _ = TcpStream::connect(self.address);
        if let Some(listening) = self.listening.take() {
            let _ = listening.join();
        }
    }
}

fn serve(socket: TcpStream, era: Era, bend: Bend, state: &State) -> io::Result<()> {
    socket.set_read_timeout(Some(Duration::from_secs(5)))?;
    let mut reader = BufReader::new(socket);
    let Some(head) = Head::read(&mut reader)? else { return Ok(()) };
    let mut body = String::new();
    if field(&head.fields, "content-length").is_some()
        || field(&head.fields, "transfer-encoding").is_some()
    {
        head.body(&mut reader).read_to_string(&mut body)?;
    }
    let message = serde_json::from_str(&body).unwrap_or_default();
    let (verb, path) = (head.word(0).to_owned(), head.word(1).to_owned());
    let asked = Asked { verb, path, fields: head.fields, message };
    let mut reply = match era {
        Era::Legacy => legacy::reply(&asked, Some(state)),
        Era::Sessionless => legacy::reply(&asked, None),
        Era::Modern => modern::reply(&asked),
    };
    bend(&asked, &mut reply);
    reader.get_mut().write_all(reply.written().as_bytes())
}
