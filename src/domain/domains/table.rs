//! All domains in memory. A change replaces the table.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::store::domains::{DomainRow, OwnedDomain};
use crate::values::{
    Destination, Reason, ServiceUrls, Timestamp, is_ip_or_localhost, split_authority,
};

/// What a request is for, by its host.
#[derive(Debug, Clone)]
pub enum Site {
    /// The base URL of the service, or one of its additional addresses.
    Service,
    /// The domain of an owner.
    Domain(Arc<OwnerDomain>),
    /// Neither of them.
    Unknown,
}

/// A domain of an owner, as requests need it.
#[derive(Debug, PartialEq, Eq)]
pub struct OwnerDomain {
    /// Identifier of the owner, whose links the domain serves.
    pub owner_id: i64,
    /// Where visitors of the start page go. `None`: they see a page.
    pub home: Option<Box<str>>,
    /// Reason for which the owner is suspended. `None`: the owner is not.
    pub suspended: Option<Reason>,
}

/// What is known about a host, or a host with a port.
#[derive(Debug)]
enum HostEntry {
    Service,
    Domain(Arc<OwnerDomain>),
    /// Domains have the host, but only with a port.
    OnlyWithPort,
}

/// All domains, and the hosts of the service itself.
#[derive(Debug, Default)]
pub struct DomainTable {
    entries: HashMap<Box<str>, HostEntry>,
    /// Ports of the service and of domains.
    ports: BTreeSet<u16>,
    /// Host of each owner's short URLs, with its rank.
    defaults: HashMap<i64, DefaultHost>,
}

/// The host of an owner's short URLs.
#[derive(Debug)]
struct DefaultHost {
    default_at: Option<Timestamp>,
    created_at: Timestamp,
    host: Box<str>,
}

impl DomainTable {
    /// Creates a table without domains.
    pub fn new(service: &ServiceUrls) -> Self {
        let own = service.authorities().into_iter();
        let entries = own.map(|own| (own.into(), HostEntry::Service)).collect();
        Self { entries, ports: service.ports().collect(), defaults: HashMap::new() }
    }

    /// Adds a domain, and returns whether it did so. It does not if the host is one of the service itself:
    /// a service may get the host as its address later, and older versions accepted IP addresses.
    pub fn add(&mut self, service: &ServiceUrls, one: &OwnedDomain) -> bool {
        let OwnedDomain { domain, owner: _, suspended_reason } = one;
        let (host, port) = split_authority(&domain.host);
        if service.have_host(&host) || is_ip_or_localhost(&host) {
            return false;
        }
        if let Some(port) = port {
            self.ports.extend(port.parse::<u16>());
            self.entries.entry(host.into()).or_insert(HostEntry::OnlyWithPort);
        }
        let entry = OwnerDomain {
            owner_id: domain.owner_id,
            home: domain.home_url.as_deref().map(|url| Destination::stored_location(url).into()),
            suspended: *suspended_reason,
        };
        self.entries.insert(domain.host.as_str().into(), HostEntry::Domain(Arc::new(entry)));
        let DomainRow { host, default_at, created_at, .. } = domain;
        let is_default = self.defaults.get(&domain.owner_id).is_none_or(|default| {
            domain.rank() < (Reverse(default.default_at), default.created_at, &default.host)
        });
        if is_default {
            let (default_at, created_at) = (*default_at, *created_at);
            let default = DefaultHost { default_at, created_at, host: host.as_str().into() };
            self.defaults.insert(domain.owner_id, default);
        }
        true
    }

    /// Returns whether there are no domains.
    pub fn is_empty(&self) -> bool {
        self.defaults.is_empty()
    }

    /// Returns the host of an owner's short URLs. `None`: the owner has no domain.
    pub fn default_host(&self, owner_id: i64) -> Option<&str> {
        self.defaults.get(&owner_id).map(|default| &*default.host)
    }

    /// Returns what a request is for, by a valid host with or without a port: the domain with exactly
    /// this host and port or else, in this order, the service or domain with this host.
    pub fn site(&self, authority: &str) -> Site {
        // Most requests have the normal form.
        match self.entries.get(authority) {
            Some(HostEntry::Domain(domain)) => return Site::Domain(Arc::clone(domain)),
            Some(HostEntry::Service) => return Site::Service,
            Some(HostEntry::OnlyWithPort) | None => {}
        }
        let (host, port) = split_authority(authority);
        let exact = port.and_then(|port| self.entries.get(format!("{host}:{port}").as_str()));
        let only_domain = |entry: &&HostEntry| matches!(entry, HostEntry::Domain(_));
        match exact.filter(only_domain).or_else(|| self.entries.get(&*host)) {
            Some(HostEntry::Domain(domain)) => Site::Domain(Arc::clone(domain)),
            Some(HostEntry::Service) => Site::Service,
            Some(HostEntry::OnlyWithPort) | None => Site::Unknown,
        }
    }

    /// Returns whether the service answers requests for a host, on any port.
    pub fn knows(&self, host: &str) -> bool {
        self.entries.contains_key(&*split_authority(host).0)
    }

    /// Returns whether a destination leads to the service or to a domain: whether it has the host of one
    /// of them, and the port of one of them, because requests name any of the hosts on any of the ports.
    pub fn leads_here(&self, service: &ServiceUrls, destination: &Destination) -> bool {
        self.ports.contains(&destination.port()) && self.has_host_of(service, destination)
    }

    /// Returns whether a destination has the host of the service or of a domain.
    pub fn has_host_of(&self, service: &ServiceUrls, destination: &Destination) -> bool {
        destination.has_host_of(service) || self.entries.contains_key(destination.host())
    }
}
