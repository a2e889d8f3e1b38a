//! `client`: how a script tells the built-in client what to do. The main type
//! is [`Client`].
//!
//! A script is synchronous: each operation blocks on the execution's own
//! runtime until it is done. What is begun in the background goes on whenever
//! the script waits for something. What it sends past the client stands in
//! `raw`.

mod raw;

mod by_hand;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use rhai::{Dynamic, Engine, EvalAltResult, FnPtr, Map};
use serde_json::{Value, json};

use super::action::json_value;
use super::blocking::{Background, Blocking};
use super::handler::Handlers;
use super::types::{a, type_word};
use super::value::{AsJson, List, from_json};
use crate::mcp::client::features::ClientFeature;
use crate::mcp::client::{
    Cancellation, Client as McpClient, ClientError, Endpoint, Eras, Operation, Options,
    StreamableHttp, Transport,
};
use crate::wire::HttpClient;

type Evaluated<T> = Result<T, Box<EvalAltResult>>;

/// How long a notification is waited for.
const NOTIFICATION_BOUND: Duration = Duration::from_secs(15);

/// The built-in client as scripts hold it. A clone is another handle.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    client: McpClient,
    transport: Arc<StreamableHttp>,
    http: Arc<dyn HttpClient>,
    endpoint: Endpoint,
    options: Options,
    blocking: Blocking,
    handlers: Handlers,
    /// Every client that the script made, this one included: all are closed at
    /// the end.
    all: Arc<Mutex<Vec<McpClient>>>,
    /// What clients of both eras found out, for the whole execution.
    eras: Eras,
    /// The bodies that the script sent by itself, past every client.
    raw: Arc<Mutex<Vec<Bytes>>>,
    /// What an external client would be told of its task.
    context: Arc<Value>,
}

impl Client {
    /// A client that sends through `http`, and whose handlers are functions of
    /// the script of `handlers`. `context` is what an external client would be
    /// told.
    pub fn new(
        http: Arc<dyn HttpClient>,
        endpoint: Endpoint,
        options: Options,
        blocking: Blocking,
        handlers: Handlers,
        context: Value,
    ) -> Self {
        let transport =
            Arc::new(StreamableHttp::new(http.clone(), endpoint.clone(), options.scale));
        let client = McpClient::new(transport.clone(), options.clone());
        let all = Arc::new(Mutex::new(vec![client.clone()]));
        let (eras, raw) = (Eras::default(), Arc::default());
        let context = Arc::new(context);
        Client(Arc::new(Inner {
            client,
            transport,
            http,
            endpoint,
            options,
            blocking,
            handlers,
            all,
            eras,
            raw,
            context,
        }))
    }

    /// The bodies that the script sent by itself (`send_raw`, `post`), in their
    /// order: they need not be valid messages.
    pub fn sent_raw(&self) -> Vec<Bytes> {
        self.0.raw.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Closes every connection that the script left open.
    ///
    /// # Errors
    /// The evaluation is to end.
    pub fn close_all(&self) -> Evaluated<()> {
        let clients: Vec<_> =
            self.0.all.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect();
        for client in clients {
            // How a connection ends is on the wire; there is nobody to tell.
            let _ = self.0.blocking.finish(client.close())?;
        }
        Ok(())
    }

    fn perform(&self, operation: Operation) -> Evaluated<Answer> {
        let never = Cancellation::new();
        self.0.blocking.wait(self.0.client.perform(operation, &never)).map(Answer::from)
    }

    fn begin(&self, operation: Operation) -> Evaluated<Pending> {
        let client = self.0.client.clone();
        let cancellation = Cancellation::new();
        let cancelled = cancellation.clone();
        let answer = self
            .0
            .blocking
            .begin(async move { Answer::from(client.perform(operation, &cancelled).await) })?;
        Ok(Pending { answer, cancellation })
    }

    fn another(&mut self) -> Client {
        self.beside(self.0.options.clone(), McpClient::new)
    }

    /// Another client, which accepts what `policy` says: `#{ versions, required,
    /// optional }`; what is left out is as in the profile.
    fn with_policy(&mut self, policy: Map) -> Evaluated<Client> {
        let mut options = self.0.options.clone();
        let mut written = json!(options.policy);
        if let (Some(written), Value::Object(said)) =
            (written.as_object_mut(), json_value(&policy.into())?)
        {
            written.extend(said);
        }
        options.policy = serde_json::from_value(written)
            .map_err(|error| format!("this is no policy: {error}"))?;
        options.revision = options.policy.asked_for(options.revision);
        Ok(self.beside(options, McpClient::new))
    }

    fn dual_era(&mut self) -> Client {
        let eras = self.0.eras.clone();
        self.beside(self.0.options.clone(), |transport, options| {
            McpClient::of_both_eras(transport, options, eras)
        })
    }

    /// A client with a connection of its own, which `make` makes; it shares
    /// everything else with this one.
    fn beside(
        &self,
        options: Options,
        make: impl FnOnce(Arc<dyn Transport>, Options) -> McpClient,
    ) -> Client {
        let (http, endpoint) = (self.0.http.clone(), self.0.endpoint.clone());
        let transport = Arc::new(StreamableHttp::new(http, endpoint, options.scale));
        let client = make(transport.clone(), options.clone());
        self.0.all.lock().unwrap_or_else(PoisonError::into_inner).push(client.clone());
        self.with(client, transport, options)
    }

    /// A handle to `client`, which was made with `transport` and `options`; it
    /// shares everything else with this one.
    fn with(&self, client: McpClient, transport: Arc<StreamableHttp>, options: Options) -> Client {
        let Inner { http, endpoint, blocking, handlers, all, eras, raw, context, .. } = &*self.0;
        Client(Arc::new(Inner {
            client,
            transport,
            http: http.clone(),
            endpoint: endpoint.clone(),
            options,
            blocking: blocking.clone(),
            handlers: handlers.clone(),
            all: all.clone(),
            eras: eras.clone(),
            raw: raw.clone(),
            context: context.clone(),
        }))
    }

    /// Answers what the server asks of a feature; the map is what is declared
    /// of it.
    fn handle(
        &self,
        feature: ClientFeature,
        declared: Option<Map>,
        handler: FnPtr,
    ) -> Evaluated<()> {
        let declared = declared.map(|map| json_value(&map.into())).transpose()?;
        let handler = self.0.handlers.of_client(handler, feature, self.0.options.scale);
        self.0.client.handle(feature, declared, handler).map_err(|error| error.message.into())
    }

    fn wait_for(&mut self, method: &str) -> Evaluated<Dynamic> {
        let wait = self.0.client.wait_for_notification(method, NOTIFICATION_BOUND);
        let found = self.0.blocking.wait(wait)?;
        Ok(found.map_or_else(|| Dynamic::from(super::value::Absent), |message| from_json(&message)))
    }
}

/// What an operation came to.
///
/// The error is a map: `kind`, `message`, and whatever facts are known.
#[derive(Clone, Debug)]
pub struct Answer(Result<Value, Value>);

impl From<Result<Value, ClientError>> for Answer {
    fn from(result: Result<Value, ClientError>) -> Self {
        Answer(result.map_err(|error| {
            let mut members = error.details();
            members.insert("kind".into(), error.kind.as_str().into());
            members.insert("message".into(), error.message.as_str().into());
            Value::Object(members)
        }))
    }
}

impl Answer {
    /// Why it failed, as scripts read it; `()` if it succeeded.
    fn error(&self) -> Dynamic {
        self.0.as_ref().err().map_or(Dynamic::UNIT, from_json)
    }

    /// The answer that [`AsJson`] writes like this: `#{ ok: true, value }` or
    /// `#{ ok: false, error }`.
    pub(super) fn from_json(mut json: Value) -> Self {
        if json["ok"] == true {
            Answer(Ok(json["value"].take()))
        } else {
            Answer(Err(json["error"].take()))
        }
    }
}

/// Whether a value is the answer of an operation that failed.
pub fn is_failed_answer(value: &Dynamic) -> bool {
    value.read_lock::<Answer>().is_some_and(|answer| answer.0.is_err())
}

impl AsJson for Answer {
    fn as_json(&self) -> Value {
        match &self.0 {
            Ok(value) => json!({ "ok": true, "value": value }),
            Err(error) => json!({ "ok": false, "error": error }),
        }
    }
}

/// An operation in the background. A clone is another handle.
#[derive(Clone)]
pub struct Pending {
    answer: Background<Answer>,
    cancellation: Cancellation,
}

/// The operation of an API name, with the arguments that a script gave it.
fn operation(name: &str, arguments: &[Dynamic]) -> Evaluated<Operation> {
    let text = |index: usize| -> Evaluated<String> {
        let argument = arguments.get(index).cloned().unwrap_or_default();
        argument.into_string().map_err(|found| {
            format!("argument {} of {name} is a string, not {}", index + 1, a(&type_word(found)))
                .into()
        })
    };
    let value = |index: usize| -> Evaluated<Option<Value>> {
        arguments.get(index).filter(|value| !value.is_unit()).map(json_value).transpose()
    };
    let required = |index: usize| -> Evaluated<Value> {
        value(index)?.ok_or_else(|| format!("{name} takes more arguments").into())
    };
    let (most, operation) = match name {
        "list_tools" => (0, Operation::ListTools),
        "call_tool" => (2, Operation::CallTool { name: text(0)?, arguments: value(1)? }),
        "list_resources" => (0, Operation::ListResources),
        "list_resource_templates" => (0, Operation::ListResourceTemplates),
        "read_resource" => (1, Operation::ReadResource { uri: text(0)? }),
        "subscribe_resource" => (1, Operation::SubscribeResource { uri: text(0)? }),
        "unsubscribe_resource" => (1, Operation::UnsubscribeResource { uri: text(0)? }),
        "list_prompts" => (0, Operation::ListPrompts),
        "get_prompt" => (2, Operation::GetPrompt { name: text(0)?, arguments: value(1)? }),
        "complete" => {
            let (reference, argument) = (required(0)?, required(1)?);
            (3, Operation::Complete { reference, argument, context: value(2)? })
        }
        "set_logging_level" => (1, Operation::SetLoggingLevel { level: text(0)? }),
        "ping" => (0, Operation::Ping),
        "discover" => (0, Operation::Discover),
        "get_task" => (1, Operation::GetTask { id: text(0)? }),
        "cancel_task" => (1, Operation::CancelTask { id: text(0)? }),
        "update_task" => (2, Operation::UpdateTask { id: text(0)?, responses: required(1)? }),
        other => {
            let near =
                crate::check::nearest::nearest(other, OPERATIONS.iter().map(|(name, _)| *name));
            let hint = near.first().map(|near| format!("; did you mean `{near}`?"));
            return Err(
                format!("there is no operation `{other}`{}", hint.unwrap_or_default()).into()
            );
        }
    };
    if arguments.len() > most {
        return Err(format!("{name} takes at most {most} arguments").into());
    }
    Ok(operation)
}

/// What a server can ask, by the function that registers a handler for it.
const FEATURES: [(&str, ClientFeature); 3] = [
    ("on_elicitation", ClientFeature::Elicitation),
    ("on_roots", ClientFeature::Roots),
    ("on_sampling", ClientFeature::Sampling),
];

/// Every operation by its name, with the least and the most arguments it takes.
const OPERATIONS: [(&str, std::ops::RangeInclusive<usize>); 16] = [
    ("list_tools", 0..=0),
    ("call_tool", 1..=2),
    ("list_resources", 0..=0),
    ("list_resource_templates", 0..=0),
    ("read_resource", 1..=1),
    ("subscribe_resource", 1..=1),
    ("unsubscribe_resource", 1..=1),
    ("list_prompts", 0..=0),
    ("get_prompt", 1..=2),
    ("complete", 2..=3),
    ("set_logging_level", 1..=1),
    ("ping", 0..=0),
    ("discover", 0..=0),
    ("get_task", 1..=1),
    ("cancel_task", 1..=1),
    ("update_task", 2..=2),
];

/// Registers `client`, its answers and its operations in the background.
pub(super) fn register(engine: &mut Engine) {
    engine.register_type_with_name::<Client>("Client");
    raw::register(engine);
    for (name, counts) in OPERATIONS {
        for count in counts {
            match count {
                0 => engine.register_fn(name, move |client: &mut Client| {
                    client.perform(operation(name, &[])?)
                }),
                1 => engine.register_fn(name, move |client: &mut Client, first: Dynamic| {
                    client.perform(operation(name, &[first])?)
                }),
                2 => engine.register_fn(
                    name,
                    move |client: &mut Client, first: Dynamic, second: Dynamic| {
                        client.perform(operation(name, &[first, second])?)
                    },
                ),
                _ => engine.register_fn(
                    name,
                    move |client: &mut Client, first: Dynamic, second: Dynamic, third: Dynamic| {
                        client.perform(operation(name, &[first, second, third])?)
                    },
                ),
            };
        }
    }
    for (name, feature) in FEATURES {
        engine
            .register_fn(name, move |client: &mut Client, handler: FnPtr| {
                client.handle(feature, None, handler)
            })
            .register_fn(name, move |client: &mut Client, declared: Map, handler: FnPtr| {
                client.handle(feature, Some(declared), handler)
            });
    }
    engine
        .register_fn("roots_changed", |client: &mut Client| -> Evaluated<Answer> {
            let told = client.0.blocking.wait(client.0.client.roots_changed())?;
            Ok(told.map(|()| Value::Null).into())
        })
        .register_fn("listen", |client: &mut Client| -> Evaluated<Answer> {
            client.0.blocking.wait(client.0.client.listen(None)).map(Answer::from)
        })
        .register_fn("listen", |client: &mut Client, filter: Map| -> Evaluated<Answer> {
            let filter = json_value(&filter.into())?;
            client.0.blocking.wait(client.0.client.listen(Some(filter))).map(Answer::from)
        })
        .register_fn("with_progress", |client: &mut Client| {
            let (transport, options) = (client.0.transport.clone(), client.0.options.clone());
            client.with(client.0.client.with_progress(), transport, options)
        })
        .register_fn("connect", |client: &mut Client| -> Evaluated<Answer> {
            client.0.blocking.wait(client.0.client.connect()).map(Answer::from)
        })
        .register_fn("close", |client: &mut Client| -> Evaluated<Answer> {
            let closed = client.0.blocking.wait(client.0.client.close())?;
            Ok(closed.map(|()| Value::Null).into())
        })
        .register_fn("begin", |client: &mut Client, name: &str| client.begin(operation(name, &[])?))
        .register_fn("begin", |client: &mut Client, name: &str, first: Dynamic| {
            client.begin(operation(name, &[first])?)
        })
        .register_fn("begin", |client: &mut Client, name: &str, first: Dynamic, second: Dynamic| {
            client.begin(operation(name, &[first, second])?)
        })
        .register_fn("wait", |client: &mut Client, milliseconds: i64| {
            client.0.blocking.pause(milliseconds)
        })
        .register_fn("wait_for", Client::wait_for)
        .register_fn("another", Client::another)
        .register_fn("dual_era", Client::dual_era)
        .register_fn("with_policy", Client::with_policy)
        .register_fn("accept_tasks", |client: &mut Client| -> Evaluated<()> {
            client.0.client.take_tasks().map_err(|error| error.message.into())
        })
        .register_get("url", |client: &mut Client| client.0.endpoint.url.to_string())
        .register_get("has_handshake", |client: &mut Client| {
            client.0.options.revision.has_handshake()
        })
        .register_get("revision", |client: &mut Client| client.0.options.revision.as_str())
        .register_get("context", |client: &mut Client| from_json(&client.0.context))
        .register_get("notifications", |client: &mut Client| -> List {
            client.0.client.notifications().iter().map(from_json).collect()
        })
        .register_get("rejected_tools", |client: &mut Client| -> List {
            let rejected = client.0.client.rejected_tools();
            let described =
                rejected.iter().map(|(name, reason)| json!({ "name": name, "reason": reason }));
            described.map(|tool| from_json(&tool)).collect()
        })
        .register_get("metadata", |client: &mut Client| {
            from_json(&client.0.client.request_metadata())
        })
        .register_get("enabled_capabilities", |client: &mut Client| -> List {
            let enabled = client.0.client.enabled_capabilities();
            enabled.iter().map(|path| from_json(&json!(path))).collect()
        })
        .register_get("stages", |client: &mut Client| -> List {
            client.0.client.stages().iter().map(|stage| from_json(&json!(stage.as_str()))).collect()
        })
        .register_get("session_id", |client: &mut Client| {
            client.0.client.session_id().map_or(Dynamic::UNIT, Dynamic::from)
        })
        .register_get("protocol_version", |client: &mut Client| {
            client.0.client.protocol_version().map_or(Dynamic::UNIT, Dynamic::from)
        });
    engine
        .register_type_with_name::<Answer>("Answer")
        .register_get("ok", |answer: &mut Answer| answer.0.is_ok())
        .register_get("value", |answer: &mut Answer| {
            answer.0.as_ref().map_or(Dynamic::UNIT, from_json)
        })
        .register_get("error", |answer: &mut Answer| answer.error())
        .register_get("text", |answer: &mut Answer| match &answer.0 {
            Ok(value) => from_json(&value["content"][0]["text"]),
            Err(_) => Dynamic::UNIT,
        })
        .register_fn("to_string", |answer: &mut Answer| answer.as_json().to_string());
    by_hand::register(engine);
    engine
        .register_type_with_name::<Pending>("Pending")
        .register_fn("cancel", |pending: &mut Pending| pending.cancellation.cancel())
        .register_fn("result", |pending: &mut Pending| pending.answer.wait());
}
