//! An MCP client on the official Rust SDK, with no behaviour of its own on the
//! wire: it looks up the task of its scenario and leaves the rest to the SDK.
//!
//! ```text
//! MCP_CONFORMANCE_SCENARIO          which task; a task not known is `list_and_replay`
//! MCP_CONFORMANCE_PROTOCOL_VERSION  the revision to ask for
//! MCP_CONFORMANCE_CONTEXT           JSON; `toolCalls` are made as they stand there,
//!                                   `elicitation`, `sampling` and `roots` are answered
//! the last argument                 the URL of the server
//! ```

// Roots, sampling and logging are deprecated from 2026-07-28 on, and are what
// earlier revisions have.
#![allow(deprecated)]

use std::env;
use std::error::Error;
use std::sync::Mutex;
use std::time::Duration;

use rmcp::model::*;
use rmcp::service::{NotificationContext, PeerRequestOptions, RequestContext, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, RoleClient};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

type Client = RunningService<RoleClient, User>;
type Done<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// Who sits before the client: decides, answers and hears.
struct User {
    info: ClientConfig,
    context: Value,
    roots: Mutex<Value>,
    shown: mpsc::UnboundedSender<String>,
    heard: mpsc::UnboundedSender<(&'static str, Value)>,
}

/// What a person would type into a form, by the name of the field.
fn usual(field: &str) -> Option<Value> {
    Some(match field {
        "attendees" => json!(6),
        "catering" => json!("coffee"),
        "confirmed" => json!(true),
        "name" => json!("octocat"),
        "org" => json!("acme"),
        "region" => json!("eu-west"),
        "email" => json!("ops@example.com"),
        _ => return None,
    })
}

/// What was not declared is answered as the SDK does by itself: `()` is its
/// handler without a user.
impl ClientHandler for User {
    fn get_info(&self) -> ClientConfig {
        self.info.clone()
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        if self.info.capabilities.elicitation.is_none() {
            return ().create_elicitation(params, context).await;
        }
        let said = &self.context["elicitation"];
        let action = match said["action"].as_str() {
            Some("decline") => ElicitationAction::Decline,
            Some("cancel") => ElicitationAction::Cancel,
            _ => ElicitationAction::Accept,
        };
        let form = match params {
            ElicitRequestParams::FormElicitationParams { requested_schema, .. } => requested_schema,
            ElicitRequestParams::UrlElicitationParams { url, .. } => {
                let _ = self.shown.send(url);
                return Ok(ElicitResult::new(action));
            }
            _ => return Err(ErrorData::invalid_params("neither a form nor a URL", None)),
        };
        if action != ElicitationAction::Accept {
            return Ok(ElicitResult::new(action));
        }
        let mut content = JsonObject::new();
        for (field, schema) in &form.properties {
            let schema = serde_json::to_value(schema).unwrap_or_default();
            let answers = [said["content"].get(field), schema.get("default")];
            let answer = answers.into_iter().flatten().next().cloned().or_else(|| usual(field));
            content.extend(answer.map(|answer| (field.clone(), answer)));
        }
        Ok(ElicitResult::new(action).with_content(Value::Object(content)))
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        if self.info.capabilities.sampling.is_none() {
            return ().create_message(params, context).await;
        }
        let said = &self.context["sampling"];
        if said["rejected"] == true {
            return Err(ErrorData::new(ErrorCode(-1), "User rejected sampling request", None));
        }
        serde_json::from_value(said.clone())
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    async fn list_roots(
        &self,
        context: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        if self.info.capabilities.roots.is_none() {
            return ().list_roots(context).await;
        }
        let roots = self.roots.lock().map(|roots| roots[0].clone()).unwrap_or_default();
        serde_json::from_value(json!({ "roots": roots }))
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let _ = self.heard.send(("notifications/message", params.data));
    }

    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let _ = self.heard.send(("notifications/resources/updated", json!(params.uri)));
    }
}

/// What the user was shown and what was heard, in the order in which it came.
struct Inbox {
    shown: mpsc::UnboundedReceiver<String>,
    heard: mpsc::UnboundedReceiver<(&'static str, Value)>,
}

impl Inbox {
    /// The next notification of a method; without a stream none comes.
    async fn heard(&mut self, method: &str) -> Done<Value> {
        loop {
            let next = timeout(Duration::from_secs(10), self.heard.recv()).await;
            match next.map_err(|_| format!("no {method} within 10 seconds"))? {
                Some((told, value)) if told == method => return Ok(value),
                Some(_) => {}
                None => return Err("the connection is closed".into()),
            }
        }
    }
}

fn params(name: &str, arguments: Value) -> CallToolRequestParams {
    let params = CallToolRequestParams::new(name.to_owned());
    match arguments {
        Value::Object(arguments) => params.with_arguments(arguments),
        _ => params,
    }
}

async fn call(client: &Client, name: &str, arguments: Value) -> Done<String> {
    let result = client.call_tool(params(name, arguments)).await?;
    Ok(result
        .content
        .iter()
        .find_map(|block| block.as_text())
        .map_or_else(String::new, |text| text.text.clone()))
}

/// Calls a tool that takes one argument, whatever that argument is called.
async fn tell(client: &Client, name: &str, value: &str) -> Done<String> {
    let tools = client.list_all_tools().await?;
    let tool = tools.iter().find(|tool| tool.name == name).ok_or("the tool is not listed")?;
    let properties = tool.input_schema.get("properties").and_then(Value::as_object);
    let field = properties.and_then(|all| all.keys().next()).ok_or("it takes no argument")?;
    call(client, name, json!({ field: value })).await
}

async fn list_and_replay(client: &Client, context: &Value) -> Done {
    client.list_all_tools().await?;
    for one in context["toolCalls"].as_array().into_iter().flatten() {
        call(client, one["name"].as_str().unwrap_or_default(), one["arguments"].clone()).await?;
    }
    Ok(())
}

async fn read(client: &Client, uri: &str) -> Done<String> {
    let result = client.read_resource(ReadResourceRequestParams::new(uri)).await?;
    match result.contents.first() {
        Some(ResourceContents::TextResourceContents { text, .. }) => Ok(text.clone()),
        _ => Err("the resource has no text".into()),
    }
}

/// Reads the resource of a name, which is looked up in the list.
async fn read_named(client: &Client, name: &str) -> Done<String> {
    let resources = client.list_all_resources().await?;
    let named = resources.iter().find(|resource| resource.name == name);
    read(client, &named.ok_or("the resource is not listed")?.uri).await
}

async fn prompt(client: &Client, name: &str, arguments: Value) -> Done<String> {
    let mut params = GetPromptRequestParams::new(name);
    params.arguments = arguments.as_object().cloned();
    let result = client.get_prompt(params).await?;
    let content = result.messages.first().map(|message| &message.content);
    Ok(content.and_then(|content| content.as_text()).ok_or("the prompt has no text")?.text.clone())
}

/// What a browser does with the page behind a URL: reads the code on it and enters it.
async fn enter_code(page: String) -> Done {
    let text = reqwest::get(&page).await?.text().await?;
    let code = text.split_once("The code is ").map_or("", |(_, rest)| rest);
    let code = code.split(|c: char| !c.is_alphanumeric() && c != '-').next().unwrap_or_default();
    let form = reqwest::Client::new()
        .post(&page)
        .header("content-type", "application/x-www-form-urlencoded");
    form.body(format!("code={code}")).send().await?;
    Ok(())
}

/// Asks for a task until `goes_on` has enough of its states, as often as the server allows.
async fn poll(client: &Client, task: Task, mut goes_on: impl FnMut(&DetailedTask) -> bool) -> Done {
    let mut pause = task.poll_interval_ms;
    loop {
        sleep(Duration::from_millis(pause.unwrap_or(500))).await;
        let now = client.get_task(GetTaskParams::new(&task.task_id)).await?.task;
        if !goes_on(&now) {
            return Ok(());
        }
        pause = now.task.poll_interval_ms;
    }
}

/// Makes the one call of the context, which becomes a task.
async fn task_of(client: &Client, context: &Value) -> Done<Task> {
    let one = &context["toolCalls"][0];
    let call = params(one["name"].as_str().unwrap_or_default(), one["arguments"].clone());
    match client.call_tool_once(call).await? {
        CallToolResponse::Task(created) => Ok(created.task),
        _ => Err("the call did not become a task".into()),
    }
}

async fn do_task(client: &Client, inbox: &mut Inbox, scenario: &str, context: &Value) -> Done {
    match scenario {
        "client/tool-call-basic" | "client/stateless-tool-call" => {
            call(client, "add", json!({ "a": 17, "b": 25 })).await?;
        }
        "client/session-echo" | "connection/session" => {
            for message in ["alpha", "bravo"] {
                call(client, "echo", json!({ "message": message })).await?;
            }
        }
        "client/session-recovery" => {
            for id in ["r-100", "r-200"] {
                tell(client, "fetch_record", id).await?;
            }
        }
        "client/protocol-version-header" => {
            tell(client, "lookup", "idempotent").await?;
        }
        "client/no-batching" => {
            for n in [4, 7, 12] {
                call(client, "square", json!({ "n": n })).await?;
            }
        }
        "client/sse-response" | "client/stateless-sse-response" => {
            let word = call(client, "slow_word", json!({})).await?;
            tell(client, "report_word", &word).await?;
        }
        // Hands on what a tool says.
        "say-word" => {
            let word = call(client, "word", json!({})).await?;
            call(client, "say", json!({ "text": word })).await?;
        }
        "client/drop-stream-mid-call" => {
            call(client, "generate_report", json!({})).await?;
        }
        "client/stalled-tool" => {
            let stalled = ClientRequest::CallToolRequest(CallToolRequest::new(params(
                "process_data",
                json!({}),
            )));
            let options = PeerRequestOptions::with_timeout(Duration::from_secs(2));
            // It never answers; the task is to go on.
            let _ = client.send_request_with_option(stalled, options).await?.await_response().await;
            call(client, "get_status", json!({})).await?;
        }
        "client/resources-read" | "client/stateless-resources" => {
            tell(client, "report", &read_named(client, "Deployment Runbook").await?).await?;
        }
        "client/prompts-get" | "client/stateless-prompts" => {
            client.list_all_prompts().await?;
            let text = prompt(client, "release_notes", json!({ "version": "2.4.1" })).await?;
            tell(client, "report", &text).await?;
        }
        "client/composite" => {
            let text = prompt(client, "release_report", Value::Null).await?;
            let form = text.split_whitespace().find(|word| word.starts_with("VERSION/FIXES"));
            let mut form = form.ok_or("the prompt shows no form")?.trim_end_matches(',').to_owned();
            let values: Value = serde_json::from_str(&read(client, "docs://changelog").await?)?;
            for field in ["version", "fixes", "features"] {
                form = form
                    .replace(&field.to_uppercase(), values[field].to_string().trim_matches('"'));
            }
            tell(client, "publish_report", &form).await?;
        }
        "client/stateless-composite" => {
            client.list_all_prompts().await?;
            prompt(client, "release_report", Value::Null).await?;
            let values: Value = serde_json::from_str(&read_named(client, "Changelog").await?)?;
            let version = values["version"].as_str().unwrap_or_default();
            tell(client, "publish_report", &format!("{version}:{}", values["changes"])).await?;
        }
        "client/discover-instructions" => {
            let told = client.peer_info().and_then(|server| server.instructions.clone());
            let told = told.ok_or("the server gave no instructions")?;
            let passphrase = told.rsplit(' ').next().unwrap_or_default();
            tell(client, "unlock_vault", passphrase).await?;
        }
        "client/header-mirroring" => {
            let words: Value = serde_json::from_str(&read_named(client, "config").await?)?;
            client.list_all_tools().await?;
            call(client, "traducteur-météo", words).await?;
            prompt(client, "greeting", Value::Null).await?;
        }
        // A user who does not know better tries every tool that is listed.
        "client/param-headers" => {
            for tool in client.list_all_tools().await? {
                let arguments =
                    json!({ "query": "SELECT 1", "region": "us-west1", "comment": "été 2026" });
                call(client, &tool.name, arguments).await?;
            }
        }
        "client/elicit-url" => {
            call(client, "link_account", json!({})).await?;
            enter_code(inbox.shown.recv().await.ok_or("no URL was shown")?).await?;
        }
        "client/mrtr-no-state" => {
            let ca = call(client, "get_ca_info", json!({})).await?;
            let wanted = json!({ "ca": ca, "domain": "demo.example.com" });
            call(client, "request_certificate", wanted).await?;
            call(client, "get_ca_info", json!({})).await?;
        }
        // The call goes on while the user is in the browser.
        "client/mrtr-elicit-url" => {
            let browser =
                async { enter_code(inbox.shown.recv().await.ok_or("no URL was shown")?).await };
            tokio::try_join!(call(client, "link_account", json!({})), browser)?;
        }
        "client/task-polling" => {
            let task = task_of(client, context).await?;
            poll(client, task, |now| !now.status().is_terminal()).await?;
        }
        "client/task-cancel" => {
            let task = task_of(client, context).await?;
            poll(client, task.clone(), |_| false).await?;
            client.cancel_task(CancelTaskParams::new(task.task_id)).await?;
        }
        "client/get-stream" => {
            let word = inbox.heard("notifications/message").await?;
            tell(client, "report_word", word.as_str().unwrap_or_default()).await?;
        }
        "stream/listen" => {
            inbox.heard("notifications/message").await?;
            list_and_replay(client, context).await?;
        }
        "resources/subscribe" => {
            let uri = "memo://greeting";
            client.subscribe(SubscribeRequestParams::new(uri)).await?;
            let changed = inbox.heard("notifications/resources/updated").await?;
            read(client, changed.as_str().unwrap_or_default()).await?;
            client.unsubscribe(UnsubscribeRequestParams::new(uri)).await?;
        }
        "roots/list" => {
            call(client, "survey", json!({})).await?;
            if let Some(roots) =
                client.service().roots.lock().map_err(|_| "poisoned")?.as_array_mut()
            {
                roots.remove(0);
            }
            client.notify_roots_list_changed().await?;
            call(client, "survey", json!({})).await?;
        }
        // The SDK asks for progress of every request.
        "utilities/progress" => {
            let dig = |depth| call(client, "dig", json!({ "depth": depth }));
            tokio::try_join!(dig(1), dig(2))?;
        }
        "tools/multi-step" => while call(client, "next_step", json!({})).await? != "done" {},
        _ => list_and_replay(client, context).await?,
    }
    Ok(())
}

/// What the context needs an answer to is what is declared.
fn capabilities(scenario: &str, context: &Value) -> Value {
    let mut declared = json!({});
    if !context["elicitation"].is_null() || scenario.contains("elicit") || scenario.contains("mrtr")
    {
        declared["elicitation"] = json!({});
        let modes = context["elicitation"]["modes"].as_array().cloned();
        for mode in modes.unwrap_or_else(|| vec![json!("form"), json!("url")]) {
            declared["elicitation"][mode.as_str().unwrap_or_default()] = json!({});
        }
    }
    if !context["sampling"].is_null() {
        declared["sampling"] = json!({});
    }
    if !context["roots"].is_null() {
        declared["roots"] = json!({ "listChanged": true });
    }
    if scenario.starts_with("client/task-") {
        declared["extensions"] = json!({ TASKS_EXTENSION_ID: {} });
    }
    declared
}

async fn run(scenario: &str) -> Done {
    let url = env::args().last().unwrap_or_default();
    let context: Value =
        serde_json::from_str(&env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or("{}".into()))?;
    let wanted = env::var("MCP_CONFORMANCE_PROTOCOL_VERSION").unwrap_or("2025-11-25".into());
    let wanted: ProtocolVersion = serde_json::from_value(json!(wanted))?;
    let lifecycle = if wanted.has_initialize() {
        ClientLifecycleMode::Initialize
    } else {
        ClientLifecycleMode::Auto { preferred_versions: vec![wanted.clone()], legacy_version: None }
    };
    let info = ClientConfig::new(
        serde_json::from_value(capabilities(scenario, &context))?,
        Implementation::new("mcp-checks-rust", "1.0.0"),
    );
    let (shown, seen) = mpsc::unbounded_channel();
    let (heard, told) = mpsc::unbounded_channel();
    let mut inbox = Inbox { shown: seen, heard: told };
    let user = User {
        info: info.with_protocol_version(wanted),
        context: context.clone(),
        roots: Mutex::new(context["roots"].clone()),
        shown,
        heard,
    };
    let transport = StreamableHttpClientTransport::from_uri(url);
    let client = user.serve_with_lifecycle(transport, lifecycle).await?;
    let done = do_task(&client, &mut inbox, scenario, &context).await;
    client.cancel().await?;
    done
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let scenario = env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    if let Err(error) = run(&scenario).await {
        eprintln!("{}: {error}", if scenario.is_empty() { "list" } else { &scenario });
        std::process::exit(1);
    }
}
