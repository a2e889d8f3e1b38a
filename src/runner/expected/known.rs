//! Whether an entry names what there is: an entry that matches nothing is wrong.

use std::ops::Range;

use super::entry::{Entry, Known};
use super::values::Placed;
use crate::check::nearest::{alternatives, did_you_mean};
use crate::check::source_error::{Problem, problem};
use crate::check::{Check, WIRE_SCHEMA};
use crate::profile::Profile;

/// An entry and where its names stand.
pub(super) struct Named<'a> {
    pub(super) entry: &'a Entry,
    pub(super) id: Range<usize>,
    pub(super) cases: &'a [Placed<'a>],
    pub(super) profiles: &'a [Placed<'a>],
}

/// What is wrong with the names of an entry. Which checks were selected for this
/// run plays no part: an entry for another one is right.
pub(super) fn problems(named: &Named<'_>, known: Known<'_>) -> Vec<Problem> {
    let entry = named.entry;
    let mut problems = Vec::new();
    for (profile, span) in named.profiles {
        let names = || known.profiles.iter().map(|profile| profile.name.as_str());
        if !names().any(|name| name == *profile) {
            problems.push(unknown("profile", profile, span.clone(), names()));
        }
    }
    let check = match known.library.get(&entry.check) {
        None => {
            let start = named.id.start;
            let span = start..(start + entry.check.len()).min(named.id.end);
            problems.push(unknown("check", &entry.check, span, known.library.ids()));
            return problems;
        }
        // What a broken check has is not known.
        Some(Err(_)) => return problems,
        Some(Ok(check)) => check,
    };
    if let Some(checkpoint) = &entry.checkpoint
        && !checkpoints(check).any(|known| known == checkpoint)
    {
        let what = format!("`{}` has no checkpoint `{checkpoint}`", check.id);
        let near = did_you_mean(checkpoint, checkpoints(check));
        let help = near.unwrap_or_else(|| format!("it has {}", alternatives(checkpoints(check))));
        let found = problem("expected::unknown-checkpoint", what, named.id.clone(), "not declared");
        problems.push(found.with_help(help));
    }
    let cases = &check.header.cases;
    for (case, span) in named.cases {
        if !cases.iter().any(|known| known == case) {
            let what = format!("`{}` has no case `{case}`", check.id);
            let near = did_you_mean(case, cases.iter().map(String::as_str));
            let help = near.unwrap_or_else(|| match cases.len() {
                0 => "it has no cases: take the key away".to_owned(),
                _ => format!("it has {}", alternatives(cases.iter().map(String::as_str))),
            });
            let found = problem("expected::unknown-case", what, span.clone(), "no such case");
            problems.push(found.with_help(help));
        }
    }
    if problems.is_empty() && !known.profiles.iter().any(|profile| can_match(entry, check, profile))
    {
        let message = "the entry matches nothing";
        let label = format!("`{}` never comes to it at what the entry names", check.id);
        let help = format!(
            "`mcp-checks show {}` says at which revisions it is claimed; a profile has one revision",
            check.id
        );
        let found = problem("expected::matches-nothing", message, named.id.clone(), label);
        problems.push(found.with_help(help));
    }
    problems
}

/// Whether an execution at this profile could have what the entry names.
fn can_match(entry: &Entry, check: &Check, profile: &Profile) -> bool {
    let revision = profile.revision;
    let claimed = |id: &String| {
        id == WIRE_SCHEMA || check.header.checkpoints_at(revision).any(|known| known.id == *id)
    };
    (entry.profiles.is_empty() || entry.profiles.contains(&profile.name))
        && (entry.revisions.is_empty() || entry.revisions.contains(&revision))
        && check.header.revisions.contains(&revision)
        && entry.checkpoint.as_ref().is_none_or(claimed)
}

fn checkpoints(check: &Check) -> impl Iterator<Item = &str> {
    let declared = check.header.checkpoints.iter().map(|checkpoint| checkpoint.id.as_str());
    declared.chain([WIRE_SCHEMA])
}

/// Says that nothing has this name.
pub(super) fn unknown<'a>(
    what: &str,
    name: &str,
    span: Range<usize>,
    known: impl Iterator<Item = &'a str>,
) -> Problem {
    let names: Vec<&str> = known.collect();
    let help = did_you_mean(name, names.iter().copied()).unwrap_or_else(|| match names.len() {
        0..=12 => format!("there is {}", alternatives(names)),
        _ => format!("`mcp-checks list` names every {what}; take the entry away if it is gone"),
    });
    let code = format!("expected::unknown-{what}");
    problem(&code, format!("there is no {what} `{name}`"), span, "not known").with_help(help)
}
