//! The body of a response on its way out over a socket: [`Outgoing`].

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::stream::Stream;
use hyper::body::{Frame, SizeHint};

use crate::wire::http::{Body, TransportError};

/// A response's body on its way out, read a little ahead of what is written.
///
/// Reading ahead shows whether a chunk is the last one. So a body that is there
/// as a whole gets a `content-length`, as servers usually send it, and a body
/// is always read to its end, even if hyper has no use for the end any more.
pub(super) struct Outgoing {
    body: Body,
    /// The length that the double declared itself, right or wrong. hyper is then
    /// told nothing of the true one.
    declared: Option<usize>,
    /// How many bytes were read.
    read: usize,
    /// Chunks that were read and not written yet.
    ahead: VecDeque<Bytes>,
    /// How the body ended, once it did.
    end: Option<Result<(), TransportError>>,
    /// The chunks before an error were given time to go out.
    flushed: bool,
}

impl Outgoing {
    pub(super) fn new(body: Body, declared: Option<usize>) -> Self {
        Outgoing { body, declared, read: 0, ahead: VecDeque::new(), end: None, flushed: false }
    }

    /// Reads what is there already, without waiting for more.
    pub(super) async fn begin(&mut self) {
        std::future::poll_fn(|context| {
            self.read_ahead(context, 2);
            Poll::Ready(())
        })
        .await;
    }

    /// Reads until `wanted` chunks are at hand, or nothing more is there now.
    fn read_ahead(&mut self, context: &mut Context<'_>, wanted: usize) {
        while self.ahead.len() < wanted && self.end.is_none() {
            match Pin::new(&mut self.body).poll_next(context) {
                Poll::Ready(Some(Ok(chunk))) if chunk.is_empty() => {}
                Poll::Ready(Some(Ok(chunk))) => {
                    self.read += chunk.len();
                    self.ahead.push_back(chunk);
                }
                Poll::Ready(Some(Err(error))) => self.end = Some(Err(error)),
                // Shorter than declared: what the far side sees is a body that
                // breaks off.
                Poll::Ready(None) if self.declared.is_some_and(|length| self.read < length) => {
                    self.end = Some(Err(TransportError::Closed));
                }
                Poll::Ready(None) => self.end = Some(Ok(())),
                Poll::Pending => break,
            }
        }
    }
}

impl hyper::body::Body for Outgoing {
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        self.read_ahead(context, 1);
        if let Some(chunk) = self.ahead.pop_front() {
            self.read_ahead(context, 1);
            return Poll::Ready(Some(Ok(Frame::data(chunk))));
        }
        match &self.end {
            None => Poll::Pending,
            Some(Ok(())) => Poll::Ready(None),
            Some(Err(error)) if self.flushed => Poll::Ready(Some(Err(error.clone()))),
            Some(Err(_)) => {
                // An error makes hyper forget what it has not written yet. While
                // the body is pending it writes the chunks that came before.
                self.flushed = true;
                context.waker().wake_by_ref();
                Poll::Pending
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.declared.is_none() && self.ahead.is_empty() && self.end == Some(Ok(()))
    }

    fn size_hint(&self) -> SizeHint {
        if self.declared.is_some() || self.end != Some(Ok(())) {
            return SizeHint::default();
        }
        let length: usize = self.ahead.iter().map(Bytes::len).sum();
        SizeHint::with_exact(length as u64)
    }
}
