//! Where the program writes: through links, and into pipes.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::process::Command;

use crate::place::Place;

#[test]
fn a_report_goes_through_a_link() {
    let place = Place::new();
    place.write("snapshots/kept.json", "old");
    symlink("snapshots/kept.json", place.path("report.json")).unwrap();
    place.run(&[]).exits(0);
    assert!(fs::symlink_metadata(place.path("report.json")).unwrap().is_symlink());
    assert_eq!(place.outcome("good"), "pass");
    assert!(!place.path("report.json.unfinished").exists());
    assert!(!place.path("snapshots/kept.json.unfinished").exists());
}

#[test]
fn a_report_goes_into_a_pipe() {
    let place = Place::new();
    let pipe = place.path("report.json");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || {
            let mut text = String::new();
            fs::File::open(pipe).unwrap().read_to_string(&mut text).unwrap();
            text
        }
    });
    place.run(&[]).exits(0);
    assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo(), "it is still there");
    let text = reader.join().unwrap();
    assert!(text.starts_with("{\"format\":\"mcp-checks/1\""), "{text:.100}");
}
