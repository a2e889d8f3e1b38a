//! What running every check under every fault came to: a [`Proof`].

use std::time::Duration;

use super::finding::Finding;
use crate::check::{Checkpoint, Effect, Side};
use crate::mcp::Revision;

/// What running every check under every fault came to.
#[derive(Debug, Default)]
pub struct Proof {
    /// Every MUST checkpoint line, in the order of the checks and their headers.
    pub claims: Vec<Claim>,
    /// Every fault, by name.
    pub faults: Vec<FaultResult>,
    /// What is wrong, errors first.
    pub findings: Vec<Finding>,
    /// How many executions there were, and judgements of what a fault lets be seen.
    pub executions: usize,
    /// How often playing a fault showed that it changes nothing, so that it was not
    /// executed.
    pub played: usize,
    /// Whether the user interrupted it: then nothing is proven.
    pub interrupted: bool,
    /// Real time spent.
    pub elapsed: Duration,
}

/// One MUST checkpoint line of one check.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The check's id.
    pub check: String,
    /// The claim.
    pub checkpoint: Checkpoint,
    /// Whether it was shown that it can fail.
    pub standing: Standing,
    /// The faults that turned it red and count, by name.
    pub killed_by: Vec<String>,
}

/// Whether it was shown that a claim can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// A fault that counts turned it red.
    Proven,
    /// No fault that counts turned it red.
    Survived,
    /// It does not hold without any fault.
    DoesNotHold,
    /// Nothing here runs it.
    NotRun,
}

impl Standing {
    /// The standing in a word: `proven`, `survived`, `does not hold`, `not run`.
    pub fn as_str(self) -> &'static str {
        match self {
            Standing::Proven => "proven",
            Standing::Survived => "survived",
            Standing::DoesNotHold => "does not hold",
            Standing::NotRun => "not run",
        }
    }
}

/// One fault and what it did.
#[derive(Clone, Debug)]
pub struct FaultResult {
    /// Its file's name without the ending.
    pub name: String,
    /// What it does, in one sentence.
    pub description: String,
    /// Who misbehaves.
    pub side: Side,
    /// What it changes.
    pub effect: Effect,
    /// The revisions at which it misbehaves.
    pub revisions: Vec<Revision>,
    /// In how many executions it was in force.
    pub executions: usize,
    /// How often playing it showed that it changes nothing.
    pub played: usize,
    /// In how many executions it changed something.
    pub fired: usize,
    /// How many claims it kills.
    pub kills: usize,
    /// How many claims it could reach.
    pub reach: usize,
    /// How many weaker checkpoints (SHOULD, MAY, INTEROP) it shows.
    pub weaker: usize,
    /// Whether its kills count: it is not broken, and small.
    pub counts: bool,
}

impl Proof {
    /// How many claims stand like this.
    pub fn count(&self, standing: Standing) -> usize {
        self.claims.iter().filter(|claim| claim.standing == standing).count()
    }

    /// Whether every claim that runs here is proven, at least one of them, and
    /// nothing is broken.
    pub fn holds(&self) -> bool {
        !self.interrupted
            && self.count(Standing::Proven) > 0
            && !self.findings.iter().any(|finding| finding.kind.is_error())
    }

    /// Whether a check or a fault is broken, so that not everything could be
    /// tried.
    pub fn is_broken(&self) -> bool {
        self.findings.iter().any(|finding| finding.kind.is_broken())
    }
}
