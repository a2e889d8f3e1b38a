use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE};

use super::*;

fn redact(text: &str) -> String {
    let once = Redactor::default().redact(text);
    assert_eq!(Redactor::default().redact(&once), once, "redacting twice changes nothing");
    once
}

fn redact_secret(secret: &str, text: &str) -> String {
    Redactor::new([secret]).redact(text)
}

#[test]
fn the_scheme_of_an_authorization_stays() {
    let header = |value: &str| {
        let shown = Redactor::default().header("Authorization", value.as_bytes()).into_owned();
        String::from_utf8(shown).unwrap()
    };
    assert_eq!(header("Bearer abc"), "Bearer [redacted]");
    assert_eq!(header("bearer  abc def"), "bearer  [redacted]");
    assert_eq!(header("Bearer"), "Bearer");
    assert_eq!(header("Bearer "), "Bearer ");
    assert_eq!(header("abc"), "[redacted]");
    assert_eq!(header("abc def"), "[redacted]", "an unknown scheme may be the secret itself");
}

#[test]
fn cookies_are_redacted_whole_and_other_header_fields_by_their_parts() {
    let redactor = Redactor::default();
    assert_eq!(redactor.header("set-cookie", b"sid=1; Path=/"), &b"[redacted]"[..]);
    assert_eq!(redactor.header("mcp-session-id", b"sess-1"), &b"sess-1"[..]);
    assert_eq!(
        redactor.header("location", b"http://a.test/cb?code=xyz&state=1"),
        &b"http://a.test/cb?code=[redacted]&state=1"[..]
    );
}

#[test]
fn json_members_are_redacted_whatever_surrounds_them() {
    assert_eq!(
        redact(r#"{"access_token":"abc","token_type":"Bearer","expires_in":3600}"#),
        r#"{"access_token":"[redacted]","token_type":"Bearer","expires_in":3600}"#
    );
    assert_eq!(
        redact("{\"password\" :\n \"a\\\"b\\\\\",\"x\":1}"),
        "{\"password\" :\n \"[redacted]\",\"x\":1}"
    );
    assert_eq!(redact(r#"{"password":1234,"x":1}"#), r#"{"password":[redacted],"x":1}"#);
    assert_eq!(redact("password: \"cut\nnext"), "password: \"[redacted]\nnext");
    assert_eq!(redact(r#"data: {"id_token":"cut sho"#), r#"data: {"id_token":"[redacted]"#);
}

#[test]
fn what_only_looks_like_a_credential_stays() {
    for text in [
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no such method"}}"#,
        r#"{"response_types_supported":["code"],"grant_types":["authorization_code","password"]}"#,
        r#"{"properties":{"password":{"type":"string"}},"required":["password","code"]}"#,
        r#"{"access_token":"","code":404,"token":7}"#,
        r#"Bearer resource_metadata="https://a.test/x""#,
        "response_type=code&code_challenge=E9Melhoa&grant_type=password&access_token=&x=1",
        r#"Bearer realm="mcp", error="invalid_token", resource_metadata="http://a.test/""#,
        "the process ended with exit code=1: bearer authentication is required",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn forms_and_queries_are_redacted_also_when_they_are_encoded() {
    assert_eq!(
        redact("grant_type=authorization_code&code=a%2Fb&code_verifier=v&client_id=c"),
        "grant_type=authorization_code&code=[redacted]&code_verifier=[redacted]&client_id=c"
    );
    assert_eq!(
        redact("next=http%3A%2F%2Fa.test%2F%3Fcode%3Dabc%26state%3D1"),
        "next=http%3A%2F%2Fa.test%2F%3Fcode%3D[redacted]%26state%3D1"
    );
    assert_eq!(
        redact(r#"{"url":"http://a.test/?x=1\u0026code\u003dabc\u0026y=2"}"#),
        r#"{"url":"http://a.test/?x=1\u0026code\u003d[redacted]\u0026y=2"}"#
    );
}

#[test]
fn what_a_program_prints_is_redacted() {
    assert_eq!(
        redact("> Authorization: Bearer a b\nnext"),
        "> Authorization: Bearer [redacted]\nnext"
    );
    assert_eq!(
        redact(r#"curl -H "Authorization: Basic eA==" x"#),
        r#"curl -H "Authorization: Basic [redacted]" x"#
    );
    assert_eq!(redact("cookie: a=\"b\"; c=d\r\nx"), "cookie: [redacted]\r\nx");
    assert_eq!(redact("{'access_token': 'abc', 'x': 1}"), "{'access_token': '[redacted]', 'x': 1}");
    assert_eq!(
        redact(r#"Tokens { access_token: "abc", refresh_token: Some("def"), id_token: None }"#),
        r#"Tokens { access_token: "[redacted]", refresh_token: Some("[redacted]"), id_token: [redacted] }"#
    );
    assert_eq!(redact("got access_token: abc, ok"), "got access_token: [redacted], ok");
    assert_eq!(redact("sent Basic dXNlcjpwYXNz to it"), "sent Basic [redacted] to it");
}

#[test]
fn names_are_known_however_they_are_written() {
    assert_eq!(
        redact(r#"{"\u0061ccess\u005ftoken":"abc"}"#),
        r#"{"\u0061ccess\u005ftoken":"[redacted]"}"#
    );
    assert_eq!(redact("?access%5Ftoken=a%62c&x=%41"), "?access%5Ftoken=[redacted]&x=%41");
    assert_eq!(
        redact(r#"{"a":"{\"\\u0061ccess_token\":\"abc\"}"}"#),
        r#"{"a":"{\"\\u0061ccess_token\":\"[redacted]\"}"}"#
    );
}

#[test]
fn header_fields_are_redacted_as_programs_print_them() {
    for (text, expected) in [
        (
            "{ 'set-cookie': [ 'a=1; Path=/', 'b=2' ], x: 1 }",
            "{ 'set-cookie': [ '[redacted]' ], x: 1 }",
        ),
        ("[ 'Cookie', 'a=1', 'Host', 'h' ]", "[ 'Cookie', '[redacted]', 'Host', 'h' ]"),
        (
            r"b'GET / HTTP/1.1\r\nCookie: a=1\r\nHost: h'",
            r"b'GET / HTTP/1.1\r\nCookie: [redacted]\r\nHost: h'",
        ),
        (r#"{"t":"Cookie: a=\"b\"; c=d","x":1}"#, r#"{"t":"Cookie: [redacted]","x":1}"#),
        (r#"{"t":"Cookie: zq\nHost: h"}"#, r#"{"t":"Cookie: [redacted]\nHost: h"}"#),
        (r#"{"t":"Cookie: it's zq"}"#, r#"{"t":"Cookie: [redacted]"}"#),
        (r#"{"t":"with Cookie: a=\"b\"; c=d","x":1}"#, r#"{"t":"with Cookie: [redacted]","x":1}"#),
        (
            r#"{"t":"{\"h\":\"see Cookie: a\",\"x\":1}"}"#,
            r#"{"t":"{\"h\":\"see Cookie: [redacted]\",\"x\":1}"}"#,
        ),
        (
            r#"{"t":"curl -H \"Authorization: Basic eA==\" x"}"#,
            r#"{"t":"curl -H \"Authorization: Basic [redacted]\" x"}"#,
        ),
        (
            r#"no Authorization: Digest username="a", response="b", nc=1"#,
            "no Authorization: Digest [redacted]",
        ),
        (
            r#"{"t":"no Authorization: Digest username=\"a\", response=\"b\"","x":1}"#,
            r#"{"t":"no Authorization: Digest [redacted]","x":1}"#,
        ),
        (
            "data: {\"access_token\":\ndata:  \"abc\"}",
            "data: {\"access_token\":\ndata:  \"[redacted]\"}",
        ),
    ] {
        assert_eq!(redact(text), expected);
    }
}

#[test]
fn credentials_are_redacted_by_their_place_in_a_uri_and_by_their_shape() {
    for (text, expected) in [
        ("at http://ada:pa%40ss@a.test/x@y", "at http://[redacted]@a.test/x@y"),
        (r"https:\/\/ada@a.test\/", r"https:\/\/[redacted]@a.test\/"),
        ("u=http%3A%2F%2Fada%3Apw%40a.test%2F", "u=http%3A%2F%2F[redacted]%40a.test%2F"),
        ("see https://a.test/@ada, ada@a.test", "see https://a.test/@ada, ada@a.test"),
        ("got eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.c2ln!", "got [redacted]!"),
        ("eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0"),
        (
            "write --header 'Authorization: Bearer TOKEN'",
            "write --header 'Authorization: Bearer TOKEN'",
        ),
        ("unexpected token: x; the secret: none", "unexpected token: x; the secret: none"),
        (
            "node c.js --token abc --client-secret='d e' --tokens f",
            "node c.js --token [redacted] --client-secret='[redacted]' --tokens f",
        ),
        ("?token=abc&secret=def", "?token=[redacted]&secret=[redacted]"),
    ] {
        assert_eq!(redact(text), expected);
    }
}

#[test]
fn lists_are_redacted_as_values_are() {
    assert_eq!(
        redact(r#"{"set-cookie":["a=1","b"],"x":[1]}"#),
        r#"{"set-cookie":["[redacted]"],"x":[1]}"#
    );
    assert_eq!(redact("{'code': ['abc'], 'x': ['y']}"), "{'code': ['[redacted]'], 'x': ['y']}");
    assert_eq!(redact("{ access_token: [ 'zq' ] }"), "{ access_token: [ '[redacted]' ] }");
    assert_eq!(redact(r#"{"code":[],"token":[1]}"#), r#"{"code":[],"token":[1]}"#);
}

#[test]
fn a_name_and_its_value_are_known_beside_each_other() {
    for (text, expected) in [
        (
            r#"{"name":"Authorization","value":"Bearer zq-1"},{"name":"Host","value":"h"}"#,
            r#"{"name":"Authorization","value":"Bearer [redacted]"},{"name":"Host","value":"h"}"#,
        ),
        (
            r#"{"key":"Cookie","enabled":true,"type":"text","value":"sid=zq"}"#,
            r#"{"key":"Cookie","enabled":true,"type":"text","value":"[redacted]"}"#,
        ),
        (
            r#"{"name":"password","value":"zq"}, {"name":"grant_type","value":"password"}"#,
            r#"{"name":"password","value":"[redacted]"}, {"name":"grant_type","value":"password"}"#,
        ),
        (
            r#"{"t":"[{\"name\": \"Cookie\", \"value\": \"sid=zq\"}]"}"#,
            r#"{"t":"[{\"name\": \"Cookie\", \"value\": \"[redacted]\"}]"}"#,
        ),
        (
            r#"{"name":"Cookie","password":"zq","value":"sid=zq"}"#,
            r#"{"name":"Cookie","password":"[redacted]","value":"[redacted]"}"#,
        ),
        (r#"{"name":"token","Value":"zq345678"}"#, r#"{"name":"token","Value":"[redacted]"}"#),
        ("[(b'cookie', b'sid=zq'), (b'x', b'y')]", "[(b'cookie', b'[redacted]'), (b'x', b'y')]"),
    ] {
        assert_eq!(redact(text), expected);
    }
    for text in [
        r#"{"grant_types":["refresh_token","authorization_code"],"required":["password","code"]}"#,
        r#"{"type":"apiKey","name":"X-API-Key","in":"header"}"#,
        r#"{"argument":{"name":"code","value":"py"}}"#,
        r#"{"required":["token"],"value":"x"}"#,
        r#"{"error":"invalid_token","error_description":"it is out of date"}"#,
        r#"{"token_type":"DPoP","expires_in":3600},["dpop","bearer"]"#,
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn what_looks_like_a_token_is_one_after_its_name() {
    for (text, expected) in [
        ("got token=zq345678 of it", "got token=[redacted] of it"),
        ("one\nTOKEN=zq345678\n", "one\nTOKEN=[redacted]\n"),
        ("export TOKEN=zq345678; node", "export TOKEN=[redacted]; node"),
        ("token: zq345678", "token: [redacted]"),
        ("token: zqzqzqzqzqzqzqzqzqzqzq", "token: [redacted]"),
        ("sent Bearer zqzqzqzqzqzqzqzqzqzqzq", "sent Bearer [redacted]"),
        ("a secret = zq345678.", "a secret = [redacted]"),
        ("password = \"z q\"", "password = \"[redacted]\""),
        ("client_secret = 'zq'", "client_secret = '[redacted]'"),
        ("API_KEY = zq", "API_KEY = [redacted]"),
        ("let token = \"zq345678\";", "let token = \"[redacted]\";"),
        ("token := \"zq\"", "token := \"[redacted]\""),
        (
            "{ :password => \"zq\", \"token\" => 'zq' }",
            "{ :password => \"[redacted]\", \"token\" => '[redacted]' }",
        ),
        ("{'Cookie': b'sid=zq', 'x': b'y'}", "{'Cookie': b'[redacted]', 'x': b'y'}"),
        ("{TokenType:Bearer RefreshToken:zq345678}", "{TokenType:Bearer RefreshToken:[redacted]}"),
        ("f(password=b'zq', x=b'y')", "f(password=b'[redacted]', x=b'y')"),
    ] {
        assert_eq!(redact(text), expected);
    }
    for text in [
        "the token: a word that says it",
        "unexpected token: identifier, the secret = x",
        "token: 2025-11-25; secret: 0x12345678; token: NOT_A_TOKEN_2",
        "the process ended: exit code: 3221225477, code = zq345678, error code: E0277-and-so-on",
        "if password == other_2345678",
        "password=\nnext",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn names_are_known_by_their_end() {
    for name in [
        "auth_token",
        "session_token",
        "authToken",
        "bearerToken",
        "apiToken",
        "GITHUB_TOKEN",
        "OPENAI_API_KEY",
        "DB_PASSWORD",
        "AWS_SECRET_ACCESS_KEY",
        "private_key",
        "passwd",
        "x-goog-api-key",
        "X-Auth-Token",
        "DPoP",
        "webhook-secret",
    ] {
        for (before, after) in [
            ("{\"@\":\"", "\",\"x\":1}"),
            ("{\\\"@\\\":\\\"", "\\\"}"),
            ("@=", "\nnext"),
            ("export @=", "\nnext"),
            ("@: ", ""),
            ("{ '@': '", "' }"),
            ("> @: ", "\r\n"),
            ("@ = '", "'"),
            ("?@=", "&x=1"),
            ("%22@%22%3A%22", "%22%7D"),
        ] {
            let before = before.replace('@', name);
            assert_eq!(
                redact(&format!("{before}zq345678{after}")),
                format!("{before}[redacted]{after}")
            );
        }
    }
    let header = |name: &str| {
        String::from_utf8(Redactor::default().header(name, b"zq").into_owned()).unwrap()
    };
    for name in ["X-Auth-Token", "dpop", "X-Goog-Api-Key", "X-GitHub-Token", "mcp-param-password"] {
        assert_eq!(header(name), REDACTED, "{name}");
    }
    for name in ["mcp-session-id", "x-code", "progress-token"] {
        assert_eq!(header(name), "zq", "{name}");
    }
    for text in [
        r#"{"_meta":{"progressToken":"zq345678"},"nextCursor":"zq345678","requestState":"zq345678"}"#,
        r#"{"maxTokens":100,"max_tokens":"zq345678","token_type":"zq345678","tokens":["zq345678"]}"#,
        r#"{"nextPageToken":"zq345678"}"#,
        "invalid_token: zq345678",
        r#"Bearer error="invalid_token", resource_metadata="https://a.test/x""#,
        "DPoP: a proof of possession",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn objects_of_cookies_are_redacted_and_others_are_read() {
    for (text, expected) in [
        (
            r#"{"cookies":{"sid":"zq}","n":{"m":["zq","zq"]}},"x":"y"}"#,
            r#"{"cookies":{[redacted]},"x":"y"}"#,
        ),
        (r#"{"t":"{\"cookies\":{\"v\":\"zq\"}}"}"#, r#"{"t":"{\"cookies\":{[redacted]}}"}"#),
        ("cookies={'sid': 'zq'}", "cookies={[redacted]}"),
        ("{ cookies: { sid: 'zq' }, x: 'y' }", "{ cookies: {[redacted]}, x: 'y' }"),
        (
            r#"{"cookies":[{"name":"sid","value":"zq"}],"x":"y"}"#,
            r#"{"cookies":[[redacted]],"x":"y"}"#,
        ),
        (r#"{"cookies":{"v":"cut sho"#, r#"{"cookies":{[redacted]"#),
        (
            r#"{"properties":{"password":{"type":"string"}},"secret":{"password":"zq"}}"#,
            r#"{"properties":{"password":{"type":"string"}},"secret":{"password":"[redacted]"}}"#,
        ),
    ] {
        assert_eq!(redact(text), expected);
    }
}

#[test]
fn an_encrypted_web_token_has_five_parts() {
    assert_eq!(redact("at eyJhbGciOiJkaXIi.a2V5.aXY.Y2lwaGVy.dGFn!"), "at [redacted]!");
    assert_eq!(redact("at eyJhbGciOiJkaXIi..aXY.Y2lwaGVy.dGFn, x"), "at [redacted], x");
    assert_eq!(redact("at eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.c2ln. It"), "at [redacted]. It");
}

#[test]
fn a_secret_is_found_inside_a_longer_base64_text() {
    let secret = "correct horse battery";
    for engine in [&STANDARD, &STANDARD_NO_PAD, &URL_SAFE] {
        let text = format!("<{}>", engine.encode("~~>>??horse"));
        assert_eq!(redact_secret("~~>>??horse", &text), "<[redacted]>");
    }
    for before in ["", "a", "ab", "abc"] {
        let shown = redact_secret(secret, &STANDARD.encode(format!("{before}{secret}!!")));
        assert!(shown.contains(REDACTED) && shown.len() < 24, "{before}: {shown}");
    }
}

#[test]
fn no_remainder_of_one_secret_is_left_by_another() {
    assert_eq!(
        redact_secret("abc", r#"{"access_token":"abcdef"}"#),
        r#"{"access_token":"[redacted]"}"#
    );
    assert_eq!(redact_secret("a&b", "password=a&b!"), "password=[redacted]!");
    assert_eq!(Redactor::new(["abc", "abcdef"]).redact("abcdef"), REDACTED);
    assert_eq!(
        redact_secret("e", "code: Bearer [redacted]"),
        "cod[redacted]: B[redacted]ar[redacted]r [redacted]"
    );
    assert_eq!(redact_secret("", "text"), "text");
}

#[test]
fn bytes_that_are_no_text_pass_unchanged() {
    let redactor = Redactor::default();
    assert_eq!(
        redactor.redact_bytes(b"\xff\"code\":\"a\xfe\",\\"),
        &b"\xff\"code\":\"[redacted]\",\\"[..]
    );
}
