//! The public addresses of the service and of its links.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use futures_util::TryStreamExt as _;

use super::domains::{self, DomainTable, Site};
use crate::store::{Store, StoreError};
use crate::values::{BaseUrl, Destination, ServiceUrls, ShortCode, ValidationError};

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
    #[must_use]
    pub fn new(service: ServiceUrls) -> Self {
        let domains = DomainTable::new(&service);
        Self {
            service,
            domains: RwLock::new(Arc::new(domains)),
            has_domains: AtomicBool::new(false),
        }
    }

    /// Creates the addresses of a service with the domains in the database.
    pub async fn open(store: &Store, service: ServiceUrls) -> Result<Self, StoreError> {
        let addresses = Self::new(service);
        addresses.load(store).await?;
        Ok(addresses)
    }

    /// Reads the domains from the database again.
    ///
    /// # Errors
    /// If the database fails. The domains then stay as they were.
    pub async fn load(&self, store: &Store) -> Result<(), StoreError> {
        let mut table = DomainTable::new(&self.service);
        let mut pages = pin!(domains::pages(store));
        while let Some(page) = pages.try_next().await? {
            page.iter().for_each(|one| table.add(&self.service, one));
        }
        let table = Arc::new(table);
        let has_domains = !table.is_empty();
        let previous = {
            let mut domains = self.domains.write().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *domains, table)
        };
        self.has_domains.store(has_domains, Ordering::Release);
        // Dropping a large table takes long, so it happens after the lock is released.
        drop(previous);
        Ok(())
    }

    /// Returns the public address of the service, which stands before the paths of its interfaces.
    #[must_use]
    pub fn base_url(&self) -> &BaseUrl {
        self.service.base_url()
    }

    /// Returns whether there are domains.
    #[must_use]
    pub fn has_domains(&self) -> bool {
        self.has_domains.load(Ordering::Acquire)
    }

    /// Returns what a request is for, by its valid host with or without a port.
    #[must_use]
    pub fn site(&self, authority: &str) -> Site {
        self.table().site(authority)
    }

    /// Returns whether the service answers requests for a host, on any port.
    #[must_use]
    pub fn knows(&self, host: &str) -> bool {
        self.table().knows(host)
    }

    /// Returns whether a host without a port is one of the service's own, which is no domain.
    #[must_use]
    pub fn is_own(&self, host: &str) -> bool {
        self.service.have_host(host)
    }

    /// Returns the address that stands before the short codes of an owner, without a trailing slash.
    #[must_use]
    pub fn origin(&self, owner_id: i64) -> String {
        self.domain_origin(owner_id).unwrap_or_else(|| self.base_url().to_string())
    }

    /// Returns the short URL of an owner's link as a URI. It is also the text of the QR code.
    #[must_use]
    pub fn short_url(&self, owner_id: i64, code: &ShortCode) -> String {
        short_url(&self.origin(owner_id), code)
    }

    /// Checks that a destination is outside the service and all domains, because a redirect to the
    /// service itself could loop.
    ///
    /// # Errors
    /// If the host is one of the service's own or of a domain, and the port is that of the service or
    /// domain, 80 or 443.
    pub fn check_outside(&self, destination: &Destination) -> Result<(), ValidationError> {
        destination.check_outside(&self.service)?;
        if self.table().is_at(destination) {
            return Err(ValidationError::because("must not lead to this service itself"));
        }
        Ok(())
    }

    /// Returns the address that stands before the short codes of an owner with a domain. `None`: the
    /// owner has none, and short URLs begin with the base URL.
    #[must_use]
    pub fn domain_origin(&self, owner_id: i64) -> Option<String> {
        if !self.has_domains() {
            return None;
        }
        let table = self.table();
        let host = table.default_host(owner_id)?;
        Some(format!("{}://{host}", self.base_url().scheme()))
    }

    fn table(&self) -> Arc<DomainTable> {
        Arc::clone(&self.domains.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Returns the short URL of a code at an origin.
#[must_use]
pub fn short_url(origin: &str, code: &ShortCode) -> String {
    format!("{origin}/{}", code.path())
}
