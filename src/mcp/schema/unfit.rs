//! What is not as a type says: [`Unfit`], a place and what was expected there. It
//! costs next to nothing to make, for a value that fits one of several types is
//! unfit for the others first; what is said of it is made in the end.

use serde_json::{Number, Value};

use super::types::Kind;

/// How many values are named where one of several was expected.
const NAMED: usize = 12;

/// The first thing in a value that is not as its type says.
#[derive(Debug, PartialEq)]
pub(super) struct Unfit<'a> {
    /// The way to it, from the inside outwards.
    way: Vec<Step<'a>>,
    /// What was expected there.
    pub expected: Expected<'a>,
}

/// A step into a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step<'a> {
    Item(usize),
    Member(&'a str),
}

/// What was expected.
#[derive(Debug, PartialEq)]
pub(super) enum Expected<'a> {
    /// A value of one of these kinds.
    Kinds(&'a [Kind]),
    /// One of these values.
    Values(&'a [Value]),
    /// One of these values, which stand in several types.
    ValueOf(Vec<&'a Value>),
    /// A member of this name.
    Member(&'a str),
    AtLeast(&'a Number),
    AtMost(&'a Number),
    AtMostItems(usize),
    /// One of these.
    Either(Vec<Expected<'a>>),
    /// One of several types that are too different to be told in a few words.
    OneOfTypes,
}

impl<'a> Unfit<'a> {
    /// The value itself is not what was expected.
    pub fn here(expected: Expected<'a>) -> Self {
        Unfit { way: Vec::new(), expected }
    }

    /// The same of a value that has it as a part.
    pub fn within(mut self, step: Step<'a>) -> Self {
        self.way.push(step);
        self
    }

    /// The way to the place, from the inside outwards.
    pub fn way(&self) -> &[Step<'a>] {
        &self.way
    }

    /// The place, as a JSON pointer (RFC 6901).
    pub fn pointer(&self) -> String {
        let mut pointer = String::new();
        for step in self.way.iter().rev() {
            pointer.push('/');
            match step {
                Step::Item(index) => pointer.push_str(&index.to_string()),
                Step::Member(name) => {
                    pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
                }
            }
        }
        pointer
    }
}

impl Expected<'_> {
    /// It in words.
    pub fn in_words(&self) -> String {
        match self {
            Expected::Kinds(kinds) => {
                let mut kinds = kinds.to_vec();
                kinds.sort_unstable();
                or(kinds.into_iter().map(|kind| kind.as_words().to_owned()))
            }
            Expected::Values(values) => one_of(values.iter()),
            Expected::ValueOf(values) => one_of(values.iter().copied()),
            Expected::Member(name) => format!("the member {}", Value::from(*name)),
            Expected::AtLeast(limit) => format!("no less than {limit}"),
            Expected::AtMost(limit) => format!("no more than {limit}"),
            Expected::AtMostItems(limit) => format!("no more than {limit} items"),
            Expected::Either(several) => or(several.iter().map(Expected::in_words)),
            Expected::OneOfTypes => "one of the types that are allowed here".to_owned(),
        }
    }
}

/// All of them, the same one once.
fn or(several: impl Iterator<Item = String>) -> String {
    let mut named: Vec<String> = Vec::new();
    for one in several {
        if !named.contains(&one) {
            named.push(one);
        }
    }
    named.join(" or ")
}

fn one_of<'a>(values: impl Iterator<Item = &'a Value>) -> String {
    let values: Vec<String> = values.map(Value::to_string).collect();
    match values.as_slice() {
        [only] => only.clone(),
        some if some.len() <= NAMED => format!("one of {}", some.join(", ")),
        many => format!("one of {} and {} more", many[..NAMED].join(", "), many.len() - NAMED),
    }
}
