//! What makes a verdict one that people trust, each held by a test.

mod clock;
mod evidence;
mod legal;
mod library;
mod stable;
mod wire_schema;
