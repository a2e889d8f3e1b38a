//! Where a name may lead: whoever fetches what a server from outside names must not be
//! its arm inside of a network. The resolver refuses names that lead there.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Beside a request (among its extensions): the host by which its address was found,
/// which is in no private network as far as it is written.
#[derive(Clone, Debug)]
pub struct FoundFrom(pub String);

/// A name leads to an address in a private network, and what named it does not.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("its name leads into a private network, and the endpoint's does not")]
pub struct LeadsInside;

/// Looks names up as the system does.
#[derive(Clone, Copy, Debug)]
pub(super) struct System;

impl Resolve for System {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(Box::new(found.collect::<Vec<_>>().into_iter()) as Addrs)
        })
    }
}

/// Looks names up, and connects to no address inside for what was found outside. Since
/// it is the resolver of the connection itself, no second answer can say otherwise.
pub(super) struct Guarded {
    pub(super) names: Arc<dyn Resolve>,
    pub(super) found_from: FoundFrom,
}

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let (names, from) = (Arc::clone(&self.names), self.found_from.0.clone());
        Box::pin(async move {
            let found: Vec<SocketAddr> = names.resolve(name).await?.collect();
            if found.iter().any(is_inside) {
                // The names of an organization may all lead inside.
                let from: Vec<SocketAddr> = names.resolve(from.parse()?).await?.collect();
                if !from.iter().all(is_inside) {
                    return Err(LeadsInside.into());
                }
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

fn is_inside(address: &SocketAddr) -> bool {
    is_inner_address(address.ip())
}

/// Whether an address is on this machine, in a private network or on the link.
pub fn is_inner_address(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_inner_v4(address),
        IpAddr::V6(address) => is_inner_v6(address),
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
    match mapped {
        Some(mapped) => is_inner_v4(mapped),
        None => {
            address.is_loopback()
                || address.is_unspecified()
                || first & 0xfe00 == 0xfc00
                || first & 0xffc0 == 0xfe80
        }
    }
}
