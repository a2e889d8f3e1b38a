//! When a script has to end: [`Limits`]; and the work that the functions of the
//! API do beside Rhai's operations: `spend`.
//!
//! Rhai counts operations, and one call of a function of ours is one of them,
//! however long the list is that it goes through. So each function that goes
//! through what a far side sent says how much it did; when enough of it was done,
//! clock, interrupt and memory are looked at.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicIsize, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rhai::{Dynamic, EvalAltResult, Position};

use super::blocking::{INTERRUPTED, TIME_IS_UP};
use super::memory;
use crate::mcp::client::Cancellation;

/// How many operations one call of a script's function has: a thousand times
/// what the longest shipped check needs.
pub const OPERATION_LIMIT: u64 = 2_000_000;
/// How deep calls go, the same in every build.
pub const CALL_DEPTH_LIMIT: usize = 32;
/// How long a string or a blob may be: more than what a client has to refuse.
pub const STRING_LIMIT: usize = 8 * 1024 * 1024;
/// How many items an array, and how many members a map may have.
pub const ITEM_LIMIT: usize = 100_000;
/// How many bytes all values may take that one call of a script's function
/// makes, and the messages that it sends and receives.
pub const MEMORY_LIMIT: usize = 256 * 1024 * 1024;
/// Ends a script that holds too much memory.
pub(super) const TOO_MUCH_MEMORY: &str = "too much memory";

/// Ends a script that goes on in functions which arrays and lists call.
pub(super) const WITHOUT_END: &str = "runs without end";

/// How many operations there are at most, those included that Rhai's own limit does not
/// see.
const ALL_OPERATIONS: u64 = 20 * OPERATION_LIMIT;

/// After how many items the clock is looked at: less than a millisecond's work.
const LOOK_AFTER: usize = 4096;

thread_local! {
    /// The limits of what runs on this thread.
    static IN_FORCE: RefCell<Option<Limits>> = const { RefCell::new(None) };
    /// How many items were gone through since the clock was looked at.
    static SPENT: Cell<usize> = const { Cell::new(0) };
}

/// When a script that runs has to end.
#[derive(Clone, Default)]
pub struct Limits {
    deadline: Arc<Mutex<Option<Instant>>>,
    interrupt: Option<Cancellation>,
    /// What the thread held when the function was called.
    held_before: Arc<AtomicIsize>,
    /// How many operations there were since then, those of functions that a function
    /// of an array or a list calls included.
    operations: Arc<AtomicU64>,
}

impl Limits {
    /// Limits that also end a script when `interrupt` is cancelled.
    pub fn new(interrupt: Cancellation) -> Self {
        Limits { interrupt: Some(interrupt), ..Limits::default() }
    }

    /// Sets when the time of what runs now on this thread is up.
    pub fn set_deadline(&self, deadline: Option<Instant>) {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
        IN_FORCE.set(Some(self.clone()));
    }

    /// Measures memory and counts operations from here on.
    pub fn measure(&self) {
        self.operations.store(0, Ordering::Relaxed);
        self.held_before.store(memory::held(), Ordering::Relaxed);
    }

    pub(super) fn holds_too_much(&self) -> bool {
        let taken = memory::held().saturating_sub(self.held_before.load(Ordering::Relaxed));
        taken > MEMORY_LIMIT.cast_signed()
    }

    /// Counts one more operation; says why it was the last, if it was.
    pub(super) fn operation(&self) -> Option<Dynamic> {
        let operations = self.operations.fetch_add(1, Ordering::Relaxed) + 1;
        if operations >= ALL_OPERATIONS {
            return Some(WITHOUT_END.into());
        }
        if operations.is_multiple_of(256) { self.exceeded() } else { None }
    }

    pub(super) fn exceeded(&self) -> Option<Dynamic> {
        if self.interrupt.as_ref().is_some_and(Cancellation::is_cancelled) {
            return Some(INTERRUPTED.into());
        }
        let deadline = *self.deadline.lock().unwrap_or_else(PoisonError::into_inner);
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(TIME_IS_UP.into());
        }
        None
    }
}

/// Counts operations anew: a handler begins.
pub(super) fn begin_handler() {
    IN_FORCE.with_borrow(|limits| {
        if let Some(limits) = limits {
            limits.operations.store(0, Ordering::Relaxed);
        }
    });
}

/// Counts `items` that a function of the API goes through.
///
/// # Errors
/// The evaluation is to end: time is up, the run was interrupted, or too much
/// memory is held.
pub(super) fn spend(items: usize) -> Result<(), Box<EvalAltResult>> {
    let spent = SPENT.get().saturating_add(items);
    if spent < LOOK_AFTER {
        SPENT.set(spent);
        return Ok(());
    }
    SPENT.set(0);
    IN_FORCE.with_borrow(|limits| {
        let Some(limits) = limits else { return Ok(()) };
        let word = match limits.holds_too_much() {
            true => Some(TOO_MUCH_MEMORY.into()),
            false => limits.exceeded(),
        };
        word.map_or(Ok(()), |word| Err(EvalAltResult::ErrorTerminated(word, Position::NONE).into()))
    })
}

/// Whether time is up for what is read on this thread, such as a script that is being
/// compiled: looked at every so often.
pub(super) fn is_late() -> bool {
    spend(LOOK_AFTER / 256).is_err()
}
