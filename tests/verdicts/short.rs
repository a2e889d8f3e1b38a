//! A report for a person is short enough to read, whatever is wrong.

use std::sync::Arc;

use mcp_checks::check::CheckKind;
use mcp_checks::report::{Human, Reporter};
use mcp_checks::runner::plan::Choice;
use mcp_checks::runner::{self, Plan, Settings, Subject};
use mcp_checks::script::fault::FaultScript;

use crate::library::{Written, profiles, shipped, source};

/// Two screens, in lines.
const TWO_SCREENS: usize = 100;

/// A server with five faults, each of which shows in many executions.
const FIVE_FAULTS: &str = r#"//! Does five things wrong.

fn response(response) {
    if response.has("/error") { response.put("/error/code", "a text"); }
    if response.status == 405 { response.status = 403; }
    if response.answers == "tools/list" && response.has("/result/tools/0") {
        response.take("/result/tools/0/inputSchema");
    }
    if response.has("/result/ttlMs") { response.put("/result/ttlMs", -1); }
    if response.answers == "prompts/get" && response.has("/result/messages/0") {
        response.put("/result/messages/0/role", "nobody");
    }
}
"#;

#[test]
fn five_faults_of_a_server_fit_on_two_screens() {
    let (library, profiles) = (shipped(CheckKind::Server), profiles());
    let mut settings = Settings::new(Subject::Embedded);
    settings.fault = Some(Arc::new(FaultScript::new("five".to_owned(), source(FIVE_FAULTS))));
    let plan = Plan::new(&library, &profiles, &settings.subject, &Choice::default());
    let written = Written::default();
    let mut reporter = Human::new(written.clone(), settings.style.clone(), false, 100);
    let summary = runner::run(&plan, &library.support, &settings, |event| {
        reporter.event(&event).unwrap();
    });
    let text = written.text();
    assert!(summary.executions.failed > 50, "{text}");
    assert!(text.lines().count() <= TWO_SCREENS, "{} lines:\n{text}", text.lines().count());
    for place in ["/error/code`", "/result/ttlMs`", "/result/tools/"] {
        assert_eq!(text.matches(place).count(), 1, "{place} in\n{text}");
    }
    for claim in ["server/get#stream-or-405", "server/prompts#messages"] {
        assert_eq!(text.matches(claim).count(), 1, "{claim} in\n{text}");
    }
}
