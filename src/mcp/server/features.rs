//! What a scripted server offers: tools, resources, prompts, and handlers for
//! whole methods.

use std::sync::Arc;

use http::HeaderMap;
use serde_json::{Map, Value, json};

use super::Action;
use crate::mcp::header_parameter::{self, HeaderParameter};
use crate::mcp::{Revision, metadata};

/// One request as a handler sees it.
pub struct Call<'a> {
    /// The whole JSON-RPC request.
    pub message: &'a Value,
    /// The header fields of the HTTP request that carried it.
    pub headers: &'a HeaderMap,
}

impl Call<'_> {
    /// The request's `params`, or null.
    pub fn params(&self) -> &Value {
        &self.message["params"]
    }
}

/// Decides what becomes of a request.
pub type Handler = Arc<dyn Fn(&Call<'_>) -> Action + Send + Sync>;

/// A tool and what answers a call of it.
#[derive(Clone)]
pub struct Tool {
    /// The tool as `tools/list` shows it; `name` is a string.
    pub definition: Map<String, Value>,
    /// What answers `tools/call`.
    pub handler: Handler,
}

/// A resource, or a template of resources, and what answers a reading of it.
#[derive(Clone)]
pub struct Resource {
    /// The resource as the list shows it; `uri` or `uriTemplate` is a string.
    pub definition: Map<String, Value>,
    /// What answers `resources/read`.
    pub handler: Handler,
}

/// A prompt and what answers a request for it.
#[derive(Clone)]
pub struct Prompt {
    /// The prompt as `prompts/list` shows it; `name` is a string.
    pub definition: Map<String, Value>,
    /// What answers `prompts/get`.
    pub handler: Handler,
}

/// What a scripted server offers.
#[derive(Default)]
pub(super) struct Features {
    pub tools: Vec<Tool>,
    pub resources: Vec<Resource>,
    pub templates: Vec<Resource>,
    pub prompts: Vec<Prompt>,
    pub methods: Vec<(String, Handler)>,
    pub page_size: Option<usize>,
}

impl Features {
    /// The capabilities that follow from what is registered.
    pub fn capabilities(&self) -> Value {
        let mut capabilities = Map::new();
        let handles = |prefix: &str| self.methods.iter().any(|(name, _)| name.starts_with(prefix));
        if !self.tools.is_empty() || handles("tools/") {
            capabilities.insert("tools".into(), json!({}));
        }
        if !self.resources.is_empty() || !self.templates.is_empty() || handles("resources/") {
            let mut resources = Map::new();
            if handles("resources/subscribe") {
                resources.insert("subscribe".into(), true.into());
            }
            capabilities.insert("resources".into(), resources.into());
        }
        if !self.prompts.is_empty() || handles("prompts/") {
            capabilities.insert("prompts".into(), json!({}));
        }
        if handles("completion/") {
            capabilities.insert("completions".into(), json!({}));
        }
        if handles("logging/") {
            capabilities.insert("logging".into(), json!({}));
        }
        if handles("tasks/") {
            capabilities.insert("extensions".into(), json!({ metadata::TASKS: {} }));
        }
        Value::Object(capabilities)
    }

    /// The handler that a script set for a whole method.
    pub fn method(&self, name: &str) -> Option<Handler> {
        // The last registration counts, so that a check can override a server
        // that it was built on.
        self.methods.iter().rev().find(|(method, _)| method == name).map(|(_, h)| h.clone())
    }

    /// The handler of a feature that is addressed by a member of the params;
    /// for one that is not there, a handler that answers with the error that
    /// the specification names. `None` if the method addresses no feature.
    pub fn feature(&self, method: &str, params: &Value, revision: Revision) -> Option<Handler> {
        let named = |member: &str| params[member].as_str().unwrap_or_default().to_owned();
        let (found, code, missing) = match method {
            "tools/call" => {
                let name = named("name");
                let tool = self.tools.iter().rev().find(|tool| tool.definition["name"] == *name);
                (tool.map(|tool| &tool.handler), -32602, format!("Unknown tool: {name}"))
            }
            "prompts/get" => {
                let name = named("name");
                let mut prompts = self.prompts.iter().rev();
                let prompt = prompts.find(|prompt| prompt.definition["name"] == *name);
                (prompt.map(|prompt| &prompt.handler), -32602, format!("Unknown prompt: {name}"))
            }
            "resources/read" => {
                let uri = named("uri");
                let mut resources = self.resources.iter().rev();
                let resource = resources
                    .find(|resource| resource.definition["uri"] == *uri)
                    .or_else(|| self.templates.iter().find(|template| template.matches(&uri)));
                let missing = format!("Resource not found: {uri}");
                (resource.map(|resource| &resource.handler), revision.resource_not_found(), missing)
            }
            _ => return None,
        };
        Some(found.cloned().unwrap_or_else(|| {
            Arc::new(move |_| Action::Error { code, message: missing.clone(), data: None })
        }))
    }

    /// What a call of a tool has to repeat in header fields; nothing if it is no
    /// call, or the tool's annotations are invalid.
    pub fn header_parameters(&self, message: &Value) -> Vec<HeaderParameter> {
        let name = &message["params"]["name"];
        let mut tools = self.tools.iter().rev();
        let called = tools.find(|tool| {
            message["method"] == "tools/call" && tool.definition.get("name") == Some(name)
        });
        let schema = called.and_then(|tool| tool.definition.get("inputSchema"));
        schema.and_then(|schema| header_parameter::read(schema).ok()).unwrap_or_default()
    }

    /// The answer to a list request, page by page.
    pub fn list(&self, method: &str, params: &Value) -> Option<Action> {
        fn definitions<'a>(items: impl Iterator<Item = &'a Map<String, Value>>) -> Vec<Value> {
            items.cloned().map(Value::Object).collect()
        }
        let (member, items) = match method {
            "tools/list" => ("tools", definitions(self.tools.iter().map(|t| &t.definition))),
            "resources/list" => {
                ("resources", definitions(self.resources.iter().map(|r| &r.definition)))
            }
            "resources/templates/list" => {
                ("resourceTemplates", definitions(self.templates.iter().map(|r| &r.definition)))
            }
            "prompts/list" => ("prompts", definitions(self.prompts.iter().map(|p| &p.definition))),
            _ => return None,
        };
        let size = self.page_size.unwrap_or(usize::MAX).max(1);
        let start = match &params["cursor"] {
            Value::Null => 0,
            cursor => {
                let found = (0..items.len())
                    .step_by(size.min(items.len().max(1)))
                    .find(|start| cursor.as_str() == Some(&page_cursor(member, *start)));
                match found {
                    Some(start) => start,
                    None => {
                        let message = "Invalid cursor".to_owned();
                        return Some(Action::Error { code: -32602, message, data: None });
                    }
                }
            }
        };
        let end = start.saturating_add(size).min(items.len());
        let mut result = json!({ member: items[start..end] });
        if end < items.len() {
            result["nextCursor"] = page_cursor(member, end).into();
        }
        Some(Action::Reply { result, framing: None })
    }
}

impl Resource {
    /// Whether a URI fits the literal parts of this template (RFC 6570, simple
    /// expansion only).
    fn matches(&self, uri: &str) -> bool {
        let template = self.definition.get("uriTemplate").and_then(Value::as_str).unwrap_or("");
        let mut rest = uri;
        let mut literals = template.split('{');
        let Some(after) = rest.strip_prefix(literals.next().unwrap_or("")) else { return false };
        rest = after;
        for part in literals {
            let literal = part.split_once('}').map_or("", |(_, literal)| literal);
            if literal.is_empty() {
                return !rest.is_empty();
            }
            match rest.find(literal) {
                Some(position) if position > 0 => rest = &rest[position + literal.len()..],
                _ => return false,
            }
        }
        rest.is_empty()
    }
}

/// A cursor that shows whether a client treats it as opaque: it holds what
/// URL encoding, trimming, JSON escaping or parsing as a number would change.
fn page_cursor(member: &str, start: usize) -> String {
    format!(" {start}0/+=%2F\u{e9}\"{member}\" ")
}
