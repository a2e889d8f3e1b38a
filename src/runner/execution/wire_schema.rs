//! The checkpoint that every check has: whether what the subject sent is valid
//! for its revision. It is decided here, from what was recorded.

use std::cell::RefCell;
use std::collections::HashMap;

use bytes::Bytes;
use memchr::memmem;

use super::Stage;
use crate::check::{CheckKind, Checkpoint, CheckpointResult, Decision, Place, Verdict};
use crate::mcp::schema::{Invalid, Judged, Sender, judge};
use crate::script::ScriptError;
use crate::script::observation::Observation;
use crate::wire::Exchange;

/// How many different things that are wrong are told of one execution.
const MOST_CAUSES: usize = 8;

/// What a script wrote itself, byte for byte. It need not be valid, and counts
/// for nobody.
#[derive(Clone, Debug, Default)]
pub struct AsWritten {
    /// Whole bodies, of `send_raw` and `post`.
    pub requests: Vec<Bytes>,
    /// Bodies or pieces of them, of `raw` and `chunk`.
    pub responses: Vec<Bytes>,
}

/// What becomes of an execution for what its messages are.
#[derive(Clone)]
pub struct WireSchema {
    /// The verdict on the subject.
    pub result: CheckpointResult,
    /// What the far side sent that is not valid, though it was not told to.
    pub far_side: Option<ScriptError>,
}

impl Stage<'_> {
    /// Holds every message against the types of its revision.
    pub(super) fn wire_schema(&self, seen: &Observation, as_written: &AsWritten) -> WireSchema {
        let subject = match self.check.kind {
            CheckKind::Client | CheckKind::Host => Sender::Client,
            CheckKind::Server => Sender::Server,
        };
        let judged = judge(seen.texts(), &seen.exchanges, self.profile.revision);
        // One body may hold thousands of messages: it is looked for once.
        let written = RefCell::new(HashMap::new());
        let is_written = |judged: &Judged| {
            let key = (judged.exchange, judged.sender);
            *written.borrow_mut().entry(key).or_insert_with(|| {
                let exchange = judged.exchange.and_then(|index| seen.exchanges.get(index));
                exchange.is_some_and(|exchange| as_written.holds(judged.sender, subject, exchange))
            })
        };
        let invalid = |sender: Sender| {
            judged
                .iter()
                .filter(move |one| one.sender == sender && one.invalid.is_some())
                .filter(|one| !is_written(one))
        };
        let sent = judged.iter().any(|one| one.sender == subject && !is_written(one));
        let far_side = match self.check.header.invalid {
            None => invalid(subject.other()).next().map(|judged| self.far_side(judged)),
            Some(_) => None,
        };
        WireSchema { result: result(subject, sent, invalid(subject)), far_side }
    }

    /// The error of a far side that sends what it should not.
    fn far_side(&self, judged: &Judged) -> ScriptError {
        let (name, way) = match judged.sender {
            Sender::Server => ("double", "`raw` or `chunk`"),
            Sender::Client => ("built-in client", "`client.send_raw`"),
        };
        let message =
            format!("the {name} sent what is not valid {}", wrong(judged).unwrap_or_default());
        let help = format!(
            "if that is meant, send it with {way}, or say in the header what is sent and why: \
             `invalid: a result without content, which a client refuses`"
        );
        let source = self.script.source();
        let first_line = source.inner().lines().next().map_or(0, str::len);
        let place = Place { source: source.clone(), span: 0..first_line };
        ScriptError::new(message, help).at(place, "this check")
    }
}

impl AsWritten {
    /// Whether what `sender` sent in `exchange` was written by a script. What a
    /// script lets a server under test send is that server's own.
    fn holds(&self, sender: Sender, subject: Sender, exchange: &Exchange) -> bool {
        match (sender, subject) {
            (Sender::Client, _) => self.requests.contains(&exchange.body),
            (Sender::Server, Sender::Server) => false,
            (Sender::Server, Sender::Client) => {
                let body = &exchange.response_body;
                self.responses.iter().any(|piece| match piece.len() {
                    0 => body.is_empty(),
                    // Looking for megabytes takes a preparation as long.
                    length if length >= body.len() => piece == body,
                    _ => memmem::find(body, piece).is_some(),
                })
            }
        }
    }
}

fn result<'a>(
    subject: Sender,
    sent: bool,
    invalid: impl Iterator<Item = &'a Judged>,
) -> CheckpointResult {
    let (verdict, decision) = match by_cause(invalid) {
        Some(decision) => (Verdict::Fail, Some(decision)),
        None if !sent => {
            let reason = format!("the {} sent no message", subject.as_str());
            (Verdict::Skip, Some(Decision { reason, ..Decision::default() }))
        }
        None => (Verdict::Pass, None),
    };
    CheckpointResult::new(Checkpoint::wire_schema(), verdict, decision)
}

/// What is wrong with these messages: the first decides, and what is wrong in
/// another way is further to it.
fn by_cause<'a>(invalid: impl Iterator<Item = &'a Judged>) -> Option<Decision> {
    let mut decisions: Vec<Decision> = Vec::new();
    for judged in invalid {
        let cause = judged.invalid.as_ref().map(Invalid::cause);
        if decisions.len() == MOST_CAUSES {
            break;
        }
        if decisions.iter().all(|known| known.cause != cause) {
            decisions.push(Decision {
                reason: format!("not valid {}", wrong(judged).unwrap_or_default()),
                expected: judged.invalid.as_ref().map(|invalid| invalid.expected.clone()),
                exchange: judged.exchange,
                cause,
                ..Decision::default()
            });
        }
    }
    let further = decisions.split_off(decisions.len().min(1));
    decisions.pop().map(|first| Decision { further, ..first })
}

/// What is wrong with a message, and where.
fn wrong(judged: &Judged) -> Option<String> {
    let invalid = judged.invalid.as_ref()?;
    let exchange = judged.exchange.map(|index| format!(", in exchange {index}"));
    Some(format!("at {}{}: {invalid}", judged.revision, exchange.unwrap_or_default()))
}
