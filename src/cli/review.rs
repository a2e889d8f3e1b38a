//! `mcp-checks review`: shows recorded wires that differ or are new, and accepts
//! or rejects them.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;

use clap::Args;
use http::HeaderMap;
use miette::miette;

use super::exit::Exit;
use super::output::{print, say};
use super::secrets;
use super::terminal::{Stream, When, has_colour};
use crate::check::nearest::did_you_mean;
use crate::profile;
use crate::report::Paint;
use crate::snapshot::{Pending, SnapshotError, Store, diff, diff_coloured};
use crate::wire::redact::Redactor;

/// What `review` takes.
#[derive(Args, Debug)]
#[command(after_help = "\
On a terminal each one is shown and asked about. Elsewhere they are shown, and the exit code is 1
if there is one. `cargo insta review` reads the same files.

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
    /// Only name their files.
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
    let all = Store::open(&arguments.snapshots).pending()?;
    let pending = named(all, &arguments.names)?;
    if pending.is_empty() {
        say(format_args!("Nothing is pending in `{}`.", arguments.snapshots.display()));
        return Ok(Exit::AllHeld);
    }
    // A recorded wire may be older than the profile that calls something secret.
    let profiles = profile::load(None).unwrap_or_default();
    let redactor = secrets::learn(&HeaderMap::new(), None, &profiles);
    let look = Look { colour: has_colour(colour, Stream::Output), redactor: redactor.clone() };
    if arguments.list {
        let paths: Vec<String> =
            pending.iter().map(|pending| format!("{}\n", pending.path.display())).collect();
        print(&paths.concat())?;
        return Ok(Exit::AllHeld);
    }
    let mut tally = Tally::default();
    if arguments.accept {
        pending.iter().try_for_each(|pending| tally.accept(pending))?;
    } else if arguments.reject {
        pending.iter().try_for_each(|pending| tally.reject(pending))?;
    } else if io::stdin().is_terminal() && io::stderr().is_terminal() {
        // Both the wires and the questions go to the person.
        let look = Look { colour: has_colour(colour, Stream::Error), redactor };
        ask(&pending, &look, &mut io::stdin().lock(), &mut io::stderr().lock(), &mut tally)?;
    } else {
        for pending in &pending {
            print(&look.shown(pending)?)?;
        }
        say(format_args!(
            "{} pending: --accept or --reject decides without a terminal.",
            pending.len()
        ));
        return Ok(Exit::NotConforming);
    }
    say(tally.told(pending.len()));
    Ok(Exit::AllHeld)
}

/// Those of `all` that the names mean; all of them if there is no name.
fn named(all: Vec<Pending>, names: &[String]) -> miette::Result<Vec<Pending>> {
    let means = |name: &str, pending: &Pending| {
        let check = pending.check.as_str();
        let name = name.trim_end_matches('/');
        check == name
            || pending.profile == name
            || check.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'))
            || check.strip_suffix(name).is_some_and(|rest| rest.ends_with('/'))
            || pending.path.to_str() == Some(name)
            || pending.target.to_str() == Some(name)
    };
    for name in names {
        if !all.iter().any(|pending| means(name, pending)) {
            let known = all.iter().flat_map(|pending| [&*pending.check, &*pending.profile]);
            let help = did_you_mean(name, known)
                .unwrap_or_else(|| "`mcp-checks review --list` names what is pending".to_owned());
            return Err(miette!(
                code = "review::name",
                help = help,
                "nothing is pending for `{name}`"
            ));
        }
    }
    let is_meant =
        |pending: &Pending| names.is_empty() || names.iter().any(|name| means(name, pending));
    Ok(all.into_iter().filter(is_meant).collect())
}

/// How a pending snapshot is shown.
struct Look {
    colour: bool,
    redactor: Redactor,
}

impl Look {
    fn shown(&self, pending: &Pending) -> Result<String, SnapshotError> {
        let old = pending.old()?.map(|old| self.redactor.redact(&old));
        let new = self.redactor.redact(&pending.new_contents()?);
        let what = if old.is_none() { "is new" } else { "differs" };
        let old = old.unwrap_or_default();
        let lines = if self.colour { diff_coloured(&old, &new) } else { diff(&old, &new) };
        let name = format!("{} for {}", pending.check, pending.profile);
        Ok(format!("{} {what}\n{lines}\n", Paint(self.colour).bold(&name)))
    }
}

/// What was decided.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    accepted: usize,
    rejected: usize,
}

impl Tally {
    fn accept(&mut self, pending: &Pending) -> Result<(), SnapshotError> {
        pending.accept()?;
        self.accepted += 1;
        Ok(())
    }

    fn reject(&mut self, pending: &Pending) -> Result<(), SnapshotError> {
        pending.reject()?;
        self.rejected += 1;
        Ok(())
    }

    fn told(&self, all: usize) -> String {
        let Tally { accepted, rejected } = self;
        let left = all - accepted - rejected;
        format!("{accepted} accepted, {rejected} rejected, {left} left as they are")
    }
}

const QUESTION: &str = "[a]ccept, [r]eject, [s]kip, accept a[l]l that are left, [q]uit? ";

/// Shows one after the other and asks about it, until there is no more input.
fn ask(
    pending: &[Pending],
    look: &Look,
    input: &mut dyn BufRead,
    talk: &mut dyn Write,
    tally: &mut Tally,
) -> miette::Result<()> {
    let count = pending.len();
    for (index, one) in pending.iter().enumerate() {
        let _ = write!(talk, "{}", look.shown(one)?);
        loop {
            let _ = write!(talk, "{} of {count}: {QUESTION}", index + 1);
            let _ = talk.flush();
            let mut answer = String::new();
            if input.read_line(&mut answer).unwrap_or_default() == 0 {
                let _ = writeln!(talk);
                return Ok(());
            }
            match answer.trim() {
                "a" | "accept" => tally.accept(one)?,
                "r" | "reject" => tally.reject(one)?,
                "s" | "skip" => {}
                "l" | "all" => {
                    pending[index..].iter().try_for_each(|one| tally.accept(one))?;
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
mod tests {
    use super::*;
    use crate::snapshot::{Recording, Section};

    /// Three pending snapshots of one profile.
    fn three(folder: &std::path::Path) -> Vec<Pending> {
        let store = Store::open(folder);
        for check in ["a/one", "a/two", "b/three"] {
            let recording = Recording {
                profile: "plain".to_owned(),
                check: check.to_owned(),
                cases: Vec::new(),
                sections: vec![Section { case: None, contents: format!("> {check}\n") }],
                source: format!("checks/{check}.rhai"),
                description: String::new(),
            };
            store.write_pending(&recording).unwrap();
        }
        store.pending().unwrap()
    }

    fn asked(answers: &str) -> (Tally, Vec<String>, String) {
        let folder = tempfile::tempdir().unwrap();
        let pending = three(folder.path());
        let (mut tally, mut talk) = (Tally::default(), Vec::new());
        let look = Look { colour: false, redactor: Redactor::default() };
        ask(&pending, &look, &mut answers.as_bytes(), &mut talk, &mut tally).unwrap();
        let left = Store::open(folder.path()).pending().unwrap();
        let left = left.into_iter().map(|pending| pending.check).collect();
        (tally, left, String::from_utf8(talk).unwrap())
    }

    #[test]
    fn each_answer_decides_one() {
        let (tally, left, talk) = asked("a\nnonsense\nreject\ns\n");
        assert_eq!(tally, Tally { accepted: 1, rejected: 1 });
        assert_eq!(left, ["b/three"]);
        assert_eq!(talk.matches("2 of 3: ").count(), 2, "what is no answer is asked again: {talk}");
        assert!(talk.contains("+ > b/three"), "{talk}");
    }

    #[test]
    fn all_accepts_what_is_left_and_quit_nothing() {
        assert_eq!(asked("r\nl\n").0, Tally { accepted: 2, rejected: 1 });
        assert_eq!(asked("q\n").1.len(), 3);
        assert_eq!(asked("a\n").1.len(), 2, "the end of the input is the end of the review");
    }

    #[test]
    fn names_mean_checks_folders_and_profiles() {
        let folder = tempfile::tempdir().unwrap();
        let all = three(folder.path());
        let checks = |name: &str| -> Vec<String> {
            let named = named(all.clone(), &[name.to_owned()]).unwrap();
            named.into_iter().map(|pending| pending.check).collect()
        };
        assert_eq!(checks("a"), ["a/one", "a/two"]);
        assert_eq!(checks("three"), ["b/three"]);
        assert_eq!(checks("plain").len(), 3);
        let error = named(all.clone(), &["a/oen".to_owned()]).unwrap_err();
        assert!(format!("{:?}", error.help().unwrap().to_string()).contains("a/one"));
    }
}
