//! The place of a capability among those that a server declares:
//! [`CapabilityPath`].

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The place of a capability: `tools`, `resources.subscribe`. One that is called
/// something with a dot in it, as extensions are, is written as an array of
/// names: `["extensions", "io.modelcontextprotocol/tasks"]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CapabilityPath(Vec<String>);

/// A path without a name in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a capability is one or more names, none of them empty")]
pub struct InvalidPath;

impl CapabilityPath {
    /// The path through these names, from the outermost to the innermost.
    ///
    /// # Errors
    /// [`InvalidPath`] if there is no name, or an empty one.
    pub fn new(names: Vec<String>) -> Result<Self, InvalidPath> {
        if names.is_empty() || names.iter().any(String::is_empty) {
            return Err(InvalidPath);
        }
        Ok(CapabilityPath(names))
    }

    /// The names, from the outermost to the innermost; never empty.
    pub fn names(&self) -> &[String] {
        &self.0
    }

    /// Whether it is on among what a server declares. Each name is a claim of
    /// its own: `resources` does not bring `resources.subscribe`. An object is
    /// on, an empty one too, and so is `true`; all else is off.
    pub fn is_on(&self, capabilities: &Value) -> bool {
        let mut declared = capabilities;
        for name in &self.0 {
            match declared.as_object().and_then(|object| object.get(name)) {
                Some(inner) => declared = inner,
                None => return false,
            }
        }
        declared.is_object() || *declared == true
    }

    fn has_dotted_name(&self) -> bool {
        self.0.iter().any(|name| name.contains('.'))
    }

    /// Whether `other` is this capability, or lies within it.
    pub fn contains(&self, other: &CapabilityPath) -> bool {
        other.0.starts_with(&self.0)
    }

    /// Adds it to what a server declares, on its own, unless something of it is there.
    pub fn add_to(&self, capabilities: &mut Map<String, Value>) {
        let Some((last, outer)) = self.0.split_last() else { return };
        let mut holder = capabilities;
        for name in outer {
            let inner = holder.entry(name).or_insert_with(|| Map::new().into());
            let Value::Object(inner) = inner else { return };
            holder = inner;
        }
        // A capability below another is a switch; one that stands alone is an object.
        let value = if outer.is_empty() || outer[0] == "extensions" || outer[0] == "experimental" {
            Map::new().into()
        } else {
            true.into()
        };
        holder.entry(last).or_insert(value);
    }

    /// Whether something of it is in what a server declares.
    pub fn is_in(&self, capabilities: &Value) -> bool {
        self.0.iter().try_fold(capabilities, |inner, name| inner.get(name)).is_some()
    }

    /// Takes it out of what a server declares.
    pub fn remove_from(&self, capabilities: &mut Value) {
        let Some((last, outer)) = self.0.split_last() else { return };
        let holder = outer.iter().try_fold(capabilities, |inner, name| inner.get_mut(name));
        if let Some(Value::Object(holder)) = holder {
            holder.shift_remove(last);
        }
    }
}

/// As it is written: with dots, or as an array where a name has a dot in it.
impl fmt::Display for CapabilityPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.has_dotted_name() {
            return write!(formatter, "{}", serde_json::json!(self.0));
        }
        formatter.pad(&self.0.join("."))
    }
}

impl FromStr for CapabilityPath {
    type Err = InvalidPath;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        CapabilityPath::new(text.split('.').map(str::to_owned).collect())
    }
}

/// With dots, or as an array where a name has a dot in it.
impl Serialize for CapabilityPath {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.has_dotted_name() {
            return self.0.serialize(serializer);
        }
        serializer.serialize_str(&self.0.join("."))
    }
}

impl<'de> Deserialize<'de> for CapabilityPath {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a string with dots or an array of names")]
        enum Written {
            Dotted(String),
            Names(Vec<String>),
        }
        let path = match Written::deserialize(deserializer)? {
            Written::Dotted(text) => text.parse(),
            Written::Names(names) => CapabilityPath::new(names),
        };
        path.map_err(serde::de::Error::custom)
    }
}
