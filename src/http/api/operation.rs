//! Descriptions of operations for the OpenAPI document: their successful responses and their
//! problems.

use std::collections::BTreeSet;

use poem::http::StatusCode;
use poem_openapi::registry::{MetaHeader, MetaMediaType, MetaResponse};
use poem_openapi::types::Type;

use super::headers;
use super::problem_examples::ProblemExample;
use crate::http::problem::{PROBLEM_JSON, ProblemDetails};

/// Media type of successful responses.
pub(super) const JSON: &str = "application/json";

/// An operation, as the OpenAPI document describes it.
pub trait Operation: Send + Sync + 'static {
    /// The `operationId`.
    const ID: &'static str;
    /// Kind of the operation.
    const KIND: OperationKind;
    /// Description of the successful response.
    const SUCCESS_DESCRIPTION: &'static str;
    /// Problems that the operation returns.
    const PROBLEMS: &'static [ProblemExample];
    /// Body of the successful response.
    type Body: Type;

    /// Returns the descriptions of the headers of the successful response.
    fn headers() -> Vec<MetaHeader> {
        Vec::new()
    }
}

/// Kind of an operation, which determines its success status and the descriptions of its problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationKind {
    /// Takes a body and changes data.
    Write,
    /// Reads a list.
    List,
    /// Reads one link.
    Read,
}

impl OperationKind {
    /// Returns the status of a successful response.
    pub(super) const fn success(self) -> StatusCode {
        match self {
            Self::Write => StatusCode::CREATED,
            Self::List | Self::Read => StatusCode::OK,
        }
    }
}

/// Returns the descriptions of all responses of an operation, by status.
pub(super) fn responses<O: Operation>() -> Vec<MetaResponse> {
    let statuses: BTreeSet<_> =
        O::PROBLEMS.iter().map(|problem| problem.problem_type.status).collect();
    let mut headers = O::headers();
    headers.extend(headers::of_limit(99));
    let success = response::<O::Body>(O::KIND.success(), O::SUCCESS_DESCRIPTION, JSON, headers);
    let problems = statuses.into_iter().map(|status| {
        let (description, headers) = (description(status, O::KIND), headers::of_problem(status));
        response::<ProblemDetails>(status, description, PROBLEM_JSON, headers)
    });
    std::iter::once(success).chain(problems).collect()
}

fn response<T: Type>(
    status: StatusCode,
    description: &'static str,
    content_type: &'static str,
    mut headers: Vec<MetaHeader>,
) -> MetaResponse {
    headers.insert(0, headers::request_id());
    MetaResponse {
        description,
        status: Some(status.as_u16()),
        status_range: None,
        content: vec![MetaMediaType { content_type, schema: T::schema_ref() }],
        headers,
    }
}

/// Returns the description of a problem response.
fn description(status: StatusCode, kind: OperationKind) -> &'static str {
    match status {
        StatusCode::BAD_REQUEST if kind == OperationKind::Write => {
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
        StatusCode::FORBIDDEN => {
            "The owner of the API key is suspended, or the key's scope does not allow the operation; \
             `code` says which. Nothing was changed."
        }
        StatusCode::NOT_FOUND if kind == OperationKind::List => {
            "This list did not issue `cursor` to this owner."
        }
        StatusCode::NOT_FOUND => "The owner of the API key has no such link.",
        StatusCode::CONFLICT => {
            "The request conflicts with what is stored; `code` says how. Nothing was changed."
        }
        StatusCode::PAYLOAD_TOO_LARGE => "The body is larger than 64 KiB.",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            "The body is not sent as `application/json`, or has a `Content-Encoding` such as `gzip`."
        }
        StatusCode::UNPROCESSABLE_ENTITY => {
            "A field is missing, repeated, of the wrong type or not valid. `errors` lists every \
             invalid field; `custom_code`, which depends on the plan, is checked only once all other \
             fields are valid. Nothing was changed."
        }
        StatusCode::TOO_MANY_REQUESTS => {
            "The owner has sent more requests than the plan allows, with whichever keys; or, in place \
             of 401, too many requests without a valid key came from the same address. Nothing was \
             changed: try again after `Retry-After` seconds."
        }
        StatusCode::SERVICE_UNAVAILABLE => {
            "The database is unavailable, full or too busy: try again after `Retry-After` seconds. If \
             the connection to it broke at the last moment, a `POST` may have taken effect; with the \
             same `Idempotency-Key`, its repetition takes effect once."
        }
        _ => "A bug in the server; no request should cause it. `request_id` finds it in the log.",
    }
}
