//! `tools`.

use std::sync::Arc;

use mcp_checks::mcp::server::Action;
use serde_json::{Value, json};

use super::{Desk, words};
use crate::far_side::{FarSide, text, tool, tool_with};

/// Name, `became`, `enabled` and the gate's word of each tool.
fn rows(document: &Value) -> Vec<(String, String, bool, String)> {
    let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let tools = document["tools"].as_array().unwrap().iter();
    tools
        .map(|tool| {
            let enabled = tool["enabled"].as_bool().unwrap();
            (word(&tool["name"]), word(&tool["became"]), enabled, word(&tool["gate"]))
        })
        .collect()
}

fn row(name: &str, became: &str, enabled: bool, gate: &str) -> (String, String, bool, String) {
    (name.to_owned(), became.to_owned(), enabled, gate.to_owned())
}

#[test]
fn tools_are_taken_in_off_and_switched_by_either_name() {
    let desk = Desk::new();
    let ran = desk.run(&["tools", "shop"]).exits(0);
    assert!(ran.stdout.contains("3 taken in, 0 refused, 0 gone"), "{}", ran.stdout);
    assert!(
        ran.stdout
            .contains("as shop: class public-content, zone external-eu, no call takes approval"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("  mcp_shop_greet  disabled        new\n"), "{}", ran.stdout);
    assert!(ran.stderr.contains("--enable NAME"), "{}", ran.stderr);
    let sent = desk.far_side.exchanges().len();
    let arguments = ["tools", "shop", "--enable", "greet", "--enable", "mcp_shop_fail", "--json"];
    let shown = desk.run(&arguments).exits(0).json();
    let expected = [
        row("mcp_shop_fail", "-", true, "allowed"),
        row("mcp_shop_greet", "-", true, "allowed"),
        row("mcp_shop_hang", "-", false, "disabled"),
    ];
    assert_eq!(rows(&shown), expected);
    let ran = desk.run(&["tools", "shop", "--disable", "fail"]).exits(0);
    assert!(ran.stdout.contains("  mcp_shop_fail   disabled\n"), "{}", ran.stdout);
    assert_eq!(ran.stderr, "");
    desk.run(&["tools", "shop", "--stored"]).exits(0);
    assert_eq!(desk.far_side.exchanges().len(), sent, "nothing was sent");
    // Another import keeps what was set.
    let shown = desk.run(&["tools", "shop", "--json"]).exits(0).json();
    assert_eq!(rows(&shown)[1], row("mcp_shop_greet", "unchanged", true, "allowed"));
}

#[test]
fn a_name_that_is_not_known_switches_nothing() {
    let desk = Desk::new().enabled(&[]);
    let arguments = ["tools", "shop", "--enable", "greet", "--disable", "gret"];
    let ran = desk.run(&arguments).exits(2);
    assert!(ran.stderr.contains("did you mean `greet`?"), "{}", ran.stderr);
    let shown = desk.run(&["tools", "shop", "--stored", "--json"]).exits(0).json();
    assert!(rows(&shown).iter().all(|(_, _, enabled, _)| !enabled));
}

#[test]
fn schemas_and_names_that_cannot_be_taken_are_refused_with_the_reason() {
    let deep = (0..13).fold(
        json!({ "type": "string" }),
        |inner, _| json!({ "type": "object", "properties": { "p": inner } }),
    );
    let refused = [
        (json!({ "name": "no-schema" }), "not-a-schema"),
        (json!({ "name": "array", "inputSchema": [] }), "not-a-schema"),
        (json!({ "name": "root", "inputSchema": { "type": "string" } }), "root-not-object"),
        (json!({ "name": "union", "inputSchema": { "type": ["object", "null"] } }), "union-root"),
        (
            json!({ "name": "ref", "inputSchema": { "type": "object", "$ref": "file:///etc/passwd" } }),
            "reference",
        ),
        (
            json!({ "name": "defs", "inputSchema": { "type": "object", "$defs": {} } }),
            "definitions",
        ),
        (json!({ "name": "deep", "inputSchema": deep }), "too-deep"),
        (
            json!({ "name": "large", "inputSchema": { "type": "object", "description": "x".repeat(20_000) } }),
            "too-large",
        ),
        (json!({ "name": "a b", "inputSchema": { "type": "object" } }), "unusable-name"),
        (
            json!({ "name": "\u{1b}[31m\u{202e}", "inputSchema": { "type": "object" } }),
            "unusable-name",
        ),
        (json!({ "name": "", "inputSchema": { "type": "object" } }), "unusable-name"),
        (json!({ "name": "good", "inputSchema": { "type": "object" } }), "listed-twice"),
        (json!({ "inputSchema": { "type": "object" } }), "no-name"),
        (json!({ "name": 7, "inputSchema": { "type": "object" } }), "no-name"),
    ];
    let desk = Desk::with(FarSide::new(|server| {
        server.tool(tool("good", |_| text("")));
        for (definition, _) in refused.clone() {
            server.tool(tool_with(definition, |_| text("")));
        }
    }));
    let shown = desk.run(&["tools", "shop", "--json"]).exits(0).json();
    assert_eq!(rows(&shown), [row("mcp_shop_good", "new", false, "disabled")]);
    let found: Vec<(Value, Value)> = shown["refused"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["remote_name"].clone(), one["reason"].clone()))
        .collect();
    let name = |definition: &Value| match &definition["name"] {
        name @ Value::String(_) => name.clone(),
        _ => Value::Null,
    };
    let expected: Vec<(Value, Value)> = refused
        .iter()
        .map(|(definition, reason)| (name(definition), Value::from(*reason)))
        .collect();
    assert_eq!(found, expected);
    let ran = desk.run(&["tools", "shop"]).exits(0);
    assert!(ran.stdout.contains("1 taken in, 14 refused, 0 gone"), "{}", ran.stdout);
    assert!(ran.stdout.contains("  \\x1b[31m\\xe2\\x80\\xae  refused: "), "{}", ran.stdout);
    assert!(!ran.stdout.contains(['\u{1b}', '\u{202e}']), "{:?}", ran.stdout);
    assert!(!ran.stdout.contains("passwd"), "nothing of a schema is shown: {}", ran.stdout);
}

#[test]
fn a_server_that_renames_its_tools_loses_nothing_and_enables_nothing() {
    let desk = Desk::new().enabled(&["greet"]);
    let list = |names: &[&str]| {
        let tools: Vec<Value> = names
            .iter()
            .map(|name| json!({ "name": name, "inputSchema": { "type": "object" } }))
            .collect();
        let result = json!({ "tools": tools });
        desk.far_side.server.on("tools/list", Arc::new(move |_| Action::Value(result.clone())));
    };
    list(&["welcome", "fail"]);
    let shown = desk.run(&["tools", "shop", "--json"]).exits(0).json();
    let expected = [
        row("mcp_shop_fail", "unchanged", false, "disabled"),
        row("mcp_shop_greet", "-", true, "not-registered"),
        row("mcp_shop_hang", "-", false, "not-registered"),
        row("mcp_shop_welcome", "new", false, "disabled"),
    ];
    assert_eq!(rows(&shown), expected);
    assert_eq!(shown["gone"], json!(["mcp_shop_greet", "mcp_shop_hang"]));
    let ran = desk.run(&["tools", "shop", "--stored"]).exits(0);
    assert!(ran.stdout.contains("mcp_shop_greet    not-registered  gone\n"), "{}", ran.stdout);
    desk.run(&["call", "mcp_shop_greet"]).exits(4);
    assert_eq!(desk.calls(), 0);
    // It comes back as it was left.
    list(&["greet"]);
    let shown = desk.run(&["tools", "shop", "--json"]).exits(0).json();
    assert_eq!(rows(&shown)[1], row("mcp_shop_greet", "returned", true, "allowed"));
}

#[test]
fn a_tool_that_changed_is_off_until_it_is_enabled_again() {
    let desk = Desk::new().enabled(&["greet"]);
    let tools = json!({ "tools": [
        { "name": "greet", "description": "words of the server",
          "inputSchema": { "type": "object", "properties": { "secret": { "type": "string" } } } },
    ] });
    desk.far_side.server.on("tools/list", Arc::new(move |_| Action::Value(tools.clone())));
    let ran = desk.run(&["tools", "shop"]).exits(0);
    let line = "  mcp_shop_greet  changed         since it was enabled: description, schema\n";
    assert!(ran.stdout.contains(line), "{}", ran.stdout);
    assert!(!ran.stdout.contains("words of the server"), "{}", ran.stdout);
    assert!(ran.stderr.contains("what has changed is off"), "{}", ran.stderr);
    let shown = desk.run(&["tools", "shop", "--stored", "--json"]).exits(0).json();
    assert_eq!(shown["tools"][1]["changed"], json!(["description", "schema"]));
    assert_eq!(rows(&shown)[1], row("mcp_shop_greet", "-", false, "changed"));
    let ran = desk.run(&["call", "mcp_shop_greet"]).exits(4);
    assert!(
        words(&ran.stderr).contains("changed since then: description, schema"),
        "{}",
        ran.stderr
    );
    assert_eq!(desk.calls(), 0);
    desk.run(&["tools", "shop", "--enable", "greet"]).exits(0);
    desk.run(&["call", "mcp_shop_greet"]).exits(0);
}

#[test]
fn a_tool_whose_profile_points_elsewhere_is_off() {
    let desk = Desk::new().enabled(&["greet"]);
    let other = Desk::new();
    desk.place.write("profiles/shop.toml", &other.far_side.profile(false));
    let ran = desk.run(&["call", "mcp_shop_greet"]).exits(4);
    assert!(words(&ran.stderr).contains("changed since then: origin"), "{}", ran.stderr);
    let ran = desk.run(&["tools", "shop", "--enable", "greet"]).exits(2);
    assert!(ran.stderr.contains("tools::another-origin"), "{}", ran.stderr);
    let shown = desk.run(&["tools", "shop", "--json"]).exits(0).json();
    assert_eq!(rows(&shown)[1], row("mcp_shop_greet", "changed", false, "changed"));
    desk.run(&["call", "mcp_shop_greet"]).exits(4);
    assert_eq!((desk.calls(), other.calls()), (0, 0));
    desk.run(&["tools", "shop", "--enable", "greet"]).exits(0);
    desk.run(&["call", "mcp_shop_greet"]).exits(0);
    assert_eq!((desk.calls(), other.calls()), (0, 1));
}

#[test]
fn a_list_that_cannot_be_read_leaves_the_catalogue_as_it_was() {
    let desk = Desk::new().enabled(&["greet"]);
    let before = desk.run(&["tools", "shop", "--stored", "--json"]).exits(0).stdout;
    desk.far_side.server.on("tools/list", Arc::new(|_| Action::Value(json!({ "tools": "none" }))));
    let ran = desk.run(&["tools", "shop"]).exits(1);
    assert!(ran.stderr.contains("server::invalid-result"), "{}", ran.stderr);
    assert_eq!(ran.stdout, "");
    let ran = desk.run(&["tools", "shop", "--json"]).exits(1);
    assert_eq!(ran.json()["error"]["kind"], "invalid-result");
    assert_eq!(desk.run(&["tools", "shop", "--stored", "--json"]).exits(0).stdout, before);
}

#[test]
fn a_server_that_is_named_by_its_url_is_trusted_with_nothing() {
    let desk = Desk::new();
    let url = desk.far_side.url.as_str();
    desk.run(&["tools", url]).exits(0);
    let shown = desk.run(&["tools", url, "--enable", "greet", "--json"]).exits(0).json();
    let declared = json!({
        "data_class": "secret-adjacent", "zone": "external-global", "requires_approval": true,
    });
    assert_eq!(shown["operator"], declared);
    let local_name = shown["tools"][1]["name"].as_str().unwrap();
    assert_eq!(shown["tools"][1]["gate"], "trust-zone");
    let ran = desk.run(&["call", local_name, "--server", url, "--approve"]).exits(4);
    let said = words(&ran.stderr);
    assert!(
        said.contains("it returns secret-adjacent, and the zone external-global may read editor-content at most"),
        "{said}"
    );
    assert!(said.contains("write a profile with its `url`"), "{said}");
    assert_eq!(desk.calls(), 0);
    // Without the URL nobody knows where it is.
    let ran = desk.run(&["call", local_name, "--approve"]).exits(2);
    assert!(words(&ran.stderr).contains("name the server with --server"), "{}", ran.stderr);
}
