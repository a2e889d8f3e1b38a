//! A caller's wish to end an operation: [`Cancellation`].

use std::sync::Arc;

use tokio::sync::watch;

/// A token that ends an operation in flight. A clone is the same token.
#[derive(Clone, Debug)]
pub struct Cancellation(Arc<watch::Sender<bool>>);

impl Cancellation {
    /// A token that is not cancelled yet.
    pub fn new() -> Self {
        Cancellation(Arc::new(watch::Sender::new(false)))
    }

    /// Cancels everything that was given this token.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }

    /// Whether `other` is the same token.
    pub fn is(&self, other: &Cancellation) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is cancelled.
    pub async fn cancelled(&self) {
        // The sender is alive as long as `self` is, so this cannot fail.
        let _ = self.0.subscribe().wait_for(|cancelled| *cancelled).await;
    }
}

impl Default for Cancellation {
    fn default() -> Self {
        Cancellation::new()
    }
}
