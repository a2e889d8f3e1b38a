//! What `--trace` shows: every exchange, and among them the stages of the
//! connection's life as they were entered: [`Trace`].

use std::sync::{Arc, Mutex, PoisonError};

use crate::mcp::client::{Client, Stage};
use crate::wire::intake::Counted;
use crate::wire::text::{Style, render, render_all};
use crate::wire::{HttpClient, Recorder, Wire};

/// The wire and the stages of one client.
pub struct Trace {
    wire: Wire,
    /// Each with the number of exchanges that had begun when it was entered.
    stages: Arc<Mutex<Vec<(usize, Stage)>>>,
}

impl Trace {
    /// A trace of nothing yet.
    pub fn begin() -> Self {
        Trace { wire: Wire::new(1).bounded(Counted::Responses), stages: Arc::default() }
    }

    /// The same HTTP, written down.
    pub fn recorded(&self, http: impl HttpClient + 'static) -> Arc<dyn HttpClient> {
        Arc::new(Recorder::new(http, self.wire.clone()))
    }

    /// Writes down the stages of `client`, which sends through what is recorded.
    pub fn follow(&self, client: &Client) {
        let (wire, stages) = (self.wire.clone(), self.stages.clone());
        client.watch_stages(Arc::new(move |stage| {
            let entered = (wire.begun(), stage);
            stages.lock().unwrap_or_else(PoisonError::into_inner).push(entered);
        }));
    }

    /// The trace as text.
    pub fn text(&self, style: &Style) -> String {
        let exchanges = self.wire.exchanges();
        let stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        if exchanges.is_empty() {
            return in_order(&stages, vec![render_all(&exchanges, style)]);
        }
        in_order(&stages, exchanges.iter().map(|exchange| render(exchange, style)).collect())
    }
}

/// The exchanges, and before each of them the stages that were entered before it
/// began; an empty line between all of them.
fn in_order(stages: &[(usize, Stage)], exchanges: Vec<String>) -> String {
    let mut parts = Vec::new();
    let mut rest = stages;
    for (index, exchange) in exchanges.into_iter().enumerate() {
        let before = rest.iter().take_while(|(begun, _)| *begun <= index).count();
        let (entered, later) = rest.split_at(before);
        rest = later;
        parts.extend(line(entered));
        parts.push(exchange);
    }
    parts.extend(line(rest));
    parts.join("\n")
}

fn line(stages: &[(usize, Stage)]) -> Option<String> {
    let names: Vec<&str> = stages.iter().map(|(_, stage)| stage.as_str()).collect();
    (!names.is_empty()).then(|| format!("stages: {}\n", names.join(" → ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_stand_before_the_exchange_that_began_after_them() {
        let stages = [
            (0, Stage::New),
            (0, Stage::InitializeSent),
            (1, Stage::ResponseValidated),
            (2, Stage::Ready),
        ];
        let exchanges = vec!["> one\n".to_owned(), "> two\n".to_owned()];
        assert_eq!(
            in_order(&stages, exchanges),
            "stages: NEW → initialize sent\n\n> one\n\nstages: response validated\n\n\
             > two\n\nstages: READY\n"
        );
        assert_eq!(in_order(&[], vec!["> one\n".to_owned()]), "> one\n");
    }
}
