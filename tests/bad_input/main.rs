//! Whatever is wrong with a script, a file, a client or a server: the exit code
//! is right, the message says what to do, the other checks still run, and
//! nothing is left half-written or behind.
#![cfg(unix)]

mod clients;
mod files;
mod floods;
mod place;
mod scripts;
mod servers;
mod signals;
mod written;
