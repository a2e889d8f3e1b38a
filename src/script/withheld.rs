//! Functions of Rhai that scripts do not get. They belong to the language's core and
//! are no symbols of their own, so that others take their place.

use rhai::Dynamic;

use super::api::{Evaluated, Replacements};

/// Puts errors in the place of `sleep` and `exit`.
pub(super) fn replace(replacements: &mut Replacements<'_>) {
    replacements
        .function("sleep", |_: i64| no_sleep())
        .function("sleep", |_: f64| no_sleep())
        .function("exit", |()| no_exit())
        .function("exit", |_: Dynamic| no_exit());
}

/// It would hold up a worker, whatever its time.
fn no_sleep() -> Evaluated<()> {
    Err("scripts do not sleep; `client.wait(ms)` and `after(ms, action)` let time pass".into())
}

/// It would end a script as if all of it had been done.
fn no_exit() -> Evaluated<()> {
    Err("scripts do not exit; `return` leaves a function".into())
}
