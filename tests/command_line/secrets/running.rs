//! What `run` and the commands beside it write: reports, traces, snapshots,
//! diagnostics of broken checks, what an external client prints.

use std::io::{BufRead, BufReader, read_to_string};
use std::process::{Child, Command, Stdio};

use super::Written;
use super::planting::{Kind, Planted};
use crate::place::{PROGRAM, Place, Ran};

const EVERYWHERE: &str = include_str!("everywhere.rhai");

/// Checks that are broken, each in another way.
const BROKEN: [(&str, &str); 4] = [
    (
        "throws",
        "//! Throws.\n//!\n//! never  MUST  It is never decided\n\n\
         fn serve(server) {}\nfn drive(client) { throw \"no <<marked: what is thrown>>\"; }\n\
         fn judge(seen) { seen.check(\"never\", true); }\n",
    ),
    (
        "handler",
        "//! Has a handler that throws.\n//!\n//! never  MUST  It is never decided\n\n\
         fn serve(server) {\n    server.tool(\"t\", #{}, |args| {\n        \
         throw `no <<marked: what a handler throws>> password=<<credential: what a handler throws>>`;\n    });\n}\n\
         fn drive(client) { client.call_tool(\"t\") }\n\
         fn judge(seen) { seen.check(\"never\", true); }\n",
    ),
    (
        "syntax",
        "//! Does not compile.\n//!\n//! never  MUST  It is never decided\n\n\
         fn serve(server) {}\nfn drive(client) { let word = \"<<marked: line that does not compile>>\" 7 }\n\
         fn judge(seen) {}\n",
    ),
    (
        "header",
        "//! Has a wrong header.\n//!\n//! tgas: <<marked: wrong line of a header>>\n//!\n\
         //! never  MUST  It is never decided\n\nfn serve(server) {}\nfn drive(client) {}\nfn judge(seen) {}\n",
    ),
];

/// What an external client prints before it plays the check as the program does.
const CLIENT: &str = r#"
echo "told $MCP_CONFORMANCE_CONTEXT"
echo "said <<marked: standard output of a client>>"
echo "said <<marked: standard error of a client>>" >&2
echo "Authorization: Bearer <<credential: Authorization that a client prints>>" >&2
echo "{ 'set-cookie': [ 'sid=<<credential: set-cookie that a client prints>>; Path=/' ] }"
echo "TOKEN=<<credential: token that a client prints>>"
echo "using token: <<credential: token in a client's sentence>>"
echo "export GITHUB_TOKEN=<<credential: exported token that a client prints>>"
echo "client_secret = '<<credential: client_secret that a client prints>>'" >&2
echo "{'Cookie': b'sid=<<credential: bytes that a client prints>>'}"
echo "[{\"name\": \"Cookie\", \"value\": \"sid=<<credential: Cookie by its name that a client prints>>\"}]"
echo "{ cookies: { sid: '<<credential: cookies that a client prints>>' } }"
echo "?h=Authorization%3A%20Digest%20<<credential: encoded field that a client prints>>"
printf 'in colours <<marked: colours of a client|first half>>\033[31m<<marked: colours of a client|second half>>\n'
printf 'without an end of the line <<marked: unfinished line of a client>>'
"#;

struct Field {
    place: Place,
    planted: Planted,
}

/// The folders and files of a field that nobody wrote but the test.
const GIVEN: [&str; 5] = ["checks/", "profiles/", "unlisted/", "client.sh", "snapshots/old"];

impl Field {
    fn new() -> Field {
        let (place, mut planted) = (Place::new(), Planted::default());
        place.write("checks/everywhere.rhai", &planted.text(EVERYWHERE));
        for (name, check) in BROKEN {
            place.write(&format!("checks/broken/{name}.rhai"), &planted.text(check));
        }
        place.write("client.sh", &planted.text(CLIENT));
        let profile = planted
            .text("revision = \"2025-11-25\"\n[server]\nsession = \"<<marked: session id>>\"\n");
        // Asked for before the list is written.
        planted.text("<<marked: command line of a client>>");
        place.write("profiles/listed.toml", &format!("secret = {:?}\n{profile}", planted.marked()));
        place.write("unlisted/listed.toml", &profile);
        Field { place, planted }
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.place.run(arguments)
    }

    /// The command of the client that prints what it should not.
    fn client(&mut self) -> String {
        self.planted.text(
            "sh client.sh --token <<credential: option of a client>> \
             '<<marked: command line of a client>>'",
        )
    }
}

const FORMATS: [&[&str]; 4] = [
    &["--format", "human"],
    &["--format", "human", "--colour", "always"],
    &["--format", "json"],
    &["--format", "junit"],
];

#[test]
fn no_report_of_the_built_in_client_shows_a_secret() {
    let field = Field::new();
    let mut written = Written::default();
    for format in FORMATS {
        for more in [&[][..], &["--trace"]] {
            let arguments = [&["run"], format, more].concat();
            let ran = field.run(&arguments);
            assert_eq!(ran.code, 3, "the broken checks are there: {}", ran.stderr);
            written.ran(&arguments.join(" "), &ran);
        }
    }
    let over = ["run", "everywhere", "--over", "http", "--trace", "--format", "json"];
    written.ran("over http", &field.run(&over).exits(1));
    field.run(&["run", "everywhere", "--trace", "--output", "report.txt"]).exits(1);
    field.run(&["run", "--format", "junit", "--output", "report.xml"]).exits(3);
    written.files(&field.place, &GIVEN);
    assert!(written.text().contains("[redacted]"));
    written.holds_none(&field.planted, &[Kind::Credential, Kind::Marked]);
}

/// Without this the search could find nothing because nothing is there.
#[test]
fn what_no_profile_lists_is_shown() {
    let field = Field::new();
    let mut written = Written::default();
    for format in ["human", "json"] {
        let run = ["run", "--trace", "--profiles", "unlisted", "--format", format];
        written.ran(format, &field.run(&run).exits(3));
    }
    let shown = field.planted.seen_in(&[Kind::Marked], &written.text());
    let mut missing = field.planted.places(&[Kind::Marked]);
    missing.retain(|place| !shown.contains(place));
    // What no report of these shows at all.
    let others = missing
        .iter()
        .filter(|place| !place.contains("client") && *place != "task" && *place != "context");
    assert_eq!(others.collect::<Vec<_>>(), Vec::<&String>::new());
    written.holds_none(&field.planted, &[Kind::Credential]);
}

#[test]
fn no_snapshot_and_no_review_shows_a_secret() {
    let field = Field::new();
    let mut written = Written::default();
    let passing = field.place.read("checks/everywhere.rhai");
    field.run(&["run", "everywhere", "--update-snapshots"]).exits(1);
    written.files(&field.place, &GIVEN);
    assert!(written.text().contains("POST {server}/mcp"), "{}", written.text());
    // Another wire; and a snapshot from before anything was listed.
    let old = "snapshots/everywhere.snap";
    let recorded = field.place.read(old);
    field
        .place
        .write("checks/everywhere.rhai", &passing.replace("for i in 0..90", "for i in 0..91"));
    field.place.write(old, &recorded.replacen("[redacted]", &field.planted.marked().join(" "), 1));
    for format in FORMATS {
        let arguments = [&["run", "everywhere"], format].concat();
        written.ran(&format!("{}, which differs", arguments.join(" ")), &field.run(&arguments));
    }
    written.ran("review", &field.run(&["review"]).exits(1));
    written.ran("review in colours", &field.run(&["review", "--colour", "always"]).exits(1));
    written.files(&field.place, &[&GIVEN[..], &[old]].concat());
    written.holds_none(&field.planted, &[Kind::Credential, Kind::Marked]);
}

#[test]
fn no_output_of_a_client_shows_a_secret() {
    let mut field = Field::new();
    let mut written = Written::default();
    // The client speaks to the server, and to nobody else, as the program would.
    let script = field.place.read("client.sh");
    field.place.write("client.sh", &format!("{script}\nexec {PROGRAM} drive \"$3\"\n"));
    let client = field.client();
    for format in FORMATS {
        for more in [&[][..], &["--trace"]] {
            let run = ["run", "everywhere", "--client", &client];
            let arguments = [&run, format, more].concat();
            let ran = field.run(&arguments).exits(1);
            let all = format!("{format:?} {more:?}");
            assert!(ran.stdout.contains("said [redacted]"), "{all}: {}", ran.stdout);
            written.ran(&format!("client {all}"), &ran);
        }
    }
    written.holds_none(&field.planted, &[Kind::Credential, Kind::Marked]);
    // All of it would be shown.
    let run = ["run", "everywhere", "--client", &client, "--profiles", "unlisted"];
    let shown = field.planted.seen_in(&[Kind::Marked], &field.run(&run).exits(1).stdout);
    for place in field.planted.places(&[Kind::Marked]) {
        assert!(!place.contains("client") || shown.contains(&place), "{place}: {shown:?}");
    }
    assert!(shown.contains("context"), "{shown:?}");
}

#[test]
fn the_commands_beside_run_show_no_secret_of_what_is_broken() {
    let field = Field::new();
    std::fs::remove_file(field.place.path("checks/everywhere.rhai")).unwrap();
    let mut written = Written::default();
    for arguments in [
        &["list"][..],
        &["list", "--colour", "always"],
        &["show", "broken/header"],
        &["drive", "broken/syntax", "http://127.0.0.1:1/mcp"],
        &["drive", "broken/throws", "http://127.0.0.1:1/mcp"],
        &["serve", "broken/header"],
        &["prove", "broken"],
        &["prove", "broken", "--format", "json"],
    ] {
        let ran = field.run(arguments).exits(3);
        assert!(
            format!("{}{}", ran.stdout, ran.stderr).contains("[redacted]"),
            "{arguments:?}: {}",
            ran.stderr
        );
        // What a check says of itself in its header is listed as it stands.
        let stdout = if arguments[0] == "list" { String::new() } else { ran.stdout };
        written.ran(&arguments.join(" "), &Ran { stdout, ..ran });
    }
    written.holds_none(&field.planted, &[Kind::Credential, Kind::Marked]);
}

/// A server that ends with the test, however the test ends.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_visit_shows_no_secret() {
    let field = Field::new();
    let mut written = Written::default();
    for more in [&[][..], &["--trace"]] {
        let arguments = [&["serve", "everywhere"], more].concat();
        let mut command = field.place.command(&arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut serving = Serving(command.spawn().unwrap());
        let mut output = BufReader::new(serving.0.stdout.take().unwrap());
        let mut talk = serving.0.stderr.take().unwrap();
        let mut url = String::new();
        while !url.starts_with("http://") {
            url.clear();
            assert!(output.read_line(&mut url).unwrap() > 0, "it has ended");
        }
        let drive = ["drive", "everywhere", url.trim(), "--header", "X-Key: k3y-that-is-given"];
        let driven = field.run(&drive).exits(0);
        let interrupted = Command::new("kill").args(["-INT", &serving.0.id().to_string()]).status();
        assert!(interrupted.unwrap().success());
        let stdout = read_to_string(output).unwrap();
        let stderr = read_to_string(&mut talk).unwrap();
        assert!(stderr.contains(r#""client_secret":"[redacted]""#), "{stderr}");
        assert!(stdout.contains("tools/call") && stdout.contains("differs"), "{stdout}");
        assert!(!driven.stdout.contains("k3y-that") && driven.json().is_array());
        written.ran("drive", &driven);
        written.ran(&arguments.join(" "), &Ran { code: 1, stdout, stderr });
    }
    written.holds_none(&field.planted, &[Kind::Credential, Kind::Marked]);
}
