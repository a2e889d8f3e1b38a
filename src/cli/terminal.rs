//! What the terminal can do: colours, width, progress.

use std::fmt::{self, Formatter};
use std::io::IsTerminal;

use clap::ValueEnum;
use miette::{Diagnostic, GraphicalReportHandler, ReportHandler};

use super::output;
use crate::report::without_credentials;

/// When something is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The widest text that is comfortable to read.
const MOST_COLUMNS: usize = 100;

/// Where text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Data.
    Output,
    /// Talk.
    Error,
}

/// Whether what goes to `stream` has colours.
pub fn has_colour(when: When, stream: Stream) -> bool {
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto => {
            let is_terminal = match stream {
                Stream::Output => std::io::stdout().is_terminal(),
                Stream::Error => std::io::stderr().is_terminal(),
            };
            let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            is_terminal && !refused && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
        }
    }
}

/// Whether this is a run of continuous integration: `CI` is set and not false.
pub fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !value.is_empty() && value != "false" && value != "0")
}

/// Whether talk goes to a terminal.
pub fn is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// How many columns text may take.
pub fn columns() -> usize {
    std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok())
        .filter(|columns| *columns >= 20)
        .map_or(MOST_COLUMNS, |columns: usize| columns.min(MOST_COLUMNS))
}

/// Makes diagnostics look as the terminal can show them.
pub fn set_up(when: When) {
    let colour = has_colour(when, Stream::Error);
    // Set once; a second call changes nothing and is no error here.
    let _ = miette::set_hook(Box::new(move |_| {
        let theme = if colour {
            miette::GraphicalTheme::unicode()
        } else {
            miette::GraphicalTheme::unicode_nocolor()
        };
        Box::new(Handler(GraphicalReportHandler::new_themed(theme).with_width(columns())))
    }));
}

/// Renders diagnostics without credentials.
struct Handler(GraphicalReportHandler);

impl ReportHandler for Handler {
    fn debug(&self, diagnostic: &dyn Diagnostic, formatter: &mut Formatter<'_>) -> fmt::Result {
        let text = without_credentials(self.0.clone(), diagnostic, &output::redactor());
        formatter.write_str(&text)
    }
}
