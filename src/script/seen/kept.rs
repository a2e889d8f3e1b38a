//! What a host kept, as properties of `seen`.

use rhai::{Dynamic, Engine, EvalAltResult};

use super::{Seen, items};
use crate::script::host::Record;
use crate::script::value::{Absent, List};

/// The lists of what a host kept, by name.
fn kept<'a>(record: &'a mut Record, name: &str) -> &'a mut List {
    match name {
        "audit" => &mut record.audit,
        "runs" => &mut record.runs,
        "contacts" => &mut record.contacts,
        "denials" => &mut record.denials,
        _ => &mut record.catalogue,
    }
}

/// Registers what a host kept as properties of `seen`.
pub(super) fn register(engine: &mut Engine) {
    for name in ["audit", "runs", "contacts", "denials", "catalogue"] {
        engine
            .register_get(name, move |seen: &mut Seen| match &mut seen.state().record {
                Some(record) => Dynamic::from(kept(record, name).clone()),
                None => Dynamic::from(Absent),
            })
            .register_set(
                name,
                move |seen: &mut Seen, list: Dynamic| -> Result<(), Box<EvalAltResult>> {
                    let changed = items(&list)?.into_iter().collect();
                    if let Some(record) = &mut seen.state().record {
                        *kept(record, name) = changed;
                    }
                    Ok(())
                },
            );
    }
}
