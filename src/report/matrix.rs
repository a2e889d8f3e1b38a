//! A finished matrix, for a person (`text`) and for programs (`json`).

mod json;
mod table;
mod text;

pub use self::json::{FORMAT, json};
pub(crate) use self::text::text;

#[cfg(test)]
mod tests;
