//! Where something does not hold, in as few words as it takes: [`smallest`].

use std::collections::BTreeSet;
use std::fmt;

use crate::mcp::Revision;

/// A place in which a claim was decided: one execution of its check.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Where {
    /// The case, if the check has cases.
    pub case: Option<String>,
    /// The revision of the profile.
    pub revision: Revision,
    /// The profile's name.
    pub profile: String,
}

/// What an entry says of where it counts; what is empty stands for everywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// The cases.
    pub cases: Vec<String>,
    /// The revisions.
    pub revisions: Vec<Revision>,
    /// The profiles.
    pub profiles: Vec<String>,
}

/// As it stands in an entry: `revision: 2025-11-25, case: [a, b]`.
impl fmt::Display for Scope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.pairs().join(", "))
    }
}

impl Scope {
    /// The keys of an entry that say it, each with its value.
    pub(super) fn pairs(&self) -> Vec<String> {
        let revisions: Vec<&str> = self.revisions.iter().map(|one| one.as_str()).collect();
        let cases = self.cases.iter().map(String::as_str).collect();
        let profiles = self.profiles.iter().map(String::as_str).collect();
        [("case", cases), ("revision", revisions), ("profile", profiles)]
            .into_iter()
            .filter(|(_, names): &(_, Vec<&str>)| !names.is_empty())
            .map(|(key, names)| format!("{key}: {}", list(&names)))
            .collect()
    }
}

/// The fewest scopes that hold all of `red` and nothing else of `all`.
///
/// What is red everywhere needs no word. Else each case has its revisions, if it
/// is red throughout them, or else its profiles; cases that have the same of
/// these are said together.
pub fn smallest(red: &[Where], all: &[Where]) -> Vec<Scope> {
    let cases: BTreeSet<&Option<String>> = all.iter().map(|place| &place.case).collect();
    let mut groups: Vec<(Scope, Vec<&Option<String>>)> = Vec::new();
    for case in &cases {
        let of_case = |places: &[Where]| -> BTreeSet<(Revision, String)> {
            let places = places.iter().filter(|place| &place.case == *case);
            places.map(|place| (place.revision, place.profile.clone())).collect()
        };
        let red = of_case(red);
        if red.is_empty() {
            continue;
        }
        let scope = connections(&red, &of_case(all));
        match groups.iter_mut().find(|(known, _)| *known == scope) {
            Some((_, same)) => same.push(*case),
            None => groups.push((scope, vec![*case])),
        }
    }
    let named = |(mut scope, group): (Scope, Vec<&Option<String>>)| {
        if group.len() < cases.len() {
            scope.cases = group.into_iter().flatten().cloned().collect();
        }
        scope
    };
    groups.into_iter().map(named).collect()
}

/// The revisions or profiles of `red`, which is part of `all`.
fn connections(red: &BTreeSet<(Revision, String)>, all: &BTreeSet<(Revision, String)>) -> Scope {
    if red == all {
        return Scope::default();
    }
    let revisions: BTreeSet<Revision> = red.iter().map(|(revision, _)| *revision).collect();
    let is_throughout = all
        .iter()
        .filter(|(revision, _)| revisions.contains(revision))
        .all(|one| red.contains(one));
    if is_throughout {
        Scope { revisions: revisions.into_iter().collect(), ..Scope::default() }
    } else {
        let profiles = red.iter().map(|(_, profile)| profile.clone()).collect();
        Scope { profiles, ..Scope::default() }
    }
}

/// A value of a key: a name, or a list of them.
fn list(names: &[&str]) -> String {
    match names {
        [name] => scalar(name),
        names => {
            let names: Vec<String> = names.iter().map(|name| scalar(name)).collect();
            format!("[{}]", names.join(", "))
        }
    }
}

/// A text as YAML: as it is if nothing in it could mean something else.
pub(super) fn scalar(text: &str) -> String {
    let is_simple = |letter: char| letter.is_ascii_alphanumeric() || "-./_# ".contains(letter);
    let is_word = ["true", "false", "null", "yes", "no", "on", "off"]
        .iter()
        .any(|word| text.eq_ignore_ascii_case(word));
    let is_plain = text.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && text.chars().all(is_simple)
        && !text.contains(" #")
        && !text.ends_with(' ')
        && !is_word
        && text.parse::<f64>().is_err();
    if is_plain { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}
