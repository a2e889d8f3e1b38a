//! Where the double's origins are reached: by name in memory, or on a port of
//! this machine.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use crate::script::server::{Addresses, authority};
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
pub struct OnLoopback(Arc<Mutex<Loopback>>);

impl OnLoopback {
    /// The sockets that were opened so far, to be served. None can be opened
    /// after that.
    pub fn take(&self) -> Loopback {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Addresses for OnLoopback {
    fn base_url(&self, name: &str) -> io::Result<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).open(&name_url(name))
    }
}
