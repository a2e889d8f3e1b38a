//! The part of a file that the official suite reads: `client` and `server`, lists
//! of `scenario` or `scenario:check-id`; and `reasons`, which is ours.
//!
//! Its names are not those of checks here, so the lists are held against their
//! form and excuse nothing.

use std::collections::HashMap;

use super::values::{Placed, Values};
use super::yaml::{Kind, Node};
use crate::check::nearest::did_you_mean;
use crate::check::source_error::problem;

/// What an entry of `reasons` has.
pub(super) const KEYS: [&str; 4] = ["reason", "issue", "flaky", "until"];

const HELP: &str = "write `- scenario` or `- scenario:check-id`, without a space behind the colon; \
                    an empty list is `[]`";

/// Reads one of the two lists.
pub(super) fn read<'a>(values: &mut Values<'a>, node: &'a Node, name: &str) -> Vec<Placed<'a>> {
    let mut entries = Vec::new();
    for item in values.items(node, name, HELP) {
        match &item.kind {
            Kind::Scalar { text, .. } if is_entry(text) && !item.is_null() => {
                entries.push((text.as_str(), item.span.clone()));
            }
            Kind::Scalar { text, .. } if !item.is_null() && !text.trim().is_empty() => {
                let message = format!("`{text}` is not the name of a scenario");
                let label = "expected `scenario` or `scenario:check-id`";
                let span = values.span(item);
                let found = problem("expected::scenario", message, span, label);
                values.problems.push(found.with_help(HELP));
            }
            _ => {
                let name = format!("an entry of {name}");
                values.unexpected(item, &name, "`scenario` or `scenario:check-id`", HELP);
            }
        }
    }
    refuse_whole_and_part(values, &entries);
    entries
}

/// A scenario, and behind the first colon a check's id.
fn is_entry(text: &str) -> bool {
    let (scenario, id) = text.split_once(':').unwrap_or((text, "-"));
    !scenario.is_empty() && !id.is_empty() && !text.contains(char::is_whitespace)
}

/// As the official suite does: a scenario that is expected whole leaves nothing
/// for an entry about one of its checks.
fn refuse_whole_and_part(values: &mut Values<'_>, entries: &[Placed<'_>]) {
    let whole: HashMap<&str, &Placed<'_>> = entries
        .iter()
        .filter(|(entry, _)| !entry.contains(':'))
        .map(|placed| (placed.0, placed))
        .collect();
    for (entry, span) in entries {
        let Some((scenario, _)) = entry.split_once(':') else { continue };
        let Some((_, first)) = whole.get(scenario) else { continue };
        let message = format!("`{scenario}` stands in the list whole and by one of its checks");
        values.problems.push(
            problem("expected::duplicate", message, span.clone(), "one of its checks")
                .and_label(first.clone(), "the whole scenario")
                .with_help("take one of the two away"),
        );
    }
}

/// Reads `reasons`: what the entries of the lists have no place for.
pub(super) fn reasons<'a>(values: &mut Values<'a>, node: &'a Node, entries: &[Placed<'a>]) {
    let help = "write `scenario:check-id: {reason: \"…\", issue: URL}`";
    for ((entry, span), value) in values.pairs(node, "reasons", help) {
        if !entries.iter().any(|(known, _)| *known == entry) {
            let message = format!("no list has an entry `{entry}`");
            let help = did_you_mean(entry, entries.iter().map(|(known, _)| *known))
                .unwrap_or_else(|| "name an entry of `client` or of `server`".to_owned());
            let found = problem("expected::unknown-entry", message, span, "no such entry");
            values.problems.push(found.with_help(help));
        }
        for (key, value) in values.pairs(value, entry, help) {
            match key.0 {
                "reason" | "issue" => drop(values.text(value, key.0)),
                "flaky" => drop(values.flag(value, "flaky")),
                "until" => drop(values.date(value)),
                _ => values.unknown_key(key, "a reason", &KEYS),
            }
        }
    }
}
