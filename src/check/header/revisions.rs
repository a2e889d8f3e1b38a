//! Lists and ranges of revisions: `2025-03-26, 2025-11-25..`.

use super::piece::Piece;
use crate::check::nearest::did_you_mean;
use crate::check::source_error::{Problem, problem};
use crate::mcp::Revision;

/// Reads one revision or one range, `A..B` with both ends included. An end that
/// is left out is the end of `within`, which is in order.
///
/// # Errors
///
/// A revision that is not known or not in `within`, or a range that holds none.
pub fn read(piece: Piece<'_>, within: &[Revision]) -> Result<Vec<Revision>, Problem> {
    let Some(dots) = piece.text.find("..") else {
        return one(piece, within).map(|revision| vec![revision]);
    };
    let (first, last) = (piece.slice(0..dots).trim(), piece.from(dots + 2).trim());
    let end = |piece: Piece<'_>| {
        if piece.text.is_empty() { Ok(None) } else { one(piece, within).map(Some) }
    };
    let (first, last) = (end(first)?, end(last)?);
    let revisions: Vec<Revision> = within
        .iter()
        .copied()
        .filter(|revision| first.is_none_or(|first| first <= *revision))
        .filter(|revision| last.is_none_or(|last| *revision <= last))
        .collect();
    if revisions.is_empty() {
        return Err(empty_range(piece, first, last));
    }
    Ok(revisions)
}

fn one(piece: Piece<'_>, within: &[Revision]) -> Result<Revision, Problem> {
    let revision: Revision = piece.text.parse().map_err(|_| unknown(piece))?;
    if within.contains(&revision) {
        return Ok(revision);
    }
    Err(problem(
        "header::revision-outside",
        format!("the check does not run at {revision}"),
        piece.span(),
        "not among the revisions of the check",
    )
    .with_help(format!(
        "the check runs at {}; change its `revisions`, or this mark",
        within.iter().map(|revision| revision.as_str()).collect::<Vec<_>>().join(", ")
    )))
}

fn unknown(piece: Piece<'_>) -> Problem {
    let known = Revision::ALL.map(Revision::as_str);
    let help = did_you_mean(piece.text, known)
        .unwrap_or_else(|| format!("the known revisions are {}", known.join(", ")));
    problem(
        "header::unknown-revision",
        format!("`{}` is not a known revision", piece.text),
        piece.span(),
        "expected a revision or a range",
    )
    .with_help(help)
}

fn empty_range(piece: Piece<'_>, first: Option<Revision>, last: Option<Revision>) -> Problem {
    let help = match (first, last) {
        (Some(first), Some(last)) => format!("write the older revision first: `{last}..{first}`"),
        _ => "a range has at least one revision".to_owned(),
    };
    problem("header::empty-range", "the range holds no revision", piece.span(), "").with_help(help)
}
