//! Entries put into a file, and taken out of it, with every other byte left as it
//! is: [`Survey`] and [`edited`].

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::scope::{Where, scalar, smallest};
use super::yaml::{Document, Kind, Node};
use super::{Entry, Expectations, Stale, does_not_hold};
use crate::check::source_error::{Problem, problem};
use crate::check::{Verdict, Weight};
use crate::runner::event::Trouble;
use crate::runner::{Execution, Outcome};

/// The first lines of a new file.
const HEAD: &str = "\
# What is known not to hold. Each entry needs a reason: why it does not hold, and
# whose fault it is.
";

/// Where a file has a place for more entries.
#[derive(Clone, Debug)]
pub(super) enum Layout {
    /// Behind the last entry: at this byte, with this before the dash.
    Behind { at: usize, indent: String },
    /// In place of `[]`, which stands here.
    Instead { empty: Range<usize>, indent: String },
    /// Under a new key `expected` at this byte, with this before the key.
    Key { at: usize, indent: String },
    /// Nowhere: what stands here is written between brackets.
    Brackets(Range<usize>),
}

impl Layout {
    pub(super) fn of(text: &str, document: &Document) -> Self {
        let at = document.end;
        let Some(root) = document.root.as_ref().filter(|root| !root.is_null()) else {
            return Layout::Key { at, indent: String::new() };
        };
        let Kind::Mapping { pairs, is_flow: false } = &root.kind else {
            return Layout::Brackets(root.span.clone());
        };
        let is_expected =
            |key: &Node| matches!(&key.kind, Kind::Scalar { text, .. } if text == "expected");
        let indent = |at: usize| white_space(&text[line_start(text, at)..at]);
        let Some((key, list)) = pairs.iter().find(|(key, _)| is_expected(key)) else {
            return Layout::Key { at, indent: indent(root.span.start) };
        };
        match &list.kind {
            Kind::List { items, is_flow: false } => match items.last() {
                Some(last) => {
                    let lines = lines_of(text, &last.span);
                    Layout::Behind { at: lines.end, indent: white_space(&text[lines]) }
                }
                None => Layout::Brackets(list.span.clone()),
            },
            Kind::List { items, .. } if items.is_empty() => {
                Layout::Instead { empty: list.span.clone(), indent: indent(key.span.start) + "  " }
            }
            _ => Layout::Brackets(list.span.clone()),
        }
    }

    /// What is wrong if no entry can be added.
    pub(super) fn problem(&self) -> Option<Problem> {
        let Layout::Brackets(span) = self else { return None };
        let start = span.start..span.start + 1;
        let message = "nothing can be added to what is written between brackets";
        let label = "expected lines";
        let help = "write `expected:` on a line of its own, and each entry below it with `- `";
        Some(problem("expected::brackets", message, start, label).with_help(help))
    }
}

/// What did not hold in a run, and where it could have.
#[derive(Debug, Default)]
pub struct Survey {
    /// By check and checkpoint; the whole check, where time was up and every
    /// checkpoint was decided.
    claims: BTreeMap<(String, Option<String>), Claim>,
}

#[derive(Debug, Default)]
struct Claim {
    red: Vec<Where>,
    all: Vec<Where>,
}

impl Survey {
    /// Takes in an execution that has been weighed.
    pub fn add(&mut self, execution: &Execution) {
        if !matches!(execution.trouble, None | Some(Trouble::TimedOut(_))) {
            return;
        }
        let mut named = false;
        for result in &execution.checkpoints {
            if result.verdict != Verdict::Pass && !does_not_hold(result.verdict) {
                continue;
            }
            let is_red = result.weight == Weight::Red;
            named |= is_red;
            self.claim(execution, Some(result.checkpoint.id.clone()), is_red);
        }
        self.claim(execution, None, execution.outcome == Outcome::Timeout && !named);
    }

    fn claim(&mut self, execution: &Execution, checkpoint: Option<String>, is_red: bool) {
        let claim = self.claims.entry((execution.check.clone(), checkpoint)).or_default();
        let place = Where::of(execution);
        if is_red {
            claim.red.push(place.clone());
        }
        claim.all.push(place);
    }

    /// The new entries: what is red and is in no entry of the file, whether that
    /// counts or not. Each is the lines of an entry, without indentation.
    fn entries(&self, known: &[Arc<Entry>]) -> Vec<Vec<String>> {
        let mut entries = Vec::new();
        for ((check, checkpoint), claim) in &self.claims {
            let is_known = |place: &&Where| {
                known.iter().any(|entry| {
                    entry.check == *check
                        && (entry.checkpoint.is_none() || entry.checkpoint == *checkpoint)
                        && (entry.cases.is_empty()
                            || place.case.as_ref().is_some_and(|case| entry.cases.contains(case)))
                        && (entry.profiles.is_empty() || entry.profiles.contains(&place.profile))
                        && (entry.revisions.is_empty() || entry.revisions.contains(&place.revision))
                })
            };
            let red: Vec<Where> =
                claim.red.iter().filter(|place| !is_known(place)).cloned().collect();
            let id = match checkpoint {
                Some(checkpoint) => format!("{check}#{checkpoint}"),
                None => check.clone(),
            };
            for scope in smallest(&red, &claim.all) {
                let mut lines = vec![format!("id: {}", scalar(&id))];
                lines.extend(scope.pairs());
                lines.push("reason: \"\"".to_owned());
                entries.push(lines);
            }
        }
        entries
    }
}

/// A file's text with entries for what is red, and how many they are; without
/// the `pruned` entries.
pub fn edited(expectations: &Expectations, survey: &Survey, pruned: &[Stale]) -> (String, usize) {
    let text: &str = expectations.source.inner();
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let new = survey.entries(&expectations.entries);
    let added = |indent: &str| -> String {
        let line = |entry: &Vec<String>| {
            let lines = entry.join(&format!("{newline}{indent}  "));
            format!("{indent}- {lines}{newline}")
        };
        new.iter().map(line).collect()
    };
    let mut edits: Vec<(Range<usize>, String)> =
        pruned.iter().map(|stale| (lines_of(text, &stale.entry.span), String::new())).collect();
    let is_emptied = !expectations.entries.is_empty()
        && new.is_empty()
        && edits.len() == expectations.entries.len();
    match &expectations.layout {
        Layout::Behind { indent, .. } if is_emptied => {
            // A key with nothing under it is no list.
            let first = edits.iter().map(|(lines, _)| lines.start).min().unwrap_or_default();
            edits.push((first..first, format!("{indent}[]{newline}")));
        }
        Layout::Behind { at, indent } => edits.push((*at..*at, added(indent))),
        Layout::Instead { empty, indent } if !new.is_empty() => {
            let colon = text[..empty.start].trim_end().len();
            edits.push((colon..empty.end, String::new()));
            let behind = line_end(text, empty.end);
            edits.push((behind..behind, added(indent)));
        }
        Layout::Key { at, indent } => {
            let head = if text.is_empty() { HEAD } else { "" };
            let list = match new.is_empty() {
                true if text.is_empty() => format!("{head}expected: []{newline}"),
                true => String::new(),
                false => {
                    format!("{head}{indent}expected:{newline}{}", added(&format!("{indent}  ")))
                }
            };
            edits.push((*at..*at, list));
        }
        Layout::Instead { .. } | Layout::Brackets(_) => {}
    }
    (apply(text, edits, newline), new.len())
}

/// Makes the edits. What is put behind a line that does not end begins a new one.
fn apply(text: &str, mut edits: Vec<(Range<usize>, String)>, newline: &str) -> String {
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (range, new) in edits {
        out.push_str(&text[done..range.start.max(done)]);
        if !new.is_empty() && !out.is_empty() && !out.ends_with('\n') {
            out.push_str(newline);
        }
        out.push_str(&new);
        done = range.end.max(done);
    }
    out.push_str(&text[done..]);
    out
}

/// The lines of an item of a list that is written with dashes: from the dash to
/// the end of its last line, and comments below that are indented farther than
/// the dash.
fn lines_of(text: &str, span: &Range<usize>) -> Range<usize> {
    let mut start = line_start(text, span.start);
    while !text[start..].trim_start_matches(' ').starts_with('-') && start > 0 {
        start = line_start(text, start - 1);
    }
    let column = white_space(&text[start..]).len();
    let mut end = line_end(text, span.end);
    let mut next = end;
    while next < text.len() {
        let line_end = line_end(text, next);
        let line = text[next..line_end].trim_end();
        let indent = white_space(line).len();
        if line[indent..].starts_with('#') && indent > column {
            end = line_end;
        } else if !line.is_empty() {
            break;
        }
        next = line_end;
    }
    start..end
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// The byte behind the newline of the line.
fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1)
}

/// The spaces at the beginning of a line.
fn white_space(line: &str) -> String {
    line.chars().take_while(|letter| *letter == ' ').collect()
}
