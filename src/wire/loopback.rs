//! The double on real sockets: a [`Loopback`] serves an [`HttpClient`] over
//! HTTP/1.1 on 127.0.0.1.
//!
//! What arrives is turned back into a request to the origin by its name, so
//! that what stands behind it cannot tell a socket from memory.

mod connection;
mod outgoing;

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use tokio::task::JoinSet;

pub use self::connection::REQUEST_LIMIT;

use self::connection::{Base, Far, accept};
use super::http::HttpClient;

/// Listening sockets on 127.0.0.1, one for each origin, not served yet.
///
/// Connections that arrive before [`Loopback::serve`] wait in the system's
/// queue, so a URL may be handed out as soon as it is known.
#[derive(Debug, Default)]
pub struct Loopback {
    origins: Vec<(Origin, TcpListener)>,
}

impl Loopback {
    /// Opens one socket for each of `origins`, written as in
    /// `http://server.test`.
    ///
    /// # Errors
    /// As [`Loopback::open`].
    pub fn bind(origins: &[&str]) -> io::Result<Self> {
        let mut loopback = Loopback::default();
        for origin in origins {
            loopback.open(origin)?;
        }
        Ok(loopback)
    }

    /// Opens a socket for `origin`, unless it has one, and returns its URL
    /// without a path: `http://127.0.0.1:41234`.
    ///
    /// # Errors
    /// `InvalidInput` if `origin` is not a scheme, a host and perhaps a port;
    /// else what the system says of a socket that it cannot open.
    pub fn open(&mut self, origin: &str) -> io::Result<String> {
        self.open_at(origin, 0)
    }

    /// Opens a socket for `origin` as [`Loopback::open`] does, at this port
    /// unless it is 0.
    ///
    /// # Errors
    /// As [`Loopback::open`].
    pub fn open_at(&mut self, origin: &str, port: u16) -> io::Result<String> {
        if let Some(url) = self.url(origin) {
            return Ok(url);
        }
        let base = Base::parse(origin).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("`{origin}` is no origin; write it as in `http://server.test`"),
            )
        })?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let url = format!("http://{}", listener.local_addr()?);
        let name = origin.to_owned();
        self.origins.push((Origin { name, base, url: url.clone() }, listener));
        Ok(url)
    }

    /// Where `origin` is served, if it has a socket.
    pub fn url(&self, origin: &str) -> Option<String> {
        let mut origins = self.origins.iter().map(|(origin, _)| origin);
        origins.find(|known| known.name == origin).map(|known| known.url.clone())
    }

    /// Begins to serve `client` at every origin, in tasks of the current tokio
    /// runtime.
    ///
    /// An error of `client` drops the connection without a response, a request
    /// that it finds invalid is answered with 400, and an error in a response's
    /// body breaks it off in the middle. If the far side
    /// goes away, the future or body that was meant for it is dropped.
    ///
    /// # Errors
    /// What the system says if the runtime cannot watch a socket.
    ///
    /// # Panics
    /// Outside a tokio runtime whose input and output are enabled.
    pub fn serve(self, client: Arc<dyn HttpClient>) -> io::Result<LoopbackHandle> {
        let mut origins = Vec::new();
        let mut servers = JoinSet::new();
        let arriving = Arc::new(AtomicUsize::new(0));
        for (origin, listener) in self.origins {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let far = Far { client: client.clone(), arriving: arriving.clone() };
            servers.spawn(accept(listener, origin.base.clone(), far));
            origins.push(origin);
        }
        Ok(LoopbackHandle { origins, servers })
    }
}

/// Origins that are being served. Dropping it closes every socket and
/// connection.
#[derive(Debug)]
pub struct LoopbackHandle {
    origins: Vec<Origin>,
    servers: JoinSet<()>,
}

impl LoopbackHandle {
    /// Where `origin` is served, if it was opened.
    pub fn url(&self, origin: &str) -> Option<String> {
        self.origins.iter().find(|known| known.name == origin).map(|known| known.url.clone())
    }

    /// Closes every socket and connection and returns when they are closed:
    /// whatever was still open has then been recorded as aborted.
    pub async fn close(mut self) {
        self.servers.shutdown().await;
    }
}

/// An origin and where it is served.
#[derive(Debug)]
struct Origin {
    name: String,
    base: Base,
    url: String,
}

#[cfg(test)]
mod tests;
