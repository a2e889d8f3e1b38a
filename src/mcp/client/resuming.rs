//! Going on later from a result that asks for more, which was kept as an
//! [`Interim`] (2026-07-28, basic/patterns/mrtr).

use serde_json::Value;

use super::Client;
use super::error::{ClientError, ErrorKind};
use super::inner::Inner;
use super::interim::{Interim, NotKept, Original};
use super::operation::Operation;

impl Interim {
    /// What is to be kept of `operation` at a result that asks for more.
    pub(super) fn of(client: &Inner, operation: &Operation, result: Value) -> Option<Self> {
        let params = operation.params(client.session().revision).ok()??;
        let request = Original {
            origin: client.channel.transport().server().to_owned(),
            method: operation.method().to_owned(),
            params,
            id: client.channel.latest_id(),
        };
        Some(Interim { request, result })
    }

    /// The operation that goes on.
    ///
    /// # Errors
    /// [`NotKept`] if no operation sends such a request again, or the result
    /// asks for nothing.
    pub fn operation(&self) -> Result<Operation, NotKept> {
        let Original { method, params, .. } = &self.request;
        let operation = Operation::that_takes_input(method, params).ok_or_else(|| {
            NotKept(format!("no operation sends `{method}` with these params again"))
        })?;
        let member = |name| self.result.get(name);
        let is_interim = member("resultType").is_none_or(|of| of == "input_required");
        let asks = member("inputRequests").is_none_or(Value::is_object);
        let has_state = member("requestState").is_none_or(Value::is_string);
        if !is_interim || (member("inputRequests").is_none() && member("requestState").is_none()) {
            return Err(NotKept("the result asks for nothing".into()));
        }
        if !asks || !has_state {
            let what = if asks { "state is no text" } else { "requests are no map" };
            return Err(NotKept(format!("the {what}")));
        }
        Ok(operation)
    }
}

impl Client {
    /// What is to be kept of `operation` so that it can go on later from
    /// `result`, which asks for more; `None` if the operation is none whose
    /// requests are sent again, or has no params at this revision.
    pub fn interim(&self, operation: &Operation, result: Value) -> Option<Interim> {
        let kept = Interim::of(&self.0, operation, result)?;
        kept.operation().is_ok().then_some(kept)
    }

    /// The operation that goes on from `interim`, which was kept, by
    /// [`Client::perform_round`] with a [`Round`](super::Round) after its result.
    /// Nothing is sent yet; what is sent from now on has ids that none of its
    /// requests had.
    ///
    /// # Errors
    /// [`ErrorKind::NotResumable`] if it came from another origin, whose state
    /// this server must not see, or if it is nothing from which an operation
    /// goes on.
    pub fn resume(&self, interim: &Interim) -> Result<Operation, ClientError> {
        let refused = |message: String| Err(ClientError::new(ErrorKind::NotResumable, message));
        let operation = match interim.operation() {
            Ok(operation) => operation,
            Err(error) => return refused(format!("what was kept cannot go on: {error}")),
        };
        if interim.request.origin != self.server() {
            let method = operation.method();
            return refused(format!("{method} was not sent: its state is that of another origin"));
        }
        self.0.channel.pass_id(interim.request.id);
        Ok(operation)
    }
}
