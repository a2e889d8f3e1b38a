//! The [`Recorder`] stands where requests pass, and writes them and what answers
//! them down on a [`Wire`].

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use futures_util::stream::Stream;

use super::exchange::{End, ResponseHead, Wire};
use super::http::{
    Body, BoxFuture, ClientError, HttpClient, Request, Response, TransportError, valid,
};
use super::intake::{Counted, head_size, weight};
use super::request::RequestHead;

/// Writes down every exchange that passes through it.
pub struct Recorder<C> {
    inner: C,
    wire: Wire,
}

impl<C: HttpClient> Recorder<C> {
    /// Records what is sent through `inner` on `wire`.
    pub fn new(inner: C, wire: Wire) -> Self {
        Recorder { inner, wire }
    }
}

impl<C: HttpClient> HttpClient for Recorder<C> {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, ClientError>> {
        // What is never sent crosses no wire.
        let mut request = match valid(request) {
            Ok(request) => request,
            Err(error) => return Box::pin(std::future::ready(Err(error))),
        };
        let Some(index) = self.wire.begin(&mut request) else {
            let refused = ClientError::new(RequestHead::from(&request), beyond_intake());
            return Box::pin(std::future::ready(Err(refused)));
        };
        let mut open = OpenExchange { wire: self.wire.clone(), index };
        let asked = RequestHead::from(&request);
        Box::pin(async move {
            match self.inner.send(request).await {
                Ok(response) => {
                    let (head, body) = response.into_parts();
                    if !open.wire.admits(Counted::Responses, head_size(&head.headers)) {
                        return Err(ClientError::new(asked, beyond_intake()));
                    }
                    let (status, headers) = (head.status, head.headers.clone());
                    open.wire.answered(open.index, ResponseHead { status, headers });
                    let body = Body::stream(Recorded { body, open });
                    Ok(Response::from_parts(head, body))
                }
                Err(error) => {
                    open.finish(match error {
                        ClientError::Network {
                            reason: TransportError::Connect(_) | TransportError::Inside,
                            ..
                        }
                        | ClientError::InvalidRequest { .. } => End::Unreached,
                        _ => End::Broken,
                    });
                    Err(error)
                }
            }
        })
    }
}

/// Marks an exchange as aborted if it is dropped before it ended.
struct OpenExchange {
    wire: Wire,
    index: usize,
}

impl OpenExchange {
    fn is_open(&self) -> bool {
        self.wire.is_open(self.index)
    }

    fn finish(&mut self, end: End) {
        self.wire.finish(self.index, end);
    }
}

impl Drop for OpenExchange {
    fn drop(&mut self) {
        self.finish(End::Aborted);
    }
}

/// What ends an exchange that is more than is taken in.
fn beyond_intake() -> TransportError {
    TransportError::Protocol("it is more than is taken in for one execution".to_owned())
}

struct Recorded {
    body: Body,
    open: OpenExchange,
}

impl Recorded {
    /// What comes next of the body, if it may still be taken in.
    fn poll_bounded(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, TransportError>>> {
        let polled = Pin::new(&mut self.body).poll_next(context);
        match &polled {
            Poll::Ready(Some(Ok(chunk)))
                if !self.open.wire.admits(Counted::Responses, weight(chunk)) =>
            {
                // Dropped at once, which closes the connection.
                self.body = Body::whole(Bytes::new());
                Poll::Ready(Some(Err(beyond_intake())))
            }
            _ => polled,
        }
    }

    fn note(&mut self, polled: &Poll<Option<Result<Bytes, TransportError>>>) {
        match polled {
            Poll::Ready(Some(Ok(chunk))) => {
                self.open.wire.take(self.open.index, chunk);
            }
            Poll::Ready(Some(Err(_))) => self.open.finish(End::Broken),
            Poll::Ready(None) => self.open.finish(End::Complete),
            Poll::Pending => {}
        }
    }
}

/// How many bytes a server sends that nobody reads: about what a socket's
/// buffers take. A body without end is ready for ever.
const SENT_AHEAD: usize = 256 * 1024;

/// What was ready to be sent when the asking side turned away has been sent: a
/// server does not wait for its bytes to be read. So an exchange is aborted only
/// if more was still to come, in memory as well as on a socket.
impl Drop for Recorded {
    fn drop(&mut self) {
        // A body may set timers, which need a runtime.
        if !self.open.is_open() || tokio::runtime::Handle::try_current().is_err() {
            return;
        }
        let mut context = Context::from_waker(Waker::noop());
        let mut sent = 0;
        while sent < SENT_AHEAD {
            let polled = self.poll_bounded(&mut context);
            self.note(&polled);
            match polled {
                Poll::Ready(Some(Ok(chunk))) => sent += chunk.len().max(1),
                _ => break,
            }
        }
    }
}

impl Stream for Recorded {
    type Item = Result<Bytes, TransportError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = self.poll_bounded(context);
        self.note(&polled);
        polled
    }
}
