//! What scripts can do with `seen`.

use http::Method;
use rhai::{Dynamic, FnPtr};

use super::Seen;
use super::deciding::{check, equal, for_all, goal, skip, some};
use super::kept::{keep, kept};
use super::messages::{self, optional};
use crate::mcp::json_schema::{misfit, wrong_schema};
use crate::script::api::{Api, HAS_HANDSHAKE, Text};
use crate::script::observation::MessageData;
use crate::script::value::to_json;

/// Declares `seen`, its messages and its exchanges.
pub(in crate::script) fn declare(api: &mut Api) {
    api.methods::<Seen>(
        "seen",
        "seen",
        "Given to `judge(seen)`: what crossed the wire, and how checkpoints are decided. \
         Every declared checkpoint has to be decided; of several decisions all have to hold.",
    )
    .doc("Decides a checkpoint by a condition, which has to be true.")
    .function_in_context(
        "check(id: string, condition: any)",
        |context, seen, (id, condition): (Text, Dynamic)| check(context, seen, &id, &condition),
    )
    .doc("Decides a checkpoint: both values have to be equal as JSON.")
    .function_in_context(
        "equal(id: string, actual: any, expected: any)",
        |context, seen, (id, actual, expected): (Text, Dynamic, Dynamic)| {
            equal(context, seen, &id, &actual, &expected)
        },
    )
    .doc(
        "Decides a checkpoint: the function has to be true of every item, and there has to \
         be one.",
    )
    .function_in_context(
        "every(id: string, list: any, holds: function)",
        |context, seen, (id, list, holds): (Text, Dynamic, FnPtr)| {
            for_all(context, seen, &id, &list, &holds, true)
        },
    )
    .doc(
        "Decides a checkpoint: the function must not be true of any item, and there has to \
         be one.",
    )
    .function_in_context(
        "none(id: string, list: any, holds: function)",
        |context, seen, (id, list, holds): (Text, Dynamic, FnPtr)| {
            for_all(context, seen, &id, &list, &holds, false)
        },
    )
    .doc("Decides a checkpoint: the function has to be true of one item.")
    .function_in_context(
        "some(id: string, list: any, holds: function)",
        |context, seen, (id, list, holds): (Text, Dynamic, FnPtr)| {
            some(context, seen, &id, &list, &holds)
        },
    )
    .doc(
        "Decides a goal of the task: the function has to be true of one request that \
         succeeded. Whatever else was sent does no harm.",
    )
    .function_in_context(
        "goal(id: string, list: any, holds: function)",
        |context, seen, (id, list, holds): (Text, Dynamic, FnPtr)| {
            goal(context, seen, &id, &list, &holds)
        },
    )
    .doc(
        "What is wrong with a JSON Schema by its own dialect; `()` if nothing is, or if the \
         dialect is not known.",
    )
    .function("wrong_schema(schema: any) -> string or ()", |_, schema: Dynamic| {
        to_json(&schema).map_or(Dynamic::UNIT, |schema| optional(wrong_schema(&schema)))
    })
    .doc("Why a value does not fit a JSON Schema; `()` if it does, or if that cannot be told.")
    .function(
        "misfit(schema: any, value: any) -> string or ()",
        |_, (schema, value): (Dynamic, Dynamic)| match (to_json(&schema), to_json(&value)) {
            (Ok(schema), Ok(value)) => optional(misfit(&schema, &value)),
            _ => Dynamic::UNIT,
        },
    )
    .doc("Decides that a checkpoint does not apply, and says why.")
    .function_in_context(
        "skip(id: string, reason: string)",
        |context, seen, (id, reason): (Text, Text)| skip(context, seen, &id, &reason),
    )
    .doc("The JSON-RPC requests that the client sent.")
    .property("requests: List", |seen| seen.messages(MessageData::is_request))
    .doc("The notifications that the client sent.")
    .property("notifications: List", |seen| seen.messages(MessageData::is_notification))
    .doc("The responses that the client sent.")
    .property("responses: List", |seen| seen.messages(MessageData::is_response))
    .doc("Every JSON-RPC message that the client sent.")
    .property("messages: List", |seen| seen.messages(|_| true))
    .doc("Every JSON-RPC message that the server sent.")
    .property("received: List", Seen::received)
    .doc("The requests that call the tool of this name.")
    .function("calls(name: string) -> List", |seen, name: Text| seen.calls(&name))
    .doc(
        "Whether the first message of one method was sent before the first of another; \
         absent if there is none of the other.",
    )
    .function(
        "before(first: string, second: string) -> any",
        |seen, (first, second): (Text, Text)| seen.before(&first, &second),
    )
    .doc("Every exchange with the MCP endpoint.")
    .property("endpoint: List", |seen| seen.endpoint(None))
    .doc("The POST exchanges with the MCP endpoint.")
    .property("posts: List", |seen| seen.endpoint(Some(&Method::POST)))
    .doc("The GET exchanges with the MCP endpoint.")
    .property("gets: List", |seen| seen.endpoint(Some(&Method::GET)))
    .doc("The DELETE exchanges with the MCP endpoint.")
    .property("deletes: List", |seen| seen.endpoint(Some(&Method::DELETE)))
    .doc("Every exchange, over all origins, in the order of the requests.")
    .property("exchanges: List", |seen| seen.exchanges(|_| true))
    .doc("What `drive` returned; absent with an external client. A fault may set it.")
    .settable(
        "result: any, settable",
        |seen| seen.state().result.clone(),
        |seen, result| seen.state().result = result,
    )
    .doc("What `server.note` kept.")
    .property("notes: map", |seen| seen.state().notes.clone())
    .doc(
        "In a fault: hands each answer in the result to the function as a message, to be \
         changed.",
    )
    .function_in_context("change(change: function)", |context, seen, change: FnPtr| {
        seen.change(context, &change)
    })
    .doc(
        "In a fault: hands each map in the result to the function, the inner ones first; \
         what it returns takes its place.",
    )
    .function_in_context("change_maps(change: function)", |context, seen, change: FnPtr| {
        seen.change_maps(context, &change)
    })
    .doc(
        "The steps of runs that the host stored, in order: `run`, `sequence`, `at`, `kind` \
         (\"declared\" or \"tool\"), `tool`, `effect`, `outcome`, `is_error` and `text`; \
         `unreadable` in place of the last six if the row is no step. Absent without a host.",
    )
    .settable(
        "audit: any, settable",
        |seen| kept(seen, |record| &record.audit),
        |seen, list: Dynamic| keep(seen, &list, |record| &mut record.audit),
    )
    .doc(
        "The runs that the host stored: `id`, `caller`, `status`, `started_at` and \
         `ended_at`.",
    )
    .settable(
        "runs: any, settable",
        |seen| kept(seen, |record| &record.runs),
        |seen, list: Dynamic| keep(seen, &list, |record| &mut record.runs),
    )
    .doc(
        "The completed operations that the host stored: `server`, `at`, `operation` and \
         `latency`, in milliseconds.",
    )
    .settable(
        "contacts: any, settable",
        |seen| kept(seen, |record| &record.contacts),
        |seen, list: Dynamic| keep(seen, &list, |record| &mut record.contacts),
    )
    .doc("What the gate denied: `at`, `caller`, `tool` and `reason`.")
    .settable(
        "denials: any, settable",
        |seen| kept(seen, |record| &record.denials),
        |seen, list: Dynamic| keep(seen, &list, |record| &mut record.denials),
    )
    .doc(
        "The tools that the host stored, by their local names: `server`, `remote_name`, \
         `local_name`, `description`, `schema`, `schema_as_sent`, `annotations`, `origin`, \
         `enabled`, `changed` and `orphaned`.",
    )
    .settable(
        "catalogue: any, settable",
        |seen| kept(seen, |record| &record.catalogue),
        |seen, list: Dynamic| keep(seen, &list, |record| &mut record.catalogue),
    )
    .doc("\"paused\" if times are exact, \"real\" if a slow machine can make them longer.")
    .property("clock: string", |seen| if seen.0.paused_clock { "paused" } else { "real" })
    .doc(
        "The profile's `name`, `revision`, `session` and `framing`, and what its operator \
         declared: `identifier`, `data_class`, `requires_approval` and `zone`.",
    )
    .property("profile: map", |seen| seen.0.profile.clone())
    .doc("The revision in force.")
    .property("revision: string", |seen| seen.0.revision.as_str())
    .doc(HAS_HANDSHAKE)
    .property("has_handshake: bool", |seen| seen.0.revision.has_handshake());
    messages::declare(api);
}
