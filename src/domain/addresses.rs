//! The public addresses of the service and of its links.

use crate::values::{BaseUrl, Destination, ServiceUrls, ShortCode, ValidationError};

/// The public addresses of the service and of its links.
#[derive(Debug)]
pub struct Addresses {
    service: ServiceUrls,
}

impl Addresses {
    /// Creates the addresses of a service.
    #[must_use]
    pub fn new(service: ServiceUrls) -> Self {
        Self { service }
    }

    /// Returns the public address of the service, which stands before the paths of its interfaces.
    #[must_use]
    pub fn base_url(&self) -> &BaseUrl {
        self.service.base_url()
    }

    /// Returns the address that stands before the short codes of an owner, without a trailing slash.
    #[must_use]
    pub fn origin(&self, _owner_id: i64) -> String {
        self.base_url().to_string()
    }

    /// Returns the short URL of an owner's link as a URI. It is also the text of the QR code.
    #[must_use]
    pub fn short_url(&self, owner_id: i64, code: &ShortCode) -> String {
        short_url(&self.origin(owner_id), code)
    }

    /// Checks that a destination is outside the service, because a redirect to the service itself
    /// could loop.
    ///
    /// # Errors
    /// If the host is one of the service's own, and the port is the service's own, 80 or 443.
    pub fn check_outside(&self, destination: &Destination) -> Result<(), ValidationError> {
        destination.check_outside(&self.service)
    }
}

/// Returns the short URL of a code at an origin.
#[must_use]
pub fn short_url(origin: &str, code: &ShortCode) -> String {
    format!("{origin}/{}", code.path())
}
