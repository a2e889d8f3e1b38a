//! HTTP: the one trait that every request goes through, what stands behind it
//! (the double, a real socket), and what is recorded of it.

pub mod body;
pub mod event_stream;
pub mod exchange;
pub mod http;
pub mod live;
pub mod loopback;

pub use self::exchange::{Exchange, Recorder};
pub use self::http::{Body, HttpClient, Request, Response, TransportError};
