//! Conversions into problems: of errors from the domain, from request bodies and from poem.

use poem::Error;

use super::problem_examples::ProblemExample;
use crate::domain::{self, Field};
use crate::http::problem::{FieldError, Problem};
use crate::http::problem_type::ProblemType;
use crate::http::request_body::BodyError;
use crate::http::request_log::LogCause;
use crate::store::StoreError;
use crate::values::{ApiKey, ErrorCode, ValidationError};

impl From<domain::Error> for Problem {
    fn from(error: domain::Error) -> Self {
        Self::from_error(error, Field::Destination.name())
    }
}

impl Problem {
    /// Makes a sentence of the text of an error, without keys that were given by mistake. A text that
    /// ends in a suggestion already has its question mark.
    pub(in crate::http) fn sentence(text: &str) -> String {
        let text = ApiKey::redact(text);
        let mut letters = text.chars();
        letters.next().map_or_else(String::new, |first| {
            let mark = if text.ends_with('?') { "" } else { "." };
            format!("{}{}{mark}", first.to_uppercase(), letters.as_str())
        })
    }

    /// Converts an error. `destination` is the name of the destination in requests.
    pub(super) fn from_error(error: domain::Error, destination: &str) -> Self {
        use domain::Error as E;

        let text = error.to_string();
        let problem_type = match error {
            E::Invalid(fields) => {
                let field_error = |(field, error): (Field, ValidationError)| {
                    FieldError::at_pointer(pointer(field, destination), &error)
                };
                return Self::invalid(fields.into_iter().map(field_error).collect());
            }
            E::Store(error) => {
                let is_owner_unavailable = matches!(*error, StoreError::OwnerUnavailable);
                let is_busy = matches!(*error, StoreError::Busy);
                let example =
                    if is_busy { ProblemExample::BUSY } else { ProblemExample::UNAVAILABLE };
                let problem = example.problem().with_cause(LogCause::from(&*error));
                return Self { is_owner_unavailable, ..problem };
            }
            E::ClicksPending => {
                let cause = LogCause::transient(&error);
                return ProblemExample::CLICKS_PENDING.problem().with_cause(cause);
            }
            E::LinkNotFound | E::LinksNotFound(_) | E::LinksDeleted(_) => {
                return ProblemExample::LINK_NOT_FOUND.problem();
            }
            E::KeyReused => ProblemType::IDEMPOTENCY_KEY_REUSED,
            E::CodeInUse => ProblemType::CODE_IN_USE,
            E::CodeReserved => ProblemType::CODE_RESERVED,
            E::ExternalIdInUse { short_code } => {
                let problem = Self::new(ProblemType::EXTERNAL_ID_IN_USE, Self::sentence(&text));
                return Self { short_code: short_code.map(Into::into), ..problem };
            }
            E::ExpiryPassed => ProblemType::EXPIRY_PASSED,
            E::LinkDisabled => ProblemType::LINK_DISABLED,
            E::PreconditionFailed => ProblemType::PRECONDITION_FAILED,
            E::KeyNotFound(_) => return ProblemExample::KEY_NOT_FOUND.problem(),
            E::OwnKey => ProblemType::OWN_KEY,
            E::OperatorRevoked => return Self::unknown_key(),
            E::ScopeAboveKey => ProblemType::KEY_SCOPE,
            E::ExpiryAfterKey => ProblemType::EXPIRY_AFTER_KEY,
            E::KeyLimitReached(_) => ProblemType::KEY_LIMIT_REACHED,
            E::SecretUnavailable => ProblemType::SECRET_UNAVAILABLE,
            E::WebhookNotFound => return ProblemExample::WEBHOOK_NOT_FOUND.problem(),
            E::DeliveryNotFound => return ProblemExample::DELIVERY_NOT_FOUND.problem(),
            E::DeliveryErased => ProblemType::DELIVERY_ERASED,
            E::WebhookDisabled => ProblemType::WEBHOOK_DISABLED,
            E::WebhookLimitReached(_) => ProblemType::WEBHOOK_LIMIT_REACHED,
            E::DestinationBlocked { field, host, reason, contact } => {
                let contact = contact.map_or_else(String::new, |text| format!("; contact: {text}"));
                let reason = format!(
                    "must not lead to {host}, which the operator of this service has blocked \
                     ({reason}){contact}"
                );
                return Self::destination_blocked(&pointer(field, destination), reason);
            }
            E::PlanLimitReached => ProblemType::PLAN_LIMIT_REACHED,
            E::DailyLimitReached { retry_after } => {
                let problem = Self::new(ProblemType::DAILY_LIMIT_REACHED, Self::sentence(&text));
                return Self { retry_after: Some(retry_after), ..problem };
            }
            E::CustomCodesNotAllowed => ProblemType::CUSTOM_CODES_NOT_ALLOWED,
            E::ColoursTooClose { .. } => ProblemType::QR_COLOURS_TOO_CLOSE,
            E::QrCodeTooLong { .. } => ProblemType::QR_CODE_TOO_LONG,
            E::OwnerNotFound(_) => return ProblemExample::OWNER_NOT_FOUND.problem(),
            E::PlanNotFound(_) => return ProblemExample::PLAN_NOT_FOUND.problem(),
            E::EventNotFound(_) => return ProblemExample::EVENT_NOT_FOUND.problem(),
            E::PatternsNotFound(_) => return ProblemExample::BLOCK_NOT_FOUND.problem(),
            E::DomainNotFound(_) => return ProblemExample::DOMAIN_NOT_FOUND.problem(),
            E::KeyUnknown => return ProblemExample::KEY_NOT_FOUND.problem(),
            E::BurstWithoutRate(_) => return ProblemExample::BURST_WITHOUT_RATE.problem(),
            E::OwnerExists(_) => ProblemType::OWNER_EXISTS,
            E::PlanExists(_) => ProblemType::PLAN_EXISTS,
            E::PlanInUse { .. } => ProblemType::PLAN_IN_USE,
            E::OperatorNotFound(_) => return ProblemExample::OPERATOR_KEY_NOT_FOUND.problem(),
            E::OperatorExists(_) => ProblemType::OPERATOR_KEY_EXISTS,
            E::DomainExists(_) => ProblemType::DOMAIN_EXISTS,
            E::DomainHasDestinations { .. } => ProblemType::DOMAIN_HAS_DESTINATIONS,
            E::OwnerNotSuspended(_) => ProblemType::OWNER_NOT_SUSPENDED,
            E::DeletionAborted(_) => ProblemType::DELETION_ABORTED,
            E::CannotUndo { .. } => ProblemType::CANNOT_UNDO,
            E::EventRunning(_) => ProblemType::EVENT_RUNNING,
            E::ChangeRunning(_) => ProblemType::CHANGE_RUNNING,
            E::Incomplete { cause, .. } => {
                let is_revoked = matches!(cause.as_deref(), Some(E::OperatorRevoked));
                let problem = if is_revoked {
                    Self::unknown_key()
                } else {
                    ProblemExample::UNAVAILABLE.problem()
                };
                return Self { detail: Self::sentence(&text), ..problem };
            }
            // No operation reports these.
            E::OwnerSuspended(_)
            | E::MonthStays(_)
            | E::BlockImportLost
            | E::BlockSourceNotFound(_) => return Self::internal_error(&error),
        };
        Self::new(problem_type, Self::sentence(&text))
    }
}

fn pointer(field: Field, destination: &str) -> String {
    let name = if field == Field::Destination { destination } else { field.name() };
    format!("/{name}")
}

impl Problem {
    /// Returns the same problem for the part of a body to which the JSON pointer `prefix` leads.
    #[must_use]
    pub(super) fn below(self, prefix: &str) -> Self {
        if self.errors.is_empty() {
            return self;
        }
        let moved = |error: FieldError| {
            let moved = error.below(prefix);
            let is_long = |pointer: &String| pointer.chars().count() > FieldError::MAX_PLACE;
            if moved.pointer.as_ref().is_some_and(is_long) {
                // Only the name of an unknown member is so long.
                let error = "must not have a member with a very long name";
                return FieldError::at_pointer(prefix, &ErrorCode::Unknown.because(error));
            }
            moved
        };
        let errors = self.errors.into_iter().map(moved).collect();
        Self { problem_type: self.problem_type, ..Self::invalid(errors) }
    }
}

impl Problem {
    /// Converts the error of a body, for which `too_large` is the problem of its size.
    pub(super) fn from_body(error: BodyError, too_large: &ProblemExample) -> Self {
        let detail = match error {
            BodyError::TooLarge => return too_large.problem(),
            BodyError::NoRoom => return domain::Error::from(StoreError::Busy).into(),
            BodyError::Incomplete => "The body did not arrive in full.",
            BodyError::TooSlow => "The body did not arrive in time.",
        };
        Self::new(ProblemType::MALFORMED_REQUEST, detail)
    }
}

/// Converts an error of an operation.
impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        error.downcast().unwrap_or_else(|error| Self::internal_error(&error))
    }
}
