//! Several texts as one: each line once, with a mark of the texts that have it.
//! [`merge`] makes one of them, [`Columns`] is the mark.
//!
//! ```text
//! > accept: application/json
//! 2| > mcp-session-id: sess-conformance
//! 1-3,5| > mcp-protocol-version: {revision}
//! ```
//!
//! A line without a mark belongs to every text.

use std::fmt::{self, Display, Formatter};

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// The numbers of the texts that have a line, counted from 1, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Columns(pub(super) Vec<usize>);

/// What stands between a mark and its line.
const END: char = '|';

impl Columns {
    /// The mark at the start of `line`, and the line itself; `None` if it has none.
    /// An error is a mark that cannot be read.
    pub(super) fn split(line: &str) -> Result<(Option<Self>, &str), String> {
        let Some((mark, rest)) = line.split_once(END) else { return Ok((None, line)) };
        if !mark.chars().all(|character| character.is_ascii_digit() || ",-".contains(character)) {
            return Ok((None, line));
        }
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        // A line that would pass for one with a mark has an empty one before it.
        if mark.is_empty() {
            return Ok((None, rest));
        }
        let wrong = || format!("`{mark}{END}` does not say of which profiles its line is");
        let number = |text: &str| text.parse::<usize>().map_err(|_| wrong());
        let mut numbers = Vec::new();
        for part in mark.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (number(first)?, number(last)?);
            // Bounds the range as well: a file may say anything.
            if first <= numbers.last().copied().unwrap_or(0) || last < first || last > MOST {
                return Err(wrong());
            }
            numbers.extend(first..=last);
        }
        Ok((Some(Columns(numbers)), rest))
    }

    /// `line` with this mark before it, which is left out if it is `all`.
    pub(super) fn before(&self, line: &str, all: &Self) -> String {
        if self != all {
            let space = if line.is_empty() { "" } else { " " };
            return format!("{self}{END}{space}{line}");
        }
        match Self::split(line) {
            Ok((None, same)) if same == line => line.to_owned(),
            _ => format!("{END} {line}"),
        }
    }
}

/// The highest number of a text.
const MOST: usize = 10_000;

impl Display for Columns {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut rest = &self.0[..];
        let mut separator = "";
        while let Some(&first) = rest.first() {
            let length = rest.iter().zip(first..).take_while(|(a, b)| **a == *b).count();
            write!(formatter, "{separator}{first}")?;
            if length > 1 {
                write!(formatter, "-{}", first + length - 1)?;
            }
            separator = ",";
            rest = &rest[length..];
        }
        Ok(())
    }
}

/// Every line of `texts`, each of which has a number, so that the lines with one
/// number are the text with that number. Lines that are alike stand there once if
/// their order allows it.
pub(super) fn merge<'t>(texts: &[(usize, Vec<&'t str>)]) -> Vec<(Columns, &'t str)> {
    let mut merged: Vec<(Columns, &str)> = Vec::new();
    for (number, lines) in texts {
        let old: Vec<&str> = merged.iter().map(|(_, line)| *line).collect();
        let mut all = Vec::with_capacity(merged.len());
        let added = |line: &&'t str| (Columns(vec![*number]), *line);
        for operation in capture_diff_slices(Algorithm::Myers, &old, lines) {
            let (before, now) = (operation.old_range(), operation.new_range());
            if matches!(operation, DiffOp::Equal { .. }) {
                all.extend(merged[before].iter().cloned().map(|(mut columns, line)| {
                    columns.0.push(*number);
                    (columns, line)
                }));
                continue;
            }
            interleave(&merged[before], &lines[now], added, &mut all);
        }
        merged = all;
    }
    merged
}

/// Puts `new` behind what is only in `old`, but exchange by exchange, which an
/// empty line ends: what belongs to one exchange stays together.
fn interleave<'t>(
    old: &[(Columns, &'t str)],
    new: &[&'t str],
    added: impl Fn(&&'t str) -> (Columns, &'t str),
    all: &mut Vec<(Columns, &'t str)>,
) {
    let mut old = old.split_inclusive(|(_, line)| line.is_empty());
    let mut new = new.split_inclusive(|line| line.is_empty());
    loop {
        let (before, now) = (old.next(), new.next());
        if before.is_none() && now.is_none() {
            return;
        }
        all.extend_from_slice(before.unwrap_or_default());
        all.extend(now.unwrap_or_default().iter().map(&added));
    }
}
