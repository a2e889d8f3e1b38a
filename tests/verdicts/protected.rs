//! Raw servers that answer nobody without a token, and what is right to say of
//! each under `server/protected`.

use mcp_checks::check::Library;
use mcp_checks::runner::{Settings, Subject};

use crate::library::{profiles, run};
use crate::raw::server::{Asked, Bend, Era, Reply, Server};
use crate::visit::{each, library, red};

const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// A server that asks for a token, what it does, and what is red for it.
struct Row {
    mode: &'static str,
    revision: &'static str,
    bend: Bend,
    red: &'static [&'static str],
}

const fn row(
    mode: &'static str,
    revision: &'static str,
    red: &'static [&'static str],
    bend: Bend,
) -> Row {
    Row { mode, revision, bend, red }
}

/// The address of the server that is asked.
fn origin(asked: &Asked) -> String {
    format!("http://{}", asked.header("host").unwrap_or_default())
}

/// Refuses every message; the challenge says where the metadata are.
fn refuse(asked: &Asked, reply: &mut Reply) {
    if asked.verb == "GET" {
        return;
    }
    challenge(reply, &format!(r#"Bearer resource_metadata="{}{WELL_KNOWN}/mcp""#, origin(asked)));
}

fn challenge(reply: &mut Reply, challenge: &str) {
    *reply = Reply::status(401);
    reply.fields.push(("WWW-Authenticate".into(), challenge.into()));
}

/// Answers with the metadata of a resource of this address.
fn describe(asked: &Asked, reply: &mut Reply, place: &str, resource: &str) {
    if asked.verb == "GET" && asked.path == place {
        *reply = Reply::status(200);
        reply.body = Some(format!(
            r#"{{"resource":"{resource}","authorization_servers":["https://auth.test"]}}"#
        ));
    }
}

/// A server that does all that it has to.
fn right(asked: &Asked, reply: &mut Reply) {
    refuse(asked, reply);
    describe(asked, reply, "/.well-known/oauth-protected-resource/mcp", &(origin(asked) + "/mcp"));
}

const ROWS: &[Row] = &[
    row("does all that it has to", "2025-06-18", &[], right),
    row("does all that it has to", "2025-11-25", &[], right),
    row("lets everyone in", "2025-11-25", &[], |_, _| {}),
    row("asks for a password", "2025-11-25", &[], |_, reply| {
        challenge(reply, r#"Basic realm="x""#);
    }),
    row("forbids what it does not know", "2025-11-25", &[], |_, reply| {
        *reply = Reply::status(403);
    }),
    row("has its metadata at the root", "2025-11-25", &[], |asked, reply| {
        if asked.verb == "POST" {
            challenge(reply, "DPoP algs=\"ES256\", Bearer");
        }
        describe(asked, reply, WELL_KNOWN, &origin(asked));
    }),
    row("lets everyone open and lists its tools to nobody", "2025-11-25", &[], |asked, reply| {
        if asked.is("tools/list") || asked.verb == "GET" {
            right(asked, reply);
        }
    }),
    row("writes its own name in capitals and with a slash", "2025-11-25", &[], |asked, reply| {
        refuse(asked, reply);
        let resource = origin(asked).replace("http", "HTTP") + "/";
        describe(asked, reply, "/.well-known/oauth-protected-resource/mcp", &resource);
    }),
    row("sends no challenge", "2025-11-25", &["fail challenge"], |_, reply| {
        *reply = Reply::status(401);
    }),
    row("names a parameter twice", "2025-11-25", &["fail challenge"], |asked, reply| {
        right(asked, reply);
        for (name, value) in &mut reply.fields {
            if name == "WWW-Authenticate" {
                value.push_str(r#", scope="a", scope="b""#);
            }
        }
    }),
    row("has no metadata", "2025-11-25", &["warn metadata"], |asked, reply| {
        if asked.verb == "POST" {
            challenge(reply, "Bearer");
        }
    }),
    row("does not say where its metadata are", "2025-06-18", &["fail located"], |asked, reply| {
        right(asked, reply);
        if asked.verb == "POST" {
            challenge(reply, "Bearer");
        }
    }),
    row("has no metadata where it says", "2025-11-25", &["fail served"], refuse),
    row("names no authorization server", "2025-11-25", &["fail served"], |asked, reply| {
        right(asked, reply);
        if let Some(body) = &mut reply.body {
            *body = body.replace(r#"["https://auth.test"]"#, "[]");
        }
    }),
    row("has the metadata of a neighbour", "2025-11-25", &["fail resource"], |asked, reply| {
        refuse(asked, reply);
        let resource = origin(asked) + "/mc";
        describe(asked, reply, "/.well-known/oauth-protected-resource/mcp", &resource);
    }),
    row("has the metadata of another host", "2025-11-25", &["fail resource"], |asked, reply| {
        refuse(asked, reply);
        describe(
            asked,
            reply,
            "/.well-known/oauth-protected-resource/mcp",
            "https://auth.test/mcp",
        );
    }),
    row("takes any token", "2025-11-25", &["fail invalid-token"], |asked, reply| {
        if asked.header("authorization").is_none() {
            right(asked, reply);
        }
    }),
    row("answers a false token with 400", "2025-11-25", &["fail invalid-token"], |asked, reply| {
        right(asked, reply);
        if asked.header("authorization").is_some() {
            reply.status = 400;
        }
    }),
];

fn judged(row: &Row) -> Option<String> {
    let server = Server::start(Era::Legacy, row.bend);
    let settings = Settings::new(Subject::Server(server.url().parse().expect("it is a URL")));
    let check = library().readable().find(|check| check.id == "server/protected");
    let mut checks = Library::of(check.cloned().map(Ok).into_iter().collect());
    checks.support = library().support.clone();
    let at: Vec<_> = profiles()
        .into_iter()
        .filter(|profile| profile.revision.as_str() == row.revision)
        .take(1)
        .collect();
    let executions = run(&checks, &at, &settings);
    let found: Vec<(String, String)> = executions.iter().flat_map(red).collect();
    let is: Vec<&str> = found.iter().map(|(verdict, _)| verdict.as_str()).collect();
    (is != row.red).then(|| format!("a server that {} ({}): {found:?}", row.mode, row.revision))
}

#[test]
fn a_server_that_asks_for_a_token_is_red_where_it_errs_alone() {
    let problems = each(ROWS, judged);
    assert!(problems.is_empty(), "{} of {}\n{}", problems.len(), ROWS.len(), problems.join("\n"));
}
