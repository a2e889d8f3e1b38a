//! The time that a host writes down: [`Clock`].

use std::time::{SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

/// Milliseconds of a host.
#[derive(Clone, Copy, Debug)]
pub enum Clock {
    /// Since 1970-01-01, by the clock of the machine.
    Machine,
    /// Since the host was made, by the clock of the runtime, which may be
    /// paused; multiplied by the scale.
    Runtime {
        /// When the host was made.
        start: Instant,
        /// By what every delay is divided.
        scale: u32,
    },
}

impl Clock {
    /// A clock that begins now, at zero. Needs a runtime.
    pub fn runtime(scale: u32) -> Self {
        Clock::Runtime { start: Instant::now(), scale }
    }

    /// The time now, in milliseconds.
    pub fn now(&self) -> i64 {
        let passed = match self {
            Clock::Machine => SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
            Clock::Runtime { start, scale } => start.elapsed() * *scale,
        };
        i64::try_from(passed.as_millis()).unwrap_or(i64::MAX)
    }
}
