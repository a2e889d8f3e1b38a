//! A client over a transport that is no HTTP: lines over channels, as a process
//! would have them on its standard input and output.

use tokio::sync::{Mutex, mpsc, oneshot};

use super::*;
use crate::mcp::client::budget::Budget;
use crate::mcp::client::inbox::Inbox;
use crate::mcp::client::transport::Reply;
use crate::mcp::json_rpc::{self, Message, Notification, same_id};
use crate::mcp::schema::judge;
use crate::wire::{Sender, Wire};

/// One line for each message, both ways.
struct Lines {
    wire: Wire,
    sent: mpsc::UnboundedSender<String>,
    came: Mutex<mpsc::UnboundedReceiver<String>>,
}

impl Lines {
    fn send(&self, message: &Value) -> Result<(), ClientError> {
        let line = message.to_string();
        self.wire.log(Sender::Client, line.clone().into());
        self.sent.send(line).map_err(|_| gone())
    }

    /// Sends a request, and takes in what comes until its answer.
    async fn ask(
        &self,
        request: &json_rpc::Request,
        session: &Session,
        inbox: &Inbox,
    ) -> Result<Reply, ClientError> {
        self.send(&request.to_value())?;
        let mut came = self.came.lock().await;
        loop {
            let line = came.recv().await.ok_or_else(gone)?;
            self.wire.log(Sender::Server, line.clone().into());
            for message in Message::parse(line.as_bytes(), false).expect("it is a message") {
                match message {
                    Message::Response(response) if same_id(&response.id, &request.id) => {
                        return Ok(Reply { outcome: response.outcome, session_id: None });
                    }
                    Message::Response(_) => {}
                    Message::Notification(notification) => {
                        inbox.keep(notification, 0);
                    }
                    Message::Request(asked) => {
                        if let Some(answer) = inbox.answer(asked, session.revision).await {
                            self.send(&answer.to_value())?;
                        }
                    }
                }
            }
        }
    }
}

fn gone() -> ClientError {
    ClientError::new(ErrorKind::Connection, "the server is gone")
}

impl Transport for Lines {
    fn server(&self) -> &str {
        "in memory"
    }

    fn request<'a>(
        &'a self,
        request: &'a json_rpc::Request,
        session: &'a Session,
        inbox: &'a Inbox,
        budget: &'a mut Budget,
    ) -> BoxFuture<'a, Result<Reply, ClientError>> {
        Box::pin(budget.leg(self.ask(request, session, inbox)))
    }

    fn notify<'a>(
        &'a self,
        notification: &'a Notification,
        _session: &'a Session,
        _budget: &'a mut Budget,
    ) -> BoxFuture<'a, Result<(), ClientError>> {
        Box::pin(async { self.send(&notification.to_value()) })
    }

    fn notify_aside<'a>(
        &'a self,
        notification: &'a Notification,
        _session: &'a Session,
    ) -> BoxFuture<'a, ()> {
        Box::pin(async {
            let _ = self.send(&notification.to_value());
        })
    }

    fn listen<'a>(
        &'a self,
        _request: Option<json_rpc::Request>,
        _session: &'a Session,
        _inbox: &'a Inbox,
        opened: oneshot::Sender<Result<Value, ClientError>>,
    ) -> BoxFuture<'a, ()> {
        Box::pin(async {
            let error = ClientError::new(ErrorKind::NotSupported, "there is one stream alone");
            let _ = opened.send(Err(error));
        })
    }

    fn end_session<'a>(
        &'a self,
        _session: &'a Session,
        _budget: &'a mut Budget,
    ) -> BoxFuture<'a, Result<(), ClientError>> {
        Box::pin(async { Ok(()) })
    }
}

/// A client, and the log of its messages; the server answers each message with
/// these.
fn client(
    revision: Revision,
    server: impl Fn(&Value) -> Vec<Value> + Send + 'static,
) -> (Client, Wire) {
    let (sent, mut at_server) = mpsc::unbounded_channel::<String>();
    let (answers, came) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Some(line) = at_server.recv().await {
            let message: Value = serde_json::from_str(&line).unwrap();
            for answer in server(&message) {
                answers.send(answer.to_string()).unwrap();
            }
        }
    });
    let wire = Wire::new(1);
    let transport = Lines { wire: wire.clone(), sent, came: Mutex::new(came) };
    (Client::new(Arc::new(transport), options(revision)), wire)
}

/// What the client sent, all of it and what answers it valid.
fn sent(wire: &Wire, revision: Revision) -> Vec<Value> {
    let texts = wire.texts();
    let judged = judge(&texts, &[], revision);
    let invalid: Vec<_> = judged.iter().filter_map(|one| one.invalid.as_ref()).collect();
    assert!(invalid.is_empty(), "{invalid:?}");
    let sent = texts.iter().filter(|text| text.sender == Sender::Client);
    sent.flat_map(|text| text.messages()).cloned().collect()
}

fn result_of(message: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": message["id"], "result": result })
}

#[tokio::test(start_paused = true)]
async fn a_handshake_a_call_and_a_ping_of_the_server_need_no_http() {
    let (client, wire) =
        client(Revision::V2025_11_25, |message| match message["method"].as_str() {
            Some("initialize") => vec![result_of(message, &introduction("2025-11-25"))],
            Some("tools/call") => vec![
                json!({ "jsonrpc": "2.0", "id": "s", "method": "ping" }),
                json!({ "jsonrpc": "2.0", "method": "notifications/message",
                "params": { "level": "info", "data": 1 } }),
                result_of(message, &json!({ "content": [] })),
            ],
            _ => Vec::new(),
        });
    assert_eq!(perform(&client, add()).await.unwrap(), json!({ "content": [] }));
    assert_eq!(client.notifications().len(), 1);
    assert_eq!((client.server(), client.session_id()), ("in memory", None));
    client.close().await.unwrap();
    let sent = sent(&wire, Revision::V2025_11_25);
    let methods: Vec<_> = sent.iter().map(|message| message["method"].as_str()).collect();
    let expected = ["initialize", "notifications/initialized", "tools/call"].map(Some);
    assert_eq!(methods, [&expected[..], &[None]].concat());
    assert_eq!(sent[3], result_of(&json!({ "id": "s" }), &json!({})));
}

#[tokio::test(start_paused = true)]
async fn each_request_carries_its_own_state_without_http_too() {
    let (client, wire) = client(Revision::V2026_07_28, |message| {
        let mut result = json!({ "resultType": "complete", "ttlMs": 0, "cacheScope": "private" });
        if message["method"] == "server/discover" {
            result["supportedVersions"] = json!(["2026-07-28"]);
            result["capabilities"] = json!({ "tools": {} });
        } else {
            result["content"] = json!([]);
        }
        vec![result_of(message, &result)]
    });
    assert_eq!(perform(&client, add()).await.unwrap()["content"], json!([]));
    for message in sent(&wire, Revision::V2026_07_28) {
        let version = &message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"];
        assert_eq!(version, "2026-07-28");
    }
}

#[tokio::test(start_paused = true)]
async fn silence_ends_a_leg_without_http_too() {
    let (client, wire) = client(Revision::V2025_11_25, |_| Vec::new());
    let start = Instant::now();
    assert_eq!(client.connect().await.unwrap_err().kind, ErrorKind::Timeout);
    assert_eq!(start.elapsed(), Duration::from_secs(15));
    assert_eq!(wire.texts().len(), 1);
}
