//! Conversions into problems: of errors from the domain, from request bodies and from poem.

use poem::Error;
use poem::error::{MethodNotAllowedError, NotFoundError};
use poem_openapi::error::ParsePathError;

use super::caller::unknown_key;
use super::problem_examples::ProblemExample;
use crate::domain::{self, Field};
use crate::http::log_cause::LogCause;
use crate::http::problem::{FieldError, Problem};
use crate::http::problem_type::ProblemType;
use crate::http::request_body::BodyError;
use crate::values::ValidationError;

impl From<domain::Error> for Problem {
    fn from(error: domain::Error) -> Self {
        use domain::Error as E;

        let text = error.to_string();
        let problem_type = match error {
            E::Invalid(fields) => {
                let field_error = |(field, reason): (Field, ValidationError)| FieldError {
                    pointer: pointer(field),
                    detail: reason.to_string(),
                };
                return Self::invalid(fields.into_iter().map(field_error).collect());
            }
            E::Store(error) => return unavailable(LogCause::from(&*error)),
            E::ClicksPending => return unavailable(LogCause::transient(&error)),
            E::LinkNotFound | E::LinksNotFound(_) | E::LinksDeleted(_) => {
                ProblemType::LINK_NOT_FOUND
            }
            E::KeyReused => ProblemType::IDEMPOTENCY_KEY_REUSED,
            E::CodeInUse => ProblemType::CODE_IN_USE,
            E::CodeReserved => ProblemType::CODE_RESERVED,
            E::ExpiryPassed => ProblemType::EXPIRY_PASSED,
            E::DestinationBlocked { field: _, host, reason, contact } => {
                let contact = contact.map_or_else(String::new, |text| format!("; contact: {text}"));
                return Self::destination_blocked(format!(
                    "must not lead to {host}, which the operator of this service has blocked \
                     ({reason}){contact}"
                ));
            }
            E::PlanLimitReached { limit: _ } => ProblemType::PLAN_LIMIT_REACHED,
            E::ColoursTooClose { .. } => ProblemType::QR_COLOURS_TOO_CLOSE,
            // The owner was suspended or deleted after the authentication.
            E::OwnerSuspended(_) => return ProblemExample::OWNER_SUSPENDED.problem(),
            E::KeyUnknown => return unknown_key(),
            // No operation changes owners, keys, plans, blocks or the history.
            E::OwnerNotFound(_)
            | E::OwnerExists(_)
            | E::DeletionAborted(_)
            | E::PlanNotFound(_)
            | E::PlanExists(_)
            | E::BurstWithoutRate(_)
            | E::Incomplete { .. }
            | E::EventNotFound(_)
            | E::CannotUndo { .. }
            | E::BlockImportLost
            | E::PatternsNotFound(_)
            | E::BlockSourceNotFound(_)
            | E::KeyNotFound(_) => return Self::internal_error(&error),
        };
        Self::new(problem_type, sentence(&text))
    }
}

/// Creates the problem `unavailable`, the same for every database error: a client can only retry.
fn unavailable(cause: LogCause) -> Problem {
    ProblemExample::UNAVAILABLE.problem().with_cause(cause)
}

fn pointer(field: Field) -> String {
    // The specification has this name for the destination in requests.
    let name = if field == Field::Destination { "url" } else { field.name() };
    format!("/{name}")
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

impl From<BodyError> for Problem {
    fn from(error: BodyError) -> Self {
        let detail = match error {
            BodyError::TooLarge => return ProblemExample::TOO_LARGE.problem(),
            BodyError::Incomplete => "The body did not arrive in full.",
            BodyError::TooSlow => "The body did not arrive in time.",
        };
        Self::new(ProblemType::MALFORMED_REQUEST, detail)
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        error.downcast().unwrap_or_else(|error| {
            if error.is::<ParsePathError>() {
                // The code in the path is not UTF-8, so no link has it.
                ProblemExample::LINK_NOT_FOUND.problem()
            } else if error.is::<MethodNotAllowedError>() {
                ProblemExample::METHOD_NOT_ALLOWED.problem()
            } else if error.is::<NotFoundError>() {
                let detail = "No operation has this path; /openapi.json lists them all.";
                Self::new(ProblemType::NOT_FOUND, detail)
            } else {
                Self::internal_error(&error)
            }
        })
    }
}
