use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::script::{Limits, ScriptEngine};

/// A signature with types alone: `tool(Server, string, map, function)`.
type Plain = (String, Vec<String>);

fn plain(group: &Group, text: &str) -> Vec<(Plain, String)> {
    let signature = Signature::parse(text).unwrap_or_else(|| panic!("{text} is no signature"));
    let receiver = group.receiver.map(|(of, _)| of);
    let made = |name: String, parameters: &[&str], returns: &str| {
        let all = receiver.iter().chain(parameters).map(|of| (*of).to_owned());
        ((name, all.collect()), returns.to_owned())
    };
    match signature {
        Signature::Function { name, parameters, returns } => {
            let types: Vec<&str> = parameters.iter().map(|(_, of)| *of).collect();
            vec![made(name.to_owned(), &types, returns)]
        }
        Signature::Property { name, of, settable } => {
            let mut both = vec![made(format!("get${name}"), &[], of)];
            if settable {
                both.push(made(format!("set${name}"), &[of], "()"));
            }
            both
        }
        Signature::Index { parameter, returns } => {
            vec![made("index$get$".to_owned(), &[parameter.1], returns)]
        }
        Signature::Operator { left, operator, right, returns } => {
            vec![(
                (operator.to_owned(), vec![left.to_owned(), right.to_owned()]),
                returns.to_owned(),
            )]
        }
    }
}

/// A type of the engine as the table names it.
fn type_name(text: &str) -> String {
    let text = text.trim().trim_start_matches("&mut ");
    let text = text
        .strip_prefix("core::result::Result<")
        .and_then(|text| text.split_once(",alloc::boxed::Box<"))
        .map_or(text, |(of, _)| of);
    let last = text.rsplit("::").next().unwrap_or(text);
    match last {
        "Dynamic" => "any",
        "i64" => "integer",
        "String" => "string",
        "Fn" => "function",
        "ScriptAction" => "Action",
        "OriginHandle" => "Origin",
        "SeenExchange" => "Exchange",
        "ImmutableString" => "string",
        other => other,
    }
    .to_owned()
}

fn registered() -> BTreeMap<Plain, String> {
    let engine = ScriptEngine::new(&[], Limits::default()).unwrap();
    let signatures = engine.engine().gen_fn_signatures(false);
    let parse = |signature: &String| {
        let (name, rest) = signature.split_once('(').unwrap();
        // A type may be `()` itself, so the end is looked for from behind.
        let (parameters, returns) = match rest.rsplit_once(") -> ") {
            Some(both) => both,
            None => (rest.strip_suffix(')').unwrap(), "()"),
        };
        let types = parameters.split(", ").filter_map(|parameter| parameter.split_once(": "));
        let types = types.map(|(_, of)| type_name(of)).collect();
        ((name.to_owned(), types), type_name(returns))
    };
    // Functions of Rhai itself, with bounds of our own.
    let is_ours = |signature: &&String| {
        !["replace(", "split(", "split_rev(", "to_chars(", "sleep(", "exit("]
            .iter()
            .any(|of| signature.starts_with(of))
    };
    signatures.iter().filter(is_ours).map(parse).collect()
}

/// Whether the table may say `told` where the engine says `real`.
fn is_told(real: &str, told: &str) -> bool {
    real == "any" || real == told
}

#[test]
fn the_table_and_the_engine_agree() {
    let mut left: BTreeMap<Plain, String> = registered();
    let mut wrong = BTreeSet::new();
    for group in GROUPS {
        for text in group.entries.iter().flat_map(|entry| entry.signatures) {
            for ((name, types), returns) in plain(group, text) {
                let found = left.iter().find(|((known, real), result)| {
                    *known == name
                        && real.len() == types.len()
                        && real.iter().zip(&types).all(|(real, told)| is_told(real, told))
                        && is_told(result, &returns)
                });
                match found.map(|(key, _)| key.clone()) {
                    Some(key) => {
                        left.remove(&key);
                    }
                    None => {
                        wrong.insert(format!("{}: {text}", group.name));
                    }
                }
            }
        }
    }
    assert_eq!(wrong, BTreeSet::new(), "in the table, and not registered");
    // Registered only to take the place of Rhai's own: two refuse, some are held to the
    // limits, a number is logged as everything else, and what is done with what is
    // absent stays absent.
    left.retain(|(name, types), _| {
        !["sleep", "exit", "kind_of", "log"].contains(&name.as_str())
            && !types.iter().any(|of| of == "absent")
    });
    assert_eq!(left, BTreeMap::new(), "registered, and not in the table");
}

#[test]
fn every_entry_has_its_sentence() {
    for entry in GROUPS.iter().flat_map(|group| group.entries) {
        assert!(entry.sentence.ends_with('.'), "{:?}", entry.signatures);
        assert!(entry.sentence.len() > 12, "{:?}", entry.signatures);
    }
}

#[test]
fn signatures_are_taken_apart() {
    assert_eq!(
        Signature::parse("f(a: string, b: map) -> string or ()"),
        Some(Signature::Function {
            name: "f",
            parameters: vec![("a", "string"), ("b", "map")],
            returns: "string or ()",
        })
    );
    assert_eq!(
        Signature::parse("f()"),
        Some(Signature::Function { name: "f", parameters: vec![], returns: "()" })
    );
    assert_eq!(
        Signature::parse("body: string or (), settable"),
        Some(Signature::Property { name: "body", of: "string or ()", settable: true })
    );
    assert_eq!(Signature::parse("no signature"), None);
}

#[test]
fn definitions_name_every_signature() {
    let text = definitions();
    let wanted = [
        "fn tool(server: Server, name: String, schema: Map, handler: Fn) -> ();",
        "fn get url(server: Server) -> String;",
        "fn set body(message: HttpMessage, value: String) -> ();",
        "fn index$get$(list: List, index: int) -> ?;",
        "op ==(List, Array) -> bool;",
        "fn silence() -> Action;",
    ];
    for line in wanted {
        assert!(text.lines().any(|found| found == line), "{line}");
    }
}
