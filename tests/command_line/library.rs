//! Support code under `_lib` whose functions are handlers.

use crate::place::Place;

const LIBRARY: &str = r#"// Counts what it is asked, and asks the script how to say it.

fn counter(greeting, say) {
    let calls = 0;
    |args, request| {
        calls += 1;
        say.call(joined(greeting, args.name), calls, request.params.name)
    }
}

fn joined(one, other) { one + ", " + other }

fn pages(title) {
    |request| raw(200, #{ "Content-Type": "text/plain" }, joined(title, request.path))
}

fn asks() {
    |args| ask("roots/list", (), |answer| joined("roots", `${answer.result.roots.len}`))
}

fn named() { Fn("plainly") }

fn plainly(args) { joined("plainly", args.name) }

fn broken() {
    |args| args.name.no_such_function()
}
"#;

const CHECK: &str = r#"//! Uses handlers of a library.
//!
//! revisions: 2025-11-25
//!
//! so  MUST  Each handler answers

fn serve(server) {
    let web = server.origin("web");
    server.context(#{ web: web.url });
    web.on("/page", own::pages("page"));
    server.tool("greet", #{ name: "string" }, own::counter("Hello", |text, calls, tool| joined(text, calls, tool)));
    server.tool("part", #{ name: "string" }, own::counter("Bye", |text, calls, tool| joined(text, calls, tool)));
    server.tool("asks", #{}, own::asks());
    server.tool("named", #{ name: "string" }, own::named());
}

// The library has a function of this name too.
fn joined(text, calls, tool) { `${text}: ${calls} of ${tool}` }

fn drive(client) {
    client.on_roots(|params| ["file:///a", "file:///b"]);
    let said = [];
    for tool in ["greet", "greet", "part", "asks", "named"] {
        said.push(client.call_tool(tool, #{ name: "Ada" }).text);
    }
    said.push(client.get(client.context.web + "/page").body);
    said
}

fn judge(seen) {
    seen.equal("so", seen.result, [
        "Hello, Ada: 1 of greet", "Hello, Ada: 2 of greet", "Bye, Ada: 1 of part",
        "roots, 2", "plainly, Ada", "page, /page",
    ]);
}
"#;

#[test]
fn functions_of_a_library_are_handlers() {
    let place = Place::with(CHECK);
    place.write("checks/_lib/own.rhai", LIBRARY);
    for over in [&[][..], &["--over", "http"]] {
        place.run(&[&["run", "--profile", "session-http"], over].concat()).exits(0);
    }
}

#[test]
fn a_handler_of_a_library_that_fails_is_shown_there() {
    let check = CHECK.replace("own::named()", "own::broken()");
    let place = Place::with(&check);
    place.write("checks/_lib/own.rhai", LIBRARY);
    let ran = place.run(&["run", "--profile", "session-http"]).exits(3);
    assert!(ran.stdout.contains("checks/_lib/own.rhai:26:"), "{}", ran.stdout);
    assert!(ran.stdout.contains("no_such_function"), "{}", ran.stdout);
}
