//! What is said of profiles that cannot be read, and of what is wrong on a
//! command line.

use super::Written;
use super::planting::{Kind, Planted};
use crate::place::{GOOD, Place};

/// Profiles that are wrong, and what is said of each.
const WRONG: [(&str, &str); 13] = [
    ("revision = \"2025-11-52\"\nsecret = [\"<<marked: beside the mistake>>\"]", "did you mean"),
    ("revision = \"2025-11-25\"\nsecret = \"<<marked: no list>>\"", "expected a sequence"),
    (
        "revision = \"2025-11-25\"\nsecrets = [\"<<marked: misspelt key>>\"]",
        "did you mean `secret`?",
    ),
    ("revision = \"2025-11-25\"\npassword = \"<<marked: unknown key>>\"", "unknown key `password`"),
    ("revision = \"2025-11-25\"\nsecret = [\"<<marked: unclosed list>>\"\nurl = 1", "not-toml"),
    ("revision = \"2025-11-25\"\nsecret = [\"<<marked: unclosed string>>]", "not-toml"),
    ("revision = \"2025-11-25\"\nsecret = <<marked: no quotes>>", "not-toml"),
    (
        "revision = \"2025-11-25\"\nsecret = [\n  \"<<marked: line of its own>>\",\n  7,\n]",
        "expected a string",
    ),
    (
        "revision = \"2025-11-25\"\nsecret = [\"\", \"<<marked: beside an empty one>>\"]",
        "the secret is empty",
    ),
    (
        "revision = \"2025-11-25\"\n# secret = [\"<<marked: comment>>\"]\nframing = 1",
        "unknown key `framing`",
    ),
    ("revision = \"2025-11-25\"\nsecret = [{ a = \"<<marked: table>>\" }]", "expected a string"),
    (
        "revision = \"2025-11-25\"\nurl = \"ada:<<credential: password in an address>>@a.test/?k=<<credential: query of an address>>\"",
        "profile::url",
    ),
    (
        "revision = \"2025-11-25\"\nurl = \"ftp://ada:<<credential: password in another address>>@a.test/\"",
        "profile::url",
    ),
];

#[test]
fn a_profile_that_cannot_be_read_shows_no_secret() {
    let place = Place::with(GOOD);
    let mut planted = Planted::default();
    let mut written = Written::default();
    for (profile, said) in WRONG {
        place.write("profiles/wrong.toml", &planted.text(profile));
        for command in [
            &["run"][..],
            &["run", "--format", "json"],
            &["list"],
            &["ping", "wrong"],
            &["audit", "--trace", "--store", "store"],
        ] {
            let ran = match command[0] {
                "audit" => {
                    // A store to look into.
                    place.run(&["ping", "http://127.0.0.1:1/mcp", "--store", "store"]).exits(1);
                    place.run(command).exits(2)
                }
                _ => place.run(command).exits(2),
            };
            let words = ran.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(words.contains(said), "{profile}: {}", ran.stderr);
            written.ran(&format!("{profile:?}, {command:?}"), &ran);
        }
    }
    written.holds_none(&planted, &[Kind::Credential, Kind::Marked]);
}

#[test]
fn what_is_wrong_on_a_command_line_shows_no_credential() {
    let place = Place::with(GOOD);
    let mut planted = Planted::default();
    let mut written = Written::default();
    for line in [
        &["run", "--server", "ftp://ada:<<credential: user information>>@a.test/"][..],
        &["run", "--client", "node 'x --password=<<credential: option of a client>>"],
        &["run", "--header", "Authorization Bearer <<credential: field without a colon>>"],
        &["run", "--header", "Authori zation: Bearer <<credential: field with a wrong name>>"],
        &[
            "ping",
            "http://a.test/",
            "Authorization: Bearer <<credential: field without its option>>",
        ],
        &["ping", "ftp://ada:<<credential: user information>>@a.test/"],
        &["call", "t", "--args", "{\"password\":\"<<credential: arguments>>\""],
        &["call", "t", "--args", "[\"<<credential: list of arguments>>\"]"],
    ] {
        let line: Vec<String> = line.iter().map(|word| planted.text(word)).collect();
        let line: Vec<&str> = line.iter().map(String::as_str).collect();
        written.ran(
            &format!("{line:?}"),
            &place.run_with(&line, &[("MCP_CHECKS_STORE", "store")]).exits(2),
        );
    }
    written.holds_none(&planted, &[Kind::Credential]);
}
