//! A profile is only a profile: whatever it says, each shipped check holds, or is
//! skipped and says why.

use mcp_checks::check::{Library, Verdict};
use mcp_checks::profile;
use mcp_checks::runner::event::Trouble;
use mcp_checks::runner::{Settings, Subject};

use crate::library::{line, run, verdicts};

/// What somebody may write, each unlike the shipped profiles in one way.
const PROFILES: [(&str, &str); 14] = [
    ("bare", r#"revision = "2025-03-26""#),
    ("bare-modern", r#"revision = "2026-07-28""#),
    (
        "requires-tools",
        r#"revision = "2025-11-25"
        policy = { versions = ["2025-11-25"], required = ["tools"] }"#,
    ),
    (
        "requires-resources",
        r#"revision = "2025-11-25"
        policy = { versions = ["2025-11-25"], required = ["tools", "resources.subscribe"] }"#,
    ),
    (
        "requires-an-extension",
        r#"revision = "2026-07-28"
        [policy]
        versions = ["2026-07-28"]
        required = [["extensions", "io.modelcontextprotocol/tasks"]]"#,
    ),
    (
        "of-the-readme",
        r#"revision = "2025-11-25"
        url = "https://staging.example.com/mcp"
        [operator]
        data-class = "internal-configuration"
        zone = "external-eu"
        requires-approval = true
        [policy]
        versions = ["2025-11-25", "2025-06-18"]
        required = ["tools"]
        optional = ["resources.subscribe"]"#,
    ),
    (
        "without-the-oldest",
        r#"revision = "2025-06-18"
        policy = { versions = ["2025-11-25", "2025-06-18"] }"#,
    ),
    (
        "prefers-an-older-version",
        r#"revision = "2025-11-25"
        policy = { versions = ["2025-06-18", "2025-11-25"] }"#,
    ),
    (
        "of-two-eras",
        r#"revision = "2026-07-28"
        server = { framing = "event-stream" }
        policy = { versions = ["2026-07-28", "2025-06-18"] }"#,
    ),
    (
        "a-session-of-old",
        r#"revision = "2025-03-26"
        server = { session = "another", framing = "event-stream" }
        policy = { versions = ["2025-03-26"], optional = ["logging"] }"#,
    ),
    (
        "near-and-public",
        r#"revision = "2025-11-25"
        server = { session = "s" }
        operator = { zone = "local", data-class = "public-content", requires-approval = false }"#,
    ),
    (
        "far-and-secret",
        r#"revision = "2025-11-25"
        operator = { zone = "external-global", data-class = "secret-adjacent", identifier = "x" }"#,
    ),
    (
        "at-the-ceiling",
        r#"revision = "2025-06-18"
        operator = { zone = "private-hosted", data-class = "system-diagnostics" }"#,
    ),
    (
        "lacks-features",
        r#"revision = "2025-11-25"
        server = { lacks = ["logging", "completions", "resources.subscribe"] }"#,
    ),
];

#[test]
fn every_check_holds_or_says_why_it_does_not_run() {
    let folder = tempfile::tempdir().expect("there is a place for files");
    for (name, text) in PROFILES {
        std::fs::write(folder.path().join(format!("{name}.toml")), text).unwrap();
    }
    let profiles = profile::load(Some(folder.path())).expect("the profiles are in order");
    assert_eq!(profiles.len(), PROFILES.len());
    let executions = run(&Library::embedded(), &profiles, &Settings::new(Subject::Embedded));
    let mut wrong: Vec<String> = executions
        .iter()
        .filter(|one| !matches!(&one.trouble, None | Some(Trouble::Skipped(_))))
        .map(|one| format!("{} at {}: {:?}", one.name(), one.profile, one.trouble))
        .collect();
    let held = |verdict| matches!(verdict, Verdict::Pass | Verdict::Skip);
    wrong.extend(verdicts(&executions).filter(|(_, result)| !held(result.verdict)).map(line));
    assert_eq!(wrong.join("\n"), "");
    for (name, _) in PROFILES {
        let ran = executions.iter().filter(|one| one.profile == name && one.trouble.is_none());
        assert!(ran.count() > 100, "hardly anything ran at {name}");
    }
}
