//! Where the double's origins are reached: by name in memory, or on a port of
//! this machine.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use crate::script::server::{Addresses, SERVER_ORIGIN, authority};
use crate::wire::loopback::Loopback;

/// The URL by which the double knows an origin.
fn name_url(name: &str) -> String {
    format!("http://{}", authority(name))
}

/// Origins in memory: their URL is their name.
pub struct InMemory;

impl Addresses for InMemory {
    fn base_url(&self, name: &str) -> io::Result<String> {
        Ok(name_url(name))
    }
}

/// Origins on 127.0.0.1; a socket is opened for each when a script names it.
#[derive(Clone, Default)]
pub struct OnLoopback {
    sockets: Arc<Mutex<Loopback>>,
    /// Where the MCP server itself is served; 0 for any free port.
    port: u16,
}

impl OnLoopback {
    /// Origins of which the MCP server itself is served at this port.
    pub fn at(port: u16) -> Self {
        OnLoopback { port, ..OnLoopback::default() }
    }

    /// The sockets that were opened so far, to be served. None can be opened
    /// after that.
    pub fn take(&self) -> Loopback {
        std::mem::take(&mut *self.sockets.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Addresses for OnLoopback {
    fn base_url(&self, name: &str) -> io::Result<String> {
        let port = if name == SERVER_ORIGIN { self.port } else { 0 };
        let mut sockets = self.sockets.lock().unwrap_or_else(PoisonError::into_inner);
        sockets.open_at(&name_url(name), port)
    }
}
