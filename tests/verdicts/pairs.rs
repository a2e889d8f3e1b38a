//! Whoever breaks one rule is red at that rule alone: raw subjects that break one
//! rule each, and the claims that say so. `docs/pairs.md` is the table of them.

mod clients;
mod servers;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use mcp_checks::check::{CheckKind, Level};

use crate::servers::judged;
use crate::visit::{Drive, Scene, each, library, red, visit};

/// How many pairs there have to be.
const LEAST: usize = 60;

/// A client that breaks one rule.
pub struct Pair {
    /// What the client does.
    pub mode: &'static str,
    /// The profile whose scenes of `client/` it plays.
    pub profile: &'static str,
    /// Those of them that it plays, all if `None`.
    pub only: Option<&'static [&'static str]>,
    /// More scenes.
    pub also: &'static [&'static str],
    /// What is red in all of these, as `client/tool-call-basic#accept-header`, or
    /// `*#accept-header` in whichever check has that claim.
    pub red: &'static [&'static str],
    pub drive: Drive,
}

impl Pair {
    /// The same, which plays but these of the usual scenes.
    pub const fn only(mut self, only: &'static [&'static str]) -> Pair {
        self.only = Some(only);
        self
    }

    fn scenes(&self, usual: &[Scene]) -> Vec<Scene> {
        let plays = |scene: &&Scene| {
            scene.profile == self.profile
                && self.only.is_none_or(|only| only.contains(&scene.check.as_str()))
        };
        let mut scenes: Vec<Scene> = usual.iter().filter(plays).cloned().collect();
        scenes.extend(self.also.iter().map(|text| Scene::parse(text)));
        scenes
    }
}

/// The scenes of `client/`, which every client plays.
fn usual() -> Vec<Scene> {
    let mut scenes = Scene::all(&["session-http", "stateless-http-2026-07-28"]);
    scenes.retain(|scene| scene.check.starts_with("client/"));
    scenes
}

#[test]
fn a_client_that_breaks_a_rule_is_red_there_alone() {
    let (usual, pairs) = (usual(), clients::pairs());
    let scenes: Vec<(usize, Scene)> = pairs
        .iter()
        .enumerate()
        .flat_map(|(number, pair)| {
            pair.scenes(&usual).into_iter().map(move |scene| (number, scene))
        })
        .collect();
    let found = each(&scenes, |(number, scene)| {
        Some((*number, scene.clone(), red(&visit(scene, pairs[*number].drive))))
    });
    let mut reds: BTreeMap<usize, Vec<(String, String)>> = BTreeMap::new();
    for (number, scene, found) in found {
        let place = match &scene.case {
            Some(case) => format!("{}[{case}] at {}", scene.check, scene.profile),
            None => format!("{} at {}", scene.check, scene.profile),
        };
        reds.entry(number).or_default().extend(found.into_iter().map(|(verdict, reason)| {
            let id = verdict.rsplit(' ').next().unwrap_or_default();
            (format!("{}#{id}", scene.check), format!("{place}: {verdict}: {reason}"))
        }));
    }
    let problems: Vec<String> = pairs
        .iter()
        .enumerate()
        .filter_map(|(number, pair)| problem(pair, reds.get(&number).map_or(&[], Vec::as_slice)))
        .collect();
    assert!(problems.is_empty(), "{} of {}\n{}", problems.len(), pairs.len(), problems.join("\n"));
}

/// What is red and was not expected, and what was expected and is not red.
fn problem(pair: &Pair, found: &[(String, String)]) -> Option<String> {
    let fits = |expected: &str, id: &str| match expected.strip_prefix('*') {
        Some(end) => id.ends_with(end),
        None => id == expected,
    };
    let missing: Vec<_> = pair
        .red
        .iter()
        .filter(|expected| !found.iter().any(|(id, _)| fits(expected, id)))
        .collect();
    let beyond: Vec<_> = found
        .iter()
        .filter(|(id, _)| !pair.red.iter().any(|expected| fits(expected, id)))
        .collect();
    if missing.is_empty() && beyond.is_empty() {
        return None;
    }
    let mut text = format!("a client ({}) that {}:\n", pair.profile, pair.mode);
    for expected in missing {
        let _ = writeln!(text, "  expected red: {expected}");
    }
    for (_, reason) in beyond {
        let _ = writeln!(text, "  not expected: {reason}");
    }
    Some(text)
}

#[test]
fn a_server_that_breaks_a_rule_is_red_there_alone() {
    let problems = each(&servers::pairs(), |row| judged(row));
    assert!(
        problems.is_empty(),
        "{} of {}\n{}",
        problems.len(),
        servers::pairs().len(),
        problems.join("\n")
    );
}

/// `docs/pairs.md` is this table; `UPDATE_PAIRS=1` writes it anew.
#[test]
fn the_table_of_pairs_is_in_the_docs() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/pairs.md");
    let table = table();
    if std::env::var_os("UPDATE_PAIRS").is_some() {
        std::fs::write(path, &table).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        written == table,
        "docs/pairs.md is not this table: UPDATE_PAIRS=1 writes it anew\n{table}"
    );
}

/// The MUST claims that a subject from outside can show, as `server/ping#same-id`.
fn musts() -> BTreeSet<String> {
    let mut musts = BTreeSet::new();
    // What a host promises, only the built-in one does.
    for check in library().readable().filter(|check| check.kind != CheckKind::Host) {
        let claimed = check.header.checkpoints.iter();
        musts.extend(
            claimed
                .filter(|claim| claim.level == Level::Must && !claim.builtin)
                .map(|claim| format!("{}#{}", check.id, claim.id)),
        );
    }
    musts
}

fn table() -> String {
    let musts = musts();
    let rules = |red: &[&str]| -> Vec<String> { red.iter().map(|id| format!("`{id}`")).collect() };
    let mut rows = String::new();
    let mut shown = BTreeSet::new();
    let mut count = 0;
    let clients = clients::pairs()
        .into_iter()
        .map(|pair| (format!("client, `{}`", pair.profile), pair.mode, pair.red));
    let servers = servers::pairs().into_iter().map(|row| {
        let era = if row.era == crate::raw::server::Era::Legacy {
            "2025-03-26, 2025-11-25"
        } else {
            "2026-07-28"
        };
        (format!("server, {era}"), row.mode, row.red)
    });
    for (subject, mode, red) in clients.chain(servers) {
        count += 1;
        let _ = writeln!(rows, "| {subject} | {mode} | {} |", rules(red).join(", "));
        shown.extend(musts.iter().filter(|must| {
            red.iter().any(|id| match id.strip_prefix('*') {
                Some(end) => must.ends_with(end),
                None => must == id,
            })
        }));
    }
    assert!(count >= LEAST, "{count} pairs");
    format!(
        "# Who breaks one rule is red there alone\n\n\
         <!-- Written by `UPDATE_PAIRS=1 cargo test --test verdicts pairs`. -->\n\n\
         Each line is a raw client or server that is right but for one thing, and all that is red for it: a \
         client under every check of `client/` and what else its line names, a server under every check of a \
         server. `*#` stands for each check that has the claim. `tests/verdicts/pairs` runs them.\n\n\
         {count} pairs show {} of the {} claims at MUST that a subject from outside can break.\n\n\
         | subject | what it does | what is red, and nothing else |\n|---|---|---|\n{rows}",
        shown.len(),
        musts.len(),
    )
}
