//! What can go wrong, as clients are told: problem details by
//! [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457).

mod kind;

use poem::http::{HeaderValue, header};
use poem::{Body, Response};
use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::Serialize;

pub use self::kind::Kind;
use super::cause::Cause;
use super::request_id::RequestId;
use crate::values::BaseUrl;

/// Seconds after which a client may try again when the database is away.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("1");

/// The service that speaks in examples, until the document is rendered for another.
pub(super) const EXAMPLE_SERVICE: &str = "http://127.0.0.1:8080";
/// The request whose answer an example is.
pub(super) const EXAMPLE_REQUEST: &str = "d3545ae66ce72921";

/// What is said of a method that a path does not have.
pub(super) const NO_SUCH_METHOD: &str =
    "This path does not support that method; Allow lists those it supports.";

/// What is said of a defect.
const DEFECT: &str = "Internal error; the server's log says more.";

/// The media type of problem details.
pub const CONTENT_TYPE: &str = "application/problem+json";

/// One field that is not valid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct FieldError {
    /// JSON pointer (RFC 6901) to the field in the request's body; empty for the body itself.
    #[oai(validator(max_length = 256, pattern = "^(/[^/]+)*$"))]
    pub pointer: String,
    /// What is wrong with it, for people.
    #[oai(validator(min_length = 1, max_length = 1024))]
    pub detail: String,
}

/// A problem that has occurred, before it is an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Which one.
    pub kind: Kind,
    /// What happened this time, for people.
    pub detail: String,
    /// The fields that are not valid.
    pub errors: Vec<FieldError>,
    /// What the log is to know of it.
    pub cause: Option<Cause>,
}

impl Problem {
    /// A problem that names no fields.
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), errors: Vec::new(), cause: None }
    }

    /// What nobody has foreseen: the log says what it is.
    pub fn defect(error: &dyn std::fmt::Display) -> Self {
        Self::new(Kind::InternalError, DEFECT).because_of(Cause::defect(error))
    }

    /// Fields that are not valid.
    #[must_use]
    pub fn invalid(errors: Vec<FieldError>) -> Self {
        let detail = match errors.as_slice() {
            [FieldError { pointer, detail }] if pointer.is_empty() => format!("The body {detail}."),
            [FieldError { pointer, detail }] => format!("{pointer} {detail}."),
            several => format!("{} fields are not valid.", several.len()),
        };
        Self { kind: Kind::InvalidInput, detail, errors, cause: None }
    }

    /// The problem, with what the log is to know of it.
    #[must_use]
    pub fn because_of(self, cause: Cause) -> Self {
        Self { cause: Some(cause), ..self }
    }

    /// The problem as the document shows it.
    pub(super) fn example(self) -> ProblemDetails {
        self.details(EXAMPLE_SERVICE, EXAMPLE_REQUEST.to_owned())
    }

    fn details(self, service: &str, request_id: String) -> ProblemDetails {
        let Self { kind, detail, errors, cause: _ } = self;
        ProblemDetails {
            kind: format!("{service}/problems/{}", kind.slug()),
            title: kind.title().to_owned(),
            status: kind.status().as_u16(),
            detail,
            code: kind.slug().to_owned(),
            request_id,
            errors: (!errors.is_empty()).then_some(errors),
        }
    }

    /// The answer to the request of that identifier.
    pub(super) fn into_response(mut self, service: &BaseUrl, request_id: &RequestId) -> Response {
        let (kind, cause) = (self.kind, self.cause.take());
        let details = self.details(service.as_str(), request_id.to_string());
        let mut response = Response::builder()
            .status(kind.status())
            .content_type(CONTENT_TYPE)
            .body(Body::from_json(&details).unwrap_or_default());
        if let Some(cause) = cause {
            cause.travel_in(&mut response);
        }
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        match kind {
            Kind::Unauthorized => {
                // RFC 9110, section 11.6.1, asks for a challenge; the scheme of X-API-Key has no
                // registered name.
                let challenge = HeaderValue::from_static("Bearer realm=\"terse\"");
                headers.insert(header::WWW_AUTHENTICATE, challenge);
            }
            Kind::Unavailable => {
                headers.insert(header::RETRY_AFTER, RETRY_AFTER);
            }
            Kind::UnsupportedContentEncoding => {
                // RFC 9110, section 12.5.3, has a 415 say so when it is for the coding, and only then.
                headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
            }
            Kind::MalformedRequest
            | Kind::LinkNotFound
            | Kind::CursorNotFound
            | Kind::NotFound
            | Kind::MethodNotAllowed
            | Kind::CodeInUse
            | Kind::CodeReserved
            | Kind::PlanLimitReached
            | Kind::IdempotencyKeyReused
            | Kind::QrColoursTooClose
            | Kind::BodyTooLarge
            | Kind::UnsupportedMediaType
            | Kind::InvalidInput
            | Kind::InternalError => {}
        }
        response
    }
}

/// What went wrong (RFC 9457, problem details).
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Problem", example)]
pub struct ProblemDetails {
    /// A page for people that says what the problem means and what to do; the same for every
    /// problem of this kind.
    #[serde(rename = "type")]
    #[oai(
        rename = "type",
        validator(
            min_length = 8,
            max_length = 2048,
            pattern = "^https?://[^/]+/problems/[a-z-]+$"
        )
    )]
    kind: String,
    /// A short summary; the same for every problem of this kind.
    #[oai(validator(min_length = 1, max_length = 256))]
    title: String,
    /// The status of the response, for when only the body is kept.
    #[oai(validator(minimum(value = "400"), maximum(value = "599")))]
    status: u16,
    /// What happened this time, for people.
    #[oai(validator(min_length = 1, max_length = 4096))]
    detail: String,
    /// Tells problems apart, for programs: the last segment of `type`. There are
    /// `malformed-request`, `unauthorized`, `link-not-found`, `cursor-not-found`, `not-found`,
    /// `method-not-allowed`, `code-in-use`, `code-reserved`, `plan-limit-reached`,
    /// `idempotency-key-reused`, `qr-colours-too-close`, `body-too-large`, `unsupported-media-type`,
    /// `unsupported-content-encoding`, `invalid-input`, `internal-error` and `unavailable`; others may
    /// be added.
    #[oai(validator(min_length = 1, max_length = 64, pattern = "^[a-z]+(-[a-z]+)*$"))]
    code: String,
    /// The identifier of this request in the server's log, also in the header `X-Request-Id`: quote
    /// it when you ask the operator for help.
    #[oai(validator(min_length = 16, max_length = 16, pattern = "^[0-9a-f]{16}$"))]
    request_id: String,
    /// The fields that are not valid; only with `invalid-input`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(skip_serializing_if_is_none, validator(min_items = 1, max_items = 100))]
    errors: Option<Vec<FieldError>>,
}

impl Example for ProblemDetails {
    fn example() -> Self {
        Problem::invalid(vec![FieldError {
            pointer: "/url".to_owned(),
            detail: "must start with http:// or https://".to_owned(),
        }])
        .example()
    }
}
