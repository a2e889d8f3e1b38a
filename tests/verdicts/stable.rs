//! The same suite gives the same report, however many workers there are.

use mcp_checks::check::Library;
use mcp_checks::report::{Json, Reporter};
use mcp_checks::runner::plan::Choice;
use mcp_checks::runner::{self, Plan, Settings, Subject};
use serde_json::Value;

use crate::library::{Written, profiles};

/// The JSON report of the shipped suite without the real time that it took.
fn report(jobs: usize) -> Value {
    let (library, profiles) = (Library::embedded(), profiles());
    let mut settings = Settings::new(Subject::Embedded);
    settings.jobs = jobs;
    let plan = Plan::new(&library, &profiles, &settings.subject, &Choice::default());
    let written = Written::default();
    let mut reporter = Json::new(Box::new(written.clone()), settings.style.clone());
    runner::run(&plan, &library.support, &settings, |event| reporter.event(&event).unwrap());
    drop(reporter);
    let mut report: Value = serde_json::from_str(&written.text()).unwrap();
    report["summary"]["elapsed_ms"] = 0.into();
    for execution in report["executions"].as_array_mut().unwrap() {
        execution["elapsed_ms"] = 0.into();
    }
    report
}

#[test]
fn whatever_the_number_of_workers() {
    let alone = report(1);
    assert!(alone["executions"].as_array().unwrap().len() > 100);
    for jobs in [2, 8] {
        let again = report(jobs);
        let (one, other) = (alone["executions"].as_array(), again["executions"].as_array());
        for (one, other) in one.unwrap().iter().zip(other.unwrap()) {
            assert_eq!(one, other, "{jobs} workers");
        }
        assert_eq!(alone, again, "{jobs} workers");
    }
}
