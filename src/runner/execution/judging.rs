//! How an execution ends: what was observed is judged, and each checkpoint gets
//! its verdict.

use std::borrow::Cow;
use std::sync::Arc;

use rhai::{Dynamic, Map};

use super::wire_schema::WireSchema;
use super::{Executed, Kept, Outcome, Stage, Stopped, is_in_memory};
use crate::check::{Check, CheckKind, Checkpoint, CheckpointResult, Decision, Verdict};
use crate::mcp::Revision;
use crate::profile::Profile;
use crate::runner::event::Trouble;
use crate::runner::worker::is_builtin;
use crate::script::decisions::Said;
use crate::script::error::Cause;
use crate::script::handler::Handlers;
use crate::script::observation::Observation;
use crate::script::seen::{Parts, Seen};
use crate::script::statements::Unfinished;
use crate::script::{Script, ScriptError};
use crate::wire::intake::TooMuch;

impl Stage<'_> {
    /// Judges what was observed.
    pub(super) fn conclude(
        &self,
        handlers: &Handlers,
        outcome: Result<Outcome, Stopped>,
        mut executed: Executed,
    ) -> Executed {
        executed.exchanges = self.wire.exchanges();
        if let Some(too_much) = self.wire.too_much() {
            let report = self.too_much(too_much);
            executed.trouble.get_or_insert(Trouble::Subject(Arc::new(report)));
        }
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
        let exchanges = executed.exchanges.clone();
        let observation =
            Arc::new(Observation::new(exchanges, self.wire.texts(), outcome.endpoint.clone()));
        let wire = self.wire_schema(&observation, &outcome.as_written);
        let copy = (self.settings.keep_outcome && self.fault.is_none()).then(|| outcome.copy());
        let seen = self.seen(outcome, observation.clone());
        if let Some(outcome) = copy {
            let (passed, text, wire) = (self.passed.clone(), seen.text(), wire.clone());
            let runtime = self.runtime.clone();
            executed.kept = Some(Kept { outcome, passed, runtime, observation, wire, text });
        }
        self.fault_in_seen(&seen, None);
        self.judge(&seen, wire, handler_error, executed)
    }

    /// Judges what an earlier execution kept, under a fault that changes nothing
    /// but what is seen of it; `None` if it does not change that either.
    pub(super) fn judge_anew(&self, kept: &Kept, earlier: &Executed) -> Option<Executed> {
        let seen = self.seen(kept.outcome.copy(), kept.observation.clone());
        if !self.fault_in_seen(&seen, Some(&kept.text)) {
            return None;
        }
        // What an earlier judge looked at last is nothing that this one did.
        let _ = kept.observation.take_touched();
        let executed = Executed { origins: earlier.origins.clone(), ..Executed::default() };
        Some(self.judge(&seen, kept.wire.clone(), None, executed))
    }

    /// What is said of a subject that sends more than is taken in.
    fn too_much(&self, too_much: TooMuch) -> miette::Report {
        let who = match self.check.kind {
            CheckKind::Server => "server",
            CheckKind::Client | CheckKind::Host => "client",
        };
        miette::miette!(
            code = "subject::too-much",
            help = "see why it sends so much for one check; the rest was not taken in",
            "the {who} sent {too_much} in one execution"
        )
    }

    /// What a judge gets to see.
    fn seen(&self, outcome: Outcome, observation: Arc<Observation>) -> Seen {
        Seen::new(Parts {
            observation,
            checkpoints: self.check.header.checkpoints.clone(),
            revision: self.profile.revision,
            builtin: is_builtin(self.check.kind, &self.settings.subject),
            paused_clock: is_in_memory(self.check.kind, &self.settings.subject),
            profile: profile_map(self.profile),
            result: outcome.result,
            notes: outcome.notes,
            record: outcome.record,
            // Nobody is shown the decisions of a proof.
            locate: match self.settings.keep_outcome {
                true => Arc::new(|_, _| None),
                false => Arc::new(self.engine.scripts.locate(self.script)),
            },
        })
    }

    fn judge(
        &self,
        seen: &Seen,
        wire: WireSchema,
        handler_error: Option<ScriptError>,
        mut executed: Executed,
    ) -> Executed {
        let builtin = is_builtin(self.check.kind, &self.settings.subject);
        let sent_by_others = !builtin || self.fault.is_some();
        if let Some(error) = wire.far_side.clone().filter(|_| !sent_by_others) {
            return self.stopped(Stopped::Script(error), executed);
        }
        if let Err(report) = self.fault_held() {
            return self.stopped(Stopped::Trouble(Trouble::Broken(report)), executed);
        }
        let unfinished = match self.decide(seen, sent_by_others) {
            Ok(unfinished) => unfinished,
            Err(stopped) => return self.stopped(stopped, executed),
        };
        self.verdicts(seen, builtin, &unfinished, &mut executed);
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

    /// Lets the script decide. What it could not decide, because it went on from
    /// something that never happened, is returned.
    fn decide(&self, seen: &Seen, sent_by_others: bool) -> Result<Vec<Unfinished>, Stopped> {
        let is_left = |error: &ScriptError| match error.cause {
            Cause::Absent => true,
            // With the built-in client this is the script's fault, unless
            // something was between the two.
            Cause::Shape => sent_by_others,
            _ => false,
        };
        let log = self.engine.scripts.log();
        let logged = log.so_far();
        match self.call(self.script, "judge", Dynamic::from(seen.clone())) {
            Ok(_) => return Ok(Vec::new()),
            Err(Stopped::Script(error)) if is_left(&error) => {}
            Err(stopped) => return Err(stopped),
        }
        seen.forget_decisions();
        log.back_to(logged);
        let mut arguments = vec![Dynamic::from(seen.clone())];
        if self.script.parameters("judge") == Some(2) {
            arguments.push(self.case.map_or(Dynamic::UNIT, |case| case.to_owned().into()));
        }
        let scripts = &self.engine.scripts;
        let unfinished = scripts.invoke_by_statements(self.script, "judge", arguments)?;
        match unfinished.iter().find(|one| !is_left(&one.error)) {
            Some(one) => Err(Stopped::Script(one.error.clone())),
            None => Ok(unfinished),
        }
    }

    /// Lets the fault change what `drive` returned, which is `before` as text if
    /// that is known; false if it changed nothing.
    fn fault_in_seen(&self, seen: &Seen, before: Option<&str>) -> bool {
        let Some((of, script)) = &self.engine.fault else { return false };
        if script.parameters("seen").is_none() {
            return false;
        }
        let before = before.map_or_else(|| Cow::Owned(seen.text()), Cow::Borrowed);
        if let Err(error) = self.engine.scripts.invoke(script, "seen", (seen.clone(),)) {
            of.breaks(Arc::new(error.into()));
            return true;
        }
        let changed = seen.text() != before;
        if changed {
            of.fired();
        }
        changed
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
        unfinished: &[Unfinished],
        executed: &mut Executed,
    ) {
        let mut decisions = seen.decisions();
        for one in unfinished {
            let said = left_undecided(&one.error);
            for id in &one.checkpoints {
                decisions.add(id, said.clone());
            }
        }
        let mut undecided = Vec::new();
        for checkpoint in self.check.header.checkpoints_at(self.profile.revision) {
            if checkpoint.builtin && !builtin {
                let reason = "only the built-in client can show it".to_owned();
                executed.checkpoints.push(CheckpointResult::new(
                    checkpoint.clone(),
                    Verdict::Skip,
                    Some(Decision { reason, ..Decision::default() }),
                ));
                continue;
            }
            let result = decisions.result(checkpoint, || match unfinished.last() {
                Some(one) => left_undecided(&one.error).verdict(checkpoint.level),
                // A loop over what the subject did has no turns if it did
                // nothing; with the built-in client this is the script's fault.
                None if !builtin => {
                    let reason = "not exercised: `judge` never came to it".to_owned();
                    (Verdict::NotExercised, Some(Decision { reason, ..Decision::default() }))
                }
                None => {
                    undecided.push(checkpoint.id.clone());
                    let reason = "declared and never decided".to_owned();
                    (Verdict::Error, Some(Decision { reason, ..Decision::default() }))
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
            Cause::Script | Cause::Shape | Cause::Absent | Cause::WithoutEnd => {
                Trouble::Broken(Arc::new(error.into()))
            }
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
            Trouble::Broken(_) => Verdict::Error,
            Trouble::Skipped(_) => Verdict::Skip,
        };
        let decision = match &trouble {
            Trouble::Skipped(reason) => Decision { reason: reason.clone(), ..Decision::default() },
            _ => Decision::default(),
        };
        executed.checkpoints =
            all_checkpoints(self.check, self.profile.revision, verdict, &decision);
        executed.trouble.get_or_insert(trouble);
        executed
    }
}

/// What is said of a checkpoint that a judge did not come to the end of, because
/// what it went on from never happened or has the wrong shape.
fn left_undecided(error: &ScriptError) -> Said {
    let is_absent = error.cause == Cause::Absent;
    let reason = format!("{}: {error}", if is_absent { "not exercised" } else { "wrong shape" });
    let decision = Decision { reason, place: error.place().cloned(), ..Decision::default() };
    if is_absent { Said::Absent(decision) } else { Said::NotHeld(decision) }
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
        .map(|checkpoint| CheckpointResult::new(checkpoint, verdict, Some(decision.clone())))
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
