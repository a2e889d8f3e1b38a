//! Whether a JSON-RPC message is valid for a revision: [`message`] holds one
//! against the types of that revision.
//!
//! The types stand in tables, one a revision (`schema/REVISION.json`), which
//! `.ci/wire-tables.py` makes out of the official schemas. A table says of each
//! type which members it has, which of them are required, and what they can be.
//! `.ci/schemas` holds the tables, and what is made of them here, against those
//! schemas.
//!
//! A message is held against the envelope that it has by its members, and
//! further by its method against the type of that method: a result by the method
//! of the request that it answers. Of what a revision does not know (an
//! extension's methods, and results of a type of its own) the envelope is all
//! that is held.

mod invalid;
mod judgement;
mod log;
mod nearest;
mod table;
mod types;
mod unfit;

use serde_json::Value;

pub use self::invalid::Invalid;
pub use self::log::{Judged, judge};
pub use crate::wire::Sender;

use self::table::Table;
use super::Revision;

/// The request that a response answers, as far as it decides what the result
/// can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// Its method.
    pub method: String,
    /// Whether it asks for a task, so that the result may be one (2025-11-25,
    /// basic/utilities/tasks, "Creating Tasks").
    pub asks_for_task: bool,
}

impl Answered {
    /// What counts of a request.
    pub fn of(request: &Value) -> Option<Answered> {
        Some(Answered {
            method: request.get("method")?.as_str()?.to_owned(),
            asks_for_task: request["params"].get("task").is_some(),
        })
    }
}

/// Holds one message that `sender` sent against the types of `revision`;
/// `answered` is the request that it answers, if it is a response to a known
/// one.
///
/// # Errors
/// The first thing that is not as the type says.
pub fn message(
    message: &Value,
    revision: Revision,
    sender: Sender,
    answered: Option<&Answered>,
) -> Result<(), Invalid> {
    let table = Table::of(revision);
    if message.get("method").is_some() {
        let is_request = message.get("id").is_some();
        table.hold(if is_request { "JSONRPCRequest" } else { "JSONRPCNotification" }, message)?;
        let method = message["method"].as_str().unwrap_or_default();
        return match table.type_of(sender, is_request, method) {
            Some(name) => table.hold(name, message),
            None => Ok(()),
        };
    }
    if message.get("error").is_some() {
        return error(table, message);
    }
    table.hold(table.first(&["JSONRPCResultResponse", "JSONRPCResponse"]), message)?;
    let Some(answered) = answered else { return Ok(()) };
    let Some(request) = table.type_of(sender.other(), true, &answered.method) else {
        return Ok(());
    };
    result(table, message, request, answered)
}

/// A response with an error. It names no id if that of the request could not be
/// read: each revision's page on transports says so, the official schemas before
/// 2025-11-25 do not.
fn error(table: &Table, message: &Value) -> Result<(), Invalid> {
    let name = table.first(&["JSONRPCErrorResponse", "JSONRPCError"]);
    match message {
        Value::Object(members) if !members.contains_key("id") => {
            let mut with_id = members.clone();
            with_id.insert("id".to_owned(), "none".into());
            table.hold(name, &Value::Object(with_id))
        }
        _ => table.hold(name, message),
    }
}

/// A result, by the type of the request that it answers.
fn result(
    table: &Table,
    message: &Value,
    request: &str,
    answered: &Answered,
) -> Result<(), Invalid> {
    let result = &message["result"];
    // What an extension adds to the types of results is its own
    // (2026-07-28, basic, "ResultType").
    match result.get("resultType").and_then(Value::as_str) {
        None | Some("complete") => {}
        // What asks for input has a type of its own, whatever it answers.
        Some("input_required") if table.has("InputRequiredResult") => {
            let held = table.hold("InputRequiredResult", result);
            return held.map_err(|invalid| invalid.within("/result"));
        }
        Some(_) => return Ok(()),
    }
    let stem = request.strip_suffix("Request").unwrap_or(request);
    let whole = format!("{stem}ResultResponse");
    let own = format!("{stem}Result");
    if table.has(&whole) {
        table.hold(&whole, message)?;
        // In a union with what asks for input, which requires next to nothing, the
        // method's own type would decide nothing.
        return match table.has(&own) {
            true => table.hold(&own, result).map_err(|invalid| invalid.within("/result")),
            false => Ok(()),
        };
    }
    let name = if table.has(&own) { own.as_str() } else { "EmptyResult" };
    let held = table.hold(name, result).map_err(|invalid| invalid.within("/result"));
    if held.is_err() && answered.asks_for_task && table.has("CreateTaskResult") {
        return table.hold("CreateTaskResult", result).map_err(|invalid| invalid.within("/result"));
    }
    held
}

/// Whether `revision` has batches.
pub fn has_batches(revision: Revision) -> bool {
    Table::of(revision).has("JSONRPCBatchRequest")
}

/// Holds a value against one type of `revision`, by its name; `None` if the
/// revision has no such type.
pub fn value(value: &Value, revision: Revision, name: &str) -> Option<Result<(), Invalid>> {
    let table = Table::of(revision);
    table.has(name).then(|| table.hold(name, value))
}

#[cfg(test)]
mod tests;
