//! What a request has to be before it is sent: [`validate`], which every sender
//! asks, and [`RequestHead`], a request as it was written, valid or not.

use std::fmt;

use ::http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use ::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use bytes::Bytes;
use serde_json::{Map, Value, json};
use url::Url;

/// One HTTP request with its whole body. Its URI is absolute.
pub type Request = ::http::Request<Bytes>;

/// A request without its body, as it was written: nothing says that it is
/// valid.
///
/// It may hold credentials, as any request may. What shows it redacts it, and
/// its `Debug` names no value of a header field and no more of the URL than the
/// host.
#[derive(Clone, PartialEq, Eq)]
pub struct RequestHead {
    /// The method.
    pub method: String,
    /// The URL.
    pub url: String,
    /// The header fields, in the order in which they are to be sent.
    pub headers: Vec<(String, Vec<u8>)>,
}

/// Why a request is not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRequest {
    /// The method is no token (RFC 9110, section 9.1).
    #[error("the method is not a token; write letters, as in `POST`")]
    Method,
    /// CONNECT asks a proxy for a tunnel, and has no URL to go to.
    #[error("CONNECT opens a tunnel, and cannot be sent to a URL")]
    Tunnel,
    /// The URL cannot be read, or names no host.
    #[error("the URL cannot be read; write a whole one, as in `http://server.test/mcp`")]
    Url,
    /// The URL is one of another scheme.
    #[error("the URL begins with neither `http://` nor `https://`")]
    Scheme,
    /// The name of a header field is no token (RFC 9110, section 5.1).
    #[error("the name of a header field is not a token; leave out spaces, colons and line ends")]
    HeaderName,
    /// The value of a header field holds a control character, such as the end of
    /// a line (RFC 9110, section 5.5).
    #[error("the value of the header field `{0}` holds a control character")]
    HeaderValue(HeaderName),
    /// `content-length` is not the length of the body (RFC 9110, section 8.6).
    #[error("`content-length` is not the length of the body; leave it out, and it is added")]
    ContentLength,
    /// `transfer-encoding` does not end in `chunked`, or stands beside
    /// `content-length` (RFC 9112, section 6).
    #[error("`transfer-encoding` does not end in `chunked`, or stands beside `content-length`")]
    TransferEncoding,
}

/// Whether `request` can be sent: what HTTP demands of it, and of its framing.
/// The double asks this as the live sender does, so that neither takes what the
/// other refuses.
///
/// A user's name in the URL, a password and a fragment are no fault: they are
/// not sent.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn validate(request: &Request) -> Result<(), InvalidRequest> {
    if *request.method() == Method::CONNECT {
        return Err(InvalidRequest::Tunnel);
    }
    absolute(&request.uri().to_string())?;
    framed(request.headers(), request.body().len())
}

/// The URL of a request, in the form in which it is sent.
fn absolute(url: &str) -> Result<Uri, InvalidRequest> {
    let mut url = Url::parse(url).map_err(|_| InvalidRequest::Url)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(InvalidRequest::Scheme);
    }
    url.set_fragment(None);
    url.as_str().parse().map_err(|_| InvalidRequest::Url)
}

/// Whether the header fields say of the body's length what is true.
fn framed(headers: &HeaderMap, length: usize) -> Result<(), InvalidRequest> {
    let mut lengths = headers.get_all(CONTENT_LENGTH).into_iter();
    let declared = headers.contains_key(CONTENT_LENGTH);
    if lengths.any(|value| value.to_str().ok().and_then(|text| text.parse().ok()) != Some(length)) {
        return Err(InvalidRequest::ContentLength);
    }
    let Some(last) = headers.get_all(TRANSFER_ENCODING).into_iter().next_back() else {
        return Ok(());
    };
    let last = last.to_str().unwrap_or_default().rsplit(',').next().unwrap_or_default();
    if declared || !last.trim().eq_ignore_ascii_case("chunked") {
        return Err(InvalidRequest::TransferEncoding);
    }
    Ok(())
}

impl RequestHead {
    /// A request of these parts.
    pub fn new(method: impl Into<String>, url: impl Into<String>, headers: &HeaderMap) -> Self {
        let field = |(name, value): (&HeaderName, &HeaderValue)| {
            (name.as_str().to_owned(), value.as_bytes().to_vec())
        };
        let headers = headers.iter().map(field).collect();
        RequestHead { method: method.into(), url: url.into(), headers }
    }

    /// The request, if it is valid; else what is wrong with it.
    pub(super) fn parse(&self, body: Bytes) -> Result<Request, InvalidRequest> {
        let mut request = Request::new(body);
        *request.method_mut() =
            Method::from_bytes(self.method.as_bytes()).map_err(|_| InvalidRequest::Method)?;
        *request.uri_mut() = absolute(&self.url)?;
        for (name, value) in &self.headers {
            let name =
                HeaderName::from_bytes(name.as_bytes()).map_err(|_| InvalidRequest::HeaderName)?;
            let value = HeaderValue::from_bytes(value)
                .map_err(|_| InvalidRequest::HeaderValue(name.clone()))?;
            request.headers_mut().append(name, value);
        }
        validate(&request)?;
        Ok(request)
    }

    /// `#{ method, url, headers }`; a header field that is there several times
    /// has its values joined by `, ` (RFC 9110, section 5.3).
    pub fn to_json(&self) -> Value {
        let mut headers = Map::new();
        for (name, value) in &self.headers {
            let value = String::from_utf8_lossy(value);
            match headers.get_mut(name) {
                Some(Value::String(before)) => {
                    before.push_str(", ");
                    before.push_str(&value);
                }
                _ => {
                    headers.insert(name.clone(), value.into());
                }
            }
        }
        json!({ "method": self.method, "url": self.url, "headers": headers })
    }
}

impl From<&Request> for RequestHead {
    fn from(request: &Request) -> Self {
        RequestHead::new(request.method().as_str(), request.uri().to_string(), request.headers())
    }
}

impl fmt::Debug for RequestHead {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = Url::parse(&self.url).ok();
        let host = url.as_ref().and_then(Url::host_str).unwrap_or("an unnamed host");
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        formatter
            .debug_struct("RequestHead")
            .field("method", &self.method)
            .field("host", &host)
            .field("headers", &names)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
