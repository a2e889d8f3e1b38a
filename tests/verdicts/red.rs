//! What is red is decided once: the report for a person, JSON, JUnit and the exit
//! code never disagree.

use mcp_checks::check::{Check, Level, Library};
use mcp_checks::cli::exit::Exit;
use mcp_checks::report::{Human, JUnit, Json, Reporter};
use mcp_checks::runner::plan::Choice;
use mcp_checks::runner::{self, Plan, Settings, Subject};
use serde_json::Value;

use crate::library::{Written, profile, source};

/// A check with one claim for each pair of a level and what becomes of it.
fn check(id: &str, claims: &[(&str, &str)]) -> Result<Check, mcp_checks::check::BrokenCheck> {
    let mut text =
        String::from("//! Calls one tool.\n//!\n//! task: Call the tool add with a = 17.\n//!\n");
    for (index, (level, _)) in claims.iter().enumerate() {
        text.push_str(&format!("//! c{index}  {level}  A claim\n"));
    }
    text.push_str(
        "\nfn serve(server) { server.tool(\"add\", #{}, |args| \"1\"); }\n\
         fn drive(client) { client.call_tool(\"add\", #{ a: 17 }) }\n\
         fn judge(seen) {\n",
    );
    for (index, (_, said)) in claims.iter().enumerate() {
        text.push_str(&match *said {
            "held" => format!("    seen.check(\"c{index}\", seen.calls(\"add\").len == 1);\n"),
            "not held" => format!("    seen.check(\"c{index}\", seen.calls(\"add\").len == 2);\n"),
            "never" => format!("    seen.check(\"c{index}\", seen.calls(\"add\")[7].id == 1);\n"),
            "skipped" => format!("    seen.skip(\"c{index}\", \"it does not apply\");\n"),
            other => panic!("{other}"),
        });
    }
    text.push_str("}\n");
    Check::from_source(id, source(&text))
}

/// What every report and the exit code say.
#[derive(Debug, PartialEq, Eq)]
struct Said {
    /// The outcomes in JSON.
    outcomes: Vec<String>,
    /// How many are red: in JSON's summary, and each by its own word.
    red: [u64; 2],
    /// How many checkpoints are red: each by its own word, and as they are counted.
    red_claims: [u64; 2],
    /// JUnit's failures.
    failures: usize,
    /// The line that a person sees of all.
    headline: String,
    code: u8,
}

fn said(checks: &[&[(&str, &str)]], fail_on: Level) -> Said {
    let ids = ["a", "b", "c", "d"];
    let library = Library::of(ids.iter().zip(checks).map(|(id, of)| check(id, of)).collect());
    let mut settings = Settings::new(Subject::Embedded);
    settings.fail_on = fail_on;
    let profiles = profile("session-http");
    let plan = Plan::new(&library, &profiles, &settings.subject, &Choice::default());
    let [human, json, junit] = [(); 3].map(|()| Written::default());
    let style = || settings.style.clone();
    let mut reporters: Vec<Box<dyn Reporter>> = vec![
        Box::new(Human::new(human.clone(), style(), false, 100)),
        Box::new(Json::new(json.clone(), style())),
        Box::new(JUnit::new(junit.clone(), style())),
    ];
    let summary = runner::run(&plan, &library.support, &settings, |event| {
        reporters.event(&event).unwrap();
    });
    let json: Value = serde_json::from_str(&json.text()).unwrap();
    let executions = json["executions"].as_array().unwrap();
    let is_red = |value: &&Value| value["red"] == true;
    let claims = executions.iter().flat_map(|one| one["checkpoints"].as_array().unwrap());
    let counted = json["summary"]["checkpoints"].as_array().unwrap();
    let human = human.text();
    Said {
        outcomes: executions.iter().map(|one| one["outcome"].as_str().unwrap().into()).collect(),
        red: [
            json["summary"]["failed"].as_u64().unwrap(),
            executions.iter().filter(is_red).count() as u64,
        ],
        red_claims: [
            claims.filter(is_red).count() as u64,
            counted.iter().map(|one| one["red"].as_u64().unwrap()).sum(),
        ],
        failures: junit.text().matches("<failure ").count(),
        headline: human.lines().find(|line| line.contains(" ran, ")).unwrap().to_owned(),
        code: Exit::of(&summary).code(),
    }
}

#[test]
fn each_level_weighs_the_same_in_every_report() {
    for (level, said_of_it, by_default, on_should) in [
        ("MUST", "held", "pass", "pass"),
        ("MUST", "not held", "fail", "fail"),
        ("MUST", "never", "fail", "fail"),
        ("MUST", "skipped", "pass", "pass"),
        ("MUST [task]", "not held", "fail", "fail"),
        ("MUST [task]", "never", "fail", "fail"),
        ("SHOULD", "held", "pass", "pass"),
        ("SHOULD", "not held", "warn", "fail"),
        ("SHOULD", "never", "warn", "fail"),
        ("SHOULD", "skipped", "pass", "pass"),
        ("MAY", "not held", "note", "note"),
        ("MAY", "never", "note", "note"),
        ("INTEROP", "not held", "note", "note"),
        ("INTEROP", "never", "note", "note"),
    ] {
        for (fail_on, outcome) in [(Level::Must, by_default), (Level::Should, on_should)] {
            let red = u64::from(outcome == "fail");
            let headline = match outcome {
                "pass" => "1 execution ran, all held",
                "note" => "1 execution ran, nothing failed, 1 with notes",
                "warn" => "1 execution ran, nothing failed, 1 with warnings",
                _ => "1 execution ran, 1 failed",
            };
            let expected = Said {
                outcomes: vec![outcome.to_owned()],
                red: [red; 2],
                red_claims: [red; 2],
                failures: usize::from(outcome == "fail"),
                headline: headline.to_owned(),
                code: u8::from(outcome == "fail"),
            };
            let found = said(&[&[(level, said_of_it)]], fail_on);
            assert_eq!(found, expected, "{level} {said_of_it} with fail-on {fail_on}");
        }
    }
}

#[test]
fn what_weighs_most_names_the_execution_and_all_are_counted() {
    let held = ("MUST", "held");
    let checks: [&[(&str, &str)]; 4] = [
        &[held, ("MAY", "never")],
        &[held, ("INTEROP", "not held"), ("SHOULD", "never"), ("SHOULD", "not held")],
        &[("MUST", "never"), ("SHOULD", "not held"), ("MUST", "not held")],
        &[held],
    ];
    let by_default = said(&checks, Level::Must);
    assert_eq!(by_default.outcomes, ["note", "warn", "fail", "pass"]);
    assert_eq!(by_default.headline, "4 executions ran, 1 failed, 1 with warnings, 1 with notes");
    assert_eq!((by_default.red, by_default.red_claims), ([1, 1], [2, 2]));
    assert_eq!((by_default.failures, by_default.code), (1, 1));
    let on_should = said(&checks, Level::Should);
    assert_eq!(on_should.outcomes, ["note", "fail", "fail", "pass"]);
    assert_eq!(on_should.headline, "4 executions ran, 2 failed, 1 with notes");
    assert_eq!((on_should.red, on_should.red_claims), ([2, 2], [5, 5]));
    assert_eq!((on_should.failures, on_should.code), (2, 1));
}
