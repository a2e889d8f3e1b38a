//! Which check runs for which profile and case: a [`Plan`] of [`Job`]s.

use super::event;
use super::probe::Spoken;
use super::subject::{Settings, Subject};
use crate::check::{BrokenCheck, Check, Level, Library, Selection, unmet_need};
use crate::mcp::Revision;
use crate::profile::Profile;
use crate::snapshot::Store;

/// The tag of checks that need no token of a server that asks for one.
const AUTHORIZATION_TAG: &str = "authorization";

/// Everything that is going to run, in order.
pub struct Plan<'a> {
    /// What workers take, one after the other.
    pub jobs: Vec<Job<'a>>,
    /// Whether nothing was left out: only then can a snapshot be told to belong
    /// to nothing.
    pub is_whole: bool,
    profiles: Vec<&'a Profile>,
    library: &'a Library,
    /// What the server speaks, if one is under test and was asked.
    spoken: Option<&'a Spoken>,
}

/// One check and where it runs; its script is compiled once for all of it.
pub struct Job<'a> {
    /// The check, or why there is none.
    pub check: Result<&'a Check, &'a BrokenCheck>,
    /// Where it runs, profile by profile.
    pub runs: Vec<Run<'a>>,
}

/// One check at one profile.
pub struct Run<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// The cases, or one run without a case.
    pub cases: Vec<Option<&'a str>>,
    /// Why it does not run, if it does not apply.
    pub skipped: Option<String>,
}

/// What of all that there is shall run.
#[derive(Default)]
pub struct Choice<'a> {
    /// Which checks; all if `None`.
    pub selection: Option<&'a Selection>,
    /// Which profiles, by name; all if empty.
    pub profiles: &'a [String],
    /// Which revisions; all if empty.
    pub revisions: &'a [Revision],
    /// Checks with one of these tags; all if empty.
    pub tags: &'a [String],
    /// Checks that claim something of this level or of a stronger one.
    pub level: Option<Level>,
    /// What the server under test speaks, if it was asked: nothing else runs,
    /// unless a profile or a revision is asked for.
    pub spoken: Option<&'a Spoken>,
}

impl<'a> Plan<'a> {
    /// Plans `choice` out of `library` and `profiles` for `subject`.
    pub fn new(
        library: &'a Library,
        profiles: &'a [Profile],
        subject: &Subject,
        choice: &Choice<'a>,
    ) -> Self {
        let profiles: Vec<&Profile> = profiles
            .iter()
            .filter(|profile| {
                (choice.profiles.is_empty() || choice.profiles.contains(&profile.name))
                    && (choice.revisions.is_empty() || choice.revisions.contains(&profile.revision))
            })
            .collect();
        let distinct = distinct(&profiles, subject);
        let jobs: Vec<Job<'a>> = library
            .checks
            .iter()
            .filter_map(|check| match check {
                Ok(check) => choice.takes(check, subject).then(|| {
                    let runs = distinct.iter().map(|profile| run(check, profile, subject, choice));
                    Job { check: Ok(check), runs: runs.collect() }
                }),
                Err(broken) => choice
                    .selection
                    .is_none_or(|selection| selection.matches_broken(broken))
                    .then(|| Job {
                        check: Err(broken),
                        runs: distinct.iter().take(1).map(|profile| bare(profile)).collect(),
                    }),
            })
            .filter(|job| !job.runs.is_empty())
            .collect();
        let is_whole = choice.selection.is_none()
            && choice.profiles.is_empty()
            && choice.revisions.is_empty()
            && choice.tags.is_empty()
            && choice.level.is_none();
        // A process of its own for each execution: then each is a job, so that
        // workers share them out evenly. In memory it is the check, so that
        // each script is compiled by one worker.
        let jobs = if matches!(subject, Subject::Embedded) { jobs } else { one_each(jobs) };
        let spoken = choice.spoken.filter(|_| matches!(subject, Subject::Server(_)));
        Plan { jobs, is_whole, profiles: distinct, library, spoken }
    }

    /// What is announced before anything runs.
    pub fn announcement(&self, settings: &Settings) -> event::Plan {
        let executions =
            self.jobs.iter().flat_map(|job| &job.runs).map(|run| run.cases.len()).sum();
        let mut checks: Vec<&str> = self
            .jobs
            .iter()
            .map(|job| match job.check {
                Ok(check) => check.id.as_str(),
                Err(broken) => broken.id.as_str(),
            })
            .collect();
        checks.dedup();
        event::Plan {
            executions,
            checks: checks.len(),
            profiles: self.profiles.iter().map(|profile| profile.name.clone()).collect(),
            subject: settings.subject.to_string(),
            beside: self.library.beside,
            on_real_clock: !matches!(settings.subject, Subject::Embedded),
            speaks: self.spoken.map(|spoken| {
                spoken.revisions.iter().map(|revision| revision.as_str().to_owned()).collect()
            }),
        }
    }

    /// The snapshots that belong to no check or profile that there is.
    pub fn unreferenced(&self, store: &Store) -> Vec<String> {
        let is_check = |check: &str| self.library.get(check).is_some();
        let is_profile = |name: &str| self.profiles.iter().any(|known| known.name == name);
        store.unreferenced(is_check, is_profile).unwrap_or_default()
    }
}

impl Choice<'_> {
    /// Why a check does not run on the server under test at `profile`: it does not
    /// speak the revision, or tells nothing to whom it does not know. What is
    /// asked for by name runs all the same.
    fn unspoken(&self, check: &Check, profile: &Profile, subject: &Subject) -> Option<String> {
        let spoken = self.spoken.filter(|_| matches!(subject, Subject::Server(_)))?;
        let is_asked_for = !self.profiles.is_empty() || !self.revisions.is_empty();
        // What it says to whom it does not know, it says to everyone.
        let needs_no_token = spoken.unauthorized.is_some()
            && check.header.tags.iter().any(|tag| tag == AUTHORIZATION_TAG);
        if is_asked_for && spoken.unauthorized.is_none() || needs_no_token {
            return None;
        }
        spoken.reason_against(profile.revision)
    }

    fn takes(&self, check: &Check, subject: &Subject) -> bool {
        let named = self.selection.is_some_and(|selection| selection.matches(check));
        let header = &check.header;
        // Without a word about it, a run takes the checks that its subject can
        // take; one that was asked for is skipped for a stated reason.
        (named || (self.selection.is_none() && subject.takes(check.kind)))
            && (self.tags.is_empty() || header.tags.iter().any(|tag| self.tags.contains(tag)))
            && self.level.is_none_or(|level| {
                header.checkpoints.iter().any(|checkpoint| checkpoint.level <= level)
            })
    }
}

/// For a subject from outside, profiles that differ only in what it cannot see
/// are one.
fn distinct<'a>(profiles: &[&'a Profile], subject: &Subject) -> Vec<&'a Profile> {
    let mut kept: Vec<&Profile> = Vec::new();
    for profile in profiles {
        let is_known = kept.iter().any(|known| match subject {
            Subject::Embedded | Subject::Loopback => false,
            Subject::Client(_) | Subject::Visitor(_) => {
                known.revision == profile.revision && known.server == profile.server
            }
            Subject::Server(_) => known.revision == profile.revision,
        });
        if !is_known {
            kept.push(profile);
        }
    }
    kept
}

fn bare(profile: &Profile) -> Run<'_> {
    Run { profile, cases: vec![None], skipped: None }
}

fn run<'a>(
    check: &'a Check,
    profile: &'a Profile,
    subject: &Subject,
    choice: &Choice<'_>,
) -> Run<'a> {
    let skipped = reason_to_skip(check, profile, subject)
        .or_else(|| choice.unspoken(check, profile, subject));
    let mut cases: Vec<Option<&str>> = check
        .header
        .cases
        .iter()
        .map(String::as_str)
        .filter(|case| choice.selection.is_none_or(|all| all.case_matches(check, case)))
        .map(Some)
        .collect();
    if cases.is_empty() || skipped.is_some() {
        cases = vec![None];
    }
    Run { profile, cases, skipped }
}

/// Why a check does not run for a profile on this subject; `None` if it does.
pub fn reason_to_skip(check: &Check, profile: &Profile, subject: &Subject) -> Option<String> {
    let header = &check.header;
    let reason = if !subject.takes(check.kind) {
        Some(format!("it is a check of a {}", check.kind.as_str()))
    } else if !header.revisions.contains(&profile.revision) {
        Some(format!("not applicable to {}", profile.revision))
    } else if matches!(subject, Subject::Server(_)) {
        // What a profile says of the far side is true of the double alone.
        None
    } else {
        unmet_need(header, profile).map(|need| need.reason().to_owned())
    };
    reason.or_else(|| nothing_to_show(check, profile, subject))
}

/// Why an external subject has nothing to show in a check.
fn nothing_to_show(check: &Check, profile: &Profile, subject: &Subject) -> Option<String> {
    if !subject.is_external() {
        return None;
    }
    let mut claims = check.header.checkpoints_at(profile.revision);
    claims
        .all(|checkpoint| checkpoint.builtin)
        .then(|| "only the built-in client can show what it claims".to_owned())
}

fn one_each(jobs: Vec<Job<'_>>) -> Vec<Job<'_>> {
    let mut each = Vec::new();
    for job in jobs {
        for run in job.runs {
            for case in run.cases {
                let skipped = run.skipped.clone();
                let single = Run { profile: run.profile, cases: vec![case], skipped };
                each.push(Job { check: job.check, runs: vec![single] });
            }
        }
    }
    each
}
