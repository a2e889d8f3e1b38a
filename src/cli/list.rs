//! `mcp-checks list`: every check, read without running anything.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clap::{Args, ValueEnum};
use http::Uri;
use serde_json::{Value, json};

use super::exit::Exit;
use super::filters::{Chosen, Filters, nothing_left};
use super::output::{Format, print, say};
use super::sources::Sources;
use super::terminal::{Stream, When, has_colour};
use crate::check::{BrokenCheck, Check, Checkpoint, Library};
use crate::mcp::Revision;
use crate::profile::Profile;
use crate::report::Paint;
use crate::runner::Subject;
use crate::runner::plan::reason_to_skip;
use crate::runner::subject::Command;

/// What `list` takes.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  mcp-checks list
  mcp-checks list 'tools and not 2025-03-26'
  mcp-checks list --for client
  mcp-checks list --tags
  mcp-checks list --profile session-http --format json")]
pub struct Arguments {
    #[command(flatten)]
    filters: Filters,
    /// Only checks that can run on such a subject: those that `run --client`, `run --server` or
    /// `run` by itself takes.
    #[arg(long = "for", value_name = "SUBJECT")]
    subject: Option<Under>,
    /// List the tags of these checks, each with the number of checks that have it.
    #[arg(long)]
    tags: bool,
    /// The format of the list.
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    #[command(flatten)]
    sources: Sources,
}

/// What is under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Under {
    /// A client of your own.
    Client,
    /// A server of your own.
    Server,
    /// The built-in client and host.
    Builtin,
}

impl Under {
    /// A subject of this kind; which program or address it has makes no difference
    /// to what it takes.
    fn subject(self) -> Subject {
        match self {
            Under::Client => {
                Subject::Client(Command { program: String::new(), arguments: Vec::new() })
            }
            Under::Server => Subject::Server(Uri::default()),
            Under::Builtin => Subject::Embedded,
        }
    }
}

/// Lists what `arguments` ask for. Checks that cannot be read are listed as
/// broken.
///
/// # Errors
/// A diagnostic of what is wrong with the command line or a file.
pub fn run(arguments: &Arguments, colour: When) -> miette::Result<Exit> {
    let (library, profiles) = arguments.sources.read()?;
    let chosen = arguments.filters.choose(&library, &profiles)?;
    let listed = Listed::new(&library, &profiles, &chosen, arguments.subject);
    if listed.checks.is_empty() {
        return Err(nothing_left());
    }
    print(&match (arguments.format, arguments.tags) {
        (Format::Human, false) => listed.human(Paint(has_colour(colour, Stream::Output))),
        (Format::Human, true) => listed.tags_for_a_person(),
        (Format::Json, false) => format!("{:#}\n", listed.json()),
        (Format::Json, true) => format!("{:#}\n", json!({ "tags": listed.tags() })),
    })?;
    let mut exit = Exit::AllHeld;
    for broken in listed.broken() {
        say(format_args!("{:?}", broken.problem));
        exit = Exit::BrokenCheck;
    }
    Ok(exit)
}

/// The checks that are listed, in the order of their ids.
struct Listed<'a> {
    checks: Vec<Result<&'a Check, &'a BrokenCheck>>,
}

impl<'a> Listed<'a> {
    fn new(
        library: &'a Library,
        profiles: &[Profile],
        chosen: &Chosen<'_>,
        under: Option<Under>,
    ) -> Self {
        let choice = chosen.choice();
        let subject = under.unwrap_or(Under::Builtin).subject();
        let runs_for = |check: &Check| {
            // Of a profile alone can be said whether a check runs.
            if choice.profiles.is_empty() && under.is_none() {
                return true;
            }
            profiles.iter().any(|profile| {
                (choice.profiles.is_empty() || choice.profiles.contains(&profile.name))
                    && (choice.revisions.is_empty() || choice.revisions.contains(&profile.revision))
                    && reason_to_skip(check, profile, &subject).is_none()
            })
        };
        let takes = |check: &Check| {
            let header = &check.header;
            let has_revision = |revision: &Revision| header.revisions.contains(revision);
            choice.selection.is_none_or(|selection| selection.matches(check))
                && (choice.revisions.is_empty() || choice.revisions.iter().any(has_revision))
                && (choice.tags.is_empty()
                    || header.tags.iter().any(|tag| choice.tags.contains(tag)))
                && choice.level.is_none_or(|level| {
                    header.checkpoints.iter().any(|checkpoint| checkpoint.level <= level)
                })
                && runs_for(check)
        };
        let takes_broken = |broken: &BrokenCheck| {
            choice.selection.is_none_or(|selection| selection.matches_broken(broken))
        };
        let checks = library.checks.iter().filter_map(|check| match check {
            Ok(check) => takes(check).then_some(Ok(check)),
            Err(broken) => takes_broken(broken).then_some(Err(broken)),
        });
        Listed { checks: checks.collect() }
    }

    fn broken(&self) -> impl Iterator<Item = &'a BrokenCheck> {
        self.checks.iter().filter_map(|check| check.err())
    }

    /// Every tag and how many checks have it, in order.
    fn tags(&self) -> BTreeMap<&'a str, usize> {
        let checks = self.checks.iter().filter_map(|check| check.ok());
        let mut tags = BTreeMap::new();
        for tag in checks.flat_map(|check| &check.header.tags) {
            *tags.entry(tag.as_str()).or_default() += 1;
        }
        tags
    }

    fn tags_for_a_person(&self) -> String {
        let tags = self.tags();
        let width = tags.keys().map(|tag| tag.chars().count()).max().unwrap_or_default();
        tags.iter().map(|(tag, count)| format!("{tag:<width$}  {count}\n")).collect()
    }

    fn human(&self, paint: Paint) -> String {
        let mut text = String::new();
        for check in &self.checks {
            let _ = match check {
                Ok(check) => {
                    let mut facts = vec![revisions(&check.header.revisions)];
                    facts.extend(check.header.tags.iter().cloned());
                    let (id, facts) = (paint.bold(&check.id), paint.dim(&facts.join(", ")));
                    writeln!(text, "{id}\n    {}\n    {facts}", check.header.title)
                }
                Err(broken) => {
                    let (id, problem) = (paint.bold(&broken.id), paint.red("broken:"));
                    writeln!(text, "{id}\n    {problem} {}", broken.problem)
                }
            };
        }
        text
    }

    fn json(&self) -> Value {
        let checks = self.checks.iter().filter_map(|check| check.ok());
        json!({
            "checks": checks.map(described).collect::<Vec<_>>(),
            "broken": self
                .broken()
                .map(|broken| json!({ "id": broken.id, "problem": broken.problem.to_string() }))
                .collect::<Vec<_>>(),
        })
    }
}

fn described(check: &Check) -> Value {
    let header = &check.header;
    json!({
        "id": check.id,
        "kind": check.kind.as_str(),
        "title": header.title,
        "tags": header.tags,
        "revisions": header.revisions.iter().map(|revision| revision.as_str()).collect::<Vec<_>>(),
        "cases": header.cases,
        "checkpoints": header.checkpoints.iter().chain([&Checkpoint::wire_schema()]).map(|checkpoint| json!({
            "id": checkpoint.id,
            "level": checkpoint.level.as_str(),
            "sentence": checkpoint.sentence,
        })).collect::<Vec<_>>(),
    })
}

/// Revisions as a header has them: a range where they follow each other.
pub fn revisions(revisions: &[Revision]) -> String {
    let is_range = revisions.len() > 1
        && Revision::ALL.windows(revisions.len()).any(|window| window == revisions);
    match (revisions, is_range) {
        ([first, .., last], true) => format!("{first}..{last}"),
        _ => revisions.iter().map(|revision| revision.as_str()).collect::<Vec<_>>().join(", "),
    }
}
