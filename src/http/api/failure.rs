//! How operations fail: the one place where what went wrong below becomes what a client is told.

use std::marker::PhantomData;

use poem::http::StatusCode;
use poem::{Endpoint, EndpointExt, Error, Response};
use poem_openapi::ApiResponse;
use poem_openapi::error::{ContentTypeError, ParsePathError};
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, Registry};
use poem_openapi::types::Type;

use super::case::Case;
use super::headers;
use crate::domain::{self, Field};
use crate::http::cause::Cause;
use crate::http::problem::{self, FieldError, Kind, Problem, ProblemDetails};
use crate::values::Invalid;

/// An operation, as far as it can fail.
pub trait Operation: Send + Sync + 'static {
    /// Its name in the document.
    const ID: &'static str;
    /// What it does.
    const DOES: Does;
    /// What can go wrong with it.
    const PROBLEMS: &'static [Case];
}

/// All that a client is told of the database.
pub(super) const UNAVAILABLE: &str = "The database is unavailable at the moment.";

/// A problem of operation `O`.
#[derive(Debug)]
pub struct Failure<O>(Problem, PhantomData<O>);

impl<O> From<domain::Error> for Failure<O> {
    fn from(error: domain::Error) -> Self {
        Problem::from(error).into()
    }
}

impl<O> From<Problem> for Failure<O> {
    fn from(problem: Problem) -> Self {
        Self(problem, PhantomData)
    }
}

impl From<domain::Error> for Problem {
    fn from(error: domain::Error) -> Self {
        use domain::Error as E;

        let kind = match error {
            E::Invalid(fields) => {
                let field_error = |(field, reason): (Field, Invalid)| FieldError {
                    pointer: pointer(field).to_owned(),
                    detail: reason.to_string(),
                };
                return Self::invalid(fields.into_iter().map(field_error).collect());
            }
            E::Store(error) => return unavailable(Cause::from(&*error)),
            E::Uncounted => return unavailable(Cause::passing(&error)),
            E::LinkNotFound => Kind::LinkNotFound,
            E::KeyReused => Kind::IdempotencyKeyReused,
            E::CodeInUse => Kind::CodeInUse,
            E::CodeReserved => Kind::CodeReserved,
            E::PlanLimitReached => Kind::PlanLimitReached,
            E::ColoursTooClose { .. } => Kind::QrColoursTooClose,
        };
        Self::new(kind, sentence(&error.to_string()))
    }
}

/// Whatever is wrong with the database, the client can but try again; the log says what it is.
fn unavailable(cause: Cause) -> Problem {
    Problem::new(Kind::Unavailable, UNAVAILABLE).because_of(cause)
}

const fn pointer(field: Field) -> &'static str {
    match field {
        Field::Destination => "/url",
        Field::CustomCode => "/custom_code",
    }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

/// Makes problems of an operation's errors, the framework's own included.
pub(super) fn with_problems(operation: impl Endpoint) -> impl Endpoint {
    operation.catch_all_error(|error| async move {
        let problem = error.data::<Problem>().cloned().unwrap_or_else(|| of_framework(&error));
        let mut response = Response::builder().status(problem.kind.status()).finish();
        response.set_data(problem);
        response
    })
}

fn of_framework(error: &Error) -> Problem {
    if error.is::<ParsePathError>() {
        // A code that is not even text: no link has it.
        Case::NO_LINK.problem()
    } else if error.is::<ContentTypeError>() {
        Case::NOT_JSON.problem()
    } else {
        Problem::defect(error)
    }
}

/// Errors carry their problem to the server's front, which knows the request's identifier.
impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        let mut error = Self::from_status(problem.kind.status());
        error.set_data(problem);
        error
    }
}

impl<O: Operation> From<Failure<O>> for Error {
    fn from(Failure(problem, _): Failure<O>) -> Self {
        debug_assert!(
            O::PROBLEMS.iter().any(|case| case.kind == problem.kind),
            "{problem:?} is not declared"
        );
        problem.into()
    }
}

impl<O: Operation> ApiResponse for Failure<O> {
    fn meta() -> MetaResponses {
        let cases = O::PROBLEMS.iter().chain([&Case::NO_METHOD]);
        let mut statuses: Vec<StatusCode> = cases.map(|case| case.kind.status()).collect();
        statuses.sort();
        statuses.dedup();
        let responses = statuses.into_iter().map(|status| response(status, O::DOES));
        MetaResponses { responses: responses.collect() }
    }

    fn register(registry: &mut Registry) {
        ProblemDetails::register(registry);
    }
}

/// What an operation does: of one that writes a problem means something else than of one that reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    /// It takes a body and changes something.
    Write,
    /// It reads a list.
    List,
    /// It reads one link.
    Read,
}

fn response(status: StatusCode, does: Does) -> MetaResponse {
    MetaResponse {
        description: description(status, does),
        status: Some(status.as_u16()),
        status_range: None,
        content: vec![MetaMediaType {
            content_type: problem::CONTENT_TYPE,
            schema: ProblemDetails::schema_ref(),
        }],
        headers: headers::of_problem(status),
    }
}

/// What an answer means.
fn description(status: StatusCode, does: Does) -> &'static str {
    match status {
        StatusCode::BAD_REQUEST if does == Does::Write => {
            "The body is not JSON, is JSON beyond what can be read (a number beyond a 64-bit float, \
             half of a surrogate pair, more than 127 levels of nesting), or did not arrive in full \
             within 30 seconds, or `Idempotency-Key` is malformed or appears with different values. \
             Nothing was changed."
        }
        StatusCode::BAD_REQUEST => {
            "A query parameter is malformed, is not UTF-8, or appears more than once. \
             Unknown parameters are ignored."
        }
        StatusCode::UNAUTHORIZED => {
            "The API key is missing, unknown, expired or revoked, or the two headers carry \
             different keys."
        }
        StatusCode::NOT_FOUND if does == Does::List => {
            "`cursor` was not given to the owner of the API key by this list."
        }
        StatusCode::NOT_FOUND => "The owner of the API key has no such link.",
        StatusCode::METHOD_NOT_ALLOWED => {
            "Never returned by this operation: its path returns it for methods that it does not \
             support, which OpenAPI has no other place for. `Allow` lists those it supports."
        }
        StatusCode::CONFLICT => {
            "The request conflicts with what is stored; `code` says how. Nothing was changed."
        }
        StatusCode::PAYLOAD_TOO_LARGE => "The body is larger than 64 KiB.",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            "The body is not sent as `application/json`, or has a `Content-Encoding` such as `gzip`."
        }
        StatusCode::UNPROCESSABLE_ENTITY => {
            "A field is missing, repeated, of the wrong type or not valid; `errors` \
             names each, but what depends on what is stored (`custom_code`, on the plan) only when \
             all others are valid. Nothing was changed."
        }
        StatusCode::SERVICE_UNAVAILABLE if does == Does::Write => {
            "The database is unavailable, full or too busy. Nothing was changed, unless the \
             connection to it broke at the last moment: then the request may have taken effect. \
             Try again after `Retry-After` seconds with the same `Idempotency-Key`, and it takes \
             effect once."
        }
        StatusCode::SERVICE_UNAVAILABLE => {
            "The database is unavailable or too busy; try again after `Retry-After` seconds."
        }
        _ => "Something else went wrong.",
    }
}
