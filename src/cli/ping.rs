//! `mcp-checks ping`: whether a server can be reached, and what it says of
//! itself.

use std::fmt::Write as _;

use clap::Args;
use serde_json::{Value, json};

use super::exit::Exit;
use super::output::{json as text_of, print, say};
use super::server::{Conversation, Speaking};
use super::store::StoreFile;
use super::terminal::{Stream, When, has_colour};
use crate::host::Ping;
use crate::mcp::client::{ClientError, Stage};
use crate::mcp::negotiation::CapabilityPath;
use crate::report::Paint;

/// What `ping` takes.
#[derive(Args, Debug)]
#[command(after_help = "\
A server that answers is written down as a contact; nothing else is stored. See `mcp-checks audit`.

Exit codes:
  0    it answered
  1    it did not, or not as it should
  2    the command line, a profile or the store is wrong
  130  cancelled by the user

Examples:
  mcp-checks ping http://127.0.0.1:3001/mcp
  mcp-checks ping staging --json
  mcp-checks ping https://example.com/mcp --header 'Authorization: Bearer TOKEN'")]
pub struct Arguments {
    /// The server's URL, or the profile that has it.
    #[arg(value_name = "URL|PROFILE")]
    server: String,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    speaking: Speaking,
    #[command(flatten)]
    store: StoreFile,
}

/// Pings the server.
///
/// # Errors
/// A diagnostic of what is wrong with the command line, a profile or the store.
pub fn run(arguments: &Arguments, colour: When) -> miette::Result<Exit> {
    let server = arguments.speaking.server(&arguments.server)?;
    let conversation = arguments.speaking.begin(server, arguments.store.open()?)?;
    let pinged = conversation.hold_unless_interrupted(conversation.host.ping());
    let Some(pinged) = pinged else { return Ok(Exit::Cancelled) };
    if arguments.json {
        let text = text_of(&described(&conversation, &pinged));
        print(&conversation.style.redactor.redact(&text))?;
    }
    match pinged {
        Ok(ping) => {
            if !arguments.json {
                let paint = Paint(has_colour(colour, Stream::Output));
                print(&human(&conversation, &ping, paint))?;
            }
            Ok(Exit::AllHeld)
        }
        Err(error) => {
            say(format_args!("{:?}", conversation.failure(&error)));
            Ok(Exit::NotConforming)
        }
    }
}

fn human(conversation: &Conversation, ping: &Ping, paint: Paint) -> String {
    let mut text = format!("{} answers\n", paint.bold(&conversation.address));
    let mut line = |what: &str, value: String| {
        let _ = writeln!(text, "  {}  {value}", paint.dim(&format!("{what:12}")));
    };
    line("version", conversation.names(&ping.versions));
    let said = |member: &str| ping.server[member].as_str().map(|text| conversation.name(text));
    let server: Vec<String> = ["name", "version"].into_iter().filter_map(said).collect();
    line("server", if server.is_empty() { "unnamed".to_owned() } else { server.join(" ") });
    line("capabilities", conversation.names(&for_a_person(capabilities(&ping.capabilities))));
    let policy = &conversation.policy;
    if !policy.required.is_empty() {
        line("required", listed(policy.required.iter().map(ToString::to_string)));
    }
    if !policy.optional.is_empty() {
        let enabled = conversation.client.enabled_capabilities();
        let state = |path: &CapabilityPath| if enabled.contains(path) { "on" } else { "off" };
        line(
            "optional",
            listed(policy.optional.iter().map(|path| format!("{path} {}", state(path)))),
        );
    }
    line("latency", format!("{} ms", ping.latency));
    text
}

fn listed(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

/// The names of what a server declares, as far as it is on: `tools`, and
/// `tools.listChanged`. What else it says of them is its own.
fn capabilities(declared: &Value) -> Vec<String> {
    let mut paths = Vec::new();
    for (name, details) in declared.as_object().into_iter().flatten() {
        paths.push(vec![name.clone()]);
        let details = details.as_object().into_iter().flatten();
        paths.extend(details.map(|(detail, _)| vec![name.clone(), detail.clone()]));
    }
    let paths = paths.into_iter().filter_map(|names| CapabilityPath::new(names).ok());
    paths.filter(|path| path.is_on(declared)).map(|path| path.names().join(".")).collect()
}

fn described(conversation: &Conversation, pinged: &Result<Ping, ClientError>) -> Value {
    let (identifier, url) = (&conversation.host.operator().identifier, &conversation.address);
    let stages: Vec<&str> = conversation.client.stages().into_iter().map(Stage::as_str).collect();
    let name = |name: &str| conversation.name_in_json(name);
    let names = |names: &[String]| names.iter().map(|it| name(it)).collect::<Vec<String>>();
    match pinged {
        Ok(ping) => json!({
            "server": identifier,
            "url": url,
            "reachable": true,
            "latency_ms": ping.latency,
            "versions": names(&ping.versions),
            "server_info": introduced(&ping.server, name),
            "capabilities": names(&capabilities(&ping.capabilities)),
            "required": conversation.policy.required,
            "enabled": conversation.client.enabled_capabilities(),
            "stages": stages,
            "error": null,
        }),
        Err(error) => json!({
            "server": identifier,
            "url": url,
            "reachable": false,
            "latency_ms": null,
            "versions": [],
            "server_info": null,
            "capabilities": [],
            "required": conversation.policy.required,
            "enabled": [],
            "stages": stages,
            "error": conversation.failure_json(error),
        }),
    }
}

/// What a server is called and which version it is, written by `name`. What else
/// it says of itself is content.
fn introduced(server: &Value, name: impl Fn(&str) -> String) -> Value {
    let members = ["name", "version"].map(|member| (member, server[member].as_str()));
    let strings = members.into_iter().filter_map(|(member, said)| Some((member, said?)));
    strings.map(|(member, said)| (member.to_owned(), json!(name(said)))).collect()
}

/// The names of capabilities for a person. What is inside of `experimental` has
/// any name that the server likes: those are counted.
fn for_a_person(capabilities: Vec<String>) -> Vec<String> {
    let (free, mut known): (Vec<String>, Vec<String>) =
        capabilities.into_iter().partition(|name| name.starts_with("experimental."));
    for name in known.iter_mut().filter(|name| *name == "experimental" && !free.is_empty()) {
        *name = format!("experimental ({})", free.len());
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_are_named_and_their_contents_left_out() {
        let declared = json!({
            "tools": { "listChanged": true },
            "resources": { "subscribe": false, "listChanged": null },
            "experimental": { "mine": { "secret": "x" } },
            "extensions": { "com.example/on": {}, "com.example/off": false },
            "completions": true,
            "odd": 7,
            "prompts": false,
            "logging": null,
            "tasks": [],
            "": {},
        });
        let names = [
            "tools",
            "tools.listChanged",
            "resources",
            "experimental",
            "experimental.mine",
            "extensions",
            "extensions.com.example/on",
            "completions",
        ];
        assert_eq!(capabilities(&declared), names);
        assert_eq!(
            for_a_person(capabilities(&declared)),
            [
                "tools",
                "tools.listChanged",
                "resources",
                "experimental (1)",
                "extensions",
                "extensions.com.example/on",
                "completions",
            ]
        );
        assert_eq!(for_a_person(vec!["experimental".to_owned()]), ["experimental"]);
        assert_eq!(capabilities(&json!("tools")), Vec::<String>::new());
    }
}
