//! A process that is killed at any moment loses nothing that it acknowledged,
//! and leaves nothing half-written.
//!
//! This test binary starts itself as the process that is killed: it writes runs
//! and steps, and prints what was stored once the store said so.
//!
//! SIGKILL ends a process; what the system holds for it still reaches the disk.
//! That a commit also outlives a power cut is SQLite's `synchronous = FULL`.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use mcp_checks::host::store::{Contact, LoggedDenial, Store};
use mcp_checks::host::{Outcome, RunStatus, Step};

/// How often a process is killed.
const ROUNDS: u64 = 24;

/// Names the store to the process that is killed.
const STORE: &str = "MCP_CHECKS_KILL_STORE";
/// Chooses the moments; printed, so that a failure can be repeated.
const SEED: &str = "MCP_CHECKS_KILL_SEED";

/// How many steps a run has.
const STEPS: i64 = 8;

/// The step that stands at this place. Some are longer than several pages.
fn step(run: i64, sequence: i64) -> Step {
    let tool = format!("mcp_s_tool{}", run % 3);
    if sequence % 2 == 1 {
        return Step::Declared { tool, effect: "non-idempotent-write".to_owned() };
    }
    let outcome = Outcome::ALL[(run + sequence).unsigned_abs() as usize % Outcome::ALL.len()];
    let length = [0, 20, 5_000, 50_000][(run + sequence / 2).unsigned_abs() as usize % 4];
    Step::Tool { tool, outcome, text: format!("{run}/{sequence} ").repeat(length / 5) }
}

/// Writes until it is killed.
#[test]
#[ignore = "started by the other test, to be killed"]
fn writes_until_it_is_killed() {
    let Some(path) = std::env::var_os(STORE) else { return };
    let store = Store::open(Path::new(&path)).unwrap();
    let acknowledge = |line: String| {
        let mut output = std::io::stdout().lock();
        writeln!(output, "{line}").and_then(|()| output.flush()).unwrap();
    };
    for at in 0.. {
        let run = store.begin_run("someone", "me", at, at + 60).unwrap();
        acknowledge(format!("stored: run {run}"));
        for sequence in 1..=STEPS {
            store.append(run, &step(run, sequence), at).unwrap();
            acknowledge(format!("stored: step {run} {sequence}"));
        }
        let (server, operation) = (run.to_string(), "tools/call".to_owned());
        store.record_contact(&Contact { server, at, operation, latency: run }).unwrap();
        acknowledge(format!("stored: contact {run}"));
        let (tool, reason) = (run.to_string(), "disabled".to_owned());
        store.record_denial(&LoggedDenial { at, caller: "c".to_owned(), tool, reason }).unwrap();
        acknowledge(format!("stored: denial {run}"));
        store.end_run(run, RunStatus::Completed, at).unwrap();
        acknowledge(format!("stored: end {run}"));
    }
}

/// A sequence of numbers that follows from its seed (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound
    }
}

/// Lets a process write, kills it, and returns what it acknowledged.
fn write_and_kill(store: &Path, random: &mut Random) -> Vec<String> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writes_until_it_is_killed", "--ignored", "--nocapture"])
        .env(STORE, store)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let enough = random.below(120);
    let mut acknowledged = Vec::new();
    let mut line = String::new();
    // The harness says something of its own first.
    while (acknowledged.len() as u64) < enough {
        line.clear();
        assert_ne!(output.read_line(&mut line).unwrap(), 0, "the process ended by itself");
        acknowledged.extend(stored(&line));
    }
    // Into the middle of whatever comes next, or of the very beginning.
    std::thread::sleep(Duration::from_micros(random.below(4000)));
    child.kill().unwrap();
    let status = child.wait().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9), "{status}");
    // What it acknowledged before it died counts too, if it said it to the end.
    line.clear();
    while output.read_line(&mut line).unwrap() > 0 {
        acknowledged.extend(stored(&line).filter(|_| line.ends_with('\n')));
        line.clear();
    }
    acknowledged
}

fn stored(line: &str) -> Option<String> {
    // The harness begins a line of its own, and does not end it.
    line.trim_end().split_once("stored: ").map(|(_, what)| what.to_owned())
}

/// What a store holds, in the words in which it was acknowledged; nothing in
/// it is half there.
fn held(path: &Path) -> Vec<String> {
    let store = Store::open(path).unwrap();
    let mut held = Vec::new();
    let mut last: BTreeMap<i64, i64> = BTreeMap::new();
    for run in store.runs().unwrap() {
        held.push(format!("run {}", run.id));
        if run.status.unwrap() == RunStatus::Completed {
            held.push(format!("end {}", run.id));
        }
        last.insert(run.id, 0);
    }
    for event in store.events().unwrap() {
        let before = last.get_mut(&event.run).expect("a step has a run");
        assert_eq!(event.sequence, *before + 1, "no step of run {} is missing", event.run);
        *before = event.sequence;
        assert_eq!(event.step.unwrap(), step(event.run, event.sequence), "it is whole");
        held.push(format!("step {} {}", event.run, event.sequence));
    }
    for contact in store.contacts().unwrap() {
        assert_eq!(contact.server, contact.latency.to_string());
        held.push(format!("contact {}", contact.server));
    }
    held.extend(
        store.denials().unwrap().into_iter().map(|denial| format!("denial {}", denial.tool)),
    );
    drop(store);
    let connection = rusqlite::Connection::open(path).unwrap();
    let check: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
    held
}

#[test]
fn nothing_that_was_acknowledged_is_lost() {
    let seed = std::env::var(SEED).ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_261_130);
    println!("{SEED}={seed}");
    let mut random = Random(seed);
    let folder = tempfile::tempdir().unwrap();
    let mut path = PathBuf::new();
    let mut acknowledged: Vec<String> = Vec::new();
    let mut written = 0;
    for round in 0..ROUNDS {
        // A store goes through several lives and deaths; then a new one is made.
        if round % 6 == 0 {
            path = folder.path().join(format!("store-{round}"));
            acknowledged.clear();
        }
        let said = write_and_kill(&path, &mut random);
        written += said.len();
        acknowledged.extend(said);
        let held = held(&path);
        let lost: Vec<_> = acknowledged.iter().filter(|what| !held.contains(what)).collect();
        assert!(lost.is_empty(), "round {round}, seed {seed}: {lost:?} were acknowledged");
        // What is there beyond that: at most one thing, which was being told.
        let deaths = (round % 6 + 1) as usize;
        let untold = held.iter().filter(|what| !acknowledged.contains(what)).count();
        assert!(untold <= deaths, "round {round}, seed {seed}: {untold} were never told");
    }
    assert!(written > 500, "enough was written: {written}");
}
