//! The JSON Schemas that servers write for their tools (2025-11-25 and 2026-07-28,
//! basic, "JSON Schema Usage"): whether one is valid, and whether a value fits it.
//!
//! Nothing is fetched, and a dialect that is not known here is not judged. A pattern
//! that goes back too often says so and is given up. References are followed by
//! recursion, so their number is bounded.

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{Draft, ValidationError};
use serde_json::Value;

use super::schema::Invalid;

/// How many references may be followed, one within the other: as many as a schema
/// has for each level of the value. The validator takes some kilobytes of stack
/// for each; a worker has 256 MiB.
const REFERENCE_LIMIT: usize = 10_000;

/// What is wrong with `schema` by its own dialect, which is 2020-12 unless it says
/// otherwise; `None` if nothing is, or if the dialect is not known.
pub fn wrong_schema(schema: &Value) -> Option<String> {
    let validator = match dialect(schema)? {
        Draft::Draft4 => jsonschema::draft4::meta::validate,
        Draft::Draft6 => jsonschema::draft6::meta::validate,
        Draft::Draft7 => jsonschema::draft7::meta::validate,
        Draft::Draft201909 => jsonschema::draft201909::meta::validate,
        _ => jsonschema::draft202012::meta::validate,
    };
    let error = validator(schema).err()?;
    Some(invalid("JSON Schema", &error).to_string())
}

/// Why `value` does not fit `schema`; `None` if it does, or if that cannot be told
/// here: the schema is invalid, refers to what stands elsewhere, has a dialect that
/// is not known, or has too many references for a value of this depth.
pub fn misfit(schema: &Value, value: &Value) -> Option<String> {
    if references(schema).saturating_mul(depth(value)) > REFERENCE_LIMIT {
        return None;
    }
    let validator = jsonschema::options().with_draft(dialect(schema)?).build(schema).ok()?;
    let error = validator.iter_errors(value).next()?;
    Some(invalid("", &error).to_string())
}

/// The keywords of all dialects that refer to another place.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// How many references a schema has; a member of this name that is none counts too.
fn references(schema: &Value) -> usize {
    match schema {
        Value::Array(items) => items.iter().map(references).sum(),
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| {
                usize::from(REFERENCES.contains(&name.as_str())) + references(member)
            })
            .sum(),
        _ => 0,
    }
}

/// How many levels a value has.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or_default(),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or_default(),
        _ => 1,
    }
}

/// The dialect that a schema names, or 2020-12.
fn dialect(schema: &Value) -> Option<Draft> {
    let Some(named) = schema.get("$schema") else { return Some(Draft::Draft202012) };
    let address = named.as_str()?.trim_end_matches('#');
    let (_, name) = address.split_once("://json-schema.org/")?;
    match name {
        "draft/2020-12/schema" => Some(Draft::Draft202012),
        "draft/2019-09/schema" => Some(Draft::Draft201909),
        "draft-07/schema" => Some(Draft::Draft7),
        "draft-06/schema" => Some(Draft::Draft6),
        "draft-04/schema" => Some(Draft::Draft4),
        _ => None,
    }
}

/// How many values are named where one of several was expected.
const NAMED: usize = 12;

/// What a validator says of a value that was held against the type `name`.
fn invalid(name: &str, error: &ValidationError<'_>) -> Invalid {
    let error = innermost(error);
    Invalid {
        name: name.to_owned(),
        pointer: error.instance_path().to_string(),
        expected: expected(error.kind()),
    }
}

/// Where a value fits none of several types: what is wrong with it as the one
/// that it was meant for, if its constants tell which that is.
fn innermost<'a, 'e>(error: &'a ValidationError<'e>) -> &'a ValidationError<'e> {
    let Kind::AnyOf { context } = error.kind() else { return error };
    let is_meant = |branch: &&Vec<ValidationError<'static>>| {
        branch.iter().all(|error| match error.kind() {
            Kind::Constant { .. } => false,
            Kind::Type { .. } => !error.instance_path().as_str().is_empty(),
            _ => true,
        })
    };
    let mut meant = context.iter().filter(is_meant);
    match (meant.next().and_then(|branch| branch.first()), meant.next()) {
        (Some(inner), None) => innermost(inner),
        _ => error,
    }
}

fn expected(kind: &Kind) -> String {
    match kind {
        Kind::Required { property } => format!("the member {property}"),
        Kind::Type { kind: TypeKind::Single(one) } => type_name(&one.to_string()),
        Kind::Type { kind: TypeKind::Multiple(several) } => {
            let names: Vec<String> =
                several.iter().map(|one| type_name(&one.to_string())).collect();
            names.join(" or ")
        }
        Kind::Constant { expected_value } => expected_value.to_string(),
        Kind::Enum { options } => one_of(options),
        Kind::Minimum { limit } => format!("no less than {limit}"),
        Kind::Maximum { limit } => format!("no more than {limit}"),
        Kind::MaxItems { limit } => format!("no more than {limit} items"),
        Kind::AnyOf { .. } => "one of the types that are allowed here".to_owned(),
        Kind::AdditionalProperties { .. } => "no other members".to_owned(),
        other => format!("what `{}` says in the schema", other.keyword()),
    }
}

fn one_of(options: &Value) -> String {
    let values: Vec<String> =
        options.as_array().into_iter().flatten().map(Value::to_string).collect();
    match values.as_slice() {
        [] => "a known value".to_owned(),
        [only] => only.clone(),
        some if some.len() <= NAMED => format!("one of {}", some.join(", ")),
        many => format!("one of {} and {} more", many[..NAMED].join(", "), many.len() - NAMED),
    }
}

/// A JSON type in words.
fn type_name(word: &str) -> String {
    match word {
        "array" | "integer" | "object" => format!("an {word}"),
        "null" => word.to_owned(),
        _ => format!("a {word}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_type_that_there_is_not_is_wrong_wherever_it_stands() {
        let within = |kind| json!({ "type": "object", "properties": { "q": { "type": kind } } });
        assert_eq!(wrong_schema(&within("string")), None);
        let said = wrong_schema(&within("strin")).unwrap();
        assert!(said.starts_with("as JSON Schema, at `/properties/q/type`"), "{said}");
        let mut draft_7 = within("strin");
        draft_7["$schema"] = json!("http://json-schema.org/draft-07/schema#");
        assert!(wrong_schema(&draft_7).is_some());
        draft_7["$schema"] = json!("https://example.com/own");
        assert_eq!(wrong_schema(&draft_7), None, "nobody here knows that dialect");
    }

    #[test]
    fn a_value_is_held_against_what_can_be_read_here() {
        let schema = json!({ "type": "object", "required": ["n"] });
        assert_eq!(misfit(&schema, &json!({ "n": 1 })), None);
        assert_eq!(misfit(&schema, &json!({})).unwrap(), "expected the member \"n\"");
        let elsewhere = json!({ "$ref": "https://example.com/other" });
        assert_eq!(misfit(&elsewhere, &json!(1)), None, "nothing is fetched");
    }

    /// References in a row: as many as are followed, and far too many.
    #[test]
    fn a_schema_of_references_ends_no_process() {
        let chain = |length: usize| {
            let place = |index: usize| format!("#/$defs/{index}");
            let mut types = serde_json::Map::new();
            types.insert(length.to_string(), json!({ "type": "string" }));
            for index in 1..length {
                types.insert(index.to_string(), json!({ "$ref": place(index + 1) }));
            }
            json!({ "$defs": types, "$ref": place(1) })
        };
        let judged = move |length| misfit(&chain(length), &json!(1));
        let most = std::thread::Builder::new().stack_size(128 << 20);
        let said = most.spawn(move || judged(REFERENCE_LIMIT)).unwrap().join().unwrap();
        assert_eq!(said.unwrap(), "expected a string");
        assert_eq!(judged(100_000), None);
        // Each level of a value may follow all of them once more.
        assert_eq!(misfit(&chain(REFERENCE_LIMIT), &json!([[1]])), None);
    }
}
