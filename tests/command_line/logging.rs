//! `log(value)` in scripts, and loops that would wait without end.

use serde_json::json;

use crate::place::{GOOD, Place};

const RUN: [&str; 3] = ["run", "--profile", "session-http"];

/// Logs in `serve`, `drive` and `judge`.
fn logging() -> String {
    GOOD.replace("|args| args.a + 25", "|args| { log(args); args.a + 25 }")
        .replace(
            "    client.call_tool",
            "    log(2.5);\n    log(`to ${client.url}`);\n    client.call_tool",
        )
        .replace("    seen.equal", "    log(seen.posts.map(|post| post.status));\n    seen.equal")
}

#[test]
fn what_a_script_logs_is_shown_where_something_does_not_hold() {
    let place = Place::with(&logging());
    let holds = place.run(&RUN).exits(0);
    assert!(!holds.stdout.contains("log"), "{}", holds.stdout);
    let traced = place.run(&[&RUN[..], &["--trace"]].concat()).exits(0);
    assert!(traced.stdout.contains("\nlog     drive, line 14: 2.5\n"), "{}", traced.stdout);
    let failing = logging().replace("arguments, #{ a: 17 }", "arguments, #{ a: 71 }");
    place.write("checks/one.rhai", &failing);
    let shown = place.run(&RUN).exits(1).stdout;
    let lines = "  log\n    drive, line 14: 2.5\n    drive, line 15: to {server}/mcp\n    \
                 serve, line 10: #{ a: 17 }\n    judge, line 20: [200, 202, 200]\n";
    assert!(shown.contains(lines), "{shown}");
    let json = place.run(&[&RUN[..], &["--format", "json"]].concat()).exits(1).json();
    let expected = json!({
        "function": "serve", "file": "checks/one.rhai", "line": 10, "text": "#{ a: 17 }",
    });
    assert_eq!(json["executions"][0]["log"][2], expected);
    let junit = place.run(&[&RUN[..], &["--format", "junit"]].concat()).exits(1).stdout;
    assert!(junit.contains("serve, line 10: #{ a: 17 }"), "{junit}");
}

#[test]
fn a_log_has_its_bounds_and_shows_no_secret() {
    let much = "for n in 0..500 { log(`the secret is hunter-2000 ${n}`); }\n    client.call_tool";
    let failing = GOOD
        .replace("    client.call_tool", much)
        .replace("a: 17 });\n    seen.check", "a: 1 });\n    seen.check");
    let place = Place::with(&failing);
    place.write("profiles/mine.toml", "revision = \"2025-11-25\"\nsecret = [\"hunter-2000\"]\n");
    let ran = place.run(&["run", "--format", "json"]).exits(1);
    assert!(!ran.stdout.contains("hunter-2000"), "{}", ran.stdout);
    let json = ran.json();
    assert_eq!(json["executions"][0]["log"].as_array().unwrap().len(), 100);
    assert_eq!(json["executions"][0]["log_dropped"], 400);
    let shown = place.run(&["run"]).exits(1).stdout;
    assert!(shown.contains("[redacted] 19\n    and 480 more\n"), "{shown}");
}

#[test]
fn a_loop_that_a_fault_makes_endless_ends() {
    let loops = GOOD.replace(
        "client.call_tool(\"add\", #{ a: 17 })",
        "while !client.call_tool(\"add\", #{ a: 17 }).ok {}",
    );
    let place = Place::with(&loops);
    place.write(
        "checks/_faults/refuses-all.rhai",
        "//! Calls a tool that is not there.\n\nfn request(request) {\n    \
         if request.method == \"tools/call\" { request.put(\"/params/name\", \"none\"); }\n}\n",
    );
    place.run(&RUN).exits(0);
    let started = std::time::Instant::now();
    let proof = place.run(&["prove", "one", "--fault", "refuses-all", "--format", "json"]);
    let proof = proof.json();
    // What crossed the wire before it was ended is judged.
    let claim = &proof["claims"][0];
    assert_eq!(proof["findings"], json!([]), "{proof:#}");
    assert!(claim.is_null() || claim["checkpoint"] == "called", "{proof:#}");
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}
