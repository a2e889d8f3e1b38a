//! Whatever is wrong with a script, a file, a client or a server: the exit code
//! is right, the message says what to do, the other checks still run, and
//! nothing is left half-written or behind.
#![cfg(unix)]

#[path = "bad_input/clients.rs"]
mod clients;
#[path = "bad_input/files.rs"]
mod files;
#[path = "bad_input/place.rs"]
mod place;
#[path = "bad_input/scripts.rs"]
mod scripts;
#[path = "bad_input/servers.rs"]
mod servers;
