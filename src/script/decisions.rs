//! How a judge decides: [`Decisions`] collects what a script says of each
//! checkpoint and turns it into verdicts.

use std::collections::BTreeMap;

use crate::check::{Checkpoint, CheckpointResult, Decision, Verdict};

/// One thing that a script said of a checkpoint.
#[derive(Clone, Debug)]
pub enum Said {
    /// It holds.
    Held,
    /// It does not hold.
    NotHeld(Decision),
    /// What it is about never happened.
    Absent(Decision),
    /// It does not apply, for the reason in the decision.
    Skipped(Decision),
}

/// What a script said of every checkpoint, in the order in which it said it.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    said: BTreeMap<String, Vec<Said>>,
}

impl Decisions {
    /// Adds one decision of the checkpoint `id`.
    pub fn add(&mut self, id: &str, said: Said) {
        self.said.entry(id.to_owned()).or_default().push(said);
    }

    /// The verdict on a checkpoint. Several decisions all have to hold: the
    /// first that does not is the one that is shown.
    ///
    /// `undecided` is the verdict, and why, if nothing was said of it.
    pub fn result(
        &self,
        checkpoint: &Checkpoint,
        undecided: impl FnOnce() -> (Verdict, Decision),
    ) -> CheckpointResult {
        let said = self.said.get(&checkpoint.id).map_or(&[][..], Vec::as_slice);
        let not_held = said.iter().find_map(|said| match said {
            Said::NotHeld(decision) => {
                Some((Verdict::not_held(checkpoint.level), Some(decision.clone())))
            }
            _ => None,
        });
        let absent = || {
            said.iter().find_map(|said| match said {
                Said::Absent(decision) => Some((Verdict::NotExercised, Some(decision.clone()))),
                _ => None,
            })
        };
        let held =
            || said.iter().any(|said| matches!(said, Said::Held)).then_some((Verdict::Pass, None));
        let skipped = || {
            said.iter().find_map(|said| match said {
                Said::Skipped(decision) => Some((Verdict::Skip, Some(decision.clone()))),
                _ => None,
            })
        };
        let (verdict, decision) =
            not_held.or_else(absent).or_else(held).or_else(skipped).unwrap_or_else(|| {
                let (verdict, decision) = undecided();
                (verdict, Some(decision))
            });
        CheckpointResult { checkpoint: checkpoint.clone(), verdict, decision }
    }

    /// Whether nothing was said of the checkpoint `id`.
    pub fn is_undecided(&self, id: &str) -> bool {
        !self.said.contains_key(id)
    }
}
