//! A run of a host: [`Run`], a handle to what is persisted and leased.

use std::time::Duration;

use crate::mcp::client::Cancellation;

/// How long a run is held from each step on: longer than an operation may take.
pub const LEASE: Duration = Duration::from_secs(60);

/// A run that was persisted and leased to this host. A clone is another handle.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its number in the store.
    pub id: i64,
    /// Ends what the run has in flight.
    pub(super) cancellation: Cancellation,
}

impl Run {
    /// Stops what the run has in flight, and stores nothing: so it never waits
    /// for the store. [`Host::cancel_run`](super::Host::cancel_run) does both.
    pub fn cancel(&self) {
        self.cancellation.cancel();
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancellation.is_cancelled()
    }
}
