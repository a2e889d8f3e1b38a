//! What became of a tool since a person enabled it: [`Changes`].

use std::fmt;
use std::str::FromStr;

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
}
