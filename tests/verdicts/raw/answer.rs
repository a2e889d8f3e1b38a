//! What the raw client answers when a server asks it for something.

use serde_json::{Value, json};

use super::client::Client;

impl Client {
    /// Answers a request of the server.
    pub fn answer(&mut self, asked: &Value) {
        let mut answer = json!({ "jsonrpc": "2.0", "id": asked["id"] });
        match self.given(asked) {
            Ok(result) => answer["result"] = result,
            Err((code, message)) => answer["error"] = json!({ "code": code, "message": message }),
        }
        let post = self.post(answer);
        let _ = self.exchange(post);
        if asked["params"]["mode"] == "url" && self.check() == "client/elicit-url" {
            self.link(asked["params"]["url"].as_str().unwrap_or_default());
        }
    }

    /// What is given to a request of the server, or the error that refuses it.
    pub fn given(&mut self, asked: &Value) -> Result<Value, (i64, &'static str)> {
        let method = asked["method"].as_str().unwrap_or_default();
        let capability = method.split('/').next().unwrap_or_default();
        let unknown = Err((-32601, "Method not found"));
        match method {
            "ping" => Ok(json!({})),
            _ if self.capabilities.get(capability).is_none() => unknown,
            "elicitation/create" => self.elicited(&asked["params"]),
            "sampling/createMessage" if self.context["sampling"]["rejected"] == true => {
                Err((-1, "User rejected sampling request"))
            }
            "sampling/createMessage" if self.refuses(&asked["params"]) => {
                Err((-32602, "Tools that were not declared, or a use without its result"))
            }
            "sampling/createMessage" => Ok(self.context["sampling"].clone()),
            "roots/list" => {
                let roots = &self.context["roots"][self.surveys];
                self.surveys += 1;
                Ok(json!({ "roots": roots }))
            }
            _ => unknown,
        }
    }

    /// Whether a message is asked for with tools that were not declared, or with a use
    /// of a tool that is not followed by its result alone (2025-11-25,
    /// client/sampling#message-content-constraints).
    fn refuses(&self, params: &Value) -> bool {
        if params.get("tools").is_none() {
            return false;
        }
        let messages = params["messages"].as_array().map_or(&[][..], Vec::as_slice);
        let blocks = |message: &Value| message["content"].as_array().cloned().unwrap_or_default();
        let is_open = messages.iter().enumerate().any(|(number, message)| {
            let next = messages.get(number + 1).map(blocks).unwrap_or_default();
            blocks(message).iter().any(|block| block["type"] == "tool_use")
                && (next.is_empty() || next.iter().any(|block| block["type"] != "tool_result"))
        });
        self.capabilities["sampling"].get("tools").is_none() || is_open
    }

    /// What a person says to a form or an address, by the context.
    pub fn elicited(&self, params: &Value) -> Result<Value, (i64, &'static str)> {
        let mode = params["mode"].as_str().unwrap_or("form");
        let declared = &self.capabilities["elicitation"];
        if mode == "url" && declared.get("url").is_none() {
            return Err((-32602, "This mode was not declared"));
        }
        let told = &self.context["elicitation"];
        let mut answer = json!({ "action": told["action"] });
        if mode == "form" && told["action"] == "accept" {
            let mut content = json!({});
            for (name, property) in
                params["requestedSchema"]["properties"].as_object().into_iter().flatten()
            {
                let value = told["content"].get(name).or(property.get("default"));
                if let Some(value) = value {
                    content[name] = value.clone();
                }
            }
            answer["content"] = content;
        }
        Ok(answer)
    }

    /// Opens the page of an account and enters the code that it names.
    pub fn link(&self, page: &str) {
        let shown = self.browse(page, None);
        let code = shown.find("L1NK").map_or("", |at| &shown[at..at + 9]);
        self.browse(page, Some(&format!("code={code}")));
    }
}
