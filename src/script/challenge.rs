//! `challenges`: what a `WWW-Authenticate` field asks for, as a script reads it.

use rhai::{Dynamic, Map};

use super::api::Functions;
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

/// Declares the function.
pub(super) fn declare(everywhere: &mut Functions<'_>) {
    everywhere
        .doc(
            "The challenges of a `WWW-Authenticate` field, up to the first mistake, none if \
             there is no field: of each the `scheme` in lower case, its `parameters` as a map, \
             and the names that are `repeated`.",
        )
        .function("challenges(field: any) -> List", |field: Dynamic| -> List {
            let field = field.into_immutable_string().unwrap_or_default();
            challenges_in(&field).iter().map(to_map).collect()
        });
}
