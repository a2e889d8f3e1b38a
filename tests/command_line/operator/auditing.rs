//! `audit`.

use serde_json::json;

use super::{Desk, query, words};

#[test]
fn what_was_called_is_shown_and_what_was_said_under_trace_alone() {
    let desk = Desk::new().enabled(&["greet", "fail"]);
    let arguments = ["call", "mcp_shop_greet", "--args", r#"{"name": "Ada\n\u001b[31m"}"#];
    desk.run(&arguments).exits(0);
    desk.run(&["call", "mcp_shop_fail"]).exits(1);
    desk.run(&["call", "mcp_shop_hang"]).exits(4);
    let ran = desk.run(&["audit"]).exits(0);
    assert_eq!(ran.stderr, "");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[0].starts_with("run 1  completed  2"), "{}", ran.stdout);
    assert!(lines[0].ends_with("Z  operator"), "{}", ran.stdout);
    assert_eq!(lines[1], "    1  declared   mcp_shop_greet  non-idempotent-write");
    assert_eq!(lines[2], "    2  ok         mcp_shop_greet  17 bytes");
    assert_eq!(lines[5], "    2  failed     mcp_shop_fail  23 bytes");
    assert_eq!(lines[6], "contacts");
    assert!(lines[7].contains("  shop  tools/list  "), "{}", ran.stdout);
    assert_eq!(lines[lines.len() - 2], "denials");
    assert!(lines.last().unwrap().ends_with("  operator  mcp_shop_hang  disabled"));
    assert!(!ran.stdout.contains("Ada") && !ran.stdout.contains("words"), "{}", ran.stdout);
    let ran = desk.run(&["audit", "--trace"]).exits(0);
    assert!(ran.stdout.contains("       | Hello, Ada\n       | \\x1b[31m.\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("       | the words of the server\n"), "{}", ran.stdout);
    let steps =
        |arguments: &[&str]| desk.run(arguments).exits(0).json()["runs"][0]["steps"][1].clone();
    assert_eq!(steps(&["audit", "--json", "--trace"])["text"], "Hello, Ada\n\u{1b}[31m.");
    assert!(steps(&["audit", "--json"]).get("text").is_none());
}

#[test]
fn a_row_that_cannot_be_read_is_named_and_hides_no_other() {
    let desk = Desk::new().enabled(&["greet"]);
    for _ in 0..2 {
        desk.run(&["call", "mcp_shop_greet"]).exits(0);
    }
    let connection = rusqlite::Connection::open(desk.store()).unwrap();
    connection
        .execute_batch(
            "PRAGMA ignore_check_constraints = ON;
             UPDATE event SET outcome = 'failed' WHERE run = 1 AND sequence = 2;
             UPDATE run SET status = 'lost' WHERE id = 2;",
        )
        .unwrap();
    let ran = desk.run(&["audit"]).exits(2);
    assert!(ran.stdout.contains("    2  unreadable\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("run 2  unreadable  "), "{}", ran.stdout);
    assert!(ran.stdout.contains("    2  ok         mcp_shop_greet"), "{}", ran.stdout);
    let said = words(&ran.stderr);
    let expected =
        "step 2 of run 1 cannot be read: it says is_error = false, and the outcome failed";
    assert!(said.contains(expected), "{said}");
    assert!(said.contains("run 2 cannot be read: `lost` is no status of a run"), "{said}");
    let ran = desk.run(&["audit", "--json"]).exits(2).json();
    assert!(ran["runs"][0]["steps"][1]["unreadable"].is_string());
    assert_eq!(ran["runs"][1]["status"], json!(null));
    assert_eq!(ran["runs"][1]["steps"][1]["outcome"], "ok");
}

#[test]
fn a_run_whose_process_ended_without_a_word_is_abandoned() {
    let desk = Desk::new().enabled(&["greet"]);
    desk.run(&["call", "mcp_shop_greet"]).exits(0);
    let connection = rusqlite::Connection::open(desk.store()).unwrap();
    // As a killed process leaves it, some time later.
    connection
        .execute_batch(
            "UPDATE run SET status = 'running', ended_at = NULL, lease_until = 1;
             DELETE FROM event WHERE sequence = 2;
             INSERT INTO run (caller, status, started_at, lease_until)
             VALUES ('other', 'running', 1, 9000000000000);",
        )
        .unwrap();
    let ran = desk.run(&["audit"]).exits(0);
    assert!(ran.stdout.contains("run 1  running (abandoned)  2"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("run 2  running  1970-01-01T00:00:00.001Z  other"),
        "{}",
        ran.stdout
    );
    let audit = desk.audit();
    assert_eq!(
        (&audit["runs"][0]["abandoned"], &audit["runs"][1]["abandoned"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(
        query(&desk.store(), "SELECT status FROM run"),
        ["running", "running"],
        "it only reads"
    );
}

#[test]
fn a_store_that_is_not_there_is_not_made() {
    let desk = Desk::new();
    let ran = desk.run(&["audit"]).exits(2);
    assert!(ran.stderr.contains("there is no store at"), "{}", ran.stderr);
    assert!(!desk.store().exists());
}

#[test]
fn an_empty_store_says_so() {
    let desk = Desk::new();
    desk.run(&["tools", "shop", "--stored"]).exits(0);
    assert_eq!(desk.run(&["audit"]).exits(0).stdout, "nothing is stored yet\n");
}
