//! What scripts can do with `client`.

use rhai::{Dynamic, Map};
use serde_json::{Value, json};

use super::operations::{OPERATIONS, operation};
use super::{Answer, Client, answer, by_hand};
use crate::mcp::client::features::ClientFeature;
use crate::script::action::json_value;
use crate::script::api::{Api, Evaluated, HAS_HANDSHAKE, Text};
use crate::script::value::{List, from_json};

/// Declares `client`, its answers, its operations in the background and its rounds.
pub(in crate::script) fn declare(api: &mut Api) {
    let mut client = api.methods::<Client>(
        "client",
        "client",
        "Given to `drive(client)`: the built-in client. It connects at the first operation \
         and closes after `drive`.",
    );
    client
        .doc("Connects now, rather than at the first operation.")
        .function("connect() -> Answer", |client, ()| {
            client.0.blocking.wait(client.0.client.connect()).map(Answer::from)
        })
        .doc("Closes the connection now; a closed client stays closed.")
        .function("close() -> Answer", |client, ()| -> Evaluated<Answer> {
            let closed = client.0.blocking.wait(client.0.client.close())?;
            Ok(closed.map(|()| Value::Null).into())
        });
    for operation in OPERATIONS {
        operation.declare(&mut client);
    }
    client
        .doc(
            "Says with each request, from 2026-07-28 on, that a call may come back as a task; \
             such a call is followed to its end. Before the connection.",
        )
        .function("accept_tasks()", |client, ()| -> Evaluated<()> {
            client.0.client.take_tasks().map_err(|error| error.message.into())
        })
        .doc(
            "A client of both eras, with a connection of its own: it finds out which one the \
             server belongs to, and remembers it for the origin.",
        )
        .function("dual_era() -> Client", |client, ()| client.dual_era())
        .doc(
            "Begins an operation of this name in the background, with its arguments: \
             `client.begin(\"call_tool\", \"slow\")`.",
        )
        .function("begin(operation: string) -> Pending", |client, name: Text| {
            client.begin(operation(&name, &[])?)
        })
        .function(
            "begin(operation: string, first: any) -> Pending",
            |client, (name, first): (Text, Dynamic)| client.begin(operation(&name, &[first])?),
        )
        .function(
            "begin(operation: string, first: any, second: any) -> Pending",
            |client, (name, first, second): (Text, Dynamic, Dynamic)| {
                client.begin(operation(&name, &[first, second])?)
            },
        )
        .doc(
            "Sends one round of an operation and returns what came of it; no handler answers \
             what the server asks for within the result. A list is one page, the first one or \
             that of a cursor: `client.step(\"list_tools\", \"page-2\")`.",
        )
        .function("step(operation: string) -> Round", |client, name: Text| {
            client.step_operation(&name, &[])
        })
        .function(
            "step(operation: string, first: any) -> Round",
            |client, (name, first): (Text, Dynamic)| client.step_operation(&name, &[first]),
        )
        .function(
            "step(operation: string, first: any, second: any) -> Round",
            |client, (name, first, second): (Text, Dynamic, Dynamic)| {
                client.step_operation(&name, &[first, second])
            },
        )
        .doc(
            "The round of an operation that ended with `result`, which asks for more, as it was \
             kept with the `request` that it answers: both stand in the error of an operation, \
             and in a round. Nothing is sent until `answer`. The state of another origin is \
             refused (`not-resumable`); to another method it cannot go.",
        )
        .function("step_from(request: map, result: map) -> Round", |client, (request, result)| {
            client.step_from(request, result)
        })
        .doc(
            "How often the client sends a request again for which the server wants more, by \
             itself: from 0 to 1000, 10 unless it is set. An operation that comes to the limit \
             ends as `round-limit`.",
        )
        .settable(
            "round_limit: integer, settable",
            |client| i64::from(client.0.client.round_limit()),
            Client::limit_rounds,
        )
        .doc("Lets time pass; what is in the background goes on.")
        .function("wait(milliseconds: integer)", |client, milliseconds| {
            client.0.blocking.pause(milliseconds)
        })
        .doc("Waits up to 15 seconds for a notification, and returns it; absent if none came.")
        .function("wait_for(method: string) -> any", |client, method: Text| {
            client.wait_for(&method)
        })
        .doc(
            "Answers what the server asks the user. The handler gets the `params` and returns \
             `#{ action, content }`; the defaults of the form are filled in. It is declared in \
             the handshake, as `declared` or with every mode that the revision has, so it has to \
             be registered before. A handler of a client never waits: `after(ms, …)` says how \
             long a person takes, `error(code, message)` refuses, `silence()` never answers.",
        )
        .function("on_elicitation(handler: function)", |client, handler| {
            client.handle(ClientFeature::Elicitation, None, handler)
        })
        .function(
            "on_elicitation(declared: map, handler: function)",
            |client, (declared, handler)| {
                client.handle(ClientFeature::Elicitation, Some(declared), handler)
            },
        )
        .doc(
            "Writes the messages that the server asks a model for, likewise; a text is a whole \
             message.",
        )
        .function("on_sampling(handler: function)", |client, handler| {
            client.handle(ClientFeature::Sampling, None, handler)
        })
        .function("on_sampling(declared: map, handler: function)", |client, (declared, handler)| {
            client.handle(ClientFeature::Sampling, Some(declared), handler)
        })
        .doc("Answers what the roots are, likewise; it returns a list of roots, or of their URIs.")
        .function("on_roots(handler: function)", |client, handler| {
            client.handle(ClientFeature::Roots, None, handler)
        })
        .function("on_roots(declared: map, handler: function)", |client, (declared, handler)| {
            client.handle(ClientFeature::Roots, Some(declared), handler)
        })
        .doc(
            "Tells the server that the roots are others now; `#{ listChanged: true }` has to be \
             declared.",
        )
        .function("roots_changed() -> Answer", |client, ()| -> Evaluated<Answer> {
            let told = client.0.blocking.wait(client.0.client.roots_changed())?;
            Ok(told.map(|()| Value::Null).into())
        })
        .doc(
            "Opens the stream on which the server is heard between requests, until the client \
             closes; from 2026-07-28 on the filter says what is to be heard: `#{ \
             toolsListChanged: true }`. The answer is what of that the server agreed to; `()` \
             before.",
        )
        .function("listen() -> Answer", |client, ()| client.listen(None))
        .function("listen(filter: map) -> Answer", |client, filter: Map| {
            client.listen(Some(json_value(&filter.into())?))
        })
        .doc(
            "The same client; what it is asked to do from there asks for progress, with the id \
             of the request as the token.",
        )
        .function("with_progress() -> Client", |client, ()| client.with_progress())
        .doc("A second client side by side, with a connection of its own.")
        .function("another() -> Client", |client, ()| client.another())
        .doc(
            "Sends what a conforming client would never send: `method`, `url`, `headers` and \
             `body` take the place of what a POST would have. A header field that is `()` is \
             left out, one that is a list is sent once for each item. Returns `status`, \
             `headers`, `body`, `json` and `message`, the last JSON-RPC message. Without a \
             response `status` is `()` and `error` has `kind`, `message` and `http_request`, as \
             that of an answer: \"invalid-request\" was not sent, \"connection\" is a failure of \
             the network, \"timeout\" 15 seconds of silence. If the body broke off, there is an \
             `error` beside it.",
        )
        .function("send_raw(request: map) -> any", |client, request: Map| client.send_raw(&request))
        .doc("Fetches a page as a browser would; returns `status`, `headers`, `body` and `json`.")
        .function("get(url: string) -> any", |client, url: Text| client.get(&url))
        .doc("Sends a form as a browser would; returns `status`, `headers`, `body` and `json`.")
        .function("post(url: string, form: map) -> any", |client, (url, form): (Text, Map)| {
            client.post(&url, &form)
        })
        .doc("The notifications that came so far.")
        .property("notifications: List", |client| -> List {
            client.0.client.notifications().iter().map(from_json).collect()
        })
        .doc(
            "A client with a connection of its own, which accepts what `policy` says: `#{ \
             versions, required, optional }`. What is left out is as in the profile; a \
             capability is a string with dots, or an array of names.",
        )
        .function("with_policy(policy: map) -> Client", Client::with_policy)
        .doc(
            "The optional capabilities of the policy that the server declares, once the \
             connection is open.",
        )
        .property("enabled_capabilities: List", |client| -> List {
            let enabled = client.0.client.enabled_capabilities();
            enabled.iter().map(|path| from_json(&json!(path))).collect()
        })
        .doc("The stages of the client's connections so far, from `NEW` on, the earliest first.")
        .property("stages: List", |client| -> List {
            client.0.client.stages().iter().map(|stage| stage.as_str().into()).collect()
        })
        .doc(
            "The tools that were left out of a list because their `x-mcp-header` is invalid, \
             each with `name` and `reason`.",
        )
        .property("rejected_tools: List", |client| -> List {
            let rejected = client.0.client.rejected_tools();
            let described =
                rejected.iter().map(|(name, reason)| json!({ "name": name, "reason": reason }));
            described.map(|tool| from_json(&tool)).collect()
        })
        .doc("What each request carries in `_meta`; `()` where the revision has no such thing.")
        .property("metadata: map or ()", |client| from_json(&client.0.client.request_metadata()))
        .doc("The session's id; `()` without a session.")
        .property("session_id: string or ()", |client| {
            client.0.client.session_id().map_or(Dynamic::UNIT, Dynamic::from)
        })
        .doc("The version that was agreed on; `()` before the connection.")
        .property("protocol_version: string or ()", |client| {
            client.0.client.protocol_version().map_or(Dynamic::UNIT, Dynamic::from)
        })
        .doc("The URL of the MCP endpoint.")
        .property("url: string", |client| client.0.endpoint.url.to_string())
        .doc("The revision that the client asks for.")
        .property("revision: string", |client| client.0.options.revision.as_str())
        .doc(HAS_HANDSHAKE)
        .property("has_handshake: bool", |client| client.0.options.revision.has_handshake())
        .doc(
            "What an external client is told of its task in `MCP_CONFORMANCE_CONTEXT`: `name`, \
             `check`, `policy`, `case` if the check has cases, and what `server.context` says.",
        )
        .property("context: map", |client| from_json(&client.0.context));
    answer::declare(api);
    by_hand::declare(api);
}
