//! The command line, as a person or a script meets it: the program itself, in
//! folders of its own.

mod by_hand;
mod describing;
mod diagnostics;
mod expected;
mod external;
mod failures;
mod far_side;
mod library;
mod logging;
mod matrix;
mod operator;
mod place;
mod proving;
mod reports;
mod running;
mod scaffolding;
mod secrets;
mod snapshots;
