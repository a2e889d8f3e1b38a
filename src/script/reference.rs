//! Everything that a script can reach: what each type declares, put together once for
//! the process. [`groups`] is what is told of it, `module` what engines get.

use std::fmt::Write as _;
use std::sync::{Arc, LazyLock};

use rhai::Module;

pub use super::api::{Entry, Group, Signature};

use super::api::Api;
use super::{absent, action, challenge, client, fault, host, list, log, origin, seen};
use super::{server, text, withheld};

struct Declared {
    groups: Vec<Group>,
    module: Arc<Module>,
    #[cfg(test)]
    mistakes: Vec<String>,
}

static DECLARED: LazyLock<Declared> = LazyLock::new(|| {
    let mut api = Api::default();
    server::declare(&mut api);
    origin::declare(&mut api);
    action::declare(&mut api);
    let mut everywhere = api.functions("everywhere", "What every function of a script can call.");
    log::declare(&mut everywhere);
    challenge::declare(&mut everywhere);
    client::declare(&mut api);
    host::declare(&mut api);
    seen::declare(&mut api);
    list::declare(&mut api);
    absent::declare(&mut api);
    fault::declare(&mut api);
    withheld::replace(&mut api.replacements());
    log::replace(&mut api.replacements());
    text::replace(&mut api.replacements());
    api.module.build_index();
    Declared {
        groups: api.groups,
        module: Arc::new(api.module),
        #[cfg(test)]
        mistakes: api.mistakes,
    }
});

/// Everything that a script can reach beside Rhai's own strings, numbers, arrays
/// and maps, by the value it is reached through.
pub fn groups() -> &'static [Group] {
    &DECLARED.groups
}

/// The same as a module of Rhai; engines share it.
pub(super) fn module() -> Arc<Module> {
    DECLARED.module.clone()
}

/// The table as Rhai's definitions (`.d.rhai`), which editors read.
pub fn definitions() -> String {
    let mut text = String::from("module static;\n");
    for group in groups() {
        for entry in &group.entries {
            for signature in &entry.signatures {
                let _ = write!(text, "\n/// {}\n", entry.sentence);
                if let Some(signature) = Signature::parse(signature) {
                    define(&mut text, group.receiver, &signature);
                }
            }
        }
    }
    text
}

fn define(text: &mut String, receiver: Option<(&str, &str)>, signature: &Signature<'_>) {
    let receiver = receiver.map(|(of, name)| (name, of));
    let mut function = |name: &str, parameters: &[(&str, &str)], returns: &str| {
        let all = receiver.iter().chain(parameters);
        let all: Vec<String> =
            all.map(|(name, of)| format!("{name}: {}", defined_type(of))).collect();
        let _ = writeln!(text, "fn {name}({}) -> {};", all.join(", "), defined_type(returns));
    };
    match signature {
        Signature::Function { name, parameters, returns } => function(name, parameters, returns),
        Signature::Property { name, of, settable } => {
            function(&format!("get {name}"), &[], of);
            if *settable {
                function(&format!("set {name}"), &[("value", of)], "()");
            }
        }
        Signature::Index { parameter, returns } => function("index$get$", &[*parameter], returns),
        Signature::Operator { left, operator, right, returns } => {
            let [left, right, returns] = [*left, *right, *returns].map(defined_type);
            let _ = writeln!(text, "op {operator}({left}, {right}) -> {returns};");
        }
    }
}

/// A type as Rhai's definitions name it.
fn defined_type(of: &str) -> &str {
    match of {
        "any" => "?",
        "string" => "String",
        "integer" => "int",
        "map" => "Map",
        "array" => "Array",
        "function" => "Fn",
        of if of.contains(' ') => "?",
        of => of,
    }
}

#[cfg(test)]
mod tests;
