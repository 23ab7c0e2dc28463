//! The addresses of the service.

use url::Url;

use super::BaseUrl;

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

    /// Returns whether `url` leads to this service. A redirect to such a URL could loop.
    #[must_use]
    pub fn contain(&self, url: &Url) -> bool {
        self.base_url.leads_here(url) || self.others.iter().any(|other| other.leads_here(url))
    }
}
