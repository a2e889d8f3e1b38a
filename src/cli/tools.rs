//! `mcp-checks tools`: takes in what a server lists, shows what was taken and
//! refused and why, and switches tools on and off.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clap::Args;
use miette::miette;
use serde_json::{Value, json};

use super::exit::Exit;
use super::output::{print, redacted_json, say};
use super::server::{Conversation, Speaking};
use super::store::StoreFile;
use super::terminal::{Stream, When, has_colour};
use crate::check::nearest::did_you_mean;
use crate::host::store::StoredTool;
use crate::host::{Decision, HostError, Import, StoreError};
use crate::report::Paint;

/// What `tools` takes.
#[derive(Args, Debug)]
#[command(after_help = "\
A tool that is new is off. What the gate says of it: allowed, disabled, changed, trust-zone (what it
returns is more sensitive than the profile's zone may read), or not-registered (the server no longer
lists it). Its class and zone come from the profile, never from the server.

What is changed was enabled, and is off until it is enabled again: the server lists it with another
description, schema or annotations, or the profile points at another origin. --trace shows what the
server sends now.

With --enable, --disable or --stored nothing is sent: what was taken in before is shown.

Exit codes:
  0    the tools are shown; some may be refused
  1    the server did not answer, or not as it should; the catalogue is as it was
  2    the command line, a profile or the store is wrong
  130  cancelled by the user

Examples:
  mcp-checks tools staging
  mcp-checks tools staging --enable add --enable mcp_staging_echo
  mcp-checks tools http://127.0.0.1:3001/mcp --json")]
pub struct Arguments {
    /// The server's URL, or the profile that has it.
    #[arg(value_name = "URL|PROFILE")]
    server: String,
    /// Switch this tool on, by its local or its remote name; may be repeated.
    #[arg(long, value_name = "NAME")]
    enable: Vec<String>,
    /// Switch this tool off; may be repeated, and counts over --enable.
    #[arg(long, value_name = "NAME")]
    disable: Vec<String>,
    /// Show what was taken in before, without asking the server.
    #[arg(long)]
    stored: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    speaking: Speaking,
    #[command(flatten)]
    store: StoreFile,
}

/// Takes the tools in, or switches them, and shows them.
///
/// # Errors
/// A diagnostic of what is wrong with the command line, a profile or the store.
pub fn run(arguments: &Arguments, colour: When) -> miette::Result<Exit> {
    let server = arguments.speaking.server(&arguments.server)?;
    let conversation = arguments.speaking.begin(server, arguments.store.open()?)?;
    let asks = !arguments.stored && arguments.enable.is_empty() && arguments.disable.is_empty();
    let mut exit = Exit::AllHeld;
    let mut error = None;
    let import = if asks {
        match conversation.hold_unless_interrupted(conversation.host.import()) {
            None => return Ok(Exit::Cancelled),
            Some(Ok(import)) => import,
            Some(Err(HostError::Store(error))) => return Err(error.into()),
            Some(Err(HostError::Client(failed))) => {
                say(format_args!("{:?}", conversation.failure(&failed)));
                if !arguments.json {
                    return Ok(Exit::NotConforming);
                }
                exit = Exit::NotConforming;
                error = Some(conversation.failure_json(&failed));
                Import::default()
            }
        }
    } else {
        switch(&conversation, &arguments.enable, &arguments.disable)?;
        Import::default()
    };
    let listed = Listed::new(&conversation)?;
    let redactor = &conversation.style.redactor;
    if arguments.json {
        print(&redacted_json(&listed.json(&conversation, &import, error), redactor))?;
    } else {
        let paint = Paint(has_colour(colour, Stream::Output));
        print(&redactor.redact(&listed.human(&conversation, &import, asks, paint)))?;
        let server = &arguments.server;
        if listed.tools.iter().any(|(tool, _)| tool.changed_at(conversation.host.origin()).any()) {
            say(format_args!(
                "what has changed is off; `mcp-checks tools {server} --enable NAME` enables it again"
            ));
        } else if listed.tools.iter().all(|(tool, _)| !tool.enabled) && !listed.tools.is_empty() {
            say(format_args!(
                "none is enabled; `mcp-checks tools {server} --enable NAME` enables one"
            ));
        }
    }
    Ok(exit)
}

/// Switches tools on, then off; all of them, or none if one is not known.
fn switch(conversation: &Conversation, on: &[String], off: &[String]) -> miette::Result<()> {
    let stored = stored(conversation)?;
    let find = |name: &String| {
        let known = |tool: &&StoredTool| tool.local_name == *name || tool.remote_name == *name;
        stored.iter().find(known).ok_or_else(|| {
            let names = stored.iter().flat_map(|tool| [&*tool.local_name, &*tool.remote_name]);
            let help = did_you_mean(name, names).unwrap_or_else(|| {
                "without --enable and --disable the server's tools are taken in and shown"
                    .to_owned()
            });
            miette!(
                code = "tools::unknown",
                help = conversation.name(&help),
                "no tool `{}` was taken in from {}",
                conversation.name(name),
                conversation.address
            )
        })
    };
    let on = on.iter().map(find).collect::<miette::Result<Vec<_>>>()?;
    let off = off.iter().map(find).collect::<miette::Result<Vec<_>>>()?;
    // What is enabled is what was taken in: that has to be this server's.
    let here = |tool: &&&StoredTool| tool.origin.as_deref() == Some(conversation.host.origin());
    if let Some(tool) = on.iter().find(|tool| !here(tool)) {
        return Err(miette!(
            code = "tools::another-origin",
            help = "without --enable and --disable the server's tools are taken in and shown",
            "the tool `{}` was not taken in from {}, but from another origin",
            conversation.name(&tool.local_name),
            conversation.address
        ));
    }
    let switches = on.into_iter().map(|tool| (tool, true));
    for (tool, enabled) in switches.chain(off.into_iter().map(|tool| (tool, false))) {
        conversation.host.store().enable(&tool.local_name, enabled)?;
    }
    Ok(())
}

/// The tools of the server that are stored, by their local names.
fn stored(conversation: &Conversation) -> Result<Vec<StoredTool>, StoreError> {
    let identifier = &conversation.host.operator().identifier;
    let mut tools = conversation.host.store().tools()?;
    tools.retain(|tool| tool.server == *identifier);
    Ok(tools)
}

/// The tools of a server, each with what the gate says of it.
struct Listed {
    tools: Vec<(StoredTool, &'static str)>,
}

impl Listed {
    fn new(conversation: &Conversation) -> Result<Self, StoreError> {
        let decide = |tool: StoredTool| {
            let decision = conversation.host.decide(&tool.local_name, &conversation.caller)?;
            let word = match decision {
                Decision::Allowed | Decision::Observed(_) => "allowed",
                Decision::Denied(denial) => denial.as_str(),
            };
            Ok((tool, word))
        };
        let tools = stored(conversation)?.into_iter().map(decide).collect::<Result<_, _>>()?;
        Ok(Listed { tools })
    }

    fn human(
        &self,
        conversation: &Conversation,
        import: &Import,
        asked: bool,
        paint: Paint,
    ) -> String {
        let operator = conversation.host.operator();
        let approval = if operator.requires_approval { "each call" } else { "no call" };
        let counted = if asked {
            let (taken, refused) = (import.imported.len(), import.refused.len());
            format!("{taken} taken in, {refused} refused, {} gone", import.orphaned.len())
        } else {
            format!("{} stored", self.tools.len())
        };
        let mut text = format!(
            "{}: {counted}\n  {}\n",
            paint.bold(&conversation.address),
            paint.dim(&format!(
                "as {}: class {}, zone {}, {approval} takes approval",
                conversation.name(&operator.identifier),
                operator.data_class,
                operator.zone
            ))
        );
        let became: BTreeMap<&str, &str> = became(import);
        let width = self.tools.iter().map(|(tool, _)| tool.local_name.len()).max().unwrap_or(0);
        for (tool, gate) in &self.tools {
            let name = format!("{:width$}", tool.local_name);
            let gate = match *gate {
                "allowed" => paint.green(&format!("{gate:14}")),
                _ => format!("{gate:14}"),
            };
            let became = became.get(tool.local_name.as_str()).copied();
            let gone = if tool.orphaned { "gone" } else { "" };
            let changed = tool.changed_at(conversation.host.origin());
            let said = match became.unwrap_or(gone) {
                // Gone is gone, whatever it was.
                "gone" => "gone".to_owned(),
                _ if changed.any() => format!("since it was enabled: {changed}"),
                became => became.to_owned(),
            };
            let _ = writeln!(text, "  {name}  {gate}  {said}");
        }
        for refused in &import.refused {
            let name = refused.remote_name.as_deref().map(|name| conversation.name(name));
            let (name, word) =
                (name.unwrap_or_else(|| "(no name)".to_owned()), paint.red("refused"));
            let _ = writeln!(text, "  {name}  {word}: {}", refused.reason);
        }
        text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
    }

    fn json(&self, conversation: &Conversation, import: &Import, error: Option<Value>) -> Value {
        let operator = conversation.host.operator();
        let became = became(import);
        let changed = |tool: &StoredTool| tool.changed_at(conversation.host.origin());
        json!({
            "server": operator.identifier,
            "url": conversation.address,
            "operator": {
                "data_class": operator.data_class.as_str(),
                "zone": operator.zone.as_str(),
                "requires_approval": operator.requires_approval,
            },
            "tools": self.tools.iter().map(|(tool, gate)| json!({
                "name": tool.local_name,
                "remote_name": tool.remote_name,
                "became": became.get(tool.local_name.as_str()),
                "enabled": tool.enabled && !changed(tool).any(),
                "changed": changed(tool).words(),
                "orphaned": tool.orphaned,
                "gate": gate,
            })).collect::<Vec<_>>(),
            "refused": import.refused.iter().map(|refused| json!({
                "remote_name": refused.remote_name,
                "reason": refused.reason.as_str(),
                "message": refused.reason.to_string(),
            })).collect::<Vec<_>>(),
            "gone": import.orphaned,
            "error": error,
        })
    }
}

/// What became of each tool that was taken in.
fn became(import: &Import) -> BTreeMap<&str, &'static str> {
    import.imported.iter().map(|(name, became)| (name.as_str(), became.as_str())).collect()
}
