//! A folder with a good check, in which the program meets something bad:
//! [`Place`].

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// A check of a client that passes; `BODY` stands where `drive` begins.
const CHECK: &str = r#"//! Calls one tool.
//!
//! called  MUST  add receives a = 17

fn serve(server) {
    server.tool("add", #{ a: "integer" }, |args| args.a + 25);
}

fn drive(client) {
    BODY
    client.call_tool("add", #{ a: 17 })
}

fn judge(seen) {
    seen.equal("called", seen.calls("add")[0].arguments, #{ a: 17 });
}
"#;

/// The bytes of memory that the program may ask the system for, in KiB, the
/// stacks of its threads included: beyond that a script that takes too much
/// would end the program rather than itself.
const ADDRESS_SPACE: u64 = 2_500_000;

pub struct Place(TempDir);

pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub elapsed: Duration,
    /// KiB at its largest, if that was measured.
    pub most_held: u64,
}

/// The good check with this at the beginning of `drive`.
pub fn check(body: &str) -> String {
    CHECK.replace("BODY", body)
}

impl Place {
    /// A folder with the check `good` and an empty folder of snapshots, so that
    /// wires are written too.
    pub fn new() -> Self {
        let place = Place(tempfile::tempdir().unwrap());
        place.write("checks/good.rhai", check(""));
        fs::create_dir(place.path("snapshots")).unwrap();
        place
    }

    /// The same with the check `bad` beside it.
    pub fn with(bad: &str) -> Self {
        let place = Place::new();
        place.write("checks/bad.rhai", bad);
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// A program that a shell runs.
    pub fn client(&self, script: &str) -> String {
        use std::os::unix::fs::PermissionsExt;
        self.write("client.sh", format!("#!/bin/sh\n{script}\n"));
        let path = self.path("client.sh");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        format!("sh {}", path.display())
    }

    /// Runs every check for one profile, with a JSON report to a file.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        let usual = ["--profile", "session-http", "--format", "json", "--output", "report.json"];
        self.command(&[&["run"], &usual[..], arguments].concat())
    }

    /// Runs the program in bounded memory.
    pub fn command(&self, arguments: &[&str]) -> Ran {
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("ulimit -v {ADDRESS_SPACE}; exec \"$0\" \"$@\"")])
            .arg(env!("CARGO_BIN_EXE_mcp-checks"))
            .args(arguments)
            .current_dir(self.0.path())
            .env("COLUMNS", "200")
            .env_remove("CI")
            .env_remove("FORCE_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .stdin(Stdio::null());
        let started = Instant::now();
        let output = command.output().unwrap();
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            elapsed: started.elapsed(),
            most_held: 0,
        }
    }

    /// Runs the program and measures what it holds at its largest.
    pub fn measured(&self, arguments: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-checks"));
        command
            .args(arguments)
            .current_dir(self.0.path())
            .env("COLUMNS", "200")
            .env_remove("CI")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let started = Instant::now();
        let child = command.spawn().unwrap();
        let status = format!("/proc/{}/status", child.id());
        let watch = std::thread::spawn(move || {
            let mut most = 0;
            // The system keeps the largest; what was read last before the end counts.
            while let Ok(text) = fs::read_to_string(&status) {
                let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
                let Some(held) = line.and_then(|line| line.trim().split(' ').next()) else { break };
                most = held.parse().unwrap_or(most);
                std::thread::sleep(Duration::from_millis(5));
            }
            most
        });
        let output = child.wait_with_output().unwrap();
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            elapsed: started.elapsed(),
            most_held: watch.join().unwrap(),
        }
    }

    /// The report, which is whole.
    #[track_caller]
    pub fn report(&self) -> Value {
        let text = fs::read_to_string(self.path("report.json")).unwrap();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// The outcome of one check in the report.
    #[track_caller]
    pub fn outcome(&self, check: &str) -> String {
        self.execution(check)["outcome"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    pub fn execution(&self, check: &str) -> Value {
        let report = self.report();
        let executions = report["executions"].as_array().unwrap();
        let found = executions.iter().find(|execution| execution["check"] == check);
        found.unwrap_or_else(|| panic!("`{check}` was not run: {report:#}")).clone()
    }

    /// Only whole snapshots and pending ones are left beside what was there: no
    /// temporary file, and nothing of the check `bad`.
    #[track_caller]
    pub fn is_tidy(&self) {
        for entry in walkdir::WalkDir::new(self.path("snapshots")) {
            let entry = entry.unwrap();
            if entry.file_type().is_file() {
                let name = entry.file_name().to_string_lossy().into_owned();
                assert_eq!(name, "good.snap.new");
                let text = fs::read_to_string(entry.path()).unwrap();
                assert!(text.starts_with("---\n"), "{text}");
                assert!(text.ends_with('\n'), "{text}");
            }
        }
        let known = ["checks", "profiles", "snapshots", "report.json", "client.sh"];
        for entry in fs::read_dir(self.0.path()).unwrap() {
            let name = entry.unwrap().file_name().to_string_lossy().into_owned();
            assert!(known.contains(&name.as_str()), "{name} was left behind");
        }
    }
}

impl Ran {
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        assert!(!self.stderr.contains("bug in mcp-checks"), "{}", self.stderr);
        self
    }

    /// Standard error says this, however its lines are broken.
    #[track_caller]
    pub fn says(self, words: &str) -> Self {
        let said = self.stderr.replace('│', " ");
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(words), "{words} is not in\n{}", self.stderr);
        self
    }
}

/// The command lines of the processes that have `mark` as one of their words.
pub fn processes(mark: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if is_process(&entry.path()) && line.split(' ').any(|word| word == mark) {
            found.push(line);
        }
    }
    found
}

fn is_process(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.chars().all(|c| c.is_ascii_digit())
}
