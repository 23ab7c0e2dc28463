//! The errors of the domain, for clients and for operators.

use std::sync::Arc;

use super::events::ChangeResult;
use crate::store::create_links::PlanLimit;
use crate::store::{AsStoreError, StoreError};
use crate::values::{Reason, ValidationError};

/// A request field that only the domain can validate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// The destination of a link.
    Destination,
    /// The requested custom code.
    CustomCode,
}

/// Error of a request.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fields of the request are invalid, each for the given reason.
    #[error("a value is not valid")]
    Invalid(Vec<(Field, ValidationError)>),
    /// The owner has no such link: it does not exist, or belongs to another owner.
    #[error("there is no such link")]
    LinkNotFound,
    /// Another link has the code.
    #[error("the short code is in use")]
    CodeInUse,
    /// The requested code is a first path segment of the server's own routes.
    #[error("the short code is reserved")]
    CodeReserved,
    /// The owner's plan does not allow another link.
    #[error("{}", match limit {
        PlanLimit::Links => "the plan's link limit is reached",
        PlanLimit::LinksPerDay => "the plan's limit of new links per day is reached until midnight UTC",
    })]
    PlanLimitReached {
        /// The limit that is reached.
        limit: PlanLimit,
    },
    /// The requested time of expiry is not in the future.
    #[error("the time of expiry is not in the future")]
    ExpiryPassed,
    /// The destination is blocked.
    #[error(
        "must not lead to {host}, which the operator of this service has blocked ({reason}){}",
        contact.as_ref().map_or_else(String::new, |contact| format!("; contact: {contact}"))
    )]
    DestinationBlocked {
        /// Host of the destination.
        host: String,
        /// Reason for the block.
        reason: Reason,
        /// Contact of the operator, if one is set.
        contact: Option<String>,
    },
    /// The idempotency key was used for a different request.
    #[error("the idempotency key was used for another request")]
    KeyReused,
    /// Scanners could not distinguish the colours of a QR code.
    #[error(
        "the colours of the QR code have a contrast ratio of {:.2}; the minimum is {minimum}",
        // Rounded down, so that the text never shows a sufficient ratio.
        (contrast * 100.0).floor() / 100.0
    )]
    ColoursTooClose {
        /// Contrast ratio of the colours by WCAG 2.2.
        contrast: f64,
        /// Minimum contrast ratio.
        minimum: f64,
    },
    /// Statistics would lack clicks that this instance still buffers in memory.
    #[error("statistics lack clicks that are pending in memory")]
    ClicksPending,
    /// The database failed. All requests of a batch share the error.
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

impl AsStoreError for Error {
    fn store_error(&self) -> Option<&StoreError> {
        if let Self::Store(error) = self { Some(error) } else { None }
    }
}

/// Error of an operator's command.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// No owner has this name.
    #[error("there is no owner '{0}'")]
    NoSuchOwner(String),
    /// Another owner has this name.
    #[error("the owner '{0}' already exists")]
    OwnerExists(String),
    /// The owner is suspended, so that no links can be added.
    #[error("the owner '{0}' is suspended; `terse owner resume` ends that")]
    OwnerSuspended(String),
    /// Another command resumed or deleted the owner during this deletion.
    #[error(
        "the owner '{0}' was resumed or deleted meanwhile; what was deleted until then stays deleted"
    )]
    DeletionAborted(String),
    /// No plan has this name.
    #[error("there is no plan '{0}'; `terse plan list` shows all, `terse plan add` creates one")]
    NoSuchPlan(String),
    /// Another plan has this name.
    #[error("the plan '{0}' already exists; `terse plan set` changes it")]
    PlanExists(String),
    /// The change sets a burst for a plan without a rate.
    #[error("the plan '{0}' has no rate; set --requests together with --burst")]
    BurstWithoutRate(String),
    /// No link has this code.
    #[error("there is no link '{0}'")]
    NoSuchLink(String),
    /// No link has, or ever had, these codes.
    #[error("there is no link {}", quoted(.0))]
    NoSuchLinks(Vec<String>),
    /// A change in slices failed, or was stopped, after some slices.
    #[error(
        "{}; {} changes were made before that{}; run the command again to make the rest",
        .cause.as_ref().map_or("stopped".to_owned(), ToString::to_string),
        .done.changed,
        .done.event.map_or(String::new(), |event| format!(" (event {event})"))
    )]
    Incomplete {
        /// Result of the completed slices, which stay changed.
        done: ChangeResult,
        /// Error of the next slice. `None`: the operator stopped the change.
        cause: Option<Box<AdminError>>,
    },
    /// The links with these codes were deleted.
    #[error(
        "the {} {} {} deleted",
        if .0.len() == 1 { "link" } else { "links" },
        quoted(.0),
        if .0.len() == 1 { "was" } else { "were" }
    )]
    LinksDeleted(Vec<String>),
    /// A pattern blocks the new destination of a link.
    #[error("the destination is blocked: {host} ({reason})")]
    DestinationBlocked {
        /// Host of the destination.
        host: String,
        /// Reason for the block.
        reason: Reason,
    },
    /// The new time of expiry of a link is not in the future.
    #[error("the time of expiry is not in the future; `terse link disable` disables a link")]
    ExpiryPassed,
    /// A new value of a link is invalid. The text says for which property and why.
    #[error("{0}")]
    InvalidValue(String),
    /// No event has this identifier.
    #[error("there is no event {0}")]
    NoSuchEvent(i64),
    /// Events of this kind cannot be reverted.
    #[error("event {event} is '{action}', which cannot be undone")]
    CannotUndo {
        /// Identifier of the event.
        event: i64,
        /// Action of the event.
        action: String,
    },
    /// Parts of a block list were deleted during its import.
    #[error(
        "the import took longer than an hour, and the server has deleted what it had stored; run it again"
    )]
    BlockImportLost,
    /// The operator has not added these patterns.
    #[error("you have added no pattern {}; nothing was changed", quoted(.0))]
    NoSuchPatterns(Vec<String>),
    /// No block list was imported under that name.
    #[error("there is no imported source '{0}'; `terse block list` shows all")]
    NoSuchBlockSource(String),
    /// No key has this identifier.
    #[error("there is no key {0}")]
    NoSuchKey(i64),
    /// The database does not contain the hash of the key.
    #[error("no owner has this key")]
    UnknownKey,
    /// The database failed. Calls that share a query share its error.
    #[error(transparent)]
    Store(Arc<StoreError>),
}

/// Lists names in quotation marks, at most ten of them.
fn quoted(names: &[String]) -> String {
    const MAX_SHOWN: usize = 10;
    let shown: Vec<String> = names.iter().take(MAX_SHOWN).map(|name| format!("'{name}'")).collect();
    let rest = names.len().saturating_sub(MAX_SHOWN);
    if rest > 0 { format!("{} and {rest} more", shown.join(", ")) } else { shown.join(", ") }
}

impl AsStoreError for AdminError {
    fn store_error(&self) -> Option<&StoreError> {
        if let Self::Store(error) = self { Some(error) } else { None }
    }
}

impl From<StoreError> for AdminError {
    fn from(error: StoreError) -> Self {
        Self::Store(Arc::new(error))
    }
}

impl From<Arc<StoreError>> for AdminError {
    fn from(error: Arc<StoreError>) -> Self {
        Self::Store(error)
    }
}
