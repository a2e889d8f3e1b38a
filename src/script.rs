//! The Rhai engine and what a script can reach, one file a type. The main type
//! is [`ScriptEngine`]; [`Script`] is one compiled script.
//!
//! A script reaches what is passed to it (`server`, `client`, `seen`), the
//! actions, and the support scripts under `_lib`; nothing else.

mod absent;
pub mod action;
mod api;
pub mod blocking;
mod challenge;
pub mod client;
pub mod decisions;
pub mod engine;
pub mod error;
pub mod fault;
pub mod handler;
pub mod host;
mod interrupted;
pub mod limits;
mod list;
pub mod log;
pub mod memory;
mod names;
pub mod observation;
mod origin;
pub mod reference;
pub mod seen;
pub mod server;
pub mod statements;
mod text;
mod types;
pub mod value;
mod withheld;
mod words;

pub use engine::{Script, ScriptEngine};
pub use error::ScriptError;
pub use limits::Limits;
