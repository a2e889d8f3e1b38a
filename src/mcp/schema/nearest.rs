//! What is said of a value that fits none of several types: what is wrong with it
//! as the one that it comes nearest to.
//!
//! Types are told apart by the members that have one value in each of them, as
//! `type` is in blocks of content. What these do not decide is decided by how far
//! the value was as the type says.

use serde_json::{Map, Value};

use super::judgement::{Judge, equal};
use super::types::{Kind, Type};
use super::unfit::{Expected, Step, Unfit};

/// One of several types, and what is not as it says.
struct Branch<'a> {
    kind: &'a Type,
    unfit: Unfit<'a>,
}

/// What the members that tell types apart say of one.
struct Tag<'a> {
    /// The values that a member can have.
    values: Vec<&'a Value>,
    /// Whether the member has to be there.
    is_required: bool,
}

impl<'a> Judge<'a> {
    /// What is not as the nearest of `kinds` says, where `unfit` has it of each.
    pub(super) fn nearest(
        self,
        kinds: &'a [Type],
        value: &'a Value,
        unfit: Vec<Unfit<'a>>,
    ) -> Unfit<'a> {
        let mut branches: Vec<Branch> =
            kinds.iter().zip(unfit).map(|(kind, unfit)| Branch { kind, unfit }).collect();
        if let Value::Object(members) = value {
            // What is not for objects is not meant, unless nothing is.
            if branches.iter().any(|branch| self.takes_objects(branch.kind)) {
                branches.retain(|branch| self.takes_objects(branch.kind));
            }
            for name in self.tags(&branches) {
                if let Some(unfit) = self.retain_meant(&mut branches, name, members) {
                    return unfit;
                }
            }
        }
        deepest(branches)
    }

    /// Keeps the types that the member `name` allows; if it allows none, says so.
    fn retain_meant(
        self,
        branches: &mut Vec<Branch<'a>>,
        name: &'a str,
        members: &Map<String, Value>,
    ) -> Option<Unfit<'a>> {
        let tags: Vec<Tag> =
            branches.iter().filter_map(|branch| self.tag(branch.kind, name)).collect();
        let is_meant = |tag: &Tag| match members.get(name) {
            Some(value) => tag.values.iter().any(|one| equal(one, value)),
            None => !tag.is_required,
        };
        if tags.iter().any(is_meant) {
            branches.retain(|branch| self.tag(branch.kind, name).is_some_and(|tag| is_meant(&tag)));
            return None;
        }
        if !members.contains_key(name) {
            return Some(Unfit::here(Expected::Member(name)));
        }
        let mut values: Vec<&Value> = Vec::new();
        for value in tags.into_iter().flat_map(|tag| tag.values) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        Some(Unfit::here(Expected::ValueOf(values)).within(Step::Member(name)))
    }

    /// The members that tell each of these types from the others.
    fn tags(self, branches: &[Branch<'a>]) -> Vec<&'a str> {
        let Some(first) = branches.first() else { return Vec::new() };
        let mut names: Vec<&str> = Vec::new();
        self.names(first.kind, &mut names);
        names.retain(|name| branches.iter().all(|branch| self.tag(branch.kind, name).is_some()));
        names
    }

    /// The names of the members that a type knows.
    fn names(self, kind: &'a Type, names: &mut Vec<&'a str>) {
        let kind = self.resolved(kind);
        names.extend(kind.properties.keys().map(String::as_str));
        if let Some(first) = kind.any_of.first() {
            self.names(first, names);
        }
    }

    /// What a type says of the member `name`, if that tells it from others.
    fn tag(self, kind: &'a Type, name: &str) -> Option<Tag<'a>> {
        let kind = self.resolved(kind);
        if let Some(values) = kind.properties.get(name).and_then(Type::values) {
            let is_required = kind.required.iter().any(|required| required == name);
            return Some(Tag { values: values.iter().collect(), is_required });
        }
        let mut whole = Tag { values: Vec::new(), is_required: true };
        for branch in &kind.any_of {
            let tag = self.tag(branch, name)?;
            whole.values.extend(tag.values);
            whole.is_required &= tag.is_required;
        }
        (!kind.any_of.is_empty()).then_some(whole)
    }

    fn takes_objects(self, kind: &'a Type) -> bool {
        let kind = self.resolved(kind);
        let kinds = kind.kinds.as_slice();
        (kinds.is_empty() || kinds.contains(&Kind::Object))
            && (kind.any_of.is_empty() || kind.any_of.iter().any(|kind| self.takes_objects(kind)))
    }

    /// The type to which a reference leads.
    fn resolved(self, mut kind: &'a Type) -> &'a Type {
        while let Some(name) = &kind.reference {
            kind = &self.types[name];
        }
        kind
    }
}

/// What is wrong deepest within the value: there it was as the type says for the
/// longest.
fn deepest(mut branches: Vec<Branch>) -> Unfit {
    let depth = branches.iter().map(|branch| branch.unfit.way().len()).max();
    branches.retain(|branch| Some(branch.unfit.way().len()) == depth);
    let mut unfit = branches.into_iter().map(|branch| branch.unfit);
    let Some(mut first) = unfit.next() else { return Unfit::here(Expected::OneOfTypes) };
    let others: Vec<Unfit> = unfit.filter(|other| *other != first).collect();
    if others.is_empty() {
        return first;
    }
    if others.iter().any(|other| other.way() != first.way()) {
        return Unfit::here(Expected::OneOfTypes);
    }
    let mut several = vec![first.expected];
    several.extend(others.into_iter().map(|other| other.expected));
    first.expected = Expected::Either(several);
    first
}
