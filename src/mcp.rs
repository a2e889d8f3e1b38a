//! The Model Context Protocol: JSON-RPC messages, revisions, the client and
//! the scripted server that the double plays.

pub mod authorization;
pub mod client;
pub mod header_parameter;
pub mod json_rpc;
pub mod json_schema;
pub mod metadata;
pub mod mirror;
pub mod negotiation;
pub mod revision;
pub mod schema;
pub mod server;

pub use revision::Revision;
