//! Changing what stands somewhere in a value: for faults.

use std::sync::Arc;

use rhai::{Array, Dynamic, FnPtr, Map, NativeCallContext};

use crate::script::api::Evaluated;
use crate::script::client::Answer;
use crate::script::fault::HttpMessage;
use crate::script::limits::spend;
use crate::script::value::{AsJson, List};

/// What became of `value` when each answer of the client in it was handed to
/// `change`.
pub(super) fn change_answers(
    context: &NativeCallContext,
    value: &Dynamic,
    change: &FnPtr,
) -> Evaluated<Dynamic> {
    spend(1)?;
    if let Some(answer) = value.read_lock::<Answer>() {
        let message = HttpMessage::of_json(&answer.as_json());
        let _: Dynamic = change.call_within_context(context, (message.clone(),))?;
        return Ok(Dynamic::from(Answer::from_json(Arc::unwrap_or_clone(message.json()))));
    }
    let all = |items: &[Dynamic]| {
        let changed = items.iter().map(|item| change_answers(context, item, change));
        changed.collect::<Evaluated<Vec<Dynamic>>>()
    };
    if let Some(list) = value.read_lock::<List>() {
        return Ok(Dynamic::from(List(all(&list.0)?.into())));
    }
    if let Some(array) = value.read_lock::<Array>() {
        return Ok(all(&array)?.into());
    }
    if let Some(map) = value.read_lock::<Map>() {
        let changed = map
            .iter()
            .map(|(name, value)| Ok((name.clone(), change_answers(context, value, change)?)));
        return Ok(changed.collect::<Evaluated<Map>>()?.into());
    }
    Ok(value.clone())
}

/// What became of `value` when each map in it was handed to `change`, the inner
/// ones first.
pub(super) fn change_maps(
    context: &NativeCallContext,
    value: &Dynamic,
    change: &FnPtr,
) -> Evaluated<Dynamic> {
    spend(1)?;
    let all = |items: &[Dynamic]| {
        let changed = items.iter().map(|item| change_maps(context, item, change));
        changed.collect::<Evaluated<Vec<Dynamic>>>()
    };
    if let Some(list) = value.read_lock::<List>() {
        return Ok(Dynamic::from(List(all(&list.0)?.into())));
    }
    if let Some(array) = value.read_lock::<Array>() {
        return Ok(all(&array)?.into());
    }
    let Some(map) = value.read_lock::<Map>() else { return Ok(value.clone()) };
    let changed =
        map.iter().map(|(name, value)| Ok((name.clone(), change_maps(context, value, change)?)));
    let changed = changed.collect::<Evaluated<Map>>()?;
    change.call_within_context(context, (Dynamic::from(changed),))
}
