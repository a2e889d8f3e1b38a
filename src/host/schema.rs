//! From a tool's input schema, as a server sent it, to one that a model can be
//! given: [`normalize`].
//!
//! A schema is taken whole or not at all. One that was repaired in silence
//! would let a model write arguments that the server then refuses.

use serde_json::{Map, Value};

/// How many levels of objects and arrays a schema may have, its root included:
/// each declared object costs two, itself and its `properties`.
pub const DEPTH_LIMIT: usize = 12;

/// How many bytes a normalized schema may take as JSON: it is sent to a model
/// with every request.
pub const SIZE_LIMIT: usize = 16 * 1024;

/// What is kept of the root. The last four carry their alternatives inline, so
/// that nothing is lost by handing them on.
const KEPT: [&str; 9] = [
    "type",
    "description",
    "properties",
    "required",
    "additionalProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
];

/// Keywords that cannot be handed on, and by which a schema is refused: to drop
/// one would widen what the tool takes.
const REFUSED: [(&str, Rejection); 15] = [
    ("$ref", Rejection::Reference),
    ("$dynamicRef", Rejection::Reference),
    ("$recursiveRef", Rejection::Reference),
    ("$defs", Rejection::Definitions),
    ("definitions", Rejection::Definitions),
    ("if", Rejection::Conditional),
    ("then", Rejection::Conditional),
    ("else", Rejection::Conditional),
    ("dependencies", Rejection::Dependent),
    ("dependentSchemas", Rejection::Dependent),
    ("dependentRequired", Rejection::Dependent),
    ("unevaluatedProperties", Rejection::Unevaluated),
    ("unevaluatedItems", Rejection::Unevaluated),
    ("patternProperties", Rejection::NamesByPattern),
    ("propertyNames", Rejection::NamesByPattern),
];

/// Why a schema is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Rejection {
    /// It is no object, or one of its known keywords has a value of a kind that
    /// the keyword cannot have.
    #[error("it is not a schema")]
    NotASchema,
    /// The root's type is another one, or none is given.
    #[error("its root is not of the type object")]
    RootNotObject,
    /// The root's type is a list of types.
    #[error("its root has a union of types")]
    UnionRoot,
    /// It refers to another place.
    #[error("it has a reference")]
    Reference,
    /// It has a block of definitions.
    #[error("it has a block of definitions")]
    Definitions,
    /// It has `if`, `then` or `else`.
    #[error("it has a conditional")]
    Conditional,
    /// It has `dependencies`, `dependentSchemas` or `dependentRequired`.
    #[error("it has an applicator that depends on a property")]
    Dependent,
    /// It has `unevaluatedProperties` or `unevaluatedItems`.
    #[error("it has an applicator over what was not evaluated")]
    Unevaluated,
    /// It has `patternProperties` or `propertyNames`.
    #[error("it describes the names of properties by a pattern")]
    NamesByPattern,
    /// It is deeper than [`DEPTH_LIMIT`].
    #[error("it is deeper than {DEPTH_LIMIT} levels")]
    TooDeep,
    /// It is larger than [`SIZE_LIMIT`].
    #[error("it is larger than {SIZE_LIMIT} bytes")]
    TooLarge,
}

impl Rejection {
    /// The reason in a word: `not-a-schema`, `root-not-object`, `union-root`,
    /// `reference`, `definitions`, `conditional`, `dependent`, `unevaluated`,
    /// `names-by-pattern`, `too-deep`, `too-large`.
    pub fn as_str(self) -> &'static str {
        match self {
            Rejection::NotASchema => "not-a-schema",
            Rejection::RootNotObject => "root-not-object",
            Rejection::UnionRoot => "union-root",
            Rejection::Reference => "reference",
            Rejection::Definitions => "definitions",
            Rejection::Conditional => "conditional",
            Rejection::Dependent => "dependent",
            Rejection::Unevaluated => "unevaluated",
            Rejection::NamesByPattern => "names-by-pattern",
            Rejection::TooDeep => "too-deep",
            Rejection::TooLarge => "too-large",
        }
    }
}

/// The schema with what is kept of its root: the keywords of the root in
/// their own order, what stands in `properties` and in the applicators whole.
///
/// # Errors
/// [`Rejection`]: the first reason that was found.
pub fn normalize(schema: &Value) -> Result<Map<String, Value>, Rejection> {
    let root = schema.as_object().ok_or(Rejection::NotASchema)?;
    match root.get("type") {
        Some(Value::String(of)) if of == "object" => {}
        Some(Value::Array(_)) => return Err(Rejection::UnionRoot),
        Some(Value::String(_)) | None => return Err(Rejection::RootNotObject),
        Some(_) => return Err(Rejection::NotASchema),
    }
    // Depth first: what is walked after that is not deep.
    let kept: Map<String, Value> = root
        .iter()
        .filter(|(keyword, _)| KEPT.contains(&keyword.as_str()))
        .map(|(keyword, value)| (keyword.clone(), value.clone()))
        .collect();
    if kept.values().any(|value| !is_within(value, DEPTH_LIMIT - 1)) {
        return Err(Rejection::TooDeep);
    }
    refuse_keywords(root)?;
    check_schema(&kept)?;
    if serde_json::to_string(&kept).map_or(true, |text| text.len() > SIZE_LIMIT) {
        return Err(Rejection::TooLarge);
    }
    Ok(kept)
}

/// A schema that was stored, as a tool can be given it; `None` if it no longer
/// decodes to an object.
pub fn stored(text: &str) -> Option<Map<String, Value>> {
    match serde_json::from_str(text) {
        Ok(Value::Object(schema)) => Some(schema),
        _ => None,
    }
}

/// Whether a value has at most `levels` levels of objects and arrays.
fn is_within(value: &Value, levels: usize) -> bool {
    let inner: Box<dyn Iterator<Item = &Value>> = match value {
        Value::Object(members) => Box::new(members.values()),
        Value::Array(items) => Box::new(items.iter()),
        _ => return true,
    };
    levels > 0 && inner.into_iter().all(|value| is_within(value, levels - 1))
}

fn refuse_keywords(schema: &Map<String, Value>) -> Result<(), Rejection> {
    let refused = REFUSED.iter().find(|(keyword, _)| schema.contains_key(*keyword));
    refused.map_or(Ok(()), |(_, rejection)| Err(*rejection))
}

/// Walks a schema and every schema in it. A property may be named like a
/// keyword; what stands in `enum`, `const`, `default` and `examples` is data.
fn check_schema(schema: &Map<String, Value>) -> Result<(), Rejection> {
    refuse_keywords(schema)?;
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                for property in properties.values() {
                    check_subschema(property)?;
                }
            }
            ("items" | "allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(schemas)) => {
                for schema in schemas {
                    check_subschema(schema)?;
                }
            }
            ("items" | "not" | "additionalProperties" | "contains" | "additionalItems", inner) => {
                check_subschema(inner)?;
            }
            ("required", Value::Array(names)) if names.iter().all(Value::is_string) => {}
            ("description", Value::String(_)) => {}
            ("type", Value::String(_)) => {}
            ("type", Value::Array(types)) if types.iter().all(Value::is_string) => {}
            (
                "properties" | "allOf" | "anyOf" | "oneOf" | "prefixItems" | "required"
                | "description" | "type",
                _,
            ) => return Err(Rejection::NotASchema),
            _ => {}
        }
    }
    Ok(())
}

fn check_subschema(schema: &Value) -> Result<(), Rejection> {
    match schema {
        Value::Object(schema) => check_schema(schema),
        Value::Bool(_) => Ok(()),
        _ => Err(Rejection::NotASchema),
    }
}

#[cfg(test)]
mod tests;
