//! Servers with a handshake that break one rule each.

use super::*;

pub const PAIRS: &[Row] = &[
    breaks(Era::Legacy, "answers half of a batch", &["server/batch#both-answered"], |_, reply| {
        if let Some(Value::Array(answers)) = reply.messages.last_mut() {
            answers.pop();
        }
    }),
    breaks(
        Era::Legacy,
        "completes with more than a hundred values",
        &["server/completion-and-logging#values"],
        completes_too_much,
    ),
    breaks(
        Era::Legacy,
        "answers a GET with a page",
        &["server/get#stream-or-405"],
        |asked, reply| {
            if asked.verb == "GET" && reply.status == 200 {
                *reply = Reply::status(200);
                reply.fields.push(("Content-Type".into(), "text/html".into()));
                reply.body = Some("<p>Hello.</p>".into());
            }
        },
    ),
    breaks(
        Era::Legacy,
        "sends a response on the stream of its own",
        &["server/get#no-response"],
        |asked, reply| {
            if asked.verb == "GET" && reply.status == 200 {
                reply.messages.push(json!({ "jsonrpc": "2.0", "id": "of-nobody", "result": {} }));
            }
        },
    ),
    breaks(
        Era::Legacy,
        "answers initialized with 200",
        &["server/initialize#accepted"],
        |asked, reply| {
            if asked.is("notifications/initialized") {
                reply.status = 200;
            }
        },
    ),
    breaks(
        Era::Legacy,
        "says something to initialized",
        &["server/initialize#accepted"],
        |asked, reply| {
            if asked.is("notifications/initialized") {
                reply.body = Some("\"thank you\"".into());
            }
        },
    ),
    breaks(
        Era::Legacy,
        "takes what is no message",
        &["server/invalid-message#not-accepted"],
        takes_anything,
    ),
    breaks(
        Era::Legacy,
        "answers notifications with 204",
        &["server/notifications#accepted"],
        |asked, reply| {
            if reply.status == 202 && !asked.is("notifications/initialized") {
                reply.status = 204;
            }
        },
    ),
    breaks(
        Era::Legacy,
        "answers a ping with an error",
        &["server/ping#ping-answered"],
        |asked, reply| {
            if asked.is("ping") && asked.message["id"] == json!(4711) {
                *reply = Reply::error(asked, 200, -32601, Value::Null);
            }
        },
    ),
    breaks(
        Era::Legacy,
        "answers a text as an id with a number",
        &["server/ping#same-id"],
        |asked, reply| {
            let digits = asked.message["id"].as_str().and_then(|id| id.parse::<i64>().ok());
            if let Some(digits) = digits.filter(|_| asked.is("ping")) {
                reply.response()["id"] = digits.into();
            }
        },
    ),
    breaks(
        Era::Legacy,
        "answers a number as an id with a text",
        &["server/ping#same-id"],
        |asked, reply| {
            if asked.is("ping") && asked.message["id"] == json!(4711) {
                reply.response()["id"] = "4711".into();
            }
        },
    ),
    breaks(
        Era::Legacy,
        "tells of progress under another token",
        &["server/progress#token"],
        |_, reply| {
            progress(reply, |told, _| told["progressToken"] = "of-nobody".into());
        },
    ),
    breaks(
        Era::Legacy,
        "tells of the same progress twice",
        &["server/progress#increases"],
        |_, reply| {
            progress(reply, |told, _| told["progress"] = 1.into());
        },
    ),
    breaks(
        Era::Legacy,
        "tells of progress after the answer",
        &["server/progress#in-flight"],
        |_, reply| {
            if reply.messages.len() == 3 && reply.messages[0]["method"] == "notifications/progress"
            {
                reply.messages.swap(1, 2);
            }
        },
    ),
    breaks(
        Era::Legacy,
        "says its prompts as the system",
        &["server/prompts#messages", "server/prompts#wire-schema"],
        says_as_system,
    ),
    breaks(
        Era::Legacy,
        "reads a resource without its URI",
        &["server/resources#contents", "server/resources#wire-schema"],
        without_uri,
    ),
    breaks(
        Era::Legacy,
        "reads neither a text nor a blob",
        &["server/resources#contents", "server/resources#wire-schema"],
        |asked, reply| {
            if asked.is("resources/read") && reply.succeeds() {
                reply.result_mut()["contents"][0].as_object_mut().unwrap().remove("text");
            }
        },
    ),
    breaks(
        Era::Legacy,
        "lists a template without a name",
        &["server/resources#templates", "server/resources#wire-schema"],
        |asked, reply| {
            if asked.is("resources/templates/list") && reply.succeeds() {
                reply.result_mut()["resourceTemplates"][0].as_object_mut().unwrap().remove("name");
            }
        },
    ),
    breaks(
        Era::Legacy,
        "lists a resource without a name",
        &[
            "server/resources#described",
            "server/resources#wire-schema",
            "server/subscribe#wire-schema",
        ],
        |asked, reply| {
            if asked.is("resources/list") && asked.param("cursor").is_null() && reply.succeeds() {
                reply.result_mut()["resources"][1].as_object_mut().unwrap().remove("name");
            }
        },
    ),
    breaks(
        Era::Legacy,
        "goes on in a session that it ended",
        &["server/session#ended"],
        |asked, reply| {
            if asked.is("ping") && reply.status == 404 {
                *reply = Reply::result(asked, json!({}));
            }
        },
    ),
    breaks(
        Era::Legacy,
        "refuses what names no session with 403",
        &["server/session#required"],
        |asked, reply| {
            if reply.status == 400 && asked.is("ping") && asked.header("mcp-session-id").is_none() {
                reply.status = 403;
            }
        },
    ),
    breaks(
        Era::Legacy,
        "has content without a type",
        &[
            "server/progress#wire-schema",
            "server/tools-call#content",
            "server/tools-call#wire-schema",
        ],
        |asked, reply| {
            if asked.calls("echo") && reply.succeeds() {
                reply.result_mut()["content"][0].as_object_mut().unwrap().remove("type");
            }
        },
    ),
    breaks(
        Era::Legacy,
        "has a schema with a type that there is not",
        &["server/tools-list#valid-schema"],
        misspells_a_type,
    ),
    breaks(
        Era::Legacy,
        "lists a tool twice",
        &["server/tools-list#unique-names"],
        |asked, reply| {
            if asked.is("tools/list") && asked.param("cursor").is_null() && reply.succeeds() {
                reply.result_mut()["tools"][1]["name"] = "echo".into();
            }
        },
    ),
    breaks(
        Era::Legacy,
        "knows every method",
        &["server/unknown-method#has-message", "server/unknown-method#refused"],
        |asked, reply| {
            if asked.is("checks/unknown") {
                *reply = Reply::result(asked, json!({}));
            }
        },
    ),
    breaks(
        Era::Legacy,
        "refuses a method with a code of its own",
        &["server/unknown-method#refused"],
        |_, reply| {
            reply.recode(-32601, -32000);
        },
    ),
    breaks(
        Era::Legacy,
        "refuses without a word",
        &["server/unknown-method#has-message", "server/unknown-method#wire-schema"],
        |asked, reply| {
            if asked.is("checks/unknown") {
                reply.response()["error"].as_object_mut().unwrap().remove("message");
            }
        },
    ),
    breaks(
        Era::Legacy,
        "refuses under another id",
        &["server/unknown-method#same-id"],
        |asked, reply| {
            if asked.is("checks/unknown") {
                reply.response()["id"] = "another".into();
            }
        },
    ),
    breaks(
        Era::Legacy,
        "takes any version in the header",
        &["server/version-header#refused"],
        |asked, reply| {
            if reply.status == 400 && asked.is("ping") && asked.header("mcp-session-id").is_some() {
                *reply = Reply::result(asked, json!({}));
            }
        },
    ),
    breaks(
        Era::Legacy,
        "takes any version in initialize",
        &["server/version-negotiation#another-version"],
        |asked, reply| {
            if asked.is("initialize") {
                reply.result_mut()["protocolVersion"] = asked.param("protocolVersion").clone();
            }
        },
    ),
    breaks(
        Era::Legacy,
        "names a version that it does not support",
        &["server/version-negotiation#its-own"],
        |asked, reply| {
            if asked.is("initialize") && *asked.param("protocolVersion") == "1999-01-01" {
                reply.result_mut()["protocolVersion"] = "2024-11-05".into();
            }
        },
    ),
    breaks(
        Era::Legacy,
        "subscribes with null",
        &["server/subscribe#subscribed", "server/subscribe#wire-schema"],
        |asked, reply| {
            if asked.is("resources/subscribe") {
                *reply = Reply::result(asked, Value::Null);
            }
        },
    ),
    breaks(
        Era::Legacy,
        "unsubscribes with null",
        &["server/subscribe#unsubscribed", "server/subscribe#wire-schema"],
        |asked, reply| {
            if asked.is("resources/unsubscribe") {
                *reply = Reply::result(asked, Value::Null);
            }
        },
    ),
    breaks(
        Era::Legacy,
        "lists a prompt's argument without a name",
        &[
            "server/completion-and-logging#wire-schema",
            "server/prompts#named",
            "server/prompts#wire-schema",
        ],
        |asked, reply| {
            if asked.is("prompts/list") && asked.param("cursor").is_null() {
                reply.result_mut()["prompts"][1]["arguments"] = json!([{ "required": true }]);
            }
        },
    ),
];

fn progress(reply: &mut Reply, change: fn(&mut Value, usize)) {
    for (number, message) in reply.messages.iter_mut().enumerate() {
        if message["method"] == "notifications/progress" {
            change(&mut message["params"], number);
        }
    }
}
