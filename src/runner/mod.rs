//! The runner: plans which check runs for which profile, runs them on workers,
//! and emits [`Event`]s. It prints nothing.

pub mod event;

pub use event::{Event, Execution, Summary};
