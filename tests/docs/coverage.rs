//! `docs/coverage.md`: each row of the records that the suite was made from,
//! with the claims that hold it. The rows stand in `records.toml`; the document
//! is written from them by `UPDATE_COVERAGE=1 cargo test --test docs`.

mod scenarios;

use std::fmt::Write as _;
use std::path::Path;

use mcp_checks::check::Library;
use mcp_checks::profile;
use mcp_checks::runner::plan::{Choice, Plan};
use mcp_checks::runner::subject::Subject;
use serde::Deserialize;

/// How many checks the suite has at each profile, at least.
const LEAST: usize = 34;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Records {
    record: Vec<Record>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    name: String,
    title: String,
    row: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Row {
    row: String,
    says: String,
    /// `CHECK`, `CHECK#CHECKPOINT` or `CHECK[CASE]`.
    #[serde(default)]
    held_by: Vec<String>,
    /// Where it stands, as far as no check holds it.
    #[serde(rename = "where")]
    stands: Option<String>,
}

/// Whether there is a check, a checkpoint or a case of this name.
fn exists(library: &Library, name: &str) -> bool {
    let readable = |id: &str| library.get(id).and_then(|check| check.as_ref().ok());
    if let Some((check, checkpoint)) = name.split_once('#') {
        return readable(check).is_some_and(|check| {
            check.header.checkpoints.iter().any(|known| known.id == checkpoint)
        });
    }
    match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
        Some((check, case)) => readable(check)
            .is_some_and(|check| check.header.cases.iter().any(|known| known == case)),
        None => readable(name).is_some(),
    }
}

fn written(records: &Records, library: &Library) -> String {
    let profiles = profile::embedded().expect("the embedded profiles can be read");
    let plan = Plan::new(library, &profiles, &Subject::Embedded, &Choice::default());
    let mut text = String::from(
        "# Coverage\n\n<!-- Written from tests/coverage/records.toml by \
         `UPDATE_COVERAGE=1 cargo test --test docs`. -->\n\nEach row of the records that the \
         suite was made from, with the claims that hold it: a check with all that it claims, \
         `check#checkpoint` one claim of it, `check[case]` one case. Nothing is listed because a \
         word matches.\n\nChecks at each profile:\n\n",
    );
    for profile in &profiles {
        let runs = plan.jobs.iter().flat_map(|job| &job.runs);
        let count =
            runs.filter(|run| run.profile.name == profile.name && run.skipped.is_none()).count();
        let least = if profile.is_accepted() { LEAST } else { 1 };
        assert!(count >= least, "{} has {count} checks", profile.name);
        let _ = writeln!(text, "- `{}`: {count}", profile.name);
    }
    for record in &records.record {
        let _ = write!(text, "\n## {}: {}\n", record.name, record.title);
        text.push_str("\n| row | what it says | where it stands |\n|---|---|---|\n");
        for row in &record.row {
            let mut places: Vec<String> =
                row.held_by.iter().map(|name| format!("`{name}`")).collect();
            places.extend(row.stands.clone());
            let _ = writeln!(text, "| {} | {} | {} |", row.row, row.says, places.join(", "));
        }
    }
    text.push_str("\n## Client scenarios\n\nEach scenario is the check of its own id.\n");
    text.push_str(
        "\n| scenario | revisions | checkpoints | where it stands |\n|---|---|---|---|\n",
    );
    for scenario in scenarios::read().scenario {
        let stands = match scenario.takes() {
            Some(what) => format!("not yet: it takes {what}"),
            None => format!("`{}`", scenario.id),
        };
        let (revisions, count) = (scenario.revisions.join(", "), scenario.checkpoints.len());
        let _ = writeln!(text, "| {} | {revisions} | {count} | {stands} |", scenario.id);
    }
    text
}

/// What a text names in backquotes as a path of this repository.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    const PLACES: [&str; 5] = ["src/", "tests/", "docs/", "checks/", ".ci/"];
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter(|quoted| PLACES.iter().any(|place| quoted.starts_with(place)))
}

#[test]
fn each_row_says_where_it_stands() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let records = std::fs::read_to_string(root.join("tests/coverage/records.toml"));
    let records: Records =
        toml::from_str(&records.expect("the records are there")).expect("they can be read");
    let library = Library::embedded();
    for row in records.record.iter().flat_map(|record| &record.row) {
        assert!(!row.held_by.is_empty() || row.stands.is_some(), "{} stands nowhere", row.row);
        for name in &row.held_by {
            assert!(exists(&library, name), "{}: there is no `{name}`", row.row);
        }
        for path in row.stands.iter().flat_map(|stands| paths(stands)) {
            assert!(root.join(path).exists(), "{}: there is no `{path}`", row.row);
        }
    }
    let text = written(&records, &library);
    let path = root.join("docs/coverage.md");
    if std::env::var_os("UPDATE_COVERAGE").is_some() {
        std::fs::write(&path, &text).expect("the document can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "docs/coverage.md is not what the records say: see its first lines");
}
