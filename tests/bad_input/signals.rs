//! Whoever asks the program to end: by whatever signal, nothing is left behind.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::place::{Place, processes};

/// For how long a client sleeps again and again: what tells it from every other
/// process of this machine.
fn mark(number: usize) -> String {
    format!("300.{:07}{number}", std::process::id())
}

/// Runs a client that never ends, sends these signals when it is there, and returns
/// how the program ended.
fn ended_by(place: &Place, mark: &str, signals: &[&str]) -> Option<i32> {
    let client =
        place.client(&format!("trap '' TERM HUP QUIT INT\nwhile :; do sleep {mark}; done"));
    // Whoever runs the tests may ignore some of them, as under `nohup`.
    let mut program = Command::new("env")
        .arg("--default-signal=INT,TERM,HUP,QUIT")
        .arg(env!("CARGO_BIN_EXE_mcp-checks"))
        .args(["run", "--profile", "session-http", "--format", "json"])
        .args(["--output", "report.json", "--client", &client])
        .current_dir(place.path(""))
        .env_remove("CI")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let wait = |what: &str, mut done: Box<dyn FnMut() -> bool + '_>| {
        while !done() {
            assert!(begun.elapsed() < Duration::from_secs(30), "{what}");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    wait("the client begins", Box::new(|| !processes(mark).is_empty()));
    for signal in signals {
        let id = program.id().to_string();
        assert!(
            Command::new("kill").args([&format!("-{signal}"), &id]).status().unwrap().success()
        );
        if signals.len() > 1 {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    let mut status = None;
    wait(
        "it ends",
        Box::new(|| {
            status = program.try_wait().unwrap();
            status.is_some()
        }),
    );
    wait("so does the client", Box::new(|| processes(mark).is_empty()));
    status.unwrap().code()
}

#[test]
fn each_signal_ends_the_run_in_order() {
    for (number, signal) in ["INT", "TERM", "HUP", "QUIT"].iter().enumerate() {
        let place = Place::new();
        assert_eq!(ended_by(&place, &mark(number), &[signal]), Some(130), "{signal}");
        assert_eq!(place.outcome("good"), "cancelled", "{signal}");
        place.is_tidy();
    }
}

/// The client ignores what asks it to end, for longer than the program waits.
#[test]
fn a_second_signal_leaves_no_client_behind() {
    let place = Place::new();
    assert_eq!(ended_by(&place, &mark(4), &["TERM", "INT"]), Some(130));
}

#[test]
fn a_file_that_may_not_grow_is_an_error() {
    let place = Place::new();
    let command = format!(
        "ulimit -f 1; exec {} run --trace --format json --output report.json",
        env!("CARGO_BIN_EXE_mcp-checks")
    );
    let ran = Command::new("bash")
        .args(["-c", &command])
        .current_dir(place.path(""))
        .env_remove("CI")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(2), "{said}");
    assert!(said.contains("cannot be written") && said.contains("allow larger files"), "{said}");
    assert!(!place.path("report.json.unfinished").exists());
}

#[test]
fn an_interrupted_ping_says_so() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let place = Place::new();
    let program = Command::new("env")
        .args(["--default-signal=INT", env!("CARGO_BIN_EXE_mcp-checks")])
        .args(["ping", &url, "--revision", "2025-11-25", "--store", "store.db"])
        .current_dir(place.path(""))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It has connected, and waits for an answer that never comes.
    let connection = listener.accept().unwrap();
    let id = program.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = program.wait_with_output().unwrap();
    drop(connection);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert_eq!(said, format!("{url}: interrupted before it had answered\n"));
    assert_eq!(output.stdout, b"");
}
