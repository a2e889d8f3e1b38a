//! How a report for a person looks: [`Look`].

use crate::report::paint::Paint;

/// How a report looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    /// Its colours.
    pub paint: Paint,
    /// The width that diagnostics are wrapped to, in columns.
    pub width: usize,
}
