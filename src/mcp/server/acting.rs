//! Which action answers a message: what a script registered for it, what follows the
//! input that was asked for, or what a server of this revision has by itself.

use std::sync::Arc;

use serde_json::{Value, json};

use super::action::{Action, Answered};
use super::asking;
use super::features::{Call, Handler};
use super::scripted::ScriptedServer;
use crate::mcp::json_rpc::MISSING_CLIENT_CAPABILITY;
use crate::mcp::metadata;
use crate::wire::Request;

/// The key of the one request that a script asks the client.
const INPUT_KEY: &str = "input";

impl ScriptedServer {
    pub(super) fn handler_of(&self, message: &Value) -> Option<Handler> {
        self.features().method(message["method"].as_str()?)
    }

    /// The action as this client and its era allow it. What the client did not
    /// declare it is not asked. From 2026-07-28 on it is asked within a result
    /// (basic/patterns/mrtr): what is asked for is a result of its own, and what
    /// follows it waits for the state that comes back.
    pub(super) fn settled(&self, message: &Value, action: Action) -> Action {
        if self.revision_of(message).has_handshake() {
            let declared = self.state().declared.clone();
            return asking::within(&declared, action, undeclared);
        }
        let declared = message["params"]["_meta"][metadata::CLIENT_CAPABILITIES].clone();
        self.within_result(asking::within(&Arc::new(declared), action, missing_capability))
    }

    fn within_result(&self, action: Action) -> Action {
        match action {
            Action::Ask { method, params, then } => self.input_required(&method, params, then),
            Action::After(time, action) => {
                Action::After(time, Box::new(self.within_result(*action)))
            }
            action => action,
        }
    }

    fn input_required(&self, method: &str, params: Option<Value>, then: Answered) -> Action {
        let mut state = self.state();
        // What reading it, or trimming it, would change.
        let issued = format!(" {{\"asked\":{}}}=\u{e9}\\n ", state.asked.len() + 1);
        state.asked.insert(issued.clone(), then);
        let mut asked = json!({ "method": method });
        if let Some(params) = params {
            asked["params"] = params;
        }
        Action::Reply {
            result: json!({
                "resultType": "input_required",
                "inputRequests": { INPUT_KEY: asked },
                "requestState": issued,
            }),
            framing: None,
        }
    }

    /// What follows the input that comes with a request; `None` if none was
    /// asked for.
    fn answered(&self, message: &Value) -> Option<Action> {
        let state = message["params"]["requestState"].as_str()?;
        let then = self.state().asked.get(state).cloned()?;
        let given = &message["params"]["inputResponses"][INPUT_KEY];
        let answer = json!({ "jsonrpc": "2.0", "id": INPUT_KEY, "result": given });
        Some(then(&answer))
    }

    pub(super) fn act(&self, request: &Request, message: &Value) -> Action {
        if let Some(action) = self.answered(message) {
            return action;
        }
        let method = message["method"].as_str().unwrap_or_default();
        if method == "initialize" {
            self.state().declared = Arc::new(message["params"]["capabilities"].clone());
        }
        let call = Call { message, headers: request.headers() };
        if let Some(handler) = self.handler_of(message) {
            return handler(&call);
        }
        let revision = self.revision_of(message);
        let feature = self.features().feature(method, call.params(), revision);
        if let Some(handler) = feature {
            return handler(&call);
        }
        if let Some(list) = self.features().list(method, call.params()) {
            return list;
        }
        match (method, revision.has_handshake()) {
            ("initialize", true) => Action::Value(self.initialize_result(call.params(), revision)),
            ("server/discover", false) => Action::Value(self.discover_result()),
            ("ping", true) => Action::Value(json!({})),
            _ => Action::Error {
                code: -32601,
                message: format!("Method not found: {method}"),
                data: None,
            },
        }
    }
}

/// In place of a question to a client that did not declare what it needs; there is
/// no code for that up to 2025-11-25.
fn undeclared(needed: Value) -> Action {
    let message = format!("The client did not declare what this needs: {needed}");
    Action::Error { code: -32000, message, data: None }
}

/// The same from 2026-07-28 on (basic, "Per-request protocol fields").
fn missing_capability(needed: Value) -> Action {
    Action::Error {
        code: MISSING_CLIENT_CAPABILITY,
        message: "Missing required client capability".to_owned(),
        data: Some(json!({ "requiredCapabilities": needed })),
    }
}
