//! Reports.

pub mod proof;
