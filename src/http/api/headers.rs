//! Descriptions of response headers for the OpenAPI document.

use poem::http::StatusCode;
use poem_openapi::registry::{MetaHeader, MetaSchema, MetaSchemaRef};

use crate::http::cursor::Cursor;
use crate::http::problem::{EXAMPLE_BASE_URL, EXAMPLE_REQUEST_ID};

/// Returns the description of `X-Request-Id`, which every response has.
pub(super) fn request_id() -> MetaHeader {
    let schema = text(16, 16, "^[0-9a-f]{16}$", EXAMPLE_REQUEST_ID);
    required("X-Request-Id", "The identifier of this request in the server's log.", schema)
}

/// Returns the descriptions of the headers of a 201 response. `path` is the path in the example of
/// `Location`, and `pattern` a regular expression for all its paths.
pub(super) fn created(description: &str, path: &str, pattern: &str) -> Vec<MetaHeader> {
    let pattern = format!("^https?://[^/]+{pattern}$");
    let location = text(8, 4096, &pattern, &format!("{EXAMPLE_BASE_URL}{path}"));
    let replayed = MetaSchema {
        enum_items: vec!["true".into()],
        example: Some("true".into()),
        ..MetaSchema::new("string")
    };
    vec![
        required("Location", description, MetaSchema { format: Some("uri"), ..location }),
        optional(
            "Idempotent-Replayed",
            "Present only when this repeats the response to an earlier request with the same \
             `Idempotency-Key`.",
            replayed,
        ),
    ]
}

/// Returns the description of the header of a list response. `path` is the path of the operation.
pub(super) fn list(path: &str) -> Vec<MetaHeader> {
    let next = format!("{EXAMPLE_BASE_URL}{path}?limit=100&cursor={}", Cursor::EXAMPLE);
    let example = format!("<{next}>; rel=\"next\"");
    vec![optional(
        "Link",
        "With `limit`, the next page (RFC 8288). Absent on the last page, and without `limit`.",
        text(16, 8192, "^<https?://[^>]+>; rel=\"next\"$", &example),
    )]
}

/// Returns the descriptions of the headers of problem responses with this status.
pub(super) fn of_problem(status: StatusCode) -> Vec<MetaHeader> {
    let header = match status {
        StatusCode::UNAUTHORIZED => required(
            "WWW-Authenticate",
            "How to authenticate (RFC 9110): the key as a bearer token.",
            text(6, 256, "^Bearer realm=\"[^\"]+\"", "Bearer realm=\"terse\""),
        ),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => optional(
            "Accept-Encoding",
            "If the body was compressed: the encodings that are accepted (RFC 9110).",
            text(1, 256, "^[a-z]+(, [a-z]+)*$", "identity"),
        ),
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS => required(
            "Retry-After",
            "How many seconds to wait before trying again.",
            MetaSchema {
                minimum: Some(0.0),
                maximum: Some(3600.0),
                example: Some(1.into()),
                ..MetaSchema::new_with_format("integer", "int32")
            },
        ),
        // The server checks suspension and scope before it counts the request in the limit.
        StatusCode::FORBIDDEN => return Vec::new(),
        _ => return of_limit(99),
    };
    let limit = match status {
        StatusCode::UNAUTHORIZED => Vec::new(),
        StatusCode::TOO_MANY_REQUESTS => of_limit(0),
        _ => of_limit(99),
    };
    std::iter::once(header).chain(limit).collect()
}

/// Returns the descriptions of the headers that report the limit of the owner's requests. In the
/// example, the limit allows `remaining` further requests.
pub(super) fn of_limit(remaining: u32) -> Vec<MetaHeader> {
    let policy = "^\"[a-z_]+\";q=[0-9]+;w=[0-9]+$";
    let state = "^\"[a-z_]+\";r=[0-9]+;t=[0-9]+$";
    vec![
        optional(
            "RateLimit-Policy",
            "If the owner's plan limits requests: how many are allowed at once (`q`), and in how many \
             seconds that is refilled (`w`) (draft-ietf-httpapi-ratelimit-headers).",
            text(10, 64, policy, "\"requests\";q=100;w=60"),
        ),
        optional(
            "RateLimit",
            "If the owner's plan limits requests: how many more are allowed now (`r`), and after how \
             many seconds one more is (`t`).",
            text(10, 64, state, &format!("\"requests\";r={remaining};t=1")),
        ),
    ]
}

fn required(name: &str, description: &str, schema: MetaSchema) -> MetaHeader {
    MetaHeader { required: true, ..optional(name, description, schema) }
}

fn optional(name: &str, description: &str, schema: MetaSchema) -> MetaHeader {
    MetaHeader {
        name: name.to_owned(),
        description: Some(description.to_owned()),
        required: false,
        deprecated: false,
        schema: MetaSchemaRef::Inline(Box::new(schema)),
    }
}

fn text(min_length: usize, max_length: usize, pattern: &str, example: &str) -> MetaSchema {
    MetaSchema {
        min_length: Some(min_length),
        max_length: Some(max_length),
        pattern: Some(pattern.to_owned()),
        example: Some(example.into()),
        ..MetaSchema::new("string")
    }
}
