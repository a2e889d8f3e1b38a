//! What a 401 leads to, revision by revision.

use super::*;

const HINT: &str = r#"Bearer resource_metadata="http://server.test/meta", scope="read write""#;

/// A server that asks for authorization on everything; `documents` are what
/// its and the authorization server's addresses hold, everything else is 404.
async fn discover(
    revision: Revision,
    challenge: &'static str,
    documents: &'static [(&'static str, &'static str)],
) -> (ClientError, Vec<String>) {
    let server = FarSide::new(move |seen| {
        if seen.method == Method::POST {
            let mut refused = response(401, "", Body::whole(""));
            refused.headers_mut().insert("www-authenticate", challenge.parse().unwrap());
            return Act::Respond(refused);
        }
        assert_eq!(seen.header("accept"), Some("application/json"));
        assert_eq!(seen.header("x-secret"), None);
        match documents.iter().find(|(address, _)| seen.uri == *address) {
            Some((_, document)) => json_body(200, document),
            None => status(404),
        }
    });
    let mut endpoint = Endpoint::from(Uri::from_static(URL));
    endpoint.headers.insert("x-secret", "credential".parse().unwrap());
    let transport = Arc::new(StreamableHttp::new(server.clone(), endpoint, 1));
    let client = Client::new(transport, options(revision));
    let error = failure(&client, add()).await;
    assert_eq!(error.kind, ErrorKind::AuthorizationRequired);
    assert_eq!(server.seen()[0].header("x-secret"), Some("credential"));
    (error, server.seen()[1..].iter().map(|seen| seen.uri.to_string()).collect())
}

#[tokio::test(start_paused = true)]
async fn the_challenge_leads_to_the_issuer() {
    for revision in [Revision::V2025_06_18, Revision::V2025_11_25] {
        let (error, fetched) = discover(
            revision,
            HINT,
            &[
                (
                    "http://server.test/meta",
                    r#"{"resource":"http://server.test/public/mcp","authorization_servers":["https://auth.test/t1","https://b.test"],"scopes_supported":["all"]}"#,
                ),
                (
                    "https://auth.test/.well-known/oauth-authorization-server/t1",
                    r#"{"issuer":"https://auth.test/t1","code_challenge_methods_supported":["S256"]}"#,
                ),
            ],
        )
        .await;
        let details = error.details();
        assert_eq!(details["issuer"], "https://auth.test/t1");
        assert_eq!(details["scopes"], json!(["read", "write"]));
        assert_eq!(details["resource_metadata"], "http://server.test/meta");
        assert_eq!(details.get("discovery"), None);
        assert_eq!(
            fetched,
            [
                "http://server.test/meta",
                "https://auth.test/.well-known/oauth-authorization-server/t1"
            ]
        );
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_hint_well_known_places_are_tried_in_their_order() {
    let (error, fetched) = discover(
        Revision::V2025_11_25,
        "Bearer",
        &[
            (
                "http://server.test/.well-known/oauth-protected-resource",
                r#"{"resource":"http://server.test","authorization_servers":["https://auth.test/t1"],"scopes_supported":["a","b"]}"#,
            ),
            (
                "https://auth.test/t1/.well-known/openid-configuration",
                r#"{"issuer":"https://auth.test/t1","code_challenge_methods_supported":["S256"]}"#,
            ),
        ],
    )
    .await;
    assert_eq!(error.details()["issuer"], "https://auth.test/t1");
    assert_eq!(error.details()["scopes"], json!(["a", "b"]));
    assert_eq!(
        fetched,
        [
            "http://server.test/.well-known/oauth-protected-resource/public/mcp",
            "http://server.test/.well-known/oauth-protected-resource",
            "https://auth.test/.well-known/oauth-authorization-server/t1",
            "https://auth.test/.well-known/openid-configuration/t1",
            "https://auth.test/t1/.well-known/openid-configuration",
        ]
    );

    let (error, fetched) = discover(Revision::V2025_06_18, "Bearer", &[]).await;
    assert_eq!(error.details().get("issuer"), None);
    assert!(error.details()["discovery"].as_str().unwrap().starts_with("the challenge"));
    assert_eq!(fetched, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn an_issuer_without_a_path_has_two_places() {
    let (error, fetched) = discover(
        Revision::V2025_11_25,
        HINT,
        &[(
            "http://server.test/meta",
            r#"{"resource":"http://server.test/public/mcp","authorization_servers":["https://auth.test"]}"#,
        )],
    )
    .await;
    assert_eq!(error.details().get("issuer"), None);
    let failure = error.details()["discovery"].as_str().unwrap().to_owned();
    assert_eq!(failure, "the authorization server's metadata: status 404");
    assert_eq!(
        fetched[1..],
        [
            "https://auth.test/.well-known/oauth-authorization-server",
            "https://auth.test/.well-known/openid-configuration",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn metadata_that_speak_of_something_else_are_not_believed() {
    for metadata in [
        r#"{"resource":"http://other.test/public/mcp","authorization_servers":["https://auth.test"]}"#,
        r#"{"resource":"http://server.test/pub","authorization_servers":["https://auth.test"]}"#,
        r#"{"resource":"http://server.test/public","authorization_servers":["https://auth.test"]}"#,
        r#"{"resource":"http://server.test:81/public","authorization_servers":["https://auth.test"]}"#,
        r#"{"authorization_servers":["https://auth.test"]}"#,
        r#"{"resource":"http://server.test","authorization_servers":[]}"#,
        r#"{"resource":"http://server.test","authorization_servers":["file:///x"]}"#,
        r#"{"resource":"http://server.test","authorization_servers":["https://auth.test/"]}"#,
        "[]",
        "far-side-words",
    ] {
        let documents = Box::leak(Box::new([
            ("http://server.test/meta", metadata),
            (
                "https://auth.test/.well-known/oauth-authorization-server",
                r#"{"issuer":"https://auth.test"}"#,
            ),
        ]));
        let (error, _) = discover(Revision::V2025_11_25, HINT, documents).await;
        assert_eq!(error.details().get("issuer"), None, "{metadata}");
        assert!(error.details()["discovery"].is_string());
        assert!(!error.message.contains("far-side"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_at_every_address_does_not_end_the_search() {
    let documents = &[
        ("http://server.test/.well-known/oauth-protected-resource/public/mcp", "<html>"),
        (
            "http://server.test/.well-known/oauth-protected-resource",
            r#"{"resource":"http://server.test/","authorization_servers":["https://auth.test"]}"#,
        ),
        ("https://auth.test/.well-known/oauth-authorization-server", "<html>"),
        (
            "https://auth.test/.well-known/openid-configuration",
            r#"{"issuer":"https://auth.test","code_challenge_methods_supported":["plain"]}"#,
        ),
    ];
    let (error, _) = discover(Revision::V2025_11_25, "Bearer", documents).await;
    assert_eq!(error.details()["issuer"], "https://auth.test");
    let said = error.details()["discovery"].as_str().unwrap().to_owned();
    assert!(said.contains("code_challenge_methods_supported"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn a_scope_that_is_missing_is_named() {
    let server = FarSide::serving("2025-11-25", |seen| {
        let mut refused = response(403, "", Body::whole(""));
        let challenge = r#"Bearer error="insufficient_scope", scope="a b""#;
        refused.headers_mut().insert("www-authenticate", challenge.parse().unwrap());
        let _ = seen;
        Act::Respond(refused)
    });
    let error = failure(&server.client(Revision::V2025_11_25), add()).await;
    assert_eq!((error.kind, error.facts.status), (ErrorKind::HttpStatus, Some(403)));
    assert_eq!(error.details()["scopes"], json!(["a", "b"]));
}

#[tokio::test(start_paused = true)]
async fn at_2025_03_26_the_servers_root_is_asked() {
    let place = "http://server.test/.well-known/oauth-authorization-server";
    let (error, fetched) = discover(Revision::V2025_03_26, HINT, &[]).await;
    assert_eq!(error.details()["issuer"], "http://server.test");
    assert_eq!(error.details().get("resource_metadata"), None);
    assert_eq!(fetched, [place]);

    let documents = &[(
        "http://server.test/.well-known/oauth-authorization-server",
        r#"{"issuer":"http://server.test/"}"#,
    )];
    let (error, _) = discover(Revision::V2025_03_26, "Bearer", documents).await;
    assert_eq!(error.details()["issuer"], "http://server.test/");

    let documents = &[(
        "http://server.test/.well-known/oauth-authorization-server",
        r#"{"issuer":"http://evil.test"}"#,
    )];
    let (error, _) = discover(Revision::V2025_03_26, "Bearer", documents).await;
    assert_eq!(error.details().get("issuer"), None);
}

#[tokio::test(start_paused = true)]
async fn at_2025_03_26_the_fetch_names_the_version() {
    let server = FarSide::new(|seen| match seen.method {
        Method::POST => status(401),
        _ => status(404),
    });
    failure(&server.client(Revision::V2025_03_26), add()).await;
    assert_eq!(server.seen()[1].header("mcp-protocol-version"), Some("2025-03-26"));
}

#[tokio::test(start_paused = true)]
async fn discovery_spends_the_budget_of_the_operation() {
    let server = FarSide::serving("2025-11-25", |seen| match seen.method {
        Method::POST => Act::Late(Duration::from_secs(12), response(401, "", Body::whole(""))),
        _ => Act::Silence,
    });
    let error = failure(&server.client(Revision::V2025_11_25), add()).await;
    assert_eq!(error.kind, ErrorKind::BudgetExhausted);
    // The request was answered: there is nothing to cancel.
    assert_eq!(server.names()[2..], ["tools/call", "GET"]);
    assert_eq!(server.start.elapsed(), Duration::from_secs(20));
}

#[tokio::test(start_paused = true)]
async fn a_readiness_that_needs_authorization_says_so() {
    let server = FarSide::new(|seen| match seen.name().as_str() {
        "initialize" => usual(seen, "2025-11-25", None).unwrap(),
        "GET" => status(404),
        _ => status(401),
    });
    let error = failure(&server.client(Revision::V2025_11_25), add()).await;
    assert_eq!(error.kind, ErrorKind::AuthorizationRequired);
    assert_eq!(server.names(), ["initialize", "notifications/initialized", "GET", "GET"]);
}
