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
use std::hash::Hash;

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

/// A line and the texts that have it.
type Line<'t> = (Columns, &'t str);

/// The lines up to an empty one.
struct Exchange<'t> {
    /// The first line, and the method of the message that was sent: what is alike
    /// in the exchanges that are one.
    key: [&'t str; 2],
    lines: Vec<Line<'t>>,
}

/// Every line of `texts`, each of which has a number, so that the lines with one
/// number are the text with that number; empty lines at its end aside. Exchanges in
/// which the same was asked are one, and in them lines that are alike stand once,
/// both if their order allows it.
pub(super) fn merge<'t>(texts: &[(usize, Vec<&'t str>)]) -> Vec<Line<'t>> {
    let mut merged = Vec::new();
    for (number, lines) in texts {
        let both = |old: Exchange<'t>, new: Exchange<'t>| Exchange {
            key: old.key,
            lines: weave(old.lines, new.lines, |(_, line)| *line, joined),
        };
        merged = weave(merged, exchanges(*number, lines), |exchange| exchange.key, both);
    }
    let mut lines: Vec<Line<'t>> = merged.into_iter().flat_map(|exchange| exchange.lines).collect();
    while lines.last().is_some_and(|(_, line)| line.is_empty()) {
        lines.pop();
    }
    lines
}

/// The exchanges of a text, each with an empty line at its end.
fn exchanges<'t>(number: usize, lines: &[&'t str]) -> Vec<Exchange<'t>> {
    let exchange = |lines: &[&'t str]| {
        let sent = lines.iter().find_map(|line| line.strip_prefix("> ")?.split_once(METHOD));
        let method =
            sent.and_then(|(_, rest)| rest.split_once('"')).map_or("", |(method, _)| method);
        let key = [lines.first().copied().unwrap_or_default(), method];
        let lines = lines.iter().chain([&""]);
        Exchange { key, lines: lines.map(|line| (Columns(vec![number]), *line)).collect() }
    };
    lines.split(|line| line.is_empty()).map(exchange).collect()
}

/// What stands before the method of a message.
const METHOD: &str = "\"method\":\"";

/// The line of both texts.
fn joined<'t>((mut columns, line): Line<'t>, (others, _): Line<'t>) -> Line<'t> {
    columns.0.extend(others.0);
    (columns, line)
}

/// What is in `old` and in `new`, in the order of either: `both` makes one of two
/// that have the same key.
fn weave<T, K: Eq + Hash>(
    old: Vec<T>,
    new: Vec<T>,
    key: impl Fn(&T) -> K,
    both: impl Fn(T, T) -> T,
) -> Vec<T> {
    let keys = |items: &[T]| items.iter().map(&key).collect::<Vec<K>>();
    // No deadline: what is written must not depend on how fast the machine is.
    let operations = capture_diff_slices(Algorithm::Myers, &keys(&old), &keys(&new));
    let (mut old, mut new) = (old.into_iter(), new.into_iter());
    let mut all = Vec::new();
    for operation in operations {
        let before = old.by_ref().take(operation.old_range().len());
        let now = new.by_ref().take(operation.new_range().len());
        if matches!(operation, DiffOp::Equal { .. }) {
            all.extend(before.zip(now).map(|(old, new)| both(old, new)));
        } else {
            all.extend(before.chain(now));
        }
    }
    all
}
