//! How a function of the API is written: [`Signature`].
//!
//! | signature | what it is |
//! |---|---|
//! | `tool(name: string) -> Action` | a function; a method if its group has a receiver |
//! | `url: string` | a property; `url: string, settable` can be set too |
//! | `[index: integer] -> any` | an index |
//! | `List == array -> bool` | an operator |

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

    /// Whether this is what was written for a function that takes `parameters` and
    /// returns `returns`. A value of any type may be told more closely.
    pub(super) fn agrees(&self, parameters: &[&str], returns: &str) -> bool {
        let is_told = |real: &str, told: &str| real == "any" || real == told;
        let are_told = |told: &[&str]| {
            parameters.len() == told.len()
                && parameters.iter().zip(told).all(|(real, told)| is_told(real, told))
        };
        let types =
            |named: &[(&str, &'a str)]| -> Vec<&str> { named.iter().map(|(_, of)| *of).collect() };
        match self {
            Signature::Function { parameters: told, returns: of, .. } => {
                are_told(&types(told)) && is_told(returns, of)
            }
            Signature::Property { of, .. } => are_told(&[]) && is_told(returns, of),
            Signature::Index { parameter, returns: of } => {
                are_told(&[parameter.1]) && is_told(returns, of)
            }
            Signature::Operator { left, right, returns: of, .. } => {
                are_told(&[left, right]) && is_told(returns, of)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_taken_apart() {
        assert_eq!(
            Signature::parse("f(a: string, b: map) -> string or ()"),
            Some(Signature::Function {
                name: "f",
                parameters: vec![("a", "string"), ("b", "map")],
                returns: "string or ()",
            })
        );
        assert_eq!(
            Signature::parse("f()"),
            Some(Signature::Function { name: "f", parameters: vec![], returns: "()" })
        );
        assert_eq!(
            Signature::parse("body: string or (), settable"),
            Some(Signature::Property { name: "body", of: "string or ()", settable: true })
        );
        assert_eq!(Signature::parse("no signature"), None);
    }

    #[test]
    fn a_signature_agrees_with_what_its_function_takes() {
        let agrees = |text: &str, parameters: &[&str], returns: &str| {
            Signature::parse(text).is_some_and(|told| told.agrees(parameters, returns))
        };
        assert!(agrees("f(a: string, b: map) -> List", &["string", "map"], "List"));
        assert!(agrees("f(a: string) -> string or ()", &["any"], "any"));
        assert!(agrees("f()", &[], "()"));
        assert!(agrees("len: integer", &[], "integer"));
        assert!(agrees("[name: string] -> absent", &["string"], "absent"));
        assert!(agrees("List == array -> bool", &["List", "array"], "bool"));
        assert!(!agrees("f(a: string, b: map)", &["string"], "()"));
        assert!(!agrees("f(a: string, b: map)", &["map", "string"], "()"));
        assert!(!agrees("f(a: any)", &["string"], "()"));
        assert!(!agrees("f() -> List", &[], "array"));
        assert!(!agrees("len: integer", &[], "bool"));
        assert!(!agrees("List == array -> bool", &["array", "List"], "bool"));
    }
}
