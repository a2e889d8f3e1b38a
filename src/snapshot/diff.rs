//! Line diffs that a person reads: [`diff`], and [`diff_coloured`].
//!
//! ```text
//! @@ -3,3 +3,3 @@
//!   > accept: application/json
//! - > {"id":1}
//! + > {"id":2}
//! ```
//!
//! The mark stands in a column of its own, since lines of the wire begin with
//! `>` and `<` themselves.

use std::fmt::Write as _;

use similar::{Change, ChangeTag, DiffOp, InlineChangeMode, InlineChangeOptions, TextDiff};

/// How many unchanged lines are shown around a change.
const CONTEXT: usize = 3;

/// The lines that differ between `old` and `new`, with some around them; empty
/// if none do.
pub fn diff(old: &str, new: &str) -> String {
    write(old, new, |lines, operation, out| {
        for change in lines.iter_changes(operation) {
            out.push_str(format!("{} {}", mark(change.tag()), text(&change)).trim_end());
            out.push('\n');
        }
    })
}

/// [`diff`] with ANSI colours: what is gone in red, what is new in green, the
/// part of a line that changed in inverse video.
pub fn diff_coloured(old: &str, new: &str) -> String {
    // JSON has few spaces: words would be whole bodies.
    let mut options = InlineChangeOptions::new();
    options.mode(InlineChangeMode::Chars).semantic_cleanup(true);
    write(old, new, |lines, operation, out| {
        for change in lines.iter_inline_changes_with_options(operation, options) {
            let colour = match change.tag() {
                ChangeTag::Delete => "\x1b[31m",
                ChangeTag::Insert => "\x1b[32m",
                ChangeTag::Equal => "\x1b[2m",
            };
            let _ = write!(out, "{colour}{} ", mark(change.tag()));
            for &(is_emphasized, part) in change.values() {
                let part = part.trim_end_matches('\n');
                if is_emphasized && !part.is_empty() {
                    let _ = write!(out, "\x1b[7m{part}\x1b[27m");
                } else {
                    out.push_str(part);
                }
            }
            out.push_str("\x1b[0m\n");
        }
    })
}

fn mark(tag: ChangeTag) -> char {
    match tag {
        ChangeTag::Delete => '-',
        ChangeTag::Insert => '+',
        ChangeTag::Equal => ' ',
    }
}

fn text<'a>(change: &Change<&'a str>) -> &'a str {
    change.value().trim_end_matches('\n')
}

fn write<'a>(
    old: &'a str,
    new: &'a str,
    write_lines: impl Fn(&TextDiff<'a, 'a, str>, &DiffOp, &mut String),
) -> String {
    // No deadline: what is shown must not depend on how fast the machine is.
    let lines = TextDiff::from_lines(old, new);
    let mut out = String::new();
    for hunk in lines.unified_diff().context_radius(CONTEXT).iter_hunks() {
        let _ = writeln!(out, "{}", hunk.header());
        for operation in hunk.ops() {
            write_lines(&lines, operation, &mut out);
        }
    }
    out
}
