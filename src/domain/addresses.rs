//! The public addresses of the service and of its links.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::TryStreamExt as _;
use parking_lot::RwLock;

use super::domains::{self, DomainTable, Site};
use crate::store::{Store, StoreError};
use crate::values::{
    BaseUrl, Destination, DomainHost, ErrorCode, ServiceUrls, ShortCode, ValidationError,
};

/// The public addresses of the service and of its links: the base URL, additional addresses, and the
/// domains of owners.
#[derive(Debug)]
pub struct Addresses {
    service: ServiceUrls,
    domains: RwLock<Arc<DomainTable>>,
    /// Whether there are domains. Requests read it without a lock.
    has_domains: AtomicBool,
}

impl Addresses {
    /// Creates the addresses of a service, without domains.
    pub fn new(service: ServiceUrls) -> Self {
        let domains = DomainTable::new(&service);
        Self {
            service,
            domains: RwLock::new(Arc::new(domains)),
            has_domains: AtomicBool::new(false),
        }
    }

    /// Creates the addresses of a service with the domains in the database, and logs which of them it
    /// ignores.
    pub async fn open(store: &Store, service: ServiceUrls) -> Result<Self, StoreError> {
        let addresses = Self::new(service);
        for domain in addresses.load(store).await? {
            tracing::warn!(domain, "domain ignored because its host is an address of the service");
        }
        Ok(addresses)
    }

    /// Reads the domains from the database again, and returns the hosts of those that it ignores.
    ///
    /// # Errors
    /// If the database fails. The domains then stay as they were.
    pub async fn load(&self, store: &Store) -> Result<Vec<String>, StoreError> {
        let mut ignored = Vec::new();
        let mut table = DomainTable::new(&self.service);
        let mut pages = pin!(domains::pages(store));
        while let Some(page) = pages.try_next().await? {
            let others = page.iter().filter(|one| !table.add(&self.service, one));
            ignored.extend(others.map(|one| one.domain.host.clone()));
        }
        let table = Arc::new(table);
        let has_domains = !table.is_empty();
        let previous = {
            let mut domains = self.domains.write();
            std::mem::replace(&mut *domains, table)
        };
        self.has_domains.store(has_domains, Ordering::Release);
        // Dropping a large table takes long, so it happens after the lock is released.
        drop(previous);
        Ok(ignored)
    }

    /// Returns the public address of the service, which stands before the paths of its interfaces.
    pub fn base_url(&self) -> &BaseUrl {
        self.service.base_url()
    }

    /// Returns whether there are domains.
    pub fn has_domains(&self) -> bool {
        self.has_domains.load(Ordering::Acquire)
    }

    /// Returns what a request is for, by its valid host with or without a port.
    pub fn site(&self, authority: &str) -> Site {
        self.table().site(authority)
    }

    /// Returns whether the service answers requests for a host, on any port.
    pub fn knows(&self, host: &str) -> bool {
        self.table().knows(host)
    }

    /// Returns whether a host without a port is one of the service's own, which is no domain.
    pub fn is_own(&self, host: &str) -> bool {
        self.service.have_host(host)
    }

    /// Returns the address that stands before the short codes of an owner, without a trailing slash.
    pub fn origin(&self, owner_id: i64) -> String {
        self.domain_origin(owner_id).unwrap_or_else(|| self.base_url().to_string())
    }

    /// Returns the short URL of an owner's link as a URI. It is also the text of the QR code.
    pub fn short_url(&self, owner_id: i64, code: &ShortCode) -> String {
        short_url(&self.origin(owner_id), code)
    }

    /// Checks that a destination is outside the service and all domains, because a redirect to the
    /// service itself could loop.
    ///
    /// # Errors
    /// If the host is one of the service's own or of a domain, and the port is that of one of them, 80
    /// or 443. Each host is served on each of these ports.
    pub fn check_outside(&self, destination: &Destination) -> Result<(), ValidationError> {
        if self.table().leads_here(&self.service, destination) {
            return Err(ErrorCode::NotAllowed.because("must not lead to this service itself"));
        }
        Ok(())
    }

    /// Returns whether a destination leads to the service or to a domain once there is a domain with
    /// this host and port.
    pub fn would_contain(&self, host: &DomainHost, destination: &Destination) -> bool {
        destination.host() == host.host()
            || host.port() == Some(destination.port())
                && self.table().has_host_of(&self.service, destination)
    }

    /// Returns whether a stored destination leads to the service or to a domain.
    pub fn contain(&self, destination_url: &str) -> bool {
        Destination::parse(destination_url).is_ok_and(|url| self.check_outside(&url).is_err())
    }

    /// Returns the address that stands before the short codes of an owner with a domain. `None`: the
    /// owner has none, and short URLs begin with the base URL.
    pub fn domain_origin(&self, owner_id: i64) -> Option<String> {
        if !self.has_domains() {
            return None;
        }
        let table = self.table();
        let host = table.default_host(owner_id)?;
        Some(format!("{}://{host}", self.base_url().scheme()))
    }

    fn table(&self) -> Arc<DomainTable> {
        Arc::clone(&self.domains.read())
    }
}

/// Returns the short URL of a code at an origin.
pub fn short_url(origin: &str, code: &ShortCode) -> String {
    format!("{origin}/{}", code.path())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::store::domains::{DomainRow, OwnedDomain};

    fn is_own(base_url: &str, text: &str) -> bool {
        let addresses = Addresses::new(ServiceUrls::new(BaseUrl::parse(base_url).unwrap(), &[]));
        addresses.check_outside(&Destination::parse(text).unwrap()).is_err()
    }

    #[test]
    fn own_address_is_recognised_in_every_spelling() {
        let machine = ["http://127.0.0.1:8080", "http://localhost:8080", "http://[::1]:8080"];
        for text in [
            "http://127.0.0.1:8080/abc",
            "HTTPS://127.0.0.1:8080",
            "http://0x7f.1:8080/",
            "http://2130706433:8080/",
            "http://0.0.0.0:8080/",
            "http://a@127.0.0.1:8080/",
            "http://[::1]:8080/",
            "http://[0:0::1]:8080/",
            "http://[::]:8080/",
            "http://[::ffff:127.0.0.1]:8080/",
            "http://[::ffff:7f00:1]:8080/",
            "http://localhost:8080/",
            "http://LOCALHOST.:8080/",
            "http://terse.localhost:8080/",
        ] {
            for base_url in machine {
                assert!(is_own(base_url, text), "{text} of {base_url}");
            }
            assert!(!is_own("http://terse.example:8080", text), "{text}");
        }
        for text in [
            "http://127.0.0.1:8081/",
            "http://localhost.example:8080/",
            "http://notlocalhost:8080/",
            "http://127.0.0.2:8080/",
            "http://[::2]:8080/",
            "http://[::ffff:192.0.2.1]:8080/",
        ] {
            assert!(machine.iter().all(|base_url| !is_own(base_url, text)), "{text}");
        }
    }

    #[test]
    fn urls_with_proxy_ports_lead_to_the_service() {
        for base_url in ["https://go.example", "http://go.example", "http://go.example:8080"] {
            for text in
                ["http://go.example/loop", "https://go.example/loop", "http://go.example:443"]
            {
                assert!(is_own(base_url, text), "{text} of {base_url}");
            }
            assert!(!is_own(base_url, "http://go.example:8443/"), "{base_url}");
            assert!(!is_own(base_url, "http://www.go.example/"), "{base_url}");
        }
    }

    /// A redirect to any of these comes back to the service.
    #[test]
    fn every_own_host_is_served_on_every_own_port() {
        let parse = |url: &str| BaseUrl::parse(url).unwrap();
        let service =
            ServiceUrls::new(parse("http://t.example:8080"), &[parse("https://former.example")]);
        let mut table = DomainTable::new(&service);
        for host in ["go.example", "port.example:8443"] {
            let domain = DomainRow {
                host: host.to_owned(),
                owner_id: 1,
                home_url: None,
                default_at: None,
                created_at: crate::values::Timestamp::from_millis(0),
            };
            let owner = "acme".to_owned();
            table.add(&service, &OwnedDomain { domain, owner, suspended_reason: None });
        }
        for host in ["t.example", "former.example", "go.example", "port.example"] {
            for port in [80, 443, 8080, 8443, 9000] {
                let url = Destination::parse(&format!("https://{host}:{port}/x")).unwrap();
                assert_eq!(table.leads_here(&service, &url), port != 9000, "{host}:{port}");
            }
        }
        let elsewhere = Destination::parse("https://www.go.example:8080/").unwrap();
        assert!(!table.leads_here(&service, &elsewhere));
    }

    proptest! {
        #[test]
        fn ipv4_mapped_address_is_the_same_host(address: std::net::Ipv4Addr, port: u16) {
            let plain = format!("http://{address}:{port}");
            let mapped = format!("http://[{}]:{port}", address.to_ipv6_mapped());
            prop_assert!(is_own(&plain, &mapped) && is_own(&mapped, &plain), "{}", plain);
        }
    }
}
