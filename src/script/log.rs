//! `log(value)`: what the author of a check wants to know while it runs. The
//! main type is [`Log`].

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rhai::{Dynamic, NativeCallContext, Position};

use super::api::{Functions, Replacements};
use super::error::Sources;
use super::value::{describe_within, shorten};
use crate::check::SourceText;

/// How many entries of one execution are kept: the first ones.
pub const LOG_LIMIT: usize = 100;
/// How long one entry may be, in characters.
pub const LOG_ENTRY_LIMIT: usize = 2_000;

/// One call of `log`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// The function in whose text the call stands: `serve`, `drive`, `judge`, or
    /// one that the script defines. A closure counts to the function around it.
    pub function: String,
    /// The file of the script.
    pub file: String,
    /// The line of the call, counted from 1; `None` for what the program itself
    /// has to say.
    pub line: Option<usize>,
    /// The value as text, at most [`LOG_ENTRY_LIMIT`] characters of it.
    pub text: String,
}

/// Everything that was logged in one execution, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Logged {
    /// The first entries, at most [`LOG_LIMIT`].
    pub entries: Vec<LogEntry>,
    /// How many more there were.
    pub dropped: usize,
}

impl Logged {
    /// Whether nothing was logged.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn add(&mut self, entry: LogEntry) {
        if self.entries.len() < LOG_LIMIT {
            self.entries.push(entry);
        } else {
            self.dropped += 1;
        }
    }
}

/// Gathers what scripts log. A clone is another handle.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Gathered>>);

#[derive(Default)]
struct Gathered {
    logged: Logged,
    /// The script of the check.
    main: Option<SourceText>,
    /// The support code, by name.
    sources: Arc<Sources>,
}

impl Log {
    /// Begins anew, for an execution of the script `main` with this support code.
    pub(super) fn begin(&self, main: &SourceText, sources: Arc<Sources>) {
        *self.gathered() =
            Gathered { logged: Logged::default(), main: Some(main.clone()), sources };
    }

    /// What was logged since it began.
    pub fn take(&self) -> Logged {
        std::mem::take(&mut self.gathered().logged)
    }

    /// What was logged so far; it stays.
    pub fn so_far(&self) -> Logged {
        self.gathered().logged.clone()
    }

    /// Takes back what was logged since `earlier`, for something is done again.
    pub fn back_to(&self, earlier: Logged) {
        self.gathered().logged = earlier;
    }

    /// Adds what the program itself has to say of a function of the check.
    pub fn note(&self, function: &str, text: impl Into<String>) {
        let mut gathered = self.gathered();
        let file = gathered.main.as_ref().map_or("", |main| main.name()).to_owned();
        let (function, text) = (function.to_owned(), text.into());
        gathered.logged.add(LogEntry { function, file, line: None, text });
    }

    fn add(&self, context: &NativeCallContext<'_>, value: &Dynamic) {
        let text = match value.clone().into_string() {
            Ok(text) => shorten(text, LOG_ENTRY_LIMIT),
            Err(_) => describe_within(value, LOG_ENTRY_LIMIT),
        };
        let position = context.call_position();
        let mut gathered = self.gathered();
        let main = gathered.main.clone();
        let name = context.call_source().or(main.as_ref().map(|main| main.name()));
        let name = name.unwrap_or_default();
        let source =
            gathered.sources.get(name).or(main.as_ref().filter(|main| main.name() == name));
        let function = source.and_then(|source| enclosing_function(source.inner(), position));
        let function = function.unwrap_or_default().to_owned();
        let file = name.to_owned();
        gathered.logged.add(LogEntry { function, file, line: position.line(), text });
    }

    fn gathered(&self) -> MutexGuard<'_, Gathered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The name of the function in whose text a position stands: functions stand at
/// the top level, so it is that of the last one that begins before.
fn enclosing_function(text: &str, position: Position) -> Option<&str> {
    let lines: Vec<&str> = text.lines().take(position.line()?).collect();
    lines.into_iter().rev().find_map(|line| {
        let line = line.trim_start();
        let line = line.strip_prefix("private ").unwrap_or(line);
        let name = line.strip_prefix("fn ")?.trim_start();
        name.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
    })
}

/// The log of the engine that runs; a new one, which nobody reads, if it has none.
fn log_of(context: &NativeCallContext<'_>) -> Log {
    let log = context.engine().default_tag().read_lock::<Log>();
    log.map(|log| log.clone()).unwrap_or_default()
}

/// Declares `log`, which writes into the [`Log`] that is the tag of the engine.
pub(super) fn declare(everywhere: &mut Functions<'_>) {
    everywhere
        .doc(
            "Writes a value into the log of the execution, with the function and the line. \
             Reports show the log of what did not hold, and of everything under `--trace`. The \
             first 100 entries are kept, of each the first 2,000 characters.",
        )
        .function_in_context("log(value: any)", |context, value: Dynamic| {
            log_of(context).add(context, &value)
        });
}

/// Of a number Rhai's own would be the logarithm.
pub(super) fn replace(replacements: &mut Replacements<'_>) {
    replacements.function_in_context("log", |context, number: f64| {
        log_of(context).add(context, &number.into());
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_counts_to_the_function_around_it() {
        let text = "fn serve(server) {\n  on(|x| {\n    log(x);\n  });\n}\nprivate fn two() {\n";
        let at = |line| enclosing_function(text, Position::new(line, 1));
        assert_eq!([at(1), at(3), at(6)], [Some("serve"), Some("serve"), Some("two")]);
        assert_eq!(enclosing_function("let a = 1;", Position::new(1, 1)), None);
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let log = Log::default();
        for number in 0..LOG_LIMIT + 7 {
            log.note("drive", number.to_string());
        }
        let logged = log.take();
        assert_eq!((logged.entries.len(), logged.dropped), (LOG_LIMIT, 7));
        assert_eq!(logged.entries[LOG_LIMIT - 1].text, (LOG_LIMIT - 1).to_string());
        assert!(log.take().is_empty());
    }
}
