//! `mcp-checks show`: everything that one check says of itself.

use std::fmt::Write as _;

use clap::Args;

use super::exit::Exit;
use super::list::revisions;
use super::output::{print, say};
use super::sources::{Sources, named_check};
use super::terminal::{Stream, When, has_colour};
use crate::check::{About, Check, Checkpoint, Need};
use crate::profile::Profile;
use crate::report::Paint;
use crate::runner::Subject;
use crate::runner::plan::reason_to_skip;

/// What `show` takes.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  mcp-checks show client/tool-call-basic
  mcp-checks show tool-call-basic --source")]
pub struct Arguments {
    /// The check's id, or the end of it.
    #[arg(value_name = "ID")]
    id: String,
    /// Print the script itself.
    #[arg(long)]
    source: bool,
    #[command(flatten)]
    sources: Sources,
}

/// Shows the check.
///
/// # Errors
/// A diagnostic of what is wrong with the command line or a file.
pub fn run(arguments: &Arguments, colour: When) -> miette::Result<Exit> {
    let (library, profiles) = arguments.sources.read()?;
    let check = match named_check(&library, &arguments.id)? {
        Ok(check) => check,
        Err(broken) => {
            say(format_args!("{:?}", broken.problem));
            return Ok(Exit::BrokenCheck);
        }
    };
    if arguments.source {
        print(check.source()?.inner())?;
        return Ok(Exit::AllHeld);
    }
    print(&human(check, &profiles, Paint(has_colour(colour, Stream::Output))))?;
    Ok(Exit::AllHeld)
}

fn human(check: &Check, profiles: &[Profile], paint: Paint) -> String {
    let header = &check.header;
    let mut text = format!("{}\n{}\n", paint.bold(&check.id), header.title);
    if !header.description.is_empty() {
        let _ = writeln!(text, "\n{}", header.description);
    }
    let file = match check.path() {
        Some(path) => path.display().to_string(),
        None => "built in".to_owned(),
    };
    let needs = header.needs.iter().copied().map(Need::as_str).collect::<Vec<_>>();
    let facts = [
        ("kind", format!("a check of a {}", check.kind.as_str())),
        ("task", header.task.clone().unwrap_or_default()),
        ("scenario", header.scenario.clone().unwrap_or_default()),
        ("revisions", revisions(&header.revisions)),
        ("tags", header.tags.join(", ")),
        ("spec", header.spec.join(", ")),
        ("needs", needs.join(", ")),
        ("cases", header.cases.join("; ")),
        ("invalid", header.invalid.clone().unwrap_or_default()),
        ("file", file),
    ];
    text.push('\n');
    for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(text, "{}  {value}", paint.dim(&format!("{name:<9}")));
    }
    let _ = writeln!(text, "\n{}", paint.bold("checkpoints"));
    let shared = Checkpoint::wire_schema();
    let checkpoints = || header.checkpoints.iter().chain([&shared]);
    let width = widest(checkpoints().map(|checkpoint| checkpoint.id.as_str()));
    for checkpoint in checkpoints() {
        let Checkpoint { id, level, sentence, .. } = checkpoint;
        let marks = marks(checkpoint);
        let _ = writeln!(text, "  {id:<width$}  {level:<7}  {}{sentence}", paint.dim(&marks));
    }
    let _ = writeln!(text, "\n{}", paint.bold("profiles"));
    let width = widest(profiles.iter().map(|profile| profile.name.as_str()));
    for profile in profiles {
        let what = match reason_to_skip(check, profile, &Subject::Embedded) {
            None => paint.green("runs"),
            Some(reason) => format!("skipped: {reason}"),
        };
        let _ = writeln!(text, "  {:<width$}  {}  {what}", profile.name, profile.revision);
    }
    text
}

/// The marks as a header has them, with a space behind, or nothing.
fn marks(checkpoint: &Checkpoint) -> String {
    let mut marks = Vec::new();
    if checkpoint.about == About::Task {
        marks.push("task".to_owned());
    }
    if checkpoint.builtin {
        marks.push("builtin".to_owned());
    }
    if !checkpoint.revisions.is_empty() {
        marks.push(revisions(&checkpoint.revisions));
    }
    if let Some(level) = checkpoint.spec_level {
        marks.push(format!("spec: {level}"));
    }
    if marks.is_empty() { String::new() } else { format!("[{}] ", marks.join("; ")) }
}

fn widest<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.map(|name| name.chars().count()).max().unwrap_or_default()
}
