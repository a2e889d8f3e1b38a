//! Client programs that are not there, do not end, or leave others behind.

use std::time::Duration;

use crate::place::{Place, processes};

#[test]
fn it_does_not_exist() {
    let place = Place::new();
    place.run(&["--client", "no-such-client"]).exits(2).says("there is no program").says("PATH");
    place.run(&["--client", "./client.sh"]).exits(2).says("there is no program `./client.sh`");
    assert!(!place.path("report.json").exists());
    place.is_tidy();
}

#[test]
fn it_cannot_be_executed() {
    let place = Place::new();
    place.write("client.sh", "not a program");
    place.run(&["--client", "./client.sh"]).exits(1);
    let execution = place.execution("good");
    assert!(execution.to_string().contains("could not be started"), "{execution:#}");
    place.is_tidy();
}

#[test]
fn it_prints_without_end() {
    let place = Place::new();
    let client = place.client("exec yes 'a line without end'");
    let ran = place.run(&["--client", &client, "--timeout", "1"]).exits(1);
    assert!(ran.elapsed < Duration::from_secs(10), "{:?}", ran.elapsed);
    assert_eq!(place.outcome("good"), "timeout");
    let report = std::fs::metadata(place.path("report.json")).unwrap();
    assert!(report.len() < 1024 * 1024, "the end of it is kept: {} bytes", report.len());
    place.is_tidy();
}

#[test]
fn it_ignores_termination_and_forks() {
    let place = Place::new();
    let client = place.client(
        "trap '' TERM\n(trap '' TERM; sleep 300.0417) &\nsleep 300.0417 &\nwhile :; do sleep \
         300.0417; done",
    );
    let ran = place.run(&["--client", &client, "--timeout", "1"]).exits(1);
    assert!(ran.elapsed < Duration::from_secs(10), "{:?}", ran.elapsed);
    assert_eq!(place.outcome("good"), "timeout");
    assert_eq!(processes("300.0417"), Vec::<String>::new());
    place.is_tidy();
}

#[test]
fn it_leaves_a_child_behind() {
    let place = Place::new();
    let client = place.client("sleep 300.0418 &\nexit 0");
    let ran = place.run(&["--client", &client]).exits(1);
    assert!(ran.elapsed < Duration::from_secs(10), "{:?}", ran.elapsed);
    assert_eq!(processes("300.0418"), Vec::<String>::new());
}

#[test]
fn it_sends_garbage_over_the_wire() {
    let place = Place::new();
    let client = place.client(
        "port=$(echo \"$1\" | sed 's/.*:\\([0-9]*\\).*/\\1/')\n\
         exec bash -c 'exec 3<>/dev/tcp/127.0.0.1/$0; head -c 100000 /dev/urandom >&3; cat <&3' \
         $port",
    );
    let ran = place.run(&["--client", &client, "--timeout", "2"]).exits(1);
    assert!(ran.elapsed < Duration::from_secs(10), "{:?}", ran.elapsed);
    assert_ne!(place.outcome("good"), "pass");
    place.is_tidy();
}
