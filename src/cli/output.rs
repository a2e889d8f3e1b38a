//! Standard output for data, standard error for talk: [`print()`] and [`say`].
//!
//! Whoever closes the other end of a pipe has seen enough: that is no error.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

use clap::ValueEnum;
use miette::miette;

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

/// Says something to the person, on standard error, with a line end.
pub fn say(talk: impl Display) {
    // Whom should one tell that nobody listens?
    let _ = writeln!(io::stderr().lock(), "{talk}");
}

/// The format of what a subcommand prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a person.
    Human,
    /// One JSON document.
    Json,
}
