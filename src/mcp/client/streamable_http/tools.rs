//! What is known of the tools that were listed: which of their arguments stand
//! in header fields, and which tools must not be called (2026-07-28,
//! basic/transports/streamable-http, "Custom Headers from Tool Parameters").
//! The main type is [`KnownTools`].

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ::http::HeaderMap;
use serde_json::Value;

use crate::mcp::client::transport::LeftOut;
use crate::mcp::header_parameter::{self, HeaderParameter, InvalidAnnotation, Unrepeatable};
use crate::mcp::mirror;

/// Tools by name, as they were listed last.
#[derive(Debug, Default)]
pub struct KnownTools(Mutex<BTreeMap<String, Known>>);

type Known = Result<Vec<HeaderParameter>, InvalidAnnotation>;

impl KnownTools {
    /// Takes note of `tools` and takes out those whose annotations are invalid.
    /// The schema is read as it came.
    pub fn admit(&self, tools: &mut Vec<Value>) -> Vec<LeftOut> {
        let mut known = self.lock();
        let mut left_out = Vec::new();
        tools.retain(|tool| {
            let parameters = header_parameter::read(&tool["inputSchema"]);
            let name = tool["name"].as_str().map(str::to_owned);
            if let Err(reason) = parameters {
                left_out.push(LeftOut { name: name.clone(), reason });
            }
            let holds = parameters.is_ok();
            if let Some(name) = name {
                known.insert(name, parameters);
            }
            holds
        });
        left_out
    }

    /// The tools that were left out, each with the reason.
    pub fn rejected(&self) -> Vec<(String, String)> {
        let known = self.lock();
        let rejected = known.iter().filter_map(|(name, known)| Some((name, known.as_ref().err()?)));
        rejected.map(|(name, reason)| (name.clone(), reason.to_string())).collect()
    }

    /// Adds to a call of a tool what its arguments say in header fields. What no
    /// field can say is left out: only a call that was written by hand gets here
    /// with it, see [`KnownTools::unrepeatable`].
    pub fn mirror(&self, call: &Value, headers: &mut HeaderMap) {
        let Some(name) = call["params"]["name"].as_str() else { return };
        let known = self.lock();
        let Some(Ok(parameters)) = known.get(name) else { return };
        for parameter in parameters {
            if let Ok(Some(value)) = parameter.value(&call["params"]["arguments"]) {
                headers.insert(parameter.field.clone(), mirror::encode(&value));
            }
        }
    }

    /// Why a call of the tool `name` cannot say its arguments in header fields;
    /// `None` if it can.
    pub fn unrepeatable(&self, name: &str, arguments: &Value) -> Option<Unrepeatable> {
        let known = self.lock();
        let parameters = known.get(name)?.as_ref().ok()?;
        parameters.iter().find_map(|parameter| parameter.value(arguments).err())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
