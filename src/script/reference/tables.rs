//! The sentences: [`GROUPS`].

use super::host::{HOST, PENDING_CALL};
use super::{Entry, Group};

pub(super) const fn entry(signatures: &'static [&'static str], sentence: &'static str) -> Entry {
    Entry { signatures, sentence }
}

const HAS_HANDSHAKE: &str = "Whether a connection of this revision begins with `initialize`, as up to \
                             2025-11-25; later each request carries its own state.";

/// Everything that a script can reach beside Rhai's own strings, numbers, arrays
/// and maps, by the value it is reached through.
pub const GROUPS: &[Group] = &[
    Group {
        name: "server",
        receiver: Some(("Server", "server")),
        sentence: "Given to `serve(server)`: what the far side does. The handshake, the session and \
                   the framing of the profile are there already; capabilities follow from what is \
                   registered.",
        entries: SERVER,
    },
    Group {
        name: "origins",
        receiver: Some(("Origin", "origin")),
        sentence: "A further place on the web, from `server.origin(name)`.",
        entries: ORIGIN,
    },
    Group {
        name: "actions",
        receiver: None,
        sentence: "What a handler can return instead of a plain value, which is its result.",
        entries: ACTIONS,
    },
    Group {
        name: "stream items",
        receiver: None,
        sentence: "What an event stream is made of: `stream([event(…), pause(500), answer(…)])`.",
        entries: STREAM_ITEMS,
    },
    Group {
        name: "everywhere",
        receiver: None,
        sentence: "What every function of a script can call.",
        entries: EVERYWHERE,
    },
    Group {
        name: "client",
        receiver: Some(("Client", "client")),
        sentence: "Given to `drive(client)`: the built-in client. It connects at the first \
                   operation and closes after `drive`.",
        entries: CLIENT,
    },
    Group {
        name: "answers",
        receiver: Some(("Answer", "answer")),
        sentence: "What an operation of the client came to. A failure of the protocol is an answer \
                   too, and stops no script.",
        entries: ANSWER,
    },
    Group {
        name: "operations in the background",
        receiver: Some(("Pending", "pending")),
        sentence: "What `client.begin` returns.",
        entries: PENDING,
    },
    Group {
        name: "rounds by hand",
        receiver: Some(("Round", "round")),
        sentence: "What `client.step` and `client.step_from` return: one round of an operation.",
        entries: ROUND,
    },
    Group {
        name: "host",
        receiver: Some(("Host", "host")),
        sentence: "Given to `operate(host)`: the built-in host around the client. It keeps what it \
                   does in a store of its own; its caller is an administrator that approves each \
                   call, and its model stands in the profile's zone.",
        entries: HOST,
    },
    Group {
        name: "calls in the background",
        receiver: Some(("PendingCall", "pending")),
        sentence: "What `host.begin_call` returns.",
        entries: PENDING_CALL,
    },
    Group {
        name: "seen",
        receiver: Some(("Seen", "seen")),
        sentence: "Given to `judge(seen)`: what crossed the wire, and how checkpoints are decided. \
                   Every declared checkpoint has to be decided; of several decisions all have to \
                   hold.",
        entries: SEEN,
    },
    Group {
        name: "messages",
        receiver: Some(("Message", "message")),
        sentence: "One JSON-RPC message, from the lists of `seen`. Its own members are properties: \
                   `message.params.name`.",
        entries: MESSAGE,
    },
    Group {
        name: "exchanges",
        receiver: Some(("Exchange", "exchange")),
        sentence: "One HTTP request and its response.",
        entries: EXCHANGE,
    },
    Group {
        name: "lists",
        receiver: Some(("List", "list")),
        sentence: "What `seen` holds, and every array of JSON: an item that is not there is \
                   `absent`. `for item in list` works too.",
        entries: LIST,
    },
    Group {
        name: "comparing lists",
        receiver: None,
        sentence: "Lists and arrays are equal if their items are equal as JSON.",
        entries: LIST_OPERATORS,
    },
    Group {
        name: "absent",
        receiver: Some(("absent", "absent")),
        sentence: "What never happened. Whatever is done with it comes to `absent` too: a property, a \
                   method, a comparison, a sum, `type_of`. A checkpoint that is decided on it is not \
                   exercised; so is one that was being decided, or would have been later, when \
                   `if`, `&&` or `||` came to it and could not go on.",
        entries: ABSENT,
    },
    Group {
        name: "what is known",
        receiver: None,
        sentence: "The one question whose answer is never `absent`.",
        entries: KNOWN,
    },
    Group {
        name: "nothing",
        receiver: Some(("()", "nothing")),
        sentence: "`()`, which is JSON's null and every member that is left out. A property of \
                   nothing is nothing, so a subject that leaves something out fails a check and does \
                   not break it.",
        entries: NOTHING,
    },
    Group {
        name: "fault messages",
        receiver: Some(("HttpMessage", "message")),
        sentence: "Given to `request(request)` and `response(response)` of a fault: what passes \
                   between the client and the far side, to be changed. A place in the body is a JSON \
                   pointer, `/params/name`.",
        entries: FAULT_MESSAGE,
    },
    Group {
        name: "fault directives",
        receiver: None,
        sentence: "What a fault can return; nothing lets the message go on as it is now.",
        entries: FAULT_DIRECTIVES,
    },
];

const SERVER: &[Entry] = &[
    entry(
        &[
            "tool(name: string, schema: map, handler: function)",
            "tool(definition: map, handler: function)",
        ],
        "Offers a tool; the schema is JSON Schema, or names a type for each required argument: \
         `#{ a: \"integer\" }`. The handler gets the arguments, the whole request and the server, as \
         many of them as it takes.",
    ),
    entry(
        &[
            "resource(uri: string, text: string)",
            "resource(uri: string, definition: map)",
            "resource(uri: string, definition: map, handler: function)",
        ],
        "Offers a resource; `text` or `blob` of the definition is its content, unless a handler that \
         gets the URI answers.",
    ),
    entry(
        &["resource_template(template: string, definition: map, handler: function)"],
        "Offers a template of resources; the handler gets the URI that was asked for.",
    ),
    entry(
        &["prompt(name: string, arguments: array, handler: function)"],
        "Offers a prompt; an argument is its name, then it is required, or its definition.",
    ),
    entry(&["page(size: integer)"], "Sends lists in pages of this many items."),
    entry(
        &["on(method: string, handler: function)"],
        "Answers every request of a method, whatever is registered; the handler gets the request, and \
         the server if it takes two.",
    ),
    entry(
        &["initialize(members: map)"],
        "Sets members of the result of `initialize`, or of `server/discover` where there is no \
         handshake; one that is `()` is left out.",
    ),
    entry(
        &["delay(method: string, milliseconds: integer)"],
        "Lets so much time pass before each answer to a method, on the execution's own clock: so a \
         client that does not wait for it is seen.",
    ),
    entry(
        &["versions(versions: array)"],
        "Speaks these versions, and not the profile's alone: with a handshake, without one, or \
         both.",
    ),
    entry(
        &["push(message: map)"],
        "Sends a message on the GET stream, which is open to clients from then on, or to every \
         subscription that asked for it.",
    ),
    entry(
        &["expire_session()"],
        "Ends every session: requests that carry its id are answered with 404.",
    ),
    entry(
        &["origin(name: string) -> Origin"],
        "A further origin, such as an authorization server; \"server\" is the endpoint's own.",
    ),
    entry(
        &["context(members: map)"],
        "Tells an external client something, in `MCP_CONFORMANCE_CONTEXT`.",
    ),
    entry(
        &["note(key: string, value: any)"],
        "Keeps a value for the judge, who reads it as `seen.notes`.",
    ),
    entry(&["notes: map"], "What was noted so far."),
    entry(
        &["capabilities: map"],
        "What the server declares so far: what was registered and what the profile's policy \
         requires, without what the profile's server lacks.",
    ),
    entry(&["url: string"], "The URL of the MCP endpoint."),
    entry(&["revision: string"], "The revision in force."),
    entry(&["has_handshake: bool"], HAS_HANDSHAKE),
];

const ORIGIN: &[Entry] = &[
    entry(
        &["on(path: string, handler: function)"],
        "Answers requests of a path; the handler gets `method`, `path`, `query`, `headers`, `body`, \
         `form` and `json`, and what it returns is a JSON body. Of the actions `ask` has no meaning \
         here; `error` and `answer` answer the JSON-RPC request in the body, `error` without one has \
         the status 400. No stream is resumed.",
    ),
    entry(&["url: string"], "The URL of the origin, without a path."),
];

const EVERYWHERE: &[Entry] = &[
    entry(
        &["log(value: any)"],
        "Writes a value into the log of the execution, with the function and the line. Reports show the \
         log of what did not hold, and of everything under `--trace`. The first 100 entries are kept, of \
         each the first 2,000 characters.",
    ),
    entry(
        &["challenges(field: any) -> List"],
        "The challenges of a `WWW-Authenticate` field, up to the first mistake, none if there is no field: of each the `scheme` in \
         lower case, its `parameters` as a map, and the names that are `repeated`.",
    ),
];

const ACTIONS: &[Entry] = &[
    entry(
        &["reply(result: any) -> Action", "reply(result: any, framing: string) -> Action"],
        "Answers with exactly this result, framed as the profile says, or as \"json\" or \
         \"event-stream\".",
    ),
    entry(&["tool_error(text: string) -> Action"], "Answers that the tool failed, with a text."),
    entry(
        &[
            "error(code: integer, message: string) -> Action",
            "error(code: integer, message: string, data: any) -> Action",
        ],
        "Answers with a JSON-RPC error.",
    ),
    entry(
        &["raw(status: integer, headers: map, body: any) -> Action"],
        "Answers with these bytes and nothing else; a map as the body is written as JSON, an array \
         of stream items piece by piece.",
    ),
    entry(&["stream(items: array) -> Action"], "Answers with an event stream of these items."),
    entry(
        &["after(milliseconds: integer, action: any) -> Action"],
        "Does the same later, on the execution's own clock.",
    ),
    entry(&["silence() -> Action"], "Never answers, and leaves the connection open."),
    entry(&["drop_connection() -> Action"], "Drops the connection without an answer."),
    entry(
        &["ask(method: string, params: any, then: function) -> Action"],
        "Sends the client a request first; `then` gets its answer and returns an action. A client \
         that did not declare what it is asked for is not asked: the answer is an error then. A \
         `message` on a stream is sent to whomever.",
    ),
];

const STREAM_ITEMS: &[Entry] = &[
    entry(
        &["event(members: map) -> StreamItem"],
        "One event with any of `id`, `event`, `data` and `retry`; data that is no string is written \
         as JSON.",
    ),
    entry(&["message(message: any) -> StreamItem"], "A JSON-RPC message as one event."),
    entry(
        &[
            "notification(method: string) -> StreamItem",
            "notification(method: string, params: any) -> StreamItem",
        ],
        "A notification as one event.",
    ),
    entry(
        &["answer(result: any) -> StreamItem"],
        "The answer to the request, with this result, as one event.",
    ),
    entry(
        &["answer_error(code: integer, message: string) -> StreamItem"],
        "The answer to the request, with a JSON-RPC error, as one event.",
    ),
    entry(&["comment(text: string) -> StreamItem"], "A comment, which a client passes over."),
    entry(
        &["chunk(content: any) -> StreamItem"],
        "Bytes as they stand, in one piece: to split an event where it is not expected.",
    ),
    entry(&["pause(milliseconds: integer) -> StreamItem"], "Nothing for so long."),
    entry(
        &["disconnect() -> StreamItem"],
        "Ends the response in order; what follows waits for a client that resumes the stream.",
    ),
    entry(
        &["break_off() -> StreamItem"],
        "Breaks the response off; what follows waits for a client that resumes the stream.",
    ),
];

const CLIENT: &[Entry] = &[
    entry(&["connect() -> Answer"], "Connects now, rather than at the first operation."),
    entry(&["close() -> Answer"], "Closes the connection now; a closed client stays closed."),
    entry(&["list_tools() -> Answer"], "Lists all tools, page by page."),
    entry(
        &["call_tool(name: string) -> Answer", "call_tool(name: string, arguments: map) -> Answer"],
        "Calls a tool.",
    ),
    entry(&["list_resources() -> Answer"], "Lists all resources, page by page."),
    entry(
        &["list_resource_templates() -> Answer"],
        "Lists all templates of resources, page by page.",
    ),
    entry(&["read_resource(uri: string) -> Answer"], "Reads a resource."),
    entry(
        &["subscribe_resource(uri: string) -> Answer"],
        "Asks to be told of the changes of a resource.",
    ),
    entry(
        &["unsubscribe_resource(uri: string) -> Answer"],
        "Asks not to be told of them any more.",
    ),
    entry(&["list_prompts() -> Answer"], "Lists all prompts, page by page."),
    entry(
        &[
            "get_prompt(name: string) -> Answer",
            "get_prompt(name: string, arguments: map) -> Answer",
        ],
        "Gets a prompt.",
    ),
    entry(
        &[
            "complete(reference: map, argument: map) -> Answer",
            "complete(reference: map, argument: map, context: map) -> Answer",
        ],
        "Asks for completions of an argument.",
    ),
    entry(
        &["set_logging_level(level: string) -> Answer"],
        "Sets the level of log messages; from 2026-07-28 on each later request carries it.",
    ),
    entry(&["ping() -> Answer"], "Pings the server, up to 2025-11-25."),
    entry(
        &["discover() -> Answer"],
        "Asks the server what it is, by `server/discover`, from 2026-07-28 on.",
    ),
    entry(
        &["accept_tasks()"],
        "Says with each request, from 2026-07-28 on, that a call may come back as a task; such a \
         call is followed to its end. Before the connection.",
    ),
    entry(&["get_task(id: string) -> Answer"], "Asks for the state of a task."),
    entry(
        &["update_task(id: string, responses: map) -> Answer"],
        "Gives a task what it asks for, each answer under its key.",
    ),
    entry(&["cancel_task(id: string) -> Answer"], "Asks the server to cancel a task."),
    entry(
        &["dual_era() -> Client"],
        "A client of both eras, with a connection of its own: it finds out which one the server \
         belongs to, and remembers it for the origin.",
    ),
    entry(
        &[
            "begin(operation: string) -> Pending",
            "begin(operation: string, first: any) -> Pending",
            "begin(operation: string, first: any, second: any) -> Pending",
        ],
        "Begins an operation of this name in the background, with its arguments: \
         `client.begin(\"call_tool\", \"slow\")`.",
    ),
    entry(
        &[
            "step(operation: string) -> Round",
            "step(operation: string, first: any) -> Round",
            "step(operation: string, first: any, second: any) -> Round",
        ],
        "Sends one round of an operation and returns what came of it; no handler answers what the \
         server asks for within the result. A list is one page, the first one or that of a cursor: \
         `client.step(\"list_tools\", \"page-2\")`.",
    ),
    entry(
        &["step_from(request: map, result: map) -> Round"],
        "The round of an operation that ended with `result`, which asks for more, as it was kept \
         with the `request` that it answers: both stand in the error of an operation, and in a \
         round. Nothing is sent until `answer`. The state of another origin is refused \
         (`not-resumable`); to another method it cannot go.",
    ),
    entry(
        &["round_limit: integer, settable"],
        "How often the client sends a request again for which the server wants more, by itself: \
         from 0 to 1000, 10 unless it is set. An operation that comes to the limit ends as \
         `round-limit`.",
    ),
    entry(&["wait(milliseconds: integer)"], "Lets time pass; what is in the background goes on."),
    entry(
        &["wait_for(method: string) -> any"],
        "Waits up to 15 seconds for a notification, and returns it; absent if none came.",
    ),
    entry(
        &["on_elicitation(handler: function)", "on_elicitation(declared: map, handler: function)"],
        "Answers what the server asks the user. The handler gets the `params` and returns \
         `#{ action, content }`; the defaults of the form are filled in. It is declared in the \
         handshake, as `declared` or with every mode that the revision has, so it has to be \
         registered before. A handler of a client never waits: `after(ms, …)` says how long a \
         person takes, `error(code, message)` refuses, `silence()` never answers.",
    ),
    entry(
        &["on_sampling(handler: function)", "on_sampling(declared: map, handler: function)"],
        "Writes the messages that the server asks a model for, likewise; a text is a whole message.",
    ),
    entry(
        &["on_roots(handler: function)", "on_roots(declared: map, handler: function)"],
        "Answers what the roots are, likewise; it returns a list of roots, or of their URIs.",
    ),
    entry(
        &["roots_changed() -> Answer"],
        "Tells the server that the roots are others now; `#{ listChanged: true }` has to be declared.",
    ),
    entry(
        &["listen() -> Answer", "listen(filter: map) -> Answer"],
        "Opens the stream on which the server is heard between requests, until the client closes; \
         from 2026-07-28 on the filter says what is to be heard: `#{ toolsListChanged: true }`. \
         The answer is what of that the server agreed to; `()` before.",
    ),
    entry(
        &["with_progress() -> Client"],
        "The same client; what it is asked to do from there asks for progress, with the id of the \
         request as the token.",
    ),
    entry(&["another() -> Client"], "A second client side by side, with a connection of its own."),
    entry(
        &["send_raw(request: map) -> any"],
        "Sends what a conforming client would never send: `method`, `url`, `headers` and `body` take \
         the place of what a POST would have. A header field that is `()` is left out, one that is a \
         list is sent once for each item. Returns `status`, `headers`, `body`, `json` and `message`, \
         the last JSON-RPC message. Without a response `status` is `()` and `error` has `kind`, \
         `message` and `http_request`, as that of an answer: \"invalid-request\" was not sent, \
         \"connection\" is a failure of the network, \"timeout\" 15 seconds of silence. If the body \
         broke off, there is an `error` beside it.",
    ),
    entry(
        &["get(url: string) -> any"],
        "Fetches a page as a browser would; returns `status`, `headers`, `body` and `json`.",
    ),
    entry(
        &["post(url: string, form: map) -> any"],
        "Sends a form as a browser would; returns `status`, `headers`, `body` and `json`.",
    ),
    entry(&["notifications: List"], "The notifications that came so far."),
    entry(
        &["with_policy(policy: map) -> Client"],
        "A client with a connection of its own, which accepts what `policy` says: `#{ versions, \
         required, optional }`. What is left out is as in the profile; a capability is a string \
         with dots, or an array of names.",
    ),
    entry(
        &["enabled_capabilities: List"],
        "The optional capabilities of the policy that the server declares, once the connection is \
         open.",
    ),
    entry(
        &["stages: List"],
        "The stages of the client's connections so far, from `NEW` on, the earliest first.",
    ),
    entry(
        &["rejected_tools: List"],
        "The tools that were left out of a list because their `x-mcp-header` is invalid, each with \
         `name` and `reason`.",
    ),
    entry(
        &["metadata: map or ()"],
        "What each request carries in `_meta`; `()` where the revision has no such thing.",
    ),
    entry(&["session_id: string or ()"], "The session's id; `()` without a session."),
    entry(
        &["protocol_version: string or ()"],
        "The version that was agreed on; `()` before the connection.",
    ),
    entry(&["url: string"], "The URL of the MCP endpoint."),
    entry(&["revision: string"], "The revision that the client asks for."),
    entry(&["has_handshake: bool"], HAS_HANDSHAKE),
    entry(
        &["context: map"],
        "What an external client is told of its task in `MCP_CONFORMANCE_CONTEXT`: `name`, `check`, \
         `policy`, `case` if the check has cases, and what `server.context` says.",
    ),
];

const ANSWER: &[Entry] = &[
    entry(&["ok: bool"], "Whether the operation succeeded."),
    entry(&["value: any"], "The result; `()` if it failed."),
    entry(
        &["error: any"],
        "Why it failed: `kind`, `message` and what else is known, such as `code` or `status`; `()` \
         if it succeeded. Where no whole response came (\"invalid-request\", \"connection\", \
         \"timeout\"), `http_request` is what was to be sent: `method`, `url` and `headers`. Where \
         an operation ended at a result that asks for more (\"round-limit\", \
         \"input-refused\"), that result as `result`, its state as `state`, and as `request` what \
         it answers: `origin`, `method`, `params` and `id`.",
    ),
    entry(&["text: any"], "The text of the first content of a tool's result."),
    entry(&["to_string() -> string"], "The answer as JSON."),
];

const PENDING: &[Entry] = &[
    entry(&["result() -> Answer"], "Waits for the answer."),
    entry(&["cancel()"], "Cancels the operation, and tells the server so."),
];

const ROUND: &[Entry] = &[
    entry(&["result: Answer"], "The result as the server sent it, which may ask for input."),
    entry(
        &["request: any"],
        "What the result answers, for `client.step_from`; `()` if it asks for nothing.",
    ),
    entry(
        &["answer(responses: map) -> Round"],
        "Sends the operation once more with an answer to each request of the result, under its \
         key, and with the state that it holds. The request has an id that none before it had.",
    ),
];

const SEEN: &[Entry] = &[
    entry(
        &["check(id: string, condition: any)"],
        "Decides a checkpoint by a condition, which has to be true.",
    ),
    entry(
        &["equal(id: string, actual: any, expected: any)"],
        "Decides a checkpoint: both values have to be equal as JSON.",
    ),
    entry(
        &["every(id: string, list: any, holds: function)"],
        "Decides a checkpoint: the function has to be true of every item, and there has to be one.",
    ),
    entry(
        &["none(id: string, list: any, holds: function)"],
        "Decides a checkpoint: the function must not be true of any item, and there has to be one.",
    ),
    entry(
        &["some(id: string, list: any, holds: function)"],
        "Decides a checkpoint: the function has to be true of one item.",
    ),
    entry(
        &["goal(id: string, list: any, holds: function)"],
        "Decides a goal of the task: the function has to be true of one request that succeeded. \
         Whatever else was sent does no harm.",
    ),
    entry(
        &["wrong_schema(schema: any) -> string or ()"],
        "What is wrong with a JSON Schema by its own dialect; `()` if nothing is, or if the dialect \
         is not known.",
    ),
    entry(
        &["misfit(schema: any, value: any) -> string or ()"],
        "Why a value does not fit a JSON Schema; `()` if it does, or if that cannot be told.",
    ),
    entry(
        &["skip(id: string, reason: string)"],
        "Decides that a checkpoint does not apply, and says why.",
    ),
    entry(&["requests: List"], "The JSON-RPC requests that the client sent."),
    entry(&["notifications: List"], "The notifications that the client sent."),
    entry(&["responses: List"], "The responses that the client sent."),
    entry(&["messages: List"], "Every JSON-RPC message that the client sent."),
    entry(&["received: List"], "Every JSON-RPC message that the server sent."),
    entry(&["calls(name: string) -> List"], "The requests that call the tool of this name."),
    entry(
        &["before(first: string, second: string) -> any"],
        "Whether the first message of one method was sent before the first of another; absent if \
         there is none of the other.",
    ),
    entry(&["endpoint: List"], "Every exchange with the MCP endpoint."),
    entry(&["posts: List"], "The POST exchanges with the MCP endpoint."),
    entry(&["gets: List"], "The GET exchanges with the MCP endpoint."),
    entry(&["deletes: List"], "The DELETE exchanges with the MCP endpoint."),
    entry(&["exchanges: List"], "Every exchange, over all origins, in the order of the requests."),
    entry(
        &["result: any, settable"],
        "What `drive` returned; absent with an external client. A fault may set it.",
    ),
    entry(&["notes: map"], "What `server.note` kept."),
    entry(
        &["change(change: function)"],
        "In a fault: hands each answer in the result to the function as a message, to be changed.",
    ),
    entry(
        &["change_maps(change: function)"],
        "In a fault: hands each map in the result to the function, the inner ones first; what it \
         returns takes its place.",
    ),
    entry(
        &["audit: any, settable"],
        "The steps of runs that the host stored, in order: `run`, `sequence`, `at`, `kind` \
         (\"declared\" or \"tool\"), `tool`, `effect`, `outcome`, `is_error` and `text`; \
         `unreadable` in place of the last six if the row is no step. Absent without a host.",
    ),
    entry(
        &["runs: any, settable"],
        "The runs that the host stored: `id`, `caller`, `status`, `started_at` and `ended_at`.",
    ),
    entry(
        &["contacts: any, settable"],
        "The completed operations that the host stored: `server`, `at`, `operation` and `latency`, \
         in milliseconds.",
    ),
    entry(
        &["denials: any, settable"],
        "What the gate denied: `at`, `caller`, `tool` and `reason`.",
    ),
    entry(
        &["catalogue: any, settable"],
        "The tools that the host stored, by their local names: `server`, `remote_name`, \
         `local_name`, `description`, `schema`, `schema_as_sent`, `annotations`, `origin`, \
         `enabled`, `changed` and `orphaned`.",
    ),
    entry(
        &["clock: string"],
        "\"paused\" if times are exact, \"real\" if a slow machine can make them longer.",
    ),
    entry(
        &["profile: map"],
        "The profile's `name`, `revision`, `session` and `framing`, and what its operator declared: \
         `identifier`, `data_class`, `requires_approval` and `zone`.",
    ),
    entry(&["revision: string"], "The revision in force."),
    entry(&["has_handshake: bool"], HAS_HANDSHAKE),
];

const MESSAGE: &[Entry] = &[
    entry(&["method: any"], "The method; `()` in a response."),
    entry(&["id: any"], "The id of a request or a response."),
    entry(&["params: any"], "The params of a request or a notification."),
    entry(&["arguments: any"], "The `arguments` in the params: those of a tool's call."),
    entry(&["result: any"], "The result of a response."),
    entry(&["error: any"], "The error of a response."),
    entry(&["jsonrpc: any"], "The version of JSON-RPC."),
    entry(&["has(member: string) -> bool"], "Whether the member is there, even if it is null."),
    entry(&["response: any"], "The response to this request; absent if none came."),
    entry(&["exchange: Exchange"], "The exchange that carried the message."),
    entry(&["accepted: bool"], "Whether the exchange that carried it came to a status of success."),
    entry(
        &["succeeded: bool"],
        "Whether it was accepted, and answered with a result that is no tool's error.",
    ),
    entry(
        &["header(name: string) -> string or ()"],
        "A header field of the request that carried the message.",
    ),
    entry(
        &["mirrored(name: string) -> string or ()"],
        "What that header field stands for: decoded, if it is the base64 form of 2026-07-28; `()` \
         if it is not there once, or cannot be decoded.",
    ),
    entry(&["at: integer"], "When all of it had been sent, in milliseconds since the beginning."),
    entry(&["to_string() -> string"], "The message as JSON."),
];

const EXCHANGE: &[Entry] = &[
    entry(&["index: integer"], "Its place among all exchanges, from 0 on."),
    entry(&["method: string"], "The HTTP method."),
    entry(&["url: string"], "The whole URL."),
    entry(&["path: string"], "The path of the URL."),
    entry(&["query: string"], "The query of the URL, without the question mark."),
    entry(&["header(name: string) -> string or ()"], "A header field of the request."),
    entry(&["body: string"], "The body of the request."),
    entry(&["json: any"], "The body of the request as JSON; `()` if it is none."),
    entry(&["messages: List"], "The JSON-RPC messages in the request."),
    entry(&["status: integer or ()"], "The status of the response; `()` if none came."),
    entry(&["response_header(name: string) -> string or ()"], "A header field of the response."),
    entry(&["response_body: string"], "The body of the response, as far as it came."),
    entry(&["response_json: any"], "The body of the response as JSON; `()` if it is none."),
    entry(&["at: integer"], "When it was sent, in milliseconds since the beginning."),
    entry(
        &["completed_at: integer or ()"],
        "When the response was complete, in milliseconds since the beginning.",
    ),
    entry(&["accepted: bool"], "Whether the status of the response is one of success."),
    entry(&["aborted: bool"], "Whether the client closed the exchange before its end."),
    entry(&["complete: bool"], "Whether the response came to its end."),
];

const LIST: &[Entry] = &[
    entry(
        &["[index: integer] -> any"],
        "The item at this place, from the end if negative; absent if there is none.",
    ),
    entry(&["first: any"], "The first item; absent if there is none."),
    entry(&["last: any"], "The last item; absent if there is none."),
    entry(&["len: integer", "len() -> integer"], "How many items there are."),
    entry(&["is_empty: bool", "is_empty() -> bool"], "Whether there is no item."),
    entry(&["filter(holds: function) -> List"], "The items of which the function is true."),
    entry(&["map(function: function) -> List"], "What the function makes of each item."),
    entry(&["any(holds: function) -> bool"], "Whether the function is true of an item."),
    entry(&["all(holds: function) -> bool"], "Whether the function is true of every item."),
    entry(&["of(method: string) -> List"], "The messages of this method."),
    entry(&["without(method: string) -> List"], "The messages of every other method."),
    entry(&["distinct() -> List"], "The items, each value once."),
    entry(&["contains(value: any) -> bool"], "Whether an item equals the value as JSON."),
    entry(&["accepted: List"], "The messages that were accepted."),
    entry(&["succeeded: List"], "The messages that succeeded."),
    entry(&["join(separator: string) -> string"], "The items as one text."),
    entry(&["to_array() -> array"], "The items as an array of Rhai."),
    entry(&["to_string() -> string"], "The list as a script would write it."),
];

const LIST_OPERATORS: &[Entry] = &[
    entry(
        &["List == List -> bool", "List == array -> bool", "array == List -> bool"],
        "Whether both have equal items.",
    ),
    entry(
        &["List != List -> bool", "List != array -> bool", "array != List -> bool"],
        "Whether their items differ.",
    ),
];

const ABSENT: &[Entry] = &[
    entry(
        &["[name: string] -> absent", "[index: integer] -> absent"],
        "Every property and every item of what is absent is absent too.",
    ),
    entry(&["to_string() -> string"], "The word `absent`."),
];

const KNOWN: &[Entry] =
    &[entry(&["known(value: any) -> bool"], "Whether the value is there, and not absent.")];

const NOTHING: &[Entry] = &[
    entry(
        &["[name: string] -> ()", "[index: integer] -> ()"],
        "Every property and every item of nothing is nothing.",
    ),
    entry(
        &["filter(holds: function) -> List", "map(change: function) -> List"],
        "A list with nothing in it.",
    ),
    entry(
        &["any(holds: function) -> bool", "all(holds: function) -> bool"],
        "Always false, since there is nothing to hold.",
    ),
    entry(&["contains(value: any) -> bool"], "Nothing contains nothing: false."),
    entry(&["starts_with(text: string) -> bool"], "Always false."),
    entry(&["ends_with(text: string) -> bool"], "Always false."),
    entry(&["to_lower()", "to_upper()"], "Nothing again."),
    entry(&["len: integer", "len() -> integer"], "Always 0 long."),
];

const FAULT_MESSAGE: &[Entry] = &[
    entry(&["method: any"], "The method of the JSON-RPC message in the body; `()` if it has none."),
    entry(&["id: any"], "The id of the JSON-RPC message in the body."),
    entry(&["answers: any"], "Of a response: the method of the request that it answers."),
    entry(
        &["request: HttpMessage or ()"],
        "Of a response: the request that it answers, as a message; `()` of a request.",
    ),
    entry(&["member(pointer: string) -> any"], "What stands at a place of the body."),
    entry(&["has(pointer: string) -> bool"], "Whether something stands at a place of the body."),
    entry(
        &["put(pointer: string, value: any) -> bool"],
        "Puts a value at a place of the body; returns whether there is such a place.",
    ),
    entry(
        &["take(pointer: string) -> bool"],
        "Takes away what stands at a place of the body; returns whether something did.",
    ),
    entry(&["body: string, settable"], "The whole body."),
    entry(&["header(name: string) -> string or ()"], "A header field."),
    entry(&["set_header(name: string, value: string)"], "Sets a header field."),
    entry(
        &["remove_header(name: string) -> bool"],
        "Takes a header field away; returns whether it was there.",
    ),
    entry(&["http_method: string, settable"], "The HTTP method of a request."),
    entry(&["url: string, settable"], "The URL of a request."),
    entry(&["path: string"], "The path of the URL of a request."),
    entry(&["status: integer, settable"], "The status of a response."),
    entry(&["copy() -> HttpMessage"], "A copy, to be changed and sent before the original."),
];

const FAULT_DIRECTIVES: &[Entry] = &[
    entry(&["drop() -> Directive"], "The message does not go on."),
    entry(
        &["drop(answer: map) -> Directive"],
        "The request does not go on; the client is answered with this JSON instead.",
    ),
    entry(&["duplicate() -> Directive"], "The message goes on twice."),
    entry(
        &["delay(milliseconds: integer) -> Directive"],
        "The message goes on so much later, on the execution's own clock.",
    ),
    entry(&["hold_back() -> Directive"], "A request goes on after the next one that does."),
    entry(
        &["stop_reading() -> Directive"],
        "A response, or what follows of a stream, is not read any more.",
    ),
    entry(
        &["send_before(message: HttpMessage) -> Directive"],
        "Another request goes before this one.",
    ),
];
