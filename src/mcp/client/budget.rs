//! The time that one operation may take, spent leg by leg: [`Budget`]; and the
//! time that does not count: [`Suspension`].

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

use super::cancellation::Cancellation;
use super::error::{ClientError, ErrorKind};
use crate::wire::http::BoxFuture;

/// What one operation may take, its connection included.
pub const OPERATION_BUDGET: Duration = Duration::from_secs(20);
/// What one leg may take: one HTTP request and the reading of its response.
pub const LEG_BOUND: Duration = Duration::from_secs(15);
/// What a notice may take; it is sent whatever is left of the budget.
pub const NOTICE_BOUND: Duration = Duration::from_millis(250);
/// What a notice is given at least, however fast the clock is meant to run.
const LEAST_NOTICE_BOUND: Duration = Duration::from_millis(100);

/// The budget of one operation, and what to do when it ends early.
///
/// Time passes from the moment it is made, between the legs too, but not while
/// it is suspended.
pub struct Budget {
    /// By the clock that stands still while the budget is suspended.
    end: Instant,
    suspension: Suspension,
    scale: u32,
    cancellation: Cancellation,
    /// Tells the server that the request in flight is given up.
    notice: Option<BoxFuture<'static, ()>>,
    /// Whether a leg began since the notice was set: only then is there
    /// something to cancel.
    sent: bool,
    /// How long the latest request took.
    round_trip: Duration,
}

impl Budget {
    /// A whole budget that begins now. Delays are divided by `scale`.
    pub fn start(scale: u32, cancellation: &Cancellation) -> Self {
        let scale = scale.max(1);
        Budget {
            end: Instant::now() + OPERATION_BUDGET / scale,
            suspension: Suspension::default(),
            scale,
            cancellation: cancellation.clone(),
            notice: None,
            sent: false,
            round_trip: Duration::ZERO,
        }
    }

    /// From now on, giving up sends `notice`, once something was sent.
    pub fn set_notice(&mut self, notice: BoxFuture<'static, ()>) {
        self.notice = Some(notice);
        self.sent = false;
    }

    /// What suspends this budget.
    pub fn suspension(&self) -> &Suspension {
        &self.suspension
    }

    /// How long the latest request took, multiplied by the scale; zero if there
    /// was none.
    pub fn round_trip(&self) -> Duration {
        self.round_trip
    }

    /// Now, by the clock that stands still while the budget is suspended.
    pub fn now(&self) -> Instant {
        Instant::now() - self.suspension.total()
    }

    /// Notes that a request that was sent at `start`, by the budget's own clock,
    /// was answered now.
    pub fn answered(&mut self, start: Instant) {
        self.round_trip = self.now().duration_since(start) * self.scale;
    }

    /// From now on, nothing is in flight that could be cancelled.
    pub fn settle(&mut self) {
        self.notice = None;
    }

    /// Runs one leg within the smaller of its own bound and what is left.
    ///
    /// When the leg is given up, the notice goes out while `work`, and with it
    /// the open response, still exists.
    ///
    /// # Errors
    /// The error of `work`; [`ErrorKind::Cancelled`]; [`ErrorKind::Timeout`] if
    /// the leg used its own bound while budget remained;
    /// [`ErrorKind::BudgetExhausted`] if nothing was left before or after.
    pub async fn leg<T>(
        &mut self,
        work: impl Future<Output = Result<T, ClientError>>,
    ) -> Result<T, ClientError> {
        let now = self.now();
        let own_end = now + LEG_BOUND / self.scale;
        if self.cancellation.is_cancelled() {
            return Err(self.give_up(cancelled()).await);
        }
        if now >= self.end {
            return Err(self.give_up(exhausted()).await);
        }
        let mut work = pin!(work);
        self.sent = true;
        let error = tokio::select! {
            biased;
            outcome = &mut work => return outcome,
            () = self.cancellation.cancelled() => cancelled(),
            () = self.suspension.until(own_end.min(self.end)) => {
                if own_end < self.end { timed_out() } else { exhausted() }
            }
        };
        Err(self.give_up(error).await)
    }

    /// Waits for `work`, which is not a leg, as long as anything is left.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`] or [`ErrorKind::BudgetExhausted`].
    pub async fn wait<T>(&mut self, work: impl Future<Output = T>) -> Result<T, ClientError> {
        let error = tokio::select! {
            biased;
            outcome = work => return Ok(outcome),
            () = self.cancellation.cancelled() => cancelled(),
            () = self.suspension.until(self.end) => exhausted(),
        };
        Err(self.give_up(error).await)
    }

    /// Lets `delay`, divided by the scale, pass.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`] or [`ErrorKind::BudgetExhausted`].
    pub async fn pause(&mut self, delay: Duration) -> Result<(), ClientError> {
        let delay = delay / self.scale;
        self.wait(tokio::time::sleep(delay)).await
    }

    async fn give_up(&mut self, error: ClientError) -> ClientError {
        if let Some(notice) = self.notice.take()
            && self.sent
        {
            notice.await;
        }
        error
    }
}

/// What stops the clock of a budget: while the server waits for this side, above
/// all for a person, its own time does not run. A clone suspends the same
/// budget.
#[derive(Clone, Debug, Default)]
pub struct Suspension(Arc<watch::Sender<Suspended>>);

#[derive(Clone, Copy, Debug, Default)]
struct Suspended {
    /// How many hold the clock, and since when.
    holders: usize,
    since: Option<Instant>,
    /// What was suspended before that.
    total: Duration,
}

/// Holds the clock of a budget until it is dropped.
pub struct Held(Suspension);

impl Suspension {
    /// Stops the clock until what is returned is dropped.
    pub fn hold(&self) -> Held {
        self.0.send_modify(|state| {
            state.holders += 1;
            state.since.get_or_insert_with(Instant::now);
        });
        Held(self.clone())
    }

    /// For how long the clock was stopped so far.
    fn total(&self) -> Duration {
        let state = *self.0.borrow();
        state.total + state.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Waits until the clock, stopped while it is held, shows `end`.
    async fn until(&self, end: Instant) {
        let mut changes = self.0.subscribe();
        loop {
            let state = *changes.borrow_and_update();
            // The sender is alive as long as `self` is.
            if state.holders > 0 {
                let _ = changes.changed().await;
                continue;
            }
            tokio::select! {
                biased;
                _ = changes.changed() => {}
                () = sleep_until(end + state.total) => return,
            }
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.0.send_modify(|state| {
            state.holders -= 1;
            if state.holders == 0
                && let Some(since) = state.since.take()
            {
                state.total += since.elapsed();
            }
        });
    }
}

/// Runs what is sent or read beside the budget, within a small bound of its
/// own: a cancellation notice, the end of a stream whose answer has come.
/// `None` if the bound was reached.
pub async fn bounded<T>(scale: u32, work: impl Future<Output = T>) -> Option<T> {
    let bound = (NOTICE_BOUND / scale.max(1)).max(LEAST_NOTICE_BOUND);
    timeout(bound, work).await.ok()
}

fn cancelled() -> ClientError {
    ClientError::new(ErrorKind::Cancelled, "the operation was cancelled by its caller")
}

fn exhausted() -> ClientError {
    let seconds = OPERATION_BUDGET.as_secs();
    let message = format!("the operation's budget of {seconds} seconds is spent");
    ClientError::new(ErrorKind::BudgetExhausted, message)
}

fn timed_out() -> ClientError {
    let seconds = LEG_BOUND.as_secs();
    let message = format!("the server did not finish its answer within {seconds} seconds");
    ClientError::new(ErrorKind::Timeout, message)
}
