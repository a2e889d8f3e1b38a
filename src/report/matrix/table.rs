//! Check by environment, in as few lines as it takes: [`Table`].

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use crate::check::Verdict;
use crate::report::paint::Paint;
use crate::runner::Outcome;
use crate::runner::matrix::{Cell, Finding, Matrix, OUTSIDE, Of, Row};

/// What is said of a profile that has no execution of its own somewhere.
pub(super) const NOT_TOLD_APART: &str = "it cannot tell this profile from another one, which ran";

/// How wide the first column of the table may be, in columns of a terminal.
const NAME_WIDTH: usize = 48;

/// Check by environment.
pub(super) struct Table<'a> {
    matrix: &'a Matrix,
    paint: Paint,
    /// Why something does not apply, in the order in which it is met.
    reasons: Vec<&'a str>,
    lines: Vec<Line>,
}

/// A line of the table: a name, a word for each environment, and a remark.
struct Line {
    name: String,
    cells: Vec<(String, Option<Outcome>)>,
    remark: Remark,
}

/// Between which environments a row differs; the last of several is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Remark {
    #[default]
    Alike,
    OutsideDiffers,
    WiresDiffer,
    DoubleAndSocketDiffer,
}

/// Rows of one check that say the same in every environment.
struct Group<'a> {
    rows: Vec<&'a Row>,
    cells: Vec<Option<&'a Cell>>,
    remark: Remark,
}

impl Remark {
    fn of(finding: &Finding) -> Self {
        match (&finding.of, finding.fails) {
            _ if !finding.differs => Remark::Alike,
            (Of::Wire(_), _) => Remark::WiresDiffer,
            (_, true) => Remark::DoubleAndSocketDiffer,
            (_, false) => Remark::OutsideDiffers,
        }
    }

    fn text(self, matrix: &Matrix) -> String {
        match self {
            Remark::Alike => String::new(),
            Remark::OutsideDiffers => {
                let outside = matrix.environments.get(OUTSIDE);
                format!("  ← the {} differs", outside.map_or("other", |outside| outside.name))
            }
            Remark::WiresDiffer => "  ← the wires differ".to_owned(),
            Remark::DoubleAndSocketDiffer => "  ← double and socket differ".to_owned(),
        }
    }
}

impl<'a> Table<'a> {
    pub(super) fn new(matrix: &'a Matrix, paint: Paint) -> Self {
        let mut remarks: HashMap<_, Remark> = HashMap::new();
        for finding in &matrix.findings {
            let known = remarks.entry(&finding.name).or_default();
            *known = Remark::of(finding).max(*known);
        }
        let mut table = Table { matrix, paint, reasons: Vec::new(), lines: Vec::new() };
        for rows in matrix.rows.chunk_by(|one, other| one.name.check == other.name.check) {
            table.check(rows, |row| remarks.get(&row.name).copied().unwrap_or_default());
        }
        table
    }

    fn check(&mut self, rows: &'a [Row], remark: impl Fn(&Row) -> Remark) {
        let Some(check) = rows.first().map(|row| &row.name.check) else { return };
        let applies = |row: &&Row| row.cells.iter().flatten().any(|cell| !is_skipped(cell));
        let told: Vec<&Row> = rows.iter().filter(applies).collect();
        if told.is_empty() {
            self.nowhere(check.clone(), rows);
            return;
        }
        let groups = groups(&told, remark);
        if let [group] = groups.as_slice() {
            self.line(check.clone(), group);
            return;
        }
        self.lines.push(Line { name: check.clone(), cells: Vec::new(), remark: Remark::Alike });
        let largest = groups.iter().map(|group| group.rows.len()).max();
        let others = groups.iter().position(|group| Some(group.rows.len()) == largest);
        for (index, group) in groups.iter().enumerate() {
            let name = if Some(index) == others && group.rows.len() > 1 {
                format!("  the other {}", group.rows.len())
            } else {
                format!("  {}", names(&group.rows, &told))
            };
            self.line(name, group);
        }
    }

    fn line(&mut self, name: String, group: &Group<'a>) {
        let cells = group.cells.iter().map(|cell| match cell {
            Some(cell) if !is_skipped(cell) => (cell.verdict.to_string(), Some(cell.outcome())),
            cell => (self.not_here(&[reason(*cell)]), None),
        });
        let cells = cells.collect();
        self.lines.push(Line { name, cells, remark: group.remark });
    }

    /// A check that applies to none of its rows, for one reason or for several.
    fn nowhere(&mut self, name: String, rows: &'a [Row]) {
        let columns = 0..self.matrix.environments.len();
        let cells = columns.map(|column| {
            let cells = rows.iter().filter_map(|row| row.cells.get(column));
            let reasons: Vec<&str> = cells.map(|cell| reason(cell.as_ref())).collect();
            (self.not_here(&reasons), None)
        });
        let cells = cells.collect();
        self.lines.push(Line { name, cells, remark: Remark::Alike });
    }

    /// The mark of what does not apply, with the numbers of its reasons.
    fn not_here(&mut self, reasons: &[&'a str]) -> String {
        let mut numbers = BTreeSet::new();
        for reason in reasons {
            let known = self.reasons.iter().position(|known| known == reason);
            numbers.insert(known.unwrap_or_else(|| {
                self.reasons.push(reason);
                self.reasons.len() - 1
            }));
        }
        let numbers: Vec<String> = numbers.iter().map(|index| (index + 1).to_string()).collect();
        format!("– ({})", numbers.join(", "))
    }

    pub(super) fn write(&self, out: &mut String) {
        let names: Vec<&str> = self.matrix.environments.iter().map(|one| one.name).collect();
        let lengths = self.lines.iter().map(|line| line.name.chars().count());
        let name_width = lengths.filter(|length| *length <= NAME_WIDTH).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.lines.iter().filter_map(|line| line.cells.get(column));
            let cells = cells.map(|(word, _)| word.chars().count());
            cells.chain(names.get(column).map(|name| name.len())).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..names.len()).map(width).collect();
        let header = names.iter().zip(&widths).map(|(name, width)| format!("  {name:<width$}"));
        let header = format!("{:<name_width$}{}", "", header.collect::<String>());
        let _ = writeln!(out, "{}", self.paint.bold(header.trim_end()));
        for line in &self.lines {
            // A name that is too long has a line of its own.
            let fits = line.name.chars().count() <= name_width;
            if !fits || line.cells.is_empty() {
                let _ = writeln!(out, "{}", line.name);
            }
            if line.cells.is_empty() {
                continue;
            }
            let name = if fits { &line.name } else { "" };
            let mut text = format!("{name:<name_width$}");
            for ((word, outcome), width) in line.cells.iter().zip(&widths) {
                let shown = match outcome {
                    Some(Outcome::Fail | Outcome::Timeout | Outcome::Error) => self.paint.red(word),
                    Some(_) => word.clone(),
                    None => self.paint.dim(word),
                };
                let room = width.saturating_sub(word.chars().count());
                let _ = write!(text, "  {shown}{:room$}", "");
            }
            text.push_str(&line.remark.text(self.matrix));
            let _ = writeln!(out, "{}", text.trim_end());
        }
        if !self.reasons.is_empty() {
            out.push('\n');
        }
        for (index, reason) in self.reasons.iter().enumerate() {
            let _ = writeln!(out, "– ({}) {reason}", index + 1);
        }
    }
}

/// Why something does not apply.
fn reason(cell: Option<&Cell>) -> &str {
    cell.map_or(NOT_TOLD_APART, |cell| cell.reason.as_deref().unwrap_or_default())
}

pub(super) fn is_skipped(cell: &Cell) -> bool {
    cell.verdict == Verdict::Skip
}

/// Rows that say the same, in the order in which they are met. What an
/// environment has no execution of says the same as anything.
fn groups<'a>(rows: &[&'a Row], remark: impl Fn(&Row) -> Remark) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    // Those that lack nothing come first, so that it does not depend on the order
    // what the others are taken to say.
    let (whole, partial): (Vec<&Row>, Vec<&Row>) =
        rows.iter().copied().partition(|row| row.cells.iter().all(Option::is_some));
    for row in whole.into_iter().chain(partial) {
        let cells: Vec<Option<&Cell>> = row.cells.iter().map(Option::as_ref).collect();
        let remark = remark(row);
        let is_partial = cells.contains(&None);
        let fitting = groups.iter_mut().find(|group| {
            let agrees = group.remark == remark
                || is_partial && group.remark.max(remark) <= Remark::OutsideDiffers;
            agrees
                && group.cells.iter().zip(&cells).all(|(one, other)| match (one, other) {
                    (Some(one), Some(other)) => says_the_same(one, other),
                    _ => true,
                })
        });
        match fitting {
            Some(group) => group.rows.push(row),
            None => groups.push(Group { rows: vec![row], cells, remark }),
        }
    }
    groups
}

fn says_the_same(one: &Cell, other: &Cell) -> bool {
    one.verdict == other.verdict
        && one.weight == other.weight
        && (!is_skipped(one) || one.reason == other.reason)
}

/// The rows by profile, and by case where not all cases of the profile among
/// `all` are meant: `session-http, stateless-http[a case]`.
fn names(rows: &[&Row], all: &[&Row]) -> String {
    let of = |rows: &[&Row], profile: &str| {
        rows.iter().filter(|row| row.name.profile == profile).count()
    };
    let mut names: Vec<String> = Vec::new();
    for row in rows {
        let profile = &row.name.profile;
        let name = match &row.name.case {
            Some(case) if of(rows, profile) < of(all, profile) => format!("{profile}[{case}]"),
            _ => profile.clone(),
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}
