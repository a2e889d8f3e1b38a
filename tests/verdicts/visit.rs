//! A check played for a raw client in the test's own process: [`visit`]; and what
//! came of it, compared with what is right: [`Row`].

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use mcp_checks::check::{CheckKind, CheckpointResult, Level, Library, Verdict};
use mcp_checks::mcp::client::Cancellation;
use mcp_checks::runner::event::Trouble;
use mcp_checks::runner::execution::{CONTEXT_VARIABLE, VERSION_VARIABLE};
use mcp_checks::runner::plan::Choice;
use mcp_checks::runner::subject::Visitor;
use mcp_checks::runner::{self, Event, Execution, Plan, Settings, Subject};

use serde_json::Value;

use crate::library::{profile, profiles};
use crate::raw::client::Client;

/// What drives a raw client through a check.
pub type Drive = fn(&mut Client);

/// By what delays are divided: on the double's side and on the client's.
const SCALE: u32 = 10;

/// How many executions wait at once.
const AT_ONCE: usize = 32;

pub fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(Library::embedded)
}

/// Which execution: a check, a case where it has some, and a profile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scene {
    pub check: String,
    pub case: Option<String>,
    pub profile: String,
}

impl Scene {
    /// `client/tool-call-basic`, `stream/lost[ended]`, or either with
    /// ` at PROFILE`; without it, the first of the usual profiles that it takes.
    pub fn parse(text: &str) -> Scene {
        let (name, profile) = match text.split_once(" at ") {
            Some((name, profile)) => (name, Some(profile.to_owned())),
            None => (text, None),
        };
        let (check, case) = match name.split_once('[') {
            Some((check, rest)) => (check, Some(rest.trim_end_matches(']').to_owned())),
            None => (name, None),
        };
        let usual = [
            "session-http",
            "stateless-http-2026-07-28",
            "stateless-http-2025-03-26",
            "stateless-http",
        ];
        let profile = profile.unwrap_or_else(|| {
            let fits = usual.iter().find(|usual| {
                let plan = plan(check, case.as_deref(), &profile_named(usual));
                plan.is_some()
            });
            (*fits.unwrap_or_else(|| panic!("no usual profile fits {text}"))).to_owned()
        });
        Scene { check: check.to_owned(), case, profile }
    }

    /// Every scene that a client from outside can play in.
    pub fn all(profiles_of: &[&str]) -> Vec<Scene> {
        let mut scenes = Vec::new();
        for profile in profiles().iter().filter(|one| profiles_of.contains(&one.name.as_str())) {
            let only = [profile.clone()];
            let plan = Plan::new(
                library(),
                &only,
                &subject(|_, _| {}, Cancellation::new()),
                &Choice::default(),
            );
            for job in &plan.jobs {
                let check = job.check.expect("the shipped checks are in order");
                for run in job.runs.iter().filter(|run| run.skipped.is_none()) {
                    scenes.extend(run.cases.iter().map(|case| Scene {
                        check: check.id.clone(),
                        case: case.map(str::to_owned),
                        profile: profile.name.clone(),
                    }));
                }
            }
        }
        scenes
    }
}

/// By what the delays of a check are divided. A client that does something before
/// the handshake is answered needs a delay which no busy machine can use up: such a
/// check takes its own time.
fn scale(check: &str) -> u32 {
    let found = library().readable().find(|known| known.id == check);
    let source = found.map(|known| known.source().expect("the shipped checks are readable"));
    let lets_early_ones_show =
        source.is_some_and(|source| source.inner().contains("server.delay(\"initialize\""));
    if lets_early_ones_show { 1 } else { SCALE }
}

fn profile_named(name: &str) -> mcp_checks::profile::Profile {
    profile(name).remove(0)
}

/// A library of one check, if a client can play it under this profile.
fn plan(
    check: &str,
    case: Option<&str>,
    profile: &mcp_checks::profile::Profile,
) -> Option<Library> {
    let found = library().readable().find(|known| known.id == check);
    let mut found = found.unwrap_or_else(|| panic!("there is no check {check}")).clone();
    assert_eq!(found.kind, CheckKind::Client, "{check}");
    if let Some(case) = case {
        assert!(found.header.cases.iter().any(|known| known == case), "{check} has no case {case}");
        found.header.cases = vec![case.to_owned()];
    }
    let subject = subject(|_, _| {}, Cancellation::new());
    let fits = runner::plan::reason_to_skip(&found, profile, &subject).is_none();
    let mut alone = Library::of(vec![Ok(found)]);
    alone.support = library().support.clone();
    fits.then_some(alone)
}

fn subject(
    announce: impl Fn(&str, &[(&str, String)]) + Send + Sync + 'static,
    leave: Cancellation,
) -> Subject {
    Subject::Visitor(Arc::new(Visitor {
        port: 0,
        announce: Box::new(announce),
        watch: Arc::new(|_| {}),
        leave,
    }))
}

/// Ends the visit when the client is done, however it ends.
struct Leaves(Cancellation);

impl Drop for Leaves {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Plays one scene with a client that is driven by `drive`.
pub fn visit(scene: &Scene, drive: Drive) -> Execution {
    let leave = Cancellation::new();
    let leaves = leave.clone();
    let come = move |url: &str, environment: &[(&str, String)]| {
        let told = |name| {
            let found = environment.iter().find(|(other, _)| *other == name);
            found.map(|(_, value)| value.as_str()).unwrap_or_default()
        };
        let mut client = told_by(url, told(VERSION_VARIABLE), told(CONTEXT_VARIABLE));
        let leaves = Leaves(leaves.clone());
        std::thread::spawn(move || {
            let _leaves = leaves;
            drive(&mut client);
        });
    };
    played(scene, subject(come, leave))
}

/// A client for the server at `url`, told what its environment has.
pub fn told_by(url: &str, version: &str, context: &str) -> Client {
    let context: Value = serde_json::from_str(context).unwrap_or_default();
    let scale = scale(context["check"].as_str().unwrap_or_default());
    Client::new(url, version, context, scale)
}

/// Plays one scene with a subject.
pub fn played(scene: &Scene, subject: Subject) -> Execution {
    let profile = profile_named(&scene.profile);
    let library = plan(&scene.check, scene.case.as_deref(), &profile)
        .unwrap_or_else(|| panic!("{} does not apply at {}", scene.check, scene.profile));
    let mut settings = Settings::new(subject);
    settings.scale = scale(&scene.check);
    settings.jobs = 1;
    let profiles = [profile];
    let plan = Plan::new(&library, &profiles, &settings.subject, &Choice::default());
    let mut executions = Vec::new();
    runner::run(&plan, &library.support, &settings, |event| {
        if let Event::ExecutionFinished(execution) = event {
            executions.push(*execution);
        }
    });
    assert_eq!(executions.len(), 1, "{scene:?}");
    executions.remove(0)
}

/// What of an execution is red, as `fail accept-header`, and why.
pub fn red(execution: &Execution) -> Vec<(String, String)> {
    let mut found = Vec::new();
    if let Some(trouble) = &execution.trouble
        && !matches!(trouble, Trouble::Skipped(_))
    {
        found.push(("trouble".to_owned(), format!("{trouble:?}")));
    }
    for result in &execution.checkpoints {
        let level = result.checkpoint.level;
        let is_red = match result.verdict {
            Verdict::Fail | Verdict::Warn | Verdict::Timeout | Verdict::Error => true,
            Verdict::NotExercised => level == Level::Must,
            Verdict::Pass | Verdict::Skip | Verdict::Note | Verdict::Cancelled => false,
        };
        if is_red {
            found.push((format!("{} {}", result.verdict, result.checkpoint.id), why(result)));
        }
    }
    found
}

/// What decided a checkpoint: the reason, and what was expected and found.
fn why(result: &CheckpointResult) -> String {
    let Some(decision) = &result.decision else { return String::new() };
    let mut text = decision.reason.clone();
    for (word, value) in [("expected", &decision.expected), ("found", &decision.actual)] {
        if let Some(value) = value {
            let _ = write!(text, "; {word} {}", value.replace('\n', " "));
        }
    }
    text
}

/// A client that is legal or bent in one place, and what is red for it.
pub struct Row {
    /// As [`Scene::parse`] reads it.
    pub scene: &'static str,
    /// What the client does.
    pub mode: &'static str,
    pub drive: Drive,
    /// Each as `fail accept-header`; nothing if it is legal.
    pub red: &'static [&'static str],
}

/// Asserts that each row is judged as it says; tells of all that is not.
pub fn hold(rows: &[Row]) {
    let problems = each(rows, |row| {
        let scene = Scene::parse(row.scene);
        let found = red(&visit(&scene, row.drive));
        let expected: BTreeSet<&str> = row.red.iter().copied().collect();
        let is: BTreeSet<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
        (is != expected).then(|| {
            let reasons = found.iter().filter(|(id, _)| !expected.contains(id.as_str()));
            let mut text = format!(
                "{} at {}, a client that {}:\n  expected red: {expected:?}\n  found red:    {is:?}\n",
                row.scene, scene.profile, row.mode
            );
            for (id, reason) in reasons {
                let _ = writeln!(text, "  {id}: {reason}");
            }
            text
        })
    });
    assert!(problems.is_empty(), "{} of {}\n{}", problems.len(), rows.len(), problems.join("\n"));
}

/// What `judge` tells of each item, several at once, in the items' order.
pub fn each<T: Sync, R: Send>(items: &[T], judge: impl Fn(&T) -> Option<R> + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let told = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE.min(items.len()) {
            scope.spawn(|| {
                while let Some((index, item)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    items.get(index).map(|item| (index, item))
                } {
                    if let Some(result) = judge(item) {
                        told.lock().unwrap().push((index, result));
                    }
                }
            });
        }
    });
    let mut told = told.into_inner().unwrap();
    told.sort_by_key(|(index, _)| *index);
    told.into_iter().map(|(_, result)| result).collect()
}
