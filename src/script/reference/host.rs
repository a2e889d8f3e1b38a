//! The sentences about `host`.

use super::Entry;
use super::tables::entry;

pub(super) const HOST: &[Entry] = &[
    entry(
        &["import_tools() -> any"],
        "Walks the server's list and takes in its tools: `ok`, `imported` (`name` and `became`: \
         \"new\", \"unchanged\", \"changed\" or \"returned\"), `refused` (`name`, `reason` and \
         `message`), `orphaned` (local names); or `error`.",
    ),
    entry(
        &["enable(name: string) -> bool"],
        "Switches a tool on, as it is stored now, by its local name; false if there is none.",
    ),
    entry(&["disable(name: string) -> bool"], "Switches a tool off; false if there is none."),
    entry(
        &["tools: List"],
        "The registered tools as the gate and a model see them: `name`, `remote`, `server`, \
         `remote_name`, `group`, `description`, `schema`, `data_class`, `requires_approval`, \
         `requires_administrator`, `effect`, `enabled`, and as `changed` what is not as it was when \
         it was enabled: \"description\", \"schema\", \"annotations\", \"origin\".",
    ),
    entry(
        &["own_tool(name: string, data_class: string, answer: string)"],
        "Registers a tool of the host's own, which answers with a text.",
    ),
    entry(
        &["decide(name: string) -> any"],
        "Asks the gate about a tool, and records nothing: `allowed`, and the reason as `denial`, or \
         as `observed` if the tool is let through all the same.",
    ),
    entry(
        &["call_tool(name: string) -> any", "call_tool(name: string, arguments: any) -> any"],
        "Calls a tool by its local name, in the run that goes on or in a new one: `outcome`, \
         `is_error`, `text`, `artifacts` and `write_target`; or the reason as `refused`, with \
         `message`.",
    ),
    entry(
        &["call_without_run(name: string, arguments: any) -> any"],
        "Calls a tool that no run stands behind.",
    ),
    entry(
        &["begin_call(name: string, arguments: any) -> PendingCall"],
        "Begins a call in the background.",
    ),
    entry(
        &["begin_run() -> any"],
        "Begins a run, which is stored and leased: `ok` and `run`, or `error`.",
    ),
    entry(&["end_run()"], "Ends the run that goes on; after `operate` that happens by itself."),
    entry(&["cancel_run()"], "Cancels the run that goes on, and what it has in flight."),
    entry(
        &["ping() -> any"],
        "Asks whether the server is there: `reachable`, `latency` in milliseconds, `versions`, \
         `server` and `capabilities`; or `error`, with `kind` and `message`.",
    ),
    entry(&["wait(milliseconds: integer)"], "Lets time pass; what is in the background goes on."),
    entry(&["identifier: string"], "The name under which the operator knows the server."),
    entry(&["origin: string"], "The origin of the server: what was enabled at another one is off."),
    entry(&["data_class: string"], "The class that the operator declared."),
    entry(&["requires_approval: bool"], "Whether the operator has a person approve each call."),
    entry(&["administrator: bool, settable"], "Whether the caller is an administrator."),
    entry(&["approves: bool, settable"], "Whether the caller approves each call."),
    entry(
        &["group: any, settable"],
        "The tools, or the groups of tools, that the caller's configuration has; `()` if it has \
         every one.",
    ),
    entry(
        &["mode: string, settable"],
        "\"observe\" or \"enforce\": what is done about the ceiling of a zone. Anything else \
         observes.",
    ),
    entry(
        &["model: map, settable"],
        "The model that reads what tools return: `#{ zone: \"local\", fallbacks: [#{ zone: … }] }`.",
    ),
    entry(
        &["refuse_rows(table: string)"],
        "From now on the store refuses each new row of a table: tool, run, event, contact or \
         denial.",
    ),
    entry(&["take_rows(table: string)"], "Takes back `refuse_rows`."),
    entry(&["fill_store()"], "From now on the store has no room for more than it holds."),
    entry(
        &["write_row(table: string, row: map) -> any"],
        "Writes a row as it is, over one of the same key: `ok`, or `error`.",
    ),
    entry(
        &["write_row_unchecked(table: string, row: map) -> any"],
        "Writes a row that the rules of the table do not hold for.",
    ),
];

pub(super) const PENDING_CALL: &[Entry] =
    &[entry(&["result() -> any"], "Waits for what the call comes to.")];
