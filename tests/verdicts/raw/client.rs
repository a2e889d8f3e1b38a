//! The raw client: each message and its head are in the hands of whoever drives
//! it. What goes out passes the bends, which change it as they like.

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::http::{Event, Events, Fields, Head, field};
use super::{PREFIX, STATELESS, encoded};

/// What came of a request: its result, or why there is none.
pub type Outcome = Result<Value, String>;

/// How long a socket may be silent, in real time.
const SILENCE: Duration = Duration::from_secs(8);

/// Something that goes out.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The HTTP method.
    pub verb: String,
    pub fields: Fields,
    /// What the body says; null for none.
    pub message: Value,
    /// The body in the place of the message.
    pub body: Option<String>,
}

impl Outgoing {
    /// Whether it is a request or a notification of this method.
    pub fn is(&self, method: &str) -> bool {
        self.message["method"] == method
    }

    /// Whether it is a call of this tool.
    pub fn calls(&self, tool: &str) -> bool {
        self.is("tools/call") && self.message["params"]["name"] == tool
    }

    /// A member of the parameters, if it is there.
    pub fn param(&mut self, name: &str) -> Option<&mut Value> {
        self.message.get_mut("params")?.get_mut(name)
    }

    /// A member of the result, if it is there.
    pub fn result(&mut self, name: &str) -> Option<&mut Value> {
        self.message.get_mut("result")?.get_mut(name)
    }

    /// Puts this field in the place of those of its name.
    pub fn set(&mut self, name: &str, value: &str) {
        self.remove(name);
        self.add(name, value);
    }

    /// The same where there is one of its name.
    pub fn replace(&mut self, name: &str, value: &str) {
        if field(&self.fields, name).is_some() {
            self.set(name, value);
        }
    }

    /// One field more.
    pub fn add(&mut self, name: &str, value: &str) {
        self.fields.push((name.to_owned(), value.to_owned()));
    }

    pub fn remove(&mut self, name: &str) {
        self.fields.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
    }
}

/// What came in for one request.
#[derive(Debug, Default)]
pub struct Incoming {
    pub status: u16,
    pub fields: Fields,
    /// The messages that it carried.
    pub messages: Vec<Value>,
    /// The last event's id, and how long to wait before it is asked for more.
    pub last_event: Option<String>,
    pub retry: Option<u64>,
}

impl Incoming {
    /// The response to the request of this id.
    pub fn answer(&self, id: &Value) -> Option<&Value> {
        self.messages.iter().find(|message| message.get("method").is_none() && message["id"] == *id)
    }

    /// Its result.
    pub fn result(&self, id: &Value) -> Outcome {
        let answer = self.answer(id).ok_or_else(|| format!("{}: no answer", self.status))?;
        match answer.get("result") {
            Some(result) if self.status < 300 => Ok(result.clone()),
            _ => Err(format!("{}: {}", self.status, answer["error"])),
        }
    }
}

/// Changes what goes out.
pub type Bend = Arc<dyn Fn(&mut Outgoing) + Send + Sync>;

/// A client and its connection.
#[derive(Clone)]
pub struct Client {
    /// The revision that it was told to speak.
    pub revision: String,
    /// What it was told in `MCP_CONFORMANCE_CONTEXT`.
    pub context: Value,
    pub capabilities: Value,
    pub session: Option<String>,
    /// The version that the handshake came to.
    pub version: Option<String>,
    /// The schemas of the tools that were listed.
    pub tools: BTreeMap<String, Value>,
    /// Whether its calls ask for progress.
    pub asks_for_progress: bool,
    /// How much of each wait that a server asks for it waits.
    pub patience: f64,
    /// How many roots it told of so far.
    pub surveys: usize,
    /// Whether each of its requests has the same id.
    pub keeps_its_id: bool,
    /// What it does after a request is written and before it reads the answer.
    pub meanwhile: Option<fn(&mut Client)>,
    next_id: u64,
    /// By what every wait is divided.
    scale: u32,
    authority: String,
    path: String,
    bends: Vec<Bend>,
}

impl Client {
    /// A client for the server at `url`, which was told `revision` and `context`.
    pub fn new(url: &str, revision: &str, context: Value, scale: u32) -> Client {
        let rest = url.strip_prefix("http://").unwrap_or(url);
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        Client {
            revision: revision.to_owned(),
            context,
            capabilities: json!({}),
            session: None,
            version: None,
            tools: BTreeMap::new(),
            asks_for_progress: false,
            patience: 1.0,
            surveys: 0,
            keeps_its_id: false,
            meanwhile: None,
            next_id: 1,
            scale,
            authority: authority.to_owned(),
            path: format!("/{path}"),
            bends: Vec::new(),
        }
    }

    /// From now on `bend` changes what goes out.
    pub fn bend(&mut self, bend: impl Fn(&mut Outgoing) + Send + Sync + 'static) {
        self.bends.push(Arc::new(bend));
    }

    /// The check that it was told to play.
    pub fn check(&self) -> String {
        self.context["check"].as_str().unwrap_or_default().to_owned()
    }

    pub fn is_stateless(&self) -> bool {
        self.revision.as_str() >= STATELESS
    }

    /// Lets this many milliseconds pass, by the clock of the server.
    pub fn wait(&self, milliseconds: u64) {
        std::thread::sleep(Duration::from_millis(milliseconds) / self.scale);
    }

    /// A request with an id that was not used before.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.next_id;
        if !self.keeps_its_id {
            self.next_id += 1;
        }
        let mut request = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        if !params.is_null() {
            request["params"] = params;
        }
        if self.is_stateless() {
            request["params"]["_meta"] = json!({
                (format!("{PREFIX}protocolVersion")): self.revision,
                (format!("{PREFIX}clientInfo")): { "name": "raw", "version": "1.0.0" },
                (format!("{PREFIX}clientCapabilities")): self.capabilities,
            });
        }
        if method == "tools/call" && self.asks_for_progress {
            request["params"]["_meta"]["progressToken"] = id.into();
        }
        request
    }

    /// A POST of a message under the head that belongs to it.
    pub fn post(&self, message: Value) -> Outgoing {
        let mut post = self.outgoing("POST", "application/json, text/event-stream");
        post.add("Content-Type", "application/json");
        if message["method"] == "initialize" {
            post.fields.retain(|(name, _)| !name.starts_with("M"));
        } else if self.is_stateless() {
            self.mirror(&mut post, &message);
        }
        post.message = message;
        post
    }

    /// Something else than a POST.
    pub fn outgoing(&self, verb: &str, accept: &str) -> Outgoing {
        let mut outgoing = Outgoing {
            verb: verb.to_owned(),
            fields: Fields::new(),
            message: Value::Null,
            body: None,
        };
        outgoing.add("Accept", accept);
        if let Some(session) = &self.session {
            outgoing.add("Mcp-Session-Id", session);
        }
        match &self.version {
            Some(version) if version.as_str() > "2025-03-26" => {
                outgoing.add("MCP-Protocol-Version", version);
            }
            _ => {}
        }
        outgoing
    }

    /// Says in the head what the message says (2026-07-28,
    /// basic/transports/streamable-http#request-metadata).
    fn mirror(&self, post: &mut Outgoing, message: &Value) {
        let params = &message["params"];
        post.add("MCP-Protocol-Version", &self.revision);
        post.add("Mcp-Method", message["method"].as_str().unwrap_or_default());
        let named = ["name", "uri", "taskId"].iter().find_map(|key| params[*key].as_str());
        if let Some(named) = named.filter(|_| message["method"] != "completion/complete") {
            post.add("Mcp-Name", &encoded(named));
        }
        if message["method"] == "tools/call"
            && let Some(schema) = params["name"].as_str().and_then(|name| self.tools.get(name))
        {
            mirror_arguments(schema, &params["arguments"], &mut |name, value| {
                post.add(name, value)
            });
        }
    }

    /// Sends it, bent as it is to be, and reads what comes until the answer.
    pub fn exchange(&mut self, outgoing: Outgoing) -> Result<Incoming, String> {
        let id = outgoing.message["id"].clone();
        let (head, mut reader) = self.send(outgoing).map_err(|error| error.to_string())?;
        let mut incoming = Incoming {
            status: head.word(1).parse().unwrap_or(0),
            fields: head.fields.clone(),
            ..Incoming::default()
        };
        let kind = field(&head.fields, "content-type").unwrap_or_default().to_lowercase();
        let mut body = head.body(&mut reader);
        if kind.split(';').next().map(str::trim) == Some("text/event-stream") {
            for event in Events::new(body) {
                self.take(event, &mut incoming);
                if incoming.answer(&id).is_some() {
                    break;
                }
            }
        } else {
            let mut bytes = Vec::new();
            let _ = body.read_to_end(&mut bytes);
            self.take_in(&bytes, &mut incoming);
        }
        Ok(incoming)
    }

    /// Takes in one event: what a server asks is answered at once.
    pub fn take(&mut self, event: Event, incoming: &mut Incoming) {
        incoming.last_event = event.id.or(incoming.last_event.take());
        incoming.retry = event.retry.or(incoming.retry);
        if event.kind == "message" {
            self.take_in(event.data.as_bytes(), incoming);
        }
    }

    /// Takes in a message, or an array of them.
    fn take_in(&mut self, text: &[u8], incoming: &mut Incoming) {
        let messages = match serde_json::from_slice(text) {
            Ok(Value::Array(messages)) => messages,
            Ok(message) => vec![message],
            Err(_) => return,
        };
        for message in messages {
            if message.get("method").is_some()
                && message.get("id").is_some()
                && !self.is_stateless()
            {
                self.answer(&message);
            }
            incoming.messages.push(message);
        }
    }

    /// Sends it, and leaves what comes to the caller.
    pub fn send(&self, outgoing: Outgoing) -> io::Result<(Head, BufReader<TcpStream>)> {
        answer(self.begin(outgoing)?)
    }

    /// Sends it without looking at what comes.
    pub fn begin(&self, mut outgoing: Outgoing) -> io::Result<TcpStream> {
        for bend in &self.bends {
            bend(&mut outgoing);
        }
        let body = match (&outgoing.body, &outgoing.message) {
            (Some(body), _) => body.clone(),
            (None, Value::Null) => String::new(),
            (None, message) => message.to_string(),
        };
        let mut fields =
            vec![("Host".into(), self.authority.clone()), ("Connection".into(), "close".into())];
        if !body.is_empty() {
            fields.push(("Content-Length".into(), body.len().to_string()));
        }
        fields.extend(outgoing.fields);
        let start = format!("{} {} HTTP/1.1", outgoing.verb, self.path);
        self.begin_at(&self.authority, &Head { start, fields }, &body)
    }

    fn begin_at(&self, to: &str, head: &Head, body: &str) -> io::Result<TcpStream> {
        let mut socket = TcpStream::connect(to)?;
        socket.set_read_timeout(Some(SILENCE / self.scale.clamp(1, 4)))?;
        socket.write_all((head.written() + body).as_bytes())?;
        if let Some(meanwhile) = self.meanwhile {
            let mut early = self.clone();
            early.meanwhile = None;
            // Ids of its own.
            early.next_id += 10;
            meanwhile(&mut early);
        }
        Ok(socket)
    }

    /// What a browser does with an address: fetches it, or sends a form there.
    pub fn browse(&self, url: &str, form: Option<&str>) -> String {
        let rest = url.strip_prefix("http://").unwrap_or(url);
        let (to, path) = rest.split_once('/').unwrap_or((rest, ""));
        let verb = if form.is_some() { "POST" } else { "GET" };
        let mut head = Head { start: format!("{verb} /{path} HTTP/1.1"), fields: Fields::new() };
        head.fields.push(("Host".into(), to.into()));
        head.fields.push(("Connection".into(), "close".into()));
        if let Some(form) = form {
            head.fields.push(("Content-Type".into(), "application/x-www-form-urlencoded".into()));
            head.fields.push(("Content-Length".into(), form.len().to_string()));
        }
        let mut page = String::new();
        let asked = self.begin_at(to, &head, form.unwrap_or_default());
        if let Ok((head, mut reader)) = asked.and_then(answer) {
            let _ = head.body(&mut reader).read_to_string(&mut page);
        }
        page
    }
}

/// The head of what comes, and the rest of it.
fn answer(socket: TcpStream) -> io::Result<(Head, BufReader<TcpStream>)> {
    let mut reader = BufReader::new(socket);
    match Head::read(&mut reader)? {
        Some(head) => Ok((head, reader)),
        None => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Tells the field and the value of each annotated argument that is given.
fn mirror_arguments(schema: &Value, arguments: &Value, tell: &mut dyn FnMut(&str, &str)) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let value = &arguments[name.as_str()];
        let text = match value {
            Value::Null => continue,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if let Some(field) = property["x-mcp-header"].as_str() {
            tell(&format!("Mcp-Param-{field}"), &encoded(&text));
        }
        mirror_arguments(property, value, tell);
    }
}
