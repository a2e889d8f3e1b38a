//! Where the same was found: [`Places`].

use std::collections::HashSet;

use super::describe::count;
use crate::mcp::Revision;

/// How many names stand in one line.
const NAMED: usize = 6;

/// Executions, by their checks, cases and profiles.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    executions: usize,
    checks: Names,
    cases: Names,
    profiles: Names,
}

/// Names in the order in which they are met, each once.
#[derive(Clone, Debug, Default)]
struct Names {
    list: Vec<String>,
    known: HashSet<String>,
}

impl Names {
    fn add(&mut self, name: String) {
        if self.known.insert(name.clone()) {
            self.list.push(name);
        }
    }

    /// `a, b, c`, or the first of them and how many more there are.
    fn text(&self, most: usize) -> String {
        let shown = self.list.iter().take(most).map(String::as_str).collect::<Vec<_>>().join(", ");
        match self.list.len().saturating_sub(most) {
            0 => shown,
            more => format!("{shown} and {more} more"),
        }
    }
}

impl Places {
    /// Adds one execution, its names as a person may see them.
    pub(super) fn add(
        &mut self,
        check: &str,
        case: Option<&str>,
        profile: &str,
        revision: Revision,
    ) {
        self.executions += 1;
        self.checks.add(check.to_owned());
        if let Some(case) = case {
            self.cases.add(case.to_owned());
        }
        self.profiles.add(format!("{profile} ({revision})"));
    }

    /// How many executions there are.
    pub(super) fn executions(&self) -> usize {
        self.executions
    }

    /// The check, with its case if it has one and there is no other: `a[one case]`;
    /// `None` if there are several checks.
    pub(super) fn check(&self) -> Option<String> {
        match (self.checks.list.as_slice(), self.cases.list.as_slice()) {
            ([check], [case]) => Some(format!("{check}[{case}]")),
            ([check], _) => Some(check.clone()),
            _ => None,
        }
    }

    /// Names of what there is, and a heading for them: checks if there are several,
    /// cases, profiles.
    pub(super) fn lines(&self) -> Vec<(&'static str, String)> {
        let several = |names: &Names, one, many| if names.list.len() == 1 { one } else { many };
        [
            (several(&self.checks, "", "checks"), &self.checks),
            (several(&self.cases, "case", "cases"), &self.cases),
            (several(&self.profiles, "profile", "profiles"), &self.profiles),
        ]
        .into_iter()
        .filter(|(noun, names)| !noun.is_empty() && !names.list.is_empty())
        .map(|(noun, names)| (noun, names.text(NAMED)))
        .collect()
    }

    /// The same in few words: `3 cases, for json (2025-11-25) and 2 more`.
    pub(super) fn brief(&self) -> String {
        let mut words = Vec::new();
        for (names, noun) in [(&self.checks, "check"), (&self.cases, "case")] {
            if names.list.len() > 1 {
                words.push(count(names.list.len(), noun));
            }
        }
        words.push(format!("for {}", self.profiles.text(2)));
        words.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_once_and_are_bounded() {
        let mut places = Places::default();
        let revision = Revision::V2025_11_25;
        places.add("one", Some("a case"), "json", revision);
        assert_eq!(places.check().as_deref(), Some("one[a case]"));
        assert_eq!(places.brief(), "for json (2025-11-25)");
        for number in 0..8 {
            places.add("one", Some(&format!("case {number}")), "json", revision);
        }
        assert_eq!(places.check().as_deref(), Some("one"));
        let cases = "a case, case 0, case 1, case 2, case 3, case 4 and 3 more".to_owned();
        let json = "json (2025-11-25)".to_owned();
        assert_eq!(places.lines(), [("cases", cases), ("profile", json)]);
        places.add("two", None, "sse", revision);
        assert_eq!(places.check(), None);
        assert_eq!(places.lines()[0], ("checks", "one, two".to_owned()));
        assert_eq!(places.brief(), "2 checks, 9 cases, for json (2025-11-25), sse (2025-11-25)");
        assert_eq!(places.executions(), 10);
    }
}
