//! What a table says of one type: [`Type`], read by its keywords.
//!
//! A keyword that is not known here makes a table unreadable, so that none is
//! passed over: `.ci/wire-tables.py` takes over these thirteen and no others.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Deserializer, de};
use serde_json::{Number, Value};

/// The types of one revision, by their names.
pub(super) type Types = HashMap<String, Type>;

/// One type. What a keyword says nothing of can be anything.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Type {
    /// The name of another type, which has to fit as well.
    #[serde(rename = "$ref", deserialize_with = "name")]
    pub reference: Option<String>,
    /// Of which kind a value is: of one of these.
    #[serde(rename = "type")]
    pub kinds: Kinds,
    /// What a value is equal to.
    #[serde(rename = "const", deserialize_with = "present")]
    pub constant: Option<Value>,
    /// To one of which a value is equal.
    #[serde(rename = "enum")]
    pub options: Option<Vec<Value>>,
    /// The least number.
    pub minimum: Option<Number>,
    /// The greatest number.
    pub maximum: Option<Number>,
    /// How many items an array has at most.
    pub max_items: Option<usize>,
    /// The members that an object has.
    pub required: Vec<String>,
    /// What the members of an object are if it has them, by their names.
    pub properties: BTreeMap<String, Type>,
    /// What its other members are.
    pub additional_properties: Option<Box<Type>>,
    /// What each item of an array is.
    pub items: Option<Box<Type>>,
    /// All of which have to fit.
    pub all_of: Vec<Type>,
    /// One of which has to fit, if there are any.
    pub any_of: Vec<Type>,
}

impl Type {
    /// The values that this type names, one of which it is.
    pub fn values(&self) -> Option<&[Value]> {
        self.constant.as_ref().map(std::slice::from_ref).or(self.options.as_deref())
    }
}

/// The kinds of values that a type takes; any if it names none.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Kinds {
    One(Kind),
    Several(Vec<Kind>),
}

impl Default for Kinds {
    fn default() -> Self {
        Kinds::Several(Vec::new())
    }
}

impl Kinds {
    pub fn as_slice(&self) -> &[Kind] {
        match self {
            Kinds::One(kind) => std::slice::from_ref(kind),
            Kinds::Several(kinds) => kinds,
        }
    }

    /// Whether `value` is of one of the kinds.
    pub fn take(&self, value: &Value) -> bool {
        let kinds = self.as_slice();
        kinds.is_empty() || kinds.iter().any(|kind| kind.is_of(value))
    }
}

/// A kind of JSON values, in the order in which they are named.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Array,
    Boolean,
    Integer,
    Null,
    Number,
    Object,
    String,
}

impl Kind {
    /// Whether `value` is of this kind. A number is an integer by its value: 3, 3.0
    /// and 3e5 are, however large they may be.
    fn is_of(self, value: &Value) -> bool {
        match (self, value) {
            (Kind::Array, Value::Array(_))
            | (Kind::Boolean, Value::Bool(_))
            | (Kind::Null, Value::Null)
            | (Kind::Number, Value::Number(_))
            | (Kind::Object, Value::Object(_))
            | (Kind::String, Value::String(_)) => true,
            (Kind::Integer, Value::Number(number)) => {
                !number.is_f64() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
            }
            _ => false,
        }
    }

    /// It in words.
    pub fn as_words(self) -> &'static str {
        match self {
            Kind::Array => "an array",
            Kind::Boolean => "a boolean",
            Kind::Integer => "an integer",
            Kind::Null => "null",
            Kind::Number => "a number",
            Kind::Object => "an object",
            Kind::String => "a string",
        }
    }
}

/// The name of the type to which a reference leads.
fn name<'de, D: Deserializer<'de>>(place: D) -> Result<Option<String>, D::Error> {
    let place = String::deserialize(place)?;
    match place.strip_prefix("#/$defs/") {
        Some(name) => Ok(Some(name.to_owned())),
        None => Err(de::Error::custom("a reference leads to another type of its table")),
    }
}

/// What is there, null too.
fn present<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(value).map(Some)
}
