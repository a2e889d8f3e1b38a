//! Arguments of a tool that its calls repeat in header fields: [`read`] finds
//! the annotations `x-mcp-header` in a tool's schema (2026-07-28,
//! basic/transports/streamable-http, "Custom Headers from Tool Parameters").

use std::collections::BTreeSet;

use http::HeaderName;
use serde_json::Value;

/// The keyword of the annotation.
const ANNOTATION: &str = "x-mcp-header";
/// What the name of each such field begins with.
const PREFIX: &str = "Mcp-Param-";
/// The largest integer that every reader of JSON takes for itself, 2^53 - 1.
const LARGEST_SAFE: u64 = (1 << 53) - 1;

/// Keywords whose value is a schema or a list of schemas, in any dialect.
const SUBSCHEMAS: [&str; 16] = [
    "items",
    "additionalItems",
    "prefixItems",
    "contains",
    "additionalProperties",
    "propertyNames",
    "oneOf",
    "anyOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];
/// Keywords whose value is a map of schemas, but for `properties`.
const MAPS_OF_SCHEMAS: [&str; 5] =
    ["patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];

/// One argument that is repeated in a header field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderParameter {
    /// The field: `mcp-param-region`.
    pub field: HeaderName,
    /// The names that lead to the argument, one within the other.
    path: Vec<String>,
}

/// Why the annotations of a schema cannot be followed; the words are ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidAnnotation {
    /// It is no string, or not made of the characters of a field's name.
    #[error("an x-mcp-header is not the name of a header field")]
    Name,
    /// Two annotations have one name.
    #[error("two x-mcp-header have the same name")]
    Repeated,
    /// The parameter is of a type that no field can carry.
    #[error("an x-mcp-header stands on a parameter that is no integer, string or boolean")]
    Type,
    /// It does not stand on a property, or on one whose place depends on the
    /// arguments.
    #[error("an x-mcp-header cannot be reached through properties alone")]
    Place,
}

/// Why an argument cannot be repeated in its header field, where it has to be
/// ("Server Behavior for Custom Headers"); the words are ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unrepeatable {
    /// An integer beyond what every reader of JSON takes for itself.
    #[error("an argument that is repeated in a header field is an integer beyond 2^53 - 1")]
    UnsafeInteger,
    /// A fraction, an array or an object.
    #[error("an argument that is repeated in a header field is no integer, string or boolean")]
    Type,
}

/// The annotated parameters of a tool's `inputSchema`, in the schema's order.
///
/// # Errors
/// The first annotation that breaks the rules: the whole tool is to be left out
/// then.
pub fn read(schema: &Value) -> Result<Vec<HeaderParameter>, InvalidAnnotation> {
    let mut found = Vec::new();
    let mut path = Vec::new();
    walk(schema, Some(&mut path), &mut found)?;
    let mut names = BTreeSet::new();
    if found.iter().any(|parameter| !names.insert(parameter.field.as_str())) {
        return Err(InvalidAnnotation::Repeated);
    }
    Ok(found)
}

/// Looks for annotations in a schema; `path` leads to it through properties, and
/// is `None` if it is reached by other keywords too.
fn walk(
    schema: &Value,
    mut path: Option<&mut Vec<String>>,
    found: &mut Vec<HeaderParameter>,
) -> Result<(), InvalidAnnotation> {
    let Value::Object(keywords) = schema else { return Ok(()) };
    if let Some(name) = keywords.get(ANNOTATION) {
        let field = field(name)?;
        let reached = path.as_deref().filter(|path| !path.is_empty());
        let path = reached.ok_or(InvalidAnnotation::Place)?.clone();
        if !is_primitive(keywords.get("type")) {
            return Err(InvalidAnnotation::Type);
        }
        found.push(HeaderParameter { field, path });
    }
    if let Some(Value::Object(properties)) = keywords.get("properties") {
        for (name, property) in properties {
            match path.as_deref_mut() {
                Some(path) => {
                    path.push(name.clone());
                    walk(property, Some(path), found)?;
                    path.pop();
                }
                None => walk(property, None, found)?,
            }
        }
    }
    for keyword in SUBSCHEMAS {
        match keywords.get(keyword) {
            Some(Value::Array(schemas)) => {
                schemas.iter().try_for_each(|schema| walk(schema, None, found))?;
            }
            Some(schema) => walk(schema, None, found)?,
            None => {}
        }
    }
    for keyword in MAPS_OF_SCHEMAS {
        if let Some(Value::Object(schemas)) = keywords.get(keyword) {
            schemas.values().try_for_each(|schema| walk(schema, None, found))?;
        }
    }
    Ok(())
}

fn field(name: &Value) -> Result<HeaderName, InvalidAnnotation> {
    let name = name.as_str().filter(|name| !name.is_empty()).ok_or(InvalidAnnotation::Name)?;
    // A header name is a token, as the annotation has to be (RFC 9110, 5.1).
    HeaderName::from_bytes(format!("{PREFIX}{name}").as_bytes())
        .map_err(|_| InvalidAnnotation::Name)
}

/// Whether values of this `type` can be carried. A parameter may be null as
/// well: then nothing is sent ("Server Behavior for Custom Headers").
fn is_primitive(of: Option<&Value>) -> bool {
    let is = |of: &Value| matches!(of.as_str(), Some("integer" | "string" | "boolean"));
    match of {
        Some(Value::Array(types)) => {
            let mut types = types.iter().filter(|of| **of != "null");
            types.next().is_some_and(is) && types.next().is_none()
        }
        Some(of) => is(of),
        None => false,
    }
}

impl HeaderParameter {
    /// What the field says for these arguments, not encoded yet; `None` if it is
    /// left out, because the argument is null or not given. Whether it is of the
    /// type that the schema names is for the server to say.
    ///
    /// # Errors
    /// [`Unrepeatable`] if the argument is given and no field can say it.
    pub fn value(&self, arguments: &Value) -> Result<Option<String>, Unrepeatable> {
        match self.argument(arguments) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(Value::Bool(holds)) => Ok(Some(holds.to_string())),
            Some(Value::Number(number)) => {
                let integer = integer(number).ok_or(Unrepeatable::Type)?;
                if integer.unsigned_abs() > LARGEST_SAFE {
                    return Err(Unrepeatable::UnsafeInteger);
                }
                Ok(Some(integer.to_string()))
            }
            Some(_) => Err(Unrepeatable::Type),
        }
    }

    /// Whether `said`, decoded, is what these arguments ask for; integers are
    /// compared by their value ("Server Validation"). Where the arguments ask for
    /// nothing, anything may be said; where they ask for something, nothing is
    /// wrong, be it that no field could say it.
    pub fn agrees(&self, said: Option<&str>, arguments: &Value) -> bool {
        let Some(argument) = self.argument(arguments) else { return true };
        let Some(said) = said else { return false };
        match (self.value(arguments), argument) {
            (Ok(Some(expected)), Value::Number(_)) => {
                let number = |text: &str| text.parse::<f64>().ok();
                number(said) == number(&expected)
            }
            (Ok(expected), _) => expected.as_deref() == Some(said),
            (Err(_), _) => false,
        }
    }

    /// The value at the parameter's path; `None` for null as well, which no field
    /// stands for.
    fn argument<'a>(&self, arguments: &'a Value) -> Option<&'a Value> {
        let value = self.path.iter().try_fold(arguments, |within, name| within.get(name))?;
        (!value.is_null()).then_some(value)
    }
}

/// The integer that a number is, written `42` or `42.0`; one beyond 64 bits is
/// as unsafe as the largest that fits.
fn integer(number: &serde_json::Number) -> Option<i64> {
    if let Some(integer) = number.as_i64() {
        return Some(integer);
    }
    let value = number.as_f64().filter(|value| value.fract() == 0.0)?;
    // The conversion keeps to the ends of the range.
    Some(value as i64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn annotated(of: Value, name: Value) -> Value {
        json!({ "type": of, "x-mcp-header": name })
    }

    fn properties(properties: Value) -> Value {
        json!({ "type": "object", "properties": properties })
    }

    #[test]
    fn parameters_are_found_at_any_depth_of_properties() {
        let schema = properties(json!({
            "region": annotated(json!("string"), json!("Region")),
            "query": { "type": "string" },
            "options": properties(json!({ "dry": annotated(json!("boolean"), json!("Dry-Run")) })),
            "limit": annotated(json!(["integer", "null"]), json!("Limit")),
            // A parameter may have the annotation's name.
            "x-mcp-header": { "type": "string" },
        }));
        let found = read(&schema).unwrap();
        let fields: Vec<_> = found.iter().map(|found| found.field.as_str()).collect();
        assert_eq!(fields, ["mcp-param-region", "mcp-param-dry-run", "mcp-param-limit"]);
        let arguments = json!({ "region": " us ", "options": { "dry": true }, "limit": 42.0 });
        let values: Vec<_> = found.iter().map(|found| found.value(&arguments).unwrap()).collect();
        assert_eq!(values, [Some(" us ".into()), Some("true".into()), Some("42".into())]);
        let arguments = json!({ "options": null, "limit": null });
        assert!(found.iter().all(|found| found.value(&arguments).unwrap().is_none()));
    }

    #[test]
    fn what_breaks_the_rules_is_told_apart() {
        let string = json!("string");
        let one = |schema: Value| properties(json!({ "one": schema }));
        let region = annotated(string.clone(), json!("Region"));
        for (schema, expected) in [
            (one(annotated(string.clone(), json!(""))), InvalidAnnotation::Name),
            (one(annotated(string.clone(), json!("a b"))), InvalidAnnotation::Name),
            (one(annotated(string.clone(), json!("a\r\nb"))), InvalidAnnotation::Name),
            (one(annotated(string.clone(), json!("r\u{e9}gion"))), InvalidAnnotation::Name),
            (one(annotated(string.clone(), json!(7))), InvalidAnnotation::Name),
            (one(annotated(json!("number"), json!("N"))), InvalidAnnotation::Type),
            (one(annotated(json!("object"), json!("N"))), InvalidAnnotation::Type),
            (one(annotated(json!(["string", "integer"]), json!("N"))), InvalidAnnotation::Type),
            (one(json!({ "x-mcp-header": "N" })), InvalidAnnotation::Type),
            (region.clone(), InvalidAnnotation::Place),
            (one(json!({ "type": "array", "items": region })), InvalidAnnotation::Place),
            (one(json!({ "oneOf": [{ "type": "null" }, region] })), InvalidAnnotation::Place),
            (json!({ "allOf": [one(region.clone())] }), InvalidAnnotation::Place),
            (json!({ "$defs": { "region": region } }), InvalidAnnotation::Place),
            (
                properties(json!({
                    "one": region,
                    "two": annotated(string.clone(), json!("rEGION")),
                })),
                InvalidAnnotation::Repeated,
            ),
        ] {
            assert_eq!(read(&schema), Err(expected), "{schema}");
        }
        // What is data is no schema.
        let data = one(json!({ "type": "object", "default": region, "enum": [region] }));
        assert_eq!(read(&data), Ok(Vec::new()));
    }

    #[test]
    fn what_no_field_can_say_agrees_with_nothing() {
        let schema = properties(json!({ "n": annotated(json!("integer"), json!("N")) }));
        let found = read(&schema).unwrap().remove(0);
        for (argument, reason) in [
            (json!(1.5), Unrepeatable::Type),
            (json!([1]), Unrepeatable::Type),
            (json!({ "one": 1 }), Unrepeatable::Type),
            (json!(9_007_199_254_740_992_i64), Unrepeatable::UnsafeInteger),
            (json!(1e300), Unrepeatable::UnsafeInteger),
        ] {
            let arguments = json!({ "n": argument });
            assert_eq!(found.value(&arguments), Err(reason));
            assert!(!found.agrees(None, &arguments));
            assert!(!found.agrees(Some(&argument.to_string()), &arguments));
        }
        for arguments in [json!({}), json!({ "n": null }), json!(null)] {
            assert_eq!(found.value(&arguments), Ok(None));
            assert!(found.agrees(None, &arguments));
        }
    }

    #[test]
    fn integers_are_safe_or_refused() {
        let schema = properties(json!({ "n": annotated(json!("integer"), json!("N")) }));
        let found = read(&schema).unwrap().remove(0);
        let value = |n: Value| found.value(&json!({ "n": n }));
        assert_eq!(value(json!(9_007_199_254_740_991_i64)), Ok(Some("9007199254740991".into())));
        assert_eq!(value(json!(-7)), Ok(Some("-7".into())));
        assert_eq!(value(json!(9_007_199_254_740_992_i64)), Err(Unrepeatable::UnsafeInteger));
        assert_eq!(value(json!(u64::MAX)), Err(Unrepeatable::UnsafeInteger));
        assert!(found.agrees(Some("42.0"), &json!({ "n": 42 })));
        assert!(!found.agrees(Some("43"), &json!({ "n": 42 })));
        assert!(!found.agrees(None, &json!({ "n": 42 })));
        assert!(found.agrees(Some("anything"), &json!({})));
    }
}
