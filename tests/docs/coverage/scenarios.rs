//! The client scenarios of the field, held against the headers of their checks.

use std::collections::BTreeSet;
use std::path::Path;

use mcp_checks::check::Library;
use serde::Deserialize;

/// The scenarios that have no check yet, and what they take.
const NO_CHECK_YET: [(&str, &str); 8] = [
    ("client/ema-id-jag-flow", AUTHORIZATION),
    ("client/oauth-cimd", AUTHORIZATION),
    ("client/oauth-cimd-over-dcr", AUTHORIZATION),
    ("client/oauth-dcr-application-type", AUTHORIZATION),
    ("client/oauth-iss-mismatch", AUTHORIZATION),
    ("client/oauth-pkce", AUTHORIZATION),
    ("client/oauth-refresh-token", AUTHORIZATION),
    ("client/pkce-unsupported-as", AUTHORIZATION),
];

const AUTHORIZATION: &str = "the flows of authorization";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenarios {
    pub scenario: Vec<Scenario>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpecLevels {
    spec: Vec<SpecLevel>,
}

/// A checkpoint for which the specification has another keyword than the list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpecLevel {
    checkpoint: String,
    level: String,
    /// In which scenarios; `None` for all that have it.
    scenarios: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    pub id: String,
    pub revisions: Vec<String>,
    /// Id and level of each checkpoint.
    pub checkpoints: Vec<(String, String)>,
}

impl Scenario {
    /// What its check would take, if the suite has none yet.
    pub fn takes(&self) -> Option<&'static str> {
        NO_CHECK_YET.iter().find(|(id, _)| *id == self.id).map(|(_, takes)| *takes)
    }
}

pub fn read() -> Scenarios {
    table("scenarios.toml")
}

fn table<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/coverage").join(name);
    let text = std::fs::read_to_string(path).expect("the table is there");
    toml::from_str(&text).expect("it can be read")
}

/// What a header says otherwise than the table.
fn differences(scenario: &Scenario, library: &Library) -> Vec<String> {
    let Some(Ok(check)) = library.get(&scenario.id) else {
        return vec![format!("{}: there is no such check", scenario.id)];
    };
    let mut differences = Vec::new();
    for revision in &scenario.revisions {
        let revision = revision.parse().expect("the table has known revisions");
        if !check.header.revisions.contains(&revision) {
            differences.push(format!("{}: it is not about {revision}", scenario.id));
        }
        let claimed: BTreeSet<(String, String)> = check
            .header
            .checkpoints_at(revision)
            .map(|checkpoint| (checkpoint.id.clone(), checkpoint.level.to_string()))
            .collect();
        let listed: BTreeSet<(String, String)> = scenario.checkpoints.iter().cloned().collect();
        for (id, level) in listed.symmetric_difference(&claimed) {
            let whose = if claimed.contains(&(id.clone(), level.clone())) {
                "the header alone has"
            } else {
                "the header does not have"
            };
            differences.push(format!("{} at {revision}: {whose} {id} {level}", scenario.id));
        }
    }
    differences
}

impl SpecLevels {
    /// The specification's own keyword for a checkpoint, if it is another one.
    fn of(&self, scenario: &str, checkpoint: &str) -> Option<&str> {
        let is_meant = |row: &&SpecLevel| {
            let scenarios = row.scenarios.as_ref();
            row.checkpoint == checkpoint
                && scenarios.is_none_or(|known| known.iter().any(|known| known == scenario))
        };
        self.spec.iter().find(is_meant).map(|row| row.level.as_str())
    }
}

#[test]
fn headers_say_where_the_specification_differs() {
    let library = Library::embedded();
    let scenarios = read();
    let levels: SpecLevels = table("spec-levels.toml");
    let mut met = BTreeSet::new();
    for check in library.readable().filter(|check| check.id.starts_with("client/")) {
        let is_listed = scenarios.scenario.iter().any(|scenario| scenario.id == check.id);
        assert!(is_listed, "{} is no scenario of the list", check.id);
        for checkpoint in &check.header.checkpoints {
            let level = checkpoint.spec_level.map(|level| level.to_string());
            let expected = levels.of(&check.id, &checkpoint.id);
            assert_eq!(level.as_deref(), expected, "{}#{}", check.id, checkpoint.id);
            if expected.is_some() {
                met.insert(checkpoint.id.as_str());
            }
        }
    }
    let rows: BTreeSet<&str> = levels.spec.iter().map(|row| row.checkpoint.as_str()).collect();
    assert_eq!(met, rows, "each row is about a checkpoint");
}

#[test]
fn headers_say_what_the_list_says() {
    let library = Library::embedded();
    let scenarios = read();
    let known: Vec<&Scenario> =
        scenarios.scenario.iter().filter(|scenario| scenario.takes().is_none()).collect();
    assert_eq!(known.len() + NO_CHECK_YET.len(), scenarios.scenario.len());
    let differences: Vec<String> =
        known.iter().flat_map(|scenario| differences(scenario, &library)).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    for (scenario, _) in NO_CHECK_YET {
        assert!(library.get(scenario).is_none(), "{scenario} has a check: take it off the list");
    }
}
