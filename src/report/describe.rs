//! What the formats say alike: the words for counts, a decision, a level, a time.

use std::time::Duration;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};

use super::clipped::Clipped;
use super::paint::Paint;
use crate::check::{About, Checkpoint, CheckpointResult, Level, Verdict, Weight};
use crate::runner::event::{ClientProcess, Trouble};
use crate::runner::{Counts, Execution};
use crate::script::log::{LogEntry, Logged};
use crate::wire::redact::Redactor;
use crate::wire::text::{Style, visible};

/// The width of diagnostics in reports that are no terminal, in columns.
pub(super) const DIAGNOSTIC_WIDTH: usize = 100;

/// Whether the trouble of the whole execution has said already what became of
/// the checkpoint.
pub(super) fn is_explained(execution: &Execution, verdict: Verdict) -> bool {
    match execution.trouble {
        Some(Trouble::Broken(_) | Trouble::Subject(_)) => {
            matches!(verdict, Verdict::Error | Verdict::NotExercised)
        }
        Some(Trouble::TimedOut(_)) => verdict == Verdict::Timeout,
        _ => false,
    }
}

/// A diagnostic as text without line ends at its edges, in ANSI colours if told
/// so, wrapped to `width` columns.
pub(super) fn rendered(
    diagnostic: &dyn Diagnostic,
    style: &Style,
    colour: bool,
    width: usize,
) -> String {
    let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_width(width)
        .with_links(false)
        .without_syntax_highlighting();
    let text = visible(&without_credentials(handler, diagnostic, &style.redactor));
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

/// A diagnostic as `handler` renders it, without credentials, and in parts where it is
/// long.
pub(crate) fn without_credentials(
    handler: GraphicalReportHandler,
    diagnostic: &dyn Diagnostic,
    redactor: &Redactor,
) -> String {
    let clipped = Clipped::new(diagnostic, None, redactor);
    let text = |handler: GraphicalReportHandler| {
        let mut text = String::new();
        match handler.render_report(&mut text, &clipped) {
            Ok(()) => text,
            Err(_) => clipped.to_string(),
        }
    };
    // A line break could stand inside a credential and hide it: what has one
    // is not wrapped.
    let whole = text(handler.clone().with_wrap_lines(false));
    let redacted = redactor.redact(&whole);
    if redacted == whole { text(handler) } else { redacted }
}

/// What a script logged, a line for each entry: `judge, line 12: the text`.
pub(crate) fn log_lines(log: &Logged, style: &Style) -> Vec<String> {
    let entry = |entry: &LogEntry| {
        let line = entry.line.map(|line| format!(", line {line}")).unwrap_or_default();
        format!("{}{line}: {}", entry.function, style.text(entry.text.as_bytes()))
    };
    let more = (log.dropped > 0).then(|| format!("and {} more", log.dropped));
    log.entries.iter().map(entry).chain(more).collect()
}

/// The style in which an execution's exchanges and values are shown.
pub(super) fn style_for(style: &Style, execution: &Execution) -> Style {
    match execution.origins.as_slice() {
        [] => style.clone(),
        origins => style.with_origins(origins),
    }
}

/// The level in words: `MUST`, `SHOULD (the specification says MAY)`,
/// `goal of the task`.
pub(super) fn level(checkpoint: &Checkpoint) -> String {
    let mut words = match (checkpoint.about, checkpoint.level) {
        (About::Task, level) => format!("{level}, as a goal of the task"),
        (About::Host, level) => format!("{level}, of the built-in host"),
        (About::Protocol, Level::Interop) => "INTEROP, not counted as conformance".to_owned(),
        (About::Protocol, level) => level.to_string(),
    };
    if let Some(spec_level) = checkpoint.spec_level {
        words.push_str(&format!(" (the specification says {spec_level})"));
    }
    words
}

/// What is known of a decision, as named values: level, verdict, reason,
/// expected, actual.
pub(super) fn facts(result: &CheckpointResult, style: &Style) -> Vec<(&'static str, String)> {
    let verdict = match (result.verdict, result.weight) {
        // Its word does not say so.
        (Verdict::Warn | Verdict::Note, Weight::Red) => format!("{}, and red", result.verdict),
        (verdict, _) => verdict.to_string(),
    };
    let mut facts = vec![("level", level(&result.checkpoint)), ("verdict", verdict)];
    if let Some(decision) = &result.decision {
        let values = [
            ("reason", Some(&decision.reason).filter(|reason| !reason.is_empty())),
            ("expected", decision.expected.as_ref()),
            ("actual", decision.actual.as_ref()),
        ];
        for (name, value) in values {
            facts.extend(value.map(|value| (name, style.text(value.as_bytes()))));
        }
    }
    facts
}

/// `checks/client/tool-call-basic.rhai:27:5`.
pub(super) fn place(result: &CheckpointResult) -> Option<String> {
    let place = result.decision.as_ref()?.place.as_ref()?;
    let (line, column) = place.line_and_column();
    Some(format!("{}:{line}:{column}", place.source.name()))
}

/// The ids of the checkpoints that were not decided when time was up.
pub(super) fn undecided(execution: &Execution) -> String {
    let ids: Vec<&str> = execution
        .checkpoints
        .iter()
        .filter(|result| result.verdict == Verdict::Timeout)
        .map(|result| result.checkpoint.id.as_str())
        .collect();
    ids.join(", ")
}

/// A client's output as a person may see it: colours and cursor movements are
/// taken out, other control characters are visible.
pub(super) fn client_output(client: &ClientProcess, style: &Style) -> String {
    let mut text = style.text(without_ansi(&client.output).as_bytes());
    if client.dropped > 0 {
        text.insert_str(0, &format!("({} bytes before this are not kept)\n", client.dropped));
    }
    let length = text.trim_end().len();
    text.truncate(length);
    text
}

/// `text` without ANSI control sequences (`ESC [ … letter`).
fn without_ansi(text: &str) -> String {
    let mut pieces = text.split("\x1b[");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece.find(|character| ('@'..='~').contains(&character));
        out.push_str(end.and_then(|end| piece.get(end + 1..)).unwrap_or_default());
    }
    out
}

/// `30 s`, `1.234 s`, `56 ms`.
pub(super) fn time(duration: Duration) -> String {
    match duration.as_millis() {
        millis @ 0..1000 => format!("{millis} ms"),
        millis if millis.is_multiple_of(1000) => format!("{} s", duration.as_secs()),
        _ => format!("{:.3} s", duration.as_secs_f64()),
    }
}

/// What executions came to, in words: `all held`, `2 failed, 1 with warnings`,
/// `nothing failed, 1 with warnings, 3 skipped`.
pub(super) fn counted(counts: &Counts, paint: Paint) -> String {
    let red = |text: &str| paint.red(text);
    let bad =
        [(counts.failed, "failed"), (counts.broken, "broken"), (counts.cancelled, "cancelled")];
    let others = [
        (counts.expected, "failed as expected"),
        (counts.warned, "with warnings"),
        (counts.noted, "with notes"),
        (counts.skipped, "skipped"),
    ];
    let words = |counts: &[(usize, &str)]| {
        let some = counts.iter().filter(|(number, _)| *number > 0);
        some.map(|(number, word)| format!("{number} {word}")).collect::<Vec<String>>()
    };
    let mut all: Vec<String> = words(&bad).iter().map(|text| red(text)).collect();
    if all.is_empty() && counts.ran > 0 {
        let is_plain = counts.expected + counts.warned + counts.noted == 0;
        all.push(paint.green(if is_plain { "all held" } else { "nothing failed" }));
    }
    all.extend(words(&others));
    all.join(", ")
}

/// `text` in at most `width` characters.
pub(super) fn cut(text: &str, width: usize) -> String {
    match text.char_indices().nth(width) {
        None => text.to_owned(),
        Some(_) => {
            let kept: String = text.chars().take(width.saturating_sub(1)).collect();
            kept + "…"
        }
    }
}

/// `1 check`, `2 checks`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
