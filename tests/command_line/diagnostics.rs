//! What is said of a mistake in a script: what fits the place, in the words of the
//! documents.

use crate::place::{GOOD, Place};

/// What is said of a check that does this in `judge`.
#[track_caller]
fn said_of_judge(body: &str) -> String {
    said(&GOOD.replace("fn judge(seen) {", &format!("fn judge(seen) {{\n    {body}")))
}

/// What is said of a broken check, without line ends and borders.
#[track_caller]
fn said(check: &str) -> String {
    let place = Place::with(check);
    let ran = place.run(&["run", "--profile", "session-http", "--format", "json"]).exits(3);
    let said = ran.json()["executions"][0]["diagnostic"].as_str().unwrap().replace('│', " ");
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for word in ["alloc::", "mcp_checks", "&mut", "&str", "i64", "Arc", "ImmutableString", "__own"]
    {
        assert!(!said.contains(word), "{word} in {said}");
    }
    said
}

#[track_caller]
fn judge_says(body: &str, words: &[&str]) {
    let said = said_of_judge(body);
    for word in words {
        assert!(said.contains(word), "{word} is not in {said}");
    }
}

#[test]
fn names_fit_what_they_are_asked_of() {
    judge_says("seen.equals(\"called\", 1, 1);", &["no `equals` for `seen`", "mean `equal`?"]);
    judge_says("let x = seen.request;", &["`seen` has no property `request`", "mean `requests`?"]);
    judge_says("seen.requests[0].headers(\"a\");", &["for a message", "mean `header`?"]);
    judge_says("seen.posts.filtr(|x| true);", &["no `filtr` for a list", "mean `filter`?"]);
    judge_says("seen.call_tool(\"add\");", &["it belongs to `client` and to `host`"]);
    judge_says("seen.posts();", &["`posts` is a property of `seen`", "without parentheses"]);
    judge_says("let x = seen.calls;", &["it is a function: `calls(…)`"]);
    judge_says("let posts = 1; let x = pots;", &["no variable `pots`", "mean `posts`?"]);
    judge_says("wire::accept_heder(seen);", &["mean `wire::accept_header`?"]);
    judge_says("wre::accept_header(seen);", &["no support code `wre`", "mean `wire`?"]);
}

#[test]
fn types_are_in_the_words_of_the_documents() {
    judge_says("seen.check(1, true);", &["arguments: (integer, boolean)", "`check(id: string,"]);
    judge_says("let x = seen + 1;", &["`+` cannot be used with `seen` and an integer"]);
    judge_says("let x = seen.posts[\"x\"];", &["a list has no index that is a string"]);
    judge_says("seen.posts.filter(|x| 1);", &["true or false; it returned an integer"]);
    judge_says("seen.revision = 1;", &["`revision` of `seen` cannot be set"]);
    judge_says("seen.every(\"called\", 1, |x| true);", &["a list was expected, not an integer"]);
    judge_says("seen.equal(\"called\", 1, seen);", &["has to be a JSON value, not `seen`"]);
}

#[test]
fn what_the_client_cannot_go_on_with_is_named() {
    let drive_says = |body: &str, words: &[&str]| {
        let body = format!("fn drive(client) {{\n    {body};");
        let said = said(&GOOD.replace("fn drive(client) {", &body));
        for word in words {
            assert!(said.contains(word), "{word} is not in {said}");
        }
    };
    drive_says("client.round_limit = 1.5", &["`round_limit` of `client` takes an integer"]);
    drive_says("client.round_limit = 1001", &["a whole number from 0 to 1000", "1001 is none"]);
    let request =
        "#{ origin: \"http://a.test\", method: \"tools/call\", params: #{ name: \"a\" } }";
    drive_says(
        &format!("client.step_from({request}, #{{ requestState: \"s\" }})"),
        &["no request that was kept", "a whole number from 0 to 2^53 - 1 as `id`"],
    );
}

#[test]
fn a_closure_that_captures_what_it_is_given_to_is_named() {
    judge_says(
        "let all = seen.posts.all(|p| seen.posts.len > 1);",
        &["the function that `all` gets captures `seen`", "into a variable before"],
    );
    let server = GOOD.replace("args.a + 25", "server.revision");
    let told = said(&server);
    assert!(told.contains("gets captures `server`"), "{told}");
    assert!(told.contains("|args, request, server|"), "{told}");
    let origin = GOOD.replace(
        "fn serve(server) {",
        "fn serve(server) {\n    let web = server.origin(\"web\");\n    web.on(\"/\", |request| web.url);",
    );
    let told = said(&origin);
    assert!(told.contains("gets captures `web`"), "{told}");
    assert!(told.contains("let url = web.url;"), "{told}");
    let client = GOOD
        .replace("    client.call", "    client.on_roots(|asked| client.url);\n    client.call");
    assert!(said(&client).contains("gets captures `client`"));
}

#[test]
fn words_that_rhai_keeps_can_be_keys_and_properties() {
    let place = Place::with(&GOOD.replace(
        "fn judge(seen) {",
        "fn judge(seen) {
    let map = #{ debug: `a ${#{ if: 1 }.if}`, default: [#{ in: 2 }], eval: 3, import: 4, new: 5 };
    if map.debug != \"a 1\" || map.default[0].in != 2 || map.eval + map.import + map.new != 12 {
        throw map;
    }",
    ));
    place.run(&["run", "--profile", "session-http"]).exits(0);
    // The functions are out of reach all the same.
    for call in ["eval(\"1\")", "debug(1)", "print(1)", "#{ a: eval(\"1\") }", "[1, eval(\"1\")]"] {
        judge_says(&format!("{call};"), &["is disabled"]);
    }
    judge_says("\"1\".eval(1);", &["no `eval` for a string"]);
    judge_says("exit();", &["scripts do not exit"]);
    judge_says("import \"files\" as files;", &["does not compile"]);
}

#[test]
fn a_type_that_no_schema_has_is_an_error() {
    let told = said(&GOOD.replace("a: \"integer\"", "a: \"interger\""));
    assert!(told.contains("the argument `a` has the type `interger`"), "{told}");
    assert!(told.contains("boolean, object, array, null; did you mean `integer`?"), "{told}");
}

#[test]
fn a_script_may_name_its_functions_as_it_likes() {
    // All of these are names of the API. Neither the script nor the support code
    // that it calls may meet them where a value is asked.
    let check = GOOD
        .replace(
            "fn judge(seen) {",
            "fn judge(seen) {
    wire::accept_header(seen);
    if seen.posts.filter(|post| post.status == 200).len != 2 { throw \"no\"; }
    if reply(1) != 2 || [1].map(|x| `${check(x, 1)}`) != [\"2\"] { throw \"no\"; }",
        )
        .replace("//! gentle", "//! accept-header  MUST  Each POST accepts both\n//! gentle")
        + "
fn filter(x) { throw \"it was called\" }
fn every(a, b, c) { throw \"it was called\" }
fn equal(a, b, c) { throw \"it was called\" }
fn all(x) { throw \"it was called\" }
fn map(x) { throw \"it was called\" }
fn check(a, b) { a + b }
fn reply(x) { x + 1 }
";
    Place::with(&check).run(&["run", "--profile", "session-http"]).exits(0);
    let check = GOOD.replace("fn judge(seen) {", "fn judge(seen) {\n    1.doubled();");
    let told = said(&(check + "\nfn doubled() { this * 2 }\n"));
    assert!(told.contains("called by its name alone: `doubled(…)`"), "{told}");
}
