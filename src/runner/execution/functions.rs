//! The functions that a check has by its kind: [`require_functions`].

use crate::check::{Check, CheckKind};
use crate::script::{Script, ScriptError};

/// Holds a script to the functions that its kind of check has.
///
/// # Errors
/// Which function is missing, or takes another number of parameters.
pub fn require_functions(check: &Check, script: &Script) -> Result<(), ScriptError> {
    let required: &[&str] = match check.kind {
        CheckKind::Client => &["serve", "drive", "judge"],
        CheckKind::Server => &["drive", "judge"],
        CheckKind::Host => &["operate", "judge"],
    };
    for name in required {
        match script.parameters(name) {
            Some(1 | 2) => {}
            Some(count) => {
                return Err(ScriptError::new(
                    format!("`{name}` takes {count} parameters"),
                    "it takes what it works with, and the case's name if the check has cases",
                ));
            }
            None => {
                let kind = check.kind.as_str();
                return Err(ScriptError::new(
                    format!("the script has no function `{name}`"),
                    format!("a check of a {kind} has {}", required.join(", ")),
                ));
            }
        }
    }
    Ok(())
}
