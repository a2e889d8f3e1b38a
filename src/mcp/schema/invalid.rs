//! What is wrong with a message: [`Invalid`], a place and what was expected
//! there.

use std::fmt;

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

/// How many values are named where one of several was expected.
const NAMED: usize = 12;

/// The first thing of a message that is not as the revision says.
///
/// The words are ours: nothing of the message is repeated but the names of
/// members on the way to the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Invalid {
    /// The type that the message was held against, by its name in the schema.
    pub name: String,
    /// The place in the message, as a JSON pointer; empty for the whole.
    pub pointer: String,
    /// What was expected there: `a string`, `the member "name"`.
    pub expected: String,
}

impl fmt::Display for Invalid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.name.is_empty() {
            write!(formatter, "as {}, ", self.name)?;
        }
        match self.pointer.as_str() {
            "" => write!(formatter, "expected {}", self.expected),
            place => write!(formatter, "at `{place}`, expected {}", self.expected),
        }
    }
}

impl Invalid {
    /// What is no message of any type.
    pub(super) fn no_message(expected: &str) -> Self {
        Invalid { name: String::new(), pointer: String::new(), expected: expected.to_owned() }
    }

    /// What a validator says of a value that was held against the type `name`.
    pub(super) fn new(name: &str, error: &ValidationError<'_>) -> Self {
        let error = innermost(error);
        Invalid {
            name: name.to_owned(),
            pointer: error.instance_path().to_string(),
            expected: expected(error.kind()),
        }
    }

    /// The same of a value that stands at `pointer` in the message.
    pub(super) fn within(self, pointer: &str) -> Self {
        Invalid { pointer: format!("{pointer}{}", self.pointer), ..self }
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
