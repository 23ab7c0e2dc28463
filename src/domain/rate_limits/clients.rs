//! Rate limits of clients by address.

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;

use super::decision::{Limiter, RateDecision, limiter};
use super::table::ClientTable;
use crate::values::{Rate, RateLimit, client_network};

/// A limit on what a client does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientLimit {
    /// Requests for codes that no link has.
    UnknownCodes,
    /// API requests without a valid key.
    FailedKeys,
    /// Requests for QR images that the server has to draw.
    QrImages,
}

impl ClientLimit {
    /// Returns the name of the limit in metrics and headers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnknownCodes => "unknown_codes",
            Self::FailedKeys => "failed_keys",
            Self::QrImages => "qr_images",
        }
    }
}

/// Rates of all limits. `None`: no limit.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClientRates {
    /// Rate of requests for codes that no link has.
    pub unknown_codes: Option<Rate>,
    /// Rate of API requests without a valid key.
    pub failed_keys: Option<Rate>,
    /// Rate of requests for QR images that the server has to draw.
    pub qr_images: Option<Rate>,
}

/// The rate limits of all clients. A client is an IPv4 address, or an IPv6 network with a prefix of
/// 64 bits, the smallest network that providers assign to a customer.
///
/// Instead of addresses, the limits store keyed hashes, whose key lives only in memory.
#[derive(Debug)]
pub struct ClientLimits {
    unknown_codes: Option<ClientLimiter>,
    failed_keys: Option<ClientLimiter>,
    qr_images: Option<ClientLimiter>,
    hasher: RandomState,
}

#[derive(Debug)]
struct ClientLimiter {
    limit: RateLimit,
    limiter: Limiter<u64, ClientTable>,
}

impl ClientLimiter {
    fn new(rate: Rate) -> Self {
        let limit = RateLimit::new(rate, None);
        Self { limit, limiter: limiter(limit, ClientTable::default()) }
    }
}

impl ClientLimits {
    /// Creates limits with these rates.
    #[must_use]
    pub fn new(rates: ClientRates) -> Self {
        let ClientRates { unknown_codes, failed_keys, qr_images } = rates;
        Self {
            unknown_codes: unknown_codes.map(ClientLimiter::new),
            failed_keys: failed_keys.map(ClientLimiter::new),
            qr_images: qr_images.map(ClientLimiter::new),
            hasher: RandomState::new(),
        }
    }

    /// Counts a request of the client whose address `find_address` returns, and decides about it.
    /// Returns `None` if there is no limit, or if the client has no address.
    pub fn check(
        &self,
        limit: ClientLimit,
        find_address: impl FnOnce() -> Option<IpAddr>,
    ) -> Option<RateDecision> {
        let ClientLimiter { limit, limiter } = match limit {
            ClientLimit::UnknownCodes => self.unknown_codes.as_ref(),
            ClientLimit::FailedKeys => self.failed_keys.as_ref(),
            ClientLimit::QrImages => self.qr_images.as_ref(),
        }?;
        let key = self.hasher.hash_one(client_network(find_address()?));
        Some(RateDecision::from_limiter(limiter, &key, *limit))
    }

    /// Forgets the clients whose limits have refilled.
    pub(super) fn forget_refilled(&self) {
        let all = [&self.unknown_codes, &self.failed_keys, &self.qr_images];
        for limiter in all.into_iter().flatten() {
            limiter.limiter.retain_recent();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::super::table::MAX_KEYS;
    use super::*;

    fn limits(rate: &str) -> ClientLimits {
        let unknown_codes = rate.parse().ok();
        ClientLimits::new(ClientRates { unknown_codes, ..ClientRates::default() })
    }

    fn allowed(limits: &ClientLimits, address: &str, requests: usize) -> usize {
        let find = || address.parse().ok();
        let check = |_: &usize| limits.check(ClientLimit::UnknownCodes, find);
        (0..requests).filter(|request| check(request).unwrap().is_allowed).count()
    }

    #[test]
    fn client_is_an_address_or_an_ipv6_network() {
        let limits = limits("3/h");
        for address in ["192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8:0:1::1"] {
            assert_eq!(allowed(&limits, address, 9), 3, "{address}");
        }
        for address in ["192.0.2.1", "::ffff:192.0.2.2", "2001:db8::ffff:1", "2001:db8:0:1::"] {
            assert_eq!(allowed(&limits, address, 9), 0, "{address}");
        }
    }

    #[test]
    fn check_without_a_rate_or_an_address_returns_no_decision() {
        let limits = limits("3/h");
        assert_eq!(limits.check(ClientLimit::UnknownCodes, || None), None);
        assert_eq!(
            limits.check(ClientLimit::QrImages, || panic!("the address is not needed")),
            None
        );
    }

    /// Each of the other clients sends one request; together they fill the table several times.
    #[test]
    fn exhausted_client_stays_exhausted_while_the_table_overflows() {
        let limits = limits("5/h");
        assert_eq!(allowed(&limits, "192.0.2.1", 9), 5);
        for number in 0..3 * MAX_KEYS as u32 {
            let other = Ipv4Addr::from_bits(0x0a00_0000 + number).into();
            assert!(limits.check(ClientLimit::UnknownCodes, || Some(other)).unwrap().is_allowed);
        }
        assert_eq!(allowed(&limits, "192.0.2.1", 9), 0);
        let table = limits.unknown_codes.as_ref().unwrap();
        assert!(table.limiter.len() <= MAX_KEYS, "{}", table.limiter.len());
    }

    #[test]
    fn refilled_clients_are_forgotten() {
        let limits = limits("1000000/s");
        allowed(&limits, "192.0.2.1", 9);
        let table = limits.unknown_codes.as_ref().unwrap();
        assert_eq!(table.limiter.len(), 1);
        std::thread::sleep(std::time::Duration::from_millis(5));
        limits.forget_refilled();
        assert!(table.limiter.is_empty());
    }
}
