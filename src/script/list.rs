//! What scripts can do with a [`List`] and with what is [`Absent`].

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use rhai::{
    Array, Dynamic, Engine, EvalAltResult, FnPtr, ImmutableString, Map, NativeCallContext, Position,
};
use serde_json::Value;

use super::engine::STRING_LIMIT;
use super::limits::spend;
use super::observation::Message;
use super::types::what;
use super::value::{Absent, List, describe, hash_json, json_equal, to_json};

type Evaluated<T> = Result<T, Box<EvalAltResult>>;

/// What `type_of` is called once a script is read: Rhai's own would name a type
/// for what is absent, and a comparison with it would decide something.
pub(super) const KIND: &str = "kind_of";

/// Registers both types.
pub(super) fn register(engine: &mut Engine) {
    engine
        .register_type_with_name::<List>("List")
        .register_iterator::<List>()
        .register_indexer_get(|list: &mut List, index: i64| list.item(index))
        .register_get("len", |list: &mut List| list.0.len() as i64)
        .register_fn("len", |list: &mut List| list.0.len() as i64)
        .register_get("is_empty", |list: &mut List| list.0.is_empty())
        .register_fn("is_empty", |list: &mut List| list.0.is_empty())
        .register_get("first", |list: &mut List| list.item(0))
        .register_get("last", |list: &mut List| list.item(-1))
        .register_fn("filter", filter)
        .register_fn("map", map)
        .register_fn("any", any)
        .register_fn("all", all)
        .register_fn("of", of)
        .register_fn("without", without)
        .register_fn("distinct", distinct)
        .register_fn("contains", contains)
        .register_get("accepted", |list: &mut List| messages(list, Message::is_accepted))
        .register_get("succeeded", |list: &mut List| messages(list, Message::succeeded))
        .register_fn("join", join)
        .register_fn("to_array", |list: &mut List| -> Array { list.0.to_vec() })
        .register_fn("to_string", |list: &mut List| describe(&Dynamic::from(list.clone())))
        .register_fn("==", |one: List, other: List| equal(Dynamic::from(one), Dynamic::from(other)))
        .register_fn("==", |one: List, other: Array| equal(Dynamic::from(one), other.into()))
        .register_fn("==", |one: Array, other: List| equal(one.into(), Dynamic::from(other)))
        .register_fn("!=", |one: List, other: List| {
            equal(Dynamic::from(one), Dynamic::from(other)).map(|equal| !equal)
        })
        .register_fn("!=", |one: List, other: Array| {
            equal(Dynamic::from(one), other.into()).map(|equal| !equal)
        })
        .register_fn("!=", |one: Array, other: List| {
            equal(one.into(), Dynamic::from(other)).map(|equal| !equal)
        });

    engine
        .register_type_with_name::<Absent>("absent")
        .register_iterator::<Absent>()
        .register_indexer_get(|_: &mut Absent, _: &str| Absent)
        .register_indexer_get(|_: &mut Absent, _: i64| Absent)
        .register_fn("to_string", |_: &mut Absent| "absent")
        .register_fn("to_debug", |_: &mut Absent| "absent");
    // Rhai has answers of its own for values of two types, and for what an array or a
    // map holds; for every other operation on what is absent see `missing`.
    for comparison in ["==", "!=", "<", "<=", ">", ">="] {
        engine
            .register_fn(comparison, |_: Absent, _: Dynamic| Absent)
            .register_fn(comparison, |_: Dynamic, _: Absent| Absent)
            .register_fn(comparison, |_: Absent, _: Absent| Absent);
    }
    for search in ["contains", "index_of", "starts_with", "ends_with"] {
        engine.register_fn(search, |_: Dynamic, _: Absent| Absent);
    }
    engine
        .register_fn("contains", |_: &mut Array, _: Absent| Absent)
        .register_fn("contains", |_: &mut List, _: Absent| Absent)
        .register_fn("contains", |_: &mut Map, _: Absent| Absent)
        .register_fn("index_of", |_: &mut Array, _: Absent| Absent)
        .register_fn("known", |value: Dynamic| !value.is::<Absent>())
        .register_fn(KIND, |context: NativeCallContext, value: Dynamic| {
            if value.is::<Absent>() {
                return Dynamic::from(Absent);
            }
            context.engine().map_type_name(value.type_name()).to_owned().into()
        });

    // A property of nothing is nothing: so a subject that leaves something out
    // fails a check and does not break it.
    engine
        .register_indexer_get(|_: &mut (), _: &str| ())
        .register_indexer_get(|_: &mut (), _: i64| ())
        .register_fn("map", |_: (), _: FnPtr| List::default())
        .register_fn("filter", |_: (), _: FnPtr| List::default())
        .register_fn("any", |_: (), _: FnPtr| false)
        .register_fn("all", |_: (), _: FnPtr| false)
        .register_fn("contains", |_: (), _: Dynamic| false)
        .register_fn("starts_with", |_: (), _: &str| false)
        .register_fn("ends_with", |_: (), _: &str| false)
        .register_fn("to_lower", |_: ()| ())
        .register_fn("to_upper", |_: ()| ())
        .register_fn("len", |_: ()| 0_i64)
        .register_get("len", |_: &mut ()| 0_i64);
}

impl IntoIterator for List {
    type Item = Dynamic;
    type IntoIter = std::vec::IntoIter<Dynamic>;

    fn into_iter(self) -> Self::IntoIter {
        std::sync::Arc::unwrap_or_clone(self.0).into_iter()
    }
}

/// Nothing is in what is not there.
impl IntoIterator for Absent {
    type Item = Dynamic;
    type IntoIter = std::iter::Empty<Dynamic>;

    fn into_iter(self) -> Self::IntoIter {
        std::iter::empty()
    }
}

/// What an operation comes to that Rhai does not know, if one of its operands is
/// absent: nothing is decided by what never happened, so it is absent as well.
pub(super) fn missing(arguments: &[&mut Dynamic]) -> Option<Dynamic> {
    arguments.iter().any(|argument| argument.is::<Absent>()).then(|| Dynamic::from(Absent))
}

/// Whether a predicate holds for an item; `None` if it is absent for it.
pub(super) fn holds(
    context: &NativeCallContext,
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

fn filter(context: NativeCallContext, list: &mut List, predicate: FnPtr) -> Evaluated<List> {
    let mut kept = Vec::new();
    for item in list.0.iter() {
        if holds(&context, &predicate, item)? == Some(true) {
            kept.push(item.clone());
        }
    }
    Ok(List(kept.into()))
}

fn map(context: NativeCallContext, list: &mut List, function: FnPtr) -> Evaluated<List> {
    let items = list.0.iter().map(|item| function.call_within_context(&context, (item.clone(),)));
    Ok(List(items.collect::<Evaluated<Vec<Dynamic>>>()?.into()))
}

fn any(context: NativeCallContext, list: &mut List, predicate: FnPtr) -> Evaluated<Dynamic> {
    decided(&context, &list.0, &predicate, true)
}

fn all(context: NativeCallContext, list: &mut List, predicate: FnPtr) -> Evaluated<Dynamic> {
    decided(&context, &list.0, &predicate, false)
}

/// `decisive` as soon as the predicate says so of one item; else absent if it is
/// absent for one; else the opposite.
fn decided(
    context: &NativeCallContext,
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

fn of(list: &mut List, method: &str) -> Evaluated<List> {
    chosen(list, |item| has_method(item, method))
}

fn without(list: &mut List, method: &str) -> Evaluated<List> {
    chosen(list, |item| !has_method(item, method))
}

fn chosen(list: &List, wanted: impl Fn(&Dynamic) -> bool) -> Evaluated<List> {
    spend(list.0.len())?;
    Ok(list.0.iter().filter(|item| wanted(item)).cloned().collect())
}

/// The first of those that are equal. What has no form in JSON is equal to nothing.
fn distinct(list: &mut List) -> Evaluated<List> {
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

fn contains(list: &mut List, wanted: Dynamic) -> Evaluated<bool> {
    let Ok(wanted) = to_json(&wanted) else { return Ok(false) };
    for item in list.0.iter() {
        spend(1)?;
        if to_json(item).is_ok_and(|item| json_equal(&item, &wanted)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn join(list: &mut List, separator: &str) -> Evaluated<ImmutableString> {
    let mut text = String::new();
    for (index, item) in list.0.iter().enumerate() {
        spend(1)?;
        if index > 0 {
            text.push_str(separator);
        }
        match item.read_lock::<ImmutableString>() {
            Some(word) => text.push_str(&word),
            None => text.push_str(&describe(item)),
        }
        if text.len() > STRING_LIMIT {
            let what = "length of string".to_owned();
            return Err(EvalAltResult::ErrorDataTooLarge(what, Position::NONE).into());
        }
    }
    Ok(text.into())
}

fn equal(one: Dynamic, other: Dynamic) -> Evaluated<bool> {
    spend(1)?;
    Ok(match (to_json(&one), to_json(&other)) {
        (Ok(one), Ok(other)) => json_equal(&one, &other),
        _ => false,
    })
}
