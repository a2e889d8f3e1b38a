//! A scripted server on a socket of this machine, for commands that speak to a
//! real one: [`FarSide`].

use std::sync::Arc;
use std::thread::JoinHandle;

use mcp_checks::mcp::Revision;
use mcp_checks::mcp::server::{Action, Behaviour, Framing, ScriptedServer, Tool};
use mcp_checks::wire::loopback::Loopback;
use mcp_checks::wire::{Double, Exchange, Recorder, Wire};
use serde_json::{Value, json};
use tokio::sync::oneshot;

const ORIGIN: &str = "http://server.test";

/// A server that is there until it is dropped.
pub struct FarSide {
    /// Its endpoint.
    pub url: String,
    /// What it is scripted with.
    pub server: Arc<ScriptedServer>,
    wire: Wire,
    stop: Option<oneshot::Sender<()>>,
    serving: Option<JoinHandle<()>>,
}

impl FarSide {
    /// Serves what `register` registers, at 2025-11-25.
    pub fn new(register: impl FnOnce(&ScriptedServer)) -> FarSide {
        FarSide::at(Revision::V2025_11_25, register)
    }

    /// Serves what `register` registers, with a session where there are any.
    pub fn at(revision: Revision, register: impl FnOnce(&ScriptedServer)) -> FarSide {
        FarSide::at_path(revision, "/mcp", register)
    }

    /// As [`FarSide::at`], with an endpoint of another path.
    pub fn at_path(
        revision: Revision,
        path: &str,
        register: impl FnOnce(&ScriptedServer),
    ) -> FarSide {
        let server = Arc::new(ScriptedServer::new(Behaviour {
            revision,
            session: revision.has_handshake().then(|| "a-session".to_owned()),
            framing: Framing::Json,
            declares: Vec::new(),
            lacks: Vec::new(),
            path: path.to_owned(),
        }));
        register(&server);
        let double = Double::new(1);
        double.add("server.test", server.clone());
        let wire = Wire::new(1);
        let recorder = Arc::new(Recorder::new(double, wire.clone()));
        let loopback = Loopback::bind(&[ORIGIN]).unwrap();
        let url = format!("{}{path}", loopback.url(ORIGIN).unwrap());
        let (stop, stopped) = oneshot::channel();
        let serving = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async {
                let handle = loopback.serve(recorder).unwrap();
                let _ = stopped.await;
                handle.close().await;
            });
        });
        FarSide { url, server, wire, stop: Some(stop), serving: Some(serving) }
    }

    /// Every request with its response.
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.wire.exchanges()
    }

    /// The methods of the requests and notifications that came, in order.
    pub fn methods(&self) -> Vec<String> {
        let exchanges = self.exchanges().into_iter();
        let messages = exchanges.filter_map(|one| serde_json::from_slice::<Value>(&one.body).ok());
        messages.filter_map(|message| message["method"].as_str().map(str::to_owned)).collect()
    }

    /// The profile `NAME` for this server: public content, in a zone that may
    /// read it.
    pub fn profile(&self, requires_approval: bool) -> String {
        format!(
            "revision = \"2025-11-25\"\nurl = \"{}\"\n\n[operator]\n\
             data-class = \"public-content\"\nrequires-approval = {requires_approval}\n\
             zone = \"external-eu\"\n",
            self.url
        )
    }
}

impl Drop for FarSide {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(serving) = self.serving.take() {
            let _ = serving.join();
        }
    }
}

/// A tool that takes an object and does this with each call.
pub fn tool(name: &str, answer: impl Fn(&Value) -> Action + Send + Sync + 'static) -> Tool {
    tool_with(json!({ "name": name, "inputSchema": { "type": "object" } }), answer)
}

/// A tool as a list shows it, which does this with the arguments of each call.
pub fn tool_with(
    definition: Value,
    answer: impl Fn(&Value) -> Action + Send + Sync + 'static,
) -> Tool {
    Tool {
        definition: definition.as_object().unwrap().clone(),
        handler: Arc::new(move |call| answer(&call.params()["arguments"])),
    }
}

/// A result of one text.
pub fn text(text: &str) -> Action {
    Action::Value(json!({ "content": [{ "type": "text", "text": text }] }))
}
