//! A profile's file: TOML, read into a [`Profile`] by [`read`].

use http::Uri;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::masked::masked;
use super::{DataClass, Framing, Operator, Policy, Profile, ServerBehaviour, Zone};
use crate::check::SourceText;
use crate::check::nearest::{alternatives, did_you_mean};
use crate::check::source_error::{Problem, SourceError, problem, whole_characters};
use crate::mcp::Revision;
use crate::mcp::negotiation::CapabilityPath;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    #[serde(deserialize_with = "revision")]
    revision: Revision,
    #[serde(default)]
    server: Server,
    #[serde(default)]
    operator: DeclaredOperator,
    #[serde(default)]
    policy: DeclaredPolicy,
    url: Option<Spanned<String>>,
    #[serde(default)]
    secret: Vec<Spanned<String>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Server {
    session: Option<Spanned<String>>,
    #[serde(default)]
    framing: Framing,
    #[serde(default)]
    lacks: Vec<CapabilityPath>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct DeclaredOperator {
    identifier: Option<Spanned<String>>,
    #[serde(default)]
    data_class: DataClass,
    requires_approval: Option<bool>,
    #[serde(default)]
    zone: Zone,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct DeclaredPolicy {
    versions: Option<Spanned<Vec<Spanned<String>>>>,
    #[serde(default)]
    required: Vec<CapabilityPath>,
    #[serde(default)]
    optional: Vec<CapabilityPath>,
}

fn revision<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Revision, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(|unknown| {
        let known = alternatives(Revision::ALL.map(Revision::as_str));
        serde::de::Error::custom(format!("{unknown}, expected one of {known}"))
    })
}

/// Reads the profile called `name` from the text of its file.
///
/// # Errors
///
/// A text that is not TOML, a key that is unknown, missing or of another type,
/// or else every value that is not allowed.
pub fn read(name: &str, source: &SourceText) -> Result<Profile, SourceError> {
    let failed = |problems| {
        SourceError::new(format!("the profile `{}`", source.name()), masked(source), problems)
    };
    let text: &str = source.inner();
    let file: File =
        toml::from_str(text).map_err(|error| failed(vec![unreadable(&error, text)]))?;

    let mut problems = Vec::new();
    if let Some(session) = &file.server.session {
        problems.extend(refuse_session(session, file.revision));
    }
    if let Some(identifier) = &file.operator.identifier {
        problems.extend(refuse_empty(identifier, "identifier"));
    }
    problems.extend(file.secret.iter().filter_map(|secret| refuse_empty(secret, "secret")));
    problems.extend(file.policy.versions.as_ref().and_then(refuse_versions));
    let url = match file.url.as_ref().map(read_url).transpose() {
        Ok(url) => url,
        Err(problem) => {
            problems.push(problem);
            None
        }
    };
    if !problems.is_empty() {
        return Err(failed(problems));
    }
    Ok(Profile {
        name: name.to_owned(),
        revision: file.revision,
        server: ServerBehaviour {
            session: file.server.session.map(Spanned::into_inner),
            framing: file.server.framing,
            lacks: file.server.lacks,
        },
        operator: Operator {
            identifier: file
                .operator
                .identifier
                .map_or_else(|| name.to_owned(), Spanned::into_inner),
            data_class: file.operator.data_class,
            requires_approval: file.operator.requires_approval.unwrap_or(true),
            zone: file.operator.zone,
        },
        policy: Policy {
            versions: file
                .policy
                .versions
                .map(|versions| {
                    versions.into_inner().into_iter().map(Spanned::into_inner).collect()
                })
                .unwrap_or_else(|| vec![file.revision.as_str().to_owned()]),
            required: file.policy.required,
            optional: file.policy.optional,
        },
        url,
        secrets: file.secret.into_iter().map(Spanned::into_inner).collect(),
    })
}

/// A session id is visible ASCII (`basic/transports`, session management).
fn refuse_session(session: &Spanned<String>, revision: Revision) -> Option<Problem> {
    let id = session.get_ref();
    let (message, label, help) = if !revision.has_handshake() {
        (
            format!("a profile at {revision} issues no session"),
            "there are no sessions in this revision",
            "take the key out, or set an older `revision`",
        )
    } else if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_graphic()) {
        (
            "the session id is not visible ASCII".to_owned(),
            "expected one or more characters from `!` to `~`",
            "choose an id without spaces, control characters and letters beyond ASCII",
        )
    } else {
        return None;
    };
    Some(problem("profile::session", message, session.span(), label).with_help(help))
}

/// A policy names at least one version, and none that this client does not speak.
fn refuse_versions(versions: &Spanned<Vec<Spanned<String>>>) -> Option<Problem> {
    let known = Revision::ALL.map(Revision::as_str);
    if versions.get_ref().is_empty() {
        let message = "the policy accepts no version";
        let label = format!("expected at least one of {}", alternatives(known));
        let help = "name a version, or take the key out to accept the profile's `revision` alone";
        let refused = problem("profile::versions", message, versions.span(), label);
        return Some(refused.with_help(help));
    }
    let mut named = versions.get_ref().iter();
    let unknown = named.find(|version| !known.contains(&version.get_ref().as_str()))?;
    let name = unknown.get_ref();
    let message = format!("the policy accepts `{name}`, which this client does not speak");
    let label = format!("expected {}", alternatives(known));
    let help = did_you_mean(name, known).unwrap_or_else(|| "take it out of the list".to_owned());
    Some(problem("profile::versions", message, unknown.span(), label).with_help(help))
}

fn refuse_empty(value: &Spanned<String>, what: &str) -> Option<Problem> {
    value.get_ref().trim().is_empty().then(|| {
        let message = format!("the {what} is empty");
        problem("profile::empty", message, value.span(), "expected some text")
            .with_help("leave it out if there is nothing to say")
    })
}

fn read_url(url: &Spanned<String>) -> Result<Uri, Problem> {
    let wrong = |label: String| {
        problem("profile::url", "the `url` is not the address of a server", url.span(), label)
            .with_help("write a whole address: `https://example.com/mcp`")
    };
    let uri: Uri = url.get_ref().parse().map_err(|error| wrong(format!("{error}")))?;
    match (uri.scheme_str(), uri.host()) {
        (Some("http" | "https"), Some(host)) if !host.is_empty() => Ok(uri),
        _ => Err(wrong("expected `http://` or `https://` and a host".to_owned())),
    }
}

/// Turns an error of the TOML reader into one that names the near key.
fn unreadable(error: &toml::de::Error, text: &str) -> Problem {
    let message = error.message().trim();
    let span = error.span().unwrap_or(text.len()..text.len());
    let code = if toml::from_str::<toml::Table>(text).is_err() {
        "profile::not-toml"
    } else if message.starts_with("missing field") {
        "profile::missing-key"
    } else {
        "profile::unexpected"
    };
    let (what, expected) = message.rsplit_once(", expected ").unwrap_or((message, ""));
    // A value of the wrong type may be a secret: its place is shown, and no more.
    let what = match what.starts_with("invalid ") {
        true => what.split(['"', '`']).next().unwrap_or_default().trim_end(),
        false => what,
    };
    // serde speaks of fields; in a profile they are keys.
    let what = what.replace("unknown field", "unknown key").replace("missing field", "missing key");
    let label =
        if expected.is_empty() { "here".to_owned() } else { format!("expected {expected}") };
    let diagnostic = problem(code, one_line(&what), whole_characters(span, text), one_line(&label));
    let word = backticked(&what).next().unwrap_or_default();
    match did_you_mean(word, backticked(expected)) {
        Some(question) => diagnostic.with_help(question),
        None if code == "profile::missing-key" => {
            diagnostic.with_help(format!("add the key to the file: `{word} = …`"))
        }
        None => diagnostic.with_help("a profile is TOML; see the profiles that `init` writes"),
    }
}

fn one_line(text: &str) -> String {
    text.lines().collect::<Vec<_>>().join("; ")
}

/// The words between backticks.
fn backticked(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}
