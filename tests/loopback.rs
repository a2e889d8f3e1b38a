//! The double tells the truth: for every shipped check and profile the wire of
//! the loopback subject, recorded at the double, equals that of the embedded
//! one, but for hop header fields and with origins written by name.

use std::collections::{BTreeMap, BTreeSet};

use mcp_checks::check::{Library, Selection};
use mcp_checks::profile;
use mcp_checks::runner::plan::Choice;
use mcp_checks::runner::{self, Event, Plan, Settings, Subject};
use mcp_checks::wire::Exchange;
use mcp_checks::wire::text::{Style, render};

/// The wire of every execution of the shipped suite, or of the checks with the
/// ids `only`, by check, case and profile.
fn wires(subject: Subject, only: &[String]) -> BTreeMap<String, Vec<String>> {
    let library = Library::embedded();
    let profiles = profile::embedded().expect("the shipped profiles are valid");
    let mut settings = Settings::new(subject);
    // A build that is not optimised has more to do than to wait.
    settings.jobs = Settings::new(Subject::Embedded).jobs;
    settings.trace = true;
    // Times are virtual on one side and scaled on the other.
    settings.style = Style { times: false, ..Style::default() };
    let selection = Selection::parse(only, &library).expect("the ids are known");
    let choice = Choice { selection: Some(&selection), ..Choice::default() };
    let plan = Plan::new(&library, &profiles, &settings.subject, &choice);
    let mut wires = BTreeMap::new();
    runner::run(&plan, &library.support, &settings, |event| {
        let Event::ExecutionFinished(execution) = event else { return };
        if matches!(execution.trouble, Some(runner::event::Trouble::Skipped(_))) {
            return;
        }
        assert!(execution.trouble.is_none(), "{}: {:?}", execution.name(), execution.trouble);
        let style = settings.style.with_origins(&execution.origins);
        let name = format!("{} at {}", execution.name(), execution.profile);
        wires.insert(name, execution.exchanges.iter().map(|one| text(one, &style)).collect());
    });
    wires
}

/// An exchange with its header fields in a fixed order: HTTP gives their order
/// no meaning (RFC 9110, section 5.3), and a socket's library may change it.
fn text(exchange: &Exchange, style: &Style) -> String {
    let mut sorted = exchange.clone();
    sort(&mut sorted.headers);
    if let Some(head) = &mut sorted.response {
        sort(&mut head.headers);
    }
    render(&sorted, style)
}

fn sort(headers: &mut http::HeaderMap) {
    let mut fields: Vec<_> =
        headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    fields.sort_by(|(one, _), (other, _)| one.as_str().cmp(other.as_str()));
    headers.clear();
    for (name, value) in fields {
        headers.append(name, value);
    }
}

/// How often what differs is run again: on the real clock a busy machine may be
/// late, and a leg of 15 seconds has 0.3 seconds. A true difference stays.
const ATTEMPTS: usize = 3;

/// The differences, each with its check's id.
fn differences(
    embedded: &BTreeMap<String, Vec<String>>,
    loopback: &BTreeMap<String, Vec<String>>,
) -> Vec<(String, String)> {
    let mut differences = Vec::new();
    for (name, found) in loopback {
        let expected = &embedded[name];
        if expected != found {
            let (old, new) = (expected.join("\n"), found.join("\n"));
            let id = name.split(['[', ' ']).next().unwrap_or(name).to_owned();
            differences.push((id, format!("{name}\n{}", mcp_checks::snapshot::diff(&old, &new))));
        }
    }
    differences
}

#[test]
fn a_real_socket_carries_the_same_bytes() {
    let embedded = wires(Subject::Embedded, &[]);
    let loopback = wires(Subject::Loopback, &[]);
    assert!(embedded.len() > 500, "the suite ran");
    assert_eq!(
        embedded.keys().collect::<Vec<_>>(),
        loopback.keys().collect::<Vec<_>>(),
        "the same executions ran"
    );
    let mut left = differences(&embedded, &loopback);
    for _ in 1..ATTEMPTS {
        if left.is_empty() {
            break;
        }
        let ids: BTreeSet<String> = left.into_iter().map(|(id, _)| id).collect();
        let again = wires(Subject::Loopback, &ids.into_iter().collect::<Vec<_>>());
        left = differences(&embedded, &again);
    }
    let texts: Vec<String> = left.into_iter().map(|(_, text)| text).collect();
    assert!(texts.is_empty(), "embedded and loopback differ:\n{}", texts.join("\n"));
}
