//! Where a connection is in its life: [`Stage`], and what a client went through
//! so far: [`Life`]. Each stage can be observed as it is entered: [`Watch`].
//!
//! With a handshake (basic/lifecycle, "Initialization"):
//!
//! ```text
//! NEW → initialize sent → response validated → version accepted
//!     → required capabilities present → notifications/initialized sent → READY
//! ```
//!
//! Without one (from 2026-07-28 on), `server/discover sent` takes the place of
//! the second, and there is no notification. Any stage before READY may be
//! followed by REFUSED instead, and then nothing else is sent.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A stage of a connection's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Nothing was sent.
    New,
    /// The client asked to open a connection.
    InitializeSent,
    /// The client asked what the server is.
    DiscoverSent,
    /// The answer has the shape that the method promises.
    ResponseValidated,
    /// The policy accepts the server's version.
    VersionAccepted,
    /// The server declares all that the policy requires.
    CapabilitiesPresent,
    /// The client said that it is ready.
    InitializedSent,
    /// Application requests may be sent.
    Ready,
    /// It did not come to a connection.
    Refused,
    /// The client was closed.
    Closed,
}

impl Stage {
    /// The stage in words: `NEW`, `initialize sent`, `READY`.
    pub fn as_str(self) -> &'static str {
        match self {
            Stage::New => "NEW",
            Stage::InitializeSent => "initialize sent",
            Stage::DiscoverSent => "server/discover sent",
            Stage::ResponseValidated => "response validated",
            Stage::VersionAccepted => "version accepted",
            Stage::CapabilitiesPresent => "required capabilities present",
            Stage::InitializedSent => "notifications/initialized sent",
            Stage::Ready => "READY",
            Stage::Refused => "REFUSED",
            Stage::Closed => "CLOSED",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

/// Gets each stage when it is entered.
pub type Watch = dyn Fn(Stage) + Send + Sync;

/// The stages that a client went through, the earliest first. A clone is another
/// handle.
#[derive(Clone, Default)]
pub struct Life(Arc<Mutex<Entered>>);

#[derive(Default)]
struct Entered {
    stages: Vec<Stage>,
    watch: Option<Arc<Watch>>,
}

impl Life {
    /// The stages so far; empty if nothing was opened yet. Each connection that
    /// is opened begins with [`Stage::New`].
    pub fn stages(&self) -> Vec<Stage> {
        self.lock().stages.clone()
    }

    /// Has each stage from now on told to `watch`, in the place of whatever it
    /// was told to before.
    pub fn watch(&self, watch: Arc<Watch>) {
        self.lock().watch = Some(watch);
    }

    /// Takes note of a stage. Only what holds the stage before can do so: the
    /// lifecycle's own types, and the client when it is closed.
    pub(super) fn enter(&self, stage: Stage) {
        let watch = {
            let mut entered = self.lock();
            entered.stages.push(stage);
            entered.watch.clone()
        };
        // Not under the lock: whoever watches may ask for the stages so far.
        if let Some(watch) = watch {
            watch(stage);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Entered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_is_told_when_it_is_entered() {
        let life = Life::default();
        life.enter(Stage::New);
        let told = Arc::new(Mutex::new(Vec::new()));
        let (noted, seen) = (told.clone(), life.clone());
        life.watch(Arc::new(move |stage| {
            noted.lock().unwrap().push((stage, seen.stages().len()));
        }));
        life.enter(Stage::InitializeSent);
        life.enter(Stage::Refused);
        assert_eq!(*told.lock().unwrap(), [(Stage::InitializeSent, 2), (Stage::Refused, 3)]);
        assert_eq!(life.stages(), [Stage::New, Stage::InitializeSent, Stage::Refused]);
    }
}
