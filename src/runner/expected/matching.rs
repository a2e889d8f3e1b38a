//! Which executions an entry is about, and where an execution is.

use super::entry::Entry;
use super::scope::Where;
use crate::runner::event::Execution;

impl Entry {
    /// Whether it is about this execution.
    pub fn is_about(&self, execution: &Execution) -> bool {
        let is_case = |case: &String| execution.case.as_ref() == Some(case);
        self.check == execution.check
            && (self.cases.is_empty() || self.cases.iter().any(is_case))
            && (self.profiles.is_empty() || self.profiles.contains(&execution.profile))
            && (self.revisions.is_empty() || self.revisions.contains(&execution.revision))
    }
}

impl Where {
    /// Where an execution is.
    pub fn of(execution: &Execution) -> Self {
        Where {
            case: execution.case.clone(),
            revision: execution.revision,
            profile: execution.profile.clone(),
        }
    }
}
