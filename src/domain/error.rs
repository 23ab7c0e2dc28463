use std::sync::Arc;

use crate::store::{Fails, StoreError};
use crate::values::Invalid;

/// A part of what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Where a link is to lead.
    Destination,
    /// The code that was asked for.
    CustomCode,
}

/// Why Terse did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Values that break a rule which only the service can check.
    #[error("a value is not valid")]
    Invalid(Vec<(Field, Invalid)>),
    /// The owner has no such link: it does not exist, or it is another's.
    #[error("there is no such link")]
    LinkNotFound,
    /// Somebody has the code.
    #[error("the short code is in use")]
    CodeInUse,
    /// The server needs the code for itself.
    #[error("the short code is reserved")]
    CodeReserved,
    /// The owner has as many links as the plan allows.
    #[error("the plan's link limit is reached")]
    PlanLimitReached,
    /// The key was used for another request.
    #[error("the idempotency key was used for another request")]
    KeyReused,
    /// A scanner could not tell the colours of a QR code apart.
    #[error(
        "the colours of the QR code have a contrast ratio of {:.2}; the minimum is {least}",
        // Not rounded up to what would do.
        (contrast * 100.0).floor() / 100.0
    )]
    ColoursTooClose {
        /// The pair's contrast ratio.
        contrast: f64,
        /// The least ratio that is taken.
        least: f64,
    },
    /// Clicks that were answered are not in the database yet, and numbers without them are not told.
    #[error("clicks are waiting in memory that statistics would not include")]
    Uncounted,
    /// The database; shared by all whom one failure has hit.
    #[error(transparent)]
    Store(Arc<StoreError>),
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Self::Store(Arc::new(error))
    }
}

impl From<Arc<StoreError>> for Error {
    fn from(error: Arc<StoreError>) -> Self {
        Self::Store(error)
    }
}

impl Fails for Error {
    fn store_error(&self) -> Option<&StoreError> {
        if let Self::Store(error) = self { Some(error) } else { None }
    }
}

/// Why Terse did not do what its operator asked.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// No owner has that name.
    #[error("there is no owner '{0}'")]
    NoSuchOwner(String),
    /// An owner has that name.
    #[error("the owner '{0}' already exists")]
    OwnerExists(String),
    /// No plan has that name.
    #[error("there is no plan '{0}'")]
    NoSuchPlan(String),
    /// No link has that code.
    #[error("there is no link '{0}'")]
    NoSuchLink(String),
    /// No key has that identifier.
    #[error("there is no key {0}")]
    NoSuchKey(i64),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}
