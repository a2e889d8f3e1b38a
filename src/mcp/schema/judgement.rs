//! Whether a value is as a type says: [`judge`], by the keywords of JSON Schema
//! that the tables have.
//!
//! The work is linear in the size of the value: each part of it is judged once for
//! each type that stands there, and no type of a table leads to itself at the same
//! place.

use serde_json::{Map, Value};

use super::types::{Type, Types};
use super::unfit::{Expected, Step, Unfit};

/// How deep a value is judged: as deep as one that comes can be, which is as deep
/// as `serde_json` reads. What lies deeper counts as fit.
pub(super) const DEPTH_LIMIT: usize = 128;

/// What is not as the type says, if anything.
pub(super) type Judgement<'a> = Result<(), Unfit<'a>>;

/// Judges `value` by `kind`, a type of `types`.
pub(super) fn judge<'a>(types: &'a Types, kind: &'a Type, value: &'a Value) -> Judgement<'a> {
    Judge { types }.value(kind, value, 0)
}

#[derive(Clone, Copy)]
pub(super) struct Judge<'a> {
    pub types: &'a Types,
}

impl<'a> Judge<'a> {
    fn value(self, kind: &'a Type, value: &'a Value, depth: usize) -> Judgement<'a> {
        if depth > DEPTH_LIMIT {
            return Ok(());
        }
        if let Some(name) = &kind.reference {
            self.value(&self.types[name], value, depth)?;
        }
        if !kind.kinds.take(value) {
            return Err(Unfit::here(Expected::Kinds(kind.kinds.as_slice())));
        }
        if let Some(values) = kind.values()
            && !values.iter().any(|one| equal(one, value))
        {
            return Err(Unfit::here(Expected::Values(values)));
        }
        match value {
            Value::Number(_) => bounds(kind, value)?,
            Value::Array(items) => self.items(kind, items, depth)?,
            Value::Object(members) => self.members(kind, members, depth)?,
            _ => {}
        }
        for part in &kind.all_of {
            self.value(part, value, depth)?;
        }
        self.any_of(&kind.any_of, value, depth)
    }

    fn items(self, kind: &'a Type, items: &'a [Value], depth: usize) -> Judgement<'a> {
        if let Some(limit) = kind.max_items.filter(|limit| items.len() > *limit) {
            return Err(Unfit::here(Expected::AtMostItems(limit)));
        }
        let Some(each) = &kind.items else { return Ok(()) };
        for (index, item) in items.iter().enumerate() {
            self.value(each, item, depth + 1).map_err(|unfit| unfit.within(Step::Item(index)))?;
        }
        Ok(())
    }

    fn members(
        self,
        kind: &'a Type,
        members: &'a Map<String, Value>,
        depth: usize,
    ) -> Judgement<'a> {
        if let Some(missing) = kind.required.iter().find(|name| !members.contains_key(*name)) {
            return Err(Unfit::here(Expected::Member(missing)));
        }
        for (name, property) in &kind.properties {
            if let Some(member) = members.get(name) {
                self.value(property, member, depth + 1)
                    .map_err(|unfit| unfit.within(Step::Member(name)))?;
            }
        }
        let Some(other) = &kind.additional_properties else { return Ok(()) };
        for (name, member) in members {
            if !kind.properties.contains_key(name) {
                self.value(other, member, depth + 1)
                    .map_err(|unfit| unfit.within(Step::Member(name)))?;
            }
        }
        Ok(())
    }

    fn any_of(self, branches: &'a [Type], value: &'a Value, depth: usize) -> Judgement<'a> {
        let mut unfit = Vec::new();
        for branch in branches {
            match self.value(branch, value, depth) {
                Ok(()) => return Ok(()),
                Err(branch) => unfit.push(branch),
            }
        }
        match unfit.is_empty() {
            true => Ok(()),
            false => Err(self.nearest(branches, value, unfit)),
        }
    }
}

fn bounds<'a>(kind: &'a Type, value: &Value) -> Judgement<'a> {
    let number = value.as_f64();
    if let Some(limit) = kind.minimum.as_ref().filter(|limit| number < limit.as_f64()) {
        return Err(Unfit::here(Expected::AtLeast(limit)));
    }
    if let Some(limit) = kind.maximum.as_ref().filter(|limit| number > limit.as_f64()) {
        return Err(Unfit::here(Expected::AtMost(limit)));
    }
    Ok(())
}

/// Whether a value is the one that a table names: a number by its value. Tables
/// name no arrays and no objects.
pub(super) fn equal(named: &Value, value: &Value) -> bool {
    match (named, value) {
        (Value::Number(named), Value::Number(number)) => {
            named == number || (number.is_f64() && named.as_f64() == number.as_f64())
        }
        _ => named == value,
    }
}

#[cfg(test)]
mod tests;
