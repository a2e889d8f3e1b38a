//! The restricted JSON Schema of a form: [`RequestedSchema`]
//! (client/elicitation, "Requested Schema").

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::mcp::Revision;

/// A schema that a server may ask a form for: an object with flat properties.
#[derive(Clone, Debug)]
pub struct RequestedSchema<'a> {
    properties: &'a Map<String, Value>,
    required: Vec<&'a str>,
    revision: Revision,
}

/// Why a schema is not one that may be asked for. The words are ours: nothing
/// of the schema is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaFault {
    /// The root is no object schema with `properties`.
    #[error("it is not an object schema with properties")]
    NotAnObject,
    /// A property is of a type that forms do not have.
    #[error("a property is not of a type that forms have")]
    Type,
    /// A keyword of a property has a value of another kind.
    #[error("a keyword of a property has a value that it cannot have")]
    Keyword,
    /// The choices are not a list of strings, or there are none.
    #[error("the choices of a property are not a list of strings")]
    Choices,
    /// `required` is not a list of properties.
    #[error("`required` is not a list of its properties")]
    Required,
}

/// The formats that a string may have.
const FORMATS: [&str; 4] = ["email", "uri", "date", "date-time"];

impl<'a> RequestedSchema<'a> {
    /// Reads a schema as `revision` allows it.
    ///
    /// # Errors
    /// [`SchemaFault`] if it goes beyond the subset.
    pub fn new(schema: &'a Value, revision: Revision) -> Result<Self, SchemaFault> {
        let properties = schema["properties"].as_object();
        let properties =
            properties.filter(|_| schema["type"] == "object").ok_or(SchemaFault::NotAnObject)?;
        for property in properties.values() {
            check_property(property, revision)?;
        }
        let required = match schema.get("required") {
            None => Vec::new(),
            Some(names) => names
                .as_array()
                .and_then(|names| names.iter().map(Value::as_str).collect::<Option<Vec<_>>>())
                .filter(|names| names.iter().all(|name| properties.contains_key(*name)))
                .ok_or(SchemaFault::Required)?,
        };
        Ok(RequestedSchema { properties, required, revision })
    }

    /// `content` with the default of each property that it lacks: what a form
    /// that was filled in beforehand, and left like that, would send.
    pub fn with_defaults(&self, mut content: Map<String, Value>) -> Map<String, Value> {
        for (name, property) in self.properties {
            let has_default = self.revision.has_every_elicitation_default()
                || property["type"].as_str() == Some("boolean");
            let default = property.get("default").filter(|default| fits(property, default));
            if let Some(default) = default.filter(|_| has_default) {
                content.entry(name.clone()).or_insert_with(|| default.clone());
            }
        }
        content
    }

    /// Whether `content` is what the form asks for: every required property is
    /// there, and each one that is there fits. Properties that were not asked
    /// for do not fit.
    pub fn holds(&self, content: &Map<String, Value>) -> bool {
        self.required.iter().all(|name| content.contains_key(*name))
            && content.iter().all(|(name, value)| {
                self.properties.get(name).is_some_and(|property| fits(property, value))
            })
    }
}

fn check_property(property: &Value, revision: Revision) -> Result<(), SchemaFault> {
    let has_lists = revision.has_elicitation_lists();
    match property["type"].as_str() {
        Some("string") => {
            sizes(property, ["minLength", "maxLength"])?;
            keyword(property, "pattern", Value::is_string)?;
            keyword(property, "format", |format| {
                format.as_str().is_some_and(|format| FORMATS.contains(&format))
            })?;
            choices(property).map(|_| ())
        }
        Some("number" | "integer") => {
            keyword(property, "minimum", Value::is_number)?;
            keyword(property, "maximum", Value::is_number)
        }
        Some("boolean") => keyword(property, "default", Value::is_boolean),
        Some("array") if has_lists => {
            sizes(property, ["minItems", "maxItems"])?;
            choices(&property["items"])?.map(|_| ()).ok_or(SchemaFault::Choices)
        }
        _ => Err(SchemaFault::Type),
    }
}

fn sizes(property: &Value, names: [&str; 2]) -> Result<(), SchemaFault> {
    names.into_iter().try_for_each(|name| keyword(property, name, Value::is_u64))
}

fn keyword(property: &Value, name: &str, is: impl Fn(&Value) -> bool) -> Result<(), SchemaFault> {
    if property.get(name).is_none_or(is) { Ok(()) } else { Err(SchemaFault::Keyword) }
}

/// The values that can be chosen: `None` if the schema names none.
///
/// # Errors
/// [`SchemaFault::Choices`] if they are not a list of strings, or an empty one.
fn choices(schema: &Value) -> Result<Option<BTreeSet<&str>>, SchemaFault> {
    let titled = schema.get("oneOf").or_else(|| schema.get("anyOf"));
    let values = match (schema.get("enum"), titled) {
        (Some(plain), _) => strings(plain, |choice| choice),
        (None, Some(titled)) => strings(titled, |choice| &choice["const"]),
        (None, None) => return Ok(None),
    };
    values.filter(|values| !values.is_empty()).map(Some).ok_or(SchemaFault::Choices)
}

/// The string that `part` finds in each item of a list.
fn strings<'a>(list: &'a Value, part: fn(&'a Value) -> &'a Value) -> Option<BTreeSet<&'a str>> {
    list.as_array()?.iter().map(|item| part(item).as_str()).collect()
}

/// Whether a value is what its property asks for.
fn fits(property: &Value, value: &Value) -> bool {
    match property["type"].as_str() {
        Some("string") => value.as_str().is_some_and(|text| fits_string(property, text)),
        Some("integer") => is_integer(value) && fits_range(property, value),
        Some("number") => value.is_number() && fits_range(property, value),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.as_array().is_some_and(|items| fits_list(property, items)),
        _ => false,
    }
}

fn fits_string(property: &Value, text: &str) -> bool {
    let length = text.chars().count() as u64;
    let formatted = match property["format"].as_str() {
        Some("email") => is_email(text),
        Some("uri") => url::Url::parse(text).is_ok(),
        Some("date") => is_date(text),
        Some("date-time") => is_date_time(text),
        _ => true,
    };
    // A pattern that this dialect does not know is for the server to judge.
    let matches = property["pattern"]
        .as_str()
        .and_then(|pattern| regex::Regex::new(pattern).ok())
        .is_none_or(|pattern| pattern.is_match(text));
    let choices = choices(property).unwrap_or_default();
    let chosen = choices.is_none_or(|choices| choices.contains(text));
    within(property, ["minLength", "maxLength"], length) && formatted && matches && chosen
}

fn fits_list(property: &Value, items: &[Value]) -> bool {
    let choices = choices(&property["items"]).unwrap_or_default().unwrap_or_default();
    within(property, ["minItems", "maxItems"], items.len() as u64)
        && items.iter().all(|item| item.as_str().is_some_and(|item| choices.contains(item)))
}

fn within(property: &Value, [least, most]: [&str; 2], size: u64) -> bool {
    property[least].as_u64().is_none_or(|least| size >= least)
        && property[most].as_u64().is_none_or(|most| size <= most)
}

/// A whole number, whatever its form: JSON Schema counts 6.0 among them.
fn is_integer(value: &Value) -> bool {
    value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
}

fn fits_range(property: &Value, value: &Value) -> bool {
    let Some(number) = value.as_f64() else { return false };
    property["minimum"].as_f64().is_none_or(|minimum| number >= minimum)
        && property["maximum"].as_f64().is_none_or(|maximum| number <= maximum)
}

/// RFC 5321 in outline: something, one `@`, and a domain.
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let plain = |part: &str| !part.is_empty() && !part.contains(char::is_whitespace);
    plain(local) && !local.contains('@') && plain(domain)
}

/// RFC 3339, `full-date`.
fn is_date(text: &str) -> bool {
    let [year, month, day] = text.split('-').collect::<Vec<_>>()[..] else { return false };
    let (Some(year), Some(month), Some(day)) = (digits(year, 4), digits(month, 2), digits(day, 2))
    else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    (1..=12).contains(&month) && (1..=length).contains(&day)
}

/// RFC 3339, `date-time`.
fn is_date_time(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't']) else { return false };
    let (time, offset) = match time.strip_suffix(['Z', 'z']) {
        Some(time) => (time, None),
        None => match time.rsplit_once(['+', '-']) {
            Some((time, offset)) => (time, Some(offset)),
            None => return false,
        },
    };
    let (whole, fraction) = time.split_once('.').map_or((time, None), |(w, f)| (w, Some(f)));
    let clock = |text: &str, parts: &[u32]| {
        let numbers: Vec<_> = text.split(':').map(|part| digits(part, 2)).collect();
        numbers.len() == parts.len()
            && numbers.iter().zip(parts).all(|(number, most)| number.is_some_and(|n| n <= *most))
    };
    is_date(date)
        // A leap second is a second too.
        && clock(whole, &[23, 59, 60])
        && fraction.is_none_or(|fraction| {
            !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit())
        })
        && offset.is_none_or(|offset| clock(offset, &[23, 59]))
}

fn digits(text: &str, count: usize) -> Option<u32> {
    let plain = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}
