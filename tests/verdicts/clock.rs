//! On the real clock a client may be too early, never too late; how its process
//! ends is reported, not judged; and cancelled is not failed.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use mcp_checks::check::Verdict;
use mcp_checks::runner::Settings;

use crate::library::{line, profile, run, shell, shipped_check, verdicts};

fn curl_client() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/curl/client.sh");
    format!("sh '{}' \"$1\"", path.display())
}

#[test]
fn a_client_that_is_late_conforms() {
    let settings = Settings::new(shell(&format!("sleep 2; {}", curl_client())));
    let library = shipped_check("client/tool-call-basic");
    let executions = run(&library, &profile("session-http"), &settings);
    for (execution, result) in verdicts(&executions) {
        assert_eq!(result.verdict, Verdict::Pass, "{}", line((execution, result)));
    }
}

#[test]
fn how_a_client_ends_is_reported_and_not_judged() {
    let settings = Settings::new(shell(&format!("{}; exit 7", curl_client())));
    let library = shipped_check("client/tool-call-basic");
    let executions = run(&library, &profile("session-http"), &settings);
    assert!(verdicts(&executions).all(|(_, result)| result.verdict == Verdict::Pass));
    let client = executions[0].client.as_ref().unwrap();
    assert_eq!((client.exit_code, client.ended.as_str()), (Some(7), "exit code 7"));
}

/// Calls a tool and resumes its stream after this many seconds.
fn resuming(seconds: &str) -> String {
    format!(
        r#"post() {{ curl -sS --noproxy '*' -H 'Content-Type: application/json' \
             -H 'Accept: application/json, text/event-stream' \
             -H 'MCP-Protocol-Version: 2025-11-25' --data "$1" "$URL"; }}
           URL=$1
           post '{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"2025-11-25","capabilities":{{}},"clientInfo":{{"name":"c","version":"1"}}}}}}'
           post '{{"jsonrpc":"2.0","method":"notifications/initialized"}}'
           post '{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"generate_report"}}}}'
           sleep {seconds}
           curl -sS --noproxy '*' -H 'Accept: text/event-stream' -H 'Last-Event-ID: report-1' \
             -H 'MCP-Protocol-Version: 2025-11-25' --max-time 5 "$URL""#
    )
}

#[test]
fn too_early_is_a_failure_and_late_is_none() {
    let verdict = |seconds: &str| {
        let settings = Settings::new(shell(&resuming(seconds)));
        let library = shipped_check("client/drop-stream-mid-call");
        let executions = run(&library, &profile("stateless-http"), &settings);
        let lines: Vec<_> = verdicts(&executions).map(line).collect();
        let found = verdicts(&executions)
            .find(|(_, result)| result.checkpoint.id == "retry-delay")
            .map(|(_, result)| result.verdict);
        (found.unwrap(), lines)
    };
    let (early, lines) = verdict("0");
    assert_eq!(early, Verdict::Fail, "{lines:?}");
    let (late, lines) = verdict("4");
    assert_eq!(late, Verdict::Pass, "{lines:?}");
}

#[test]
fn cancelled_is_not_failed() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("checks")).unwrap();
    for name in ["a-first", "b-slow", "c-last"] {
        let check = "//! Pings.\n//!\n//! pings  MUST  It pings\n\nfn serve(server) {}\n\
                     fn drive(client) { client.ping() }\n\
                     fn judge(seen) { seen.check(\"pings\", seen.requests.len > 0); }\n";
        fs::write(folder.path().join(format!("checks/{name}.rhai")), check).unwrap();
    }
    let client = "sh -c 'case $MCP_CONFORMANCE_SCENARIO in b-slow) trap \"\" TERM; echo > started; \
                  sleep 300.0519;; esac'";
    let mut child = Command::new(env!("CARGO_BIN_EXE_mcp-checks"))
        .args(["run", "--profile", "session-http", "--jobs", "1", "--client", client])
        .args(["--format", "json", "--output", "report.json"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while !folder.path().join("started").exists() {
        assert!(started.elapsed() < Duration::from_secs(30), "the slow client was started");
        std::thread::sleep(Duration::from_millis(10));
    }
    let interrupted =
        Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status();
    assert!(interrupted.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let text = fs::read_to_string(folder.path().join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&text).expect("the report is whole");
    let executions = report["executions"].as_array().unwrap();
    let outcomes: Vec<_> = executions.iter().map(|one| one["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["fail", "cancelled", "cancelled"]);
    assert_eq!(report["summary"]["failed"], 1);
    let left = fs::read_dir("/proc").into_iter().flatten().flatten().filter(|entry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|word| word == b"300.0519")
    });
    assert_eq!(left.count(), 0, "the client is gone");
}
