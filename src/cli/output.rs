//! Standard output for data, standard error for talk: [`print()`] and [`say`].
//!
//! Whoever closes the other end of a pipe has seen enough: that is no error.

use std::fmt::{Display, Write as _};
use std::io::{self, ErrorKind, Write};
use std::sync::{PoisonError, RwLock};

use clap::ValueEnum;
use miette::miette;
use serde_json::Value;

use crate::wire::redact::Redactor;
use crate::wire::text::{is_lost, visible};

/// Writes data to standard output.
///
/// # Errors
/// A diagnostic if it cannot be written, unless its reader is gone.
pub fn print(data: &str) -> miette::Result<()> {
    let mut output = io::stdout().lock();
    match output.write_all(data.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(miette!(
            code = "output",
            help = "look whether standard output can be written to",
            "the output could not be written: {error}"
        )),
        _ => Ok(()),
    }
}

/// What nothing that is said may show.
static SECRETS: RwLock<Option<Redactor>> = RwLock::new(None);

/// From now on nothing that is said shows what `redactor` takes out.
pub fn say_nothing_of(redactor: &Redactor) {
    *SECRETS.write().unwrap_or_else(PoisonError::into_inner) = Some(redactor.clone());
}

/// What takes out what nothing that is said may show.
pub fn redactor() -> Redactor {
    SECRETS.read().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default()
}

/// Says something to the person, on standard error, with a line end and without
/// credentials.
pub fn say(talk: impl Display) {
    let talk = visible(&redactor().redact(&talk.to_string()));
    // Whom should one tell that nobody listens?
    let _ = writeln!(io::stderr().lock(), "{talk}");
}

/// `value` as [`json`] has it, without credentials.
pub fn redacted_json(value: &Value, redactor: &Redactor) -> String {
    json(&redactor.value(value))
}

/// `value` as JSON, with a line end. What a terminal would obey, or a reader not
/// see, is written as an escape of JSON's own: the value stays what it is.
pub fn json(value: &Value) -> String {
    let mut text = String::new();
    for character in format!("{value:#}\n").chars() {
        if character == '\n' || !is_lost(character) {
            text.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            let _ = write!(text, "\\u{unit:04x}");
        }
    }
    text
}

/// The format of what a subcommand prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a person.
    Human,
    /// One JSON document.
    Json,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_stays_what_it_is_and_obeys_no_terminal() {
        let value = json!({ "a\u{202e}": "é\u{1b}[31m\u{7f}\u{9b}\u{e0041}\n" });
        let text = json(&value);
        assert_eq!(text, "{\n  \"a\\u202e\": \"é\\u001b[31m\\u007f\\u009b\\udb40\\udc41\\n\"\n}\n");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
