//! The error of the domain. Its texts name what is wrong; each door adds what its users can do.

use std::fmt;
use std::sync::Arc;

use strum_macros::IntoStaticStr;

use crate::store::StoreError;
use crate::values::{ErrorCorrection, Month, Reason, ValidationError};

/// A property of a link that only the domain can validate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// The destination of a link.
    Destination,
    /// The requested custom code.
    CustomCode,
    /// Where visitors of an expired link go.
    Fallback,
    /// The host of a domain.
    Host,
    /// Where visitors of a domain's start page go.
    Home,
    /// Whether a domain is its owner's default.
    Default,
}

impl Field {
    /// Returns the name of the property, as interfaces and files have it, and what sentences call it.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Destination => ("destination_url", "the destination"),
            Self::CustomCode => ("custom_code", "the custom code"),
            Self::Fallback => ("fallback_url", "the fallback"),
            Self::Host => ("host", "the domain"),
            Self::Home => ("home_url", "the home URL"),
            Self::Default => ("is_default", "the default"),
        }
    }

    /// Returns the name of the property, as interfaces and files have it.
    pub const fn name(self) -> &'static str {
        self.names().0
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.names().1)
    }
}

/// Error of a request or of a command. Its [code](Self::code) is the name of the variant, unless another one is
/// given.
#[derive(Debug, thiserror::Error, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Error {
    /// Properties are invalid, each for the given reason.
    #[error("{}", join(.0.iter().map(|(field, reason)| format!("{field} {reason}")), "; "))]
    #[strum(serialize = "invalid-value")]
    Invalid(Vec<(Field, ValidationError)>),
    /// The link that the caller named does not exist, or is outside the caller's realm.
    #[error("there is no such link")]
    LinkNotFound,
    /// No link has, or ever had, these codes.
    #[error("there is no link {}", quoted(.0))]
    #[strum(serialize = "link-not-found")]
    LinksNotFound(Vec<String>),
    /// The links with these codes were deleted.
    #[error(
        "the {} {} {} deleted",
        if .0.len() == 1 { "link" } else { "links" },
        quoted(.0),
        if .0.len() == 1 { "was" } else { "were" }
    )]
    #[strum(serialize = "link-deleted")]
    LinksDeleted(Vec<String>),
    /// Another link has the code.
    #[error("the short code is in use")]
    CodeInUse,
    /// Another link of the owner, or another owner, has the external identifier.
    #[error("the external identifier is in use")]
    ExternalIdInUse {
        /// Code of the link.
        short_code: Option<String>,
    },
    /// The requested code is a first path segment of the server's own routes.
    #[error("the short code is reserved")]
    CodeReserved,
    /// The owner's plan does not allow another link.
    #[error("the plan's link limit is reached")]
    PlanLimitReached,
    /// The owner's plan does not allow another link today.
    #[error("the plan's limit of new links per day is reached until midnight UTC")]
    DailyLimitReached {
        /// Seconds until the day ends.
        retry_after: u32,
    },
    /// The request demands a custom code, which the owner's plan does not allow.
    #[error("the plan does not allow custom codes")]
    CustomCodesNotAllowed,
    /// The operator has disabled the link or blocked its destination.
    #[error("the operator has disabled the link or blocked its destination")]
    LinkDisabled,
    /// What is to change has another version than the change requires.
    #[error("it has changed since it was read")]
    PreconditionFailed,
    /// The requested time of expiry is not in the future.
    #[error("the time of expiry is not in the future")]
    ExpiryPassed,
    /// The destination is blocked.
    #[error("{field} is blocked: {host} ({reason})")]
    DestinationBlocked {
        /// The property with the destination.
        field: Field,
        /// Host of the destination.
        host: String,
        /// Reason for the block.
        reason: Reason,
        /// Contact of the operator, if one is set.
        contact: Option<String>,
    },
    /// The idempotency key was used for a different request.
    #[error("the idempotency key was used for another request")]
    #[strum(serialize = "idempotency-key-reused")]
    KeyReused,
    /// Scanners could not distinguish the colours of a QR code.
    #[error(
        "the colours of the QR code have a contrast ratio of {:.2}; the minimum is {minimum}",
        // Rounded down, so that the text never shows a sufficient ratio.
        (contrast * 100.0).floor() / 100.0
    )]
    #[strum(serialize = "qr-colours-too-close")]
    ColoursTooClose {
        /// Contrast ratio of the colours by WCAG 2.2.
        contrast: f64,
        /// Minimum contrast ratio.
        minimum: f64,
    },
    /// A QR code cannot hold the short URL.
    #[error(
        "the short URL is too long for a QR code with error correction {}",
        error_correction.into_str()
    )]
    QrCodeTooLong {
        /// Error correction level of the QR code.
        error_correction: ErrorCorrection,
    },
    /// Statistics would lack clicks that this instance still buffers in memory.
    #[error("statistics lack clicks that are pending in memory")]
    ClicksPending,
    /// No owner has this name.
    #[error("there is no owner '{0}'")]
    OwnerNotFound(String),
    /// Another owner has this name.
    #[error("the owner '{0}' already exists")]
    OwnerExists(String),
    /// The owner is suspended, so that no links can be added.
    #[error("the owner '{0}' is suspended")]
    OwnerSuspended(String),
    /// The owner is not suspended, so that it cannot be deleted.
    #[error("the owner '{0}' is not suspended")]
    OwnerNotSuspended(String),
    /// Another change resumed or deleted the owner during this deletion.
    #[error(
        "the owner '{0}' was resumed or deleted meanwhile; what was deleted until then stays deleted"
    )]
    DeletionAborted(String),
    /// Only a month that is closed before it is over can be opened again.
    #[error(
        "{0} is not closed, or it is over; only a month that a wrong clock closed can be opened again"
    )]
    MonthStays(Month),
    /// No plan has this name.
    #[error("there is no plan '{0}'")]
    PlanNotFound(String),
    /// Another plan has this name.
    #[error("the plan '{0}' already exists")]
    PlanExists(String),
    /// Owners have the plan, so that it cannot be deleted.
    #[error("{owners} {} the plan '{name}'", if *owners == 1 { "owner has" } else { "owners have" })]
    PlanInUse {
        /// Name of the plan.
        name: String,
        /// Number of owners.
        owners: u64,
    },
    /// The change sets a burst for a plan without a rate.
    #[error("the plan '{0}' has no rate for a burst")]
    BurstWithoutRate(String),
    /// A change in slices failed, or was stopped, after some slices.
    #[error(
        "{}stopped after {changed} {}{}",
        .cause.as_ref().map_or(String::new(), |cause| format!("{cause}; the change ")),
        if *changed == 1 { "change" } else { "changes" },
        .event.map_or(String::new(), |event| format!(" (event {event})"))
    )]
    Incomplete {
        /// Event of the completed slices, which stay changed.
        event: Option<i64>,
        /// Number of changes by the completed slices.
        changed: u64,
        /// Error of the next slice. `None`: a stop was requested.
        cause: Option<Box<Error>>,
    },
    /// No event has this identifier.
    #[error("there is no event {0}")]
    EventNotFound(i64),
    /// Events of this kind cannot be reverted.
    #[error("event {event} is '{action}', which cannot be undone")]
    CannotUndo {
        /// Identifier of the event.
        event: i64,
        /// Action of the event.
        action: String,
    },
    /// The change of the event goes on, so that it cannot be reverted yet.
    #[error("the change of event {0} goes on")]
    EventRunning(i64),
    /// The owner changes links already, and does so once at a time.
    #[error("the change of event {0} has not ended, and one change of an owner runs at a time")]
    ChangeRunning(i64),
    /// Parts of a block list were deleted during its import.
    #[error("the import took longer than an hour, and the server has deleted what it had stored")]
    #[strum(serialize = "import-lost")]
    BlockImportLost,
    /// These patterns are not among the operator's own.
    #[error("you have added no pattern {}; nothing was changed", quoted(.0))]
    #[strum(serialize = "pattern-not-found")]
    PatternsNotFound(Vec<String>),
    /// No block list was imported under that name.
    #[error("there is no imported source '{0}'")]
    #[strum(serialize = "source-not-found")]
    BlockSourceNotFound(String),
    /// No operator key has this name or identifier.
    #[error("there is no operator key '{0}'")]
    #[strum(serialize = "operator-key-not-found")]
    OperatorNotFound(String),
    /// An operator key that is not revoked has this name.
    #[error("the operator key '{0}' already exists")]
    #[strum(serialize = "operator-key-exists")]
    OperatorExists(String),
    /// The operator key that makes the change was revoked.
    #[error("the operator key was revoked")]
    OperatorRevoked,
    /// No domain has this host.
    #[error("there is no domain '{0}'")]
    DomainNotFound(String),
    /// The domain belongs to an owner already.
    #[error("the domain '{0}' already exists")]
    DomainExists(String),
    /// Destinations lead to the host of a new domain.
    #[error(
        "{count} {} to {host} already, and would lead to this service itself",
        if *count == 1 { "destination or fallback leads" } else { "destinations or fallbacks lead" }
    )]
    DomainHasDestinations {
        /// Host of the domain, and with a port, what else leads there.
        host: String,
        /// Number of destinations and fallbacks.
        count: u64,
    },
    /// No API key has this identifier.
    #[error("there is no key {0}")]
    KeyNotFound(i64),
    /// A key cannot revoke itself.
    #[error("a key cannot revoke itself")]
    OwnKey,
    /// The key may do more than the one that creates or changes it.
    #[error("the key may do more than the one that makes the change")]
    #[strum(serialize = "key-scope")]
    ScopeAboveKey,
    /// The key would be valid for longer than the one that sets its expiry.
    #[error("the key would outlive the one that makes the change")]
    ExpiryAfterKey,
    /// The owner has as many valid keys as an owner may have.
    #[error("the owner has {0} valid keys, the most that are allowed")]
    KeyLimitReached(u64),
    /// A repeated request cannot get the secret of its key again.
    #[error(
        "the secret of the key cannot be shown again: another API key sent the first request, or the \
         key is no longer valid"
    )]
    SecretUnavailable,
    /// No webhook of the realm has this identifier.
    #[error("there is no such webhook")]
    WebhookNotFound,
    /// The webhook has no such delivery.
    #[error("there is no such delivery")]
    DeliveryNotFound,
    /// What the delivery is about was deleted.
    #[error("what the delivery is about was deleted")]
    DeliveryErased,
    /// The webhook is disabled.
    #[error("the webhook is disabled")]
    WebhookDisabled,
    /// The owner has as many webhooks as an owner may have.
    #[error("the owner has {0} webhooks, the most that are allowed")]
    WebhookLimitReached(u64),
    /// The database does not contain the hash of the API key.
    #[error("no owner has this key")]
    #[strum(serialize = "key-not-found")]
    KeyUnknown,
    /// The database failed. Calls that share a query or a batch share its error.
    #[error(transparent)]
    Store(Arc<StoreError>),
}

impl Error {
    /// Returns the code of the error, by which programs distinguish errors.
    pub fn code(&self) -> &'static str {
        if let Self::Store(error) = self { error.code() } else { self.into() }
    }

    /// Returns the error of the store, or `None` if this error has another cause.
    pub fn store_error(&self) -> Option<&StoreError> {
        if let Self::Store(error) = self { Some(error) } else { None }
    }

    /// Returns the error of a write: `conflict` if a unique value is in use.
    pub(super) fn of_write(error: StoreError, conflict: Self) -> Self {
        if matches!(error, StoreError::Conflict) { conflict } else { error.into() }
    }

    /// Returns whether a change stopped because no synchronous standby confirmed a commit.
    pub fn is_unconfirmed(&self) -> bool {
        if let Self::Incomplete { cause: Some(cause), .. } = self {
            return cause.is_unconfirmed();
        }
        matches!(self.store_error(), Some(StoreError::Unconfirmed))
    }
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

/// Lists names in quotation marks, at most ten of them.
fn quoted(names: &[String]) -> String {
    first_ten(names.iter().map(|name| format!("'{name}'")))
}

/// Lists texts, at most ten of them.
pub(super) fn first_ten(texts: impl ExactSizeIterator<Item = String>) -> String {
    const MAX_SHOWN: usize = 10;
    let rest = texts.len().saturating_sub(MAX_SHOWN);
    let shown = join(texts.take(MAX_SHOWN), ", ");
    if rest > 0 { format!("{shown} and {rest} more") } else { shown }
}

fn join(texts: impl Iterator<Item = String>, separator: &str) -> String {
    texts.collect::<Vec<_>>().join(separator)
}
