//! What became of a tool since a person enabled it: [`Changes`].

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use super::store::StoredTool;

/// Which parts of a tool are others than those that were approved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Changes {
    /// What it says it is for.
    pub description: bool,
    /// What it says its arguments are like.
    pub schema: bool,
    /// What it says of itself.
    pub annotations: bool,
    /// The origin of the server that has it, or that the host speaks to now.
    pub origin: bool,
}

/// A word that names no part of a tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no part of a tool")]
pub struct UnknownPart(pub String);

impl Changes {
    /// What differs between two rows of one tool. JSON is compared by its
    /// value: the order of members says nothing. At which origin a row from
    /// before origins were stored was enabled is not known, so that counts as
    /// another one.
    pub(super) fn between(before: &StoredTool, after: &StoredTool) -> Self {
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

    /// Whether something changed.
    pub fn any(self) -> bool {
        self != Changes::default()
    }

    /// What is changed in either.
    #[must_use]
    pub fn and(self, other: Changes) -> Changes {
        Changes {
            description: self.description || other.description,
            schema: self.schema || other.schema,
            annotations: self.annotations || other.annotations,
            origin: self.origin || other.origin,
        }
    }

    /// What changed, in words: `description`, `schema`, `annotations`,
    /// `origin`.
    pub fn words(self) -> Vec<&'static str> {
        let all = [
            ("description", self.description),
            ("schema", self.schema),
            ("annotations", self.annotations),
            ("origin", self.origin),
        ];
        all.into_iter().filter(|(_, changed)| *changed).map(|(word, _)| word).collect()
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.words().join(", "))
    }
}

impl FromStr for Changes {
    type Err = UnknownPart;

    /// Reads what [`Display`](fmt::Display) wrote.
    fn from_str(text: &str) -> Result<Self, UnknownPart> {
        let mut changes = Changes::default();
        for word in text.split(", ").filter(|word| !word.is_empty()) {
            match word {
                "description" => changes.description = true,
                "schema" => changes.schema = true,
                "annotations" => changes.annotations = true,
                "origin" => changes.origin = true,
                other => return Err(UnknownPart(other.to_owned())),
            }
        }
        Ok(changes)
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
    fn what_is_written_is_read_again() {
        for text in ["", "schema", "description, origin", "description, schema, annotations"] {
            assert_eq!(text.parse::<Changes>().unwrap().to_string(), text);
        }
        assert_eq!("title".parse::<Changes>(), Err(UnknownPart("title".to_owned())));
    }

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
