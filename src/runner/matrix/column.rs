//! The columns of a matrix: where each environment stands.

/// The column of the double.
pub const DOUBLE: usize = 0;

/// The column of the socket.
pub const SOCKET: usize = 1;

/// The column of what is outside, if there is one.
pub const OUTSIDE: usize = 2;
