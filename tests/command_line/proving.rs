//! `prove`.

use crate::place::Place;

/// Five claims, of which a fault in the arguments kills one.
const CLAIMS: &str = r#"//! Calls one tool.
//!
//! revisions: 2025-11-25
//!
//! called  MUST  add receives a = 17
//! first   MUST  initialize comes first
//! second  MUST  Something holds
//! third   MUST  Something holds
//! fourth  MUST  Something holds

fn serve(server) {
    server.tool("add", #{ a: "integer" }, |args| args.a);
}

fn drive(client) {
    client.call_tool("add", #{ a: 17 })
}

fn judge(seen) {
    seen.equal("called", seen.calls("add")[0].arguments, #{ a: 17 });
    seen.equal("first", seen.requests[0].method, "initialize");
    for id in ["second", "third", "fourth"] { seen.check(id, true); }
}
"#;

const FAULT: &str = r#"//! Calls tools with another number.

fn request(request) {
    if request.method == "tools/call" { request.put("/params/arguments/a", 18); }
}
"#;

fn place() -> Place {
    let place = Place::with(CLAIMS);
    place.write("checks/_faults/another-number.rhai", FAULT);
    place
}

#[test]
fn a_claim_that_nothing_turns_red_survives() {
    let ran = place().run(&["prove", "--format", "json"]).exits(1);
    let proof = ran.json();
    let standing = |id: &str| {
        let mut claims = proof["claims"].as_array().unwrap().iter();
        claims.find(|claim| claim["checkpoint"] == id).unwrap()["standing"].clone()
    };
    assert_eq!(standing("called"), "proven");
    assert_eq!(standing("second"), "survived");
    let ran = place().run(&["prove"]).exits(1);
    assert!(ran.stdout.contains("//! second  MUST  Something holds"), "{}", ran.stdout);
}

#[test]
fn one_fault_shows_what_it_kills() {
    let place = place();
    let ran = place.run(&["prove", "--fault", "another-number"]).exits(0);
    assert!(ran.stdout.contains("another-number"), "{}", ran.stdout);
    let arguments = ["prove", "--fault", "another-number", "--format", "json"];
    let proof = place.run(&arguments).exits(0).json();
    assert_eq!(proof["claims"].as_array().unwrap().len(), 1);
    assert_eq!(proof["claims"][0]["checkpoint"], "called");
    assert_eq!(proof["faults"][0]["kills"], 1);
    let ran = place.run(&["prove", "--fault", "another-numbre"]).exits(2);
    assert!(ran.stderr.contains("did you mean `another-number`?"), "{}", ran.stderr);
}

#[test]
fn a_selection_narrows_what_is_reported() {
    let place = place();
    place.write("checks/two.rhai", CLAIMS);
    let arguments = ["prove", "two", "--fault", "another-number", "--format", "json"];
    let proof = place.run(&arguments).exits(0).json();
    let checks = proof["claims"].as_array().unwrap().iter().map(|claim| &claim["check"]);
    assert_eq!(checks.collect::<Vec<_>>(), ["two"]);
    assert_eq!(proof["faults"][0]["kills"], 2, "the fault met both checks");
}
