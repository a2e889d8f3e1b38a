//! A checkpoint line: `id LEVEL [marks] Sentence`.

use super::Header;
use super::piece::Piece;
use super::revisions;
use crate::check::checkpoint::{About, Checkpoint, Level, WIRE_SCHEMA};
use crate::check::nearest::{did_you_mean, nearest};
use crate::check::source_error::{Problem, problem};
use crate::mcp::Revision;

const LEVELS: &str = "the levels are MUST, SHOULD, MAY and INTEROP";
const MARKS: [&str; 4] = ["task", "builtin", "sent", "spec"];

/// Reads one checkpoint line of a check that runs at `within`; `None` if it
/// has a problem.
pub fn read(
    line: Piece<'_>,
    within: &[Revision],
    problems: &mut Vec<Problem>,
) -> Option<Checkpoint> {
    let before = problems.len();
    let (id, rest) = line.split_word(|_| false);
    let (word, rest) = rest.split_word(|character| character == '[');
    let level = match level(word) {
        Ok(level) => level,
        Err(trouble) => {
            problems.push(without_level(line, id, word, trouble));
            return None;
        }
    };
    if !is_id(id.text) {
        problems.push(
            problem(
                "header::bad-id",
                format!("`{}` is no id of a checkpoint", id.text),
                id.span(),
                "expected lower-case words with hyphens between them",
            )
            .with_help("an id is written like `tool-call-args`"),
        );
    }
    if id.text == WIRE_SCHEMA {
        problems.push(
            problem(
                "header::reserved-id",
                format!("`{WIRE_SCHEMA}` is decided in every check and declared in none"),
                id.span(),
                "reserved",
            )
            .with_help("take this line away, or give the checkpoint another id"),
        );
    }
    let mut checkpoint = Checkpoint {
        id: id.text.to_owned(),
        level,
        about: About::Protocol,
        builtin: false,
        sent: false,
        spec_level: None,
        revisions: Vec::new(),
        sentence: String::new(),
    };
    let sentence = match marks_and_sentence(rest) {
        Ok((marks, sentence)) => {
            for mark in marks.into_iter().flat_map(|marks| marks.split(';')) {
                if let Err(problem) = read_mark(mark, within, &mut checkpoint) {
                    problems.push(problem);
                }
            }
            checkpoint.revisions.sort();
            checkpoint.revisions.dedup();
            sentence
        }
        Err(problem) => {
            problems.push(problem);
            return None;
        }
    };
    checkpoint.sentence = sentence.flat();
    if checkpoint.sentence.is_empty() {
        let end = line.span().end;
        problems.push(
            problem(
                "header::empty-sentence",
                format!("the checkpoint `{}` claims nothing", id.text),
                end..end,
                "expected a sentence",
            )
            .with_help("say in one sentence what holds if the checkpoint passes"),
        );
    }
    (problems.len() == before).then_some(checkpoint)
}

/// Reports checkpoints that are declared twice for the same revision.
pub fn refuse_duplicates(header: &Header, problems: &mut Vec<Problem>) {
    let mut first_of = std::collections::HashMap::<&str, Vec<usize>>::new();
    for (index, checkpoint) in header.checkpoints.iter().enumerate() {
        let earlier = first_of.entry(&checkpoint.id).or_default();
        let shared = earlier.iter().find_map(|&first| {
            let overlap = header.revisions.iter().copied().find(|&revision| {
                header.checkpoints[first].applies_to(revision) && checkpoint.applies_to(revision)
            })?;
            Some((first, overlap))
        });
        if let Some((first, overlap)) = shared {
            let id_span = |index: usize| {
                let start = header.checkpoint_spans[index].start;
                start..start + checkpoint.id.len()
            };
            problems.push(
                problem(
                    "header::duplicate-checkpoint",
                    format!("the checkpoint `{}` is declared twice", checkpoint.id),
                    id_span(index),
                    format!("again, for {overlap} too"),
                )
                .and_label(id_span(first), "first declared here")
                .with_help(
                    "give it another id, or revisions that do not overlap: `[..2025-06-18]`",
                ),
            );
        }
        earlier.push(index);
    }
}

/// Lower-case words and digits with single hyphens between them.
pub fn is_id(text: &str) -> bool {
    text.split('-').all(|word| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    })
}

/// Why a word is no level.
enum NoLevel {
    /// It was meant to be one of these.
    Misspelt(String),
    /// It is in capitals, so it was meant to be one.
    Unknown,
    /// It is an ordinary word.
    Missing,
}

fn level(word: Piece<'_>) -> Result<Level, NoLevel> {
    if let Some(level) = Level::ALL.into_iter().find(|level| level.as_str() == word.text) {
        return Ok(level);
    }
    let is_capitals = word.text.len() > 1 && word.text.chars().all(|c| c.is_ascii_uppercase());
    Err(match did_you_mean(word.text, Level::ALL.map(Level::as_str)) {
        Some(question) => NoLevel::Misspelt(question),
        None if is_capitals => NoLevel::Unknown,
        None => NoLevel::Missing,
    })
}

fn without_level(line: Piece<'_>, id: Piece<'_>, word: Piece<'_>, trouble: NoLevel) -> Problem {
    let unknown = |help: String| {
        problem(
            "header::unknown-level",
            format!("`{}` is not a level", word.text),
            word.span(),
            "expected MUST, SHOULD, MAY or INTEROP",
        )
        .with_help(help)
    };
    match trouble {
        NoLevel::Misspelt(question) => unknown(format!("{question} A level is in capitals")),
        NoLevel::Unknown => {
            unknown(format!("{LEVELS}; if this is prose, break the line elsewhere"))
        }
        NoLevel::Missing if is_id(id.text) && !word.text.is_empty() => problem(
            "header::missing-level",
            format!("the checkpoint `{}` has no level", id.text),
            word.span(),
            "expected MUST, SHOULD, MAY or INTEROP",
        )
        .with_help("a checkpoint line is `id LEVEL [marks] Sentence`"),
        NoLevel::Missing => problem(
            "header::unreadable-line",
            "this line is neither a key nor a checkpoint",
            line.span(),
            "expected `key: value` or `id LEVEL Sentence`",
        )
        .with_help(
            "prose stands before the first key and checkpoint; a value or sentence goes on in \
             the next line if that is indented deeper",
        ),
    }
}

/// Takes apart what follows the level.
fn marks_and_sentence(rest: Piece<'_>) -> Result<(Option<Piece<'_>>, Piece<'_>), Problem> {
    if !rest.text.starts_with('[') {
        return Ok((None, rest));
    }
    match rest.text.find(']') {
        Some(end) => Ok((Some(rest.slice(1..end)), rest.from(end + 1).trim())),
        None => Err(problem(
            "header::open-marks",
            "the marks do not end",
            rest.slice(0..1).span(),
            "opened here",
        )
        .with_help("close the marks with `]`")),
    }
}

fn read_mark(
    mark: Piece<'_>,
    within: &[Revision],
    checkpoint: &mut Checkpoint,
) -> Result<(), Problem> {
    let again = |already: bool| {
        if already {
            Err(problem("header::repeated-mark", "the mark stands twice", mark.span(), "again")
                .with_help("name it once"))
        } else {
            Ok(())
        }
    };
    match mark.text {
        "task" => {
            again(checkpoint.about == About::Task)?;
            checkpoint.about = About::Task;
        }
        "builtin" => {
            again(checkpoint.builtin)?;
            checkpoint.builtin = true;
        }
        "sent" => {
            again(checkpoint.sent)?;
            checkpoint.sent = true;
        }
        text if text.starts_with(|first: char| first.is_ascii_digit()) || text.contains("..") => {
            checkpoint.revisions.extend(revisions::read(mark, within)?);
        }
        _ => {
            let (name, value) = mark.split_word(|character| character == ':');
            let colon = value.text.strip_prefix(':').map(|_| value.from(1).trim());
            let (Some(value), "spec") = (colon, name.text) else {
                return Err(unknown_mark(mark, name));
            };
            again(checkpoint.spec_level.is_some())?;
            let level = level(value).map_err(|_| {
                let near = nearest(value.text, Level::ALL.map(Level::as_str));
                problem(
                    "header::unknown-level",
                    format!("`{}` is not a level", value.text),
                    value.span(),
                    "expected MUST, SHOULD, MAY or INTEROP",
                )
                .with_help(match near.first() {
                    Some(level) => format!("did you mean `spec: {level}`?"),
                    None => LEVELS.to_owned(),
                })
            })?;
            checkpoint.spec_level = Some(level);
        }
    }
    Ok(())
}

fn unknown_mark(mark: Piece<'_>, name: Piece<'_>) -> Problem {
    let known = "the marks are `task`, `builtin`, `sent`, a revision or a range of them, and \
                 `spec: LEVEL`, with semicolons between them";
    problem(
        "header::unknown-mark",
        format!("`{}` is no mark", mark.flat()),
        mark.span(),
        "expected a mark",
    )
    .with_help(match did_you_mean(name.text, MARKS) {
        Some(question) => format!("{question} {}", capitalised(known)),
        None => known.to_owned(),
    })
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
