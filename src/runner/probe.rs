//! What a server from outside speaks: [`probe`] asks it once, before anything is
//! planned.
//!
//! It is the built-in client that asks, revision by revision, the newest first: by
//! `server/discover` where there is no handshake, by `initialize` else. A server of
//! both eras may list the newer one alone, so it is asked for each. Every session
//! that is issued meanwhile is ended.

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, Uri};

use crate::mcp::Revision;
use crate::mcp::client::{Client, ClientError, Endpoint, Eras, ErrorKind, StreamableHttp};
use crate::profile::Profile;
use crate::wire::HttpClient;

/// By what the time of a leg is divided: a server that is silent has 7.5 seconds
/// for each of its first two answers, and is asked no more.
const HASTE: u32 = 2;

/// After how many questions that came to nothing the server is left alone, if it
/// answered none before: one of each era.
const ENOUGH: usize = 2;

/// How long the end of a session may take.
const GOODBYE: Duration = Duration::from_secs(1);

/// What a server speaks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spoken {
    /// The revisions, the newest first.
    pub revisions: Vec<Revision>,
    /// Versions that it names and that nobody here knows, as it wrote them.
    pub unknown: Vec<String>,
    /// The status with which it answers everything, 401 or 403, if that is all
    /// that it does.
    pub unauthorized: Option<u16>,
    /// What it said to what came to nothing, in our own words: `server/discover was
    /// answered with status 404`.
    pub refusals: Vec<String>,
}

impl Spoken {
    /// Why nothing of `revision` runs; `None` if the server speaks it.
    pub fn reason_against(&self, revision: Revision) -> Option<String> {
        if self.revisions.contains(&revision) {
            return None;
        }
        Some(match self.unauthorized {
            Some(status) => {
                format!("the server answers nothing without authorization (status {status})")
            }
            None => format!("the server does not speak {revision}; it speaks {}", self.words()),
        })
    }

    /// The revisions as a list in words.
    pub fn words(&self) -> String {
        let names: Vec<&str> = self.revisions.iter().map(|revision| revision.as_str()).collect();
        if names.is_empty() { "none that is known here".to_owned() } else { names.join(", ") }
    }

    /// Takes a version that the server named.
    fn named(&mut self, version: &str) {
        match version.parse() {
            Ok(revision) if !self.revisions.contains(&revision) => self.revisions.push(revision),
            Ok(_) => {}
            Err(_) if self.unknown.iter().any(|known| known == version) => {}
            Err(_) => self.unknown.push(version.to_owned()),
        }
    }

    /// Takes what a question for `revision` came to.
    fn take(&mut self, revision: Revision, answer: Result<Revision, ClientError>, is_modern: bool) {
        let error = match answer {
            Ok(chosen) => return self.named(chosen.as_str()),
            Err(error) => error,
        };
        let facts = &error.facts;
        // What a list says of versions with a handshake is asked of `initialize`.
        let listed = facts.supported.iter().flatten().chain(&facts.named);
        for version in listed.filter(|version| !is_of_handshake(version)) {
            self.named(version);
        }
        if revision.has_handshake() {
            for version in facts.version.iter().chain(&facts.named) {
                self.named(version);
            }
        } else if is_modern && error.kind != ErrorKind::UnsupportedVersion {
            // It answers as that era does, if not as it should.
            self.named(revision.as_str());
        }
        self.refusals.push(error.message);
    }
}

fn is_of_handshake(version: &str) -> bool {
    version.parse().is_ok_and(Revision::has_handshake)
}

/// A server that gave no answer at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreachable(pub String);

/// Asks the server at `url` what it speaks; `headers` are on each request.
///
/// # Errors
/// [`Unreachable`] if no connection came about, or if it answered nothing within 15
/// seconds.
pub async fn probe(
    http: Arc<dyn HttpClient>,
    url: &Uri,
    headers: &HeaderMap,
) -> Result<Spoken, Unreachable> {
    let mut spoken = Spoken::default();
    let server = Endpoint::from(url.clone()).origin();
    let mut statuses = Vec::new();
    let mut silent = 0;
    for revision in Revision::ALL.into_iter().rev() {
        if spoken.revisions.contains(&revision) {
            continue;
        }
        let eras = Eras::default();
        let answer = ask(http.clone(), url, headers, revision, eras.clone()).await;
        if let Err(error) = &answer {
            match error.kind {
                ErrorKind::InvalidRequest
                | ErrorKind::Connection
                | ErrorKind::Timeout
                | ErrorKind::BudgetExhausted => {
                    silent += 1;
                }
                _ => statuses.push(error.facts.status),
            }
        }
        spoken.take(revision, answer, eras.is_modern(&server));
        let is_known = !spoken.revisions.is_empty() || !spoken.unknown.is_empty();
        if is_known {
            continue;
        }
        if silent >= ENOUGH {
            return Err(Unreachable(spoken.refusals.pop().unwrap_or_default()));
        }
        spoken.unauthorized = unauthorized(&statuses);
        if spoken.unauthorized.is_some() && silent == 0 && statuses.len() >= ENOUGH {
            break;
        }
    }
    if !spoken.revisions.is_empty() {
        spoken.unauthorized = None;
    }
    spoken.revisions.sort();
    spoken.revisions.reverse();
    Ok(spoken)
}

/// The status of all, if that is 401 or 403.
fn unauthorized(statuses: &[Option<u16>]) -> Option<u16> {
    let all = statuses.iter().all(|status| matches!(status, Some(401 | 403)));
    statuses.first().copied().flatten().filter(|_| all)
}

/// Opens a connection of `revision` and closes it; the revision that the server
/// chose.
async fn ask(
    http: Arc<dyn HttpClient>,
    url: &Uri,
    headers: &HeaderMap,
    revision: Revision,
    eras: Eras,
) -> Result<Revision, ClientError> {
    let mut server = Profile::undeclared(url.clone(), revision);
    server.policy.versions = vec![revision.as_str().to_owned()];
    let options = server.client_options(HASTE);
    let endpoint = Endpoint { url: url.clone(), headers: headers.clone() };
    let transport = Arc::new(StreamableHttp::new(http, endpoint, HASTE));
    let client = if revision.has_handshake() {
        Client::new(transport, options)
    } else {
        // It knows a modern server from one that answers whatever it is asked.
        Client::of_both_eras(transport, options, eras)
    };
    let connected = client.connect().await;
    let chosen = client.revision();
    // How a session ends is judged by a check.
    let _ = tokio::time::timeout(GOODBYE, client.close()).await;
    connected.map(|_| chosen)
}

#[cfg(test)]
mod tests;
