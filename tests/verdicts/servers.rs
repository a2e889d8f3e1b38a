//! Raw servers that do something odd, legal or not, and what is right to say of
//! each, under every check of a server.

use std::collections::BTreeSet;

use mcp_checks::check::{Check, CheckKind, Library};
use mcp_checks::profile::Profile;
use mcp_checks::runner::{Settings, Subject};
use serde_json::{Value, json};

use crate::library::{profiles, run};
use crate::raw::modern::another_round;
use crate::raw::server::{Asked, Bend, Era, Framing, Reply, Server};
use crate::raw::{PREFIX, STATELESS};
use crate::visit::{each, library, red};

/// How many executions of one server wait at once.
const AT_ONCE: usize = 2;

/// A server that is legal or bent in one place, and what is red for it.
pub struct Row {
    /// What the server does.
    pub mode: &'static str,
    pub era: Era,
    pub bend: Bend,
    /// Each as `server/ping#same-id`, whatever the case; nothing if it is legal.
    pub red: &'static [&'static str],
}

/// Every check of a server, run against one that is bent: what is red, as
/// `server/ping#same-id`, with the case and the reason.
pub fn found(era: Era, bend: Bend) -> Vec<(String, String)> {
    let server = Server::start(era, bend);
    let mut settings = Settings::new(Subject::Server(server.url().parse().expect("it is a URL")));
    settings.jobs = AT_ONCE;
    let of_revision = |revision: &str| -> Vec<Profile> {
        profiles().into_iter().filter(|profile| profile.revision.as_str() == revision).collect()
    };
    let executions = match era {
        Era::Modern => run(&checks(|_| true), &of_revision(STATELESS), &settings),
        Era::Legacy | Era::Sessionless => {
            let mut executions = run(&checks(|_| true), &of_revision("2025-11-25"), &settings);
            // Arrays are of this revision alone.
            let arrays = checks(|check| check.id == "server/batch");
            executions.extend(run(&arrays, &of_revision("2025-03-26"), &settings));
            executions
        }
    };
    let mut red_ones = Vec::new();
    for execution in executions {
        for (verdict, reason) in red(&execution) {
            let id = verdict.rsplit(' ').next().unwrap_or_default();
            let place = format!("{} at {}", execution.name(), execution.revision);
            red_ones.push((
                format!("{}#{id}", execution.check),
                format!("{place}: {verdict}: {reason}"),
            ));
        }
    }
    red_ones
}

/// The checks of servers that are `wanted`.
fn checks(wanted: fn(&Check) -> bool) -> Library {
    let found =
        library().readable().filter(|check| check.kind == CheckKind::Server && wanted(check));
    let mut checks = Library::of(found.cloned().map(Ok).collect());
    checks.support = library().support.clone();
    checks
}

/// What is wrong with the verdicts on a row; `None` if nothing is.
pub fn judged(row: &Row) -> Option<String> {
    let found = found(row.era, row.bend);
    let expected: BTreeSet<&str> = row.red.iter().copied().collect();
    let is: BTreeSet<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
    (is != expected).then(|| {
        let reasons = found.iter().filter(|(id, _)| !expected.contains(id.as_str()));
        let reasons: String = reasons.map(|(_, reason)| format!("  {reason}\n")).collect();
        format!(
            "a server ({:?}) that {}:\n  expected red: {expected:?}\n  found red:    {is:?}\n{reasons}",
            row.era, row.mode
        )
    })
}

#[test]
fn what_is_legal_is_not_red() {
    let problems = each(LEGAL, judged);
    assert!(problems.is_empty(), "{} of {}\n{}", problems.len(), LEGAL.len(), problems.join("\n"));
}

/// The same server gives the same verdicts, here one whose answers no client reads.
#[test]
fn one_server_is_judged_the_same_three_times() {
    let bend: Bend = |_, reply| {
        if reply.succeeds() {
            reply.fields.push(("Content-Type".into(), "text/plain".into()));
        }
    };
    let first = found(Era::Modern, bend);
    assert!(!first.is_empty());
    for _ in 0..2 {
        assert_eq!(found(Era::Modern, bend), first);
    }
}

const fn legal(era: Era, mode: &'static str, bend: Bend) -> Row {
    Row { mode, era, bend, red: &[] }
}

const LEGAL: &[Row] = &[
    legal(Era::Legacy, "does nothing odd", |_, _| {}),
    legal(Era::Modern, "does nothing odd", |_, _| {}),
    legal(Era::Modern, "takes a missing version for 2025-03-26", |asked, reply| {
        if asked.verb != "POST"
            || asked.header("mcp-protocol-version").is_some()
            || !asked.message.is_object()
        {
            return;
        }
        *reply = match asked.method() {
            "initialize" => Reply::result(
                asked,
                json!({
                    "protocolVersion": "2025-03-26",
                    "capabilities": { "tools": {} },
                    "serverInfo": { "name": "raw", "version": "1.0.0" },
                }),
            ),
            "tools/call" => Reply::error(asked, 200, -32602, Value::Null),
            _ => Reply::result(asked, json!({})),
        };
    }),
    legal(Era::Modern, "sheds its load by another round", |asked, reply| {
        let may = ["tools/call", "resources/read", "prompts/get"].contains(&asked.method());
        if may && reply.succeeds() && asked.param("requestState").is_null() {
            *reply = Reply::result(asked, another_round());
        }
    }),
    legal(Era::Modern, "writes its ttl as a float", |_, reply| {
        if reply.succeeds() && !reply.result_mut()["ttlMs"].is_null() {
            reply.body =
                Some(reply.response().to_string().replace("\"ttlMs\":1000", "\"ttlMs\":3e5"));
        }
    }),
    legal(Era::Modern, "says that it agrees not to the rest", |asked, reply| {
        if asked.is("subscriptions/listen") && reply.status == 200 {
            reply.messages[0]["params"]["notifications"]["promptsListChanged"] = false.into();
            reply.messages[0]["params"]["notifications"]["resourceSubscriptions"] = json!([]);
        }
    }),
    legal(Era::Modern, "agrees to nothing", |asked, reply| {
        if asked.is("subscriptions/listen") && reply.status == 200 {
            reply.messages[0]["params"]["notifications"] = json!({});
            reply.messages.remove(1);
        }
    }),
    legal(Era::Modern, "refuses subscriptions", |asked, reply| {
        if asked.is("subscriptions/listen") && reply.status == 200 {
            *reply = Reply::error(asked, 404, -32601, Value::Null);
        }
    }),
    legal(Era::Modern, "reads nothing from its resources", empty_contents),
    legal(Era::Legacy, "reads nothing from its resources", empty_contents),
    legal(Era::Modern, "cannot read its resources", unreadable),
    legal(Era::Legacy, "cannot read its resources", unreadable),
    legal(Era::Modern, "cannot fill in its prompts", unfillable),
    legal(Era::Legacy, "cannot fill in its prompts", unfillable),
    legal(Era::Legacy, "subscribes nobody to what never changes", |asked, reply| {
        if asked.is("resources/subscribe") || asked.is("resources/unsubscribe") {
            *reply = Reply::error(asked, 200, -32602, Value::Null);
        }
    }),
    legal(Era::Modern, "serves the older era as well", |asked, reply| {
        if asked.is("initialize") {
            *reply = Reply::result(
                asked,
                json!({
                    "protocolVersion": "2025-11-25",
                    "capabilities": { "tools": {} },
                    "serverInfo": { "name": "raw", "version": "1.0.0" },
                }),
            );
            reply.fields.push(("Mcp-Session-Id".into(), "raw-session".into()));
        } else if asked.verb != "POST" {
            *reply = Reply::error(asked, 400, -32600, Value::Null);
        } else if asked.header("mcp-protocol-version") == Some("2025-11-25") {
            // Of the older era, without a session.
            *reply = Reply::status(400);
        }
    }),
    legal(Era::Modern, "compares header and body before it looks at the body", |asked, reply| {
        if !asked.message["id"].is_null() && !asked.is("initialize") {
            let version = asked.param("_meta")[format!("{PREFIX}protocolVersion")].as_str();
            if asked.header("mcp-protocol-version") != version
                || asked.header("mcp-method") != Some(asked.method())
            {
                *reply = Reply::error(asked, 400, -32020, Value::Null);
            }
        }
    }),
    legal(Era::Modern, "looks at the version of the header first", |asked, reply| {
        let version = asked.header("mcp-protocol-version");
        if version.is_some_and(|version| version != STATELESS) && asked.message.get("id").is_some()
        {
            let data = json!({ "supported": [STATELESS], "requested": version });
            *reply = Reply::error(asked, 400, -32022, data);
        }
    }),
    legal(Era::Modern, "misses arguments before it looks at fields", |asked, reply| {
        let arguments = asked.param("arguments");
        if asked.calls("region") && (arguments["query"].is_null() || arguments["region"].is_null())
        {
            *reply = Reply::error(asked, 400, -32602, Value::Null);
        }
    }),
    legal(Era::Legacy, "ends sessions later", |asked, reply| {
        if asked.verb == "DELETE" {
            *reply = Reply::status(202);
        } else if reply.status == 404 {
            *reply = Reply::result(asked, json!({}));
        }
    }),
    legal(Era::Legacy, "lets no client end its session", |asked, reply| {
        if asked.verb == "DELETE" {
            *reply = Reply::status(405);
        } else if reply.status == 404 {
            *reply = Reply::result(asked, json!({}));
        }
    }),
    legal(Era::Legacy, "answers a DELETE with a page", |asked, reply| {
        if asked.verb == "DELETE" && reply.status == 200 {
            reply.fields.push(("Content-Type".into(), "text/html".into()));
            reply.body = Some("<p>The session was ended.</p>".into());
        }
    }),
    legal(Era::Legacy, "answers a DELETE with empty JSON", |asked, reply| {
        if asked.verb == "DELETE" && reply.status == 200 {
            reply.fields.push(("Content-Type".into(), "application/json".into()));
        }
    }),
    legal(Era::Legacy, "says null where it could read no id", null_for_an_id),
    legal(Era::Modern, "says null where it could read no id", null_for_an_id),
    legal(Era::Legacy, "offers no stream of its own", |asked, reply| {
        if asked.verb == "GET" && reply.status == 200 {
            *reply = Reply::status(405);
        }
    }),
    legal(Era::Sessionless, "issues no session", |_, _| {}),
    legal(Era::Legacy, "has tools alone", only_tools),
    legal(Era::Modern, "has tools alone", only_tools),
    legal(Era::Legacy, "answers in streams", in_streams),
    legal(Era::Modern, "answers in streams", in_streams),
    legal(Era::Modern, "lists empty lists", |asked, reply| {
        if asked.method().ends_with("/list") && reply.succeeds() {
            for (_, member) in reply.result_mut().as_object_mut().unwrap() {
                if member.is_array() {
                    *member = json!([]);
                }
            }
            reply.result_mut().as_object_mut().unwrap().remove("nextCursor");
        }
    }),
    legal(Era::Legacy, "adds members that nobody knows", |_, reply| {
        if reply.succeeds() && reply.response()["result"]["content"].is_array() {
            reply.result_mut()["example"] = json!([1]);
        }
    }),
];

fn empty_contents(asked: &Asked, reply: &mut Reply) {
    if asked.is("resources/read") && reply.succeeds() {
        reply.result_mut()["contents"] = json!([]);
    }
}

fn unreadable(asked: &Asked, reply: &mut Reply) {
    if asked.is("resources/read") && reply.succeeds() {
        *reply = Reply::error(asked, 200, -32603, Value::Null);
    }
}

fn unfillable(asked: &Asked, reply: &mut Reply) {
    if asked.is("prompts/get") && reply.succeeds() {
        *reply = Reply::error(asked, 200, -32603, Value::Null);
    }
}

fn null_for_an_id(_: &Asked, reply: &mut Reply) {
    if let Some(message) = reply.messages.last_mut()
        && message.get("error").is_some()
        && message.get("id").is_none()
    {
        message["id"] = Value::Null;
    }
}

fn only_tools(asked: &Asked, reply: &mut Reply) {
    if (asked.is("initialize") || asked.is("server/discover")) && reply.succeeds() {
        reply.result_mut()["capabilities"] = json!({ "tools": {} });
        return;
    }
    let method = asked.method();
    let known = ["tools/", "ping", "initialize", "server/", "notifications/"];
    let is_request = asked.message.get("id").is_some() && !method.is_empty();
    if is_request && reply.status == 200 && !known.iter().any(|known| method.starts_with(known)) {
        let status = if asked.header("mcp-method").is_some() { 404 } else { 200 };
        *reply = Reply::error(asked, status, -32601, Value::Null);
    }
}

fn in_streams(_: &Asked, reply: &mut Reply) {
    if reply.status == 200 && !reply.messages.is_empty() {
        reply.framing = Framing::Stream;
    }
}
