//! The server that an operator's command is about, by its URL or its profile,
//! and the host that speaks to it: [`Conversation`].

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use http::Uri;
use miette::{MietteDiagnostic, Report, miette};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::output::say;
use super::run::{headers, server_url, style};
pub use super::signals::Interrupts;
use super::trace::Trace;
use crate::check::selection;
use crate::host::{Caller, Clock, Host, Parts, Store};
use crate::mcp::Revision;
use crate::mcp::client::{Client, ClientError, Endpoint, Eras, ErrorKind, StreamableHttp};
use crate::mcp::negotiation::Policy;
use crate::profile::{self, Profile};
use crate::wire::HttpClient;
use crate::wire::live::Live;
use crate::wire::text::{Style, cut_name, escape_name};

/// How a server is spoken to.
#[derive(Args, Debug)]
#[command(next_help_heading = "How the server is spoken to")]
pub struct Speaking {
    /// The revision to ask for [default: the profile's; a URL is asked for what it speaks, the
    /// newest first].
    #[arg(long, value_name = "REVISION")]
    revision: Option<String>,
    /// Add a header field to every request; may be repeated.
    #[arg(long, value_name = "NAME: VALUE")]
    header: Vec<String>,
    /// The folder of profiles [default: ./profiles if it is there, else the built-in profiles].
    #[arg(long, value_name = "FOLDER")]
    profiles: Option<PathBuf>,
    /// Show every request and response on standard error, their contents too.
    #[arg(long)]
    trace: bool,
}

/// The revision that stands for a server of which nothing is known: the newest with
/// a handshake.
const USUAL_REVISION: Revision = Revision::V2025_11_25;

/// How long the end of a session may take: nobody waits for it.
const GOODBYE: Duration = Duration::from_secs(1);

impl Speaking {
    /// Every profile.
    ///
    /// # Errors
    /// A diagnostic of every profile that cannot be read.
    pub fn profiles(&self) -> miette::Result<Vec<Profile>> {
        Ok(profile::load(self.profiles.as_deref())?)
    }

    /// The server that `name` names: its URL, or the profile that has its URL.
    ///
    /// # Errors
    /// A diagnostic if there is no such profile, or if it has no URL.
    pub fn server(&self, name: &str) -> miette::Result<Profile> {
        if name.contains("://") {
            return Ok(Profile::undeclared(server_url(name)?, USUAL_REVISION));
        }
        let profiles = self.profiles()?;
        selection::known_profile(name, &profiles)?;
        let found = profiles.into_iter().find(|profile| profile.name == name);
        found.filter(|profile| profile.url.is_some()).ok_or_else(|| {
            miette!(
                code = "server::no-url",
                help = "add `url = \"https://…\"` to its file, or name the URL itself",
                "the profile `{name}` names no server"
            )
        })
    }

    /// A host for `server`; nothing is sent yet.
    ///
    /// # Errors
    /// A diagnostic of what is wrong with the command line, or if the client
    /// does not speak the revision.
    pub fn begin(&self, server: Profile, store: Store) -> miette::Result<Conversation> {
        let url = server.url.clone().ok_or_else(|| miette!("the server has no URL"))?;
        let asked = self.revision.as_deref().map(selection::known_revision).transpose()?;
        let headers = headers(&self.header)?;
        // A profile that cannot be read is no reason to leave a named URL alone.
        let mut profiles = self.profiles().unwrap_or_default();
        profiles.push(server.clone());
        let style = style(&headers, Some(&url), &profiles);
        let trace = self.trace.then(Trace::begin);
        let http: Arc<dyn HttpClient> = match &trace {
            Some(trace) => trace.recorded(Live::new()),
            None => Arc::new(Live::new()),
        };
        let mut options = server.client_options(1);
        if let Some(asked) = asked {
            options.revision = asked;
            // Whoever asks for a revision accepts it.
            if !options.policy.accepts(asked) {
                options.policy.versions.insert(0, asked.as_str().to_owned());
            }
        }
        let policy = options.policy.clone();
        let endpoint = Endpoint { url: url.clone(), headers };
        let transport = Arc::new(StreamableHttp::new(http, endpoint, 1));
        // Whoever accepts versions of both eras asks which one the server is of.
        let client = if asked.is_none() && options.accepts_both_eras() {
            Client::of_both_eras(transport, options, Eras::default())
        } else {
            Client::new(transport, options)
        };
        if let Some(trace) = &trace {
            trace.follow(&client);
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| miette!("no runtime could be started: {error}"))?;
        let caller = Caller::operator(server.operator.zone);
        let host = Host::new(Parts {
            client: client.clone(),
            operator: server.operator,
            store,
            clock: Clock::Machine,
            lease_owner: lease_owner(),
        });
        let address = escape_name(&style.redactor.redact(&address(&url)));
        Ok(Conversation { host, client, policy, caller, style, address, trace, runtime })
    }
}

/// What no other process is called, not even a later one with the same number.
fn lease_owner() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}", std::process::id(), now.as_nanos())
}

/// The address without what may be a credential in it by its place, a user and
/// a query; a path may still hold what a profile lists.
fn address(url: &Uri) -> String {
    let (scheme, host) = (url.scheme_str().unwrap_or_default(), url.host().unwrap_or_default());
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{scheme}://{host}{port}{}", url.path())
}

/// A host with the server that a command is about.
pub struct Conversation {
    /// The host.
    pub host: Host,
    /// Its client.
    pub client: Client,
    /// What the client accepts.
    pub policy: Policy,
    /// Who operates it: an administrator, for a model in the server's zone.
    pub caller: Caller,
    /// How what is shown is redacted.
    pub style: Style,
    /// The server's address as it is shown.
    pub address: String,
    trace: Option<Trace>,
    runtime: Runtime,
}

impl Conversation {
    /// Waits for `work`, ends the session, and shows the wire if that was
    /// asked for.
    pub fn hold<T>(&self, work: impl Future<Output = T>) -> T {
        let done = self.runtime.block_on(async {
            let done = work.await;
            // How a session ends is nobody's concern here.
            let _ = tokio::time::timeout(GOODBYE, self.host.close()).await;
            done
        });
        if let Some(trace) = &self.trace {
            say(trace.text(&self.style).trim_end());
        }
        done
    }

    /// As [`Conversation::hold`], unless the user interrupts it: then `None`.
    pub fn hold_unless_interrupted<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut interrupts = self.interrupts();
        let done = self.hold(async {
            tokio::select! {
                done = work => Some(done),
                () = interrupts.next() => None,
            }
        });
        if done.is_none() {
            say(format_args!("{}: interrupted before it had answered", self.address));
        }
        done
    }

    /// The user's interrupts from now on.
    pub fn interrupts(&self) -> Interrupts {
        let _inside = self.runtime.enter();
        Interrupts::listen()
    }

    /// A name that the far side chose, as it is shown.
    pub fn name(&self, name: &str) -> String {
        escape_name(&self.style.redactor.redact(name))
    }

    /// Names that the far side chose, as they are shown.
    pub fn names(&self, names: &[String]) -> String {
        if names.is_empty() {
            return "none".to_owned();
        }
        let shown: Vec<String> = names.iter().map(|name| self.name(name)).collect();
        some(&shown).join(", ")
    }

    /// A name that the far side chose, as JSON has it: no longer than
    /// [`Conversation::name`] shows it.
    pub fn name_in_json(&self, name: &str) -> String {
        cut_name(&self.style.redactor.redact(name))
    }

    /// What is said of a server that did not answer as it should: the kind of
    /// failure, and nothing that the server wrote but its versions or an issuer.
    pub fn failure(&self, error: &ClientError) -> Report {
        let facts = &error.facts;
        let mut message = format!("{}: {}", self.address, error.message);
        if let Some(version) = &facts.version {
            message.push_str(&format!(" (`{}`)", self.name(version)));
        }
        if let Some(supported) = &facts.supported {
            message.push_str(&format!(" (it supports {})", self.names(supported)));
        }
        let help = match (error.kind, &facts.issuer) {
            (ErrorKind::AuthorizationRequired, Some(issuer)) => format!(
                "send a token of {} with --header 'Authorization: Bearer TOKEN'",
                self.name(issuer)
            ),
            (ErrorKind::AuthorizationRequired, None) => {
                "send a token with --header 'Authorization: Bearer TOKEN'".to_owned()
            }
            (kind, _) => kind.advice().to_owned(),
        };
        let code = format!("server::{}", error.kind.as_str());
        MietteDiagnostic::new(message).with_code(code).with_help(help).into()
    }

    /// A failure as JSON: its kind and its numbers, and nothing that the server
    /// wrote but the version that it chose and those that it supports.
    pub fn failure_json(&self, error: &ClientError) -> Value {
        let facts = &error.facts;
        let names = |names: &Vec<String>| -> Vec<String> {
            names.iter().map(|name| self.name_in_json(name)).collect()
        };
        json!({
            "kind": error.kind.as_str(),
            "category": facts.category,
            "message": error.message,
            "status": facts.status,
            "code": facts.code,
            "version": facts.version.as_deref().map(|version| self.name_in_json(version)),
            "supported": facts.supported.as_ref().map(names),
            "missing": facts.missing,
        })
    }
}

/// How many names are shown of a list that has no end of its own.
const MOST_NAMES: usize = 40;

fn some(names: &[String]) -> Vec<String> {
    let mut shown: Vec<String> = names.iter().take(MOST_NAMES).cloned().collect();
    if names.len() > MOST_NAMES {
        shown.push(format!("and {} more", names.len() - MOST_NAMES));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_without_end_is_cut_and_counted() {
        let names: Vec<String> = (0..50).map(|number| number.to_string()).collect();
        let shown = some(&names);
        assert_eq!((shown.len(), shown.last().unwrap().as_str()), (41, "and 10 more"));
        assert_eq!(some(&names[..40]), names[..40]);
    }
}
