//! The reports of a run: one on standard output or in `--output`, and one for each
//! `--report`. The main type is [`Reports`].

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use miette::{IntoDiagnostic, WrapErr, miette};

use super::terminal::{self, Stream, When};
use crate::check::nearest::did_you_mean;
use crate::report::{Human, JUnit, Json, Progress, Reporter};
use crate::runner::Event;
use crate::runner::subject::Exchanges;
use crate::snapshot::whole_file;
use crate::wire::text::Style;

/// Which reports are written, and where to.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "The report")]
pub struct Asked {
    /// The format of the report.
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: Format,
    /// Write the report to this file rather than to standard output.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write a further report of the same run to a file; FORMAT is one of those of --format; may
    /// be repeated.
    #[arg(long, value_name = "FORMAT=FILE")]
    pub report: Vec<String>,
    /// Keep the exchanges and the log of what holds as well, for a report in JSON.
    #[arg(long)]
    pub keep_exchanges: bool,
    /// Show every request and response, of what holds as well.
    #[arg(long)]
    pub trace: bool,
}

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a person.
    Human,
    /// One JSON document.
    Json,
    /// JUnit's XML, for CI.
    Junit,
}

impl Asked {
    /// Of which executions the exchanges are needed.
    pub fn exchanges(&self) -> Exchanges {
        match (self.trace, self.keep_exchanges) {
            (true, _) => Exchanges::Shown,
            (false, true) => Exchanges::Kept,
            (false, false) => Exchanges::OfFindings,
        }
    }

    /// The reports in order, that of `--format` first. Nothing is written yet.
    ///
    /// # Errors
    /// A diagnostic of a `--report` that names no format or no file, of a file that
    /// is named twice, or if `--keep-exchanges` is of no use.
    pub fn read(&self) -> miette::Result<Vec<Wanted>> {
        let (option, path) = match &self.output {
            Some(path) => (format!("--output {}", path.display()), Some(path.clone())),
            None => (String::new(), None),
        };
        let mut all = vec![Wanted { option, format: self.format, path }];
        for text in &self.report {
            all.push(wanted(text)?);
        }
        for (index, wanted) in all.iter().enumerate() {
            let Some(path) = &wanted.path else { continue };
            let here = place(path);
            let is_same =
                |other: &&Wanted| other.path.as_deref().is_some_and(|path| place(path) == here);
            if let Some(first) = all[..index].iter().find(is_same) {
                return Err(miette!(
                    code = "run::report",
                    help = "give each report a file of its own",
                    "`{}` and `{}` name the same file",
                    first.option,
                    wanted.option
                ));
            }
        }
        if self.keep_exchanges && all.iter().all(|wanted| wanted.format != Format::Json) {
            return Err(miette!(
                code = "run::report",
                help = "add a report in JSON, as in --report json=report.json; \
                        --trace shows the exchanges in the report for a person",
                "--keep-exchanges keeps them for a report in JSON, and there is none"
            ));
        }
        Ok(all)
    }
}

/// A report that was asked for.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The option that asked for it, for diagnostics.
    option: String,
    format: Format,
    /// Its file; `None` is standard output.
    path: Option<PathBuf>,
}

/// Reads what `--report` was given.
fn wanted(text: &str) -> miette::Result<Wanted> {
    let option = format!("--report {text}");
    let formats = || Format::value_variants().iter().filter_map(Format::to_possible_value);
    let names: Vec<String> = formats().map(|format| format.get_name().to_owned()).collect();
    let list = names.join(", ");
    let (format, file) = text.split_once('=').unwrap_or((text, ""));
    let Ok(known) = Format::from_str(format, false) else {
        let help = if names.iter().any(|name| name == file) {
            format!("the format comes first: --report {file}={format}")
        } else {
            let near = did_you_mean(format, names.iter().map(String::as_str));
            near.unwrap_or_else(|| "write it as in --report junit=report.xml".to_owned())
        };
        return Err(miette!(
            code = "run::report",
            help = help,
            "`{option}`: `{format}` is no format of a report; the formats are {list}"
        ));
    };
    if file.is_empty() {
        return Err(miette!(
            code = "run::report",
            help = "write format and file as in --report junit=report.xml",
            "`{option}` names no file"
        ));
    }
    Ok(Wanted { option, format: known, path: Some(PathBuf::from(file)) })
}

/// What tells two names of one file: links followed as far as the file is there.
fn place(path: &Path) -> PathBuf {
    let in_folder = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
        Some(folder.join(path.file_name()?))
    };
    fs::canonicalize(path).ok().or_else(in_folder).unwrap_or_else(|| path.to_owned())
}

/// The reports of one run, while it goes on.
pub struct Reports(Vec<Output>);

struct Output {
    reporter: Box<dyn Reporter>,
    file: Option<Unfinished>,
    /// Why it is not written any further.
    failed: Option<io::Error>,
}

impl Reports {
    /// Opens the files of all reports, before anything runs.
    ///
    /// # Errors
    /// A diagnostic of the first file that cannot be written; then none is left
    /// behind.
    pub fn begin(
        wanted: Vec<Wanted>,
        colour: When,
        style: &Style,
        progress: &Progress,
    ) -> miette::Result<Self> {
        let output = |wanted: Wanted| {
            let (file, out): (_, Box<dyn Write>) = match wanted.path {
                Some(path) => {
                    let (unfinished, file) = Unfinished::begin(wanted.option, path)?;
                    (Some(unfinished), Box::new(BufWriter::new(file)))
                }
                None => (None, Box::new(progress.beside(BufWriter::new(io::stdout())))),
            };
            let colour = match (colour, &file) {
                (When::Auto, None) => terminal::has_colour(When::Auto, Stream::Output),
                (colour, _) => colour == When::Always,
            };
            let style = style.clone();
            let reporter: Box<dyn Reporter> = match wanted.format {
                Format::Human => Box::new(Human::new(out, style, colour, terminal::columns())),
                Format::Json => Box::new(Json::new(out, style)),
                Format::Junit => Box::new(JUnit::new(out, style)),
            };
            Ok(Output { reporter, file, failed: None })
        };
        wanted.into_iter().map(output).collect::<miette::Result<_>>().map(Reports)
    }

    /// Hands an event to each report. One that cannot be written any further stops
    /// no other.
    pub fn event(&mut self, event: &Event) {
        for output in &mut self.0 {
            if output.failed.is_none() {
                output.failed = output.reporter.event(event).err();
            }
        }
    }

    /// Puts each report that is whole in its place.
    ///
    /// # Errors
    /// A diagnostic of the first one that is not whole, or cannot stand there.
    pub fn finish(self) -> miette::Result<()> {
        let finished: Vec<miette::Result<()>> = self.0.into_iter().map(Output::finish).collect();
        finished.into_iter().collect()
    }
}

impl Output {
    fn finish(self) -> miette::Result<()> {
        // What is still in a buffer is written before the file is put in its place.
        drop(self.reporter);
        match (self.failed, self.file) {
            (None, Some(file)) => file.finish(),
            (Some(error), Some(file)) => Err(file.unwritable(&error)),
            // Whoever read the report has seen enough of it.
            (Some(error), None) if error.kind() != ErrorKind::BrokenPipe => {
                Err(error).into_diagnostic().wrap_err("the report could not be written")
            }
            (_, None) => Ok(()),
        }
    }
}

/// A file that stands beside its place until it is whole: whoever reads the file
/// finds the last whole report there, or none. It is removed if it never is.
pub struct Unfinished {
    /// What asked for it.
    option: String,
    path: PathBuf,
}

impl Unfinished {
    /// Creates the file that is to become `path`, which `option` asked for.
    ///
    /// # Errors
    /// A diagnostic if it cannot be created, or if `path` is a folder.
    pub fn begin(option: String, path: PathBuf) -> miette::Result<(Self, File)> {
        let unfinished = Unfinished { option, path };
        match whole_file::begin(&unfinished.path) {
            Ok(file) => Ok((unfinished, file)),
            Err(error) => Err(unfinished.unwritable(&error)),
        }
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// A diagnostic if it cannot stand there.
    pub fn finish(self) -> miette::Result<()> {
        whole_file::finish(&self.path).map_err(|error| self.unwritable(&error))
    }

    /// What is said if it cannot be written.
    pub fn unwritable(&self, error: &io::Error) -> miette::Report {
        let path = self.path.display();
        let help = match error.kind() {
            ErrorKind::IsADirectory => "name a file in that folder",
            ErrorKind::FileTooLarge | ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                "make room there, or allow larger files (`ulimit -f`)"
            }
            _ => "look whether the folder exists and may be written to",
        };
        miette!(
            code = "run::output",
            help = help,
            "`{}`: the report cannot be written to {path}: {error}",
            self.option
        )
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // Once it is in its place nothing stands here any more.
        whole_file::abandon(&self.path);
    }
}
