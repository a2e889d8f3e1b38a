//! `mcp-checks review`: shows recorded wires that differ or are new, and accepts
//! or rejects them.

use std::collections::{BTreeSet, VecDeque};
use std::io::{self, BufRead, IsTerminal, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::Args;
use http::HeaderMap;
use miette::miette;

use super::exit::Exit;
use super::output::{print, say};
use super::secrets;
use super::terminal::{Stream, When, has_colour};
use crate::check::nearest::did_you_mean;
use crate::profile;
use crate::report::{Paint, count};
use crate::snapshot::{Change, Decision, Place, Review, SnapshotError, Store, diff, diff_coloured};
use crate::wire::redact::Redactor;

/// What `review` takes.
#[derive(Args, Debug)]
#[command(after_help = "\
A change that is the same in several checks, cases and profiles is shown once. On a terminal each
is asked about, for all of them or one by one. Elsewhere they are shown, and the exit code is 1 if
there is one. `cargo insta review` reads the same files.

Examples:
  mcp-checks review
  mcp-checks review client session-http
  mcp-checks review tool-call-basic --accept")]
pub struct Arguments {
    /// Only these: a check's id or the end of it, a folder of checks, or a profile.
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Accept all of them without asking.
    #[arg(long, conflicts_with_all = ["reject", "list"])]
    accept: bool,
    /// Reject all of them without asking.
    #[arg(long, conflicts_with = "list")]
    reject: bool,
    /// Only name the files.
    #[arg(long)]
    list: bool,
    /// The folder of recorded wires.
    #[arg(long, value_name = "FOLDER", default_value = "snapshots")]
    snapshots: PathBuf,
}

/// Reviews what is pending.
///
/// # Errors
/// A diagnostic if a name names nothing, or a file cannot be read or written.
pub fn run(arguments: &Arguments, colour: When) -> miette::Result<Exit> {
    let mut review = Review::of(Store::open(&arguments.snapshots).pending()?)?;
    review.changes = named(std::mem::take(&mut review.changes), &arguments.names)?;
    if review.changes.is_empty() {
        say(format_args!("Nothing is pending in `{}`.", arguments.snapshots.display()));
        return Ok(Exit::AllHeld);
    }
    // A recorded wire may be older than the profile that calls something secret.
    let profiles = profile::load(None).unwrap_or_default();
    let redactor = secrets::learn(&HeaderMap::new(), None, &profiles);
    let look = Look { colour: has_colour(colour, Stream::Output), redactor: redactor.clone() };
    if arguments.list {
        let places = review.changes.iter().flatten();
        let paths: BTreeSet<&Path> = places.map(|place| place.pending.path.as_path()).collect();
        let lines: Vec<String> = paths.iter().map(|path| format!("{}\n", path.display())).collect();
        print(&lines.concat())?;
        return Ok(Exit::AllHeld);
    }
    let changes = review.changes.clone();
    let mut tally = Tally::default();
    let all = changes.iter().map(Vec::len).sum();
    if arguments.accept || arguments.reject {
        let decision = if arguments.accept { Decision::Accept } else { Decision::Reject };
        tally.decide(&mut review, &changes.concat(), decision)?;
    } else if io::stdin().is_terminal() && io::stderr().is_terminal() {
        // Both the wires and the questions go to the person.
        let look = Look { colour: has_colour(colour, Stream::Error), redactor };
        ask(&mut review, &look, &mut io::stdin().lock(), &mut io::stderr().lock(), &mut tally)?;
    } else {
        for places in &changes {
            print(&look.shown(&review, places))?;
        }
        say(format_args!(
            "{} in {} pending: --accept or --reject decides without a terminal.",
            count(changes.len(), "change"),
            count(all, "wire")
        ));
        return Ok(Exit::NotConforming);
    }
    say(tally.told(all));
    Ok(Exit::AllHeld)
}

/// Those places of the changes that the names mean; all of them if there is no name.
fn named(all: Vec<Vec<Place>>, names: &[String]) -> miette::Result<Vec<Vec<Place>>> {
    let means = |name: &str, place: &Place| {
        let pending = &place.pending;
        let check = pending.check.as_str();
        let name = name.trim_end_matches('/');
        check == name
            || place.profile == name
            || check.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'))
            || check.strip_suffix(name).is_some_and(|rest| rest.ends_with('/'))
            || pending.path.to_str() == Some(name)
            || pending.target.to_str() == Some(name)
    };
    for name in names {
        let mut places = all.iter().flatten();
        if !places.any(|place| means(name, place)) {
            let places = all.iter().flatten();
            let known = places.flat_map(|place| [&*place.pending.check, &*place.profile]);
            let help = did_you_mean(name, known)
                .unwrap_or_else(|| "`mcp-checks review --list` names what is pending".to_owned());
            return Err(miette!(
                code = "review::name",
                help = help,
                "nothing is pending for `{name}`"
            ));
        }
    }
    let is_meant = |place: &Place| names.is_empty() || names.iter().any(|name| means(name, place));
    let kept = all.into_iter().map(|mut places| {
        places.retain(is_meant);
        places
    });
    Ok(kept.filter(|places| !places.is_empty()).collect())
}

/// How a change is shown.
struct Look {
    colour: bool,
    redactor: Redactor,
}

/// How many checks and cases of a change are named.
const NAMED: usize = 6;

impl Look {
    /// A change, and where it stands.
    fn shown(&self, review: &Review, places: &[Place]) -> String {
        let Some(change) = review.change(places) else { return String::new() };
        let (old, new, lines) = match &change {
            Change::New { new } => ("", new.as_str(), None),
            Change::Gone { old } => (old.as_str(), "", None),
            Change::Differs { old, new, lines } => (old.as_str(), new.as_str(), Some(lines)),
        };
        let (old, new) = (self.redactor.redact(old), self.redactor.redact(new));
        let diff = if self.colour { diff_coloured(&old, &new) } else { diff(&old, &new) };
        let (_, diff) = diff.split_once('\n').unwrap_or_default();
        let at = lines.map(|[old, new]| {
            let range = |range: &Range<usize>| format!("{},{}", range.start + 1, range.len());
            format!("@@ -{} +{} @@\n", range(old), range(new))
        });
        format!("{}{}{diff}\n", self.heading(&change, places), at.unwrap_or_default())
    }

    fn heading(&self, change: &Change, places: &[Place]) -> String {
        let (is, are) = match change {
            Change::New { .. } => ("is new", "are new"),
            Change::Gone { .. } => ("is not recorded any more", "are not recorded any more"),
            Change::Differs { .. } => ("differs", "differ in the same way"),
        };
        let names = unique(places.iter().map(|place| match &place.case {
            Some(case) => format!("{}[{}]", place.pending.check, self.redactor.redact(case)),
            None => place.pending.check.clone(),
        }));
        let profiles = unique(places.iter().map(|place| place.profile.clone())).join(", ");
        let bold = |text: &str| Paint(self.colour).bold(text);
        if let [name] = &names[..] {
            return format!("{} {is}\n", bold(&format!("{name} for {profiles}")));
        }
        let wires = unique(places.iter().map(|place| {
            let case = place.case.as_deref().unwrap_or_default();
            [&place.pending.check, case, &place.profile].join("\n")
        }));
        let more = names.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let named = names[..names.len().min(NAMED)].join(", ");
        let title = bold(&format!("{} {are}", count(wires.len(), "wire")));
        format!("{title}\n  checks    {named}{more}\n  profiles  {profiles}\n")
    }
}

/// Each of them once, in the order in which they came first.
fn unique(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut known = BTreeSet::new();
    all.filter(|one| known.insert(one.clone())).collect()
}

/// What was decided, in wires and the changes in each.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    accepted: usize,
    rejected: usize,
}

impl Tally {
    fn decide(
        &mut self,
        review: &mut Review,
        places: &[Place],
        decision: Decision,
    ) -> Result<(), SnapshotError> {
        review.decide(places, decision)?;
        match decision {
            Decision::Accept => self.accepted += places.len(),
            Decision::Reject => self.rejected += places.len(),
        }
        Ok(())
    }

    fn told(&self, all: usize) -> String {
        let Tally { accepted, rejected } = self;
        let left = all - accepted - rejected;
        format!("{accepted} accepted, {rejected} rejected, {left} left as they are")
    }
}

/// What is asked of a change: in all of its places, and in one.
const QUESTIONS: [&str; 2] = [
    "[a]ccept, [r]eject, [s]kip, [o]ne by one, accept a[l]l that are left, [q]uit? ",
    "[a]ccept, [r]eject, [s]kip, accept a[l]l that are left, [q]uit? ",
];

/// Shows one change after the other and asks about it, until there is no more input.
fn ask(
    review: &mut Review,
    look: &Look,
    input: &mut dyn BufRead,
    talk: &mut dyn Write,
    tally: &mut Tally,
) -> miette::Result<()> {
    let mut left: VecDeque<Vec<Place>> = review.changes.iter().cloned().collect();
    let mut number = 0;
    while let Some(places) = left.pop_front() {
        number += 1;
        let all = number + left.len();
        let _ = write!(talk, "{}", look.shown(review, &places));
        let question = QUESTIONS[usize::from(places.len() == 1)];
        loop {
            let _ = write!(talk, "{number} of {all}: {question}");
            let _ = talk.flush();
            let mut answer = String::new();
            if input.read_line(&mut answer).unwrap_or_default() == 0 {
                let _ = writeln!(talk);
                return Ok(());
            }
            match answer.trim() {
                "a" | "accept" => tally.decide(review, &places, Decision::Accept)?,
                "r" | "reject" => tally.decide(review, &places, Decision::Reject)?,
                "s" | "skip" => {}
                "o" | "one" if places.len() > 1 => {
                    places.into_iter().rev().for_each(|place| left.push_front(vec![place]));
                    // They take the place of the change that they are.
                    number -= 1;
                }
                "l" | "all" => {
                    left.push_front(places);
                    let all: Vec<Place> = left.into_iter().flatten().collect();
                    tally.decide(review, &all, Decision::Accept)?;
                    return Ok(());
                }
                "q" | "quit" => return Ok(()),
                _ => continue,
            }
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
