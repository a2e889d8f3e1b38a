//! Whom to ask for authorization: [`discover`] follows the page of the revision
//! in force (basic/authorization).
//!
//! Everything fetched here is a plain GET: what the client sends to the
//! endpoint, credentials above all, is not for other origins.

use ::http::header::ACCEPT;
use ::http::{HeaderName, HeaderValue, Method, Uri};
use bytes::Bytes;
use serde_json::Value;
use url::Url;

use super::challenge::Challenge;
use super::reach::{mark, refusal};
use crate::mcp::Revision;
use crate::mcp::client::budget::Budget;
use crate::mcp::client::error::{ClientError, ErrorKind};
use crate::wire::HttpClient;
use crate::wire::body::{READ_LIMIT, ReadError, read_whole};
use crate::wire::http::{self, Request, TransportError};
use crate::wire::reach::LeadsInside;

const PROTECTED_RESOURCE: &str = "oauth-protected-resource";
const AUTHORIZATION_SERVER: &str = "oauth-authorization-server";
const OPENID_CONFIGURATION: &str = "openid-configuration";

/// What was found out about the authorization that a server asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovery {
    /// The authorization server, checked against its own metadata; `None` if a
    /// step before failed.
    pub issuer: Option<String>,
    /// The scopes to ask for: those of the challenge, else all that the
    /// resource supports; `None` if neither names any.
    pub scopes: Option<Vec<String>>,
    /// Where the protected resource describes itself.
    pub resource_metadata: Option<String>,
    /// Which step failed, and how, in our own words.
    pub failure: Option<String>,
}

impl Discovery {
    /// The error that ends an operation which needs authorization.
    pub fn into_error(self, method: &str) -> ClientError {
        let message = match &self.failure {
            None => format!("{method} needs authorization"),
            Some(failure) => {
                format!("{method} needs authorization, and its discovery failed: {failure}")
            }
        };
        ClientError::new(ErrorKind::AuthorizationRequired, message).with(|facts| {
            facts.status = Some(401);
            facts.issuer = self.issuer;
            facts.scopes = self.scopes;
            facts.resource_metadata = self.resource_metadata;
            facts.discovery = self.failure;
        })
    }
}

/// Follows what a 401 from `endpoint` says, each fetch a leg of `budget`.
///
/// A step that fails is part of the [`Discovery`].
///
/// # Errors
/// Only if the budget ended it: cancelled, timed out, or spent.
pub async fn discover(
    http: &dyn HttpClient,
    endpoint: &Uri,
    revision: Revision,
    challenges: &[Challenge],
    budget: &mut Budget,
) -> Result<Discovery, ClientError> {
    let bearer = || challenges.iter().filter(|challenge| challenge.is("Bearer"));
    let challenge = bearer()
        .find(|challenge| challenge.parameter("resource_metadata").is_some())
        .or_else(|| bearer().next());
    let mut found = Discovery {
        scopes: challenge.and_then(|challenge| challenge.parameter("scope")).map(words),
        ..Discovery::default()
    };
    let from = Url::parse(&endpoint.to_string()).ok();
    let mut search = Search { http, revision, budget, from };
    match search.run(challenge, &mut found).await {
        Ok(()) => {}
        Err(Stop::Failed(failure)) => found.failure = Some(failure),
        Err(Stop::Interrupted(error)) => return Err(error),
    }
    Ok(found)
}

fn words(text: &str) -> Vec<String> {
    text.split_ascii_whitespace().map(str::to_owned).collect()
}

/// Why the search stopped.
enum Stop {
    /// A step failed: these words say which and how.
    Failed(String),
    /// The budget ended it.
    Interrupted(ClientError),
}

impl From<ClientError> for Stop {
    fn from(error: ClientError) -> Self {
        Stop::Interrupted(error)
    }
}

fn failed<T>(what: &str, how: impl std::fmt::Display) -> Result<T, Stop> {
    Err(Stop::Failed(format!("{what}: {how}")))
}

struct Search<'a> {
    http: &'a dyn HttpClient,
    revision: Revision,
    budget: &'a mut Budget,
    /// The endpoint from which everything is found; `None` if it is not a URL.
    from: Option<Url>,
}

impl Search<'_> {
    async fn run(
        &mut self,
        challenge: Option<&Challenge>,
        found: &mut Discovery,
    ) -> Result<(), Stop> {
        let Some(endpoint) = self.from.clone() else {
            return failed("the endpoint", "it is not a URL");
        };
        if self.revision.has_protected_resource_metadata() {
            let issuer = self.resource_metadata(&endpoint, challenge, found).await?;
            let metadata = self.confirm_issuer(&issuer).await?;
            found.issuer = Some(issuer);
            if self.revision.discovers_openid_providers() && !supports_s256(&metadata) {
                let how = "its `code_challenge_methods_supported` does not name S256";
                return failed("the authorization server's metadata", how);
            }
        } else {
            found.issuer = Some(self.own_issuer(&endpoint).await?);
        }
        Ok(())
    }

    /// The protected resource's metadata (RFC 9728): the first authorization
    /// server in it.
    async fn resource_metadata(
        &mut self,
        endpoint: &Url,
        challenge: Option<&Challenge>,
        found: &mut Discovery,
    ) -> Result<String, Stop> {
        let what = "the protected resource's metadata";
        let named = challenge.and_then(|challenge| challenge.parameter("resource_metadata"));
        let places = match named {
            Some(url) => match web_address(url) {
                Some(url) => vec![url],
                None => return failed("the challenge", "its resource_metadata is not a URL"),
            },
            None if self.revision.probes_resource_metadata() => {
                vec![inserted(endpoint, PROTECTED_RESOURCE), at_root(endpoint, PROTECTED_RESOURCE)]
            }
            None => return failed("the challenge", "it names no resource_metadata"),
        };
        let fits = |place: &Url, metadata: &Value| {
            let resource = metadata["resource"].as_str().and_then(web_address);
            if resource.is_some_and(|resource| is_about(&resource, endpoint, place)) {
                Ok(())
            } else {
                Err("its `resource` is not this endpoint")
            }
        };
        let (place, metadata) = self.first_of(what, places, fits).await?;
        found.resource_metadata = Some(match named {
            Some(named) => named.to_owned(),
            None => place.to_string(),
        });
        if found.scopes.is_none() {
            found.scopes = metadata["scopes_supported"]
                .as_array()
                .map(|scopes| scopes.iter().filter_map(Value::as_str).map(str::to_owned).collect());
        }
        match metadata["authorization_servers"][0].as_str() {
            Some(issuer) => Ok(issuer.to_owned()),
            None => failed(what, "it names no authorization server"),
        }
    }

    /// The authorization server's metadata (RFC 8414, and OpenID Connect
    /// Discovery from 2025-11-25 on): it has to name this very issuer.
    async fn confirm_issuer(&mut self, issuer: &str) -> Result<Value, Stop> {
        let what = "the authorization server's metadata";
        let Some(url) = web_address(issuer) else {
            return failed("the authorization server", "its identifier is not a URL");
        };
        let mut places = vec![inserted(&url, AUTHORIZATION_SERVER)];
        if self.revision.discovers_openid_providers() {
            places.push(inserted(&url, OPENID_CONFIGURATION));
            places.push(appended(&url, OPENID_CONFIGURATION));
        }
        let fits = |_: &Url, metadata: &Value| {
            if metadata["issuer"].as_str() == Some(issuer) {
                Ok(())
            } else {
                Err("its `issuer` is not the authorization server that was named")
            }
        };
        let (_, metadata) = self.first_of(what, places, fits).await?;
        Ok(metadata)
    }

    /// 2025-03-26: the server's own root is the authorization server; without
    /// metadata (404) the default endpoints below it hold.
    async fn own_issuer(&mut self, endpoint: &Url) -> Result<String, Stop> {
        let what = "the authorization server's metadata";
        let root = endpoint.origin().ascii_serialization();
        let place = at_root(endpoint, AUTHORIZATION_SERVER);
        match self.fetch(what, &place).await? {
            Fetched::Refused(404) => Ok(root),
            Fetched::Refused(status) => failed(what, format_args!("status {status}")),
            Fetched::Page => failed(what, NOT_METADATA),
            Fetched::Document(metadata) => {
                // The identifier is derived, not given: with or without the
                // slash it is the same root.
                match metadata["issuer"].as_str() {
                    Some(issuer) if issuer.strip_suffix('/').unwrap_or(issuer) == root => {
                        Ok(issuer.to_owned())
                    }
                    _ => failed(what, "its `issuer` is not the server's root"),
                }
            }
        }
    }

    /// The first document among `places` that `fits`. Each is tried only if the
    /// one before was refused, is no metadata, or does not fit; the first of the
    /// latter two reasons is what is told.
    async fn first_of(
        &mut self,
        what: &str,
        mut places: Vec<Url>,
        fits: impl Fn(&Url, &Value) -> Result<(), &'static str>,
    ) -> Result<(Url, Value), Stop> {
        places.dedup();
        let mut last = 404;
        let mut unfit = None;
        for place in places {
            let reason = match self.fetch(what, &place).await? {
                Fetched::Document(document) => match fits(&place, &document) {
                    Ok(()) => return Ok((place, document)),
                    Err(reason) => reason,
                },
                Fetched::Page => NOT_METADATA,
                Fetched::Refused(status) => {
                    last = status;
                    continue;
                }
            };
            unfit.get_or_insert(reason);
        }
        match unfit {
            Some(reason) => failed(what, reason),
            None => failed(what, format_args!("status {last}")),
        }
    }

    async fn fetch(&mut self, what: &str, url: &Url) -> Result<Fetched, Stop> {
        let Ok(uri) = url.as_str().parse::<Uri>() else {
            return failed(what, "its address is not a URI");
        };
        if let Some(refusal) = self.from.as_ref().and_then(|from| refusal(from, url)) {
            return failed(what, refusal);
        }
        let mut request = Request::new(Bytes::new());
        *request.method_mut() = Method::GET;
        *request.uri_mut() = uri;
        if let Some(from) = &self.from {
            mark(&mut request, from);
        }
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/json"));
        if !self.revision.has_protected_resource_metadata() {
            request.headers_mut().insert(
                HeaderName::from_static("mcp-protocol-version"),
                HeaderValue::from_static(self.revision.as_str()),
            );
        }
        let http = self.http;
        let fetched = self.budget.leg(async move { Ok(read(http, request).await) }).await?;
        match fetched {
            Ok(Read { status: 200..=299, document: Some(document) }) if document.is_object() => {
                Ok(Fetched::Document(document))
            }
            Ok(Read { status: 200..=299, .. }) => Ok(Fetched::Page),
            Ok(Read { status: status @ 400..=499, .. }) => Ok(Fetched::Refused(status)),
            Ok(Read { status, .. }) => failed(what, format_args!("status {status}")),
            Err(how) => failed(what, how),
        }
    }
}

/// What is said of a [`Fetched::Page`].
const NOT_METADATA: &str = "it is not a JSON object";

enum Fetched {
    Document(Value),
    /// A success with something else, as a web page that stands at every address.
    Page,
    /// A status of 4xx: it may be elsewhere.
    Refused(u16),
}

struct Read {
    status: u16,
    document: Option<Value>,
}

/// Reads a document.
///
/// # Errors
/// What happened instead, in words.
async fn read(http: &dyn HttpClient, request: Request) -> Result<Read, String> {
    let incomplete = || "no complete response came".to_owned();
    let response = http.send(request).await.map_err(|error| match error {
        http::ClientError::InvalidRequest { reason, .. } => {
            format!("it was not asked for: {reason}")
        }
        http::ClientError::Network { reason: TransportError::Inside, .. } => {
            LeadsInside.to_string()
        }
        _ => incomplete(),
    })?;
    let status = response.status().as_u16();
    let body = read_whole(response.into_body(), READ_LIMIT).await.map_err(|error| match error {
        ReadError::TooLarge { limit } => format!("it is longer than {limit} bytes"),
        ReadError::TooMany { limit } => format!("it has more than {limit} events"),
        ReadError::Transport(_) => incomplete(),
    })?;
    Ok(Read { status, document: serde_json::from_slice(&body).ok() })
}

/// An absolute URL that this client can fetch.
fn web_address(text: &str) -> Option<Url> {
    Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
}

/// Whether the document at `place` that names `resource` is about `endpoint`:
/// they are the same (RFC 9728, section 3.3), or the document is that of the whole
/// origin and the resource stands above the endpoint.
fn is_about(resource: &Url, endpoint: &Url, place: &Url) -> bool {
    let path = |url: &Url| url.path().trim_end_matches('/').to_owned();
    let is_same = path(resource) == path(endpoint) && resource.query() == endpoint.query();
    covers(resource, endpoint) && (is_same || *place == at_root(endpoint, PROTECTED_RESOURCE))
}

/// Whether clients can use PKCE with S256 (basic/authorization, "Authorization
/// Code Protection").
fn supports_s256(metadata: &Value) -> bool {
    let methods = metadata["code_challenge_methods_supported"].as_array();
    methods.is_some_and(|methods| methods.iter().any(|method| method == "S256"))
}

/// Whether `resource` is `endpoint`, or stands above it on the same origin.
fn covers(resource: &Url, endpoint: &Url) -> bool {
    let prefix = resource.path().trim_end_matches('/');
    let below = endpoint.path().strip_prefix(prefix);
    resource.origin() == endpoint.origin()
        && below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
}

/// The well-known address with the path of `url` behind it (RFC 8414 and RFC
/// 9728, section 3.1).
fn inserted(url: &Url, name: &str) -> Url {
    let path = url.path().trim_end_matches('/');
    let mut place = at_root(url, name);
    place.set_path(&format!("/.well-known/{name}{path}"));
    place
}

/// The well-known address behind the path of `url` (OpenID Connect Discovery
/// 1.0, section 4).
fn appended(url: &Url, name: &str) -> Url {
    let path = url.path().trim_end_matches('/');
    let mut place = at_root(url, name);
    place.set_path(&format!("{path}/.well-known/{name}"));
    place
}

fn at_root(url: &Url, name: &str) -> Url {
    let mut place = url.clone();
    place.set_query(None);
    place.set_fragment(None);
    place.set_path(&format!("/.well-known/{name}"));
    place
}
