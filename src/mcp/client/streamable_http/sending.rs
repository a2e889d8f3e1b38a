//! Messages as HTTP requests, and where they go: [`StreamableHttp`] and its
//! [`Endpoint`].

use std::sync::Arc;

use ::http::header::{ACCEPT, CONTENT_TYPE};
use ::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use bytes::Bytes;
use serde_json::Value;
use url::Url;

use super::refusal::with_bounded_head;
use super::tools::KnownTools;
use crate::mcp::client::error::ClientError;
use crate::mcp::client::transport::Session;
use crate::mcp::mirror;
use crate::wire::http::{self, HttpClient};

pub(super) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Where a server is reached, and what is said on the way.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The MCP endpoint, absolute.
    pub url: Uri,
    /// Header fields that are added to every request.
    pub headers: HeaderMap,
}

impl Endpoint {
    /// The endpoint's origin, serialized (RFC 6454, section 6.2).
    pub fn origin(&self) -> String {
        match Url::parse(&self.url.to_string()) {
            Ok(url) => url.origin().ascii_serialization(),
            Err(_) => self.url.to_string(),
        }
    }
}

impl From<Uri> for Endpoint {
    /// The endpoint at `url`, without header fields beside those of MCP.
    fn from(url: Uri) -> Self {
        Endpoint { url, headers: HeaderMap::new() }
    }
}

/// Messages over HTTP, to one endpoint.
pub struct StreamableHttp {
    pub(super) http: Arc<dyn HttpClient>,
    pub(super) endpoint: Endpoint,
    pub(super) origin: String,
    pub(super) scale: u32,
    pub(super) tools: KnownTools,
}

impl StreamableHttp {
    /// Sends to `endpoint` through `http`. Delays are divided by `scale`.
    pub fn new(http: Arc<dyn HttpClient>, endpoint: Endpoint, scale: u32) -> Self {
        let origin = endpoint.origin();
        StreamableHttp { http, endpoint, origin, scale, tools: KnownTools::default() }
    }

    /// `own` header fields, then those of the session, then the extra ones.
    pub(super) fn headers_with<const N: usize>(
        &self,
        own: [(HeaderName, HeaderValue); N],
        session: &Session,
    ) -> HeaderMap {
        let mut headers = HeaderMap::from_iter(own);
        if let Some(id) = &session.id
            && let Ok(id) = HeaderValue::from_str(id)
        {
            headers.insert(SESSION_ID, id);
        }
        if session.negotiated && session.revision.has_version_header() {
            let version = HeaderValue::from_static(session.revision.as_str());
            headers.insert(mirror::PROTOCOL_VERSION, version);
        }
        for (name, value) in &self.endpoint.headers {
            headers.append(name.clone(), value.clone());
        }
        headers
    }

    /// The header fields that `message` has as a POST of `session`; null stands for
    /// what is no message.
    pub fn headers(&self, message: &Value, session: &Session) -> HeaderMap {
        let accepted = HeaderValue::from_static("application/json, text/event-stream");
        let own =
            [(CONTENT_TYPE, HeaderValue::from_static("application/json")), (ACCEPT, accepted)];
        let mut headers = self.headers_with(own, session);
        if session.revision.mirrors_requests() && message.get("id").is_some() {
            mirror_request(message, &mut headers);
            if message["method"] == "tools/call" {
                self.tools.mirror(message, &mut headers);
            }
        }
        headers
    }

    pub(super) async fn send(
        &self,
        method: Method,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<http::Response, ClientError> {
        let mut request = http::Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = self.endpoint.url.clone();
        *request.headers_mut() = headers;
        let response = self.http.send(request).await?;
        with_bounded_head(response, self.scale).await
    }

    pub(super) async fn post(
        &self,
        message: Value,
        session: &Session,
    ) -> Result<http::Response, ClientError> {
        let body = Bytes::from(message.to_string());
        self.send(Method::POST, self.headers(&message, session), body).await
    }

    /// Asks for a stream: the one to listen to, or what comes after the event
    /// with this id.
    pub(super) async fn get(
        &self,
        last_event_id: Option<HeaderValue>,
        session: &Session,
    ) -> Result<http::Response, ClientError> {
        let accepted = (ACCEPT, HeaderValue::from_static("text/event-stream"));
        let headers = match last_event_id {
            Some(id) => self.headers_with([accepted, (LAST_EVENT_ID, id)], session),
            None => self.headers_with([accepted], session),
        };
        self.send(Method::GET, headers, Bytes::new()).await
    }
}

/// Says in header fields what is called and what it addresses.
fn mirror_request(message: &Value, headers: &mut HeaderMap) {
    let Some(method) = message["method"].as_str() else { return };
    headers.insert(mirror::METHOD, mirror::encode(method));
    let name = mirror::name_member(method).and_then(|member| message["params"][member].as_str());
    if let Some(name) = name {
        headers.insert(mirror::NAME, mirror::encode(name));
    }
}
