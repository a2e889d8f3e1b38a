//! What the server says of itself: the results of `initialize` and `server/discover`,
//! and the capabilities in them.

use serde_json::{Map, Value, json};

use super::answering::server_info;
use super::scripted::ScriptedServer;
use crate::mcp::negotiation::CapabilityPath;
use crate::mcp::{Revision, metadata};

impl ScriptedServer {
    pub(super) fn initialize_result(&self, params: &Value, latest: Revision) -> Value {
        let mut result = Map::new();
        let chosen = self.negotiate(params, latest);
        result.insert("protocolVersion".into(), chosen.as_str().into());
        result.insert("capabilities".into(), self.capabilities());
        result.insert("serverInfo".into(), server_info());
        result.extend(self.state().initialize.clone());
        result.retain(|_, value| !value.is_null());
        self.withhold(&mut result);
        Value::Object(result)
    }

    /// The version that a handshake comes to: the one that is asked for, if the
    /// server speaks several and this is one of them.
    fn negotiate(&self, params: &Value, latest: Revision) -> Revision {
        let mut state = self.state();
        let Some(versions) = &state.versions else { return latest };
        let asked = params["protocolVersion"].as_str();
        let asked = asked.filter(|asked| versions.iter().any(|version| version == asked));
        let asked = asked.and_then(|asked| asked.parse().ok());
        let chosen = asked.filter(|asked: &Revision| asked.has_handshake()).unwrap_or(latest);
        state.negotiated = Some(chosen);
        chosen
    }

    /// The same of a server without a handshake; what else belongs to it is
    /// added to every result.
    pub(super) fn discover_result(&self) -> Value {
        let mut result = Map::new();
        result.insert("supportedVersions".into(), json!(self.supported()));
        result.insert("capabilities".into(), self.capabilities());
        result.extend(self.state().initialize.clone());
        result.shift_remove("protocolVersion");
        if let Some(info) = result.shift_remove("serverInfo") {
            result.insert("_meta".into(), json!({ metadata::SERVER_INFO: info }));
        }
        for member in ["supportedVersions", "capabilities", "instructions"] {
            if result.get(member).is_some_and(Value::is_null) {
                result.shift_remove(member);
            }
        }
        self.withhold(&mut result);
        Value::Object(result)
    }

    /// What a script registered and this server never declares.
    pub fn withheld(&self) -> Vec<CapabilityPath> {
        let registered = self.features().capabilities();
        let lacks = self.behaviour.lacks.iter();
        lacks.filter(|path| path.is_in(&registered)).cloned().collect()
    }

    /// What the client's policy requires, and a script left out of the capabilities
    /// that it wrote itself.
    pub fn undeclared(&self) -> Vec<CapabilityPath> {
        let state = self.state();
        let Some(written) = state.initialize.get("capabilities").filter(|of| of.is_object()) else {
            return Vec::new();
        };
        self.behaviour.declares.iter().filter(|path| !path.is_in(written)).cloned().collect()
    }

    /// What this server declares, unless a script says otherwise.
    pub fn capabilities(&self) -> Value {
        let mut capabilities = self.features().capabilities();
        if let Value::Object(members) = &mut capabilities {
            self.behaviour.declares.iter().for_each(|path| path.add_to(members));
        }
        self.behaviour.lacks.iter().for_each(|path| path.remove_from(&mut capabilities));
        capabilities
    }

    /// Takes out what this server never declares.
    fn withhold(&self, result: &mut Map<String, Value>) {
        if let Some(capabilities) = result.get_mut("capabilities") {
            self.behaviour.lacks.iter().for_each(|path| path.remove_from(capabilities));
        }
    }
}
