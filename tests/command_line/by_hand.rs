//! Requests that a script sends by itself, and pages that an origin answers
//! with: the same in memory and over a socket.

use crate::place::{Place, Ran};

const OVER: [&[&str]; 2] = [&[], &["--over", "http"]];

/// A check with this `serve`, which has an origin `web`, and this `drive`, which
/// knows its URL; `judge` decides `so`.
fn check(serve: &str, drive: &str, judge: &str) -> String {
    format!(
        r#"//! Sends requests by hand.
//!
//! revisions: 2025-11-25
//!
//! so  MUST  What comes back is what was said

fn serve(server) {{
    let web = server.origin("web");
    server.context(#{{ web: web.url }});
    {serve}
}}

fn drive(client) {{
    client.ping();
    let web = client.context.web;
    {drive}
}}

fn judge(seen) {{
    let result = seen.result;
    {judge}
}}
"#
    )
}

/// Runs a check in memory and over a socket; both end with this exit code.
#[track_caller]
fn runs(check: &str, more: &[&str], code: i32) -> [Ran; 2] {
    let place = Place::with(check);
    OVER.map(|over| {
        place.run(&[&["run", "--profile", "session-http"], over, more].concat()).exits(code)
    })
}

#[test]
fn an_origin_answers_with_a_stream() {
    let serve = r#"
    web.on("/events", |request| stream([
        event(#{ id: "1", event: "first", data: "a" }), comment("b"), pause(100),
        message(#{ c: 1 }), "data: d\n\n",
    ]));
    web.on("/late", |request| after(100, stream([event(#{ data: "e" }), disconnect()])));
    web.on("/framed", |request| reply(#{ f: 1 }, "event-stream"));
    web.on("/rpc", |request| stream([answer(#{ g: 1 })]));
    web.on("/rpc-error", |request| stream([answer_error(-32000, "h")]));"#;
    let drive = r#"
    let rpc = #{ jsonrpc: "2.0", id: 7, method: "any" };
    #{
        events: client.get(web + "/events"),
        late: client.get(web + "/late"),
        framed: client.get(web + "/framed"),
        rpc: client.send_raw(#{ url: web + "/rpc", body: rpc }),
        failed: client.send_raw(#{ url: web + "/rpc-error", body: rpc }),
    }"#;
    let judge = r#"
    seen.equal("so", result.events.status, 200);
    seen.equal("so", result.events.headers["content-type"], "text/event-stream");
    seen.equal("so", result.events.body,
        "id: 1\nevent: first\ndata: a\n\n: b\n\nevent: message\ndata: {\"c\":1}\n\ndata: d\n\n");
    seen.equal("so", result.late.body, "data: e\n\n");
    seen.equal("so", result.framed.body, "event: message\ndata: {\"f\":1}\n\n");
    seen.equal("so", result.rpc.message, #{ jsonrpc: "2.0", id: 7, result: #{ g: 1 } });
    seen.equal("so", result.failed.message.error, #{ code: -32000, message: "h" });"#;
    runs(&check(serve, drive, judge), &[], 0);
}

#[test]
fn an_origin_answers_piece_by_piece() {
    let serve = r#"
    web.on("/pieces", |request|
        raw(201, #{ "Content-Type": "text/plain" }, ["one ", pause(100), chunk("two")]));
    web.on("/broken", |request|
        raw(200, #{ "Content-Type": "text/plain" }, ["half", pause(100), break_off()]));
    web.on("/nothing", |request| raw(200, #{}, []));"#;
    let drive = r#"
    #{
        pieces: client.get(web + "/pieces"),
        broken: client.get(web + "/broken"),
        nothing: client.get(web + "/nothing"),
    }"#;
    let judge = r#"
    seen.equal("so", result.pieces.status, 201);
    seen.equal("so", result.pieces.body, "one two");
    seen.equal("so", result.pieces.error, ());
    seen.equal("so", result.broken.status, 200);
    seen.equal("so", result.broken.body, "half");
    seen.equal("so", result.broken.error.kind, "connection");
    seen.equal("so", result.broken.error.http_request.method, "GET");
    seen.equal("so", result.nothing.body, "");"#;
    runs(&check(serve, drive, judge), &[], 0);
}

#[test]
fn an_origin_answers_with_an_error() {
    let serve = r#"
    web.on("/error", |request| error(-32601, "Not here", #{ why: 1 }));
    web.on("/internal", |request| error(-32603, "Broken"));"#;
    let drive = r#"
    #{
        answered: client.send_raw(#{
            url: web + "/error", body: #{ jsonrpc: "2.0", id: "a", method: "any" },
        }),
        page: client.get(web + "/error"),
        internal: client.get(web + "/internal"),
    }"#;
    let judge = r#"
    let error = #{ code: -32601, message: "Not here", data: #{ why: 1 } };
    seen.equal("so", result.answered.status, 200);
    seen.equal("so", result.answered.json, #{ jsonrpc: "2.0", id: "a", error: error });
    seen.equal("so", result.page.status, 400);
    seen.equal("so", result.page.json, #{ jsonrpc: "2.0", error: error });
    seen.equal("so", result.internal.status, 500);"#;
    runs(&check(serve, drive, judge), &[], 0);
}

#[test]
fn what_an_origin_cannot_do_is_said() {
    for (action, said) in [
        (r#"ask("roots/list", (), |answer| answer)"#, "an origin cannot answer with ask(…)"),
        (r#"after(10, ask("roots/list", (), |answer| answer))"#, "an origin cannot answer with"),
        ("stream([answer(#{})])", "answer(…) and answer_error(…) need a JSON-RPC request"),
        (r#"raw(200, #{}, [answer_error(1, "x")])"#, "need a JSON-RPC request in the body"),
        (r#"stream([disconnect(), "x"])"#, "an origin resumes no streams"),
        (r#"stream([break_off(), "x"])"#, "an origin resumes no streams"),
    ] {
        let serve = format!("web.on(\"/\", |request| {action});");
        let check = check(&serve, r#"client.get(web + "/")"#, r#"seen.check("so", true);"#);
        for ran in runs(&check, &[], 3) {
            let words = ran.stdout.split_whitespace().filter(|word| *word != "│");
            let words = words.collect::<Vec<_>>().join(" ");
            assert!(words.contains(said), "{action}: {}", ran.stdout);
        }
    }
}

#[test]
fn an_invalid_request_is_an_error_that_has_it_and_is_not_sent() {
    let drive = r#"
    #{
        method: client.send_raw(#{ method: "BAD METHOD" }),
        tunnel: client.send_raw(#{ method: "CONNECT" }),
        name: client.send_raw(#{ headers: #{ "X Y": "1" } }),
        value: client.send_raw(#{ headers: #{ "X-Y": ["1", "a\r\nb: c"] } }),
        length: client.send_raw(#{ headers: #{ "Content-Length": "5" }, body: "four" }),
        url: client.get("somewhere"),
        scheme: client.post("ftp://server.test/", #{}),
    }"#;
    let judge = r#"
    for name in ["method", "tunnel", "name", "value", "length", "url", "scheme"] {
        seen.equal("so", result[name].status, ());
        seen.equal("so", result[name].error.kind, "invalid-request");
    }
    seen.equal("so", result.method.error.http_request.method, "BAD METHOD");
    seen.equal("so", result.name.error.http_request.headers["X Y"], "1");
    seen.equal("so", result.value.error.http_request.headers["X-Y"], "1, a\r\nb: c");
    seen.equal("so", result.url.error.http_request.url, "somewhere");
    seen.equal("so", result.scheme.error.message,
        "the request was not sent: the URL begins with neither `http://` nor `https://`");
    seen.equal("so", seen.posts.map(|post| post.status), [200, 202, 200]);"#;
    runs(&check("", drive, judge), &[], 0);
}

#[test]
fn a_failure_of_the_network_is_an_error_that_has_its_request() {
    let serve = r#"
    server.tool("drops", #{}, |args| drop_connection());
    web.on("/drops", |request| drop_connection());
    web.on("/hangs", |request| silence());"#;
    let drive = r#"
    #{
        url: client.url,
        web: web,
        tool: client.call_tool("drops"),
        drops: client.get(web + "/drops"),
        hangs: client.post(web + "/hangs", #{ a: 1 }),
    }"#;
    let judge = r#"
    seen.equal("so", result.tool.error.kind, "connection");
    seen.equal("so", result.tool.error.http_request.url, result.url);
    seen.equal("so", result.tool.error.http_request.headers["mcp-protocol-version"], "2025-11-25");
    seen.equal("so", result.drops.error.kind, "connection");
    seen.equal("so", result.drops.error.http_request.url, result.web + "/drops");
    seen.equal("so", result.hangs.error.kind, "timeout");
    seen.equal("so", result.hangs.error.http_request.method, "POST");"#;
    runs(&check(serve, drive, judge), &[], 0);
}

#[test]
fn every_value_of_a_header_field_is_sent() {
    let drive = r#"
    client.send_raw(#{
        headers: #{ "X-List": ["one", "two", "one"], "Mcp-Session-Id": () },
        body: #{ jsonrpc: "2.0", id: "raw-1", method: "ping" },
    })"#;
    let judge = r#"seen.equal("so", seen.posts.last.header("x-list"), "one, two, one");"#;
    for ran in runs(&check("", drive, judge), &["--trace"], 0) {
        let sent = "> x-list: one\n> x-list: two\n> x-list: one\n";
        let shown: String = ran.stdout.lines().map(|line| format!("{}\n", line.trim())).collect();
        assert!(shown.contains(sent), "{}", ran.stdout);
    }
}

#[test]
fn credentials_of_a_request_that_failed_are_not_shown() {
    let serve = r#"web.on("/drops", |request| drop_connection());"#;
    let drive = r#"
    let failed = client.send_raw(#{
        url: web + "/drops?access_token=hunter-2001",
        headers: #{ "Authorization": "Bearer hunter-2002", "Cookie": "id=hunter-2003" },
    });
    log(failed.error);
    log(failed.error.http_request);
    failed"#;
    let judge = r#"seen.equal("so", result.error, ());"#;
    for format in ["human", "json", "junit"] {
        for ran in runs(&check(serve, drive, judge), &["--format", format], 1) {
            assert!(!ran.stdout.contains("hunter"), "{format}: {}", ran.stdout);
            assert!(ran.stdout.contains("/drops"), "{format}: {}", ran.stdout);
        }
    }
}
