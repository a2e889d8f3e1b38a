//! Runs through the library: [`run`], and a few checks for it.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use mcp_checks::check::{Check, CheckKind, CheckpointResult, Library, SourceText};
use mcp_checks::profile::{self, Profile};
use mcp_checks::runner::event::Trouble;
use mcp_checks::runner::plan::Choice;
use mcp_checks::runner::subject::Command;
use mcp_checks::runner::{self, Event, Execution, Plan, Settings, Subject};
use miette::NamedSource;

/// What is written can be read after the reporter is gone.
#[derive(Clone, Default)]
pub struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub fn source(text: &str) -> SourceText {
    Arc::new(NamedSource::new("check.rhai", Arc::from(text)))
}

/// A library of one check.
pub fn one(text: &str) -> Library {
    let check = Check::from_source("one", source(text));
    assert!(check.is_ok(), "{:?}", check.map_err(|broken| broken.problem));
    Library::of(vec![check])
}

/// The shipped checks of one kind.
pub fn shipped(kind: CheckKind) -> Library {
    let mut library = Library::embedded();
    library.checks.retain(|check| check.as_ref().is_ok_and(|check| check.kind == kind));
    assert!(library.checks.len() > 10, "there are some");
    library
}

/// One shipped check.
pub fn shipped_check(id: &str) -> Library {
    let mut library = Library::embedded();
    library.checks.retain(|check| check.as_ref().is_ok_and(|check| check.id == id));
    assert_eq!(library.checks.len(), 1, "{id}");
    library
}

pub fn profiles() -> Vec<Profile> {
    profile::embedded().expect("the built-in profiles are valid")
}

pub fn profile(name: &str) -> Vec<Profile> {
    let found: Vec<_> = profiles().into_iter().filter(|profile| profile.name == name).collect();
    assert_eq!(found.len(), 1, "{name}");
    found
}

/// A client: a shell that runs this.
pub fn shell(script: &str) -> Subject {
    let arguments = vec!["-c".to_owned(), script.to_owned(), "client".to_owned()];
    Subject::Client(Command { program: "sh".to_owned(), arguments })
}

/// Everything that was executed, in order.
pub fn run(library: &Library, profiles: &[Profile], settings: &Settings) -> Vec<Execution> {
    let plan = Plan::new(library, profiles, &settings.subject, &Choice::default());
    let mut executions = Vec::new();
    runner::run(&plan, &library.support, settings, |event| {
        if let Event::ExecutionFinished(execution) = event {
            executions.push(*execution);
        }
    });
    executions
}

/// Every verdict with its execution; those that were skipped whole are left out.
pub fn verdicts(executions: &[Execution]) -> impl Iterator<Item = (&Execution, &CheckpointResult)> {
    let ran = executions.iter().filter(|one| !matches!(one.trouble, Some(Trouble::Skipped(_))));
    ran.flat_map(|one| one.checkpoints.iter().map(move |result| (one, result)))
}

/// A verdict as a line.
pub fn line((execution, result): (&Execution, &CheckpointResult)) -> String {
    let reason = result.decision.as_ref().map_or("", |decision| &decision.reason);
    format!(
        "{} at {}: {}: {} {reason}",
        execution.name(),
        execution.profile,
        result.checkpoint.id,
        result.verdict
    )
}
