//! How a judge decides: [`Decisions`] collects what a script says of each
//! checkpoint and turns it into verdicts.

use std::collections::BTreeMap;

use crate::check::{Checkpoint, CheckpointResult, Decision, Level, Verdict};

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

impl Said {
    /// Of several decisions the one with the least rank counts.
    fn rank(&self) -> u8 {
        match self {
            Said::NotHeld(_) => 0,
            Said::Absent(_) => 1,
            Said::Held => 2,
            Said::Skipped(_) => 3,
        }
    }

    /// The verdict that it is on a claim of a level, and why.
    pub fn verdict(&self, level: Level) -> (Verdict, Option<Decision>) {
        match self {
            Said::Held => (Verdict::Pass, None),
            Said::NotHeld(decision) => (Verdict::not_held(level), Some(decision.clone())),
            Said::Absent(decision) => (Verdict::NotExercised, Some(decision.clone())),
            Said::Skipped(decision) => (Verdict::Skip, Some(decision.clone())),
        }
    }
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
        undecided: impl FnOnce() -> (Verdict, Option<Decision>),
    ) -> CheckpointResult {
        let said = self.said.get(&checkpoint.id).map_or(&[][..], Vec::as_slice);
        let gravest = said.iter().min_by_key(|said| said.rank());
        let (verdict, decision) =
            gravest.map_or_else(undecided, |said| said.verdict(checkpoint.level));
        CheckpointResult::new(checkpoint.clone(), verdict, decision)
    }
}
