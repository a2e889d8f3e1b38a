//! What a check is, read without running it: its header, its checkpoints,
//! where checks are found and how some of them are selected.

pub mod checkpoint;
pub mod place;
pub mod verdict;

pub use checkpoint::{Checkpoint, Level};
pub use place::{Place, SourceText};
pub use verdict::{CheckpointResult, Decision, Verdict};
