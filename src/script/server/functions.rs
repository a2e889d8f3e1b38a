//! What scripts can do with `server`.

use rhai::{Array, Dynamic, FnPtr, Map};

use super::Server;
use crate::script::api::{Api, HAS_HANDSHAKE, Text};
use crate::script::value::from_json;

/// Declares `server`.
pub(in crate::script) fn declare(api: &mut Api) {
    api.methods::<Server>(
        "server",
        "server",
        "Given to `serve(server)`: what the far side does. The handshake, the session and \
         the framing of the profile are there already; capabilities follow from what is \
         registered.",
    )
    .doc(
        "Offers a tool; the schema is JSON Schema, or names a type for each required \
         argument: `#{ a: \"integer\" }`. The handler gets the arguments, the whole request \
         and the server, as many of them as it takes.",
    )
    .function(
        "tool(name: string, schema: map, handler: function)",
        |server, (name, schema, handler): (Text, Map, FnPtr)| server.tool(&name, &schema, handler),
    )
    .function("tool(definition: map, handler: function)", |server, (definition, handler)| {
        server.tool_from_map(definition, handler)
    })
    .doc(
        "Offers a resource; `text` or `blob` of the definition is its content, unless a \
         handler that gets the URI answers.",
    )
    .function("resource(uri: string, text: string)", |server, (uri, text): (Text, Text)| {
        let definition = Map::from([("text".into(), text.into())]);
        server.resource(&uri, definition, None)
    })
    .function("resource(uri: string, definition: map)", |server, (uri, definition): (Text, Map)| {
        server.resource(&uri, definition, None)
    })
    .function(
        "resource(uri: string, definition: map, handler: function)",
        |server, (uri, definition, handler): (Text, Map, FnPtr)| {
            server.resource(&uri, definition, Some(handler))
        },
    )
    .doc("Offers a template of resources; the handler gets the URI that was asked for.")
    .function(
        "resource_template(template: string, definition: map, handler: function)",
        |server, (template, definition, handler): (Text, Map, FnPtr)| {
            server.resource_template(&template, definition, handler)
        },
    )
    .doc("Offers a prompt; an argument is its name, then it is required, or its definition.")
    .function(
        "prompt(name: string, arguments: array, handler: function)",
        |server, (name, arguments, handler): (Text, Array, FnPtr)| {
            server.prompt(&name, &arguments, handler)
        },
    )
    .doc("Sends lists in pages of this many items.")
    .function("page(size: integer)", Server::page)
    .doc(
        "Answers every request of a method, whatever is registered; the handler gets the \
         request, and the server if it takes two.",
    )
    .function(
        "on(method: string, handler: function)",
        |server, (method, handler): (Text, FnPtr)| server.on(&method, handler),
    )
    .doc(
        "Sets members of the result of `initialize`, or of `server/discover` where there is \
         no handshake; one that is `()` is left out.",
    )
    .function("initialize(members: map)", Server::initialize)
    .doc(
        "Lets so much time pass before each answer to a method, on the execution's own \
         clock: so a client that does not wait for it is seen.",
    )
    .function(
        "delay(method: string, milliseconds: integer)",
        |server, (method, milliseconds): (Text, i64)| server.delay(&method, milliseconds),
    )
    .doc(
        "Speaks these versions, and not the profile's alone: with a handshake, without one, \
         or both.",
    )
    .function("versions(versions: array)", Server::versions)
    .doc(
        "Sends a message on the GET stream, which is open to clients from then on, or to \
         every subscription that asked for it.",
    )
    .function("push(message: map)", Server::push)
    .doc("Ends every session: requests that carry its id are answered with 404.")
    .function("expire_session()", |server, ()| server.0.scripted.expire_session())
    .doc(
        "A further origin, such as an authorization server; \"server\" is the endpoint's \
         own.",
    )
    .function("origin(name: string) -> Origin", |server, name: Text| server.origin(&name))
    .doc("Tells an external client something, in `MCP_CONFORMANCE_CONTEXT`.")
    .function("context(members: map)", |server, members: Map| server.said().context.extend(members))
    .doc("Keeps a value for the judge, who reads it as `seen.notes`.")
    .function("note(key: string, value: any)", |server, (key, value): (Text, Dynamic)| {
        server.said().notes.insert(key.as_str().into(), value);
    })
    .doc("What was noted so far.")
    .property("notes: map", |server| server.notes())
    .doc(
        "What the server declares so far: what was registered and what the profile's policy \
         requires, without what the profile's server lacks.",
    )
    .property("capabilities: map", |server| from_json(&server.0.scripted.capabilities()))
    .doc("The URL of the MCP endpoint.")
    .property("url: string", |server| server.url())
    .doc("The revision in force.")
    .property("revision: string", |server| server.0.scripted.revision().as_str())
    .doc(HAS_HANDSHAKE)
    .property("has_handshake: bool", |server| server.0.scripted.revision().has_handshake());
}
