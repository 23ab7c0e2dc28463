//! The addresses of the service.

use url::Url;

use super::BaseUrl;

/// The public address of the service, and its former or additional ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceUrls(Vec<BaseUrl>);

impl ServiceUrls {
    /// Creates the addresses of a service. `others` are its former or additional base URLs.
    #[must_use]
    pub fn new(base_url: BaseUrl, others: &[BaseUrl]) -> Self {
        Self([&[base_url], others].concat())
    }

    /// Returns whether `url` leads to this service. A redirect to such a URL could loop.
    #[must_use]
    pub fn contain(&self, url: &Url) -> bool {
        self.0.iter().any(|base_url| base_url.leads_here(url))
    }
}
