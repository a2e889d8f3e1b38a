//! What may be asked, and what may be answered, by revision.

use std::sync::Arc;

use super::*;
use crate::mcp::Revision::{V2025_03_26, V2025_06_18, V2025_11_25};
use crate::mcp::json_rpc::{INTERNAL_ERROR, INVALID_PARAMS};

/// A handler that always gives this answer.
fn always(answer: Value) -> Handler {
    Arc::new(move |_| {
        let answer = answer.clone();
        Box::pin(async move { Ok(answer) })
    })
}

/// What a server is answered that asks a client with one handler.
async fn ask(
    feature: ClientFeature,
    declared: Option<Value>,
    handler: Handler,
    params: Value,
    revision: Revision,
) -> Result<Value, i64> {
    let features = Features::default();
    features.register(feature, declared, handler);
    features.answer(feature, Some(params), revision).await.map_err(|error| error.code)
}

/// What comes of a form whose one property, `x`, has this schema, if the user
/// accepts with this content.
async fn form(property: Value, content: Value, revision: Revision) -> Result<Value, i64> {
    let schema = json!({ "type": "object", "properties": { "x": property }, "required": ["x"] });
    let params = json!({ "message": "Which?", "requestedSchema": schema });
    let handler = always(json!({ "action": "accept", "content": content }));
    let result = ask(ClientFeature::Elicitation, None, handler, params, revision).await?;
    Ok(result["content"].clone())
}

#[test]
fn what_has_a_handler_is_declared_as_the_revision_has_it() {
    let features = Features::default();
    assert_eq!(features.capabilities(V2025_11_25), json!({}));
    features.register(ClientFeature::Elicitation, None, always(json!({})));
    features.register(
        ClientFeature::Roots,
        Some(json!({ "listChanged": true })),
        always(json!({})),
    );
    let roots = json!({ "listChanged": true });
    assert_eq!(features.capabilities(V2025_03_26), json!({ "roots": roots }));
    assert_eq!(features.capabilities(V2025_06_18), json!({ "elicitation": {}, "roots": roots }));
    let both = json!({ "elicitation": { "form": {}, "url": {} }, "roots": roots });
    assert_eq!(features.capabilities(V2025_11_25), both);
}

#[tokio::test]
async fn an_answer_that_does_not_fit_its_form_is_not_sent() {
    let held = [
        (json!({ "type": "string", "minLength": 2 }), json!("ab"), json!("a")),
        (json!({ "type": "string", "maxLength": 2 }), json!("é€"), json!("abc")),
        (json!({ "type": "string", "pattern": "^[a-z]+$" }), json!("ab"), json!("A")),
        (json!({ "type": "string", "format": "email" }), json!("a@b.c"), json!("a.b")),
        (json!({ "type": "string", "format": "uri" }), json!("memo://a"), json!("a b")),
        (json!({ "type": "string", "format": "date" }), json!("2024-02-29"), json!("2023-02-29")),
        (
            json!({ "type": "string", "format": "date-time" }),
            json!("2024-01-31T23:59:60.5+01:00"),
            json!("2024-01-31T24:00:00Z"),
        ),
        (json!({ "type": "string", "enum": ["a", "b"] }), json!("b"), json!("c")),
        (json!({ "type": "number", "minimum": 2 }), json!(2.5), json!(1.5)),
        (json!({ "type": "integer", "maximum": 6 }), json!(6.0), json!(5.5)),
        (json!({ "type": "boolean" }), json!(false), json!("false")),
    ];
    for (property, good, bad) in held {
        for revision in [V2025_06_18, V2025_11_25] {
            let content = json!({ "x": good });
            assert_eq!(form(property.clone(), content.clone(), revision).await, Ok(content));
            let refused = form(property.clone(), json!({ "x": bad }), revision).await;
            assert_eq!(refused, Err(INTERNAL_ERROR), "{property} takes {bad}");
        }
    }
    let text = || json!({ "type": "string" });
    assert_eq!(form(text(), json!({}), V2025_11_25).await, Err(INTERNAL_ERROR));
    let more = json!({ "x": "a", "y": "b" });
    assert_eq!(form(text(), more, V2025_11_25).await, Err(INTERNAL_ERROR));
}

#[tokio::test]
async fn several_choices_came_with_2025_11_25() {
    let plain = json!({ "type": "array", "maxItems": 2, "items": { "type": "string", "enum": ["a", "b"] } });
    let titled = json!({ "type": "array", "items": { "anyOf": [
        { "const": "a", "title": "A" }, { "const": "b", "title": "B" },
    ] } });
    for property in [plain, titled] {
        let content = json!({ "x": ["a", "b"] });
        let taken = form(property.clone(), content.clone(), V2025_11_25).await;
        assert_eq!(taken, Ok(content.clone()));
        let other = form(property.clone(), json!({ "x": ["c"] }), V2025_11_25).await;
        assert_eq!(other, Err(INTERNAL_ERROR));
        assert_eq!(form(property, content, V2025_06_18).await, Err(INVALID_PARAMS));
    }
}

#[tokio::test]
async fn a_form_is_filled_in_with_the_defaults_that_the_revision_has() {
    let color = json!({ "type": "string", "oneOf": [{ "const": "red", "title": "Red" }], "default": "red" });
    assert_eq!(form(color.clone(), json!({}), V2025_11_25).await, Ok(json!({ "x": "red" })));
    assert_eq!(form(color, json!({}), V2025_06_18).await, Err(INTERNAL_ERROR));
    let sure = json!({ "type": "boolean", "default": true });
    assert_eq!(form(sure.clone(), json!({}), V2025_06_18).await, Ok(json!({ "x": true })));
    let no = json!({ "x": false });
    assert_eq!(form(sure, no.clone(), V2025_11_25).await, Ok(no));
    let odd = json!({ "type": "integer", "default": "seven" });
    assert_eq!(form(odd, json!({}), V2025_11_25).await, Err(INTERNAL_ERROR));
}

#[tokio::test]
async fn what_goes_beyond_forms_is_refused() {
    let beyond = [
        json!({ "type": "object", "properties": {} }),
        json!({ "type": "array", "items": { "type": "object" } }),
        json!({ "type": ["string", "null"] }),
        json!({ "type": "string", "format": "ipv4" }),
        json!({ "type": "string", "enum": [] }),
        json!({ "type": "string", "enum": "a" }),
        json!({ "type": "string", "minLength": -1 }),
        json!({ "type": "number", "minimum": "0" }),
        json!({}),
    ];
    for property in beyond {
        let refused = form(property.clone(), json!({ "x": "a" }), V2025_11_25).await;
        assert_eq!(refused, Err(INVALID_PARAMS), "{property}");
    }
    for schema in [
        json!({ "type": "array", "properties": {} }),
        json!({ "type": "object" }),
        json!({ "type": "object", "properties": {}, "required": ["x"] }),
    ] {
        assert!(RequestedSchema::new(&schema, V2025_11_25).is_err(), "{schema}");
    }
}

#[tokio::test]
async fn a_url_needs_its_mode_and_has_no_content() {
    let url = |declared: Value, answer: Value| {
        let params = json!({
            "mode": "url", "message": "Sign in", "elicitationId": "e-1", "url": "http://web.test/",
        });
        ask(ClientFeature::Elicitation, Some(declared), always(answer), params, V2025_11_25)
    };
    let accept = json!({ "action": "accept" });
    let both = json!({ "form": {}, "url": {} });
    assert_eq!(url(both.clone(), accept.clone()).await, Ok(accept.clone()));
    let filled = json!({ "action": "accept", "content": {} });
    assert_eq!(url(both.clone(), filled).await, Err(INTERNAL_ERROR));
    assert_eq!(url(both, json!({ "action": "later" })).await, Err(INTERNAL_ERROR));
    for without in [json!({}), json!({ "form": {} })] {
        assert_eq!(url(without, accept.clone()).await, Err(INVALID_PARAMS));
    }
}

#[tokio::test]
async fn tools_in_sampling_need_to_be_declared_and_balanced() {
    let written =
        json!({ "role": "assistant", "model": "m", "content": { "type": "text", "text": "Hi." } });
    let sample = |declared: Value, params: Value, revision| {
        ask(ClientFeature::Sampling, Some(declared), always(written.clone()), params, revision)
    };
    let text = json!({ "type": "text", "text": "Hello?" });
    let used = json!({ "type": "tool_use", "id": "u", "name": "add", "input": {} });
    let given = json!({ "type": "tool_result", "toolUseId": "u", "content": [] });
    let messages = |contents: Vec<Value>| {
        let all: Vec<Value> = contents
            .into_iter()
            .map(|content| json!({ "role": "user", "content": content }))
            .collect();
        json!({ "messages": all, "maxTokens": 10 })
    };
    let plain = messages(vec![text.clone()]);
    let with_tools = json!({ "messages": plain["messages"], "maxTokens": 10, "tools": [] });
    let tools = json!({ "tools": {} });
    assert_eq!(sample(json!({}), plain, V2025_03_26).await, Ok(written.clone()));
    assert_eq!(sample(json!({}), with_tools.clone(), V2025_11_25).await, Err(INVALID_PARAMS));
    assert_eq!(sample(tools.clone(), with_tools, V2025_11_25).await, Ok(written.clone()));
    let balanced = messages(vec![used.clone(), given.clone()]);
    assert_eq!(sample(tools.clone(), balanced, V2025_11_25).await, Ok(written.clone()));
    for wrong in [
        messages(vec![used.clone()]),
        messages(vec![used.clone(), text.clone()]),
        messages(vec![used.clone(), json!([given, text])]),
        messages(vec![given]),
    ] {
        assert_eq!(sample(tools.clone(), wrong, V2025_11_25).await, Err(INVALID_PARAMS));
    }
}

#[tokio::test]
async fn a_message_says_who_wrote_it_and_a_root_is_a_file() {
    let params = || json!({ "messages": [], "maxTokens": 1 });
    for answer in [
        json!({ "role": "assistant", "content": { "type": "text", "text": "" } }),
        json!({ "role": "system", "model": "m", "content": { "type": "text", "text": "" } }),
        json!({ "role": "assistant", "model": "m", "content": [] }),
    ] {
        let sampled = ask(ClientFeature::Sampling, None, always(answer), params(), V2025_11_25);
        assert_eq!(sampled.await, Err(INTERNAL_ERROR));
    }
    let roots = |uri: &str| {
        let answer = always(json!({ "roots": [{ "uri": uri }] }));
        ask(ClientFeature::Roots, None, answer, json!({}), V2025_11_25)
    };
    assert!(roots("file:///srv").await.is_ok());
    assert_eq!(roots("https://srv.test/").await, Err(INTERNAL_ERROR));
}
