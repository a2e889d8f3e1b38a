//! What a host kept, as properties of `seen`.

use rhai::Dynamic;

use super::Seen;
use super::deciding::items;
use crate::script::api::Evaluated;
use crate::script::host::Record;
use crate::script::value::{Absent, List};

/// A list of what the host kept; absent if there was no host.
pub(super) fn kept(seen: &Seen, list: fn(&Record) -> &List) -> Dynamic {
    match &seen.state().record {
        Some(record) => Dynamic::from(list(record).clone()),
        None => Dynamic::from(Absent),
    }
}

/// Puts other items in the place of a list of what the host kept.
pub(super) fn keep(
    seen: &Seen,
    items_kept: &Dynamic,
    list: fn(&mut Record) -> &mut List,
) -> Evaluated<()> {
    let changed = items(items_kept)?.into_iter().collect();
    if let Some(record) = &mut seen.state().record {
        *list(record) = changed;
    }
    Ok(())
}
