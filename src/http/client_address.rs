//! Addresses of clients: of the peer or, behind trusted proxies, of the client that a proxy names in
//! a header.
//!
//! A proxy appends the address of its own peer to the header. The client is therefore the last
//! address that is not a trusted proxy. The client itself may have invented everything before it.

mod elements;

use std::net::IpAddr;

use poem::http::{HeaderMap, HeaderName, header};
use poem::{Addr, Request};

use self::elements::Elements;
use crate::values::{ClientHeader, TrustedProxies};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Maximum number of elements that the server reads from the header. No chain of proxies is this
/// long, and a client could otherwise make each request expensive.
const MAX_ELEMENTS: usize = 32;

/// Returns the name of the header.
const fn name_of(header: ClientHeader) -> HeaderName {
    match header {
        ClientHeader::XForwardedFor => X_FORWARDED_FOR,
        ClientHeader::Forwarded => header::FORWARDED,
    }
}

/// The client of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress {
    /// Address of the client. `None` if the client is the peer of a Unix socket.
    pub ip: Option<IpAddr>,
    /// Whether the peer of the connection is a trusted proxy.
    pub is_peer_trusted: bool,
    /// Whether limits per client do not apply: the peer is on this machine, and names no other
    /// client.
    pub is_exempt: bool,
}

/// Rules for finding the client of a request.
#[derive(Debug)]
pub struct ClientAddresses {
    /// Proxies from which the server accepts the header.
    pub proxies: TrustedProxies,
    /// The header that names clients. The server ignores all others.
    pub header: ClientHeader,
}

impl ClientAddresses {
    /// Returns the client of a request.
    #[must_use]
    pub fn find(&self, request: &Request) -> ClientAddress {
        self.find_in(&request.remote_addr().0, request.headers())
    }

    fn find_in(&self, peer: &Addr, headers: &HeaderMap) -> ClientAddress {
        let peer_ip = peer.as_socket_addr().map(|address| address.ip().to_canonical());
        let is_peer_trusted = self.trusts(peer);
        let mut ip = peer_ip;
        let mut is_named = false;
        if is_peer_trusted {
            let lines = headers.get_all(name_of(self.header)).iter().rev();
            let elements = lines.flat_map(|line| Elements::new(self.header, line.as_bytes()));
            for element in elements.take(MAX_ELEMENTS) {
                is_named = true;
                // A proxy that does not know its client may send an element without an address. The
                // client may have invented everything before that element.
                let Some(address) = element else { break };
                ip = Some(address);
                if !self.proxies.trusts_address(address) {
                    break;
                }
            }
        }
        let is_local = peer_ip.map_or(peer.as_unix_socket_addr().is_some(), |ip| ip.is_loopback());
        ClientAddress { ip, is_peer_trusted, is_exempt: is_local && !is_named }
    }

    /// Returns whether the peer of a connection is a trusted proxy.
    #[must_use]
    pub fn trusts(&self, peer: &Addr) -> bool {
        match peer {
            Addr::SocketAddr(address) => self.proxies.trusts_address(address.ip()),
            Addr::Unix(_) => self.proxies.trusts_unix_peers(),
            Addr::Custom(..) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use poem::http::HeaderValue;

    use super::*;

    const PROXY: &str = "10.0.0.1:4711";

    fn find(header: ClientHeader, peer: &str, lines: &[&str]) -> ClientAddress {
        let proxies = ["10.0.0.0/8", "127.0.0.1", "2001:db8:f::/48"];
        let proxies = TrustedProxies(proxies.map(|proxy| proxy.parse().unwrap()).to_vec());
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(name_of(header), HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        let peer = Addr::SocketAddr(peer.parse().unwrap());
        ClientAddresses { proxies, header }.find_in(&peer, &headers)
    }

    /// Panics unless the client behind a proxy has this address.
    #[track_caller]
    fn assert_client(header: ClientHeader, lines: &[&str], expected: &str) {
        let client = find(header, PROXY, lines);
        assert_eq!(client.ip, Some(expected.parse().unwrap()), "{lines:?}");
        assert!(client.is_peer_trusted && !client.is_exempt, "{lines:?}");
    }

    #[test]
    fn last_address_that_is_not_a_proxy_is_the_client() {
        for (lines, expected) in [
            (&["192.0.2.1"][..], "192.0.2.1"),
            (&["203.0.113.9, 192.0.2.1"], "192.0.2.1"),
            (&["203.0.113.9, 192.0.2.1, 10.1.1.1,10.2.2.2"], "192.0.2.1"),
            (&["203.0.113.9", "192.0.2.1", "10.1.1.1"], "192.0.2.1"),
            (&["192.0.2.1:4711"], "192.0.2.1"),
            (&["2001:db8::1"], "2001:db8::1"),
            (&["[2001:db8::1]"], "2001:db8::1"),
            (&["[2001:db8::1]:4711, 2001:db8:f::7"], "2001:db8::1"),
            (&["::ffff:192.0.2.1, ::ffff:10.0.0.7"], "192.0.2.1"),
            (&["192.0.2.1,, ,"], "192.0.2.1"),
            (&["10.1.1.1, 10.2.2.2"], "10.1.1.1"),
        ] {
            assert_client(ClientHeader::XForwardedFor, lines, expected);
        }
    }

    #[test]
    fn forwarded_is_parsed_as_in_rfc_7239() {
        for (lines, expected) in [
            (&["for=192.0.2.1"][..], "192.0.2.1"),
            (&["For=\"192.0.2.1:4711\";proto=https;by=203.0.113.43"], "192.0.2.1"),
            (&["proto=http; for=\"[2001:db8::1]:4711\""], "2001:db8::1"),
            (&["for=\"[2001:db8::1]:_port\""], "2001:db8::1"),
            (&["for=203.0.113.9, for=192.0.2.1;by=\"a,b;c\\\"d\", for=10.0.0.9"], "192.0.2.1"),
            (&["for=203.0.113.9", "for=192.0.2.1", "for=\"[2001:db8:f::1]\""], "192.0.2.1"),
            // The client opened a quotation that it did not close.
            (&["for=203.0.113.9;by=\"x, for=192.0.2.1"], "192.0.2.1"),
            (&["for=203.0.113.9;by=\"x, for=\"[2001:db8::1]\""], "2001:db8::1"),
            (&["for=203.0.113.9\\, for=192.0.2.1"], "192.0.2.1"),
        ] {
            assert_client(ClientHeader::Forwarded, lines, expected);
        }
    }

    #[test]
    fn malformed_and_obfuscated_elements_end_the_search() {
        for (lines, expected) in [
            (&["192.0.2.1, unknown"][..], "10.0.0.1"),
            (&["192.0.2.1, 10.0.0.256, 10.9.9.9"], "10.9.9.9"),
            (&["fe80::1%eth0"], "10.0.0.1"),
            (&["192.0.2.1 192.0.2.2"], "10.0.0.1"),
            (&["192.0.2.1", "\u{e9}"], "10.0.0.1"),
            (&["192.0.2.1:"], "10.0.0.1"),
            (&["[2001:db8::1"], "10.0.0.1"),
        ] {
            assert_client(ClientHeader::XForwardedFor, lines, expected);
        }
        for lines in [
            "for=192.0.2.1, for=unknown",
            "for=192.0.2.1, for=\"_hidden\"",
            "for=192.0.2.1, proto=https",
            "for=192.0.2.1, for=192.0.2.2;for=192.0.2.3",
            "for=192.0.2.1, for",
            "for=192.0.2.1, for=\"192.0.2.2",
            "for=192.0.2.1, for=192.0.2.2\"",
            "for=192.0.2.1, for=\"192.0.2.2\"x",
        ] {
            assert_client(ClientHeader::Forwarded, &[lines], "10.0.0.1");
        }
    }

    #[test]
    fn long_headers_are_read_up_to_a_bound() {
        let long = format!("192.0.2.1{}", ", 10.9.9.9".repeat(MAX_ELEMENTS));
        assert_client(ClientHeader::XForwardedFor, &[&long], "10.9.9.9");
        let empty = format!("192.0.2.1{}", ",".repeat(100_000));
        assert_client(ClientHeader::XForwardedFor, &[&empty], "10.0.0.1");
        let quoted = format!("for=192.0.2.1;by=\"{}\"", "\\\"".repeat(50_000));
        assert_client(ClientHeader::Forwarded, &[&quoted], "10.0.0.1");
    }

    #[test]
    fn header_of_other_peers_is_ignored() {
        let client = find(ClientHeader::XForwardedFor, "192.0.2.9:1", &["203.0.113.9"]);
        let expected = "192.0.2.9".parse().ok();
        let (is_peer_trusted, is_exempt) = (false, false);
        assert_eq!(client, ClientAddress { ip: expected, is_peer_trusted, is_exempt });
    }

    #[test]
    fn local_peer_is_exempt_unless_it_names_a_client() {
        let header = ClientHeader::XForwardedFor;
        for (peer, lines, is_exempt) in [
            ("127.0.0.1:1", &[][..], true),
            ("127.0.0.1:1", &["192.0.2.1"], false),
            ("127.0.0.1:1", &["unknown"], false),
            // This loopback address is not a trusted proxy.
            ("127.0.0.2:1", &["192.0.2.1"], true),
            ("[::1]:1", &[], true),
            ("[::ffff:127.0.0.1]:1", &[], true),
            (PROXY, &[], false),
        ] {
            assert_eq!(find(header, peer, lines).is_exempt, is_exempt, "{peer} {lines:?}");
        }
    }
}
