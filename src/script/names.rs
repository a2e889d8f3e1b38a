//! What a script can reach, by name: for diagnostics that say what fits. The main
//! type is [`Names`].

use rhai::Engine;

use super::api::{Group, Signature};
use super::types::type_word;

/// Every name that a script can reach.
#[derive(Debug, Default)]
pub(super) struct Names {
    known: Vec<Known>,
    /// Functions of the support code, with their module: `wire::accept_header`.
    pub(super) support: Vec<String>,
    /// Functions of the script itself.
    pub(super) own: Vec<String>,
}

/// A function or a property.
#[derive(Clone, Debug)]
struct Known {
    name: String,
    /// The word for the type that it belongs to; `None` for functions that are
    /// called by their name alone.
    of: Option<String>,
    is_property: bool,
    /// The type of the values that it can be set to.
    settable: Option<&'static str>,
    /// How it is called: `equal(id: string, actual: any, expected: any)`.
    shown: String,
}

impl Names {
    /// The names of the API, which `groups` tells, and those of Rhai's own strings,
    /// arrays and maps in `engine`.
    pub(super) fn of(engine: &Engine, groups: &'static [Group]) -> Self {
        let mut known = Vec::new();
        for group in groups {
            let of = group.receiver.map(|(of, _)| type_word(of));
            for text in group.entries.iter().flat_map(|entry| &entry.signatures) {
                let (name, is_property, settable) = match Signature::parse(text) {
                    Some(Signature::Function { name, .. }) => (name, false, None),
                    Some(Signature::Property { name, of, settable }) => {
                        (name, true, settable.then_some(of))
                    }
                    _ => continue,
                };
                let (name, of) = (name.to_owned(), of.clone());
                let shown = text.split(" -> ").next().unwrap_or(text).to_owned();
                known.push(Known { name, of, is_property, settable, shown });
            }
        }
        for signature in engine.gen_fn_signatures(true) {
            let Some((name, parameters)) = signature.split_once('(') else { continue };
            let of =
                parameters.split_once(": ").and_then(|(_, rest)| rest.split([',', ')']).next());
            let of = of.map(type_word).filter(|of| RHAI.contains(&of.as_str()));
            if of.is_none() || !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
                continue;
            }
            let (name, is_property) = match name.strip_prefix("get$") {
                Some(name) => (name, true),
                None if name.contains('$') => continue,
                None => (name, false),
            };
            let shown = format!("{name}(…)");
            known.push(Known { name: name.to_owned(), of, is_property, settable: None, shown });
        }
        Names { known, ..Names::default() }
    }

    /// Functions that are called on a value of a type.
    pub(super) fn functions<'a>(&'a self, of: &'a str) -> impl Iterator<Item = &'a str> {
        self.of_type(of).filter(|known| !known.is_property).map(|known| &*known.name)
    }

    /// Properties of a value of a type.
    pub(super) fn properties<'a>(&'a self, of: &'a str) -> impl Iterator<Item = &'a str> {
        self.of_type(of).filter(|known| known.is_property).map(|known| &*known.name)
    }

    /// What can be set as the property of a type, if it can be set.
    pub(super) fn settable(&self, property: &str, of: &str) -> Option<&'static str> {
        self.of_type(of).find(|known| known.name == property)?.settable
    }

    fn of_type<'a>(&'a self, of: &'a str) -> impl Iterator<Item = &'a Known> {
        self.known.iter().filter(move |known| known.of.as_deref() == Some(of))
    }

    /// Functions that are called by their name alone.
    pub(super) fn bare(&self) -> impl Iterator<Item = &str> {
        let bare = self.known.iter().filter(|known| known.of.is_none());
        bare.map(|known| &*known.name).chain(self.own.iter().map(String::as_str))
    }

    /// How a function is called, each way once; `of` is the type that it belongs to.
    pub(super) fn shown<'a>(&'a self, name: &'a str, of: Option<&'a str>) -> Vec<&'a str> {
        let mut ways: Vec<&str> = Vec::new();
        for known in self.known.iter().filter(|known| known.name == name) {
            if known.of.as_deref() == of && !known.is_property && !ways.contains(&&*known.shown) {
                ways.push(&known.shown);
            }
        }
        ways
    }

    /// The types that have this name.
    pub(super) fn owners<'a>(&'a self, name: &'a str) -> Vec<&'a str> {
        let owners = self.known.iter().filter(|known| known.name == name);
        let mut owners: Vec<&str> = owners.filter_map(|known| known.of.as_deref()).collect();
        owners.sort_unstable();
        owners.dedup();
        owners
    }
}

/// Rhai's own types that have functions worth a suggestion.
const RHAI: [&str; 7] = ["string", "array", "map", "blob", "integer", "float", "character"];
