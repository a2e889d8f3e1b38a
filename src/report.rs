//! Reports: one file a format, each fed by the runner's events alone. The main
//! type is [`Reporter`].
//!
//! Whatever a report shows of a value, an exchange or a process has passed
//! through the [`crate::wire::text::Style`] that the reporter was given:
//! redacted, origins by name, control characters visible. No report carries a
//! wall-clock time, so that two runs can be compared; only durations differ.
//!
//! A [`proof`] and a [`matrix`] are no runs: each is written whole, from its data.

mod clipped;
mod describe;
pub mod human;
pub mod json;
pub mod junit;
pub mod matrix;
mod paint;
mod places;
pub mod progress;
pub mod proof;

use std::io;

pub(crate) use describe::{count, log_lines, without_credentials};
pub use human::Human;
pub use json::Json;
pub use junit::JUnit;
pub(crate) use paint::Paint;
pub use progress::Progress;

use crate::runner::Event;

/// Writes what the runner does, in one format.
pub trait Reporter {
    /// Takes the next event, in the order in which the runner emits them.
    ///
    /// # Errors
    /// If the report cannot be written.
    fn event(&mut self, event: &Event) -> io::Result<()>;
}

/// Several reporters at once: each gets every event, also when another fails;
/// the first error is returned.
impl Reporter for Vec<Box<dyn Reporter>> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let mut result = Ok(());
        for reporter in self {
            result = result.and(reporter.event(event));
        }
        result
    }
}

#[cfg(test)]
mod tests;
