//! Networks that count as one client.

use std::net::IpAddr;

use ipnet::IpNet;

/// Prefix length of the IPv6 networks that count as one client. It is the smallest network that
/// providers assign to a customer (RFC 6177).
const IPV6_PREFIX: u8 = 64;

/// Returns the network that counts as one client: an IPv4 address, or an IPv6 network.
#[must_use]
pub fn client_network(address: IpAddr) -> IpNet {
    match address.to_canonical() {
        address @ IpAddr::V4(_) => address.into(),
        address @ IpAddr::V6(_) => IpNet::new_assert(address, IPV6_PREFIX).trunc(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ipv6_addresses_of_one_network_are_one_client() {
        let network = |address: &str| client_network(address.parse().unwrap()).to_string();
        assert_eq!(network("192.0.2.1"), "192.0.2.1/32");
        assert_eq!(network("::ffff:192.0.2.1"), "192.0.2.1/32");
        assert_eq!(network("2001:db8:1:2:3::4"), "2001:db8:1:2::/64");
    }
}
