//! `challenges`: what a `WWW-Authenticate` field asks for, as a script reads it.

use rhai::{Dynamic, Engine, Map};

use super::value::List;
use crate::mcp::authorization::{Challenge, challenges_in};

/// A challenge as a map: `scheme` in lower case, `parameters` by their names in
/// lower case, the first of each name, and the names that are `repeated`.
fn to_map(challenge: &Challenge) -> Dynamic {
    let mut parameters = Map::new();
    let mut repeated: Vec<Dynamic> = Vec::new();
    for (name, value) in &challenge.parameters {
        if parameters.contains_key(name.as_str()) {
            repeated.push(name.into());
        } else {
            parameters.insert(name.into(), value.into());
        }
    }
    let map: Map = [
        ("scheme".into(), challenge.scheme.to_ascii_lowercase().into()),
        ("parameters".into(), parameters.into()),
        ("repeated".into(), repeated.into()),
    ]
    .into();
    map.into()
}

/// Registers the function.
pub(super) fn register(engine: &mut Engine) {
    engine.register_fn("challenges", |field: Dynamic| -> List {
        let field = field.into_immutable_string().unwrap_or_default();
        challenges_in(&field).iter().map(to_map).collect()
    });
}
