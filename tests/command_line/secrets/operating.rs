//! What the operator's commands write: no credential anywhere, and what messages
//! say where it was asked for alone.

use std::sync::Arc;

use http::{HeaderMap, StatusCode, Uri};
use mcp_checks::mcp::Revision;
use mcp_checks::mcp::server::{Action, Call, ScriptedServer};
use serde_json::Value;

use super::Written;
use super::planting::{Kind, Planted};
use crate::far_side::{FarSide, text, tool, tool_with};
use crate::place::{GOOD, Place, Ran};

/// A folder with the profile `shop`, which lists what is marked, of a server
/// that says it.
struct Shop {
    place: Place,
    far_side: FarSide,
    planted: Planted,
    /// What each command is told of header fields.
    headers: Vec<String>,
}

/// A JSON template with its secrets in place.
fn planted_json(planted: &mut Planted, template: &str) -> Value {
    serde_json::from_str(&planted.text(template)).unwrap()
}

impl Shop {
    fn new(register: impl FnOnce(&ScriptedServer, &mut Planted)) -> Shop {
        let mut planted = Planted::default();
        let headers = [
            "Authorization: Bearer <<credential: Authorization that is sent>>",
            "Cookie: sid=<<credential: Cookie that is sent>>; x=\"<<credential: quoted Cookie that is sent>>\"",
            "X-Key: <<credential: header field that is sent>>",
        ];
        let headers = headers.map(|header| planted.text(header));
        let path = planted.text("/mcp/<<marked: path of the URL>>");
        let far_side = FarSide::at_path(Revision::V2025_11_25, &path, |server| {
            register(server, &mut planted);
        });
        let place = Place::with(GOOD);
        let profile = far_side
            .profile(false)
            .replace("http://", &planted.text("http://ada:<<credential: password in the URL>>@"));
        let query = planted.text("?key=<<credential: query of the URL>>");
        let profile = profile.replace(&path, &format!("{path}{query}"));
        let listed = format!("secret = {:?}\n{profile}", planted.marked());
        place.write("profiles/shop.toml", &listed);
        Shop { place, far_side, planted, headers: headers.into() }
    }

    /// A shop that sells everything.
    fn open() -> Shop {
        Shop::new(|server, planted| {
            let introduction = planted_json(
                planted,
                r#"{
                    "serverInfo": {
                        "name": "shop <<marked: name of the server>>",
                        "version": "<<marked: version of the server>>",
                        "title": "<<content: title of the server>>",
                        "description": "<<content: description of the server>>"
                    },
                    "instructions": "<<content: instructions>> <<marked: instructions>>",
                    "capabilities": { "tools": {}, "experimental": { "<<marked: capability>>": {
                        "said": "<<content: contents of a capability>>" } } }
                }"#,
            );
            server.initialize(introduction.as_object().unwrap().clone());
            let greet = planted_json(
                planted,
                r#"{
                    "name": "greet",
                    "description": "<<content: description of a tool>> <<marked: description of a tool>>",
                    "inputSchema": { "type": "object", "properties": {
                        "<<content: property of a schema>>": { "type": "string" } } },
                    "annotations": { "title": "<<content: title of a tool>>" }
                }"#,
            );
            let said = planted_json(
                planted,
                r#"{
                    "content": [{ "type": "text", "text": "<<content: text of a result>> <<marked: text of a result>> Cookie: a=\"<<credential: cookie in a result>>\"; b=<<credential: second cookie in a result>>\nthen" }],
                    "structuredContent": { "<<content: structured key>>": "<<content: structured value>>",
                        "<<marked: structured key>>": "\\u007a<<marked: structured value>>",
                        "access_token": "<<credential: access_token in a result>>",
                        "link": "https://ada:<<credential: password in a URI>>@a.test/" }
                }"#,
            );
            server.tool(tool_with(greet, move |_| Action::Reply {
                result: said.clone(),
                framing: None,
            }));
            server.tool(tool(&planted.text("<<marked: name of a tool>>"), |_| text("")));
            let bad = planted_json(
                planted,
                r##"{ "name": "refused", "description": "<<content: description of a refused tool>>",
                    "inputSchema": { "type": "object", "$defs": { "<<content: refused schema>>": {} } } }"##,
            );
            server.tool(tool_with(bad, |_| text("")));
            let broken = planted_json(
                planted,
                r#"{ "content": [{ "type": "text", "text": "<<content: text of a tool's error>> <<marked: text of a tool's error>>" }],
                    "isError": true }"#,
            );
            server.tool(tool("break", move |_| Action::Value(broken.clone())));
            let message =
                planted.text("<<content: message of an error>> <<marked: message of an error>>");
            let data = planted_json(
                planted,
                r#"{ "why": "<<content: data of an error>>", "<<content: key of an error's data>>": 1,
                    "id_token": "<<credential: id_token of an error>>" }"#,
            );
            server.tool(tool("fail", move |_| Action::Error {
                code: -32001,
                message: message.clone(),
                data: Some(data.clone()),
            }));
        })
    }

    /// Runs a command, with the header fields if it speaks to the server.
    fn run(&self, arguments: &[&str]) -> Ran {
        let headers = self.headers.iter().flat_map(|header| ["--header", header]);
        let headers: Vec<&str> =
            if arguments[0] == "audit" { Vec::new() } else { headers.collect() };
        self.place.run_with(&[arguments, &headers].concat(), &[("MCP_CHECKS_STORE", "store")])
    }

    /// The profile's URL.
    fn url(&self) -> String {
        let profile = self.place.read("profiles/shop.toml");
        let line = profile.lines().find(|line| line.starts_with("url")).unwrap();
        line.split('"').nth(1).unwrap().to_owned()
    }
}

const MODES: [&[&str]; 4] = [&[], &["--json"], &["--trace"], &["--json", "--trace"]];

#[test]
fn the_operators_commands_show_no_secret_and_no_content() {
    let mut shop = Shop::open();
    let given = shop.planted.text(
        r#"{ "name": "<<content: argument>>", "password": "<<credential: password in arguments>>" }"#,
    );
    let (mut all, mut quiet) = (Written::default(), Written::default());
    let url = shop.url();
    shop.run(&["tools", "shop"]).exits(0);
    shop.run(&["tools", "shop", "--enable", "greet", "--enable", "break", "--enable", "fail"])
        .exits(0);
    for mode in MODES {
        let called = |tool: &'static str| ["call", tool, "--args", &given];
        for (arguments, code) in [
            (&["ping", "shop"][..], 0),
            (&["ping", &url], 0),
            (&["tools", "shop"], 0),
            (&["tools", "shop", "--stored"], 0),
            (&["tools", "shop", "--enable", "greeet"], 2),
            (&called("mcp_shop_greet"), 0),
            (&called("mcp_shop_break"), 1),
            (&called("mcp_shop_fail"), 1),
            (&called("mcp_shop_refused"), 4),
            (&called("mcp_shop_none"), 4),
            (&["audit"], 0),
        ] {
            let arguments = [arguments, mode].concat();
            let ran = shop.run(&arguments).exits(code);
            let what = arguments.join(" ");
            all.ran(&what, &ran);
            if mode.contains(&"--trace") {
                continue;
            }
            // What `call` prints on standard output is what it was asked for.
            let stdout = if arguments[0] == "call" { String::new() } else { ran.stdout };
            quiet.ran(&what, &Ran { stdout, ..ran });
        }
    }
    all.holds_none(&shop.planted, &[Kind::Credential, Kind::Marked]);
    quiet.holds_none(&shop.planted, &[Kind::Content]);
    // It is there to be shown: the server was sent it, and said it.
    let traced = shop.planted.seen_in(&[Kind::Content], &all.text());
    assert_eq!(traced, shop.planted.places(&[Kind::Content]));
    let sent = format!("{:?}", shop.far_side.exchanges());
    for place in ["Authorization that is sent", "Cookie that is sent", "header field that is sent"]
    {
        assert!(shop.planted.seen_in(&[Kind::Credential], &sent).contains(place), "{place}");
    }
    // What was sent is in no file; what was answered is in the store alone, which
    // is its owner's.
    let mut files = Written::default();
    files.files(&shop.place, &["checks/", "profiles/"]);
    let sent: Vec<String> = shop
        .planted
        .seen_in(&[Kind::Credential], &files.text())
        .into_iter()
        .filter(|place| !place.contains("in a result") && !place.contains("in a URI"))
        .collect();
    assert_eq!(sent, Vec::<String>::new());
}

/// An answer that is none, whatever was asked.
fn refusal(
    planted: &mut Planted,
    status: u16,
    fields: &[(&'static str, &str)],
    body: &str,
) -> Action {
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        headers.insert(*name, planted.text(value).parse().unwrap());
    }
    let status = StatusCode::from_u16(status).unwrap();
    Action::Raw { status, headers, body: planted.text(body).into() }
}

/// A status, header fields, a body.
type Answer<'a> = (u16, &'a [(&'static str, &'a str)], &'a str);

#[test]
fn what_goes_wrong_is_told_without_a_word_of_the_servers() {
    const JSON: (&str, &str) = ("content-type", "application/json");
    const HTML: (&str, &str) = ("content-type", "text/html");
    const STREAM: (&str, &str) = ("content-type", "text/event-stream");
    let answers: [Answer<'_>; 9] = [
        (500, &[HTML], "<p><<content: page>> password=<<credential: page>></p>"),
        (
            403,
            &[JSON],
            r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"<<content: error in a 403>>"}}"#,
        ),
        (
            401,
            &[(
                "www-authenticate",
                "Bearer realm=\"<<content: realm>>\", error_description=\"<<content: challenge>>\"",
            )],
            "<<content: body of a 401>>",
        ),
        (
            302,
            &[("location", "https://a.test/<<content: Location>>?code=<<credential: Location>>")],
            "",
        ),
        (200, &[JSON], "{ <<content: no JSON>>"),
        (200, &[JSON], r#"{"<<content: no message>>":"<<content: value of no message>>"}"#),
        (
            200,
            &[("content-type", "text/plain"), ("x-note", "<<content: header field>>")],
            "<<content: plain text>>",
        ),
        (
            200,
            &[STREAM],
            ": <<content: comment>>\nid: <<content: id of an event>>\ndata: <<content: data>>\n\n",
        ),
        (
            200,
            &[JSON, ("set-cookie", "sid=<<credential: Set-Cookie>>")],
            r#"{"jsonrpc":"2.0","id":0,"method":"<<content: method>>"}"#,
        ),
    ];
    for (method, command) in [
        ("initialize", &["ping", "shop"][..]),
        ("ping", &["ping", "shop"]),
        ("tools/list", &["tools", "shop"]),
        ("tools/call", &["call", "mcp_shop_greet"]),
    ] {
        for (status, fields, body) in answers {
            let mut shop = Shop::new(|server, _| server.tool(tool("greet", |_| text(""))));
            if method == "tools/call" {
                shop.run(&["tools", "shop"]).exits(0);
                shop.run(&["tools", "shop", "--enable", "greet"]).exits(0);
            }
            let answer = refusal(&mut shop.planted, status, fields, body);
            shop.far_side.server.on(method, Arc::new(move |_: &Call<'_>| answer.clone()));
            let (mut all, mut quiet) = (Written::default(), Written::default());
            for mode in [&[][..], &["--json"], &["--trace"]] {
                let ran = shop.run(&[command, mode].concat()).exits(1);
                let what = format!("{method} answered with {body:?}, {mode:?}");
                all.ran(&what, &ran);
                if mode != ["--trace"] {
                    quiet.ran(&what, &ran);
                }
            }
            quiet.ran("audit", &shop.run(&["audit"]).exits(0));
            all.holds_none(&shop.planted, &[Kind::Credential]);
            quiet.holds_none(&shop.planted, &[Kind::Content]);
            let traced = shop.planted.seen_in(&[Kind::Content], &all.text());
            assert_eq!(traced, shop.planted.places(&[Kind::Content]), "{method}: {body}");
        }
    }
}

#[test]
fn a_run_against_a_server_shows_no_secret() {
    let shop = Shop::open();
    shop.place.write(
        "checks/server.rhai",
        "//! Greets.\n//!\n//! revisions: 2025-11-25\n//!\n//! greets  MUST  It greets\n\n\
         fn drive(client) { client.list_tools(); client.call_tool(\"greet\"); client.call_tool(\"fail\") }\n\
         fn judge(seen) { seen.equal(\"greets\", seen.received.last.error, 7); }\n",
    );
    let url = shop.url();
    let mut written = Written::default();
    for format in ["human", "json", "junit"] {
        for more in [&[][..], &["--trace"]] {
            let run = ["run", "server", "--server", &url, "--format", format];
            let ran = shop.run(&[&run, more].concat()).exits(1);
            assert!(ran.stdout.contains("[redacted]"), "{}", ran.stdout);
            written.ran(&format!("{format} {more:?}"), &ran);
        }
    }
    let address: Uri = shop.far_side.url.parse().unwrap();
    let gone = url.replace(&format!(":{}/", address.port().unwrap()), ":1/");
    let ran = shop.run(&["run", "server", "--server", &gone]).exits(1);
    assert!(ran.stderr.contains("cannot be reached"), "{}", ran.stderr);
    written.ran("a server that is not there", &ran);
    written.files(&shop.place, &["checks/", "profiles/"]);
    written.holds_none(&shop.planted, &[Kind::Credential, Kind::Marked]);
}
