//! The double tells the truth: for every shipped check and profile the wire of
//! the loopback subject, recorded at the double, equals that of the embedded
//! one, but for hop header fields and with origins written by name.

use std::collections::BTreeMap;

use mcp_checks::check::Library;
use mcp_checks::profile;
use mcp_checks::runner::plan::Choice;
use mcp_checks::runner::{self, Event, Plan, Settings, Subject};
use mcp_checks::wire::Exchange;
use mcp_checks::wire::text::{Style, render};

/// The wire of every execution of the shipped suite, by check, case and
/// profile.
fn wires(subject: Subject) -> BTreeMap<String, Vec<String>> {
    let library = Library::embedded();
    let profiles = profile::embedded().expect("the shipped profiles are valid");
    let mut settings = Settings::new(subject);
    settings.trace = true;
    // Times are virtual on one side and scaled on the other.
    settings.style = Style { times: false, ..Style::default() };
    let plan = Plan::new(&library, &profiles, &settings.subject, &Choice::default());
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

#[test]
fn a_real_socket_carries_the_same_bytes() {
    let embedded = wires(Subject::Embedded);
    let loopback = wires(Subject::Loopback);
    assert!(embedded.len() > 20, "the suite ran");
    assert_eq!(
        embedded.keys().collect::<Vec<_>>(),
        loopback.keys().collect::<Vec<_>>(),
        "the same executions ran"
    );
    let mut differences = Vec::new();
    for (name, expected) in &embedded {
        let found = &loopback[name];
        if expected != found {
            let (old, new) = (expected.join("\n"), found.join("\n"));
            differences.push(format!("{name}\n{}", mcp_checks::snapshot::diff(&old, &new)));
        }
    }
    assert!(differences.is_empty(), "embedded and loopback differ:\n{}", differences.join("\n"));
}
