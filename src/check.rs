//! What a check is, read without running it: its header, its checkpoints,
//! where checks are found and how some of them are selected.

pub mod checkpoint;
pub mod discovery;
pub mod header;
mod kind;
pub mod nearest;
pub mod need;
pub mod place;
pub mod selection;
pub mod source_error;
pub mod verdict;

pub use checkpoint::{About, Checkpoint, Level, WIRE_SCHEMA};
pub use discovery::{BrokenCheck, Check, Library};
pub use header::{Effect, FaultHeader, Header, Side, unmet_need};
pub use kind::CheckKind;
pub use need::Need;
pub use place::{Place, SourceText};
pub use selection::Selection;
pub use source_error::{Problem, SourceError};
pub use verdict::{CheckpointResult, Decision, Verdict, Weight};
