//! Where discovery may lead: [`refusal`]. A server from outside names addresses, and
//! whoever fetches them from inside of a network would be its arm there.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

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

/// Whether an address is on this machine, in a private network or on the link, as far
/// as it says so itself: names are not looked up.
fn is_inner(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => is_inner_v4(address),
        Some(Host::Ipv6(address)) => is_inner_v6(address),
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

fn is_inner_v4(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_broadcast()
        || first == 0
        // Shared address space (RFC 6598).
        || first == 100 && second & 0xc0 == 64
}

fn is_inner_v6(address: Ipv6Addr) -> bool {
    let first = address.segments()[0];
    let mapped = address.to_ipv4_mapped().or_else(|| {
        // 64:ff9b::/96 stands for IPv4 behind a translator (RFC 6052).
        let [a, b, 0, 0, 0, 0, high, low] = address.segments() else { return None };
        let is_translated = (a, b) == (0x64, 0xff9b);
        is_translated.then(|| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)))
    });
    match mapped.map(IpAddr::V4) {
        Some(IpAddr::V4(mapped)) => is_inner_v4(mapped),
        _ => {
            address.is_loopback()
                || address.is_unspecified()
                || first & 0xfe00 == 0xfc00
                || first & 0xffc0 == 0xfe80
        }
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
}
