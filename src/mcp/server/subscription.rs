//! What one client listens to (2026-07-28, basic/patterns/subscriptions):
//! [`Subscription`].

use serde_json::{Map, Value, json};

use crate::mcp::metadata;

/// The filter of one `subscriptions/listen`, and the id of that request.
#[derive(Clone, Debug)]
pub(super) struct Subscription {
    id: Value,
    filter: Map<String, Value>,
}

impl Subscription {
    /// What `request` asks for; of what this server does not know, nothing.
    pub fn new(request: &Value) -> Self {
        let known = [
            "toolsListChanged",
            "promptsListChanged",
            "resourcesListChanged",
            "resourceSubscriptions",
            "taskIds",
        ];
        let asked = request["params"]["notifications"].as_object().cloned().unwrap_or_default();
        let filter = asked.into_iter().filter(|(name, _)| known.contains(&name.as_str())).collect();
        Subscription { id: request["id"].clone(), filter }
    }

    /// The first message: what the server agreed to ("Acknowledgment").
    pub fn acknowledgment(&self) -> Value {
        self.tagged(json!({
            "jsonrpc": "2.0",
            "method": "notifications/subscriptions/acknowledged",
            "params": { "notifications": self.filter },
        }))
    }

    /// A notification as this client gets it; `None` if it did not ask for it.
    pub fn deliver(&self, message: &Value) -> Option<Value> {
        let flag = |name: &str| self.filter.get(name) == Some(&Value::Bool(true));
        let lists = |name: &str, value: &Value| {
            let listed = self.filter.get(name).and_then(Value::as_array);
            listed.is_some_and(|listed| listed.contains(value))
        };
        let wanted = match message["method"].as_str().unwrap_or_default() {
            "notifications/tools/list_changed" => flag("toolsListChanged"),
            "notifications/prompts/list_changed" => flag("promptsListChanged"),
            "notifications/resources/list_changed" => flag("resourcesListChanged"),
            "notifications/resources/updated" => {
                lists("resourceSubscriptions", &message["params"]["uri"])
            }
            "notifications/tasks" => lists("taskIds", &message["params"]["taskId"]),
            _ => false,
        };
        wanted.then(|| self.tagged(message.clone()))
    }

    fn tagged(&self, mut message: Value) -> Value {
        message["params"]["_meta"][metadata::SUBSCRIPTION_ID] = self.id.clone();
        message
    }
}
