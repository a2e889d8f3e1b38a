//! Scripts that run, allocate, nest or call without end, throw, or reach for
//! what they must not have.

use std::time::Duration;

use crate::place::{Place, check};

/// `bad` is broken for this reason; `good` passes all the same.
#[track_caller]
fn breaks(bad: &str, reason: &str) {
    let place = Place::with(bad);
    let ran = place.run(&[]);
    assert_eq!(ran.code, Some(3), "{bad}\n{}", ran.stderr);
    let ran = ran.exits(3);
    assert!(ran.elapsed < Duration::from_secs(20), "{:?}: {bad}", ran.elapsed);
    let execution = place.execution("bad");
    assert_eq!(execution["outcome"], "error", "{execution:#}");
    let said = execution.to_string();
    assert!(said.contains(reason), "{reason} is not in {execution:#}");
    assert!(said.contains("checks/bad.rhai"), "the place is named: {execution:#}");
    assert_eq!(place.outcome("good"), "pass");
    place.is_tidy();
}

/// The script does this first in `drive` and ends for this reason.
#[track_caller]
fn drive_breaks(body: &str, reason: &str) {
    breaks(&check(body), reason);
}

#[test]
fn it_loops_for_ever() {
    drive_breaks("loop {}", "runs without end");
    drive_breaks("for i in range(0, 9223372036854775807) {}", "runs without end");
    let judge = check("").replace("seen.equal(", "while true {} seen.equal(");
    breaks(&judge, "runs without end");
    let handler = check("").replace("|args| args.a + 25", "|args| { loop {} }");
    breaks(&handler, "runs without end");
}

#[test]
fn it_waits_for_ever() {
    let reason = "waits without end";
    drive_breaks("while !client.call_tool(\"nothing\").ok {}", reason);
    drive_breaks("loop { client.wait(60000); }", reason);
    drive_breaks("loop { client.begin(\"ping\"); }", reason);
    drive_breaks("loop { try { client.ping(); } catch {} }", reason);
    let host = check("").replace("fn drive(client)", "fn operate(host)");
    breaks(&host.replace("client.call_tool(", "loop { host.ping(); } host.call_tool("), reason);
}

#[test]
fn it_recurses_for_ever() {
    breaks(&format!("{}\nfn deeper(x) {{ deeper(x + 1) }}\n", check("deeper(1);")), "without end");
    drive_breaks("let f = |g| g.call(g); f.call(f);", "without end");
    let handler = check("").replace("|args| args.a + 25", "|args| deeper(args)");
    breaks(&format!("{handler}\nfn deeper(x) {{ deeper(x) }}\n"), "without end");
}

/// Eight MiB but a few, the longest that a string may be.
const LONG: &str = r#"let long = "x"; long.pad(8388000, "y");"#;

#[test]
fn it_allocates_without_end() {
    let shapes = [
        (r#"let s = "x"; loop { s += s; }"#.to_owned(), "too large"),
        (format!("{LONG} let all = []; loop {{ all.push(long + \"z\"); }}"), "too large"),
        (format!("{LONG} let all = #{{}}; loop {{ all[`${{all.len()}}`] = long + 1; }}"), "large"),
        ("let a = [1]; loop { a = [a, a]; }".to_owned(), "too large"),
        ("let m = #{ a: 1 }; loop { m = #{ a: m, b: m }; }".to_owned(), "too large"),
        ("let b = blob(90000); let a = []; loop { a.push(b); }".to_owned(), "too large"),
        // None of these is counted by Rhai.
        (format!("{LONG} let all = []; loop {{ let t = long + 1; all.push(|| t); }}"), "memory"),
        (format!("{LONG} let all = []; loop {{ all.push(chunk(long + 1)); }}"), "memory"),
        ("let f = || 1; loop { let g = f; f = || g; }".to_owned(), "runs without end"),
    ];
    for (body, reason) in shapes {
        drive_breaks(&body, reason);
    }
}

#[test]
fn it_asks_for_more_than_there_is() {
    drive_breaks("blob(9223372036854775807);", "too large");
    drive_breaks(r#"let s = "x"; s.pad(9223372036854775807, "y");"#, "too large");
    drive_breaks("let a = []; a.pad(9223372036854775807, 1);", "too large");
    // Eight TiB and more, in one call.
    drive_breaks(&format!(r#"{LONG} long.replace("y", long);"#), "too large");
    drive_breaks(&format!("{LONG} long.replace('y', long);"), "too large");
    for pieces in ["split(\"\")", "split('y')", "split_rev(\"y\")", "to_chars()"] {
        drive_breaks(&format!("{LONG} long.{pieces};"), "too large");
    }
    let join = format!("{LONG} seen.messages.join(long); seen.equal(");
    breaks(&check("").replace("seen.equal(", &join), "too large");
    // One list that stands for 2^40 of them.
    let shared = "let all = seen.requests; for i in 0..40 { let one = all; \
                  all = seen.requests.map(|request| one); }";
    let equal = format!("{shared} seen.equal(\"called\", all, all); seen.equal(");
    breaks(&check("").replace("seen.equal(", &equal), "more than 1000000 parts");
    let text = format!("{shared} throw `${{all}}`; seen.equal(");
    breaks(&check("").replace("seen.equal(", &text), "more than 16777216 bytes");
}

/// Sixteen workers reserve no more than the system gives.
#[test]
fn many_workers_take_too_much_at_once() {
    let place = Place::new();
    let bad = check(&format!("{LONG} long.split(\"\");"));
    for number in 0..16 {
        place.write(&format!("checks/bad{number}.rhai"), &bad);
    }
    place.run(&["--jobs", "16"]).exits(3);
    assert_eq!(place.outcome("good"), "pass");
    assert_eq!(place.outcome("bad7"), "error");
}

#[test]
fn it_nests_without_end() {
    // Deeper than the stack of an ordinary thread could count; it is slow, so
    // either limit may end it.
    let place = Place::with(&check("let a = []; for i in range(0, 100000) { a = [a]; }"));
    place.run(&["--timeout", "2"]).exits(1);
    assert_eq!(place.outcome("bad"), "timeout");
    assert_eq!(place.outcome("good"), "pass");
    place.is_tidy();
    let place = Place::with(&check(
        "let a = []; for i in range(0, 5000) { a = [a]; } client.call_tool(\"add\", #{ a: a });",
    ));
    place.run(&[]).exits(0);
    drive_breaks(&format!("let a = {}1{};", "(".repeat(500), ")".repeat(500)), "does not compile");
}

#[test]
fn it_throws() {
    drive_breaks(r#"throw "nothing goes";"#, "nothing goes");
    drive_breaks("throw;", "threw");
    drive_breaks(r#"parse_int("seventeen");"#, "seventeen");
    drive_breaks("let a = [1]; a[-5];", "out of bounds");
    drive_breaks("9223372036854775807 + 1;", "overflow");
    drive_breaks("(-9223372036854775807 - 1) / -1;", "overflow");
    drive_breaks("client.call_tool(\"add\", #{ a: 0.0 / 0.0 });", "NaN");
    drive_breaks("chunk(());", "bytes are");
    drive_breaks("client.send_raw(());", "send_raw");
    drive_breaks("let x = []; let f = || x; x.push(f); `${x}`;", "is in use while `push` runs");
    let handler = check("").replace("|args| args.a + 25", "|args| throw \"in the handler\"");
    breaks(&handler, "in the handler");
    let judge = check("").replace("seen.equal(", "throw \"in judge\"; seen.equal(");
    breaks(&judge, "in judge");
    let serve = check("").replace("server.tool(", "throw \"in serve\"; server.tool(");
    breaks(&serve, "in serve");
}

#[test]
fn what_is_odd_and_harmless_does_no_harm() {
    for body in [
        "let a = [3, 1, 2]; a.sort(|x, y| throw \"no\");",
        "let a = []; for i in range(0, 500) { a.push(i * 7919 % 100); } a.sort(|x, y| 1);",
        r#""abc".sub_string(-9223372036854775807, 9223372036854775807);"#,
        "let a = [1]; a.extract(-9223372036854775807, 9223372036854775807);",
        "let a = [1]; a.splice(-9223372036854775807, 9223372036854775807, [1]);",
        "let b = blob(8); b.parse_le_int(-9223372036854775807, 9223372036854775807);",
        "client.wait(9223372036854775807);",
        "client.wait(-1);",
    ] {
        let place = Place::with(&check(body));
        let ran = place.run(&[]);
        assert_eq!(ran.code, Some(0), "{body}\n{}", ran.stderr);
        assert_eq!(place.outcome("bad"), "pass", "{body}");
    }
}

#[test]
fn a_handler_has_no_use_for_its_own_client() {
    let held = "client.on_roots(|| { client.ping(); [] }); client.ping();";
    let place = Place::with(&check(held));
    let ran = place.run(&[]);
    assert!(matches!(ran.code, Some(0 | 3)), "{:?}: {}", ran.code, ran.stderr);
    assert_eq!(place.outcome("good"), "pass");
}

#[test]
fn it_reaches_for_what_is_not_its_own() {
    let place = Place::new();
    place.write("secret.rhai", "fn told() { 1 }");
    drive_breaks(r#"import "../secret" as secret; secret::told();"#, "import");
    drive_breaks(r#"import "/etc/passwd" as secret;"#, "import");
    for call in ["eval(\"1\");", "print(1);", "debug(1);", "sleep(1);", "timestamp();"] {
        let word = call.split('(').next().unwrap();
        drive_breaks(call, word);
    }
}
