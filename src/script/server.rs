//! `server`: how a script says what the double does. The main type is
//! [`Server`].

mod functions;
mod schema;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use rhai::{Array, Dynamic, FnPtr, Map};
use serde_json::{Map as Members, Value, json};

pub(super) use self::functions::declare;

use self::schema::{input_schema, members, whole_schema};
use super::action::{Meaning, duration, json_value};
use super::api::{Evaluated, ScriptType};
use super::handler::Handlers;
use super::origin::{OriginHandle, ScriptedOrigin};
use super::types::{a, type_word};
use super::value::from_json;
use crate::mcp::negotiation::CapabilityPath;
use crate::mcp::server::{
    Action, Behaviour, Call, Handler, Prompt, Resource, ScriptedServer, Tool,
};
use crate::wire::double::Double;

/// The name of the origin that the MCP endpoint belongs to.
pub const SERVER_ORIGIN: &str = "server";

/// The path of the MCP endpoint.
pub const ENDPOINT_PATH: &str = "/mcp";

/// The authority by which the double knows the origin of this name, wherever
/// it can be reached.
pub fn authority(name: &str) -> String {
    format!("{name}.test")
}

/// Where the origins of a double can be reached.
pub trait Addresses: Send + Sync {
    /// The base URL of the origin of this name, such as `http://server.test`;
    /// the same name has the same URL for one execution.
    ///
    /// # Errors
    /// Why there can be no such origin.
    fn base_url(&self, name: &str) -> std::io::Result<String>;
}

/// The scripted far side as scripts hold it. A clone is another handle.
#[derive(Clone)]
pub struct Server(Arc<Inner>);

struct Inner {
    scripted: Arc<ScriptedServer>,
    double: Arc<Double>,
    addresses: Arc<dyn Addresses>,
    handlers: Handlers,
    base_url: String,
    said: Mutex<Said>,
}

/// What a script said that is no answer to the client.
#[derive(Default)]
struct Said {
    notes: Map,
    context: Map,
    origins: BTreeMap<String, Arc<ScriptedOrigin>>,
}

impl ScriptType for Server {
    const NAME: &'static str = "Server";
}

impl Server {
    /// A server of this behaviour, which `double` plays from now on.
    ///
    /// # Errors
    /// If its origin cannot be had.
    pub fn new(
        behaviour: Behaviour,
        double: Arc<Double>,
        addresses: Arc<dyn Addresses>,
        handlers: Handlers,
    ) -> std::io::Result<Self> {
        let base_url = addresses.base_url(SERVER_ORIGIN)?;
        let scripted = Arc::new(ScriptedServer::new(behaviour));
        let server = Server(Arc::new(Inner {
            scripted: scripted.clone(),
            double,
            addresses,
            handlers,
            base_url: base_url.clone(),
            said: Mutex::default(),
        }));
        let origin = ScriptedOrigin::of_server(base_url, server.0.handlers.clone(), scripted);
        server.add_origin(SERVER_ORIGIN, Arc::new(origin));
        Ok(server)
    }

    /// The URL of the MCP endpoint.
    pub fn url(&self) -> String {
        format!("{}{ENDPOINT_PATH}", self.0.base_url)
    }

    /// What the script noted.
    pub fn notes(&self) -> Map {
        self.said().notes.clone()
    }

    /// The bytes that the double sent as the script wrote them.
    pub fn sent_verbatim(&self) -> Vec<Bytes> {
        self.0.scripted.sent_verbatim()
    }

    /// What an external client is told.
    pub fn context(&self) -> Map {
        self.said().context.clone()
    }

    /// The base URL and the name of every origin, for writing URLs by name.
    pub fn origins(&self) -> Vec<(String, String)> {
        let said = self.said();
        said.origins.iter().map(|(name, origin)| (origin.url().to_owned(), name.clone())).collect()
    }

    fn said(&self) -> MutexGuard<'_, Said> {
        self.0.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add_origin(&self, name: &str, origin: Arc<ScriptedOrigin>) {
        self.0.double.add(authority(name), origin.clone());
        self.said().origins.insert(name.to_owned(), origin);
    }

    fn origin(&mut self, name: &str) -> Evaluated<OriginHandle> {
        if let Some(origin) = self.said().origins.get(name) {
            return Ok(OriginHandle::new(origin.clone()));
        }
        let base_url = self
            .0
            .addresses
            .base_url(name)
            .map_err(|error| format!("there can be no origin `{name}`: {error}"))?;
        let revision = self.0.scripted.revision();
        let origin = ScriptedOrigin::new(base_url, self.0.handlers.clone(), revision);
        let origin = Arc::new(origin);
        self.add_origin(name, origin.clone());
        Ok(OriginHandle::new(origin))
    }

    /// A handler that hands `function` what `arguments` makes of a call, and
    /// after it this server. A handler that captured the server instead would
    /// be a data race while it is registered, and would keep the server alive
    /// for ever.
    fn handler(
        &self,
        function: FnPtr,
        arguments: fn(&Call<'_>) -> Vec<Dynamic>,
        meaning: Meaning,
    ) -> Handler {
        let handlers = self.0.handlers.clone();
        let server = Arc::downgrade(&self.0);
        Arc::new(move |call| {
            let mut arguments = arguments(call);
            arguments.extend(server.upgrade().map(|inner| Dynamic::from(Server(inner))));
            handlers.act(&function, arguments, &meaning)
        })
    }

    /// A handler that gets the URI and answers for it.
    fn resource_handler(&self, function: FnPtr) -> Handler {
        let handlers = self.0.handlers.clone();
        Arc::new(move |call| {
            let uri = call.params()["uri"].as_str().unwrap_or_default().to_owned();
            let arguments = vec![uri.clone().into(), from_json(call.message)];
            handlers.act(&function, arguments, &Meaning::Resource(uri))
        })
    }

    fn tool(&mut self, name: &str, schema: &Map, handler: FnPtr) -> Evaluated<()> {
        let definition = members(json!({ "name": name, "inputSchema": input_schema(schema)? }));
        self.define_tool(definition, handler);
        Ok(())
    }

    fn tool_from_map(&mut self, definition: Map, handler: FnPtr) -> Evaluated<()> {
        let mut definition = members(json_value(&definition.into())?);
        if !definition.get("name").is_some_and(Value::is_string) {
            return Err("a tool's definition has a `name`, a string".into());
        }
        let schema = definition.entry("inputSchema").or_insert_with(|| json!({}));
        if let Value::Object(short) = schema {
            *schema = whole_schema(std::mem::take(short))?;
        }
        self.define_tool(definition, handler);
        Ok(())
    }

    fn define_tool(&self, definition: Members<String, Value>, handler: FnPtr) {
        let handler = self.handler(handler, arguments_of, Meaning::Tool);
        self.0.scripted.tool(Tool { definition, handler });
    }

    fn resource(&mut self, uri: &str, definition: Map, handler: Option<FnPtr>) -> Evaluated<()> {
        let mut definition = members(json_value(&definition.into())?);
        let mut content = json!({ "uri": uri });
        for member in ["text", "blob"] {
            if let Some(value) = definition.remove(member) {
                content[member] = value;
            }
        }
        if let Some(media_type) = definition.get("mimeType") {
            content["mimeType"] = media_type.clone();
        }
        definition.entry("name").or_insert_with(|| uri.into());
        definition.insert("uri".to_owned(), uri.into());
        let handler = match handler {
            Some(function) => self.resource_handler(function),
            None => {
                let result = json!({ "contents": [content] });
                Arc::new(move |_: &Call<'_>| Action::Value(result.clone()))
            }
        };
        self.0.scripted.resource(Resource { definition, handler });
        Ok(())
    }

    fn resource_template(
        &mut self,
        template: &str,
        definition: Map,
        handler: FnPtr,
    ) -> Evaluated<()> {
        let mut definition = members(json_value(&definition.into())?);
        definition.entry("name").or_insert_with(|| template.into());
        definition.insert("uriTemplate".to_owned(), template.into());
        let handler = self.resource_handler(handler);
        self.0.scripted.resource_template(Resource { definition, handler });
        Ok(())
    }

    fn prompt(&mut self, name: &str, arguments: &Array, handler: FnPtr) -> Evaluated<()> {
        let mut described = Vec::new();
        for argument in arguments {
            described.push(match json_value(argument)? {
                Value::String(name) => json!({ "name": name, "required": true }),
                argument => argument,
            });
        }
        let definition = members(json!({ "name": name, "arguments": described }));
        let handler = self.handler(handler, arguments_of, Meaning::Prompt);
        self.0.scripted.prompt(Prompt { definition, handler });
        Ok(())
    }

    fn on(&mut self, method: &str, handler: FnPtr) {
        let handler = self.handler(handler, |call| vec![from_json(call.message)], Meaning::Result);
        self.0.scripted.on(method, handler);
    }

    fn initialize(&mut self, what: Map) -> Evaluated<()> {
        self.0.scripted.initialize(members(json_value(&what.into())?));
        Ok(())
    }

    fn versions(&mut self, versions: Array) -> Evaluated<()> {
        let named = versions.into_iter().map(|version| {
            let wrong =
                |found: &str| format!("a version is a string, not {}", a(&type_word(found)));
            version.into_string().map_err(wrong)
        });
        self.0.scripted.versions(named.collect::<Result<_, _>>()?);
        Ok(())
    }

    /// What the script registered, and the profile's server never declares.
    pub fn withheld(&self) -> Vec<CapabilityPath> {
        self.0.scripted.withheld()
    }

    /// What the profile's policy requires, and the script says that the server lacks.
    pub fn undeclared(&self) -> Vec<CapabilityPath> {
        self.0.scripted.undeclared()
    }

    fn delay(&mut self, method: &str, milliseconds: i64) -> Evaluated<()> {
        self.0.scripted.delay(method, duration(milliseconds)?);
        Ok(())
    }

    fn page(&mut self, size: i64) -> Evaluated<()> {
        let size = usize::try_from(size).ok().filter(|size| *size > 0);
        let size = size.ok_or("a page holds at least one item")?;
        self.0.scripted.page_size(size);
        Ok(())
    }

    fn push(&mut self, message: Map) -> Evaluated<()> {
        let mut message = members(json_value(&message.into())?);
        message.entry("jsonrpc").or_insert_with(|| "2.0".into());
        self.0.scripted.push(Value::Object(message));
        Ok(())
    }
}

/// The arguments of a call, then the whole request.
fn arguments_of(call: &Call<'_>) -> Vec<Dynamic> {
    vec![from_json(&call.params()["arguments"]), from_json(call.message)]
}
