//! What a client can be asked to do: [`Operation`], by the protocol's names.

use serde_json::{Map, Value, json};

use super::error::{ClientError, ErrorKind};
use super::result_type::ResultType;
use crate::mcp::Revision;
use crate::mcp::negotiation::CapabilityPath;

/// One operation of a client.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// `tools/list`, over all pages.
    ListTools,
    /// `tools/call`.
    CallTool {
        /// The tool's name.
        name: String,
        /// An object; left out of the request if there is none.
        arguments: Option<Value>,
    },
    /// `resources/list`, over all pages.
    ListResources,
    /// `resources/templates/list`, over all pages.
    ListResourceTemplates,
    /// `resources/read`.
    ReadResource {
        /// The resource's URI.
        uri: String,
    },
    /// `resources/subscribe`.
    SubscribeResource {
        /// The resource's URI.
        uri: String,
    },
    /// `resources/unsubscribe`.
    UnsubscribeResource {
        /// The resource's URI.
        uri: String,
    },
    /// `prompts/list`, over all pages.
    ListPrompts,
    /// `prompts/get`.
    GetPrompt {
        /// The prompt's name.
        name: String,
        /// An object of strings; left out of the request if there is none.
        arguments: Option<Value>,
    },
    /// `completion/complete`.
    Complete {
        /// What is completed: `{"type": "ref/prompt", "name": …}` or
        /// `{"type": "ref/resource", "uri": …}`.
        reference: Value,
        /// `{"name": …, "value": …}`.
        argument: Value,
        /// `{"arguments": …}`; from 2025-06-18 on.
        context: Option<Value>,
    },
    /// `logging/setLevel`; from 2026-07-28 on nothing is sent, and each later
    /// request carries the level.
    SetLoggingLevel {
        /// One of the levels of RFC 5424, section 6.2.1, in lower case.
        level: String,
    },
    /// `ping`, up to 2025-11-25.
    Ping,
    /// `server/discover`, from 2026-07-28 on.
    Discover,
    /// `tasks/get` of the extension for tasks, from 2026-07-28 on.
    GetTask {
        /// The task's id.
        id: String,
    },
    /// `tasks/update` of the same.
    UpdateTask {
        /// The task's id.
        id: String,
        /// An object: an answer to each request, under its key.
        responses: Value,
    },
    /// `tasks/cancel` of the same.
    CancelTask {
        /// The task's id.
        id: String,
    },
}

impl Operation {
    /// The method that is called.
    pub fn method(&self) -> &'static str {
        match self {
            Operation::ListTools => "tools/list",
            Operation::CallTool { .. } => "tools/call",
            Operation::ListResources => "resources/list",
            Operation::ListResourceTemplates => "resources/templates/list",
            Operation::ReadResource { .. } => "resources/read",
            Operation::SubscribeResource { .. } => "resources/subscribe",
            Operation::UnsubscribeResource { .. } => "resources/unsubscribe",
            Operation::ListPrompts => "prompts/list",
            Operation::GetPrompt { .. } => "prompts/get",
            Operation::Complete { .. } => "completion/complete",
            Operation::SetLoggingLevel { .. } => "logging/setLevel",
            Operation::Ping => "ping",
            Operation::Discover => "server/discover",
            Operation::GetTask { .. } => "tasks/get",
            Operation::UpdateTask { .. } => "tasks/update",
            Operation::CancelTask { .. } => "tasks/cancel",
        }
    }

    /// The member of the result that holds a list's items; `None` if the
    /// operation is no list.
    pub(crate) fn items(&self) -> Option<&'static str> {
        match self {
            Operation::ListTools => Some("tools"),
            Operation::ListResources => Some("resources"),
            Operation::ListResourceTemplates => Some("resourceTemplates"),
            Operation::ListPrompts => Some("prompts"),
            _ => None,
        }
    }

    /// Whether it is a list, which may have several pages.
    pub fn is_list(&self) -> bool {
        self.items().is_some()
    }

    /// What the server has to have declared; `None` if every server offers it.
    pub(crate) fn capability(&self) -> Option<CapabilityPath> {
        let names: &[&str] = match self {
            Operation::ListTools | Operation::CallTool { .. } => &["tools"],
            Operation::ListResources
            | Operation::ListResourceTemplates
            | Operation::ReadResource { .. } => &["resources"],
            Operation::SubscribeResource { .. } | Operation::UnsubscribeResource { .. } => {
                &["resources", "subscribe"]
            }
            Operation::ListPrompts | Operation::GetPrompt { .. } => &["prompts"],
            Operation::Complete { .. } => &["completions"],
            Operation::SetLoggingLevel { .. } => &["logging"],
            Operation::Ping
            | Operation::Discover
            | Operation::GetTask { .. }
            | Operation::UpdateTask { .. }
            | Operation::CancelTask { .. } => return None,
        };
        CapabilityPath::new(names.iter().map(|&name| name.to_owned()).collect()).ok()
    }

    /// The operation that sends `method` with exactly these params, of those that
    /// take input.
    pub(super) fn that_takes_input(method: &str, params: &Value) -> Option<Self> {
        let text = |name: &str| params[name].as_str().map(str::to_owned);
        let arguments = || params.get("arguments").cloned();
        let operation = match method {
            "tools/call" => Operation::CallTool { name: text("name")?, arguments: arguments() },
            "prompts/get" => Operation::GetPrompt { name: text("name")?, arguments: arguments() },
            "resources/read" => Operation::ReadResource { uri: text("uri")? },
            _ => return None,
        };
        let sent = operation.params(Revision::V2026_07_28).ok()??;
        (sent == *params).then_some(operation)
    }

    /// Whether the server may ask for something before it answers (2026-07-28,
    /// basic/patterns/mrtr, "Supported Requests").
    pub(crate) fn takes_input(&self) -> bool {
        matches!(
            self,
            Operation::CallTool { .. }
                | Operation::ReadResource { .. }
                | Operation::GetPrompt { .. }
        )
    }

    /// Whether a result of it may be of this type. A call of a tool alone becomes
    /// a task (ext-tasks, "Supported Methods"). What is said of one is complete,
    /// but the extension's own examples of `tasks/get` ("Task Execution Errors")
    /// have the type of the handle, so that is taken as well.
    pub(crate) fn may_come_to(&self, of: ResultType) -> bool {
        match of {
            ResultType::Complete => true,
            ResultType::InputRequired => self.takes_input(),
            ResultType::Task => matches!(
                self,
                Operation::CallTool { .. }
                    | Operation::GetTask { .. }
                    | Operation::UpdateTask { .. }
                    | Operation::CancelTask { .. }
            ),
        }
    }

    /// Whether its results may be kept (2026-07-28, server/utilities/caching,
    /// "Cacheable Results"). `server/discover` is asked for by name to hear it
    /// anew.
    pub(crate) fn is_cacheable(&self) -> bool {
        self.items().is_some() || matches!(self, Operation::ReadResource { .. })
    }

    /// Whether a request of it that was lost may be sent again: a tool may have
    /// done its work already.
    pub(crate) fn is_repeatable(&self) -> bool {
        !matches!(self, Operation::CallTool { .. })
    }

    fn unknown_at(&self, revision: Revision) -> ClientError {
        let message = format!("there is no {} at {revision}", self.method());
        ClientError::new(ErrorKind::NotSupported, message)
    }

    /// The parameters of the request at `revision`.
    ///
    /// # Errors
    /// [`ErrorKind::NotSupported`] if the revision does not have them.
    pub(crate) fn params(&self, revision: Revision) -> Result<Option<Value>, ClientError> {
        match self {
            Operation::CallTool { name, arguments } | Operation::GetPrompt { name, arguments } => {
                let mut params = Map::new();
                params.insert("name".into(), name.clone().into());
                if let Some(arguments) = arguments {
                    params.insert("arguments".into(), arguments.clone());
                }
                Ok(Some(params.into()))
            }
            Operation::SubscribeResource { .. } | Operation::UnsubscribeResource { .. }
                if !revision.subscribes_by_request() =>
            {
                Err(self.unknown_at(revision))
            }
            Operation::ReadResource { uri }
            | Operation::SubscribeResource { uri }
            | Operation::UnsubscribeResource { uri } => Ok(Some(json!({ "uri": uri }))),
            Operation::Complete { reference, argument, context } => {
                let mut params = Map::new();
                params.insert("ref".into(), reference.clone());
                params.insert("argument".into(), argument.clone());
                if let Some(context) = context {
                    if !revision.has_completion_context() {
                        return Err(ClientError::new(
                            ErrorKind::NotSupported,
                            format!("completion/complete has no context at {revision}"),
                        ));
                    }
                    params.insert("context".into(), context.clone());
                }
                Ok(Some(params.into()))
            }
            Operation::Ping if !revision.has_ping() => Err(self.unknown_at(revision)),
            Operation::Discover
            | Operation::GetTask { .. }
            | Operation::UpdateTask { .. }
            | Operation::CancelTask { .. }
                if revision.has_handshake() =>
            {
                Err(self.unknown_at(revision))
            }
            Operation::GetTask { id } | Operation::CancelTask { id } => {
                Ok(Some(json!({ "taskId": id })))
            }
            Operation::UpdateTask { id, responses } => {
                Ok(Some(json!({ "taskId": id, "inputResponses": responses })))
            }
            Operation::SetLoggingLevel { level } => Ok(Some(json!({ "level": level }))),
            Operation::ListTools
            | Operation::ListResources
            | Operation::ListResourceTemplates
            | Operation::ListPrompts
            | Operation::Ping
            | Operation::Discover => Ok(None),
        }
    }
}
