//! A checkpoint passes only on evidence, and one that does not apply is skipped
//! with a reason.

use mcp_checks::check::{CheckKind, Level, Library, Verdict, WIRE_SCHEMA, Weight};
use mcp_checks::runner::event::Trouble;
use mcp_checks::runner::subject::Command;
use mcp_checks::runner::{Outcome, Settings, Subject};

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
fn what_never_happened_is_not_exercised_and_weighs_as_its_level_does() {
    let executions = run(&one(SILENT), &profile("session-http"), &Settings::new(Subject::Embedded));
    let own = verdicts(&executions).filter(|(_, result)| result.checkpoint.id != WIRE_SCHEMA);
    let found: Vec<_> = own.map(|(_, result)| (result.verdict, result.weight)).collect();
    let weights = [Weight::Red, Weight::Warning, Weight::Note, Weight::Note];
    assert_eq!(found, weights.map(|weight| (Verdict::NotExercised, weight)));
    assert_eq!(executions[0].outcome, Outcome::Fail);
    for (level, [by_default, on_should]) in [
        ("MUST", [Outcome::Fail, Outcome::Fail]),
        ("SHOULD", [Outcome::Warn, Outcome::Fail]),
        ("MAY", [Outcome::Note, Outcome::Note]),
        ("INTEROP", [Outcome::Note, Outcome::Note]),
    ] {
        let alone = SILENT.lines().filter(|line| {
            !line.starts_with("//! ") || line.contains(level) || line.ends_with("comes.")
        });
        let alone: Vec<_> = alone.collect();
        let id = alone[2].split_whitespace().nth(1).unwrap();
        let kept = alone.iter().filter(|line| !line.contains("seen.") || line.contains(id));
        let text: String = kept.map(|line| format!("{line}\n")).collect();
        for (fail_on, outcome) in [(Level::Must, by_default), (Level::Should, on_should)] {
            let mut settings = Settings::new(Subject::Embedded);
            settings.fail_on = fail_on;
            let executions = run(&one(&text), &profile("session-http"), &settings);
            assert_eq!(executions[0].outcome, outcome, "{level} alone, {fail_on}: {text}");
        }
    }
}

/// The verdicts on a check's own checkpoints, with the built-in client.
fn decided(text: &str) -> Vec<(String, Verdict)> {
    let executions = run(&one(text), &profile("session-http"), &Settings::new(Subject::Embedded));
    let own = verdicts(&executions).filter(|(_, result)| result.checkpoint.id != WIRE_SCHEMA);
    own.map(|(_, result)| (result.checkpoint.id.clone(), result.verdict)).collect()
}

#[test]
fn nothing_is_decided_by_what_never_happened() {
    let never = "seen.calls(\"add\")[0]";
    for condition in [
        format!("{never}.arguments != ()"),
        format!("() != {never}.arguments"),
        format!("{never}.arguments == ()"),
        format!("{never} != seen.gets[0]"),
        format!("{never}.at - 5 >= 500"),
        format!("500 > {never}.at"),
        format!("!{never}.exchange.aborted"),
        format!("type_of({never}.params) == \"map\""),
        format!("{never}.params.type_of() != \"map\""),
        format!("{never}.arguments.contains(\"a\")"),
        format!("![1, 2].contains({never}.arguments.a)"),
        format!("{never}.header(\"accept\").split(\",\").len == 0"),
        format!("{never}.nobody_knows_this(1)"),
        format!("{never}.arguments.a == 17 && true"),
        format!("{never}.arguments.a == 17 || true"),
        format!("if {never}.arguments.a == 17 {{ true }} else {{ true }}"),
        "seen.messages.any(|message| message.response.at > 1000)".to_owned(),
        "seen.messages.all(|message| message.response.at < 1000)".to_owned(),
        format!("seen.gets.all(|get| get.index < 5) && {never}.exchange.accepted"),
    ] {
        let text = SILENT
            .replace(r#"seen.before("notifications/initialized", "tools/call")"#, &condition)
            .replace("fn drive(client) {}", "fn drive(client) { client.ping() }");
        let expected = [
            ("checked".to_owned(), Verdict::NotExercised),
            ("equal".to_owned(), Verdict::NotExercised),
            ("every".to_owned(), Verdict::Pass),
            ("none".to_owned(), Verdict::Pass),
        ];
        assert_eq!(decided(&text), expected, "{condition}");
    }
}

/// One call is made, and each claim is about two.
#[test]
fn a_claim_that_held_once_does_not_hold_by_what_never_happened() {
    let judged = |judge: &str| {
        let text = format!(
            r#"//! Is about two calls.
//!
//! before  MUST  It is decided before
//! both    MUST  Both calls come
//! after   MUST  It is decided after

fn serve(server) {{ server.tool("echo", #{{ message: "string" }}, |args| args.message); }}
fn drive(client) {{ client.call_tool("echo", #{{ message: "hi" }}) }}
fn judge(seen) {{
    let calls = seen.calls("echo");
    seen.check("before", calls.len == 1);
    seen.check("both", calls[0].at >= 0);
    {judge}
    seen.check("after", calls.len == 1);
}}
"#
        );
        decided(&text).into_iter().map(|(_, verdict)| verdict).collect::<Vec<_>>()
    };
    use Verdict::{NotExercised, Pass};
    for judge in [
        r#"seen.check("both", calls[1].at - calls[0].at >= 500);"#,
        r#"seen.equal("both", calls[1].arguments.message, "hi");"#,
        r#"seen.check("both", calls[1].accepted && calls[1].at > 0);"#,
        r#"let late = calls[1].accepted && calls[1].at > 0; seen.check("both", late);"#,
        r#"seen.every("both", calls, |one| if calls[1].at > 0 { true } else { false });"#,
        r#"for one in calls { if calls[1].at > 0 { seen.check("both", true); } }"#,
        r#"seen.goal("both", calls, |one| calls[1].at > 0);"#,
    ] {
        assert_eq!(judged(judge), [Pass, NotExercised, Pass], "{judge}");
    }
    // What would have changed a value, or returned, cannot be passed over.
    for judge in [
        r#"let late = false; if calls[1].at > 0 { late = true; } seen.check("both", !late);"#,
        r#"if calls[1].at > 0 { return; } seen.check("both", true);"#,
        r#"let times = []; for one in calls { times.push(calls[1].at > 0 && calls.len > 0); }
           seen.equal("both", times.len, 0);"#,
    ] {
        assert_eq!(judged(judge), [Pass, NotExercised, NotExercised], "{judge}");
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
