//! One test for each keyword, with what it takes and what it refuses; what is said
//! of a value that fits none of several types; and what no value can do.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::mcp::Revision;
use crate::mcp::schema::table::Table;

/// What is wrong with a value by the type `One` among `types`, in words; empty if
/// nothing is.
fn wrong_among(types: Value, value: &Value) -> String {
    let types: Types = serde_json::from_value(types).unwrap();
    match judge(&types, &types["One"], value) {
        Ok(()) => String::new(),
        Err(unfit) => format!("{}: {}", unfit.pointer(), unfit.expected.in_words()),
    }
}

fn wrong(kind: Value, value: Value) -> String {
    wrong_among(json!({ "One": kind }), &value)
}

/// Holds that a type takes some values, and refuses others in these words.
#[track_caller]
fn takes(kind: Value, good: &[Value], refused: &[(Value, &str)]) {
    for value in good {
        assert_eq!(wrong(kind.clone(), value.clone()), "", "{kind} and {value}");
    }
    for (value, said) in refused {
        assert_eq!(wrong(kind.clone(), value.clone()), *said, "{kind} and {value}");
    }
}

#[test]
fn type_takes_its_kind_and_no_other() {
    let one_of_each = [
        ("array", "an array", json!([])),
        ("boolean", "a boolean", json!(false)),
        ("null", "null", json!(null)),
        ("number", "a number", json!(1.5)),
        ("object", "an object", json!({})),
        ("string", "a string", json!("")),
    ];
    for (name, said, _) in &one_of_each {
        for (other, _, value) in &one_of_each {
            let expected = if name == other { String::new() } else { format!(": {said}") };
            assert_eq!(wrong(json!({ "type": name }), value.clone()), expected, "{name} {value}");
        }
    }
    takes(
        json!({ "type": ["string", "integer"] }),
        &[json!("1"), json!(1)],
        &[
            (json!(1.5), ": an integer or a string"),
            (json!(null), ": an integer or a string"),
            (json!(true), ": an integer or a string"),
        ],
    );
}

#[test]
fn an_integer_is_one_by_its_value() {
    for text in ["0", "-0.0", "1.0", "3e5", "1e300", "-9223372036854775808", "18446744073709551616"]
    {
        let value = serde_json::from_str(text).unwrap();
        assert_eq!(wrong(json!({ "type": "integer" }), value), "", "{text}");
    }
    for text in ["1.5", "1e-300", "0.1", "\"1\"", "true", "null"] {
        let value = serde_json::from_str(text).unwrap();
        assert_eq!(wrong(json!({ "type": "integer" }), value), ": an integer", "{text}");
    }
}

#[test]
fn const_takes_what_is_equal() {
    takes(json!({ "const": "2.0" }), &[json!("2.0")], &[(json!(2.0), ": \"2.0\"")]);
    takes(
        json!({ "const": -32603 }),
        &[json!(-32603), json!(-32603.0)],
        &[(json!(-32602), ": -32603"), (json!("-32603"), ": -32603"), (json!(true), ": -32603")],
    );
    takes(json!({ "const": null }), &[json!(null)], &[(json!(0), ": null")]);
    takes(json!({ "const": 1 }), &[json!(1)], &[(json!(true), ": 1")]);
}

#[test]
fn enum_takes_each_of_its_values() {
    takes(
        json!({ "enum": ["user", "assistant"] }),
        &[json!("user"), json!("assistant")],
        &[
            (json!("User"), ": one of \"user\", \"assistant\""),
            (json!(null), ": one of \"user\", \"assistant\""),
        ],
    );
    takes(json!({ "enum": ["only"] }), &[], &[(json!("other"), ": \"only\"")]);
    let many: Vec<usize> = (0..14).collect();
    let said = wrong(json!({ "enum": many }), json!("x"));
    assert!(said.ends_with("10, 11 and 2 more"), "{said}");
}

#[test]
fn minimum_and_maximum_are_taken_themselves() {
    takes(
        json!({ "minimum": 0, "maximum": 1 }),
        &[json!(0), json!(-0.0), json!(0.5), json!(1), json!(1.0), json!("no number")],
        &[
            (json!(-1), ": no less than 0"),
            (json!(-1e-9), ": no less than 0"),
            (json!(1.000_001), ": no more than 1"),
            (json!(u64::MAX), ": no more than 1"),
            (json!(i64::MIN), ": no less than 0"),
        ],
    );
}

#[test]
fn max_items_counts_items() {
    takes(
        json!({ "maxItems": 2 }),
        &[json!([]), json!([1, 2]), json!("abc"), json!({ "a": 1, "b": 2, "c": 3 })],
        &[(json!([1, 2, 3]), ": no more than 2 items")],
    );
}

#[test]
fn items_judges_each_item() {
    takes(
        json!({ "items": { "type": "string" } }),
        &[json!([]), json!(["a", "b"]), json!("no array")],
        &[(json!(["a", 1, null]), "/1: a string"), (json!([["a"]]), "/0: a string")],
    );
}

#[test]
fn required_names_the_first_that_is_missing() {
    takes(
        json!({ "required": ["a", "b"] }),
        &[json!({ "a": null, "b": 1, "c": 2 }), json!([])],
        &[
            (json!({ "b": 1 }), ": the member \"a\""),
            (json!({ "a": 1 }), ": the member \"b\""),
            (json!({ "A": 1, "b": 1 }), ": the member \"a\""),
        ],
    );
}

#[test]
fn properties_judges_the_members_that_are_there() {
    takes(
        json!({ "properties": { "a": { "type": "string" }, "b": {} } }),
        &[json!({}), json!({ "a": "x" }), json!({ "b": null, "c": 7 }), json!([7])],
        &[(json!({ "a": null }), "/a: a string")],
    );
}

#[test]
fn additional_properties_judges_the_others_alone() {
    takes(
        json!({
            "properties": { "a": { "type": "string" } },
            "additionalProperties": { "type": "integer" },
        }),
        &[json!({}), json!({ "a": "x", "b": 1 })],
        &[
            (json!({ "a": 1, "b": 1 }), "/a: a string"),
            (json!({ "a": "x", "b": "x" }), "/b: an integer"),
        ],
    );
}

#[test]
fn all_of_judges_by_each() {
    takes(
        json!({ "allOf": [{ "required": ["a"] }, { "required": ["b"] }] }),
        &[json!({ "a": 1, "b": 1 })],
        &[(json!({ "a": 1 }), ": the member \"b\""), (json!({ "b": 1 }), ": the member \"a\"")],
    );
}

#[test]
fn any_of_takes_what_one_takes() {
    takes(
        json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }] }),
        &[json!("x"), json!(1)],
        &[(json!(1.5), ": a string or an integer"), (json!([]), ": a string or an integer")],
    );
}

#[test]
fn a_reference_has_to_fit_as_well() {
    let types = json!({
        "One": { "$ref": "#/$defs/Two", "required": ["b"] },
        "Two": { "required": ["a"] },
    });
    assert_eq!(wrong_among(types.clone(), &json!({ "a": 1, "b": 1 })), "");
    assert_eq!(wrong_among(types.clone(), &json!({ "a": 1 })), ": the member \"b\"");
    assert_eq!(wrong_among(types, &json!({ "b": 1 })), ": the member \"a\"");
}

#[test]
fn a_keyword_that_is_not_known_makes_a_table_unreadable() {
    for kind in [
        json!({ "minLength": 1 }),
        json!({ "type": "text" }),
        json!({ "$ref": "https://example.com/Two" }),
        json!({ "additionalProperties": false }),
    ] {
        assert!(serde_json::from_value::<Type>(kind.clone()).is_err(), "{kind}");
    }
}

#[test]
fn a_place_is_a_json_pointer() {
    let kind = json!({ "additionalProperties": { "items": { "type": "null" } } });
    assert_eq!(wrong(kind, json!({ "a/b~c": [null, 1] })), "/a~1b~0c/1: null");
}

#[test]
fn of_several_types_the_nearest_is_spoken_of() {
    let block = |name: &str, own: &str| {
        json!({
            "type": "object",
            "required": [own, "type"],
            "properties": { "type": { "const": name }, own: { "type": "string" } },
        })
    };
    let types = json!({
        "One": { "anyOf": [
            { "$ref": "#/$defs/Text" },
            { "anyOf": [block("image", "data"), block("audio", "data")] },
            { "type": "array" },
        ] },
        "Text": block("text", "text"),
    });
    for (value, said) in [
        (json!({ "type": "text", "text": 7, "data": 7 }), "/text: a string"),
        (json!({ "type": "image", "text": "x" }), ": the member \"data\""),
        (json!({ "type": "audio", "data": null }), "/data: a string"),
        (json!({ "type": "txt", "text": "x" }), "/type: one of \"text\", \"image\", \"audio\""),
        (json!({ "type": 7 }), "/type: one of \"text\", \"image\", \"audio\""),
        (json!({ "text": "x" }), ": the member \"type\""),
        (json!({}), ": the member \"type\""),
        (json!("text"), ": an object or an array"),
    ] {
        assert_eq!(wrong_among(types.clone(), &value), said, "{value}");
    }
}

#[test]
fn a_type_that_may_leave_its_name_out_is_meant_where_it_is_left_out() {
    let of = |mode: &str, required: Value, own: &str| {
        json!({
            "type": "object",
            "required": required,
            "properties": { "mode": { "const": mode }, own: { "type": "string" } },
        })
    };
    let either = json!({ "anyOf": [
        of("form", json!(["schema"]), "schema"),
        of("url", json!(["mode", "url"]), "url"),
    ] });
    takes(
        either,
        &[json!({ "schema": "x" }), json!({ "mode": "url", "url": "x" })],
        &[
            (json!({}), ": the member \"schema\""),
            (json!({ "url": "x" }), ": the member \"schema\""),
            (json!({ "mode": "url", "url": 1 }), "/url: a string"),
            (json!({ "mode": "other" }), "/mode: one of \"form\", \"url\""),
        ],
    );
}

#[test]
fn without_a_name_the_type_that_fits_furthest_is_meant() {
    let of = |own: &str| {
        json!({
            "required": ["uri", own],
            "properties": { "uri": { "type": "string" }, own: { "type": "string" } },
        })
    };
    takes(
        json!({ "anyOf": [of("text"), of("blob")] }),
        &[json!({ "uri": "a:b", "text": "x" })],
        &[
            (json!({ "uri": "a:b", "blob": 7 }), "/blob: a string"),
            (json!({ "uri": "a:b" }), ": the member \"text\" or the member \"blob\""),
            (json!({}), ": the member \"uri\""),
            (
                json!({ "uri": "a:b", "text": 1, "blob": 1 }),
                ": one of the types that are allowed here",
            ),
        ],
    );
}

/// The references of a table lead somewhere, and none comes back to its type at the
/// same place, so that a value alone decides how far a judgement goes.
#[test]
fn every_reference_leads_on() {
    fn in_place<'a>(types: &'a Types, kind: &'a Type, way: &mut Vec<&'a str>) {
        if let Some(name) = kind.reference.as_deref() {
            assert!(!way.contains(&name), "{name} leads to itself: {way:?}");
            way.push(name);
            in_place(types, types.get(name).expect(name), way);
            way.pop();
        }
        kind.all_of.iter().chain(&kind.any_of).for_each(|part| in_place(types, part, way));
    }
    fn each(types: &Types, kind: &Type) {
        in_place(types, kind, &mut Vec::new());
        let parts = kind.all_of.iter().chain(&kind.any_of).chain(kind.properties.values());
        let parts = parts.chain(kind.items.as_deref()).chain(kind.additional_properties.as_deref());
        parts.for_each(|part| each(types, part));
    }
    for revision in Revision::ALL {
        let types = Table::of(revision).types();
        types.values().for_each(|kind| each(types, kind));
    }
}

#[test]
fn what_nests_deeper_than_is_read_is_not_judged() {
    let types: Types = serde_json::from_value(json!({
        "One": { "anyOf": [{ "type": "null" }, { "items": { "$ref": "#/$defs/One" }, "type": "array" }] },
    }))
    .unwrap();
    let nested = |depth| (0..depth).fold(json!("wrong"), |inner, _| json!([inner]));
    let judged = |value: &Value| judge(&types, &types["One"], value).is_ok();
    assert!(!judged(&nested(DEPTH_LIMIT)));
    assert!(judged(&nested(DEPTH_LIMIT + 1)));
    let deepest_read = format!("{}{}", "[".repeat(127), "]".repeat(127));
    assert!(judged(&serde_json::from_str(&deepest_read).unwrap()));
}

fn any_json() -> impl Strategy<Value = Value> {
    // The members that the tables know stand where they do damage.
    let name = prop_oneof![
        "(type|method|params|result|id|_meta|content|text|role|mode|anyOf|jsonrpc)",
        ".{0,3}",
    ];
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "(text|image|form|object|string|integer|2.0|ref/prompt|.{0,4})".prop_map(Value::from),
    ];
    scalar.prop_recursive(5, 48, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            btree_map(name.clone(), inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    /// Whatever a value is, it is judged; and what is said of it is in it.
    #[test]
    fn any_value_is_judged_by_any_type(value in any_json()) {
        for revision in Revision::ALL {
            let types = Table::of(revision).types();
            for (name, kind) in types {
                let Err(unfit) = judge(types, kind, &value) else { continue };
                prop_assert!(value.pointer(&unfit.pointer()).is_some(), "{name}: {unfit:?}");
                prop_assert!(!unfit.expected.in_words().is_empty(), "{name}: {unfit:?}");
            }
        }
    }
}
