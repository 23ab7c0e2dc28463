//! What a request may reach, which its host decides.

use std::sync::Arc;

use poem::Request;
use poem::http::uri::Authority;
use poem::http::{Version, header};

use crate::config::UnknownHosts;
use crate::domain::Addresses;
use crate::domain::domains::{OwnerDomain, Site};
use crate::values::split_authority;

/// What a request may reach.
#[derive(Debug)]
pub enum HostAccess {
    /// All routes of the listener.
    All,
    /// The links of an owner, by one of the owner's domains.
    Domain(Arc<OwnerDomain>),
    /// Health checks, because the host is unknown.
    HealthOnly,
}

impl HostAccess {
    /// Returns what a request for a valid host may reach.
    pub fn of_host(host: &str, addresses: &Addresses, unknown_hosts: UnknownHosts) -> Self {
        // Without domains, requests cost nothing more.
        if !addresses.has_domains() && unknown_hosts == UnknownHosts::Serve {
            return Self::All;
        }
        match addresses.site(host) {
            Site::Domain(domain) => Self::Domain(domain),
            Site::Service => Self::All,
            Site::Unknown => match unknown_hosts {
                UnknownHosts::Serve => Self::All,
                UnknownHosts::Reject => Self::HealthOnly,
            },
        }
    }

    /// Returns the domain, if the request is for one.
    pub fn domain(&self) -> Option<&OwnerDomain> {
        match self {
            Self::Domain(domain) => Some(domain),
            Self::All | Self::HealthOnly => None,
        }
    }
}

/// Returns the host of a request, with its port if it has one: that of the target (RFC 9112, section
/// 3.2.2, and RFC 9113, section 8.3.1), or else that of `Host`. It is empty if the request has none.
///
/// # Errors
/// Returns the reason, as text for the client.
pub fn requested_host(request: &Request) -> Result<&str, &'static str> {
    let is_http1 = request.version() <= Version::HTTP_11;
    let mut hosts = request.headers().get_all(header::HOST).iter();
    // RFC 9112, section 3.2: if there are two `Host` headers, a proxy may have routed the request by
    // the other one.
    let host = match (hosts.next(), hosts.next()) {
        (None, _) if request.version() == Version::HTTP_11 => {
            return Err("An HTTP/1.1 request must have exactly one Host header.");
        }
        (None, _) => None,
        (Some(host), None) => {
            let valid = host.to_str().ok().filter(|host| is_host(host));
            Some(valid.ok_or("The header Host must be a host, with or without a port.")?)
        }
        (Some(_), Some(_)) => return Err("A request must not have several Host headers."),
    };
    let Some(authority) = request.uri().authority().map(Authority::as_str) else {
        return Ok(host.unwrap_or_default());
    };
    if !is_host(authority) {
        return Err("The target must have a host, with or without a port.");
    }
    match host {
        Some(host) if !is_http1 && split_authority(host) != split_authority(authority) => {
            Err("The header Host must not differ from :authority.")
        }
        Some(_) | None => Ok(authority),
    }
}

/// Returns whether the value of a `Host` header is valid: a host and perhaps a port, but no user. An
/// empty value is valid (RFC 9112, section 3.2).
fn is_host(value: &str) -> bool {
    let (host, port) = split_authority(value);
    let has_valid_port = port.is_none_or(|port| port.parse::<u16>().is_ok());
    let is_host = host.starts_with('[') || !host.contains([':', '@']);
    value.is_empty() || has_valid_port && is_host && Authority::try_from(value).is_ok()
}
