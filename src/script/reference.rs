//! Everything that a script can reach, in words: [`GROUPS`], a table of
//! [`Entry`]s.
//!
//! Rhai knows which functions are registered, but neither the names of their
//! parameters nor what they are for. A test holds that this table and the engine
//! agree, both ways.
//!
//! A signature is written in one of four ways:
//!
//! | signature | what it is |
//! |---|---|
//! | `tool(name: string, schema: map) -> Action` | a function; a method if its group has a receiver |
//! | `url: string` | a property; `url: string, settable` can be set too |
//! | `[index: integer] -> any` | an index |
//! | `List == array -> bool` | an operator |

mod host;
mod tables;

use std::fmt::Write as _;

pub use self::tables::GROUPS;

/// What scripts reach by one value, or by name alone.
#[derive(Debug)]
pub struct Group {
    /// Its heading: `server`.
    pub name: &'static str,
    /// The type and the name of the value before the dot; `None` for functions
    /// that are called by their name alone.
    pub receiver: Option<(&'static str, &'static str)>,
    /// What it is, in a sentence or two.
    pub sentence: &'static str,
    /// What there is, in the order in which it is best read.
    pub entries: &'static [Entry],
}

/// One thing that a script can reach: several signatures if it can be called in
/// several ways.
#[derive(Debug)]
pub struct Entry {
    /// How it is called.
    pub signatures: &'static [&'static str],
    /// What it does, in one sentence or a few.
    pub sentence: &'static str,
}

/// A signature, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signature<'a> {
    /// A function or a method.
    Function {
        /// Its name.
        name: &'a str,
        /// Name and type of each parameter.
        parameters: Vec<(&'a str, &'a str)>,
        /// The type of what it returns; `()` for nothing.
        returns: &'a str,
    },
    /// A property.
    Property {
        /// Its name.
        name: &'a str,
        /// Its type.
        of: &'a str,
        /// Whether it can be set.
        settable: bool,
    },
    /// An index.
    Index {
        /// Name and type of what stands between the brackets.
        parameter: (&'a str, &'a str),
        /// The type of what is found.
        returns: &'a str,
    },
    /// An operator between two types.
    Operator {
        /// The type on the left.
        left: &'a str,
        /// The operator.
        operator: &'a str,
        /// The type on the right.
        right: &'a str,
        /// The type of the result.
        returns: &'a str,
    },
}

impl<'a> Signature<'a> {
    /// Takes a signature apart; `None` if it is written in none of the ways.
    pub fn parse(text: &'a str) -> Option<Self> {
        let typed = |text: &'a str| text.split_once(": ");
        if let Some(index) = text.strip_prefix('[') {
            let (parameter, returns) = index.split_once("] -> ")?;
            return Some(Signature::Index { parameter: typed(parameter)?, returns });
        }
        if let Some((name, rest)) = text.split_once('(')
            && !name.contains([' ', ':'])
        {
            // What is returned may be `()` too.
            let (parameters, returns) = match rest.split_once(") -> ") {
                Some(both) => both,
                None => (rest.strip_suffix(')')?, "()"),
            };
            let parameters = parameters.split(", ").filter(|parameter| !parameter.is_empty());
            let parameters = parameters.map(typed).collect::<Option<Vec<_>>>()?;
            return Some(Signature::Function { name, parameters, returns });
        }
        if let Some((name, of)) = text.split_once(": ") {
            let without = of.strip_suffix(", settable");
            let settable = without.is_some();
            return Some(Signature::Property { name, of: without.unwrap_or(of), settable });
        }
        let mut words = text.split(' ');
        let (left, operator, right) = (words.next()?, words.next()?, words.next()?);
        let returns = words.next().filter(|arrow| *arrow == "->").and(words.next())?;
        Some(Signature::Operator { left, operator, right, returns })
    }
}

/// The table as Rhai's definitions (`.d.rhai`), which editors read.
pub fn definitions() -> String {
    let mut text = String::from("module static;\n");
    for group in GROUPS {
        for entry in group.entries {
            for signature in entry.signatures {
                let _ = write!(text, "\n/// {}\n", entry.sentence);
                if let Some(signature) = Signature::parse(signature) {
                    define(&mut text, group.receiver, &signature);
                }
            }
        }
    }
    text
}

fn define(text: &mut String, receiver: Option<(&str, &str)>, signature: &Signature<'_>) {
    let receiver = receiver.map(|(of, name)| (name, of));
    let mut function = |name: &str, parameters: &[(&str, &str)], returns: &str| {
        let all = receiver.iter().chain(parameters);
        let all: Vec<String> =
            all.map(|(name, of)| format!("{name}: {}", defined_type(of))).collect();
        let _ = writeln!(text, "fn {name}({}) -> {};", all.join(", "), defined_type(returns));
    };
    match signature {
        Signature::Function { name, parameters, returns } => function(name, parameters, returns),
        Signature::Property { name, of, settable } => {
            function(&format!("get {name}"), &[], of);
            if *settable {
                function(&format!("set {name}"), &[("value", of)], "()");
            }
        }
        Signature::Index { parameter, returns } => function("index$get$", &[*parameter], returns),
        Signature::Operator { left, operator, right, returns } => {
            let [left, right, returns] = [*left, *right, *returns].map(defined_type);
            let _ = writeln!(text, "op {operator}({left}, {right}) -> {returns};");
        }
    }
}

/// A type as Rhai's definitions name it.
fn defined_type(of: &str) -> &str {
    match of {
        "any" => "?",
        "string" => "String",
        "integer" => "int",
        "map" => "Map",
        "array" => "Array",
        "function" => "Fn",
        of if of.contains(' ') => "?",
        of => of,
    }
}

#[cfg(test)]
mod tests;
