//! Waiting: a script is synchronous, and what it waits for runs on its
//! execution's own runtime. The main type is [`Blocking`].

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rhai::{EvalAltResult, Position};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

use super::api::Evaluated;
use crate::mcp::client::Cancellation;

/// Blocks a script on the runtime of its execution, until the work is done or
/// the execution has to end. A clone is another handle.
#[derive(Clone)]
pub struct Blocking {
    /// The execution's own runtime.
    pub runtime: Arc<Runtime>,
    /// When the execution's time is up; `None` on a paused clock, where waiting
    /// costs no time.
    pub deadline: Option<Instant>,
    /// The user interrupted the run.
    pub interrupt: Cancellation,
    /// By what every delay is divided.
    pub scale: u32,
    /// How often the script waited, or began something in the background.
    pub waits: Arc<AtomicUsize>,
}

/// How often a script may wait for the client or the host in one execution: ten
/// times what the longest shipped check needs. A loop that goes on until a call
/// succeeds would cost no time on a paused clock, and never end.
pub const WAIT_LIMIT: usize = 1_000;

/// The word of an evaluation that ended because its time was up.
pub const TIME_IS_UP: &str = "time is up";
/// The word of an evaluation that ended because the run was interrupted.
pub const INTERRUPTED: &str = "interrupted";
/// The word of an evaluation that waited more often than [`WAIT_LIMIT`] allows.
pub const WAITS_WITHOUT_END: &str = "waits without end";

fn terminated(word: &str) -> Box<EvalAltResult> {
    EvalAltResult::ErrorTerminated(word.to_owned().into(), Position::NONE).into()
}

impl Blocking {
    /// Waits for `work` that a script asked for.
    ///
    /// # Errors
    /// The evaluation is to end: time is up, the run was interrupted, or the
    /// script waits without end.
    pub fn wait<T>(&self, work: impl Future<Output = T>) -> Evaluated<T> {
        self.count()?;
        self.finish(work)
    }

    /// Counts one more wait.
    fn count(&self) -> Evaluated<()> {
        if self.waits.fetch_add(1, Ordering::Relaxed) < WAIT_LIMIT {
            return Ok(());
        }
        Err(terminated(WAITS_WITHOUT_END))
    }

    /// Waits for `work` that ends what a script began, however often it waited.
    ///
    /// # Errors
    /// The evaluation is to end: time is up, or the run was interrupted.
    pub fn finish<T>(&self, work: impl Future<Output = T>) -> Evaluated<T> {
        self.runtime.block_on(async {
            let Some(deadline) = self.deadline else {
                // No timer here: on a paused clock it would be the next thing
                // to happen.
                return tokio::select! {
                    biased;
                    done = work => Ok(done),
                    () = self.interrupt.cancelled() => Err(terminated(INTERRUPTED)),
                };
            };
            tokio::select! {
                biased;
                done = work => Ok(done),
                () = self.interrupt.cancelled() => Err(terminated(INTERRUPTED)),
                () = tokio::time::sleep_until(deadline.into()) => Err(terminated(TIME_IS_UP)),
            }
        })
    }

    /// Lets `milliseconds`, divided by the scale, pass.
    ///
    /// # Errors
    /// The evaluation is to end.
    pub fn pause(&self, milliseconds: i64) -> Evaluated<()> {
        let time = Duration::from_millis(u64::try_from(milliseconds).unwrap_or(0));
        let scaled = time / self.scale.max(1);
        self.wait(async move { tokio::time::sleep(scaled).await })
    }

    /// Begins `work` in the background: it goes on whenever the script waits.
    ///
    /// # Errors
    /// The evaluation is to end: the script begins things without end.
    pub fn begin<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Evaluated<Background<T>> {
        self.count()?;
        let state = BackgroundState::Running(self.runtime.spawn(work));
        Ok(Background { state: Arc::new(Mutex::new(state)), blocking: self.clone() })
    }
}

/// Work in the background. A clone is another handle.
#[derive(Clone)]
pub struct Background<T> {
    state: Arc<Mutex<BackgroundState<T>>>,
    blocking: Blocking,
}

enum BackgroundState<T> {
    Running(JoinHandle<T>),
    Taken,
    Done(T),
}

impl<T: Clone> Background<T> {
    /// Waits for what the work comes to.
    ///
    /// # Errors
    /// The evaluation is to end, now or when it was waited for before; or the
    /// work ended by a panic.
    pub fn wait(&self) -> Evaluated<T> {
        let state = std::mem::replace(&mut *self.state(), BackgroundState::Taken);
        let done = match state {
            BackgroundState::Done(done) => done,
            BackgroundState::Running(task) => match self.blocking.wait(task)? {
                Ok(done) => done,
                Err(_) => return Err("the operation in the background ended by a panic".into()),
            },
            BackgroundState::Taken => return Err("the operation was ended before".into()),
        };
        *self.state() = BackgroundState::Done(done.clone());
        Ok(done)
    }

    fn state(&self) -> MutexGuard<'_, BackgroundState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
