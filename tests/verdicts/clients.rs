//! Raw clients that do something odd, legal or not, and what is right to say of
//! each: nothing is red for what is legal, and no other claim than the one that
//! is broken for what is not.

mod broken;
mod legal;

use std::sync::Mutex;

use mcp_checks::runner::execution::{CONTEXT_VARIABLE, VERSION_VARIABLE};
use mcp_checks::runner::subject::Command;
use mcp_checks::runner::{Execution, Subject};
use serde_json::{Value, json};

use crate::raw::client::Client;
use crate::raw::in_base64;
use crate::raw::tasks::{contents, find, task, text};
use crate::visit::{Row, Scene, each, played, red, told_by, visit};

/// A client that does what each check asks of it, and nothing else.
#[test]
fn a_client_that_does_each_task_is_red_nowhere() {
    let scenes =
        Scene::all(&["session-http", "stateless-http-2025-03-26", "stateless-http-2026-07-28"]);
    let problems = each(&scenes, |scene| {
        let mut found = red(&visit(scene, task));
        // It does not list the tools anew when their headers changed, which it SHOULD, and
        // keeps no results.
        found.retain(|(what, _)| what != "warn retried" && what != "warn kept");
        (!found.is_empty()).then(|| format!("{scene:?}: {found:#?}"))
    });
    assert!(problems.is_empty(), "{} of {}\n{}", problems.len(), scenes.len(), problems.join("\n"));
}

#[test]
fn what_is_legal_is_not_red() {
    crate::visit::hold(legal::LEGAL);
}

#[test]
fn what_reaches_no_goal_or_breaks_a_rule_is_red_there() {
    crate::visit::hold(broken::BROKEN);
}

/// A client in a process of its own is judged as one that visits.
#[test]
fn a_process_is_judged_as_a_visitor_is() {
    let rows: Vec<usize> = (0..broken::BROKEN.len()).step_by(4).collect();
    let problems = each(&rows, |&number| {
        let row = &broken::BROKEN[number];
        let scene = Scene::parse(row.scene);
        let (visitor, process) = (red(&visit(&scene, row.drive)), red(&by_process(&scene, number)));
        (visitor != process).then(|| format!("{}: {visitor:#?} {process:#?}", row.mode))
    });
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Plays a scene with the client of a row in a process: this test program, told
/// to run [`as_a_process`] alone.
fn by_process(scene: &Scene, number: usize) -> Execution {
    let program = std::env::current_exe().expect("this program has a path");
    let arguments = ["--exact", "clients::as_a_process", "--ignored", &format!("row={number}")];
    played(
        scene,
        Subject::Client(Command {
            program: program.display().to_string(),
            arguments: arguments.map(str::to_owned).to_vec(),
        }),
    )
}

#[test]
#[ignore = "it is the client of a_process_is_judged_as_a_visitor_is"]
fn as_a_process() {
    let arguments: Vec<String> = std::env::args().collect();
    let number: Option<usize> =
        arguments.iter().find_map(|argument| argument.strip_prefix("row=")?.parse().ok());
    let (Some(number), Some(url)) = (number, arguments.last()) else { return };
    let told = |name| std::env::var(name).unwrap_or_default();
    let row = &broken::BROKEN[number];
    (row.drive)(&mut told_by(url, &told(VERSION_VARIABLE), &told(CONTEXT_VARIABLE)));
}

const fn is_legal(scene: &'static str, mode: &'static str, drive: fn(&mut Client)) -> Row {
    Row { scene, mode, drive, red: &[] }
}

const fn breaks(
    scene: &'static str,
    mode: &'static str,
    red: &'static [&'static str],
    drive: fn(&mut Client),
) -> Row {
    Row { scene, mode, drive, red }
}

/// Accepts to link an account, and opens the page in a way of its own.
pub fn links(client: &mut Client, open: fn(&Client, &str)) {
    client.declare();
    client.context["check"] = "none".into();
    let _ = client.open();
    let (_, incoming) =
        client.ask("tools/call", json!({ "name": "link_account", "arguments": {} }));
    for message in incoming.map(|incoming| incoming.messages).unwrap_or_default() {
        if let Some(page) = message["params"]["url"].as_str() {
            open(client, page);
        }
    }
    client.close();
}

/// Does the task, and sends one request more beforehand, changed.
pub fn extra(client: &mut Client, method: &str, change: fn(&mut crate::raw::client::Outgoing)) {
    client.declare();
    let request = client.request(method, json!({}));
    let mut post = client.post(request);
    change(&mut post);
    let _ = client.exchange(post);
    task(client);
}

/// Agrees to a page, opens it, and goes on as `next` says.
pub fn links_in_rounds(client: &mut Client, next: fn(&Value, &Value, &mut Client) -> Value) {
    client.declare();
    let params = json!({ "name": "link_account", "arguments": {} });
    let Ok(first) = client.call_method("tools/call", params.clone()) else { return };
    let page = first["inputRequests"]["link"]["params"]["url"].as_str().unwrap_or_default();
    client.context["check"] = "none".into();
    let second = client.next_round(&params, &first);
    let Ok(interim) = client.call_method("tools/call", second) else { return };
    client.link(page);
    let last = next(&params, &interim, client);
    let _ = client.call_method("tools/call", last);
}

pub fn get_and_report(client: &mut Client) {
    let params = json!({ "name": "release_notes", "arguments": { "version": "2.4.1" } });
    let Ok(prompt) = client.call_method("prompts/get", params) else { return };
    let _ = client.call("report", json!({ "text": prompt["messages"][0]["content"]["text"] }));
    client.close();
}
