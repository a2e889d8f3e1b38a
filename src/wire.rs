//! HTTP: the one trait that every request goes through, what stands behind it
//! (the double, a real socket), and what is recorded of it.

pub mod body;
pub mod double;
pub mod event_stream;
pub mod exchange;
pub mod http;
pub mod intake;
pub mod live;
pub mod loopback;
pub mod messages;
pub mod reach;
pub mod recorder;
pub mod redact;
pub mod request;
mod scan;
mod secret;
pub mod text;
mod visible;

pub use self::body::{READ_LIMIT, ReadError, read_whole};
pub use self::double::Double;
pub use self::event_stream::{EventParser, EventReader, ServerEvent};
pub use self::exchange::{Exchange, Wire};
pub use self::http::{Body, ClientError, HttpClient, Request, Response, TransportError};
pub use self::messages::{MessageText, Sender};
pub use self::recorder::Recorder;
pub use self::request::{InvalidRequest, RequestHead};
