//! A real socket: [`Live`] sends each request with reqwest.

use std::error::Error;
use std::io;
use std::sync::{Arc, OnceLock};

use ::http::Uri;
use ::http::uri::Scheme;
use futures_util::stream::StreamExt;
use reqwest::dns::Resolve;

use super::http::{
    Body, BoxFuture, ClientError, HttpClient, Request, Response, TransportError, valid,
};
use super::reach::{FoundFrom, Guarded, LeadsInside, System};
use super::request::{InvalidRequest, RequestHead};

/// Sends requests over HTTP/1.1, with TLS for `https`.
///
/// Header fields are sent as they are; only what HTTP itself needs, and
/// `accept`, `accept-encoding` and `user-agent` where they are missing, is
/// added. Redirects are not followed, bodies compressed with gzip are decoded,
/// and there are no timeouts: the caller bounds each leg.
///
/// Proxies that the environment names are not used. What is judged is what
/// crosses the wire between two ends, and a proxy between them adds header
/// fields and holds event streams back.
///
/// Connections are kept for the next request and are driven by the runtime in
/// which they were opened: each runtime needs a `Live` of its own.
///
/// What a server from outside named ([`FoundFrom`]) has a client and connections of its
/// own, whose names lead nowhere inside.
pub struct Live {
    /// Reading the system's certificates takes longer than a whole check, and
    /// some systems have none: only requests that need them pay for it.
    plain: OnceLock<Result<reqwest::Client, TransportError>>,
    secure: OnceLock<Result<reqwest::Client, TransportError>>,
    /// What looks up the names that were found.
    names: Arc<dyn Resolve>,
}

impl Default for Live {
    fn default() -> Self {
        Live { plain: OnceLock::new(), secure: OnceLock::new(), names: Arc::new(System) }
    }
}

impl Live {
    /// A client without connections.
    pub fn new() -> Self {
        Live::default()
    }

    /// The client for a request, which keeps its connections for the next one unless
    /// its address was found from outside.
    fn client_for(&self, request: &Request) -> Result<reqwest::Client, TransportError> {
        let builder = builder_for(request.uri());
        if let Some(found_from) = request.extensions().get::<FoundFrom>().cloned() {
            let names = Arc::clone(&self.names);
            return build(builder().dns_resolver(Guarded { names, found_from }));
        }
        let kept = if is_secure(request.uri()) { &self.secure } else { &self.plain };
        kept.get_or_init(|| build(builder())).clone()
    }
}

fn is_secure(uri: &Uri) -> bool {
    uri.scheme() == Some(&Scheme::HTTPS)
}

fn builder_for(uri: &Uri) -> fn() -> reqwest::ClientBuilder {
    if is_secure(uri) {
        reqwest::Client::builder
    } else {
        // No certificates at all: nothing here is encrypted.
        || reqwest::Client::builder().tls_certs_only([])
    }
}

fn build(builder: reqwest::ClientBuilder) -> Result<reqwest::Client, TransportError> {
    // An error means that a provider is there already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    builder
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .retry(reqwest::retry::never())
        .no_proxy()
        .user_agent(concat!("mcp-checks/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|_| {
            TransportError::Connect(
                "TLS cannot be set up: no certificate authorities were found; install the \
                 system's certificates (often a package named `ca-certificates`)"
                    .to_owned(),
            )
        })
}

impl HttpClient for Live {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, ClientError>> {
        Box::pin(async move {
            let request = valid(request)?;
            let head = RequestHead::from(&request);
            let client = match self.client_for(&request) {
                Ok(client) => client,
                Err(reason) => return Err(ClientError::new(head, reason)),
            };
            let peer = Peer::of(request.uri());
            let sent = match reqwest::Request::try_from(request) {
                Ok(request) => client.execute(request).await,
                Err(error) => Err(error),
            };
            let response = match sent {
                Ok(response) => response,
                // What the library does not send though it is valid here.
                Err(error) if error.is_builder() => {
                    let (request, reason) = (Box::new(head), InvalidRequest::Url);
                    return Err(ClientError::InvalidRequest { request, reason });
                }
                Err(error) => return Err(ClientError::new(head, peer.unsent(&error))),
            };

            let mut head = ::http::Response::new(());
            *head.status_mut() = response.status();
            *head.version_mut() = response.version();
            *head.headers_mut() = response.headers().clone();
            let chunks = response.bytes_stream().map(|chunk| chunk.map_err(|error| broken(&error)));
            Ok(head.map(|()| Body::stream(chunks)))
        })
    }
}

/// The far side as messages name it: host and port, never a user's name, a
/// password, a path or a query.
struct Peer {
    host: String,
    authority: String,
}

impl Peer {
    fn of(uri: &Uri) -> Self {
        let host = uri.host().unwrap_or("an unnamed host").to_owned();
        let authority = match uri.port_u16() {
            Some(port) => format!("{host}:{port}"),
            None => host.clone(),
        };
        Peer { host, authority }
    }

    /// Why no response came.
    fn unsent(&self, error: &reqwest::Error) -> TransportError {
        if !error.is_connect() {
            return broken(error);
        }
        let Peer { host, authority } = self;
        if Causes::of(error).any(|cause| cause.is::<LeadsInside>()) {
            return TransportError::Inside;
        }
        if error.is_dns() {
            return TransportError::Connect(format!(
                "the host `{host}` is not known; correct the URL, or see to name resolution \
                 (proxies set in the environment are not used)"
            ));
        }
        if let Some(tls) = Causes::of(error).find_map(|cause| cause.downcast_ref()) {
            return TransportError::Connect(format!("TLS with {authority}: {}", tls_failure(tls)));
        }
        let kind = Causes::of(error)
            .find_map(|cause| cause.downcast_ref::<io::Error>())
            .map(io::Error::kind);
        TransportError::Connect(match kind {
            Some(io::ErrorKind::ConnectionRefused) => format!(
                "{authority} refuses connections; start the server there, or correct the URL's \
                 host and port"
            ),
            Some(io::ErrorKind::TimedOut) => format!(
                "{authority} does not answer; see that the server runs and that no firewall is \
                 in between"
            ),
            // The kind's own words are fixed ones, not the far side's.
            Some(kind) => format!("{authority}: {kind}; see that it can be reached from here"),
            None => format!("{authority} cannot be reached; correct the URL's host and port"),
        })
    }
}

/// What went wrong with TLS, in our own words: those of the library quote the
/// certificate, which the far side wrote.
fn tls_failure(error: &rustls::Error) -> &'static str {
    use rustls::CertificateError as Certificate;
    match error {
        rustls::Error::InvalidCertificate(problem) => match problem {
            Certificate::Expired | Certificate::ExpiredContext { .. } => {
                "its certificate has expired; renew it"
            }
            Certificate::NotValidYet | Certificate::NotValidYetContext { .. } => {
                "its certificate is not valid yet; check both clocks"
            }
            Certificate::NotValidForName | Certificate::NotValidForNameContext { .. } => {
                "its certificate is for another host; use the name that it was issued for"
            }
            Certificate::UnknownIssuer => {
                "its certificate comes from an authority that this system does not trust; add the \
                 authority to the system's certificates"
            }
            _ => "its certificate is not valid",
        },
        rustls::Error::InvalidMessage(_) => {
            "what came is not TLS; perhaps the URL should begin with `http://`"
        }
        _ => "the handshake failed",
    }
}

/// Why an open connection gave no response, or not the whole body.
fn broken(error: &reqwest::Error) -> TransportError {
    for cause in Causes::of(error) {
        if let Some(error) = cause.downcast_ref::<hyper::Error>() {
            if error.is_parse_too_large() {
                return TransportError::HeadTooLarge;
            }
            if error.is_parse() {
                return TransportError::Protocol("the response's head cannot be read".to_owned());
            }
            if error.is_incomplete_message() || error.is_closed() || error.is_canceled() {
                return TransportError::Closed;
            }
        }
        if let Some(error) = cause.downcast_ref::<io::Error>() {
            match error.kind() {
                io::ErrorKind::UnexpectedEof
                | io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::BrokenPipe
                | io::ErrorKind::NotConnected => return TransportError::Closed,
                io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
                    return TransportError::Protocol("the body cannot be decoded".to_owned());
                }
                _ => {}
            }
        }
    }
    if error.is_decode() {
        return TransportError::Protocol("the body cannot be decoded".to_owned());
    }
    TransportError::Closed
}

/// An error and what caused it, the outermost first.
///
/// An input or output error passes over the error that it wraps when it is
/// asked for its source; here none is left out.
struct Causes<'a>(Option<&'a (dyn Error + 'static)>);

impl<'a> Causes<'a> {
    fn of(error: &'a (dyn Error + 'static)) -> Self {
        Causes(Some(error))
    }
}

impl<'a> Iterator for Causes<'a> {
    type Item = &'a (dyn Error + 'static);

    fn next(&mut self) -> Option<Self::Item> {
        let error = self.0?;
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        self.0 = match wrapped {
            Some(wrapped) => Some(wrapped as &(dyn Error + 'static)),
            None => error.source(),
        };
        Some(error)
    }
}

#[cfg(test)]
mod tests;
