//! A tool as a store keeps it: [`StoredTool`].

use serde_json::Value;

use crate::host::changes::Changes;

/// One tool of a server as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTool {
    /// The identifier under which the operator knows the server.
    pub server: String,
    /// The name that goes on the wire.
    pub remote_name: String,
    /// The name that the gate, the audit and a model see.
    pub local_name: String,
    /// What it is for.
    pub description: Option<String>,
    /// The normalized schema, as JSON.
    pub schema: String,
    /// The schema as the server sent it, as JSON: header annotations are read
    /// from it.
    pub schema_as_sent: String,
    /// What the server says of the tool, as JSON; never asked for policy.
    pub annotations: Option<String>,
    /// The origin of the server that listed it; `None` in a row from before
    /// origins were stored.
    pub origin: Option<String>,
    /// Whether the operator enabled it, and it has not changed since.
    pub enabled: bool,
    /// What has changed since the operator enabled it.
    pub changed: Changes,
    /// Whether the server no longer lists it.
    pub orphaned: bool,
}

impl StoredTool {
    /// What has changed since the operator enabled it, for a host whose server
    /// stands at `origin`.
    pub fn changed_at(&self, origin: &str) -> Changes {
        let moved = self.enabled && self.origin.as_deref() != Some(origin);
        self.changed.and(Changes { origin: moved, ..Changes::default() })
    }

    /// What differs between two rows of one tool. JSON is compared by its
    /// value: the order of members says nothing. At which origin a row from
    /// before origins were stored was enabled is not known, so that counts as
    /// another one.
    pub(super) fn changes(before: &StoredTool, after: &StoredTool) -> Changes {
        Changes {
            description: before.description != after.description,
            schema: !is_same(Some(&before.schema_as_sent), Some(&after.schema_as_sent)),
            annotations: !is_same(before.annotations.as_ref(), after.annotations.as_ref()),
            origin: match &before.origin {
                Some(before) => Some(before) != after.origin.as_ref(),
                None => before.enabled,
            },
        }
    }
}

fn is_same(before: Option<&String>, after: Option<&String>) -> bool {
    let value = |text: &String| serde_json::from_str::<Value>(text).ok();
    before == after
        || before.zip(after).is_some_and(|(before, after)| {
            value(before).is_some_and(|before| Some(before) == value(after))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_compared_by_its_value() {
        let text = |text: &str| Some(text.to_owned());
        let same = |before: &str, after: &str| is_same(text(before).as_ref(), text(after).as_ref());
        assert!(same(r#"{"a":1,"b":[2]}"#, r#"{"b":[2],"a":1}"#));
        assert!(!same(r#"{"a":[1,2]}"#, r#"{"a":[2,1]}"#));
        assert!(!same("{", "["));
        assert!(same("{", "{"));
        assert!(is_same(None, None) && !is_same(None, text("{}").as_ref()));
    }
}
