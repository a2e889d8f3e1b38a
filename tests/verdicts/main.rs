//! What makes a verdict one that people trust, each held by a test.

mod clients;
mod clock;
mod evidence;
mod legal;
mod library;
mod pairs;
mod profiles;
mod protected;
mod raw;
mod red;
mod servers;
mod short;
mod stable;
mod visit;
mod wire_schema;
