//! Each reporter is fed the same hand-made run, which has every verdict and
//! every trouble, and is compared with a file under `tests/golden/`.

mod run;

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use super::*;
use crate::check::Decision;
use crate::runner::{Counts, Summary};
use crate::wire::redact::Redactor;
use crate::wire::text::Style;
use run::{SECRET, events, execution, plan};

/// What is written can be read after the reporter is gone.
#[derive(Clone, Default)]
struct Page(Arc<Mutex<Vec<u8>>>);

impl Page {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn of_executions(executions: Counts) -> Summary {
    Summary { executions, ..Summary::default() }
}

fn style() -> Style {
    Style { redactor: Redactor::new([SECRET]), ..Style::default() }
}

fn report(make: impl FnOnce(Page) -> Box<dyn Reporter>, events: &[Event]) -> String {
    let page = Page::default();
    let mut reporter = make(page.clone());
    for event in events {
        reporter.event(event).unwrap();
    }
    page.text()
}

fn human(colour: bool) -> impl FnOnce(Page) -> Box<dyn Reporter> {
    move |page| Box::new(Human::new(page, style(), colour, 100))
}

fn json(page: Page) -> Box<dyn Reporter> {
    Box::new(Json::new(page, style()))
}

fn junit(page: Page) -> Box<dyn Reporter> {
    Box::new(JUnit::new(page, style()))
}

fn assert_golden(name: &str, text: &str) {
    assert!(!text.contains(SECRET), "a secret is shown in {name}");
    assert!(!text.contains("127.0.0.1"), "an origin is shown by its address in {name}");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../tests/golden");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn a_person_reads_what_is_the_matter() {
    let text = report(human(false), &events());
    assert!(!text.contains('\x1b'), "no colours unless told so");
    assert_golden("human", &text);
}

#[test]
fn colours_are_used_only_when_told_so() {
    let text = report(human(true), &events());
    assert!(text.contains("\x1b[31m"));
    let plain = strip(&text);
    assert_eq!(plain, report(human(false), &events()), "colours change nothing else");
}

fn strip(text: &str) -> String {
    let mut pieces = text.split("\x1b[");
    let mut out = pieces.next().unwrap().to_owned();
    for piece in pieces {
        out.push_str(piece.split_once('m').unwrap().1);
    }
    let lines: Vec<&str> = out.split('\n').map(str::trim_end).collect();
    lines.join("\n")
}

#[test]
fn no_line_break_hides_a_secret() {
    let events: Vec<Event> = events();
    let page = Page::default();
    let mut narrow = Human::new(page.clone(), style(), false, 8);
    for event in &events {
        narrow.event(event).unwrap();
    }
    let letters: String =
        page.text().chars().filter(|character| character.is_ascii_alphanumeric()).collect();
    assert!(!letters.contains(SECRET), "{letters}");
}

#[test]
fn one_cause_in_many_executions_is_shown_once() {
    let many = (0..52).map(run::invalid);
    let finished = many.map(|one| Event::ExecutionFinished(Box::new(one)));
    let mut events = vec![Event::RunStarted(plan(52))];
    events.extend(finished);
    let text = report(human(false), &events_with_end(events));
    assert_eq!(text.matches("\nwire-schema\n").count(), 1, "{text}");
    assert!(text.contains("  in        52 executions\n"), "{text}");
    assert!(text.contains("server/3, server/4, server/5 and 46 more\n"), "{text}");
    assert!(text.lines().count() < 20, "{text}");
}

#[test]
fn a_second_cause_in_one_execution_is_a_finding_of_its_own() {
    let cause = "as Tool, at `/name`, expected a string";
    let with_two = |number| {
        let mut execution = run::invalid(number);
        let decision = execution.checkpoints.last_mut().and_then(|last| last.decision.as_mut());
        decision.expect("it is decided").further.push(Decision {
            reason: format!("not valid at 2025-11-25, in exchange {number}: {cause}"),
            cause: Some(cause.to_owned()),
            ..Decision::default()
        });
        Event::ExecutionFinished(Box::new(execution))
    };
    let events: Vec<Event> =
        std::iter::once(Event::RunStarted(plan(3))).chain((0..3).map(with_two)).collect();
    let events = events_with_end(events);
    let text = report(human(false), &events);
    assert_eq!(text.matches("\nwire-schema\n").count(), 2, "{text}");
    assert!(text.contains(cause), "{text}");
    assert_eq!(report(json, &events).matches(cause).count(), 3);
    assert_eq!(report(junit, &events).matches("as Tool, at").count(), 3);
}

fn events_with_end(mut events: Vec<Event>) -> Vec<Event> {
    let failed = events.len() - 1;
    let counts = Counts { ran: failed, failed, ..Counts::default() };
    events.push(Event::RunFinished(of_executions(counts)));
    events
}

#[test]
fn a_run_in_which_all_held_says_little() {
    let summary = of_executions(Counts { ran: 1, ..Counts::default() });
    let events = [
        Event::RunStarted(plan(1)),
        Event::ExecutionFinished(Box::new(execution("client/a", "json"))),
        Event::RunFinished(summary),
    ];
    assert_eq!(
        report(human(false), &events),
        "embedded: 1 execution of 1 check for 2 profiles\n\
         231 built-in checks are left out: the folder of checks takes their place; \
         --with-builtin adds them\n1 execution ran, all held\nin 0 ms\n"
    );
}

#[test]
fn a_run_in_which_nothing_ran_says_so() {
    let events = [Event::RunStarted(plan(0)), Event::RunFinished(Summary::default())];
    assert!(report(human(false), &events).contains("\nNothing ran: no check was selected."));
    let mut skipped = execution("client/a", "json");
    skipped.trouble = Some(crate::runner::event::Trouble::Skipped("needs a session".into()));
    skipped.outcome = crate::runner::Outcome::Skip;
    let events = [
        Event::RunStarted(plan(1)),
        Event::ExecutionFinished(Box::new(skipped)),
        Event::RunFinished(of_executions(Counts { skipped: 1, ..Counts::default() })),
    ];
    let text = report(human(false), &events);
    assert!(text.contains("Nothing ran: see below why. (1 skipped)"), "{text}");
    assert!(text.contains("skipped\n  1 execution: needs a session\n"), "{text}");
}

#[test]
fn json_is_one_document_with_keys_in_a_stable_order() {
    let text = report(json, &events());
    assert_golden("json", &text);
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["format"], json::FORMAT);
    let executions = document["executions"].as_array().unwrap();
    let outcomes: Vec<&str> =
        executions.iter().map(|execution| execution["outcome"].as_str().unwrap()).collect();
    assert_eq!(
        outcomes,
        ["fail", "fail", "warn", "error", "fail", "timeout", "cancelled", "skip", "pass", "fail"]
    );
    assert_eq!(executions[0]["checkpoints"][1]["place"]["line"], 3);
    assert_eq!(executions[0]["exchanges"][0]["status"], 200);
}

#[test]
fn json_without_executions_is_whole_too() {
    let events = [Event::RunFinished(Summary::default())];
    let document: serde_json::Value = serde_json::from_str(&report(json, &events)).unwrap();
    assert_eq!(document["plan"], serde_json::Value::Null);
    assert_eq!(document["executions"], serde_json::json!([]));
}

#[test]
fn junit_tells_failures_from_errors() {
    let text = report(junit, &events());
    assert_golden("junit", &text);
    let report = quick_junit::Report::deserialize_from_str(&text).unwrap();
    let suites: Vec<_> = report
        .test_suites
        .iter()
        .map(|suite| {
            (suite.name.as_str(), suite.tests, suite.failures, suite.errors, suite.skipped)
        })
        .collect();
    assert_eq!(suites, [("json", 8, 3, 1, 2), ("session-http", 2, 2, 0, 0)]);
}

#[test]
fn progress_follows_the_events() {
    let mut progress = Progress::new(false, false);
    let page = Page::default();
    let mut beside = progress.beside(page.clone());
    progress.event(&Event::RunStarted(plan(3))).unwrap();
    progress.event(&Event::Progress { done: 2 }).unwrap();
    assert_eq!((progress.bar().position(), progress.bar().length()), (2, Some(3)));
    let mut red = execution("client/a", "json");
    red.outcome = crate::runner::Outcome::Fail;
    progress.event(&Event::ExecutionFinished(Box::new(red))).unwrap();
    assert_eq!(progress.bar().message(), ", 1 red");
    writeln!(beside, "text").unwrap();
    progress.event(&Event::RunFinished(Summary::default())).unwrap();
    assert!(progress.bar().is_finished());
    assert_eq!(page.text(), "text\n", "nothing is drawn that is not on a terminal");
}

#[test]
fn several_reporters_all_get_every_event() {
    struct Full;
    impl Reporter for Full {
        fn event(&mut self, _: &Event) -> io::Result<()> {
            Err(io::Error::other("full"))
        }
    }
    let page = Page::default();
    let mut all: Vec<Box<dyn Reporter>> = vec![Box::new(Full), human(false)(page.clone())];
    let error = all.event(&Event::RunStarted(plan(1))).unwrap_err();
    assert_eq!(error.to_string(), "full");
    assert!(page.text().starts_with("embedded: "));
}
