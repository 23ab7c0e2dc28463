//! The primary of a standby.

use crate::store::{DatabaseUrl, IfMissing, Limits, Store, StoreError, installation};

/// The database to which a server delivers its clicks while its own database is a standby.
#[derive(Debug)]
pub struct Primary {
    url: DatabaseUrl,
    limits: Limits,
    /// Secret of the installation, which the primary must have too.
    secret: String,
    /// Open until the first error.
    store: Option<Store>,
}

impl Primary {
    /// Creates the handle of a primary; does not connect.
    #[must_use]
    pub fn new(url: DatabaseUrl, limits: Limits, secret: &str) -> Self {
        Self { url, limits, secret: secret.to_owned(), store: None }
    }

    /// Connects, unless a connection is open.
    ///
    /// # Errors
    /// If the primary cannot be reached, [`StoreError::OtherInstallation`] or
    /// [`StoreError::PrimaryIsStandby`].
    pub(super) async fn open(&mut self) -> Result<Store, StoreError> {
        if let Some(store) = &self.store {
            return Ok(store.clone());
        }
        let store = Store::open(&self.url, IfMissing::Fail, &self.limits).await?;
        // Another installation has other links with the same identifiers.
        if installation::secret(store.reader()).await? != self.secret {
            return Err(StoreError::OtherInstallation);
        }
        if store.query_standby().await? {
            return Err(StoreError::PrimaryIsStandby);
        }
        self.store = Some(store.clone());
        Ok(store)
    }

    /// Returns whether a connection is open.
    pub(super) fn is_open(&self) -> bool {
        self.store.is_some()
    }

    /// Closes the connections, which may be broken.
    pub(super) async fn close(&mut self) {
        if let Some(store) = self.store.take() {
            let _ = store.close().await;
        }
    }
}
