//! Authorization up to the point where a person is needed: what a 401 asks for
//! ([`Challenge`]), and whom to turn to ([`Discovery`]).
//!
//! The flows themselves (registration, authorization code with PKCE, client
//! credentials, refresh, step-up) will stand beside `discovery` and begin with
//! a [`Discovery`]; until then an operation ends with what was found out.

mod challenge;
mod discovery;
mod reach;

pub use self::challenge::{Challenge, challenges, challenges_in, insufficient_scope};
pub use self::discovery::{Discovery, discover};
