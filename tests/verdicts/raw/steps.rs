//! How a client opens and closes a connection, and what it makes of each answer.

use serde_json::{Value, json};

use super::annotations::is_valid;
use super::client::{Client, Incoming, Outcome};
use super::http::{Events, field};
use super::{PREFIX, STATELESS};

/// How often a call goes on before it is given up.
const ROUNDS: usize = 8;

impl Client {
    /// Declares what the check needs, and nothing else.
    pub fn declare(&mut self) {
        let (context, check) = (self.context.clone(), self.check());
        let mut declared = json!({});
        if context.get("elicitation").is_some() {
            let modes = match &context["elicitation"]["modes"] {
                Value::Array(modes) => modes.clone(),
                _ if self.revision.as_str() < "2025-11-25" => vec![],
                _ => vec!["form".into(), "url".into()],
            };
            declared["elicitation"] = modes
                .iter()
                .filter_map(|mode| Some((mode.as_str()?.to_owned(), json!({}))))
                .collect();
        }
        if context.get("sampling").is_some() {
            declared["sampling"] = json!({});
            if check == "sampling/tools" && context["case"] != "undeclared tools" {
                declared["sampling"]["tools"] = json!({});
            }
        }
        if context.get("roots").is_some() {
            declared["roots"] = json!({ "listChanged": true });
        }
        let takes_tasks = check == "tasks/ends" && context["case"] != "not declared";
        if check.starts_with("client/task-") || takes_tasks {
            declared["extensions"] = json!({ (format!("{PREFIX}tasks")): {} });
        }
        if check == "client/elicit-url" && declared["elicitation"].is_null() {
            declared["elicitation"] = json!({ "url": {} });
        }
        self.capabilities = declared;
    }

    /// Opens a connection, if the policy of the context lets it.
    pub fn open(&mut self) -> Outcome {
        let versions = self.context["policy"]["versions"].clone();
        if !self.is_stateless() {
            return self.shake_hands();
        }
        let accepts = |version: &str| {
            versions.as_array().is_none_or(|versions| versions.iter().any(|known| known == version))
        };
        if !accepts(STATELESS) {
            return self.fall_back();
        }
        if !self.check().starts_with("negotiation/") {
            return Ok(Value::Null);
        }
        match self.call_method("server/discover", json!({})) {
            Ok(result) => {
                let listed = result["supportedVersions"].as_array().cloned().unwrap_or_default();
                if !listed.iter().any(|version| version == STATELESS) {
                    return Err("no common version".to_owned());
                }
                self.accept(&result).map(|()| result)
            }
            Err(_) if accepts("2025-11-25") => self.fall_back(),
            Err(error) => Err(error),
        }
    }

    /// Goes on in the era before, with the newest of its versions.
    fn fall_back(&mut self) -> Outcome {
        let versions = self.context["policy"]["versions"].as_array().cloned().unwrap_or_default();
        let older = versions.iter().filter_map(Value::as_str).find(|version| *version < STATELESS);
        self.revision = older.unwrap_or("2025-11-25").to_owned();
        self.shake_hands()
    }

    /// `initialize`, what the answer has to be, and the notification.
    pub fn shake_hands(&mut self) -> Outcome {
        let result = self.initialize()?;
        self.notify("notifications/initialized");
        Ok(result)
    }

    /// `initialize` alone.
    pub fn initialize(&mut self) -> Outcome {
        (self.session, self.version) = (None, None);
        let request = self.request(
            "initialize",
            json!({
                "protocolVersion": self.revision,
                "capabilities": self.capabilities,
                "clientInfo": { "name": "raw", "version": "1.0.0" },
            }),
        );
        let id = request["id"].clone();
        let incoming = self.exchange(self.post(request))?;
        self.session = field(&incoming.fields, "mcp-session-id").map(str::to_owned);
        let result = incoming.result(&id)?;
        let chosen = result["protocolVersion"].as_str().unwrap_or_default().to_owned();
        let versions = self.context["policy"]["versions"].as_array().cloned().unwrap_or_default();
        let is_accepted = versions.iter().any(|version| *version == *chosen);
        let server = &result["serverInfo"];
        if !result["capabilities"].is_object()
            || !server["name"].is_string()
            || !server["version"].is_string()
        {
            return Err("the answer makes no sense".to_owned());
        }
        if !is_accepted || chosen.as_str() >= STATELESS {
            return Err(format!("version {chosen}"));
        }
        self.accept(&result)?;
        self.version = Some(chosen);
        Ok(result)
    }

    /// Whether the server declares what the policy requires.
    fn accept(&self, result: &Value) -> Result<(), String> {
        for required in self.context["policy"]["required"].as_array().into_iter().flatten() {
            let names: Vec<&str> = match required {
                Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
                other => other.as_str().unwrap_or_default().split('.').collect(),
            };
            let declared = names.iter().fold(&result["capabilities"], |value, name| &value[*name]);
            if !declared.is_object() && *declared != true {
                return Err(format!("without {required}"));
            }
        }
        Ok(())
    }

    /// Ends the session, if there is one.
    pub fn close(&mut self) {
        if self.session.is_some() {
            let delete = self.outgoing("DELETE", "application/json, text/event-stream");
            let _ = self.exchange(delete);
            self.session = None;
        }
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str) {
        let post = self.post(json!({ "jsonrpc": "2.0", "method": method }));
        let _ = self.exchange(post);
    }

    /// Sends a request once, as it stands, and reads what comes.
    pub fn ask(&mut self, method: &str, params: Value) -> (Value, Result<Incoming, String>) {
        let request = self.request(method, params);
        let id = request["id"].clone();
        let post = self.post(request);
        (id, self.exchange(post))
    }

    /// Sends a request and goes on until it has its result: in a new session,
    /// in another version, on the rest of the stream.
    pub fn call_method(&mut self, method: &str, params: Value) -> Outcome {
        let mut again = true;
        loop {
            let (id, came) = self.ask(method, params.clone());
            let once = std::mem::take(&mut again);
            let incoming = came?;
            if incoming.status == 404 && self.session.is_some() && once {
                self.shake_hands()?;
                continue;
            }
            if let Some(answer) = incoming.answer(&id) {
                match answer["error"]["code"].as_i64() {
                    Some(-32022) if once && names(answer, &self.revision) => continue,
                    Some(-32020) if once && method == "tools/call" => {
                        self.list("tools/list", "tools")?;
                        continue;
                    }
                    _ => return incoming.result(&id),
                }
            }
            if incoming.status >= 300 {
                return Err(format!("status {}", incoming.status));
            }
            if self.is_stateless() {
                if once && method != "tools/call" {
                    continue;
                }
            } else if self.version.as_deref() == Some("2025-11-25") && incoming.last_event.is_some()
            {
                return self.resume(&id, incoming);
            }
            return Err("no answer".to_owned());
        }
    }

    /// Asks for the rest of a stream, as often as it ends before the answer.
    fn resume(&mut self, id: &Value, mut incoming: Incoming) -> Outcome {
        for _ in 0..4 {
            let asked = incoming.retry.unwrap_or(1000) as f64 * self.patience;
            // A little more: the two clocks do not begin at once.
            self.wait(asked as u64 + 20);
            let mut get = self.outgoing("GET", "text/event-stream");
            get.add("Last-Event-ID", incoming.last_event.as_deref().unwrap_or_default());
            let (head, mut reader) = self.send(get).map_err(|error| error.to_string())?;
            incoming.status = head.word(1).parse().unwrap_or(0);
            for event in Events::new(head.body(&mut reader)) {
                self.take(event, &mut incoming);
                if incoming.answer(id).is_some() {
                    return incoming.result(id);
                }
            }
        }
        Err("the stream never came to the answer".to_owned())
    }

    /// Every page of a list.
    pub fn list(&mut self, method: &str, member: &str) -> Result<Vec<Value>, String> {
        let (mut items, mut cursor) = (Vec::new(), Value::Null);
        for _ in 0..100 {
            let params = if cursor.is_null() { json!({}) } else { json!({ "cursor": cursor }) };
            let page = self.call_method(method, params)?;
            items.extend(page[member].as_array().cloned().unwrap_or_default());
            cursor = page["nextCursor"].clone();
            if !cursor.is_string() {
                break;
            }
        }
        if member == "tools" {
            items.retain(is_valid);
            self.tools = items.iter().filter_map(called_by_name).collect();
        }
        Ok(items)
    }

    /// Calls a tool, and answers what it asks for within its results.
    pub fn call(&mut self, name: &str, arguments: Value) -> Outcome {
        let params = json!({ "name": name, "arguments": arguments });
        let mut result = self.call_method("tools/call", params.clone())?;
        for _ in 0..ROUNDS {
            match result["resultType"].as_str() {
                None | Some("complete") => return Ok(result),
                Some("task") if self.capabilities.get("extensions").is_some() => {
                    return self.follow(&result);
                }
                Some("input_required") => {}
                Some(unknown) => return Err(format!("a result of the type {unknown}")),
            }
            let next = self.next_round(&params, &result);
            result = self.call_method("tools/call", next)?;
        }
        Err("no end of rounds".to_owned())
    }

    /// The call that follows an interim result.
    pub fn next_round(&mut self, params: &Value, interim: &Value) -> Value {
        let mut next = params.clone();
        if let Some(state) = interim.get("requestState") {
            next["requestState"] = state.clone();
        }
        match interim["inputRequests"].as_object() {
            None => self.wait(400),
            Some(requests) => {
                for (key, request) in requests {
                    if let Ok(answer) = self.given(request) {
                        next["inputResponses"][key] = answer;
                    }
                    if request["params"]["mode"] == "url" && self.check().ends_with("-elicit-url") {
                        self.link(request["params"]["url"].as_str().unwrap_or_default());
                    }
                }
            }
        }
        next
    }

    /// Asks for the state of a task until it has ended, or cancels it.
    fn follow(&mut self, task: &Value) -> Outcome {
        let id = json!({ "taskId": task["taskId"] });
        let mut is_updated = false;
        for _ in 0..ROUNDS {
            let interval = task["pollIntervalMs"].as_u64().unwrap_or(500) as f64 * self.patience;
            self.wait(interval as u64 + 20);
            let state = self.call_method("tasks/get", id.clone())?;
            if self.check() == "client/task-cancel" {
                return self.call_method("tasks/cancel", id);
            }
            match state["status"].as_str() {
                Some("working") => {}
                // It may still say so when it has what it asked for.
                Some("input_required") if is_updated => {}
                Some("input_required") => {
                    self.update(&id, &state)?;
                    is_updated = true;
                }
                Some("completed") => return Ok(state["result"].clone()),
                _ => return Err(format!("the task is {}", state["status"])),
            }
        }
        Err("no end of the task".to_owned())
    }

    /// Gives a task what it asks for.
    fn update(&mut self, id: &Value, state: &Value) -> Result<(), String> {
        let mut params = id.clone();
        for (key, request) in state["inputRequests"].as_object().into_iter().flatten() {
            if let Ok(answer) = self.given(request) {
                params["inputResponses"][key] = answer;
            }
        }
        self.call_method("tasks/update", params).map(|_| ())
    }

    /// Opens the stream between requests and hears until `enough`.
    pub fn hear(&mut self, enough: impl Fn(&Value) -> bool) -> Outcome {
        let get = self.outgoing("GET", "text/event-stream");
        let (head, mut reader) = self.send(get).map_err(|error| error.to_string())?;
        let mut incoming = Incoming::default();
        for event in Events::new(head.body(&mut reader)) {
            self.take(event, &mut incoming);
            if let Some(message) = incoming.messages.iter().find(|message| enough(message)) {
                return Ok(message.clone());
            }
        }
        Err("nothing was heard".to_owned())
    }

    /// Gives a request up once it took `milliseconds` without an answer.
    pub fn give_up_after(&mut self, milliseconds: u64, name: &str) -> Value {
        let request = self.request("tools/call", json!({ "name": name, "arguments": {} }));
        let id = request["id"].clone();
        let post = self.post(request);
        // It is out before time begins to run, however busy the machine is.
        let asked = self.begin(post);
        self.wait(milliseconds);
        if !self.is_stateless() {
            self.cancel(&id);
        }
        drop(asked);
        id
    }

    /// Tells the server that a request is given up.
    pub fn cancel(&mut self, id: &Value) {
        let notice = json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
        });
        let post = self.post(notice);
        let _ = self.exchange(post);
    }
}

fn called_by_name(tool: &Value) -> Option<(String, Value)> {
    Some((tool["name"].as_str()?.to_owned(), tool["inputSchema"].clone()))
}

/// Whether a refusal names a version among those that are supported.
fn names(answer: &Value, version: &str) -> bool {
    let supported = answer["error"]["data"]["supported"].as_array();
    supported.is_some_and(|supported| supported.iter().any(|known| known == version))
}
