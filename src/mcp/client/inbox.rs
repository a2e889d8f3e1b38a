//! What the server sends on its own: [`Inbox`] keeps notifications and answers
//! requests.
//!
//! Handlers for `sampling/createMessage`, `elicitation/create` and `roots/list`
//! are registered here once there are any; what has a handler is declared in
//! the handshake. Until then each is refused with the code that its page asks
//! for.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::mcp::Revision;
use crate::mcp::json_rpc::{ErrorObject, METHOD_NOT_FOUND, Notification, Request, Response};

/// Notifications that came, and the answers to the server's requests.
#[derive(Debug, Default)]
pub struct Inbox {
    notifications: Mutex<Vec<Kept>>,
    arrivals: watch::Sender<usize>,
}

#[derive(Debug)]
struct Kept {
    method: String,
    message: Value,
    /// Whether someone waited for it and was given it.
    taken: bool,
}

impl Inbox {
    /// Keeps a notification.
    pub fn keep(&self, notification: Notification) {
        let message = notification.to_value();
        let mut kept = self.lock();
        kept.push(Kept { method: notification.method, message, taken: false });
        self.arrivals.send_replace(kept.len());
    }

    /// The response to a request of the server.
    pub fn answer(&self, request: Request, revision: Revision) -> Response {
        let refuse = |code, message: &str| {
            Err(ErrorObject { code, message: message.to_owned(), data: None })
        };
        let outcome = match request.method.as_str() {
            "ping" => Ok(json!({})),
            "roots/list" => refuse(METHOD_NOT_FOUND, "Roots are not supported"),
            "sampling/createMessage" => refuse(METHOD_NOT_FOUND, "Sampling is not supported"),
            "elicitation/create" => {
                let code = revision.undeclared_elicitation_code();
                refuse(code, "This mode of elicitation was not declared")
            }
            _ => refuse(METHOD_NOT_FOUND, "Method not found"),
        };
        Response { id: request.id, outcome }
    }

    /// Every notification so far, in the order in which they came.
    pub fn notifications(&self) -> Vec<Value> {
        self.lock().iter().map(|kept| kept.message.clone()).collect()
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
