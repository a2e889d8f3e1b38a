//! The request that is being answered, and the messages that answer it:
//! [`Answering`].

use http::StatusCode;
use serde_json::{Map, Value, json};

use crate::mcp::json_rpc::{
    HEADER_MISMATCH, METHOD_NOT_FOUND, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_PROTOCOL_VERSION,
};
use crate::mcp::{Revision, metadata};

/// What the double calls itself.
pub(super) fn server_info() -> Value {
    json!({ "name": "double", "version": "1.0.0" })
}

/// The request that is being answered.
#[derive(Clone, Debug)]
pub(super) struct Answering {
    id: Value,
    method: String,
    /// The revision in force for it.
    pub revision: Revision,
}

impl Answering {
    pub fn new(request: &Value, revision: Revision) -> Self {
        let method = request["method"].as_str().unwrap_or_default().to_owned();
        Answering { id: request["id"].clone(), method, revision }
    }

    /// What carries messages that answer no one request: a batch.
    pub fn nothing(revision: Revision) -> Self {
        Answering::new(&Value::Null, revision)
    }

    /// A JSON-RPC response with a result.
    pub fn result(&self, result: Value) -> Value {
        json!({ "jsonrpc": "2.0", "id": self.id, "result": self.whole(result) })
    }

    /// A JSON-RPC response with an error.
    pub fn error(&self, code: i64, message: &str, data: Option<&Value>) -> Value {
        error_message(&self.id, code, message, data)
    }

    /// The status that an error comes with; `None` where it is framed like any
    /// other answer (2026-07-28, basic/transports/streamable-http, "Protocol
    /// Version Header" and "Server Validation").
    pub fn error_status(&self, code: i64) -> Option<StatusCode> {
        if self.revision.has_handshake() {
            return None;
        }
        match code {
            METHOD_NOT_FOUND => Some(StatusCode::NOT_FOUND),
            HEADER_MISMATCH | MISSING_CLIENT_CAPABILITY | UNSUPPORTED_PROTOCOL_VERSION => {
                Some(StatusCode::BAD_REQUEST)
            }
            _ => None,
        }
    }

    /// A result with what every one has from 2026-07-28 on: its type (basic,
    /// "ResultType"), who answers, and how long it may be kept
    /// (server/utilities/caching). What is there already stays, and a null
    /// member is left out.
    fn whole(&self, result: Value) -> Value {
        if self.revision.has_handshake() {
            return result;
        }
        let Value::Object(given) = result else { return result };
        let mut whole = Map::new();
        whole.insert("resultType".into(), "complete".into());
        whole.extend(given);
        // A task has a member of the same name, which may be null.
        let mut optional = vec!["resultType", "_meta"];
        if whole["resultType"] == "complete" && is_cacheable(&self.method) {
            whole.entry("ttlMs").or_insert_with(|| 0.into());
            whole.entry("cacheScope").or_insert_with(|| "private".into());
            optional.extend(["ttlMs", "cacheScope"]);
        }
        let own = whole.entry("_meta").or_insert_with(|| json!({}));
        if let Value::Object(own) = own {
            own.entry(metadata::SERVER_INFO).or_insert_with(server_info);
        }
        for member in optional {
            if whole.get(member).is_some_and(Value::is_null) {
                whole.shift_remove(member);
            }
        }
        Value::Object(whole)
    }
}

/// Whether results of `method` carry caching hints (server/utilities/caching,
/// "Cacheable Results").
fn is_cacheable(method: &str) -> bool {
    matches!(
        method,
        "server/discover"
            | "tools/list"
            | "prompts/list"
            | "resources/list"
            | "resources/templates/list"
            | "resources/read"
    )
}

/// A JSON-RPC response with an error. One whose request could not be told, of
/// which `id` is null, names none: null is no id of the protocol
/// (basic/transports, "Sending Messages to the Server").
pub(super) fn error_message(id: &Value, code: i64, message: &str, data: Option<&Value>) -> Value {
    let mut error = json!({ "code": code, "message": message });
    if let Some(data) = data {
        error["data"] = data.clone();
    }
    if id.is_null() {
        return json!({ "jsonrpc": "2.0", "error": error });
    }
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}
