//! The rules for the properties of a link, which hold for creations, edits and imports.

use std::sync::Arc;

use crate::domain::blocks::Blocklist;
use crate::domain::{Addresses, Error, Field, Realm};
use crate::store::entities::link::Model;
use crate::values::{Destination, Timestamp};

/// Rules for the properties of a link.
#[derive(Debug)]
pub struct LinkRules {
    /// Addresses of the service itself, to which no link may lead.
    pub addresses: Arc<Addresses>,
    /// Patterns of blocked destinations.
    pub blocklist: Arc<Blocklist>,
    /// Contact of the operator, which the error of a blocked destination shows, if one is set.
    pub contact: Option<String>,
}

impl LinkRules {
    /// Checks that a destination is outside the service and not blocked.
    ///
    /// # Errors
    /// [`Error::Invalid`] or [`Error::DestinationBlocked`], which name `field`.
    pub fn check_destination(
        &self,
        field: Field,
        destination: &Destination,
        now: Timestamp,
    ) -> Result<(), Error> {
        if let Err(reason) = self.addresses.check_outside(destination) {
            return Err(Error::Invalid(vec![(field, reason)]));
        }
        let Some(reason) = self.blocklist.snapshot().blocked(destination.as_str(), now) else {
            return Ok(());
        };
        let host = destination.shown_host();
        Err(Error::DestinationBlocked { field, host, reason, contact: self.contact.clone() })
    }

    /// Returns whether the operator has disabled a link or blocked its destination, so that its owner must
    /// not destroy the evidence.
    pub(super) fn is_held(&self, realm: Realm, link: &Model, now: Timestamp) -> bool {
        let is_blocked = || self.blocklist.snapshot().blocked(&link.destination_url, now).is_some();
        match realm {
            Realm::Owner(_) => link.disabled_reason.is_some() || is_blocked(),
            Realm::Everyone => false,
        }
    }

    /// Checks that a time of expiry, if there is one, is in the future.
    ///
    /// # Errors
    /// [`Error::ExpiryPassed`]
    pub fn check_expiry(&self, expires_at: Option<Timestamp>, now: Timestamp) -> Result<(), Error> {
        let is_past = expires_at.is_some_and(|expires_at| expires_at <= now);
        if is_past { Err(Error::ExpiryPassed) } else { Ok(()) }
    }
}
