//! A progress bar on a terminal. The main type is [`Progress`].

use std::io::{self, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Reporter;
use crate::runner::Event;

/// Draws how far a run is, on standard error, and clears it at the end.
pub struct Progress {
    bar: ProgressBar,
    /// How many executions are red.
    red: usize,
}

/// What a bar shows: how far it is, the time that went by and the time left.
const TEMPLATE: &str = "{bar:30} {pos}/{len} {elapsed}, {eta} left{msg}";

impl Progress {
    /// A bar that is drawn only if standard error is a `terminal` and the run
    /// is not part of continuous integration (`ci`), whose logs keep every
    /// line.
    pub fn new(terminal: bool, ci: bool) -> Self {
        let target = if terminal && !ci {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        Progress { bar, red: 0 }
    }

    /// A writer to `out` that takes the bar away while something is written:
    /// both may be the same terminal.
    pub fn beside<W: Write>(&self, out: W) -> Beside<W> {
        Beside { bar: self.bar.clone(), out }
    }

    #[cfg(test)]
    pub(super) fn bar(&self) -> &ProgressBar {
        &self.bar
    }
}

impl Reporter for Progress {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::RunStarted(plan) => self.bar.set_length(plan.executions as u64),
            Event::Progress { done } => self.bar.set_position(*done as u64),
            Event::ExecutionFinished(execution) => {
                if execution.outcome.is_red() {
                    self.red += 1;
                    self.bar.set_message(format!(", {} red", self.red));
                }
            }
            Event::RunFinished(_) => self.bar.finish_and_clear(),
        }
        Ok(())
    }
}

/// Writes beside a progress bar; see [`Progress::beside`].
pub struct Beside<W> {
    bar: ProgressBar,
    out: W,
}

impl<W: Write> Write for Beside<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Beside { bar, out } = self;
        bar.suspend(|| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        let Beside { bar, out } = self;
        bar.suspend(|| out.flush())
    }
}
