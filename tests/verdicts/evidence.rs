//! A checkpoint passes only on evidence, and one that does not apply is skipped
//! with a reason.

use mcp_checks::check::{CheckKind, Level, Library, Verdict, WIRE_SCHEMA};
use mcp_checks::runner::event::Trouble;
use mcp_checks::runner::subject::Command;
use mcp_checks::runner::{Settings, Subject};

use crate::library::{line, one, profile, profiles, run, shipped, verdicts};

const SILENT: &str = r#"//! Waits for something that never comes.
//!
//! checked  MUST    It is checked
//! equal    SHOULD  It is equal
//! every    MAY     All are
//! none     INTEROP None is

fn serve(server) { server.tool("add", #{}, |args| 1); }
fn drive(client) {}
fn judge(seen) {
    seen.check("checked", seen.before("notifications/initialized", "tools/call"));
    seen.equal("equal", seen.calls("add")[0].arguments, #{ a: 17 });
    seen.every("every", seen.requests, |request| true);
    seen.none("none", seen.requests, |request| false);
}
"#;

#[test]
fn what_never_happened_is_not_exercised_and_red() {
    let executions = run(&one(SILENT), &profile("session-http"), &Settings::new(Subject::Embedded));
    let own = verdicts(&executions).filter(|(_, result)| result.checkpoint.id != WIRE_SCHEMA);
    let found: Vec<_> = own.map(|(_, result)| result.verdict).collect();
    assert_eq!(found, [Verdict::NotExercised; 4]);
    assert!(executions[0].is_red(Level::Must));
    for level in ["MUST", "SHOULD", "MAY", "INTEROP"] {
        let alone = SILENT.lines().filter(|line| {
            !line.starts_with("//! ") || line.contains(level) || line.ends_with("comes.")
        });
        let alone: Vec<_> = alone.collect();
        let id = alone[2].split_whitespace().nth(1).unwrap();
        let kept = alone.iter().filter(|line| !line.contains("seen.") || line.contains(id));
        let text: String = kept.map(|line| format!("{line}\n")).collect();
        let executions =
            run(&one(&text), &profile("session-http"), &Settings::new(Subject::Embedded));
        assert!(executions[0].is_red(Level::Must), "{level} alone: {text}");
    }
}

#[test]
fn what_never_happened_is_not_different_from_anything() {
    let never = "seen.calls(\"add\")[0]";
    for condition in [
        format!("{never}.arguments != ()"),
        format!("() != {never}.arguments"),
        format!("{never}.arguments.a != 17"),
        format!("{never} != seen.gets[0]"),
    ] {
        let text =
            SILENT.replace(r#"seen.before("notifications/initialized", "tools/call")"#, &condition);
        assert_ne!(text, SILENT);
        let executions =
            run(&one(&text), &profile("session-http"), &Settings::new(Subject::Embedded));
        let (_, result) = verdicts(&executions).next().expect("it was judged");
        assert_eq!(result.verdict, Verdict::Fail, "{condition}");
    }
}

/// A client that starts and ends: whatever passes for it passes on nothing.
#[test]
fn nothing_passes_for_a_client_that_does_nothing() {
    let command = Command { program: "true".to_owned(), arguments: Vec::new() };
    let library = shipped(CheckKind::Client);
    for profile in profiles() {
        let settings = Settings::new(Subject::Client(command.clone()));
        let executions = run(&library, &[profile], &settings);
        let broken: Vec<_> = executions
            .iter()
            .filter(|one| matches!(one.trouble, Some(Trouble::Broken(_))))
            .map(|one| format!("{}: {:?}", one.name(), one.trouble))
            .collect();
        assert_eq!(broken, Vec::<String>::new());
        let passed: Vec<_> = verdicts(&executions)
            .filter(|(_, result)| result.verdict == Verdict::Pass)
            .map(line)
            .collect();
        assert_eq!(passed, Vec::<String>::new());
    }
}

#[test]
fn what_does_not_apply_is_skipped_and_says_why() {
    let text = SILENT.replace("//!\n", "//!\n//! revisions: 2025-11-25\n//! needs: session\n//!\n");
    let executions = run(&one(&text), &profiles(), &Settings::new(Subject::Embedded));
    for execution in executions.iter().filter(|one| one.profile != "session-http") {
        let Some(Trouble::Skipped(reason)) = &execution.trouble else {
            panic!("{} ran", execution.profile);
        };
        let is_there = execution.revision.as_str() == "2025-11-25";
        let word = if is_there { "session" } else { execution.revision.as_str() };
        assert!(reason.contains(word), "{}: {reason}", execution.profile);
    }
    let text = r#"//! A feature that was never declared.
//!
//! listed  MUST  The roots are told

fn serve(server) {}
fn drive(client) { client.ping() }
fn judge(seen) {
    if !wire::declares(seen, "roots") {
        seen.skip("listed", "the client never declared roots");
        return;
    }
    seen.check("listed", seen.responses.len > 0);
}
"#;
    let executions = run(&one(text), &profile("session-http"), &Settings::new(Subject::Embedded));
    let (_, result) = verdicts(&executions).next().unwrap();
    assert_eq!(result.verdict, Verdict::Skip);
    assert_eq!(result.decision.as_ref().unwrap().reason, "the client never declared roots");
}

#[test]
fn every_skip_of_the_shipped_suite_says_why() {
    let executions = run(&Library::embedded(), &profiles(), &Settings::new(Subject::Embedded));
    for execution in &executions {
        if let Some(Trouble::Skipped(reason)) = &execution.trouble {
            assert!(!reason.is_empty(), "{}", execution.name());
        }
        for result in execution.checkpoints.iter().filter(|one| one.verdict == Verdict::Skip) {
            let decision = result.decision.as_ref();
            let reason = decision.map_or("", |decision| &decision.reason);
            assert!(!reason.is_empty(), "{}: {}", execution.name(), result.checkpoint.id);
        }
    }
}

#[test]
fn every_shipped_check_names_revisions_and_a_section() {
    for check in &Library::embedded().checks {
        let check = check.as_ref().expect("the shipped checks are in order");
        // What a host promises is its own policy, whatever the revision.
        if check.kind == CheckKind::Host {
            continue;
        }
        assert!(!check.header.spec.is_empty(), "{} has no `spec:`", check.id);
        let source = check.source().unwrap();
        assert!(source.inner().contains("//! revisions: "), "{} has no `revisions:`", check.id);
    }
}

#[test]
fn what_is_declared_is_decided_and_the_other_way_round() {
    let undecided = SILENT
        .replace("    seen.none", "    if false { seen.none")
        .replace("|request| false);", "|request| false); }");
    let undeclared = SILENT.replace("//! none     INTEROP None is\n", "");
    for text in [undecided, undeclared] {
        let executions =
            run(&one(&text), &profile("session-http"), &Settings::new(Subject::Embedded));
        assert!(matches!(executions[0].trouble, Some(Trouble::Broken(_))), "{text}");
    }
}
