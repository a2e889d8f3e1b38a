//! `server.origin(name)`: a further place on the web, which answers requests of
//! its paths as a script says. The main type is [`ScriptedOrigin`].

use std::sync::{Arc, Mutex, PoisonError};

use http::StatusCode;
use rhai::{Dynamic, Engine, FnPtr, Map};
use serde_json::Value;

use super::action::Meaning;
use super::handler::Handlers;
use super::observation::header;
use super::value::from_json;
use crate::mcp::Revision;
use crate::mcp::server::{Action, ScriptedServer, page};
use crate::wire::Request;
use crate::wire::double::{Origin, Plan};
use crate::wire::messages::body_json;

/// An origin whose paths a script answers, and perhaps an MCP endpoint.
pub(super) struct ScriptedOrigin {
    base_url: String,
    handlers: Handlers,
    routes: Mutex<Vec<(String, FnPtr)>>,
    /// The revision in force.
    revision: Revision,
    endpoint: Option<Arc<ScriptedServer>>,
}

/// An origin as scripts hold it. A clone is another handle.
#[derive(Clone)]
pub(super) struct OriginHandle(Arc<ScriptedOrigin>);

impl OriginHandle {
    /// A handle to `origin`.
    pub fn new(origin: Arc<ScriptedOrigin>) -> Self {
        OriginHandle(origin)
    }
}

impl ScriptedOrigin {
    /// An origin at `base_url` that has no page yet.
    pub fn new(base_url: String, handlers: Handlers, revision: Revision) -> Self {
        let routes = Mutex::default();
        ScriptedOrigin { base_url, handlers, routes, revision, endpoint: None }
    }

    /// The origin of `endpoint`, which answers whatever no page does.
    pub fn of_server(base_url: String, handlers: Handlers, endpoint: Arc<ScriptedServer>) -> Self {
        let origin = ScriptedOrigin::new(base_url, handlers, endpoint.revision());
        ScriptedOrigin { endpoint: Some(endpoint), ..origin }
    }

    /// The URL of the origin, without a path.
    pub fn url(&self) -> &str {
        &self.base_url
    }

    fn route(&self, path: &str) -> Option<FnPtr> {
        let routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        routes.iter().rev().find(|(route, _)| route == path).map(|(_, handler)| handler.clone())
    }
}

impl Origin for ScriptedOrigin {
    fn answer(&self, request: &Request) -> Plan {
        if let Some(handler) = self.route(request.uri().path()) {
            let action = self.handlers.act(&handler, vec![web_request(request)], &Meaning::Result);
            let passes_on = matches!(action, Action::Value(Value::Null)) && self.endpoint.is_some();
            if !passes_on {
                let plan = page(request, self.revision, action).unwrap_or_else(|wrong| {
                    self.handlers.fail(wrong.to_string().into());
                    Plan::status(StatusCode::INTERNAL_SERVER_ERROR)
                });
                if let Some(endpoint) = &self.endpoint {
                    endpoint.passes_over(&plan);
                }
                return plan;
            }
        }
        match &self.endpoint {
            Some(endpoint) => endpoint.answer(request),
            None => Plan::status(StatusCode::NOT_FOUND),
        }
    }
}

fn web_request(request: &Request) -> Dynamic {
    let headers: Map = request
        .headers()
        .keys()
        .filter_map(|name| {
            Some((name.as_str().into(), header(request.headers(), name.as_str())?.into()))
        })
        .collect();
    let query: Map = url::form_urlencoded::parse(request.uri().query().unwrap_or("").as_bytes())
        .map(|(name, value)| (name.as_ref().into(), value.as_ref().into()))
        .collect();
    let form: Map = url::form_urlencoded::parse(request.body())
        .map(|(name, value)| (name.as_ref().into(), value.as_ref().into()))
        .collect();
    let mut seen = Map::new();
    seen.insert("method".into(), request.method().as_str().into());
    seen.insert("path".into(), request.uri().path().into());
    seen.insert("query".into(), query.into());
    seen.insert("headers".into(), headers.into());
    seen.insert("body".into(), String::from_utf8_lossy(request.body()).as_ref().into());
    seen.insert("form".into(), form.into());
    seen.insert("json".into(), body_json(request).map_or(Dynamic::UNIT, |json| from_json(&json)));
    seen.into()
}

/// Registers origins.
pub(super) fn register(engine: &mut Engine) {
    engine
        .register_type_with_name::<OriginHandle>("Origin")
        .register_get("url", |origin: &mut OriginHandle| origin.0.base_url.clone())
        .register_fn("on", |origin: &mut OriginHandle, path: &str, handler: FnPtr| {
            let mut routes = origin.0.routes.lock().unwrap_or_else(PoisonError::into_inner);
            routes.push((path.to_owned(), handler));
        });
}
