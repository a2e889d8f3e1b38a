//! What a client is told of its task, by environment variables or as the context of a
//! script.

use serde_json::{Value, json};

use super::stage::Stage;
use crate::script::server::Server;

/// Tells an external client what it is asked to do: a check's scenario, or its id.
pub const SCENARIO_VARIABLE: &str = "MCP_CONFORMANCE_SCENARIO";

/// Tells an external client the revision to speak.
pub const VERSION_VARIABLE: &str = "MCP_CONFORMANCE_PROTOCOL_VERSION";

/// Tells an external client what the script has for it, as a JSON object: the
/// scenario as `name`, the check's id as `check`, since several checks may have
/// one scenario, and the case as `case` if the check has cases.
pub const CONTEXT_VARIABLE: &str = "MCP_CONFORMANCE_CONTEXT";

impl Stage<'_> {
    /// What an external client finds in its environment.
    pub(super) fn environment(&self, server: &Server) -> [(&'static str, String); 3] {
        [
            (SCENARIO_VARIABLE, self.scenario().to_owned()),
            (VERSION_VARIABLE, self.profile.revision.as_str().to_owned()),
            (CONTEXT_VARIABLE, self.context(Some(server)).to_string()),
        ]
    }

    /// The word by which clients know the task.
    fn scenario(&self) -> &str {
        self.check.header.scenario.as_deref().unwrap_or(&self.check.id)
    }

    /// What a client is told: what the profile says, and what the script that
    /// plays `server` says over it. Of the policy, the script may say a part.
    pub(super) fn context(&self, server: Option<&Server>) -> Value {
        let mut context = json!({
            "name": self.scenario(),
            "check": self.check.id,
            "policy": self.profile.policy,
        });
        if let Some(case) = self.case {
            context["case"] = case.into();
        }
        let said = server.map(Server::context).unwrap_or_default();
        if let (Some(members), Ok(Value::Object(mut said))) =
            (context.as_object_mut(), crate::script::value::to_json(&said.into()))
        {
            if let (Some(Value::Object(policy)), Some(Value::Object(part))) =
                (members.get_mut("policy"), said.get("policy").cloned())
            {
                policy.extend(part);
                said.remove("policy");
            }
            members.extend(said);
        }
        context
    }
}
