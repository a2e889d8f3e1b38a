//! A file of expected failures, read from its text: [`read`].

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use chrono::NaiveDate;

use super::entry::{Entry, Expectations, Known, Purpose};
use super::known::{self, Named};
use super::layout::Layout;
use super::lists;
use super::values::{Placed, Values};
use super::yaml::{self, Kind, Node};
use crate::check::nearest::did_you_mean;
use crate::check::source_error::{Problem, problem};
use crate::check::{SourceError, SourceText};
use crate::mcp::Revision;

/// The keys of a file.
const FILE: [&str; 4] = ["client", "server", "reasons", "expected"];
/// The keys of an entry.
const ENTRY: [&str; 8] = ["id", "reason", "profile", "case", "revision", "issue", "flaky", "until"];

const AN_ENTRY: &str = "an entry is `- id: CHECK#CHECKPOINT` and, below it, `reason: …`";

impl Expectations {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, each at its place: a text that is not
    /// YAML, a value of another type, a key that an entry does not have, an entry
    /// without a reason, the name of a check, checkpoint, case, profile or
    /// revision that there is not.
    pub fn read(
        source: &SourceText,
        known: Known<'_>,
        purpose: Purpose,
    ) -> Result<Expectations, SourceError> {
        read(source, known, purpose)
    }
}

fn read(
    source: &SourceText,
    known: Known<'_>,
    purpose: Purpose,
) -> Result<Expectations, SourceError> {
    let text: &str = source.inner();
    let name = format!("the file of expected failures `{}`", source.name());
    let failed = |problems| SourceError::new(name.clone(), source.clone(), problems);
    let document = yaml::read(text).map_err(|problem| failed(vec![problem]))?;
    let mut values = Values { text, problems: Vec::new() };
    let mut file = File::default();
    if let Some(root) = document.root.as_ref().filter(|root| !root.is_null()) {
        file.read(&mut values, root, known, purpose);
    }
    let layout = Layout::of(text, &document);
    if purpose == Purpose::Write {
        values.problems.extend(layout.problem());
    }
    if !values.problems.is_empty() {
        return Err(failed(values.problems));
    }
    let note = |note: Problem| SourceError::new(name.clone(), source.clone(), vec![note]);
    Ok(Expectations {
        entries: file.entries.into_iter().map(Arc::new).collect(),
        notes: file.notes.into_iter().map(|problem| note(problem.into_warning())).collect(),
        source: source.clone(),
        layout,
    })
}

#[derive(Default)]
struct File {
    entries: Vec<Entry>,
    notes: Vec<Problem>,
}

impl File {
    fn read<'a>(
        &mut self,
        values: &mut Values<'a>,
        root: &'a Node,
        known: Known<'_>,
        purpose: Purpose,
    ) {
        let help = "a file has the keys `client`, `server`, `reasons` and `expected`";
        let mut scenarios = Vec::new();
        let mut reasons = None;
        for (key, value) in values.pairs(root, "the file", help) {
            match key.0 {
                "client" | "server" => scenarios.extend(lists::read(values, value, key.0)),
                "reasons" => reasons = Some(value),
                "expected" => self.expected(values, value, known, purpose),
                _ => self.notes.push(unread(key)),
            }
        }
        if let Some(node) = reasons {
            lists::reasons(values, node, &scenarios);
        }
        self.notes.extend(not_mapped(&scenarios));
    }

    fn expected<'a>(
        &mut self,
        values: &mut Values<'a>,
        node: &'a Node,
        known: Known<'_>,
        purpose: Purpose,
    ) {
        let mut ids = HashMap::new();
        // The line of an entry is counted on from the one before.
        let (mut line, mut counted) = (1, 0);
        for item in values.items(node, "expected", "an empty list is `[]`") {
            let before = values.problems.len();
            let between = values.text.get(counted..item.span.start).unwrap_or_default();
            (line, counted) = (line + between.matches('\n').count(), item.span.start);
            let read = ReadEntry::of(values, item, line, known.today, purpose);
            let Some(read) = read else { continue };
            let entry = &read.entry;
            // What is over is as if it were not there.
            if !entry.is_over && values.problems.len() == before {
                let named = Named {
                    entry,
                    id: read.id.clone(),
                    cases: &read.cases,
                    profiles: &read.profiles,
                };
                values.problems.extend(known::problems(&named, known));
                if let Some(first) = ids.insert(same(entry), read.id.clone()) {
                    values.problems.push(twice(entry, first, read.id.clone()));
                }
            }
            self.notes.extend(over(entry, read.until.clone()));
            self.entries.push(read.entry);
        }
    }
}

/// An entry, and where in the file its names stand.
struct ReadEntry<'a> {
    entry: Entry,
    id: Range<usize>,
    until: Range<usize>,
    cases: Vec<Placed<'a>>,
    profiles: Vec<Placed<'a>>,
}

impl<'a> ReadEntry<'a> {
    /// Reads an entry; `None` if it has no id by which to go on.
    fn of(
        values: &mut Values<'a>,
        node: &'a Node,
        line: usize,
        today: NaiveDate,
        purpose: Purpose,
    ) -> Option<Self> {
        let Kind::Mapping { .. } = node.kind else {
            values.unexpected(node, "an entry of expected", "a mapping", AN_ENTRY);
            return None;
        };
        let mut id = None;
        let mut reason: Option<(String, Range<usize>)> = None;
        let mut read = ReadEntry {
            entry: Entry {
                check: String::new(),
                checkpoint: None,
                cases: Vec::new(),
                profiles: Vec::new(),
                revisions: Vec::new(),
                reason: String::new(),
                issue: None,
                flaky: false,
                until: None,
                is_over: false,
                line,
                span: node.span.clone(),
            },
            id: values.span(node),
            until: values.span(node),
            cases: Vec::new(),
            profiles: Vec::new(),
        };
        let entry = &mut read.entry;
        for (key, value) in values.pairs(node, "an entry of expected", AN_ENTRY) {
            match key.0 {
                "id" => id = Some(values.text(value, "id")),
                "reason" => reason = Some((reason_of(values, value), values.span(value))),
                "profile" => read.profiles = values.texts(value, "profile"),
                "case" => read.cases = values.texts(value, "case"),
                "revision" => entry.revisions = revisions(values, value),
                "issue" => {
                    entry.issue = values.text(value, "issue").map(|(text, _)| text.to_owned());
                }
                "flaky" => entry.flaky = values.flag(value, "flaky"),
                "until" => {
                    entry.until = values.date(value);
                    read.until = values.span(value);
                }
                _ => values.unknown_key(key, "an entry", &ENTRY),
            }
        }
        let Some(id) = id else {
            let message = "an entry has no `id`";
            let found = problem("expected::missing-key", message, values.span(node), "this entry");
            values.problems.push(found.with_help(AN_ENTRY));
            return None;
        };
        let (id, span) = id?;
        let (reason, at) = reason.unwrap_or_else(|| (String::new(), span.clone()));
        if reason.is_empty() && purpose == Purpose::Excuse {
            let found = problem("expected::no-reason", "an entry has no reason", at, "none here");
            values.problems.push(found.with_help(
                "write why it does not hold: `reason: …`; nothing is excused without one",
            ));
        }
        let (check, checkpoint) = match id.split_once('#') {
            Some((check, checkpoint)) => (check, Some(checkpoint.to_owned())),
            None => (id, None),
        };
        entry.check = check.to_owned();
        entry.checkpoint = checkpoint;
        entry.reason = reason;
        entry.profiles = owned(&read.profiles);
        entry.cases = owned(&read.cases);
        entry.is_over = entry.until.is_some_and(|until| until < today);
        read.id = span;
        Some(read)
    }
}

/// A reason may stand empty until somebody writes one.
fn reason_of<'a>(values: &mut Values<'a>, node: &'a Node) -> String {
    match &node.kind {
        Kind::Scalar { .. } if node.is_null() => String::new(),
        Kind::Scalar { text, .. } => text.trim().to_owned(),
        _ => {
            let help = "say in a sentence why it does not hold";
            values.unexpected(node, "reason", "a text", help);
            // Nothing more is to be said of it.
            "?".to_owned()
        }
    }
}

fn revisions<'a>(values: &mut Values<'a>, node: &'a Node) -> Vec<Revision> {
    let mut revisions = Vec::new();
    for (name, span) in values.texts(node, "revision") {
        match name.parse() {
            Ok(revision) => revisions.push(revision),
            Err(_) => {
                let known = Revision::ALL.map(Revision::as_str).into_iter();
                values.problems.push(known::unknown("revision", name, span, known));
            }
        }
    }
    revisions
}

fn owned(placed: &[Placed<'_>]) -> Vec<String> {
    placed.iter().map(|(text, _)| (*text).to_owned()).collect()
}

/// What two entries have in common that are one too many.
fn same(entry: &Entry) -> (String, Vec<String>, Vec<String>, Vec<Revision>) {
    let sorted = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort();
        names
    };
    let mut revisions = entry.revisions.clone();
    revisions.sort();
    (entry.id(), sorted(&entry.cases), sorted(&entry.profiles), revisions)
}

fn twice(entry: &Entry, first: Range<usize>, second: Range<usize>) -> Problem {
    let message = format!("two entries are about `{}` in the same places", entry.id());
    problem("expected::duplicate", message, second, "again here")
        .and_label(first, "first here")
        .with_help("take one of the two away")
}

/// The official suite passes over any other key without a word, `clients`
/// included; so it is said here.
fn unread((key, span): Placed<'_>) -> Problem {
    let message = format!("nothing reads the key `{key}`");
    let help = did_you_mean(key, FILE)
        .unwrap_or_else(|| "a file has `client`, `server`, `reasons` and `expected`".to_owned());
    problem("expected::unread-key", message, span, "passed over").with_help(help)
}

fn not_mapped(scenarios: &[Placed<'_>]) -> Option<Problem> {
    let (_, first) = scenarios.first()?;
    let message = match scenarios.len() {
        1 => "one entry names a scenario of the official suite".to_owned(),
        number => format!("{number} entries name scenarios of the official suite"),
    };
    let label = "passed over, from here on";
    Some(
        problem("expected::not-mapped", message, first.clone(), label)
            .with_help("they excuse nothing here; entries of `expected` do"),
    )
}

fn over(entry: &Entry, span: Range<usize>) -> Option<Problem> {
    let until = entry.until.filter(|_| entry.is_over)?;
    let message = format!("the entry for `{}` counted until {until}", entry.id());
    Some(
        problem("expected::over", message, span, "this day has passed")
            .with_help("set a later day, or take the entry away"),
    )
}
