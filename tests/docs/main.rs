//! The documents tell the truth: each script in them is run, each command line
//! is parsed, each link leads somewhere.
//!
//! What is done with a fenced block follows from its info string:
//!
//! | info string | what has to be true |
//! |---|---|
//! | `rhai` | it is a whole check, and all of it holds |
//! | `rhai,fails` | it is a whole check, and something in it is red |
//! | `rhai,broken` | it is a broken check; the next `text` block shows lines of what is said |
//! | `rhai,fault` | it is a fault, and turns the last whole check before it red |
//! | `rhai,fragment` | it compiles; without a function of its own it is wrapped in one |
//! | `sh,client` | it is a client that knows one task, and says so of all others |
//! | `sh` | each `mcp-checks` in it is a command line that can be parsed |

mod coverage;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Parser as _;
use mcp_checks::check::{Check, Level, Library, Selection, SourceText, Verdict};
use mcp_checks::cli::CommandLine;
use mcp_checks::cli::new::CLIENT_TEMPLATE;
use mcp_checks::profile;
use mcp_checks::runner::event::Trouble;
use mcp_checks::runner::plan::Choice;
use mcp_checks::runner::subject::Command;
use mcp_checks::runner::{self, Event, Execution, Plan, Settings, Subject};
use mcp_checks::script::engine::{Limits, ScriptEngine};
use mcp_checks::script::fault::FaultScript;
use miette::{GraphicalReportHandler, GraphicalTheme, NamedSource};

/// One fenced block of a document.
struct Block {
    /// The document and the line of the opening fence: `docs/reports.md:12`.
    place: String,
    info: String,
    text: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every document, by its path below the root.
fn documents() -> Vec<(PathBuf, String)> {
    let mut paths = vec![PathBuf::from("README.md")];
    let folder = std::fs::read_dir(root().join("docs")).expect("the documents are there");
    for entry in folder {
        let name = entry.expect("an entry can be read").file_name();
        if Path::new(&name).extension().is_some_and(|ending| ending == "md") {
            paths.push(Path::new("docs").join(name));
        }
    }
    paths.sort();
    let read = |path: &Path| std::fs::read_to_string(root().join(path)).expect("it can be read");
    paths.into_iter().map(|path| (path.clone(), read(&path))).collect()
}

/// The fenced blocks of every document, in order.
fn blocks() -> Vec<Block> {
    let mut blocks = Vec::new();
    for (path, text) in documents() {
        let mut open: Option<Block> = None;
        for (index, line) in text.lines().enumerate() {
            match (line.trim().strip_prefix("```"), &mut open) {
                (Some(info), None) => {
                    let place = format!("{}:{}", path.display(), index + 1);
                    open = Some(Block { place, info: info.to_owned(), text: String::new() });
                }
                (Some(_), Some(_)) => blocks.extend(open.take()),
                (None, Some(block)) => block.text.extend([line, "\n"]),
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "a block of {} is never closed", path.display());
    }
    blocks
}

fn source(block: &Block, text: &str) -> SourceText {
    Arc::new(NamedSource::new(block.place.clone(), Arc::from(text)))
}

/// Runs a block as the only check, for every built-in profile.
fn run(block: &Block, fault: Option<&Block>) -> Vec<Execution> {
    let check = Check::from_source("docs/example", source(block, &block.text));
    let library = Library::of(vec![check]);
    let profiles = profile::embedded().expect("the built-in profiles are valid");
    let mut settings = Settings::new(Subject::Embedded);
    settings.fail_on = Level::Interop;
    settings.fault = fault.map(|fault| {
        let name = "docs-example".to_owned();
        Arc::new(FaultScript::new(name, source(fault, &fault.text)))
    });
    let plan = Plan::new(&library, &profiles, &settings.subject, &Choice::default());
    let mut executions = Vec::new();
    runner::run(&plan, &library.support, &settings, |event| {
        if let Event::ExecutionFinished(execution) = event {
            executions.push(*execution);
        }
    });
    executions.retain(|one| !matches!(one.trouble, Some(Trouble::Skipped(_))));
    assert!(!executions.is_empty(), "{}: nothing ran", block.place);
    executions
}

/// What is said of the executions that are in trouble, as a person sees it on a
/// terminal that is wide enough.
fn told(executions: &[Execution]) -> String {
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor())
        .with_wrap_lines(false);
    let mut told = String::new();
    for execution in executions {
        match &execution.trouble {
            None => {}
            Some(Trouble::Broken(report) | Trouble::Subject(report)) => handler
                .render_report(&mut told, report.as_ref().as_ref())
                .expect("a string can be written to"),
            Some(other) => told.push_str(&format!("{other:?}")),
        }
    }
    told
}

fn is_red(executions: &[Execution]) -> bool {
    executions.iter().any(|execution| execution.outcome.is_red())
}

#[test]
fn whole_checks_hold() {
    let blocks = blocks();
    let checks: Vec<_> = blocks.iter().filter(|block| block.info == "rhai").collect();
    assert!(checks.len() > 5, "the examples are found");
    for block in checks {
        let executions = run(block, None);
        assert_eq!(told(&executions), "", "{}", block.place);
        for result in executions.iter().flat_map(|execution| &execution.checkpoints) {
            assert!(
                matches!(result.verdict, Verdict::Pass | Verdict::Skip),
                "{}: {}: {} {:?}",
                block.place,
                result.checkpoint.id,
                result.verdict,
                result.decision
            );
        }
    }
}

#[test]
fn checks_that_are_said_to_fail_do() {
    let blocks = blocks();
    for block in blocks.iter().filter(|block| block.info == "rhai,fails") {
        let executions = run(block, None);
        assert_eq!(told(&executions), "", "{}", block.place);
        assert!(is_red(&executions), "{}: all of it held", block.place);
    }
}

#[test]
fn broken_checks_are_explained_as_shown() {
    let blocks = blocks();
    for (index, block) in blocks.iter().enumerate() {
        if block.info != "rhai,broken" {
            continue;
        }
        let told = told(&run(block, None));
        let shown = &blocks[index + 1];
        assert_eq!(shown.info, "text", "{}: what is said follows", block.place);
        for line in shown.text.lines() {
            assert!(told.contains(line.trim()), "{}: {line}\nis not in\n{told}", shown.place);
        }
    }
}

#[test]
fn faults_are_found() {
    let blocks = blocks();
    let mut last_check = None;
    for block in &blocks {
        match block.info.as_str() {
            "rhai" => last_check = Some(block),
            "rhai,fault" => {
                let check = last_check.expect("a whole check stands before it");
                let executions = run(check, Some(block));
                assert_eq!(told(&executions), "", "{}", block.place);
                assert!(is_red(&executions), "{}: nobody noticed", block.place);
            }
            _ => {}
        }
    }
}

#[test]
fn fragments_compile() {
    let support = Library::of(Vec::new()).support;
    let engine = ScriptEngine::new(&support.libraries, Limits::default())
        .expect("the built-in support scripts compile");
    for block in blocks().iter().filter(|block| block.info == "rhai,fragment") {
        let has_function = block.text.lines().any(|line| line.starts_with("fn "));
        let text = if has_function {
            block.text.clone()
        } else {
            format!("fn fragment(server, client, seen, input) {{\n{}\n}}\n", block.text)
        };
        if let Err(error) = engine.compile(&source(block, &text)) {
            panic!("{}: {:?}", block.place, miette::Report::new(error));
        }
        if block.text.starts_with("//!") {
            let check = Check::from_source("docs/header", source(block, &block.text));
            assert!(check.is_ok(), "{}: {:?}", block.place, check.map_err(|broken| broken.problem));
        }
    }
}

#[test]
fn the_first_check_is_the_one_that_new_writes() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("it can be read");
    assert!(
        readme.contains(CLIENT_TEMPLATE),
        "put the template of `mcp-checks new` into README.md"
    );
}

#[test]
fn every_kind_of_block_is_known() {
    const KNOWN: [&str; 5] = ["rhai", "rhai,fails", "rhai,broken", "rhai,fault", "rhai,fragment"];
    for block in blocks() {
        let is_script = block.info.starts_with("rhai");
        assert!(
            !is_script || KNOWN.contains(&block.info.as_str()),
            "{}: {}",
            block.place,
            block.info
        );
    }
}

#[test]
fn command_lines_can_be_parsed() {
    let mut parsed = 0;
    for block in blocks().iter().filter(|block| block.info == "sh") {
        for line in block.text.lines() {
            let Some(line) = line.trim().strip_prefix("mcp-checks ") else { continue };
            let mut words = shlex::split(line).expect("quotes are closed");
            // What a shell would not pass on: a comment, a pipe, a redirection.
            if let Some(end) = words.iter().position(|word| ["#", "|", ">"].contains(&&**word)) {
                words.truncate(end);
            }
            words.insert(0, "mcp-checks".to_owned());
            if let Err(error) = CommandLine::try_parse_from(words) {
                assert!(!error.use_stderr(), "{}: {line}\n{error}", block.place);
            }
            parsed += 1;
        }
    }
    assert!(parsed > 10, "the command lines are found");
}

/// The client of the page about clients, with this program in the place of an SDK.
#[cfg(unix)]
#[test]
fn the_first_driver_knows_one_task() {
    let blocks = blocks();
    let driver = blocks.iter().find(|block| block.info == "sh,client").expect("it is there");
    let sdk = "my-client call \"$1\" add '{\"a\": 17, \"b\": 25}'";
    assert!(driver.text.contains(sdk), "{}", driver.place);
    let drive = concat!(env!("CARGO_BIN_EXE_mcp-checks"), " drive client/tool-call-basic \"$1\"");
    let file = tempfile::NamedTempFile::new().expect("a file can be written");
    std::fs::write(file.path(), driver.text.replace(sdk, drive)).expect("it can be written to");
    let arguments = vec![file.path().display().to_string()];
    let command = Command { program: "sh".to_owned(), arguments };
    let library = Library::embedded();
    let profiles = profile::embedded().expect("the built-in profiles are valid");
    let settings = Settings::new(Subject::Client(command));
    let ids = ["client/session-recovery".to_owned(), "client/tool-call-basic".to_owned()];
    let choice = Choice {
        selection: Some(&Selection::parse(&ids, &library).expect("there are such checks")),
        profiles: &["session-http".to_owned()],
        ..Choice::default()
    };
    let plan = Plan::new(&library, &profiles, &settings.subject, &choice);
    let mut skipped = Vec::new();
    let summary = runner::run(&plan, &library.support, &settings, |event| {
        if let Event::ExecutionFinished(execution) = event
            && let Some(Trouble::Skipped(reason)) = execution.trouble
        {
            skipped.push((execution.check, reason));
        }
    });
    let reason = "the client does not know this task (exit code 77)".to_owned();
    assert_eq!(skipped, [("client/session-recovery".to_owned(), reason)]);
    assert_eq!((summary.executions.ran, summary.executions.failed), (1, 0));
}

#[test]
fn links_lead_somewhere() {
    for (path, text) in documents() {
        let folder = root().join(&path).parent().expect("it stands in a folder").to_owned();
        for (_, rest) in text.match_indices("](").map(|(at, found)| text.split_at(at + found.len()))
        {
            let target = rest.split(')').next().unwrap_or_default();
            let file = target.split('#').next().unwrap_or_default();
            if file.is_empty() || target.contains("://") {
                continue;
            }
            assert!(folder.join(file).exists(), "{}: {target} is not there", path.display());
        }
    }
}
