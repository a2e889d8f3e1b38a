//! Files of expected failures on the command line: [`ExpectedFailures`].

use std::fs::File;
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, NaiveDate};
use clap::{Args, ValueEnum};
use miette::{NamedSource, miette};

use super::output::say;
use super::reports::Unfinished;
use crate::check::{Library, SourceText};
use crate::host::clock::Clock;
use crate::profile::Profile;
use crate::runner::expected::write::{Survey, edited};
use crate::runner::expected::{Expectations, Known, LARGEST, Purpose, Stale};
use crate::runner::{Settings, Summary};

/// What is known not to hold.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Failures that are known")]
pub struct ExpectedFailures {
    /// Do not fail for what this YAML file lists; fail for what it lists and holds.
    #[arg(long, value_name = "FILE", conflicts_with = "write_expected_failures")]
    expected_failures: Option<PathBuf>,
    /// Add to this file what is red and not in it; then write a reason for each entry.
    #[arg(long, value_name = "FILE", conflicts_with = "fail_fast")]
    write_expected_failures: Option<PathBuf>,
    /// Take out of the file what holds everywhere.
    #[arg(long, requires = "write_expected_failures")]
    prune: bool,
    /// What a listed failure does that holds [default: fail].
    #[arg(long, value_name = "EFFECT")]
    stale: Option<StaleEffect>,
}

/// What an entry does that expects what holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StaleEffect {
    /// It fails the run.
    Fail,
    /// It is shown.
    Warn,
}

/// A file that is going to be written, and what is known of the run so far.
pub struct Writing {
    path: PathBuf,
    prune: bool,
    /// What did not hold.
    pub survey: Survey,
}

impl ExpectedFailures {
    /// Reads the file, if one was named, into `settings`. What is worth a remark
    /// is said on standard error. What is returned is to be finished after the run.
    ///
    /// # Errors
    /// A diagnostic of a file that cannot be read, and of everything that is wrong
    /// in it.
    pub fn read(
        &self,
        settings: &mut Settings,
        library: &Library,
        profiles: &[Profile],
    ) -> miette::Result<Option<Writing>> {
        let (path, purpose) = match (&self.expected_failures, &self.write_expected_failures) {
            (Some(path), _) => (path, Purpose::Excuse),
            (None, Some(path)) => (path, Purpose::Write),
            (None, None) if self.stale.is_some() => {
                return Err(miette!(
                    code = "run::stale",
                    help = "name the file as well: --expected-failures FILE",
                    "--stale is about a file of expected failures, and none was named"
                ));
            }
            (None, None) => return Ok(None),
        };
        let source = source(path, purpose)?;
        let known = Known { library, profiles, today: today() };
        let expectations = Expectations::read(&source, known, purpose)?;
        for note in &expectations.notes {
            say(format_args!("{:?}", miette::Report::new(note.clone())));
        }
        settings.expectations = Some(expectations);
        settings.stale_is_red = !self.prune && self.stale != Some(StaleEffect::Warn);
        let writing =
            || Writing { path: path.clone(), prune: self.prune, survey: Survey::default() };
        Ok((purpose == Purpose::Write).then(writing))
    }
}

impl Writing {
    /// Writes the file anew, if something changes in it and the run was not
    /// interrupted, and says on standard error what it did.
    ///
    /// # Errors
    /// A diagnostic if the file cannot be written.
    pub fn finish(
        self,
        settings: &Settings,
        summary: &Summary,
        library: &Library,
        profiles: &[Profile],
    ) -> miette::Result<()> {
        let Some(expectations) = settings.expectations.as_ref().filter(|_| !summary.interrupted)
        else {
            return Ok(());
        };
        let is_gone = |stale: &&Stale| self.prune && stale.remains.is_empty();
        let pruned: Vec<Stale> = summary.stale.iter().filter(is_gone).cloned().collect();
        let (text, added) = edited(expectations, &self.survey, &pruned);
        let old: &str = expectations.source.inner();
        let name = self.path.display();
        if text == old {
            say(format_args!("{name} stays as it is"));
            return Ok(());
        }
        // A file that could not be read again is not written.
        let known = Known { library, profiles, today: today() };
        Expectations::read(&named(&self.path, &text), known, Purpose::Write)?;
        let option = format!("--write-expected-failures {name}");
        let (unfinished, mut file) = Unfinished::begin(option, self.path.clone())?;
        file.write_all(text.as_bytes()).map_err(|error| unusable(&self.path, &error))?;
        unfinished.finish()?;
        let advice = if added == 0 { "" } else { "; write a reason for each that is new" };
        say(format_args!("{name}: {added} added, {} taken out{advice}", pruned.len()));
        Ok(())
    }
}

/// The text of a file; to write one, it need not be there.
fn source(path: &Path, purpose: Purpose) -> miette::Result<SourceText> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && purpose == Purpose::Write => {
            return Ok(named(path, ""));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(miette!(
                code = "expected::no-file",
                help = "`mcp-checks run --write-expected-failures FILE` makes one",
                "there is no file of expected failures `{}`",
                path.display()
            ));
        }
        file => file.map_err(|error| unusable(path, &error))?,
    };
    let mut bytes = Vec::new();
    let most = u64::try_from(LARGEST).unwrap_or(u64::MAX).saturating_add(1);
    file.take(most).read_to_end(&mut bytes).map_err(|error| unusable(path, &error))?;
    if bytes.len() > LARGEST {
        return Err(miette!(
            code = "expected::too-large",
            help = "look whether it is the right file",
            "the file of expected failures `{}` is larger than {LARGEST} bytes",
            path.display()
        ));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        miette!(
            code = "expected::not-utf-8",
            help = "save the file as UTF-8",
            "the file of expected failures `{}` is not UTF-8 from byte {} on",
            path.display(),
            error.utf8_error().valid_up_to()
        )
    })?;
    Ok(named(path, &text))
}

fn named(path: &Path, text: &str) -> SourceText {
    Arc::new(NamedSource::new(path.display().to_string(), Arc::from(text)))
}

fn unusable(path: &Path, error: &io::Error) -> miette::Report {
    miette!(
        code = "expected::unusable",
        help = "look whether it is a file, and whether it may be read and written",
        "the file of expected failures `{}` cannot be used: {error}",
        path.display()
    )
}

/// The day, in UTC.
fn today() -> NaiveDate {
    let now = DateTime::from_timestamp_millis(Clock::Machine.now()).unwrap_or_default();
    now.date_naive()
}
