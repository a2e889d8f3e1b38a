//! Clients that break one rule each.

mod answers;
mod session;
mod stateless;

use serde_json::Value;

use super::Pair;
use crate::raw::client::{Client, Outgoing};
use crate::raw::tasks::task;

/// The scenes that every client of a session plays.
const SESSION: &str = "session-http";
/// The scenes that every client without a handshake plays.
const STATELESS: &str = "stateless-http-2026-07-28";

const fn breaks(
    mode: &'static str,
    profile: &'static str,
    also: &'static [&'static str],
    red: &'static [&'static str],
    drive: fn(&mut Client),
) -> Pair {
    Pair { mode, profile, only: None, also, red, drive }
}

/// Does the task with what goes out changed.
fn bent(client: &mut Client, bend: impl Fn(&mut Outgoing) + Send + Sync + 'static) {
    client.bend(bend);
    task(client);
}

/// All of them.
pub fn pairs() -> Vec<&'static Pair> {
    session::PAIRS.iter().chain(stateless::PAIRS).chain(answers::PAIRS).collect()
}

/// Says something else than it was told, in each argument of each call.
fn says_something_else(outgoing: &mut Outgoing) {
    if !outgoing.is("tools/call") {
        return;
    }
    if let Some(Value::Object(arguments)) = outgoing.param("arguments") {
        for value in arguments.values_mut() {
            if value.is_string() {
                *value = "something else".into();
            } else if value.is_number() {
                *value = 999.into();
            }
        }
    }
}

/// Does the task, and sends each request of a method once more beforehand, under an
/// id of its own, changed: it is refused, and does no harm.
fn twice_wrong(client: &mut Client, method: &'static str, change: fn(&mut Outgoing)) {
    let again = client.clone();
    client.bend(move |outgoing| {
        if outgoing.is(method) {
            let mut bare = outgoing.clone();
            bare.message["id"] = format!("wrong-{}", outgoing.message["id"]).into();
            change(&mut bare);
            let _ = again.send(bare);
            // A question about a task has its distance from the next.
            if method == "tasks/get" {
                again.wait(2100);
            }
        }
    });
    task(client);
}
