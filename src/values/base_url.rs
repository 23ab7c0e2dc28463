//! The public addresses of the service.

use std::net::{Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use super::ValidationError;

/// Public address of the service: scheme, host and port, without a path or a trailing slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl {
    text: String,
    host: Host<String>,
    port: u16,
}

impl BaseUrl {
    /// Parses `http://HOST[:PORT]` or `https://HOST[:PORT]` and removes a trailing slash.
    ///
    /// # Errors
    /// If the URL is invalid, has another scheme, or has a user, password, path, query or fragment.
    pub fn parse(text: &str) -> Result<Self, ValidationError> {
        let url = Url::parse(text)
            .map_err(|error| ValidationError::because(format!("is not a URL: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(ValidationError::because("must start with http:// or https://"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(ValidationError::because("must not contain a user or password"));
        }
        if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
            return Err(ValidationError::because(
                "must not have a path, query or fragment: short codes live at the root of a host",
            ));
        }
        let host = url.host().ok_or(ValidationError::because("must have a host"))?;
        let port =
            url.port_or_known_default().ok_or(ValidationError::because("must have a port"))?;
        let text = url.as_str().trim_end_matches('/').to_owned();
        Ok(Self { text, host: canonical_host(&host), port })
    }

    /// Returns the URL without a trailing slash.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the scheme: `http` or `https`.
    pub fn scheme(&self) -> &str {
        self.text.split_once("://").map_or("https", |(scheme, _)| scheme)
    }

    /// Returns whether a host in normal form, without a port, is the host of this URL.
    pub fn has_host(&self, host: &str) -> bool {
        Host::parse(host).is_ok_and(|host| canonical_host(&host) == self.host)
    }

    /// Returns the names by which requests may call the host, without a port.
    pub(super) fn host_names(&self) -> Vec<String> {
        let mut names = vec![self.host.to_string()];
        if self.has_host(LOCALHOST) {
            names.extend(["127.0.0.1", "[::1]"].map(str::to_owned));
        }
        names
    }

    /// Returns whether `url` has the same host, in any spelling.
    pub(super) fn has_host_of(&self, url: &Url) -> bool {
        url.host().is_some_and(|host| canonical_host(&host) == self.host)
    }

    /// Returns the port, or the default one of the scheme.
    pub(super) const fn port(&self) -> u16 {
        self.port
    }
}

/// Ports on which a proxy in front of the service may listen, which may serve both schemes.
pub const PROXY_PORTS: [u16; 2] = [80, 443];

/// The host name of the local machine (RFC 6761, section 6.3).
const LOCALHOST: &str = "localhost";

/// Returns the canonical form of a host, which is the same for all its spellings:
///
/// - `example.org.` becomes `example.org` (RFC 1034, section 3.1).
/// - An IPv4-mapped IPv6 address becomes the IPv4 address (RFC 4291, section 2.5.5.2).
/// - Loopback and unspecified addresses and names under `localhost` become `localhost`.
fn canonical_host(host: &Host<impl AsRef<str>>) -> Host<String> {
    match host {
        Host::Domain(name) => {
            let name = name.as_ref().trim_end_matches('.');
            let is_localhost = name.rsplit('.').next() == Some(LOCALHOST);
            Host::Domain(if is_localhost { LOCALHOST } else { name }.to_owned())
        }
        Host::Ipv4(Ipv4Addr::LOCALHOST | Ipv4Addr::UNSPECIFIED)
        | Host::Ipv6(Ipv6Addr::LOCALHOST | Ipv6Addr::UNSPECIFIED) => {
            Host::Domain(LOCALHOST.to_owned())
        }
        Host::Ipv4(address) => Host::Ipv4(*address),
        Host::Ipv6(address) => match address.to_ipv4_mapped() {
            Some(address) => canonical_host(&Host::<&str>::Ipv4(address)),
            None => Host::Ipv6(*address),
        },
    }
}

impl std::fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::str::FromStr for BaseUrl {
    type Err = ValidationError;

    fn from_str(text: &str) -> Result<Self, ValidationError> {
        Self::parse(text)
    }
}

/// The public address of the service, and its former or additional ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceUrls {
    base_url: BaseUrl,
    others: Vec<BaseUrl>,
}

impl ServiceUrls {
    /// Creates the addresses of a service. `others` are its former or additional base URLs.
    pub fn new(base_url: BaseUrl, others: &[BaseUrl]) -> Self {
        Self { base_url, others: others.to_vec() }
    }

    /// Returns the public address of the service.
    pub fn base_url(&self) -> &BaseUrl {
        &self.base_url
    }

    /// Returns whether a host in normal form, without a port, is one of the service's own.
    pub fn have_host(&self, host: &str) -> bool {
        self.all().any(|url| url.has_host(host))
    }

    /// Returns the hosts by which requests may call the service, without and with the ports of its
    /// addresses.
    pub fn authorities(&self) -> Vec<String> {
        let names = |url: &BaseUrl| {
            let authority = url.as_str().split_once("://").map(|(_, rest)| rest.to_owned());
            url.host_names().into_iter().chain(authority)
        };
        self.all().flat_map(names).collect()
    }

    fn all(&self) -> impl Iterator<Item = &BaseUrl> {
        std::iter::once(&self.base_url).chain(&self.others)
    }

    /// Returns the ports on which the service may receive requests.
    pub fn ports(&self) -> impl Iterator<Item = u16> {
        self.all().map(BaseUrl::port).chain(PROXY_PORTS)
    }

    /// Returns whether `url` has a host of the service, in any spelling and on any port.
    pub(super) fn have_host_of(&self, url: &Url) -> bool {
        self.all().any(|own| own.has_host_of(url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_is_rejected_and_trailing_slash_is_removed() {
        assert_eq!(
            BaseUrl::parse("https://t.example/").map(|b| b.text),
            Ok("https://t.example".into())
        );
        for text in [
            "https://t.example/x",
            "https://t.example?",
            "ftp://t.example",
            "t.example",
            "https://a@t.example",
        ] {
            assert!(BaseUrl::parse(text).is_err(), "{text}");
        }
    }
}
