//! What is wrong with a message: [`Invalid`], a place and what was expected
//! there.

use std::fmt;

use super::unfit::Unfit;

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
    /// The same in each message in which the same is wrong: any item of a list
    /// stands for the others, and a type has its oldest name at every revision,
    /// that of the result where a later one names the whole response.
    pub fn cause(&self) -> String {
        let is_index = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
        let parts = self.pointer.split('/').map(|part| match part {
            "" => "",
            part if is_index(&part) => "*",
            part => part,
        });
        let pointer = parts.collect::<Vec<&str>>().join("/");
        let name = match self.name.as_str() {
            "JSONRPCErrorResponse" => "JSONRPCError",
            "JSONRPCResultResponse" => "JSONRPCResponse",
            name => name
                .strip_suffix("Response")
                .filter(|name| name.ends_with("Result"))
                .unwrap_or(name),
        };
        Invalid { pointer, name: name.to_owned(), expected: self.expected.clone() }.to_string()
    }

    /// What is no message of any type.
    pub(super) fn no_message(expected: &str) -> Self {
        Invalid { name: String::new(), pointer: String::new(), expected: expected.to_owned() }
    }

    /// What is not as the type `name` says.
    pub(super) fn new(name: &str, unfit: &Unfit<'_>) -> Self {
        Invalid {
            name: name.to_owned(),
            pointer: unfit.pointer(),
            expected: unfit.expected.in_words(),
        }
    }

    /// The same of a value that stands at `pointer` in the message.
    pub(super) fn within(self, pointer: &str) -> Self {
        Invalid { pointer: format!("{pointer}{}", self.pointer), ..self }
    }
}
