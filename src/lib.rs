//! `mcp-checks`: conformance checks for the Model Context Protocol.
//!
//! One check is one Rhai script; one connection is one profile. Every check
//! runs for every profile it applies to, and the bytes that crossed the wire
//! are kept as snapshots.
//!
//! The map of the house. Imports run one way, from the bottom of this list to
//! its top; `tests/house` holds it.
//!
//! | module | what it is |
//! |---|---|
//! | [`wire`] | HTTP: the trait every request goes through, the double, the loopback server, the real client, exchanges, event streams |
//! | [`mcp`] | JSON-RPC, revisions, the client and the scripted server |
//! | [`check`], [`profile`] | what a check and a connection are, read without running anything |
//! | [`host`] | what surrounds a client in an application |
//! | [`script`] | the Rhai engine and what a script can reach |
//! | [`snapshot`] | the recorded wire as files that people review |
//! | [`runner`] | plans, workers, subjects; emits events and prints nothing |
//! | [`report`] | one file a format, each fed by the runner's events alone |
//! | [`cli`] | one file a subcommand |

pub mod check;
pub mod cli;
pub mod host;
pub mod mcp;
pub mod profile;
pub mod report;
pub mod runner;
pub mod script;
pub mod snapshot;
pub mod wire;
