//! What a person should look at after a run: [`Findings`], each cause once.
//!
//! Few are shown in full, with the line of the script and whole exchanges. Where
//! there are more each is short, only the first of them have an exchange, and at
//! the end stand names alone. What shows most often comes first.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use super::look::Look;
use super::told::{Cause, Gravity, Of, Shown, Teller, Told};
use crate::report::describe::cut;
use crate::report::places::Places;

/// Up to how many red findings are shown in full.
const IN_FULL: usize = 3;

/// How many are shown with an exchange, if there are more. With the limits below,
/// a report of five faults takes no more than two screens.
const WITH_EVIDENCE: usize = 3;

/// How many of each gravity are shown; the rest is named.
const SHOWN: usize = 8;

/// The same of warnings and of notes, which are no failures.
const FEW_SHOWN: usize = 4;

/// How much of a reason is shown at least, in columns.
const LEAST_REASON: usize = 60;

/// What was found in a run.
#[derive(Default)]
pub(super) struct Findings {
    list: Vec<Finding>,
    known: HashMap<(Gravity, Cause), usize>,
}

/// One cause, and where it was found.
struct Finding {
    gravity: Gravity,
    shown: Shown,
    /// Further claims of the same check that were not exercised.
    also: Vec<String>,
    places: Places,
    /// Whether everything is shown of it: `--trace`.
    is_traced: bool,
}

impl Findings {
    /// Adds what one execution has to say.
    pub(super) fn add(&mut self, teller: &Teller<'_>) {
        let execution = teller.execution;
        let mut printed = Some(teller.printed());
        let mut counted = Vec::new();
        for Told { gravity, cause, of } in teller.list() {
            let number = self.list.len();
            let index = *self.known.entry((gravity, cause)).or_insert(number);
            if index == number {
                let mut shown = teller.shown(&of);
                // What it printed is told once of an execution.
                if gravity < Gravity::Warning {
                    let printed = printed.take().unwrap_or_default();
                    for (evidence, printed) in shown.evidence.iter_mut().zip(printed) {
                        evidence.push_str(&printed);
                    }
                }
                self.list.push(Finding {
                    gravity,
                    shown,
                    also: Vec::new(),
                    places: Places::default(),
                    is_traced: execution.traced,
                });
            }
            let finding = &mut self.list[index];
            if let Of::Claim(result) = of {
                finding.name(&result.checkpoint.id);
            }
            // One execution may tell the same twice.
            if !counted.contains(&index) {
                counted.push(index);
                let text = |text: &str| teller.style.text(text.as_bytes());
                let case = execution.case.as_deref().map(text);
                finding.places.add(
                    &execution.check,
                    case.as_deref(),
                    &execution.profile,
                    execution.revision,
                );
            }
        }
    }

    /// All of them as text.
    pub(super) fn text(&self, look: Look) -> String {
        let mut out = String::new();
        let red = self.list.iter().filter(|finding| finding.gravity < Gravity::Warning).count();
        let mut with_evidence = WITH_EVIDENCE;
        let mut seen = HashSet::new();
        for gravity in
            [Gravity::Broken, Gravity::Red, Gravity::Unexercised, Gravity::Warning, Gravity::Note]
        {
            let mut all: Vec<&Finding> =
                self.list.iter().filter(|finding| finding.gravity == gravity).collect();
            // What shows most often comes first; else the order is that of the plan.
            all.sort_by_key(|finding| Reverse(finding.places.executions()));
            let is_red = gravity < Gravity::Warning;
            let shown = if is_red { SHOWN } else { FEW_SHOWN };
            let mut was_brief = false;
            let mut left_out = Vec::new();
            for (number, finding) in all.iter().enumerate() {
                let brief = !finding.is_traced
                    && (!is_red
                        || red > IN_FULL
                            && (with_evidence == 0 || gravity == Gravity::Unexercised));
                if brief && number >= shown {
                    left_out.push(finding.heading());
                } else if brief {
                    if !was_brief {
                        out.push('\n');
                    }
                    finding.write_brief(&mut out, look);
                } else {
                    with_evidence = with_evidence.saturating_sub(1);
                    let full = finding.is_traced || red <= IN_FULL;
                    finding.write(&mut out, full, look, &mut seen);
                }
                was_brief = brief;
            }
            if !left_out.is_empty() {
                let _ = writeln!(out, "  and {} more:", left_out.len());
                write_names(&mut out, &left_out, look.width);
            }
        }
        if !out.is_empty() {
            out.push('\n');
        }
        out
    }
}

impl Finding {
    /// Names a claim that was not exercised.
    fn name(&mut self, id: &str) {
        let is_first = self.shown.heading.strip_prefix('#') == Some(id);
        if !is_first && !self.also.iter().any(|known| known == id) {
            self.also.push(id.to_owned());
        }
    }

    /// `check[case]#claim`; without the check if there are several.
    fn heading(&self) -> String {
        let heading = &self.shown.heading;
        match self.places.check() {
            Some(check) => format!("{check}{heading}"),
            None => heading.trim_start_matches(['#', ':', ' ']).to_owned(),
        }
    }

    /// Several lines, after an empty one. Evidence that was `seen` is not shown
    /// again.
    fn write<'a>(
        &'a self,
        out: &mut String,
        full: bool,
        look: Look,
        seen: &mut HashSet<&'a String>,
    ) {
        let [whole, short] = &self.shown.evidence;
        let heading = look.paint.bold(&self.heading());
        if full {
            let _ = write!(out, "\n{heading}\n\n{}", self.shown.full);
        } else {
            let line = format!("{} {heading}  {}", look.paint.red("×"), self.shown.words);
            let _ = writeln!(out, "\n{}", line.trim_end());
            out.push_str(&self.shown.compact);
        }
        if !self.also.is_empty() {
            let _ = writeln!(out, "  {:<9} not exercised: {}", "also", self.also.join(", "));
        }
        if self.places.executions() > 1 {
            let _ = writeln!(out, "  {:<9} {} executions", "in", self.places.executions());
        }
        for (noun, names) in self.places.lines() {
            let _ = writeln!(out, "  {noun:<9} {names}");
        }
        let evidence = if full { whole } else { short };
        match evidence.lines().next() {
            Some(first) if !seen.insert(evidence) => {
                let _ = writeln!(out, "{first}: as above");
            }
            _ => out.push_str(evidence),
        }
    }

    /// Two lines.
    fn write_brief(&self, out: &mut String, look: Look) {
        let mark = match self.gravity {
            Gravity::Warning => "⚠".to_owned(),
            Gravity::Note => "☞".to_owned(),
            _ => look.paint.red("×"),
        };
        let heading = match (self.gravity, self.places.check()) {
            (Gravity::Unexercised, Some(check)) => check,
            _ => self.heading(),
        };
        let heading = look.paint.bold(&heading);
        let first = match self.gravity {
            Gravity::Unexercised => {
                let first = self.shown.heading.trim_start_matches('#');
                let claims = std::iter::once(first).chain(self.also.iter().map(String::as_str));
                cut(
                    &format!("not exercised: {}", claims.collect::<Vec<_>>().join(", ")),
                    look.width,
                )
            }
            _ => self.shown.sentence.clone(),
        };
        let _ = writeln!(out, "{}", format!("{mark} {heading}  {first}").trim_end());
        let reason = &self.shown.reason;
        // The first line has these words already.
        let reason = reason.strip_prefix("not exercised").unwrap_or(reason);
        let reason = reason.strip_prefix(": ").unwrap_or(reason);
        let places = self.places.brief();
        let room = look.width.saturating_sub(places.chars().count() + 6).max(LEAST_REASON);
        let separator = if reason.is_empty() { "" } else { "; " };
        let _ = writeln!(out, "    {}{separator}{places}", cut(reason, room));
    }
}

/// Names with commas between them, in lines of at most `width` columns.
fn write_names(out: &mut String, names: &[String], width: usize) {
    let mut line = String::new();
    for (index, name) in names.iter().enumerate() {
        let comma = if index + 1 < names.len() { "," } else { "" };
        if !line.is_empty() && line.len() + name.len() + 6 > width {
            let _ = writeln!(out, "   {line}");
            line.clear();
        }
        let _ = write!(line, " {name}{comma}");
    }
    let _ = writeln!(out, "   {line}");
}
