//! What was expected not to hold, and did not ([`Expected`]), or did ([`Stale`]).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::entry::Entry;
use super::scope::Scope;
use crate::check::Verdict;

/// What does not hold in one execution and was expected not to.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    pub(super) checkpoints: BTreeMap<String, Arc<Entry>>,
    /// The entry for the whole check, if time was up.
    pub(super) timeout: Option<Arc<Entry>>,
}

impl Expected {
    /// The entry that expects the checkpoint of this id not to hold; `None` if
    /// it was not expected, or holds.
    pub fn checkpoint(&self, id: &str) -> Option<&Arc<Entry>> {
        self.checkpoints.get(id)
    }

    /// The entry that expects that the execution is not finished in time. It is
    /// one for the whole check: which of its checkpoints took the time is not known.
    pub fn timeout(&self) -> Option<&Arc<Entry>> {
        self.timeout.as_ref()
    }

    /// The ids of the checkpoints that were expected not to hold, with their entries.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Arc<Entry>)> {
        self.checkpoints.iter().map(|(id, entry)| (id.as_str(), entry))
    }
}

/// Whether a verdict says that a claim does not hold, at whatever level: this is
/// what an entry expects.
pub fn does_not_hold(verdict: Verdict) -> bool {
    match verdict {
        Verdict::Fail
        | Verdict::Warn
        | Verdict::Note
        | Verdict::NotExercised
        | Verdict::Timeout => true,
        Verdict::Pass | Verdict::Skip | Verdict::Cancelled | Verdict::Error => false,
    }
}

/// An entry that expects what holds.
#[derive(Clone, Debug)]
pub struct Stale {
    /// The entry.
    pub entry: Arc<Entry>,
    /// `FILE:LINE` of it.
    pub place: String,
    /// Where it holds, of all places that the entry is about and that ran.
    pub holds: Vec<Scope>,
    /// Where it does not hold; empty if the entry can go.
    pub remains: Vec<Scope>,
}

impl Stale {
    /// What to do about it, in a sentence without a full stop.
    pub fn advice(&self) -> String {
        match self.remains.as_slice() {
            [] => "take the entry out".to_owned(),
            remains => {
                let scopes: Vec<String> = remains.iter().map(Scope::to_string).collect();
                format!("say where it does not: {}", scopes.join("; or "))
            }
        }
    }
}
