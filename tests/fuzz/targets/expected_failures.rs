//! Files of expected failures: YAML, of which entries are put in and taken out.

use std::hash::DefaultHasher;
use std::sync::{Arc, LazyLock};

use chrono::NaiveDate;
use mcp_checks::check::Library;
use mcp_checks::profile::{self, Profile};
use mcp_checks::runner::expected::write::{Survey, edited};
use mcp_checks::runner::expected::{Entry, Expectations, Known, Purpose, Stale};

use super::{are_well_told, source};
use crate::engine::{Target, about, note};

pub const TARGET: Target = Target {
    name: "expected_failures",
    seeds: Vec::new,
    words: &[
        "expected:\n",
        "  - ",
        "- id: ",
        "client/tool-call-basic#called",
        "reason: ",
        "    reason: known\n",
        "profile: session-http\n",
        "revision: [2025-11-25, 2026-07-28]",
        "case: ",
        "until: 2027-03-01\n",
        "flaky: true\n",
        "issue: ",
        "client:\n",
        "server: []\n",
        "reasons: ",
        "---\n",
        "...\n",
        "&a ",
        "*a",
        "!!str ",
        "|\n",
        ">-\n",
        "? ",
        ": ",
        "{",
        "}",
        "[",
        "]",
        "# ",
        "\t",
        "'",
        "%YAML 1.2\n",
    ],
    read,
};

static LIBRARY: LazyLock<(Library, Vec<Profile>)> =
    LazyLock::new(|| (Library::embedded(), profile::embedded().expect("they can be read")));

fn expectations(text: &str, purpose: Purpose, hasher: &mut DefaultHasher) -> Option<Expectations> {
    let (library, profiles) = &*LIBRARY;
    let today = NaiveDate::from_ymd_opt(2026, 7, 28).expect("it is a day");
    match Expectations::read(&source(text), Known { library, profiles, today }, purpose) {
        Ok(read) => Some(read),
        Err(error) => {
            are_well_told(&error, text, hasher);
            None
        }
    }
}

fn read(input: &[u8], hasher: &mut DefaultHasher) {
    let text = String::from_utf8_lossy(input);
    expectations(&text, Purpose::Excuse, hasher);
    let Some(read) = expectations(&text, Purpose::Write, hasher) else { return };
    note(hasher, (about(read.entries.len()), about(read.notes.len())));
    for entry in &read.entries {
        assert!(!entry.check.is_empty());
        assert!(entry.line <= text.matches('\n').count() + 1);
    }
    // Nothing is to be changed, and nothing is changed.
    let (same, added) = edited(&read, &Survey::default(), &[]);
    assert_eq!(added, 0);
    assert!(same == *text || text.is_empty(), "{same:?}");

    // Without every second entry, and without all, what is left is read.
    for every in [2, 1] {
        let gone = |index: &usize| index.is_multiple_of(every);
        let stale: Vec<Stale> =
            (0..read.entries.len()).filter(gone).map(|index| stale(&read.entries[index])).collect();
        let (rest, _) = edited(&read, &Survey::default(), &stale);
        let left = expectations(&rest, Purpose::Write, hasher);
        let left = left.unwrap_or_else(|| panic!("{rest:?} is left of {text:?}"));
        let ids = |entries: &[Arc<Entry>]| entries.iter().map(|it| it.id()).collect::<Vec<_>>();
        let kept: Vec<Arc<Entry>> = (0..read.entries.len())
            .filter(|at| !gone(at))
            .map(|at| read.entries[at].clone())
            .collect();
        assert_eq!(ids(&left.entries), ids(&kept), "{rest:?} is left of {text:?}");
    }
}

fn stale(entry: &Arc<Entry>) -> Stale {
    let entry = Arc::clone(entry);
    Stale { entry, place: String::new(), holds: Vec::new(), remains: Vec::new() }
}
