//! Which checks run: a [`Selection`].
//!
//! A selection is a list of expressions, and selects what any of them does. An
//! expression has the operators `not`, `and`, `or` (in this order of binding),
//! parentheses, and words:
//!
//! | word | selects |
//! |---|---|
//! | `client/tool-call-basic` | the check with this id |
//! | `client` | every check in this folder |
//! | `tools`, `tag:tools` | every check with this tag |
//! | `2025-11-25`, `revision:2025-11-25` | every check that runs at this revision |
//! | `client/*`, `**/session-*` | every check whose id matches; `*` and `?` stop at `/`, `**` does not, `{a,b}` is either |
//! | `tool-call-basic` | every check whose id ends with `/tool-call-basic`, if the word is nothing of the above |
//! | `./checks/client/a.rhai` | the check of this file, if the word is nothing of the above |
//! | `server-failure[a maintenance page]` | one case of what the word before the bracket selects |
//!
//! A word that is several of these at once selects all that they select. A word
//! that selects nothing is an error, and so is an expression as a whole.

mod cases;
mod parser;
mod universe;

use std::collections::HashMap;
use std::sync::Arc;

use miette::{MietteDiagnostic, NamedSource, Report};

use self::cases::Cases;
use self::universe::Universe;
use super::discovery::{BrokenCheck, Check, Library};
use super::nearest::did_you_mean;
use super::source_error::{Problem, SourceError, problem};
use crate::mcp::Revision;
use crate::profile::Profile;

/// Which checks, and which of their cases, are selected.
#[derive(Clone, Debug)]
pub struct Selection {
    /// The cases that are selected of each check that is selected at all.
    selected: HashMap<String, Cases>,
}

impl Selection {
    /// Reads expressions and finds what they select in `library`. No expression
    /// at all selects everything.
    ///
    /// # Errors
    ///
    /// The first expression that cannot be read, that holds a word which
    /// selects nothing, or that selects nothing as a whole.
    pub fn parse(expressions: &[String], library: &Library) -> Result<Selection, SourceError> {
        let universe = Universe::new(library);
        let mut union = if expressions.is_empty() { universe.all() } else { universe.none() };
        for expression in expressions {
            let set = parser::evaluate(expression, &universe)
                .map_err(|problem| error(expression, problem))?;
            if !set.contains(&true) {
                let problem = nothing_selected(expression);
                return Err(error(expression, problem));
            }
            union.iter_mut().zip(set).for_each(|(all, one)| *all |= one);
        }
        Ok(Selection { selected: universe.by_check(&union) })
    }

    /// Whether the check, or at least one of its cases, is selected.
    pub fn matches(&self, check: &Check) -> bool {
        self.selected.contains_key(&check.id)
    }

    /// Whether a check that cannot be read is selected. Its tags and revisions
    /// are not known: as if it had none.
    pub fn matches_broken(&self, check: &BrokenCheck) -> bool {
        self.selected.contains_key(&check.id)
    }

    /// Whether this case of the check is selected.
    pub fn case_matches(&self, check: &Check, case: &str) -> bool {
        match self.selected.get(&check.id) {
            Some(Cases::All) => true,
            Some(Cases::Some(cases)) => cases.iter().any(|selected| selected == case),
            None => false,
        }
    }
}

fn error(expression: &str, problem: Problem) -> SourceError {
    let source = Arc::new(NamedSource::new("selection", Arc::from(expression)));
    SourceError::new("the selection", source, vec![problem])
}

fn nothing_selected(expression: &str) -> Problem {
    problem(
        "selection::nothing",
        "the selection matches no check",
        0..expression.len(),
        "no check is all of this",
    )
    .with_help("`mcp-checks list` shows every check with its tags and revisions")
}

/// Makes sure that some check has the tag `name`.
///
/// # Errors
///
/// A tag that no check has, with the near ones.
pub fn known_tag(name: &str, library: &Library) -> Result<(), Report> {
    known("tag", name, library.tags())
}

/// Makes sure that a profile is called `name`.
///
/// # Errors
///
/// A name that no profile has, with the near ones.
pub fn known_profile(name: &str, profiles: &[Profile]) -> Result<(), Report> {
    known("profile", name, profiles.iter().map(|profile| profile.name.as_str()))
}

/// Reads a revision.
///
/// # Errors
///
/// A revision that is not known, with the near ones.
pub fn known_revision(name: &str) -> Result<Revision, Report> {
    let names = Revision::ALL.map(Revision::as_str);
    name.parse().or_else(|_| known("revision", name, names).map(|()| Revision::ALL[0]))
}

fn known<'a>(
    what: &str,
    name: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Result<(), Report> {
    let names: Vec<&str> = names.into_iter().collect();
    if names.contains(&name) {
        return Ok(());
    }
    let help = did_you_mean(name, names.iter().copied()).unwrap_or_else(|| match names.len() {
        0 => format!("there is no {what} at all"),
        1..=12 => format!("there is {}", names.join(", ")),
        count => format!("there are {count} others"),
    });
    Err(MietteDiagnostic::new(format!("there is no {what} `{name}`"))
        .with_code(format!("selection::unknown-{what}"))
        .with_help(help)
        .into())
}

#[cfg(test)]
mod tests;
