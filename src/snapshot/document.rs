//! What a snapshot file holds: the wire of one check for each profile, what they
//! share written once. The main type is [`Document`].
//!
//! ```text
//! 1 = session-http at 2025-11-25
//! 2 = stateless-http-2025-06-18 at 2025-06-18
//!
//! > POST {server}/mcp
//! 1| > mcp-session-id: sess-conformance
//! > mcp-protocol-version: {revision}
//! ```
//!
//! The text of a profile is every line without a mark and with its number, and in
//! it the profile's own revision in the place of `{revision}`. A check with cases
//! has a section for each, headed `── case: NAME ──`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use super::columns::{Columns, merge};
use super::error::SnapshotError;
use super::file;

/// A profile that a wire was recorded for: by age, then by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Of {
    /// Its revision.
    pub(super) revision: String,
    /// Its name.
    pub(super) profile: String,
}

/// The wires of one check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Document {
    /// The case, which is `None` if the check has no cases, and the text of each
    /// profile, without white space at its end.
    sections: Vec<(Option<String>, BTreeMap<Of, String>)>,
}

/// What stands for the revision of the profile.
const REVISION: &str = "{revision}";

/// What it begins with, and what stands for that where it was recorded.
const LITERAL: [&str; 2] = ["{revision", "{revision\\"];

const BEFORE: &str = "── case: ";
const AFTER: &str = " ──";

impl Of {
    /// `text` with a name in the place of the revision.
    pub(super) fn general(&self, text: &str) -> String {
        let [plain, escaped] = LITERAL;
        text.replace(plain, escaped).replace(&self.revision, REVISION)
    }

    /// The text that [`Of::general`] was made of.
    pub(super) fn own(&self, text: &str) -> String {
        let [plain, escaped] = LITERAL;
        text.replace(REVISION, &self.revision).replace(escaped, plain)
    }
}

impl Document {
    /// Reads the contents of a file.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(super) fn parse(contents: &str) -> Result<Self, String> {
        let mut lines = contents.lines();
        let mut profiles = Vec::new();
        for line in lines.by_ref().take_while(|line| !line.is_empty()) {
            let entry = line
                .split_once(" = ")
                .filter(|(number, _)| *number == (profiles.len() + 1).to_string())
                .and_then(|(_, name)| name.rsplit_once(" at "))
                .map(|(name, revision)| Of { revision: revision.into(), profile: name.into() });
            let number = profiles.len() + 1;
            let wrong = || format!("`{number} = PROFILE at REVISION` was expected, not `{line}`");
            profiles.push(entry.ok_or_else(wrong)?);
        }
        let all = Columns((1..=profiles.len()).collect());
        let mut sections: Vec<Read> = Vec::new();
        for line in lines {
            let (columns, line) = Columns::split(line)?;
            let is_known = |number: &usize| *number <= profiles.len();
            if !columns.iter().flat_map(|columns| &columns.0).all(is_known) {
                return Err(format!("a line is of a profile that has no name: `{line}`"));
            }
            let case = line.strip_prefix(BEFORE).and_then(|rest| rest.strip_suffix(AFTER));
            if let Some(case) = case {
                let columns = columns.unwrap_or_else(|| all.clone());
                sections.push(Read::new(Some(case.to_owned()), columns, profiles.len()));
                continue;
            }
            if sections.is_empty() {
                sections.push(Read::new(None, all.clone(), profiles.len()));
            }
            if let Some(section) = sections.last_mut() {
                section.add(columns.as_ref(), line);
            }
        }
        if sections.is_empty() && !profiles.is_empty() {
            sections.push(Read::new(None, all, profiles.len()));
        }
        Ok(Document { sections: sections.into_iter().map(|read| read.of(&profiles)).collect() })
    }

    /// The contents of a file.
    pub(super) fn text(&self) -> String {
        let profiles: BTreeSet<&Of> = self.profiles().collect();
        let mut out = String::new();
        for (index, of) in profiles.iter().enumerate() {
            let _ = writeln!(out, "{} = {} at {}", index + 1, of.profile, of.revision);
        }
        let number: BTreeMap<&Of, usize> = profiles.into_iter().zip(1..).collect();
        let all = Columns((1..=number.len()).collect());
        for (case, wires) in &self.sections {
            let texts: Vec<(usize, String)> =
                wires.iter().map(|(of, text)| (number[of], of.general(text))).collect();
            let here = Columns(texts.iter().map(|(number, _)| *number).collect());
            out.push('\n');
            if let Some(case) = case {
                let heading = format!("{BEFORE}{case}{AFTER}");
                let _ = writeln!(out, "{}", here.before(&heading, &all));
            }
            let lines: Vec<(usize, Vec<&str>)> =
                texts.iter().map(|(number, text)| (*number, text.lines().collect())).collect();
            for (columns, line) in merge(&lines) {
                let _ = writeln!(out, "{}", columns.before(line, &here));
            }
        }
        out
    }

    /// Every profile with a text, once for each case.
    pub(super) fn profiles(&self) -> impl Iterator<Item = &Of> {
        self.sections.iter().flat_map(|(_, wires)| wires.keys())
    }

    /// Every text, with its profile and case.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&Of, Option<&str>, &str)> {
        self.sections.iter().flat_map(|(case, wires)| {
            wires.iter().map(move |(of, text)| (of, case.as_deref(), text.as_str()))
        })
    }

    /// The text of a profile for a case.
    pub(super) fn get(&self, profile: &str, case: Option<&str>) -> Option<&str> {
        self.texts()
            .find(|(of, of_case, _)| of.profile == profile && *of_case == case)
            .map(|(_, _, text)| text)
    }

    /// Sets the text of a profile for a case; `None` takes it away. A profile whose
    /// revision changed stands in the place of what it was.
    pub(super) fn set(&mut self, of: &Of, case: Option<&str>, text: Option<&str>) {
        let section = self.sections.iter_mut().find(|(known, _)| known.as_deref() == case);
        if let Some((_, wires)) = section {
            wires.retain(|known, _| known.profile != of.profile);
            wires.extend(text.map(|text| (of.clone(), text.trim_end().to_owned())));
        } else if let Some(text) = text {
            let wires = BTreeMap::from([(of.clone(), text.trim_end().to_owned())]);
            self.sections.push((case.map(str::to_owned), wires));
        }
        self.sections.retain(|(_, wires)| !wires.is_empty());
    }

    /// Puts the sections into the order of `cases`, and drops those of no such
    /// case.
    pub(super) fn arrange(&mut self, cases: &[String]) {
        let place = |case: &Option<String>| match case {
            Some(case) => cases.iter().position(|known| known == case),
            None => cases.is_empty().then_some(0),
        };
        self.sections.retain(|(case, _)| place(case).is_some());
        self.sections.sort_by_key(|(case, _)| place(case));
    }

    /// Drops the profiles that are not `known`.
    pub(super) fn retain(&mut self, known: impl Fn(&str) -> bool) {
        for (_, wires) in &mut self.sections {
            wires.retain(|of, _| known(&of.profile));
        }
        self.sections.retain(|(_, wires)| !wires.is_empty());
    }
}

/// A section while it is read: one text for each profile.
struct Read {
    case: Option<String>,
    here: Columns,
    texts: Vec<String>,
}

impl Read {
    fn new(case: Option<String>, here: Columns, profiles: usize) -> Self {
        Read { case, here, texts: vec![String::new(); profiles] }
    }

    fn add(&mut self, columns: Option<&Columns>, line: &str) {
        for number in &columns.unwrap_or(&self.here).0 {
            if let Some(text) = self.texts.get_mut(number - 1) {
                text.push_str(line);
                text.push('\n');
            }
        }
    }

    fn of(self, profiles: &[Of]) -> (Option<String>, BTreeMap<Of, String>) {
        let Read { case, here, texts } = self;
        let wires = here.0.iter().filter_map(|number| {
            let (of, text) = (profiles.get(number - 1)?, texts.get(number - 1)?);
            Some((of.clone(), of.own(text.trim_end())))
        });
        (case, wires.collect())
    }
}

/// The document in the file at `path`; `None` if there is none.
pub(super) fn read(path: &Path) -> Result<Option<Document>, SnapshotError> {
    let Some(contents) = file::read(path)? else { return Ok(None) };
    let parsed = Document::parse(&contents);
    parsed.map(Some).map_err(|reason| SnapshotError::read(path, reason))
}
