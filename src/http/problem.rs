//! What can go wrong, as clients are told: problem details by
//! [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457).

use poem::http::{HeaderValue, StatusCode, header};
use poem::{Body, Response};
use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::Serialize;

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
    "This path does not have that method; Allow lists those it has.";

/// The media type of problem details.
pub const CONTENT_TYPE: &str = "application/problem+json";

/// Every problem there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// 400
    MalformedRequest,
    /// 401
    Unauthorized,
    /// 404 of a link
    LinkNotFound,
    /// 404 of a path
    NotFound,
    /// 405
    MethodNotAllowed,
    /// 409 of a code that somebody has
    CodeInUse,
    /// 409 of a code that the server needs
    CodeReserved,
    /// 409 of a plan
    PlanLimitReached,
    /// 409 of an idempotency key
    IdempotencyKeyReused,
    /// 409 of a QR code
    QrColoursTooClose,
    /// 413
    BodyTooLarge,
    /// 415 of a body that is not JSON
    UnsupportedMediaType,
    /// 415 of a body that is compressed
    UnsupportedContentEncoding,
    /// 422
    InvalidInput,
    /// 500
    InternalError,
    /// 503
    Unavailable,
}

impl Kind {
    /// All of them, by status.
    pub const ALL: &[Self] = &[
        Self::MalformedRequest,
        Self::Unauthorized,
        Self::LinkNotFound,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::CodeInUse,
        Self::CodeReserved,
        Self::PlanLimitReached,
        Self::IdempotencyKeyReused,
        Self::QrColoursTooClose,
        Self::BodyTooLarge,
        Self::UnsupportedMediaType,
        Self::UnsupportedContentEncoding,
        Self::InvalidInput,
        Self::InternalError,
        Self::Unavailable,
    ];

    /// Its name in `type` and `code`.
    #[must_use]
    pub const fn slug(self) -> &'static str {
        match self {
            Self::MalformedRequest => "malformed-request",
            Self::Unauthorized => "unauthorized",
            Self::LinkNotFound => "link-not-found",
            Self::NotFound => "not-found",
            Self::MethodNotAllowed => "method-not-allowed",
            Self::CodeInUse => "code-in-use",
            Self::CodeReserved => "code-reserved",
            Self::PlanLimitReached => "plan-limit-reached",
            Self::IdempotencyKeyReused => "idempotency-key-reused",
            Self::QrColoursTooClose => "qr-colours-too-close",
            Self::BodyTooLarge => "body-too-large",
            Self::UnsupportedMediaType => "unsupported-media-type",
            Self::UnsupportedContentEncoding => "unsupported-content-encoding",
            Self::InvalidInput => "invalid-input",
            Self::InternalError => "internal-error",
            Self::Unavailable => "unavailable",
        }
    }

    /// The status of its answers.
    #[must_use]
    pub const fn status(self) -> StatusCode {
        match self {
            Self::MalformedRequest => StatusCode::BAD_REQUEST,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::LinkNotFound | Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::CodeInUse
            | Self::CodeReserved
            | Self::PlanLimitReached
            | Self::IdempotencyKeyReused
            | Self::QrColoursTooClose => StatusCode::CONFLICT,
            Self::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType | Self::UnsupportedContentEncoding => {
                StatusCode::UNSUPPORTED_MEDIA_TYPE
            }
            Self::InvalidInput => StatusCode::UNPROCESSABLE_ENTITY,
            Self::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// A short summary, the same for every occurrence.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::MalformedRequest => "The request is malformed",
            Self::Unauthorized => "The API key is missing or invalid",
            Self::LinkNotFound => "There is no such link",
            Self::NotFound => "There is no such path",
            Self::MethodNotAllowed => "The method is not allowed here",
            Self::CodeInUse => "The short code is in use",
            Self::CodeReserved => "The short code is reserved",
            Self::PlanLimitReached => "The plan's limit is reached",
            Self::IdempotencyKeyReused => "The idempotency key was used before",
            Self::QrColoursTooClose => "The colours are too close to scan",
            Self::BodyTooLarge => "The body is too large",
            Self::UnsupportedMediaType => "The body is not JSON",
            Self::UnsupportedContentEncoding => "The body is compressed",
            Self::InvalidInput => "The input is not valid",
            Self::InternalError => "The server made a mistake",
            Self::Unavailable => "The service is unavailable for the moment",
        }
    }

    /// What it means and what to do, for the page that `type` leads to; backticks enclose what
    /// programs read.
    #[must_use]
    pub const fn explanation(self) -> &'static str {
        match self {
            Self::MalformedRequest => {
                "The body is not JSON, or a query parameter or header is not of its form or is there \
                 more than once. Nothing was changed. Mend the request before you send it again; \
                 `detail` says where it broke."
            }
            Self::Unauthorized => {
                "Every operation needs an API key, in the header `X-API-Key` or as `Authorization: \
                 Bearer`. The key is missing, unknown, expired or revoked, or the two headers carry \
                 different keys. Ask the operator of this service for a key."
            }
            Self::LinkNotFound => {
                "No link of yours has this short code. Codes are case-sensitive; another owner's \
                 link is answered the same way as one that does not exist."
            }
            Self::NotFound => {
                "The service has no operation at this path. The document at `/openapi.json` lists them all."
            }
            Self::MethodNotAllowed => {
                "There is an operation at this path, but not with this method. The header `Allow` \
                 names those there are."
            }
            Self::CodeInUse => {
                "Another link has the short code that you asked for. Nothing was created. Choose \
                 another, or leave `custom_code` out and get a random one."
            }
            Self::CodeReserved => {
                "The short code that you asked for is the name of something that the server itself \
                 answers. Nothing was created. Choose another, or leave `custom_code` out and get a \
                 random one."
            }
            Self::PlanLimitReached => {
                "You have as many links as your plan allows. Nothing was created. The operator of \
                 this service can put you on another plan."
            }
            Self::IdempotencyKeyReused => {
                "You have sent another request with the same `Idempotency-Key` in the last 24 hours, \
                 and it was answered. Nothing was changed by this one. Send the same request again \
                 to have the same answer again, or use a new key for a new request."
            }
            Self::QrColoursTooClose => {
                "A scanner could not tell the foreground of the QR code from its background, with \
                 the colours that are stored already taken into account. Nothing was changed. \
                 Choose a pair with a contrast ratio of at least 3 (WCAG 2)."
            }
            Self::BodyTooLarge => {
                "The body of a request may have 64 KiB at most. Nothing was changed."
            }
            Self::UnsupportedMediaType => {
                "Requests with a body need the header `Content-Type: application/json`."
            }
            Self::UnsupportedContentEncoding => {
                "The body came with a `Content-Encoding`, such as `gzip`. Nothing was changed. Send \
                 the JSON as it is, without that header; a body may have 64 KiB at most anyway."
            }
            Self::InvalidInput => {
                "The body is JSON, but a field is missing, of the wrong type or not valid. `errors` \
                 names each one with a JSON pointer. Nothing was changed. Mend the fields before \
                 you send the request again."
            }
            Self::InternalError => {
                "This is a defect of the service, not of your request. Please tell its operator, \
                 with the `request_id` of the answer."
            }
            Self::Unavailable => {
                "The database cannot be reached, is full, read-only or too busy. Try again after \
                 the seconds that the header `Retry-After` names. If the connection broke while \
                 something was being stored, it may have happened: send it again with the same \
                 `Idempotency-Key`, or look before you repeat it."
            }
        }
    }
}

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
}

impl Problem {
    /// A problem that names no fields.
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), errors: Vec::new() }
    }

    /// Fields that are not valid.
    #[must_use]
    pub fn invalid(errors: Vec<FieldError>) -> Self {
        let detail = match errors.as_slice() {
            [FieldError { pointer, detail }] if pointer.is_empty() => format!("The body {detail}."),
            [FieldError { pointer, detail }] => format!("{pointer} {detail}."),
            several => format!("{} fields are not valid.", several.len()),
        };
        Self { kind: Kind::InvalidInput, detail, errors }
    }

    /// The problem as the document shows it.
    pub(super) fn example(self) -> ProblemDetails {
        self.details(EXAMPLE_SERVICE, EXAMPLE_REQUEST.to_owned())
    }

    fn details(self, service: &str, request_id: String) -> ProblemDetails {
        let Self { kind, detail, errors } = self;
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
    pub(super) fn into_response(self, service: &BaseUrl, request_id: &RequestId) -> Response {
        let kind = self.kind;
        let details = self.details(service.as_str(), request_id.to_string());
        let mut response = Response::builder()
            .status(kind.status())
            .content_type(CONTENT_TYPE)
            .body(Body::from_json(&details).unwrap_or_default());
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
    /// The status of the answer, for when only the body is kept.
    #[oai(validator(minimum(value = "400"), maximum(value = "599")))]
    status: u16,
    /// What happened this time, for people.
    #[oai(validator(min_length = 1, max_length = 4096))]
    detail: String,
    /// What programs tell problems apart by: the last segment of `type`. Others than those shown
    /// may join within a status.
    #[oai(validator(min_length = 1, max_length = 64, pattern = "^[a-z]+(-[a-z]+)*$"))]
    code: String,
    /// What the server's log calls this request, as in the header `X-Request-Id`: name it when you
    /// ask its operator for help.
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn slugs_are_unique_and_statuses_are_errors() {
        let slugs: HashSet<_> = Kind::ALL.iter().map(|kind| kind.slug()).collect();
        assert_eq!(slugs.len(), Kind::ALL.len());
        assert!(Kind::ALL.iter().all(|kind| kind.status().as_u16() >= 400));
    }
}
