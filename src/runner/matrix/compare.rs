//! The comparison of columns, without running anything: [`compare`] sets what
//! each environment says side by side, [`findings`] names what differs and what
//! does not hold.

use std::collections::{HashMap, HashSet};

use super::column::{DOUBLE, SOCKET};
use super::entry::{Cell, Entry, Name};
use crate::check::{Checkpoint, Verdict};
use crate::mcp::Revision;
use crate::snapshot::diff;

/// One execution in every environment.
#[derive(Clone, Debug)]
pub struct Row {
    /// What it is called.
    pub name: Name,
    /// The revision in force.
    pub revision: Revision,
    /// The gravest verdict in each environment; `None` where there was no such
    /// execution, since the environment cannot tell this profile from another.
    pub cells: Vec<Option<Cell>>,
    /// The verdicts on each checkpoint in each environment.
    pub checkpoints: Vec<(Checkpoint, Vec<Option<Cell>>)>,
    /// How the wire over the socket compares with that in memory.
    pub wire: Wire,
}

/// How two wires compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wire {
    /// One of them is not known.
    NotCompared,
    /// They are the same.
    Same,
    /// They differ in these lines.
    Different(String),
}

/// Something that differs between environments, or does not hold.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The execution.
    pub name: Name,
    /// The revision in force.
    pub revision: Revision,
    /// What of it.
    pub of: Of,
    /// The verdict in each environment.
    pub cells: Vec<Option<Cell>>,
    /// Whether the environments differ; if not, it does not hold in any.
    pub differs: bool,
    /// Whether double and socket differ, which is a failure by itself.
    pub fails: bool,
}

/// What of an execution is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Of {
    /// One checkpoint.
    Checkpoint(Checkpoint),
    /// The execution as a whole: it came to no ordinary end somewhere.
    Whole,
    /// What crossed the wire, with the lines that differ.
    Wire(String),
}

/// Sets the columns side by side, row by row in the order of the first.
pub fn compare<C: AsRef<[Entry]>>(columns: &[C]) -> Vec<Row> {
    let columns: Vec<Column<'_>> =
        columns.iter().map(|entries| Column::new(entries.as_ref())).collect();
    let mut seen = HashSet::new();
    let mut checks = HashMap::new();
    let mut rows = Vec::new();
    for entry in columns.iter().flat_map(|column| column.entries) {
        let number = checks.len();
        checks.entry(&entry.name.check).or_insert(number);
        let stands_for_cases =
            entry.is_bare() && columns.iter().any(|column| column.has_cases(&entry.name));
        if !stands_for_cases && seen.insert(&entry.name) {
            rows.push(row(&entry.name, entry.revision, &columns));
        }
    }
    rows.sort_by_key(|row| checks.get(&row.name.check).copied());
    rows
}

/// What differs, and what does not hold, in the order of the rows.
pub fn findings(rows: &[Row]) -> Vec<Finding> {
    rows.iter().flat_map(Row::findings).collect()
}

/// The entries of one environment, to be found.
struct Column<'a> {
    entries: &'a [Entry],
    by_name: HashMap<&'a Name, &'a Entry>,
    /// What stands for every profile of a check that cannot be run.
    broken: HashMap<&'a str, &'a Entry>,
    with_cases: HashSet<(&'a str, &'a str)>,
}

impl<'a> Column<'a> {
    fn new(entries: &'a [Entry]) -> Self {
        let is_broken = |entry: &&Entry| entry.is_bare() && entry.whole.verdict == Verdict::Error;
        let names = entries.iter().map(|entry| &entry.name);
        Column {
            entries,
            by_name: entries.iter().map(|entry| (&entry.name, entry)).collect(),
            broken: entries
                .iter()
                .filter(is_broken)
                .map(|entry| (entry.name.check.as_str(), entry))
                .collect(),
            with_cases: names
                .filter(|name| name.case.is_some())
                .map(|name| (name.check.as_str(), name.profile.as_str()))
                .collect(),
        }
    }

    fn has_cases(&self, name: &Name) -> bool {
        self.with_cases.contains(&(name.check.as_str(), name.profile.as_str()))
    }

    /// The entry of this name, or the one that stands for it.
    fn find(&self, name: &Name) -> Option<&'a Entry> {
        let without_case = Name { case: None, ..name.clone() };
        let exact = self.by_name.get(name);
        exact
            .or_else(|| self.by_name.get(&without_case).filter(|entry| entry.is_bare()))
            .or_else(|| self.broken.get(name.check.as_str()))
            .copied()
    }
}

fn row(name: &Name, revision: Revision, columns: &[Column<'_>]) -> Row {
    let entries: Vec<Option<&Entry>> = columns.iter().map(|column| column.find(name)).collect();
    let mut claims: Vec<&Checkpoint> = Vec::new();
    for (claim, _) in entries.iter().flatten().flat_map(|entry| &entry.checkpoints) {
        if !claims.iter().any(|known| known.id == claim.id) {
            claims.push(claim);
        }
    }
    let checkpoint = |claim: &Checkpoint| {
        let cell = |entry: &Option<&Entry>| {
            let entry = (*entry)?;
            if entry.is_bare() {
                return Some(entry.whole.clone());
            }
            let mut known = entry.checkpoints.iter();
            known.find(|(known, _)| known.id == claim.id).map(|(_, cell)| cell.clone())
        };
        (claim.clone(), entries.iter().map(cell).collect())
    };
    let wire = |column: usize| (*entries.get(column)?)?.wire.as_ref();
    Row {
        name: name.clone(),
        revision,
        cells: entries.iter().map(|entry| entry.map(|entry| entry.whole.clone())).collect(),
        checkpoints: claims.into_iter().map(checkpoint).collect(),
        wire: match (wire(DOUBLE), wire(SOCKET)) {
            (Some(double), Some(socket)) if double == socket => Wire::Same,
            (Some(double), Some(socket)) => Wire::Different(diff(double, socket)),
            _ => Wire::NotCompared,
        },
    }
}

impl Row {
    /// Whether double and socket differ.
    pub fn fails(&self) -> bool {
        self.findings().iter().any(|finding| finding.fails)
    }

    /// What differs in this row, and what does not hold.
    fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let finding = |of: Of, cells: &[Option<Cell>], differs: bool, fails: bool| Finding {
            name: self.name.clone(),
            revision: self.revision,
            of,
            cells: cells.to_vec(),
            differs,
            fails,
        };
        if self.cells.iter().flatten().any(is_in_trouble) {
            let verdicts: Vec<_> = self.cells.iter().map(verdict).collect();
            let fails = are_different(verdicts.get(..=SOCKET).unwrap_or(&verdicts));
            let differs = are_different(&verdicts);
            findings.push(finding(Of::Whole, &self.cells, differs, fails));
        }
        for (claim, cells) in &self.checkpoints {
            // What the trouble of a whole execution did to its checkpoints was
            // said with it.
            let verdicts: Vec<_> = cells
                .iter()
                .zip(&self.cells)
                .map(|(cell, whole)| verdict(cell).filter(|one| !explains(whole, *one)))
                .collect();
            let fails = are_different(verdicts.get(..=SOCKET).unwrap_or(&verdicts));
            let differs = are_different(&verdicts);
            let is_remarkable = verdicts.iter().flatten().any(|one| *one != Verdict::Pass);
            if differs || is_remarkable {
                findings.push(finding(Of::Checkpoint(claim.clone()), cells, differs, fails));
            }
        }
        if let Wire::Different(lines) = &self.wire {
            findings.push(finding(Of::Wire(lines.clone()), &self.cells, true, true));
        }
        findings
    }
}

/// The verdict, if it says something of its environment.
fn verdict(cell: &Option<Cell>) -> Option<Verdict> {
    cell.as_ref().filter(|cell| cell.counts()).map(|cell| cell.verdict)
}

/// Whether two of the verdicts that there are differ.
fn are_different(verdicts: &[Option<Verdict>]) -> bool {
    let mut known = verdicts.iter().flatten();
    known.next().is_some_and(|first| known.any(|other| other != first))
}

/// Whether the execution as a whole came to no ordinary end.
fn is_in_trouble(whole: &Cell) -> bool {
    whole.counts() && whole.reason.is_some()
}

/// Whether what became of the whole execution has said already what became of a
/// checkpoint.
fn explains(whole: &Option<Cell>, verdict: Verdict) -> bool {
    whole.as_ref().filter(|whole| is_in_trouble(whole)).is_some_and(|whole| match whole.verdict {
        Verdict::Error | Verdict::Fail => {
            matches!(verdict, Verdict::Error | Verdict::NotExercised)
        }
        trouble => trouble == verdict,
    })
}
