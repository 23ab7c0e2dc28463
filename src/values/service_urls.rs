//! The addresses of the service.

use url::Url;

use super::BaseUrl;
use super::base_url::PROXY_PORTS;

/// The public address of the service, and its former or additional ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceUrls {
    base_url: BaseUrl,
    others: Vec<BaseUrl>,
}

impl ServiceUrls {
    /// Creates the addresses of a service. `others` are its former or additional base URLs.
    #[must_use]
    pub fn new(base_url: BaseUrl, others: &[BaseUrl]) -> Self {
        Self { base_url, others: others.to_vec() }
    }

    /// Returns the public address of the service.
    #[must_use]
    pub fn base_url(&self) -> &BaseUrl {
        &self.base_url
    }

    /// Returns whether a host in normal form, without a port, is one of the service's own.
    #[must_use]
    pub fn have_host(&self, host: &str) -> bool {
        self.all().any(|url| url.has_host(host))
    }

    /// Returns the hosts by which requests may call the service, without and with the ports of its
    /// addresses.
    #[must_use]
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
