//! A folder to run the program in: [`Place`].

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// What is known of the surroundings that would show in what is printed.
const REMOVED: [&str; 12] = [
    "CI",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "TERM",
    "RUST_BACKTRACE",
    "MCP_CONFORMANCE_SCENARIO",
    "MCP_CONFORMANCE_PROTOCOL_VERSION",
    "MCP_CONFORMANCE_CONTEXT",
    "MCP_CHECKS_STORE",
    "XDG_STATE_HOME",
];

/// The program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_mcp-checks");

/// A check of a client that passes everywhere.
pub const GOOD: &str = r#"//! Calls one tool.
//!
//! tags: tools
//! revisions: 2025-03-26..2025-11-25
//!
//! called  MUST    add receives a = 17
//! gentle  SHOULD  Nothing is called twice

fn serve(server) {
    server.tool("add", #{ a: "integer" }, |args| args.a + 25);
}

fn drive(client) {
    client.call_tool("add", #{ a: 17 })
}

fn judge(seen) {
    seen.equal("called", seen.calls("add")[0].arguments, #{ a: 17 });
    seen.check("gentle", seen.calls("add").len < 2);
}
"#;

/// A folder of its own.
pub struct Place(TempDir);

/// What the program did.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Place {
    /// An empty folder.
    pub fn new() -> Self {
        Place(tempfile::tempdir().unwrap())
    }

    /// A folder with one check, `one`.
    pub fn with(check: &str) -> Self {
        let place = Place::new();
        place.write("checks/one.rhai", check);
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Every file in the folder, sorted.
    pub fn files(&self) -> Vec<String> {
        let mut files: Vec<String> = walkdir::WalkDir::new(self.0.path())
            .into_iter()
            .map(Result::unwrap)
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| entry.path().strip_prefix(self.0.path()).unwrap().display().to_string())
            .collect();
        files.sort();
        files
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.current_dir(self.0.path()).args(arguments).env("COLUMNS", "100");
        command.stdin(Stdio::null());
        REMOVED.iter().for_each(|name| {
            command.env_remove(name);
        });
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(&mut self.command(arguments))
    }

    pub fn run_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Ran {
        Ran::of(self.command(arguments).envs(environment.iter().copied()))
    }

    /// Runs the program and compares what a person sees with a golden file.
    pub fn golden(&self, name: &str, arguments: &[&str]) -> Ran {
        let ran = self.run(arguments);
        let line = arguments.iter().map(|word| shlex::try_quote(word).unwrap());
        let line = line.collect::<Vec<_>>().join(" ");
        let text = format!(
            "$ mcp-checks {line}\n{}── standard error ──\n{}── exit code {} ──\n",
            without_times(&ran.stdout.replace(PROGRAM, "mcp-checks")),
            ran.stderr,
            ran.code
        );
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../golden/command-line");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(name, text));
        ran
    }
}

impl Ran {
    fn of(command: &mut Command) -> Self {
        let output = command.output().unwrap();
        let ran = Ran {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        };
        assert!(!ran.stderr.contains("bug in mcp-checks itself"), "{}", ran.stderr);
        ran
    }

    /// The same, if the exit code is this one.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}\n{}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }

    /// Check, profile and outcome of each execution in a JSON report.
    #[track_caller]
    pub fn outcomes(&self) -> Vec<(String, String, String)> {
        let word = |execution: &Value, key: &str| execution[key].as_str().unwrap().to_owned();
        let document = self.json();
        let executions = document["executions"].as_array().unwrap().iter();
        executions
            .map(|one| (word(one, "check"), word(one, "profile"), word(one, "outcome")))
            .collect()
    }
}

/// A report without what changes from day to day: how long it took, and how many
/// checks are inside the program.
fn without_times(text: &str) -> String {
    let timeless = text.lines().map(|line| {
        let is_time = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
        // How many there are is nobody's affair here.
        if let Some((_, rest)) = line.split_once(" built-in checks are left out") {
            return format!("NUMBER built-in checks are left out{rest}\n");
        }
        match line.strip_prefix("in ") {
            Some(rest) if is_time(rest) => "in TIME\n".to_owned(),
            _ => format!("{line}\n"),
        }
    });
    timeless.collect()
}
