//! What scripts can do with a [`List`].

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use rhai::{Array, Dynamic, EvalAltResult, FnPtr, NativeCallContext, Position};
use serde_json::Value;

use super::api::{Api, Evaluated, Text};
use super::limits::{STRING_LIMIT, spend};
use super::observation::Message;
use super::types::what;
use super::value::{Absent, List, describe, hash_json, json_equal, to_json};

/// Declares lists, and how they are compared.
pub(super) fn declare(api: &mut Api) {
    api.module.set_iterable::<List>();
    api.methods::<List>(
        "lists",
        "list",
        "What `seen` holds, and every array of JSON: an item that is not there is `absent`. \
         `for item in list` works too.",
    )
    .doc("The item at this place, from the end if negative; absent if there is none.")
    .index("[index: integer] -> any", |list, index| list.item(index))
    .doc("The first item; absent if there is none.")
    .property("first: any", |list| list.item(0))
    .doc("The last item; absent if there is none.")
    .property("last: any", |list| list.item(-1))
    .doc("How many items there are.")
    .property("len: integer", |list| list.0.len() as i64)
    .function("len() -> integer", |list, ()| list.0.len() as i64)
    .doc("Whether there is no item.")
    .property("is_empty: bool", |list| list.0.is_empty())
    .function("is_empty() -> bool", |list, ()| list.0.is_empty())
    .doc("The items of which the function is true.")
    .function_in_context("filter(holds: function) -> List", |context, list, holds| {
        filter(context, list, &holds)
    })
    .doc("What the function makes of each item.")
    .function_in_context("map(function: function) -> List", |context, list, function| {
        map(context, list, &function)
    })
    .doc("Whether the function is true of an item.")
    .function_in_context("any(holds: function) -> bool", |context, list, predicate: FnPtr| {
        decided(context, &list.0, &predicate, true)
    })
    .doc("Whether the function is true of every item.")
    .function_in_context("all(holds: function) -> bool", |context, list, predicate: FnPtr| {
        decided(context, &list.0, &predicate, false)
    })
    .doc("The messages of this method.")
    .function("of(method: string) -> List", |list, method: Text| {
        chosen(list, |item| has_method(item, &method))
    })
    .doc("The messages of every other method.")
    .function("without(method: string) -> List", |list, method: Text| {
        chosen(list, |item| !has_method(item, &method))
    })
    .doc("The items, each value once.")
    .function("distinct() -> List", |list, ()| distinct(list))
    .doc("Whether an item equals the value as JSON.")
    .function("contains(value: any) -> bool", |list, wanted: Dynamic| contains(list, &wanted))
    .doc("The messages that were accepted.")
    .property("accepted: List", |list| messages(list, Message::is_accepted))
    .doc("The messages that succeeded.")
    .property("succeeded: List", |list| messages(list, Message::succeeded))
    .doc("The items as one text.")
    .function("join(separator: string) -> string", |list, separator: Text| join(list, &separator))
    .doc("The items as an array of Rhai.")
    .function("to_array() -> array", |list, ()| list.0.to_vec())
    .doc("The list as a script would write it.")
    .function("to_string() -> string", |list, ()| describe(&Dynamic::from(list.clone())));
    api.functions(
        "comparing lists",
        "Lists and arrays are equal if their items are equal as JSON.",
    )
    .doc("Whether both have equal items.")
    .function("List == List -> bool", |(one, other): (List, List)| {
        equal(&Dynamic::from(one), &Dynamic::from(other))
    })
    .function("List == array -> bool", |(one, other): (List, Array)| {
        equal(&Dynamic::from(one), &other.into())
    })
    .function("array == List -> bool", |(one, other): (Array, List)| {
        equal(&one.into(), &Dynamic::from(other))
    })
    .doc("Whether their items differ.")
    .function("List != List -> bool", |(one, other): (List, List)| {
        equal(&Dynamic::from(one), &Dynamic::from(other)).map(|equal| !equal)
    })
    .function("List != array -> bool", |(one, other): (List, Array)| {
        equal(&Dynamic::from(one), &other.into()).map(|equal| !equal)
    })
    .function("array != List -> bool", |(one, other): (Array, List)| {
        equal(&one.into(), &Dynamic::from(other)).map(|equal| !equal)
    });
}

impl IntoIterator for List {
    type Item = Dynamic;
    type IntoIter = std::vec::IntoIter<Dynamic>;

    fn into_iter(self) -> Self::IntoIter {
        std::sync::Arc::unwrap_or_clone(self.0).into_iter()
    }
}

/// Whether a predicate holds for an item; `None` if it is absent for it.
pub(super) fn holds(
    context: &NativeCallContext<'_>,
    predicate: &FnPtr,
    item: &Dynamic,
) -> Evaluated<Option<bool>> {
    spend(1)?;
    let result: Dynamic = predicate.call_within_context(context, (item.clone(),))?;
    if result.is::<Absent>() {
        return Ok(None);
    }
    result.as_bool().map(Some).map_err(|_| {
        format!("the function has to return true or false; it returned {}", what(&result)).into()
    })
}

fn filter(context: &NativeCallContext<'_>, list: &List, predicate: &FnPtr) -> Evaluated<List> {
    let mut kept = Vec::new();
    for item in list.0.iter() {
        if holds(context, predicate, item)? == Some(true) {
            kept.push(item.clone());
        }
    }
    Ok(List(kept.into()))
}

fn map(context: &NativeCallContext<'_>, list: &List, function: &FnPtr) -> Evaluated<List> {
    let items = list.0.iter().map(|item| function.call_within_context(context, (item.clone(),)));
    Ok(List(items.collect::<Evaluated<Vec<Dynamic>>>()?.into()))
}

/// `decisive` as soon as the predicate says so of one item; else absent if it is
/// absent for one; else the opposite.
fn decided(
    context: &NativeCallContext<'_>,
    items: &[Dynamic],
    predicate: &FnPtr,
    decisive: bool,
) -> Evaluated<Dynamic> {
    let mut is_known = true;
    for item in items {
        match holds(context, predicate, item)? {
            Some(held) if held == decisive => return Ok(decisive.into()),
            Some(_) => {}
            None => is_known = false,
        }
    }
    Ok(if is_known { (!decisive).into() } else { Dynamic::from(Absent) })
}

fn has_method(item: &Dynamic, method: &str) -> bool {
    item.read_lock::<Message>().is_some_and(|message| message.data.method() == Some(method))
}

/// The messages of a list of which something is true.
fn messages(list: &List, wanted: impl Fn(&Message) -> bool) -> Evaluated<List> {
    chosen(list, |item| item.read_lock::<Message>().is_some_and(|message| wanted(&message)))
}

fn chosen(list: &List, wanted: impl Fn(&Dynamic) -> bool) -> Evaluated<List> {
    spend(list.0.len())?;
    Ok(list.0.iter().filter(|item| wanted(item)).cloned().collect())
}

/// The first of those that are equal. What has no form in JSON is equal to nothing.
fn distinct(list: &List) -> Evaluated<List> {
    let mut known: HashMap<u64, Vec<Value>> = HashMap::new();
    let mut kept = Vec::new();
    for item in list.0.iter() {
        spend(1)?;
        if let Ok(json) = to_json(item) {
            let mut hasher = DefaultHasher::new();
            hash_json(&json, &mut hasher);
            let alike = known.entry(hasher.finish()).or_default();
            if alike.iter().any(|one| json_equal(one, &json)) {
                continue;
            }
            alike.push(json);
        }
        kept.push(item.clone());
    }
    Ok(List(kept.into()))
}

fn contains(list: &List, wanted: &Dynamic) -> Evaluated<bool> {
    let Ok(wanted) = to_json(wanted) else { return Ok(false) };
    for item in list.0.iter() {
        spend(1)?;
        if to_json(item).is_ok_and(|item| json_equal(&item, &wanted)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn join(list: &List, separator: &str) -> Evaluated<String> {
    let mut text = String::new();
    for (index, item) in list.0.iter().enumerate() {
        spend(1)?;
        if index > 0 {
            text.push_str(separator);
        }
        match item.read_lock::<Text>() {
            Some(word) => text.push_str(&word),
            None => text.push_str(&describe(item)),
        }
        if text.len() > STRING_LIMIT {
            let what = "length of string".to_owned();
            return Err(EvalAltResult::ErrorDataTooLarge(what, Position::NONE).into());
        }
    }
    Ok(text)
}

fn equal(one: &Dynamic, other: &Dynamic) -> Evaluated<bool> {
    spend(1)?;
    Ok(match (to_json(one), to_json(other)) {
        (Ok(one), Ok(other)) => json_equal(&one, &other),
        _ => false,
    })
}
