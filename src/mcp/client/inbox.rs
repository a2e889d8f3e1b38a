//! What the server sends on its own: [`Inbox`] keeps notifications and answers
//! requests.
//!
//! A ping is answered at once. What else a server may ask stands in
//! [`Features`]; anything beyond is refused.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;

use super::cancellation::Cancellation;
use super::features::{ClientFeature, Features};
use crate::mcp::json_rpc::{ErrorObject, METHOD_NOT_FOUND, Notification, Request, Response};
use crate::mcp::{Revision, metadata};

/// How many notifications of a server are kept, over all of its streams.
pub const KEPT_LIMIT: usize = 20_000;
/// How many bytes they have at most, written as JSON: 16 MiB.
pub const KEPT_BYTES: usize = 16 * 1024 * 1024;

/// Notifications that came, and the answers to the server's requests.
#[derive(Debug, Default)]
pub struct Inbox {
    notifications: Mutex<Vec<Kept>>,
    /// How many bytes they have.
    bytes: AtomicUsize,
    arrivals: watch::Sender<usize>,
    features: Features,
    /// The server's requests that are being answered, and what ends each.
    answering: Mutex<Vec<(Value, Cancellation)>>,
}

/// A request of the server that is being answered.
struct Working<'a> {
    inbox: &'a Inbox,
    cancellation: Cancellation,
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.inbox.working().retain(|(_, other)| !other.is(&self.cancellation));
    }
}

#[derive(Debug)]
struct Kept {
    method: String,
    message: Value,
    /// Whether someone waited for it and was given it.
    taken: bool,
}

impl Inbox {
    /// Keeps a notification. If it cancels a request of the server, that one is
    /// not answered any more. False if more came than is kept.
    pub fn keep(&self, notification: Notification, size: usize) -> bool {
        let message = notification.to_value();
        if notification.method == "notifications/cancelled" {
            let cancelled = &message["params"]["requestId"];
            for (_, working) in self.working().iter().filter(|(id, _)| id == cancelled) {
                working.cancel();
            }
        }
        let mut kept = self.lock();
        let bytes = self.bytes.fetch_add(size, Ordering::Relaxed).saturating_add(size);
        if kept.len() == KEPT_LIMIT || bytes > KEPT_BYTES {
            return false;
        }
        kept.push(Kept { method: notification.method, message, taken: false });
        self.arrivals.send_replace(kept.len());
        true
    }

    /// What servers may ask of this client.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The response to a request of the server; it takes as long as the handler
    /// does. `None` if the server cancelled the request meanwhile: then nothing
    /// is answered (basic/utilities/cancellation, "Behavior Requirements").
    pub async fn answer(&self, request: Request, revision: Revision) -> Option<Response> {
        let Request { id, method, params } = request;
        let working = self.begin(id.clone());
        let outcome = tokio::select! {
            biased;
            outcome = self.outcome(&method, params, revision) => outcome,
            () = working.cancellation.cancelled() => return None,
        };
        Some(Response { id, outcome })
    }

    async fn outcome(
        &self,
        method: &str,
        params: Option<Value>,
        revision: Revision,
    ) -> Result<Value, ErrorObject> {
        if method == "ping" {
            return Ok(json!({}));
        }
        match ClientFeature::of_method(method) {
            Some(feature) => self.features.answer(feature, params, revision).await,
            None => {
                let message = "Method not found".to_owned();
                Err(ErrorObject { code: METHOD_NOT_FOUND, message, data: None })
            }
        }
    }

    /// Notes that a request is being answered, until what is returned is
    /// dropped.
    fn begin(&self, id: Value) -> Working<'_> {
        let cancellation = Cancellation::new();
        self.working().push((id, cancellation.clone()));
        Working { inbox: self, cancellation }
    }

    fn working(&self) -> MutexGuard<'_, Vec<(Value, Cancellation)>> {
        self.answering.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every notification so far, in the order in which they came.
    pub fn notifications(&self) -> Vec<Value> {
        self.lock().iter().map(|kept| kept.message.clone()).collect()
    }

    /// What the server agreed to send for the request `id` (2026-07-28,
    /// basic/patterns/subscriptions, "Acknowledgment"); `None` if it did not say
    /// so yet.
    pub fn agreed(&self, id: &Value) -> Option<Value> {
        let kept = self.lock();
        let mut acknowledged =
            kept.iter().filter(|kept| kept.method == "notifications/subscriptions/acknowledged");
        let params = &acknowledged
            .find(|kept| kept.message["params"]["_meta"][metadata::SUBSCRIPTION_ID] == *id)?
            .message["params"];
        Some(params["notifications"].clone())
    }

    /// How many notifications came so far.
    pub fn heard(&self) -> usize {
        self.lock().len()
    }

    /// The first notification of `method` that no one was given before; waits
    /// up to `bound` for one. `None` if none came.
    pub async fn wait_for(&self, method: &str, bound: Duration) -> Option<Value> {
        let mut arrivals = self.arrivals.subscribe();
        let search = async {
            loop {
                arrivals.mark_unchanged();
                if let Some(message) = self.take(method) {
                    return Some(message);
                }
                arrivals.changed().await.ok()?;
            }
        };
        timeout(bound, search).await.ok().flatten()
    }

    fn take(&self, method: &str) -> Option<Value> {
        let mut all = self.lock();
        let kept = all.iter_mut().find(|kept| !kept.taken && kept.method == method)?;
        kept.taken = true;
        Some(kept.message.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.notifications.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
