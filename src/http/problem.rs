//! Problem details ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)), which are the body of
//! every error under `/api`.

use poem::error::ResponseError;
use poem::http::{HeaderValue, StatusCode, header};
use poem::{Body, Response};
use poem_openapi::Object;
use serde::Serialize;

use super::problem_type::ProblemType;
use super::request_id::RequestId;
use super::request_log::LogCause;
use crate::http::objects::fields::{ErrorCodeWord, LinkCode};
use crate::values::{ApiKey, BaseUrl, ErrorCode, ValidationError, shorten};

/// Base URL in examples. The OpenAPI document that a server returns has the server's base URL
/// instead.
pub const EXAMPLE_BASE_URL: &str = "http://127.0.0.1:8080";
/// Request identifier in examples.
pub const EXAMPLE_REQUEST_ID: &str = "d3545ae66ce72921";

/// Media type of problem details.
pub const PROBLEM_JSON: &str = "application/problem+json";

/// One thing in a request that is not valid: a field of the body, or a parameter or header.
#[derive(Debug, Clone, Serialize, Object)]
pub struct FieldError {
    /// JSON pointer (RFC 6901) to the field in the request's body; empty for the body itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(skip_serializing_if_is_none, validator(max_length = 256, pattern = "^(/[^/]+)*$"))]
    pub pointer: Option<String>,
    /// Name of the query parameter or header, if the error is not in the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(skip_serializing_if_is_none, validator(max_length = 256))]
    pub parameter: Option<String>,
    /// What is wrong with it, for programs. Others may be added.
    code: ErrorCodeWord,
    /// What is wrong with it, for people.
    #[oai(validator(min_length = 1, max_length = 1024))]
    pub detail: String,
}

impl FieldError {
    /// Maximum number of characters of a pointer and of the name of a parameter.
    pub const MAX_PLACE: usize = 256;
    /// Maximum number of characters of a detail.
    const MAX_DETAIL: usize = 1024;

    /// Creates the error of the field to which a JSON pointer leads.
    pub fn at_pointer(pointer: impl Into<String>, error: &ValidationError) -> Self {
        let code = ErrorCodeWord::from(<&str>::from(error.code));
        Self { pointer: Some(pointer.into()), parameter: None, code, detail: error.to_string() }
    }

    /// Returns the same error for a field of the object to which the JSON pointer `prefix` leads.
    #[must_use]
    pub fn below(self, prefix: &str) -> Self {
        Self { pointer: self.pointer.map(|pointer| format!("{prefix}{pointer}")), ..self }
    }
}

/// A problem of a request. An operation returns it as its error to
/// [`HttpService`](super::HttpService), which adds the base URL and the identifier of the request.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{detail}")]
pub struct Problem {
    /// Type of the problem.
    pub problem_type: &'static ProblemType,
    /// Explanation of this occurrence, for people.
    pub detail: String,
    /// Invalid fields.
    pub errors: Vec<FieldError>,
    /// Code of the link with which the request is in conflict, if it is known.
    pub short_code: Option<Box<str>>,
    /// Number of seconds after which a repetition may succeed, if it is known.
    pub retry_after: Option<u32>,
    /// Cause of the problem for the log, if there is one.
    pub cause: Option<LogCause>,
    /// Whether the owner of the key became unavailable during the operation, so that the key may be
    /// invalid by now.
    pub is_owner_unavailable: bool,
}

impl ResponseError for Problem {
    fn status(&self) -> StatusCode {
        self.problem_type.status
    }
}

impl Problem {
    /// Detail of the problem `internal-error`.
    pub const INTERNAL_ERROR_DETAIL: &str = "Internal error; the server's log says more.";

    /// Creates a problem without invalid fields.
    pub fn new(problem_type: &'static ProblemType, detail: impl Into<String>) -> Self {
        Self {
            problem_type,
            detail: detail.into(),
            errors: Vec::new(),
            short_code: None,
            retry_after: None,
            cause: None,
            is_owner_unavailable: false,
        }
    }

    /// Creates the problem of a bug. Clients do not see `error`, which only the log reports.
    pub fn internal_error(error: &dyn std::fmt::Display) -> Self {
        Self::new(ProblemType::INTERNAL_ERROR, Self::INTERNAL_ERROR_DETAIL)
            .with_cause(LogCause::internal_error(error))
    }

    /// Creates the problem of an API key that is not valid.
    pub fn unknown_key() -> Self {
        Self::new(ProblemType::UNAUTHORIZED, "The API key is unknown, expired or revoked.")
    }

    /// Creates the problem of a blocked destination, to which the JSON pointer leads. `reason` is a sentence about the destination
    /// without its subject.
    pub fn destination_blocked(pointer: &str, reason: String) -> Self {
        let error = FieldError::at_pointer(pointer, &ErrorCode::Blocked.because(reason));
        Self { problem_type: ProblemType::DESTINATION_BLOCKED, ..Self::invalid(vec![error]) }
    }

    /// Creates the problem of a malformed query parameter.
    pub fn malformed_parameter(name: &str, error: &ValidationError) -> Self {
        Self::malformed("parameter", name, error)
    }

    /// Creates the problem of a malformed header.
    pub fn malformed_header(name: &str, error: &ValidationError) -> Self {
        Self::malformed("header", name, error)
    }

    fn malformed(kind: &str, name: &str, error: &ValidationError) -> Self {
        // A name may be a key that was pasted in the wrong place.
        let name = shorten(ApiKey::redact(name).into_owned(), FieldError::MAX_PLACE);
        let detail = Self::sentence(&format!("The {kind} {name} {error}"));
        let field = FieldError::at_pointer("", error);
        let errors = vec![FieldError { pointer: None, parameter: Some(name), ..field }];
        Self { errors, ..Self::new(ProblemType::MALFORMED_REQUEST, detail) }
    }

    /// Creates the problem of invalid fields.
    pub fn invalid(errors: Vec<FieldError>) -> Self {
        let detail = match errors.as_slice() {
            [FieldError { pointer: Some(pointer), detail, .. }] if !pointer.is_empty() => {
                Self::sentence(&format!("{pointer} {detail}"))
            }
            [FieldError { detail, .. }] => Self::sentence(&format!("The body {detail}")),
            several => format!("{} fields are not valid.", several.len()),
        };
        Self { errors, ..Self::new(ProblemType::INVALID_INPUT, detail) }
    }

    /// Adds a cause for the log.
    #[must_use]
    pub fn with_cause(self, cause: LogCause) -> Self {
        Self { cause: Some(cause), ..self }
    }

    /// Returns the body of the response to the request with this identifier.
    pub fn into_details(self, base_url: &str, request_id: String) -> ProblemDetails {
        let Self { problem_type, detail, errors, short_code, .. } = self;
        let ProblemType { slug, status, title, .. } = *problem_type;
        // A detail may repeat a text of the request.
        let errors = errors.into_iter().map(|error| FieldError {
            detail: shorten(error.detail, FieldError::MAX_DETAIL),
            ..error
        });
        let errors: Vec<_> = errors.collect();
        ProblemDetails {
            kind: format!("{base_url}/problems/{slug}"),
            title: title.to_owned(),
            status: status.as_u16().into(),
            detail: shorten(detail, ProblemDetails::MAX_DETAIL),
            code: slug.to_owned(),
            request_id,
            errors: (!errors.is_empty()).then_some(errors),
            short_code: short_code.map(|code| LinkCode(code.into())),
        }
    }

    /// Returns the response to the request with this identifier.
    pub fn into_response(mut self, base_url: &BaseUrl, request_id: &RequestId) -> Response {
        let (problem_type, cause) = (self.problem_type, self.cause.take());
        let retry_after = self.retry_after;
        let ProblemType { status, header, .. } = *problem_type;
        let details = self.into_details(base_url.as_str(), request_id.to_string());
        let mut response = Response::builder()
            .status(status)
            .content_type(PROBLEM_JSON)
            .header(header::CACHE_CONTROL, "no-store")
            .body(Body::from_json(&details).unwrap_or_default());
        // The request log reports the type.
        response.set_data(problem_type);
        if let Some((name, value)) = header {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        if let Some(seconds) = retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        match cause {
            Some(cause) => cause.attach_to(response),
            None => response,
        }
    }
}

/// What went wrong (RFC 9457, problem details).
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Problem")]
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
    status: i32,
    /// What happened this time, for people.
    #[oai(validator(min_length = 1, max_length = 4096))]
    detail: String,
    /// Identifies the kind of problem, for programs: the last segment of `type`. Treat an unknown one by its
    /// status: others may be added. No operation declares `not-found` and `method-not-allowed`, which
    /// unknown paths and methods return.
    #[oai(validator(min_length = 1, max_length = 64, pattern = "^[a-z]+(-[a-z]+)*$"))]
    code: String,
    /// The identifier of this request in the server's log, also in the header `X-Request-Id`: quote
    /// it when you ask the operator for help.
    #[oai(validator(min_length = 16, max_length = 16, pattern = "^[0-9a-f]{16}$"))]
    request_id: String,
    /// The fields that are not valid, with `invalid-input` and `destination-blocked`; or the parameter
    /// or header that is not, with `malformed-request` unless the body is not JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(skip_serializing_if_is_none, validator(min_items = 1, max_items = 100))]
    errors: Option<Vec<FieldError>>,
    /// The code of the link that has the external identifier, with `external-id-in-use`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(skip_serializing_if_is_none)]
    short_code: Option<LinkCode>,
}

impl ProblemDetails {
    /// Maximum number of characters of a detail.
    const MAX_DETAIL: usize = 4096;
}
