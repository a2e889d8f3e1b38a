//! What waits for a review, change by change: one that is the same in many wires is
//! one change with many places. The main type is [`Review`].
//!
//! Each place can be decided by itself. What is accepted goes into the snapshot,
//! what is rejected out of the pending file; what is left goes on waiting.

use std::collections::HashMap;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

use super::document::{Document, Of};
use super::file::Head;
use super::{Pending, SnapshotError};

/// How many lines around a change belong to it.
const CONTEXT: usize = 3;

/// Everything that waits for a review.
#[derive(Debug)]
pub struct Review {
    files: Vec<Waiting>,
    /// Each change with its places, in the order of the first of them.
    pub changes: Vec<Vec<Place>>,
}

/// Where a change stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The pending file.
    pub pending: Pending,
    /// The case; `None` if the check has no cases.
    pub case: Option<String>,
    /// The profile's name.
    pub profile: String,
    /// The file, the text in it and the change in that.
    at: [usize; 3],
}

/// What is decided of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The snapshot gets it.
    Accept,
    /// The snapshot stays as it is.
    Reject,
}

/// What a change does to a wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// There was none.
    New {
        /// What was recorded, for all the places.
        new: String,
    },
    /// It is not recorded any more.
    Gone {
        /// What was recorded, for all the places.
        old: String,
    },
    /// Some lines of it differ.
    Differs {
        /// The lines as they were, with some around them.
        old: String,
        /// The lines as they are.
        new: String,
        /// Where they stand in the first of the wires, counted from 0.
        lines: [Range<usize>; 2],
    },
}

/// A file that waits.
#[derive(Debug)]
struct Waiting {
    pending: Pending,
    head: Head,
    texts: Vec<Text>,
}

/// The wire of a profile for a case; a revision stands in it by its name, so that
/// what is alike at two of them is the same.
#[derive(Debug)]
struct Text {
    of: Of,
    case: Option<String>,
    old: Option<Vec<String>>,
    new: Option<Vec<String>>,
    hunks: Vec<Hunk>,
}

#[derive(Debug)]
struct Hunk {
    old: Range<usize>,
    new: Range<usize>,
    /// What is the same in the places of one change.
    key: String,
    decision: Option<Decision>,
}

impl Review {
    /// Reads what is pending.
    ///
    /// # Errors
    /// [`SnapshotError`] if a file cannot be read.
    pub fn of(pending: Vec<Pending>) -> Result<Self, SnapshotError> {
        let files: Vec<Waiting> =
            pending.into_iter().map(Waiting::read).collect::<Result<_, _>>()?;
        let mut changes: Vec<Vec<Place>> = Vec::new();
        let mut known: HashMap<&str, usize> = HashMap::new();
        for (file, waiting) in files.iter().enumerate() {
            for (text, wire) in waiting.texts.iter().enumerate() {
                for (index, hunk) in wire.hunks.iter().enumerate() {
                    let change = *known.entry(&hunk.key).or_insert(changes.len());
                    if change == changes.len() {
                        changes.push(Vec::new());
                    }
                    changes[change].push(Place {
                        pending: waiting.pending.clone(),
                        case: wire.case.clone(),
                        profile: wire.of.profile.clone(),
                        at: [file, text, index],
                    });
                }
            }
        }
        drop(known);
        Ok(Review { files, changes })
    }

    /// What a change is, in these of its places; `None` if there are none.
    pub fn change(&self, places: &[Place]) -> Option<Change> {
        let (text, hunk) = self.at(places.first()?)?;
        let whole = |side: fn(&Text) -> &Option<Vec<String>>| {
            let mut document = Document::default();
            for (text, _) in places.iter().filter_map(|place| self.at(place)) {
                let lines = side(text).as_ref().map(|lines| text.of.own(&lines.join("\n")));
                document.set(&text.of, None, lines.as_deref());
            }
            document.text()
        };
        Some(match (&text.old, &text.new) {
            (None, _) => Change::New { new: whole(|text| &text.new) },
            (_, None) => Change::Gone { old: whole(|text| &text.old) },
            (Some(old), Some(new)) => Change::Differs {
                old: lines(&old[hunk.old.clone()]),
                new: lines(&new[hunk.new.clone()]),
                lines: [hunk.old.clone(), hunk.new.clone()],
            },
        })
    }

    /// Decides the change at these places, and writes the files.
    ///
    /// # Errors
    /// [`SnapshotError`] if a file cannot be written.
    pub fn decide(&mut self, places: &[Place], decision: Decision) -> Result<(), SnapshotError> {
        let mut touched = Vec::new();
        for Place { at: [file, text, hunk], .. } in places {
            let texts = self.files.get_mut(*file).and_then(|file| file.texts.get_mut(*text));
            if let Some(hunk) = texts.and_then(|text| text.hunks.get_mut(*hunk)) {
                hunk.decision = Some(decision);
                touched.push(*file);
            }
        }
        touched.dedup();
        touched.into_iter().try_for_each(|file| self.files[file].write())
    }

    fn at(&self, place: &Place) -> Option<(&Text, &Hunk)> {
        let [file, text, hunk] = place.at;
        let text = self.files.get(file)?.texts.get(text)?;
        Some((text, text.hunks.get(hunk)?))
    }
}

impl Waiting {
    fn read(pending: Pending) -> Result<Self, SnapshotError> {
        let old = pending.old()?;
        let (head, new) = pending.new_document()?;
        let mut texts = Vec::new();
        let side = |document: &Document, of: &Of, case: Option<&str>| {
            let found =
                document.texts().find(|(known, known_case, _)| *known == of && *known_case == case);
            let text = found.map(|(of, _, text)| of.general(text));
            text.map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())
        };
        // Those that are only in the old one come last, in their order.
        let gone = old.texts().filter(|(of, case, _)| side(&new, of, *case).is_none());
        for (of, case, _) in new.texts().chain(gone) {
            let (old, new) = (side(&old, of, case), side(&new, of, case));
            let name = (pending.check.as_str(), case);
            let hunks = hunks(name, old.as_deref(), new.as_deref());
            let case = case.map(str::to_owned);
            texts.push(Text { of: of.clone(), case, old, new, hunks });
        }
        let waiting = Waiting { pending, head, texts };
        // What differs in its order alone changes no wire.
        if waiting.texts.iter().all(|text| text.hunks.is_empty()) {
            waiting.write()?;
        }
        Ok(waiting)
    }

    fn write(&self) -> Result<(), SnapshotError> {
        let document = |takes: fn(Option<Decision>) -> bool| {
            let mut document = Document::default();
            for text in &self.texts {
                let value = text.value(takes).map(|lines| text.of.own(&lines.join("\n")));
                document.set(&text.of, text.case.as_deref(), value.as_deref());
            }
            document
        };
        let accepted = document(|decision| decision == Some(Decision::Accept));
        let waiting = document(|decision| decision != Some(Decision::Reject));
        self.pending.write(&self.head, &accepted, &waiting)
    }
}

impl Text {
    /// The lines with the changes that `takes` says, and without the others.
    fn value(&self, takes: fn(Option<Decision>) -> bool) -> Option<Vec<&str>> {
        let (Some(old), Some(new)) = (&self.old, &self.new) else {
            let is_taken = self.hunks.iter().all(|hunk| takes(hunk.decision));
            let side = if is_taken { &self.new } else { &self.old };
            return side.as_ref().map(|lines| lines.iter().map(String::as_str).collect());
        };
        let mut lines: Vec<&str> = Vec::new();
        let mut done = 0;
        for hunk in &self.hunks {
            lines.extend(old[done..hunk.old.start].iter().map(String::as_str));
            let side =
                if takes(hunk.decision) { &new[hunk.new.clone()] } else { &old[hunk.old.clone()] };
            lines.extend(side.iter().map(String::as_str));
            done = hunk.old.end;
        }
        lines.extend(old[done..].iter().map(String::as_str));
        Some(lines)
    }
}

/// The changes from `old` to `new`, the texts of a check and a case.
fn hunks(
    (check, case): (&str, Option<&str>),
    old: Option<&[String]>,
    new: Option<&[String]>,
) -> Vec<Hunk> {
    let (Some(before), Some(now)) = (old, new) else {
        let length = |side: Option<&[String]>| side.map_or(0, <[String]>::len);
        // The wires of one check that are new are one change: they are alike, and
        // are shown as one.
        let word = if old.is_none() { "new" } else { "gone" };
        let key = format!("{word}\n{check}\n{}", case.unwrap_or_default());
        return vec![Hunk { old: 0..length(old), new: 0..length(new), key, decision: None }];
    };
    let operations = capture_diff_slices(Algorithm::Myers, before, now);
    let groups = group_diff_ops(operations, CONTEXT);
    groups.iter().filter_map(|group| hunk(group, before, now)).collect()
}

fn hunk(operations: &[DiffOp], old: &[String], new: &[String]) -> Option<Hunk> {
    let (first, last) = (operations.first()?, operations.last()?);
    let mut key = String::from("differs\n");
    for operation in operations {
        if let DiffOp::Equal { .. } = operation {
            key.push_str("=\n");
            continue;
        }
        for (mark, lines) in
            [('-', &old[operation.old_range()]), ('+', &new[operation.new_range()])]
        {
            lines.iter().for_each(|line| key.extend([mark.to_string(), line.clone(), "\n".into()]));
        }
    }
    // Whether a wire begins or ends there makes no difference.
    let key = key.replacen("differs\n=\n", "differs\n", 1);
    let key = key.strip_suffix("\n=\n").unwrap_or(&key).trim_end().to_owned();
    let old = first.old_range().start..last.old_range().end;
    let new = first.new_range().start..last.new_range().end;
    Some(Hunk { old, new, key, decision: None })
}

/// The lines as a text.
fn lines(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}
