//! What scripts can do with `host` and its calls in the background.

use rhai::{Dynamic, Map};

use super::{Host, PendingCall, place, thrown};
use crate::host::Mode;
use crate::script::api::{Api, Evaluated, Text};
use crate::script::value::from_json;

/// Declares `host` and its calls in the background.
pub(in crate::script) fn declare(api: &mut Api) {
    api.methods::<Host>(
        "host",
        "host",
        "Given to `operate(host)`: the built-in host around the client. It keeps what it \
         does in a store of its own; its caller is an administrator that approves each call, \
         and its model stands in the profile's zone.",
    )
    .doc(
        "Walks the server's list and takes in its tools: `ok`, `imported` (`name` and \
         `became`: \"new\", \"unchanged\", \"changed\" or \"returned\"), `refused` (`name`, \
         `reason` and `message`), `orphaned` (local names); or `error`.",
    )
    .function("import_tools() -> any", |host, ()| host.import())
    .doc("Switches a tool on, as it is stored now, by its local name; false if there is none.")
    .function("enable(name: string) -> bool", |host, name: Text| host.enable(&name, true))
    .doc("Switches a tool off; false if there is none.")
    .function("disable(name: string) -> bool", |host, name: Text| host.enable(&name, false))
    .doc(
        "The registered tools as the gate and a model see them: `name`, `remote`, `server`, \
         `remote_name`, `group`, `description`, `schema`, `data_class`, `requires_approval`, \
         `requires_administrator`, `effect`, `enabled`, and as `changed` what is not as it \
         was when it was enabled: \"description\", \"schema\", \"annotations\", \"origin\".",
    )
    .property("tools: List", |host| host.tools())
    .doc("Registers a tool of the host's own, which answers with a text.")
    .function(
        "own_tool(name: string, data_class: string, answer: string)",
        |host, (name, class, answer): (Text, Text, Text)| host.add_own_tool(&name, &class, &answer),
    )
    .doc(
        "Asks the gate about a tool, and records nothing: `allowed`, and the reason as \
         `denial`, or as `observed` if the tool is let through all the same.",
    )
    .function("decide(name: string) -> any", |host, name: Text| host.decide(&name))
    .doc(
        "Calls a tool by its local name, in the run that goes on or in a new one: `outcome`, \
         `is_error`, `text`, `artifacts` and `write_target`; or the reason as `refused`, \
         with `message`.",
    )
    .function("call_tool(name: string) -> any", |host, name: Text| {
        host.call_tool(&name, &Dynamic::UNIT, true)
    })
    .function(
        "call_tool(name: string, arguments: any) -> any",
        |host, (name, arguments): (Text, Dynamic)| host.call_tool(&name, &arguments, true),
    )
    .doc("Calls a tool that no run stands behind.")
    .function(
        "call_without_run(name: string, arguments: any) -> any",
        |host, (name, arguments): (Text, Dynamic)| host.call_tool(&name, &arguments, false),
    )
    .doc("Begins a call in the background.")
    .function(
        "begin_call(name: string, arguments: any) -> PendingCall",
        |host, (name, arguments): (Text, Dynamic)| host.begin_call(&name, &arguments),
    )
    .doc("Begins a run, which is stored and leased: `ok` and `run`, or `error`.")
    .function("begin_run() -> any", |host, ()| host.begin_run())
    .doc("Ends the run that goes on; after `operate` that happens by itself.")
    .function("end_run()", |host, ()| host.end_run())
    .doc("Cancels the run that goes on, and what it has in flight.")
    .function("cancel_run()", |host, ()| host.cancel_run())
    .doc(
        "Asks whether the server is there: `reachable`, `latency` in milliseconds, \
         `versions`, `server` and `capabilities`; or `error`, with `kind` and `message`.",
    )
    .function("ping() -> any", |host, ()| host.ping())
    .doc("Lets time pass; what is in the background goes on.")
    .function("wait(milliseconds: integer)", |host, milliseconds| {
        host.0.blocking.pause(milliseconds)
    })
    .doc("The name under which the operator knows the server.")
    .property("identifier: string", |host| host.0.host.operator().identifier.clone())
    .doc("The origin of the server: what was enabled at another one is off.")
    .property("origin: string", |host| host.0.host.origin().to_owned())
    .doc("The class that the operator declared.")
    .property("data_class: string", |host| host.0.host.operator().data_class.as_str())
    .doc("Whether the operator has a person approve each call.")
    .property("requires_approval: bool", |host| host.0.host.operator().requires_approval)
    .doc("Whether the caller is an administrator.")
    .settable(
        "administrator: bool, settable",
        |host| host.state().caller.administrator,
        |host, administrator| host.state().caller.administrator = administrator,
    )
    .doc("Whether the caller approves each call.")
    .settable(
        "approves: bool, settable",
        |host| host.state().approves,
        |host, approves| host.state().approves = approves,
    )
    .doc(
        "The tools, or the groups of tools, that the caller's configuration has; `()` if it \
         has every one.",
    )
    .settable("group: any, settable", Host::group, Host::set_group)
    .doc(
        "\"observe\" or \"enforce\": what is done about the ceiling of a zone. Anything else \
         observes.",
    )
    .settable(
        "mode: string, settable",
        |host| host.state().caller.mode.as_str(),
        |host, mode: Text| host.state().caller.mode = Mode::stated(&mode),
    )
    .doc(
        "The model that reads what tools return: `#{ zone: \"local\", fallbacks: [#{ zone: … \
         }] }`.",
    )
    .settable("model: map, settable", Host::model, Host::set_model)
    .doc(
        "From now on the store refuses each new row of a table: tool, run, event, contact or \
         denial.",
    )
    .function("refuse_rows(table: string)", |host, table: Text| {
        host.0.host.store().refuse_rows(place(&table)?).map_err(thrown)
    })
    .doc("Takes back `refuse_rows`.")
    .function("take_rows(table: string)", |host, table: Text| {
        host.0.host.store().take_rows(place(&table)?).map_err(thrown)
    })
    .doc("Writes a row as it is, over one of the same key: `ok`, or `error`.")
    .function("write_row(table: string, row: map) -> any", |host, (table, row): (Text, Map)| {
        host.write_row(&table, row, true)
    })
    .doc("Writes a row that the rules of the table do not hold for.")
    .function(
        "write_row_unchecked(table: string, row: map) -> any",
        |host, (table, row): (Text, Map)| host.write_row(&table, row, false),
    );
    api.methods::<PendingCall>(
        "calls in the background",
        "pending",
        "What `host.begin_call` returns.",
    )
    .doc("Waits for what the call comes to.")
    .function("result() -> any", |call, ()| -> Evaluated<Dynamic> {
        Ok(from_json(&call.0.wait()?))
    });
}
