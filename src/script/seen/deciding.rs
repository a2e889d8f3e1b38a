//! How a judge decides a checkpoint: `check`, `equal`, `every` and the others.

use rhai::{Array, Dynamic, FnPtr, Map, NativeCallContext};

use super::Seen;
use crate::check::Decision;
use crate::script::api::Evaluated;
use crate::script::decisions::Said;
use crate::script::list::holds;
use crate::script::observation::{Message, SeenExchange};
use crate::script::types::what;
use crate::script::value::{Absent, List, describe, json_equal, to_json};

const NOT_EXERCISED: &str = "not exercised";
const EMPTY_LIST: &str = "not exercised: the list is empty";

pub(super) fn check(
    context: &NativeCallContext<'_>,
    seen: &Seen,
    id: &str,
    condition: &Dynamic,
) -> Evaluated<()> {
    seen.decide(context, id, |decision| {
        if condition.is::<Absent>() {
            return Said::Absent(Decision { reason: NOT_EXERCISED.to_owned(), ..decision });
        }
        match condition.as_bool() {
            Ok(true) => Said::Held,
            Ok(false) => {
                Said::NotHeld(Decision { reason: "the condition is false".to_owned(), ..decision })
            }
            Err(_) => Said::NotHeld(Decision {
                reason: "the condition is neither true nor false".to_owned(),
                expected: Some("true".to_owned()),
                actual: Some(describe(condition)),
                ..decision
            }),
        }
    })
}

pub(super) fn equal(
    context: &NativeCallContext<'_>,
    seen: &Seen,
    id: &str,
    actual: &Dynamic,
    expected: &Dynamic,
) -> Evaluated<()> {
    if holds_absent(expected) {
        return check(context, seen, id, &Dynamic::from(Absent));
    }
    let wanted = to_json(expected)
        .map_err(|found| format!("what is expected has to be a JSON value, not {found}"))?;
    seen.decide(context, id, |decision| {
        let decision = Decision {
            expected: Some(describe(expected)),
            actual: Some(describe(actual)),
            ..decision
        };
        if actual.is::<Absent>() {
            return Said::Absent(Decision { reason: NOT_EXERCISED.to_owned(), ..decision });
        }
        match to_json(actual) {
            Ok(found) if json_equal(&found, &wanted) => Said::Held,
            _ => Said::NotHeld(Decision { reason: "the values differ".to_owned(), ..decision }),
        }
    })
}

/// The items of a list, an array, or nothing if it is absent.
pub(super) fn items(list: &Dynamic) -> Evaluated<Vec<Dynamic>> {
    if let Some(list) = list.read_lock::<List>() {
        return Ok(list.0.to_vec());
    }
    if let Some(array) = list.read_lock::<Array>() {
        return Ok(array.to_vec());
    }
    if list.is::<Absent>() || list.is_unit() {
        return Ok(Vec::new());
    }
    Err(format!("a list was expected, not {}", what(list)).into())
}

/// Decides `every` (`wanted` true) and `none` (`wanted` false).
pub(super) fn for_all(
    context: &NativeCallContext<'_>,
    seen: &Seen,
    id: &str,
    list: &Dynamic,
    predicate: &FnPtr,
    wanted: bool,
) -> Evaluated<()> {
    let items = items(list)?;
    let mut unknown = None;
    for (index, item) in items.iter().enumerate() {
        match holds(context, predicate, item)? {
            Some(held) if held == wanted => continue,
            Some(_) => {}
            None => {
                unknown = unknown.or(Some(index));
                continue;
            }
        }
        seen.0.observation.touch(exchange_of(item));
        return seen.decide(context, id, |decision| {
            let words = if wanted { "does not hold" } else { "holds" };
            Said::NotHeld(Decision {
                reason: format!("it {words} for item {} of {}", index + 1, items.len()),
                actual: Some(describe_item(item)),
                ..decision
            })
        });
    }
    seen.decide(context, id, |decision| match (items.len(), unknown) {
        (0, _) => Said::Absent(Decision { reason: EMPTY_LIST.to_owned(), ..decision }),
        (number, Some(index)) => {
            let reason = format!(
                "{NOT_EXERCISED}: what it is about never happened for item {} of {number}",
                index + 1
            );
            Said::Absent(Decision { reason, ..decision })
        }
        _ => Said::Held,
    })
}

/// Decides `some`: one item is enough.
pub(super) fn some(
    context: &NativeCallContext<'_>,
    seen: &Seen,
    id: &str,
    list: &Dynamic,
    predicate: &FnPtr,
) -> Evaluated<()> {
    let items = items(list)?;
    let found = find(context, &items, predicate)?;
    touch_last(seen, &items);
    seen.decide(context, id, |decision| match found {
        _ if items.is_empty() => {
            Said::Absent(Decision { reason: EMPTY_LIST.to_owned(), ..decision })
        }
        Found::One => Said::Held,
        Found::Unknown => Said::Absent(Decision { reason: NOT_EXERCISED.to_owned(), ..decision }),
        Found::None => Said::NotHeld(Decision {
            reason: match items.len() {
                1 => "it does not hold for the only item".to_owned(),
                number => format!("it holds for none of {number} items"),
            },
            actual: items.last().map(describe_item),
            ..decision
        }),
    })
}

/// Decides `goal`: one message is enough that was accepted and answered as a
/// success.
pub(super) fn goal(
    context: &NativeCallContext<'_>,
    seen: &Seen,
    id: &str,
    list: &Dynamic,
    predicate: &FnPtr,
) -> Evaluated<()> {
    let items = items(list)?;
    let (mut succeeded, mut others, mut last_other) = (Vec::new(), Vec::new(), None);
    for item in items {
        let Some(message) = item.read_lock::<Message>().map(|message| message.clone()) else {
            return Err("a goal is reached by requests: the list has to hold messages".into());
        };
        if message.succeeded() {
            succeeded.push(item);
        } else {
            others.push(item);
            last_other = Some(message);
        }
    }
    let found = find(context, &succeeded, predicate)?;
    let wanted = find(context, &others, predicate);
    touch_last(seen, &succeeded);
    touch_last(seen, &others);
    seen.decide(context, id, |decision| match (found, succeeded.last(), last_other) {
        (_, None, None) => {
            let reason = format!("{NOT_EXERCISED}: nothing was sent for it");
            Said::Absent(Decision { reason, ..decision })
        }
        (Found::One, ..) => Said::Held,
        (Found::Unknown, ..) => {
            Said::Absent(Decision { reason: NOT_EXERCISED.to_owned(), ..decision })
        }
        // What would have been right did not succeed: that says most.
        (_, _, Some(message)) if succeeded.is_empty() || matches!(wanted, Ok(Found::One)) => {
            Said::NotHeld(Decision {
                reason: format!("what was sent for it {}", message.fate()),
                actual: Some(message.data.json()["params"].to_string()),
                ..decision
            })
        }
        (_, last, _) => Said::NotHeld(Decision {
            reason: "what was sent for it is something else".to_owned(),
            actual: last.map(describe_item),
            ..decision
        }),
    })
}

/// What a search for one item came to.
#[derive(Clone, Copy)]
enum Found {
    One,
    None,
    Unknown,
}

fn find(context: &NativeCallContext<'_>, items: &[Dynamic], predicate: &FnPtr) -> Evaluated<Found> {
    let mut found = Found::None;
    for item in items {
        match holds(context, predicate, item)? {
            Some(true) => return Ok(Found::One),
            Some(false) => {}
            None => found = Found::Unknown,
        }
    }
    Ok(found)
}

fn touch_last(seen: &Seen, items: &[Dynamic]) {
    seen.0.observation.touch(items.last().and_then(exchange_of));
}

/// Whether a value is absent, or an array or a map that holds something absent.
fn holds_absent(value: &Dynamic) -> bool {
    if let Some(array) = value.read_lock::<Array>() {
        return array.iter().any(holds_absent);
    }
    if let Some(map) = value.read_lock::<Map>() {
        return map.values().any(holds_absent);
    }
    value.is::<Absent>()
}

fn exchange_of(item: &Dynamic) -> Option<usize> {
    if let Some(message) = item.read_lock::<Message>() {
        return message.data.exchange();
    }
    item.read_lock::<SeenExchange>().map(|exchange| exchange.index)
}

fn describe_item(item: &Dynamic) -> String {
    match item.read_lock::<SeenExchange>() {
        Some(exchange) => match exchange.get() {
            Some(seen) => {
                format!("exchange {}: {} {}", exchange.index, seen.method, seen.uri.path())
            }
            None => format!("exchange {}", exchange.index),
        },
        None => describe(item),
    }
}

pub(super) fn skip(
    context: &NativeCallContext<'_>,
    seen: &Seen,
    id: &str,
    reason: &str,
) -> Evaluated<()> {
    let reason = reason.to_owned();
    seen.decide(context, id, |decision| Said::Skipped(Decision { reason, ..decision }))
}
