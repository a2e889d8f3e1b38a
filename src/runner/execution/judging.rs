//! How an execution ends: what was observed is judged, and each checkpoint gets
//! its verdict.

use std::sync::Arc;

use rhai::{Dynamic, Map};

use super::{Executed, Outcome, Stage, Stopped, is_in_memory};
use crate::check::{Check, CheckKind, Checkpoint, CheckpointResult, Decision, Verdict};
use crate::mcp::Revision;
use crate::profile::Profile;
use crate::runner::event::Trouble;
use crate::runner::worker::is_builtin;
use crate::script::action::Handlers;
use crate::script::error::Cause;
use crate::script::observation::Observation;
use crate::script::seen::{Parts, Seen};
use crate::script::{Script, ScriptError};

impl Stage<'_> {
    /// Judges what was observed.
    pub(super) fn conclude(
        &self,
        handlers: &Handlers,
        outcome: Result<Outcome, Stopped>,
        mut executed: Executed,
    ) -> Executed {
        executed.exchanges = self.wire.exchanges();
        if let Err(report) = self.fault_held() {
            return self.stopped(Stopped::Trouble(Trouble::Broken(report)), executed);
        }
        let builtin = is_builtin(self.check.kind, &self.settings.subject);
        // What a client sent may be more than a handler can bear: then it is
        // the client that fails, if the judge says so.
        let sent_by_others = !builtin || self.fault.is_some();
        let scripts = &self.engine.scripts;
        let handler_error = scripts
            .handler_error(self.script, handlers)
            .or_else(|| scripts.handler_error(self.script, &self.handlers));
        if let Some(error) = handler_error.clone().filter(|_| !sent_by_others) {
            return self.stopped(Stopped::Script(error), executed);
        }
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(stopped) => return self.stopped(stopped, executed),
        };
        if self.settings.keep_outcome {
            executed.outcome = Some(outcome.copy());
        }
        self.judge(outcome, handler_error, executed)
    }

    /// Judges the outcome of an earlier execution, under a fault that changes
    /// nothing but what is seen of it.
    pub(super) fn judge_anew(&self, outcome: &Outcome, earlier: &Executed) -> Executed {
        let executed = Executed {
            exchanges: earlier.exchanges.clone(),
            origins: earlier.origins.clone(),
            ..Executed::default()
        };
        self.judge(outcome.copy(), None, executed)
    }

    fn judge(
        &self,
        outcome: Outcome,
        handler_error: Option<ScriptError>,
        mut executed: Executed,
    ) -> Executed {
        let builtin = is_builtin(self.check.kind, &self.settings.subject);
        let sent_by_others = !builtin || self.fault.is_some();
        let observation = Observation::new(executed.exchanges.clone(), outcome.endpoint);
        let wire = self.wire_schema(&observation, &outcome.as_written);
        if let Some(error) = wire.far_side.clone().filter(|_| !sent_by_others) {
            return self.stopped(Stopped::Script(error), executed);
        }
        let seen = Seen::new(Parts {
            observation: Arc::new(observation),
            checkpoints: self.check.header.checkpoints.clone(),
            revision: self.profile.revision,
            builtin,
            paused_clock: is_in_memory(self.check.kind, &self.settings.subject),
            profile: profile_map(self.profile),
            result: outcome.result,
            notes: outcome.notes,
            record: outcome.record,
            locate: Arc::new(self.engine.scripts.locate(self.script)),
        });
        self.fault_in_seen(&seen);
        if let Err(report) = self.fault_held() {
            return self.stopped(Stopped::Trouble(Trouble::Broken(report)), executed);
        }
        let judged = self.call(self.script, "judge", Dynamic::from(seen.clone()));
        let absent = match judged {
            Ok(_) => None,
            Err(Stopped::Script(error)) if error.cause == Cause::Absent => Some(error),
            // With the built-in client this is the script's fault, unless
            // something was between the two.
            Err(Stopped::Script(error)) if error.cause == Cause::Shape && sent_by_others => {
                Some(error)
            }
            Err(stopped) => return self.stopped(stopped, executed),
        };
        self.verdicts(&seen, builtin, absent.as_ref(), &mut executed);
        executed.checkpoints.push(wire.result);
        let holds =
            |result: &CheckpointResult| matches!(result.verdict, Verdict::Pass | Verdict::Skip);
        match handler_error.or(wire.far_side) {
            Some(error) if executed.checkpoints.iter().all(holds) => {
                self.stopped(Stopped::Script(error), executed)
            }
            _ => executed,
        }
    }

    /// Lets the fault change what `drive` returned.
    fn fault_in_seen(&self, seen: &Seen) {
        let Some((of, script)) = &self.engine.fault else { return };
        if script.parameters("seen").is_none() {
            return;
        }
        let before = seen.text();
        if let Err(error) = self.engine.scripts.invoke(script, "seen", (seen.clone(),)) {
            of.breaks(Arc::new(error.into()));
        } else if seen.text() != before {
            of.fired();
        }
    }

    /// Whether the fault is in order: if its own script failed, nothing can be
    /// said of the check.
    fn fault_held(&self) -> Result<(), Arc<miette::Report>> {
        let (Some(fault), Some((of, script))) = (&self.fault, &self.engine.fault) else {
            return Ok(());
        };
        if let Some(error) = self.engine.scripts.handler_error(script, fault.handlers()) {
            of.breaks(Arc::new(error.into()));
        }
        of.broken().map_or(Ok(()), Err)
    }

    fn verdicts(
        &self,
        seen: &Seen,
        builtin: bool,
        absent: Option<&ScriptError>,
        executed: &mut Executed,
    ) {
        let decisions = seen.decisions();
        let mut undecided = Vec::new();
        for checkpoint in self.check.header.checkpoints_at(self.profile.revision) {
            if checkpoint.builtin && !builtin {
                let reason = "only the built-in client can show it".to_owned();
                executed.checkpoints.push(CheckpointResult {
                    checkpoint: checkpoint.clone(),
                    verdict: Verdict::Skip,
                    decision: Some(Decision { reason, ..Decision::default() }),
                });
                continue;
            }
            let result = decisions.result(checkpoint, || match absent {
                Some(error) => left_undecided(checkpoint, error),
                // A loop over what the subject did has no turns if it did
                // nothing; with the built-in client this is the script's fault.
                None if !builtin => {
                    let reason = "not exercised: `judge` never came to it".to_owned();
                    (Verdict::NotExercised, Decision { reason, ..Decision::default() })
                }
                None => {
                    undecided.push(checkpoint.id.clone());
                    let reason = "declared and never decided".to_owned();
                    (Verdict::Error, Decision { reason, ..Decision::default() })
                }
            });
            executed.checkpoints.push(result);
        }
        if let Some(id) = undecided.first() {
            let error = ScriptError::new(
                format!("the checkpoint `{id}` is declared and `judge` never decided it"),
                "decide it on every way through `judge`, or skip it with `seen.skip(id, reason)`",
            );
            let error = match checkpoint_place(self.check, self.script, id) {
                Some(place) => error.at(place, "declared here"),
                None => error,
            };
            executed.trouble = Some(Trouble::Broken(Arc::new(error.into())));
        }
        // What held, held; what did not might have, with more time, or with a
        // subject that can be reached.
        let otherwise = match executed.trouble {
            Some(Trouble::TimedOut(_)) => Verdict::Timeout,
            Some(Trouble::Subject(_)) => Verdict::NotExercised,
            _ => return,
        };
        for result in &mut executed.checkpoints {
            if !matches!(result.verdict, Verdict::Pass | Verdict::Skip) {
                result.verdict = otherwise;
            }
        }
    }

    pub(super) fn trouble_of(&self, error: ScriptError) -> Trouble {
        match error.cause {
            Cause::TimeIsUp => Trouble::TimedOut(self.settings.timeout),
            Cause::Interrupted => Trouble::Cancelled,
            Cause::Script | Cause::Shape | Cause::Absent => Trouble::Broken(Arc::new(error.into())),
        }
    }

    pub(super) fn stopped(&self, stopped: Stopped, mut executed: Executed) -> Executed {
        let trouble = match stopped {
            Stopped::Trouble(trouble) => trouble,
            Stopped::Script(error) => self.trouble_of(error),
        };
        let verdict = match trouble {
            Trouble::Cancelled => Verdict::Cancelled,
            Trouble::TimedOut(_) => Verdict::Timeout,
            Trouble::Subject(_) => Verdict::NotExercised,
            Trouble::Broken(_) | Trouble::Skipped(_) => Verdict::Error,
        };
        let decision = Decision::default();
        executed.checkpoints =
            all_checkpoints(self.check, self.profile.revision, verdict, &decision);
        executed.trouble.get_or_insert(trouble);
        executed
    }
}

/// The verdict on a checkpoint that a judge never came to, because what it went
/// on from never happened or has the wrong shape.
fn left_undecided(checkpoint: &Checkpoint, error: &ScriptError) -> (Verdict, Decision) {
    let (verdict, reason) = if error.cause == Cause::Shape {
        (Verdict::not_held(checkpoint.level), format!("wrong shape: {error}"))
    } else {
        (Verdict::NotExercised, format!("not exercised: {error}"))
    };
    (verdict, Decision { reason, place: error.place().cloned(), ..Decision::default() })
}

/// Every checkpoint of a check at `revision`, with one verdict.
pub fn all_checkpoints(
    check: &Check,
    revision: Revision,
    verdict: Verdict,
    decision: &Decision,
) -> Vec<CheckpointResult> {
    let claimed = check.header.checkpoints_at(revision).cloned();
    claimed
        .chain([Checkpoint::wire_schema()])
        .map(|checkpoint| CheckpointResult {
            checkpoint,
            verdict,
            decision: Some(decision.clone()),
        })
        .collect()
}

/// Holds a script to the functions that its kind of check has.
///
/// # Errors
/// Which function is missing, or takes another number of parameters.
pub fn require_functions(check: &Check, script: &Script) -> Result<(), ScriptError> {
    let required: &[&str] = match check.kind {
        CheckKind::Client => &["serve", "drive", "judge"],
        CheckKind::Server => &["drive", "judge"],
        CheckKind::Host => &["operate", "judge"],
    };
    for name in required {
        match script.parameters(name) {
            Some(1 | 2) => {}
            Some(count) => {
                return Err(ScriptError::new(
                    format!("`{name}` takes {count} parameters"),
                    "it takes what it works with, and the case's name if the check has cases",
                ));
            }
            None => {
                let kind = check.kind.as_str();
                return Err(ScriptError::new(
                    format!("the script has no function `{name}`"),
                    format!("a check of a {kind} has {}", required.join(", ")),
                ));
            }
        }
    }
    Ok(())
}

fn checkpoint_place(check: &Check, script: &Script, id: &str) -> Option<crate::check::Place> {
    let position = check.header.checkpoints.iter().position(|checkpoint| checkpoint.id == id)?;
    let span = check.header.checkpoint_spans.get(position)?.clone();
    Some(crate::check::Place { source: script.source().clone(), span })
}

/// What a judge may read of the profile.
fn profile_map(profile: &Profile) -> Map {
    let session = profile.server.session.clone().map_or(Dynamic::UNIT, Dynamic::from);
    let mut map = Map::new();
    map.insert("name".into(), profile.name.clone().into());
    map.insert("revision".into(), profile.revision.as_str().into());
    map.insert("session".into(), session);
    map.insert("framing".into(), profile.server.framing.as_str().into());
    let operator = &profile.operator;
    map.insert("identifier".into(), operator.identifier.clone().into());
    map.insert("data_class".into(), operator.data_class.as_str().into());
    map.insert("requires_approval".into(), operator.requires_approval.into());
    map.insert("zone".into(), operator.zone.as_str().into());
    map
}
