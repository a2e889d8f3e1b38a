use serde_json::{Value, json};

use super::*;

#[track_caller]
fn assert_rejected(schema: &Value, expected: Rejection) {
    assert_eq!(normalize(schema), Err(expected), "{schema}");
}

#[test]
fn what_is_kept_is_kept_and_the_annotations_around_it_are_dropped() {
    let sent = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "x",
        "title": "Add",
        "type": "object",
        "description": "Two numbers",
        "properties": { "a": { "type": "integer", "title": "A", "minimum": 0 } },
        "required": ["a"],
        "additionalProperties": false,
        "anyOf": [{ "required": ["a"] }],
        "examples": [{ "a": 1 }],
        "x-vendor": {},
    });
    let kept = normalize(&sent).unwrap();
    let expected = json!({
        "type": "object",
        "description": "Two numbers",
        "properties": { "a": { "type": "integer", "title": "A", "minimum": 0 } },
        "required": ["a"],
        "additionalProperties": false,
        "anyOf": [{ "required": ["a"] }],
    });
    assert_eq!(Value::from(kept), expected);
}

#[test]
fn each_reason() {
    for not_a_schema in [
        json!(null),
        json!(true),
        json!([]),
        json!("object"),
        json!({ "type": 1 }),
        json!({ "type": "object", "properties": [] }),
        json!({ "type": "object", "required": "a" }),
        json!({ "type": "object", "required": [1] }),
        json!({ "type": "object", "description": 1 }),
        json!({ "type": "object", "anyOf": {} }),
        json!({ "type": "object", "properties": { "a": 1 } }),
    ] {
        assert_rejected(&not_a_schema, Rejection::NotASchema);
    }
    assert_rejected(&json!({}), Rejection::RootNotObject);
    assert_rejected(&json!({ "type": "string" }), Rejection::RootNotObject);
    assert_rejected(&json!({ "type": ["object", "null"] }), Rejection::UnionRoot);
    for (keyword, rejection) in REFUSED {
        let at_the_root = json!({ "type": "object", keyword: {} });
        assert_rejected(&at_the_root, rejection);
        let inside =
            json!({ "type": "object", "properties": { "a": { "items": { keyword: {} } } } });
        assert_rejected(&inside, rejection);
        // A property may have any name, and data are no schema.
        let named = json!({ "type": "object", "properties": { keyword: { "type": "string" } } });
        assert!(normalize(&named).is_ok(), "{keyword}");
        let data = json!({ "type": "object", "properties": { "a": { "const": { keyword: 1 } } } });
        assert!(normalize(&data).is_ok(), "{keyword}");
    }
}

fn nested(levels: usize) -> Value {
    // The innermost level, and one for each array around it.
    (1..levels).fold(json!({}), |inner, _| json!({ "items": inner }))
}

#[test]
fn twelve_levels_are_taken_and_thirteen_are_not() {
    // The root and `properties` are two levels.
    let deep =
        |levels: usize| json!({ "type": "object", "properties": { "a": nested(levels - 2) } });
    assert!(normalize(&deep(12)).is_ok());
    assert_rejected(&deep(13), Rejection::TooDeep);
    // What is dropped costs nothing.
    let dropped = json!({ "type": "object", "examples": nested(40) });
    assert!(normalize(&dropped).is_ok());
}

#[test]
fn sixteen_kibibytes_are_taken_and_a_byte_more_is_not() {
    let around = json!({ "type": "object", "description": "" }).to_string().len();
    let large = |size| json!({ "type": "object", "description": "a".repeat(size - around) });
    assert!(normalize(&large(SIZE_LIMIT)).is_ok());
    assert_rejected(&large(SIZE_LIMIT + 1), Rejection::TooLarge);
}

#[test]
fn only_an_object_is_a_stored_schema() {
    assert!(stored(r#"{"type":"object"}"#).is_some());
    for text in ["", "{", "[]", "null", "\"{}\""] {
        assert_eq!(stored(text), None, "{text}");
    }
}
