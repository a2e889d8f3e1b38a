//! The store of the operator's commands: where it is, what is wrong with it,
//! and who else uses it.

use std::fs;
use std::process::Stdio;

use serde_json::json;

use super::{Desk, words};
use crate::place::Place;

#[test]
fn the_usual_place_is_the_users_own() {
    let desk = Desk::new();
    let place = Place::new();
    let home = place.path("home");
    let state = place.path("state");
    let run = |environment: &[(&str, &str)]| {
        desk.place.run_with(&["ping", "shop"], environment).exits(0);
    };
    run(&[("HOME", home.to_str().unwrap())]);
    // A path that is not absolute does not count.
    run(&[("HOME", home.to_str().unwrap()), ("XDG_STATE_HOME", "relative")]);
    run(&[("HOME", home.to_str().unwrap()), ("XDG_STATE_HOME", state.to_str().unwrap())]);
    let files = ["home/.local/state/mcp-checks/store.sqlite3", "state/mcp-checks/store.sqlite3"];
    assert_eq!(place.files(), files);
    #[cfg(unix)]
    for (path, expected) in [(files[1], 0o600), ("state/mcp-checks", 0o700)] {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(place.path(path)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, expected, "{path}");
    }
    // A file that was named is made, and its folder is not.
    let ran = desk.place.run(&["ping", "shop", "--store", "nowhere/store"]).exits(2);
    assert!(words(&ran.stderr).contains("look whether its folder exists"), "{}", ran.stderr);
}

#[test]
fn what_is_wrong_with_a_store_is_said_and_the_file_left_as_it_is() {
    let desk = Desk::new().enabled(&["greet"]);
    let whole = fs::read(desk.store()).unwrap();
    let with = |at: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[at] = byte;
        bytes
    };
    for (bytes, expected) in [
        (b"not a store".to_vec(), "it does not begin as an SQLite database does"),
        (whole[..whole.len() / 2].to_vec(), "it is shorter than it was"),
        (with(0, 0), "it does not begin as an SQLite database does"),
        // `user_version` and `application_id` stand at 60 and 68.
        (with(63, 9), "has version 9; this program knows up to 3"),
        (with(68, 0), "it is a database of another program"),
    ] {
        fs::write(desk.store(), &bytes).unwrap();
        for arguments in
            [&["audit"][..], &["ping", "shop"], &["tools", "shop"], &["call", "mcp_shop_greet"]]
        {
            let sent = desk.far_side.exchanges().len();
            let ran = desk.run(arguments).exits(2);
            assert!(words(&ran.stderr).contains(expected), "{arguments:?}: {}", ran.stderr);
            assert_eq!(ran.stdout, "");
            assert_eq!(desk.far_side.exchanges().len(), sent, "nothing was sent");
            assert!(fs::read(desk.store()).unwrap() == bytes, "it was left as it is");
        }
    }
    fs::write(desk.store(), &whole).unwrap();
    desk.run(&["call", "mcp_shop_greet"]).exits(0);
}

#[test]
fn many_processes_share_one_store() {
    const MANY: usize = 8;
    let desk = Desk::new().enabled(&["greet"]);
    let children: Vec<_> = (0..MANY)
        .map(|_| {
            let mut command = desk.place.command(&["call", "mcp_shop_greet"]);
            command.env("MCP_CHECKS_STORE", desk.store());
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
    let audit = desk.audit();
    let runs = audit["runs"].as_array().unwrap();
    assert_eq!(runs.len(), MANY);
    for run in runs {
        assert_eq!(run["status"], "completed");
        let steps: Vec<_> =
            run["steps"].as_array().unwrap().iter().map(|step| &step["kind"]).collect();
        assert_eq!(steps, [&json!("declared"), &json!("tool")]);
    }
    assert_eq!(audit["contacts"].as_array().unwrap().len(), MANY + 1);
}
