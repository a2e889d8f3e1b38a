//! Where discovery may lead: [`refusal`]. A server from outside names addresses, and
//! whoever fetches them from inside of a network would be its arm there.

use ::http::Request;
use url::{Host, Url};

use crate::wire::reach::{FoundFrom, is_inner_address};

/// Why `place` is not fetched for `endpoint`, in words; `None` if it is.
///
/// An endpoint on the network leads to no place on this machine, in a private network
/// or on the link: what is there does not belong to it. And one that was reached by
/// https leads to no place by http, other than on this machine (RFC 9728, section 7.3
/// and RFC 8414, section 6 demand https).
pub(super) fn refusal(endpoint: &Url, place: &Url) -> Option<&'static str> {
    if is_inner(place) && !is_inner(endpoint) {
        return Some("its address is in a private network, and the endpoint's is not");
    }
    if endpoint.scheme() == "https" && place.scheme() == "http" && !is_inner(place) {
        return Some("its address is not https, and the endpoint's is");
    }
    None
}

/// Has `request` refused if its name leads into a private network, and that of the
/// endpoint does not; [`refusal`] judges what is no name.
pub(super) fn mark<T>(request: &mut Request<T>, endpoint: &Url) {
    if let (false, Some(host)) = (is_inner(endpoint), endpoint.host_str()) {
        let host = host.trim_matches(['[', ']']).to_owned();
        request.extensions_mut().insert(FoundFrom(host));
    }
}

/// Whether an address is on this machine, in a private network or on the link, as far
/// as it says so itself: whither names lead is found out when they are connected to.
fn is_inner(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => is_inner_address(address.into()),
        Some(Host::Ipv6(address)) => is_inner_address(address.into()),
        Some(Host::Domain(name)) => {
            let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
            let last = name.rsplit('.').next().unwrap_or_default();
            // RFC 6761, RFC 6762 and RFC 8375 keep these names for that.
            ["localhost", "local"].contains(&last)
                || name.ends_with(".home.arpa")
                || last == "internal"
        }
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leads(endpoint: &str, place: &str) -> bool {
        refusal(&endpoint.parse().unwrap(), &place.parse().unwrap()).is_none()
    }

    #[test]
    fn an_endpoint_outside_leads_nowhere_inside() {
        for place in [
            "https://127.0.0.1/x",
            "https://127.1/x",
            "https://2130706433/x",
            "https://10.1.2.3/x",
            "https://172.16.0.1/x",
            "https://192.168.1.1:8443/x",
            "https://169.254.169.254/latest/meta-data",
            "https://100.64.0.1/x",
            "https://0.0.0.0/x",
            "https://[::1]/x",
            "https://[::]/x",
            "https://[fd00::1]/x",
            "https://[fe80::1]/x",
            "https://[::ffff:10.0.0.1]/x",
            "https://[64:ff9b::a9fe:a9fe]/x",
            "https://localhost/x",
            "https://LOCALHOST./x",
            "https://a.localhost/x",
            "https://printer.local/x",
            "https://metadata.google.internal/x",
        ] {
            assert!(!leads("https://mcp.example.com/mcp", place), "{place}");
            assert!(!leads("http://203.0.113.7/mcp", place), "{place}");
            assert!(leads("http://127.0.0.1:3001/mcp", place), "{place}");
            assert!(leads("http://localhost:3001/mcp", place), "{place}");
        }
    }

    #[test]
    fn https_leads_to_https() {
        assert!(leads("https://mcp.example.com/mcp", "https://auth.example.org/x"));
        assert!(!leads("https://mcp.example.com/mcp", "http://auth.example.org/x"));
        assert!(leads("https://127.0.0.1/mcp", "http://127.0.0.1:9000/x"));
        assert!(leads("http://server.test/mcp", "http://auth.test/x"));
        assert!(leads("https://172.32.0.1/mcp", "https://100.128.0.1/x"));
    }

    #[test]
    fn what_is_found_from_outside_is_marked_as_such() {
        let marked = |endpoint: &str| {
            let mut request = Request::new(());
            mark(&mut request, &endpoint.parse().unwrap());
            request.extensions().get::<FoundFrom>().map(|from| from.0.clone())
        };
        assert_eq!(marked("https://mcp.example.com/mcp").as_deref(), Some("mcp.example.com"));
        assert_eq!(marked("http://[2001:db8::1]/mcp").as_deref(), Some("2001:db8::1"));
        assert_eq!(marked("http://127.0.0.1:3001/mcp"), None);
    }
}
