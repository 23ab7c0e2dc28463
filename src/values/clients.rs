//! Clients: the proxies whose statements about them the operator trusts, and the networks that count
//! as one client.

use std::net::IpAddr;

use ipnet::{IpNet, Ipv4Net};

use super::ValidationError;

/// Prefix length of the IPv4-mapped IPv6 addresses, `::ffff:0:0/96`.
const MAPPED_PREFIX: u8 = 96;

/// A trusted proxy, or a network of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustedProxy {
    /// Every address of this network.
    Network(IpNet),
    /// Every peer of a Unix socket.
    Unix,
}

impl std::str::FromStr for TrustedProxy {
    type Err = ValidationError;

    /// Parses an address, a network in CIDR notation, or `unix`, with or without blanks around it.
    fn from_str(text: &str) -> Result<Self, ValidationError> {
        let text = text.trim();
        if text == "unix" {
            return Ok(Self::Unix);
        }
        let network =
            text.parse::<IpNet>().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from));
        network.map(|network| Self::Network(canonical(network))).ok_or(ValidationError::because(
            "must be an address, a network such as 10.0.0.0/8 or 2001:db8::/32, or 'unix'",
        ))
    }
}

/// Converts a network of IPv4-mapped IPv6 addresses into the network of the IPv4 addresses.
fn canonical(network: IpNet) -> IpNet {
    if let IpNet::V6(mapped) = network
        && let Some(prefix) = mapped.prefix_len().checked_sub(MAPPED_PREFIX)
        && let Some(address) = mapped.addr().to_ipv4_mapped()
        && let Ok(network) = Ipv4Net::new(address, prefix)
    {
        return network.into();
    }
    network
}

/// All trusted proxies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedProxies(pub Vec<TrustedProxy>);

impl TrustedProxies {
    /// Returns whether this is the address of a trusted proxy.
    pub fn trusts_address(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|proxy| match proxy {
            TrustedProxy::Network(network) => network.contains(&address),
            TrustedProxy::Unix => false,
        })
    }

    /// Returns whether the peers of Unix sockets are trusted proxies.
    pub fn trusts_unix_peers(&self) -> bool {
        self.0.contains(&TrustedProxy::Unix)
    }
}

/// The header in which trusted proxies name the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ClientHeader {
    /// A list of addresses
    #[value(name = "X-Forwarded-For")]
    XForwardedFor,
    /// RFC 7239
    #[value(name = "Forwarded")]
    Forwarded,
}

/// Prefix length of the IPv6 networks that count as one client. It is the smallest network that
/// providers assign to a customer (RFC 6177).
const IPV6_PREFIX: u8 = 64;

/// Returns the network that counts as one client: an IPv4 address, or an IPv6 network.
pub fn client_network(address: IpAddr) -> IpNet {
    match address.to_canonical() {
        address @ IpAddr::V4(_) => address.into(),
        address @ IpAddr::V6(_) => IpNet::new_assert(address, IPV6_PREFIX).trunc(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trusts(proxies: &str, address: &str) -> bool {
        let proxies = proxies.split(',').map(|proxy| proxy.parse().unwrap()).collect();
        TrustedProxies(proxies).trusts_address(address.parse().unwrap())
    }

    #[test]
    fn network_trusts_only_its_own_addresses() {
        for (proxies, address) in [
            ("10.0.0.0/8", "10.255.255.255"),
            ("10.1.2.3/8", "10.0.0.1"),
            ("192.0.2.7", "192.0.2.7"),
            ("192.0.2.7", "::ffff:192.0.2.7"),
            ("::ffff:10.0.0.0/104", "10.1.2.3"),
            ("2001:db8::/32", "2001:db8:ffff::1"),
            ("unix,::1", "::1"),
        ] {
            assert!(trusts(proxies, address), "{proxies} {address}");
        }
        for (proxies, address) in [
            ("10.0.0.0/8", "11.0.0.0"),
            ("192.0.2.7", "192.0.2.8"),
            ("2001:db8::/32", "2001:db9::"),
            ("::/0", "192.0.2.7"),
            ("0.0.0.0/0", "2001:db8::1"),
            ("unix", "127.0.0.1"),
        ] {
            assert!(!trusts(proxies, address), "{proxies} {address}");
        }
    }

    #[test]
    fn invalid_proxy_is_rejected() {
        for text in ["", " ", "10.0.0.0/33", "10.0.0", "example.org", "10.0.0.1:80", "UNIX", "*"] {
            assert!(text.parse::<TrustedProxy>().is_err(), "{text}");
        }
    }

    #[test]
    fn ipv6_addresses_of_one_network_are_one_client() {
        let network = |address: &str| client_network(address.parse().unwrap()).to_string();
        assert_eq!(network("192.0.2.1"), "192.0.2.1/32");
        assert_eq!(network("::ffff:192.0.2.1"), "192.0.2.1/32");
        assert_eq!(network("2001:db8:1:2:3::4"), "2001:db8:1:2::/64");
    }
}
