//! Headers of responses: those of successes as types, and those that the document adds to all.

use poem::http::{HeaderValue, StatusCode};
use poem_openapi::registry::{MetaHeader, MetaSchema, MetaSchemaRef};
use poem_openapi::types::{ToHeader, Type};

use super::field::{integer_schema, response_fields, text_schema};
use crate::domain::version::Versioned;
use crate::http::cursor::Cursor;
use crate::http::problem::{EXAMPLE_BASE_URL, EXAMPLE_REQUEST_ID};

/// Returns the description of `X-Request-Id`, which every response has.
pub(super) fn request_id() -> MetaHeader {
    let schema = text(16, 16, "^[0-9a-f]{16}$", EXAMPLE_REQUEST_ID);
    required("X-Request-Id", "The identifier of this request in the server's log.", schema)
}

/// Value of the header `Accept-Patch`.
pub const ACCEPT_PATCH: &str = "application/json, application/merge-patch+json";
/// Pattern of the header `RateLimit-Policy`.
const LIMIT_POLICY: &str = "^\"[a-z_]+\";q=[0-9]+;w=[0-9]+$";
/// Pattern of the header `RateLimit`.
const LIMIT_STATE: &str = "^\"[a-z_]+\";r=[0-9]+;t=[0-9]+$";
/// Path of the operation in examples of headers. The document replaces it.
pub const OPERATION_PATH: &str = "{path}";

/// Defines the type of a header of responses.
macro_rules! header_type {
    ($(#[$attribute:meta])* $name:ident, $schema:expr) => {
        $(#[$attribute])*
        #[derive(Debug)]
        pub struct $name(pub String);

        $crate::http::openapi::field::schema_type!($name, $schema);

        impl From<String> for $name {
            fn from(value: String) -> Self {
                Self(value)
            }
        }

        impl ::poem_openapi::types::ToHeader for $name {
            fn to_header(&self) -> Option<::poem::http::HeaderValue> {
                self.0.as_str().try_into().ok()
            }
        }
    };
}

/// Defines the type of the header `Location` with a path such as the example.
macro_rules! path_location {
    ($name:ident, $example:literal) => {
        $crate::http::openapi::headers::header_type!(
            #[doc = concat!("`Location`, such as `", $example, "`.")]
            $name,
            $crate::http::openapi::headers::path_location_schema($example)
        );
    };
}

pub(in crate::http) use {header_type, path_location};

header_type!(
    /// `Idempotent-Replayed`, which is always `true`.
    Replayed,
    MetaSchema {
        description: Some(
            "Present only when this repeats the response to an earlier request with the same \
             `Idempotency-Key`."
        ),
        enum_items: vec!["true".into()],
        example: Some("true".into()),
        ..MetaSchema::new("string")
    }
);

impl Replayed {
    /// Returns the header of a response if it is a replay.
    pub(in crate::http) fn from_flag(is_replay: bool) -> Option<Self> {
        is_replay.then(|| Self("true".to_owned()))
    }
}

header_type!(
    /// `Link`, with the URL of the next page of a list that may be complete.
    NextLink,
    MetaSchema {
        description: Some(
            "With `limit`, the next page (RFC 8288). Absent on the last page, and without `limit`."
        ),
        ..next_schema()
    }
);

header_type!(
    /// `Link`, with the URL of the next page of a list that always has pages.
    NextPageLink,
    MetaSchema {
        description: Some(
            "The next page (RFC 8288). Follow it, even from an empty page; it is absent on the last \
             page."
        ),
        ..next_schema()
    }
);

header_type!(
    /// `Link`, with the path of the next page of a list of the operator's programs.
    NextPathLink,
    MetaSchema {
        description: Some(
            "The next page (RFC 8288), without a host. Follow it, even from an empty page; it is absent \
             on the last page."
        ),
        ..text(16, 8192, "^</[^>]+>; rel=\"next\"$", &next_example(""))
    }
);

/// A header `Link` to the next page of a list.
pub trait PageLink: Type + ToHeader + From<String> {
    /// Whether the link is a URL with a host; otherwise it is a path.
    const HAS_HOST: bool = true;
}

impl PageLink for NextLink {}

impl PageLink for NextPageLink {}

impl PageLink for NextPathLink {
    const HAS_HOST: bool = false;
}

/// Returns the schema of `Location` of something that was created, without a host.
pub(in crate::http) fn path_location_schema(example: &str) -> MetaSchema {
    MetaSchema {
        description: Some("Where it can be read, without a host."),
        ..text(1, 1024, "^/api/(manage|operator)/v1/[!-~]+$", example)
    }
}

response_fields! {
    /// Strong entity tag (RFC 9110, section 8.8.3), in the header `ETag` and as a member.
    EntityTag(String): MetaSchema {
        description: Some("Identifies the values that `PATCH` can write, for `If-Match`."),
        ..text(34, 34, "^\"[0-9a-f]{32}\"$", "\"6f5902ac237024bdd0c176cb93063dc4\"")
    };
}

impl EntityTag {
    /// Returns the entity tag of the present version.
    pub(in crate::http) fn from_version(present: &impl Versioned) -> Self {
        Self(format!("\"{}\"", present.version()))
    }
}

impl ToHeader for EntityTag {
    fn to_header(&self) -> Option<HeaderValue> {
        self.0.as_str().try_into().ok()
    }
}

/// An object with an entity tag.
pub trait Tagged {
    /// Returns its entity tag.
    fn etag(&self) -> EntityTag;
}

header_type!(
    /// `Event-Id`, which names the event of a change.
    EventIdHeader,
    MetaSchema {
        description: Some("Identifies the event of the change; absent if nothing changed."),
        ..text(1, 19, "^[1-9][0-9]*$", "31")
    }
);

impl EventIdHeader {
    /// Returns the header of a response to a change with this event.
    pub(in crate::http) fn from_event(event: Option<i64>) -> Option<Self> {
        event.map(|id| Self(id.to_string()))
    }
}

/// Returns the schema of `Link` with the URL of the next page.
fn next_schema() -> MetaSchema {
    text(16, 8192, "^<https?://[^>]+>; rel=\"next\"$", &next_example(EXAMPLE_BASE_URL))
}

/// Returns an example of `Link` at this origin.
fn next_example(origin: &str) -> String {
    format!("<{origin}{OPERATION_PATH}?limit=100&cursor={}>; rel=\"next\"", Cursor::EXAMPLE)
}

/// Returns the schema of `Location` for paths that match a template such as `/{code}/qr.svg`.
/// `code` is an example of the variable part, and `pattern` a regular expression for it.
pub(in crate::http) fn location_schema(
    description: &'static str,
    template: &str,
    code: &str,
    pattern: &str,
) -> MetaSchema {
    let pattern = template.replace('.', "[.]").replace("{code}", pattern);
    let example = template.replace("{code}", code);
    MetaSchema {
        description: Some(description),
        format: Some("uri"),
        ..text(
            8,
            4096,
            &format!("^https?://[^/]+{pattern}$"),
            &format!("{EXAMPLE_BASE_URL}{example}"),
        )
    }
}

/// Returns the descriptions of the headers of problem responses with this status. The operator's
/// programs have no limit but that of requests without a valid key.
pub(super) fn of_problem(status: StatusCode, is_for_operator: bool) -> Vec<MetaHeader> {
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
            seconds(3_600, 1),
        ),
        // The server checks suspension and scope before it counts the request in the limit.
        StatusCode::FORBIDDEN => return Vec::new(),
        _ if is_for_operator => return Vec::new(),
        _ => return of_limit(99),
    };
    let limit = match status {
        StatusCode::UNAUTHORIZED => Vec::new(),
        StatusCode::TOO_MANY_REQUESTS if is_for_operator => of_failed_keys(),
        _ if is_for_operator => Vec::new(),
        StatusCode::TOO_MANY_REQUESTS => of_limit(0),
        _ => of_limit(99),
    };
    std::iter::once(header).chain(limit).collect()
}

/// Returns the description of `Accept-Patch` (RFC 5789), which 415 responses to patches have.
pub(super) fn accept_patch() -> MetaHeader {
    let example = ACCEPT_PATCH;
    required(
        "Accept-Patch",
        "The media types of patches that are accepted.",
        text(1, 256, "^[a-z+/, -]+$", example),
    )
}

/// Returns the descriptions of the headers that report the limit of the owner's requests. In the
/// example, the limit allows `remaining` further requests.
pub(super) fn of_limit(remaining: u32) -> Vec<MetaHeader> {
    vec![
        optional(
            "RateLimit-Policy",
            "If the owner's plan limits requests: how many are allowed at once (`q`), and in how many \
             seconds that is refilled (`w`) (draft-ietf-httpapi-ratelimit-headers).",
            text(10, 64, LIMIT_POLICY, "\"requests\";q=100;w=60"),
        ),
        optional(
            "RateLimit",
            "If the owner's plan limits requests: how many more are allowed now (`r`), and after how \
             many seconds one more is (`t`).",
            text(10, 64, LIMIT_STATE, &format!("\"requests\";r={remaining};t=1")),
        ),
    ]
}

/// Returns the descriptions of the headers that report the limit of requests without a valid key.
fn of_failed_keys() -> Vec<MetaHeader> {
    vec![
        optional(
            "RateLimit-Policy",
            "How many requests without a valid key are allowed at once (`q`), and in how many seconds \
             that is refilled (`w`) (draft-ietf-httpapi-ratelimit-headers).",
            text(10, 64, LIMIT_POLICY, "\"failed_keys\";q=100;w=60"),
        ),
        optional(
            "RateLimit",
            "How many more are allowed now (`r`), and after how many seconds one more is (`t`).",
            text(10, 64, LIMIT_STATE, "\"failed_keys\";r=0;t=1"),
        ),
    ]
}

/// Returns the description of `Retry-After`, which 409 responses have if the limit of the day is reached.
pub(super) fn of_daily_limit() -> MetaHeader {
    optional(
        "Retry-After",
        "With `daily-limit-reached`: how many seconds until the next day (UTC) begins.",
        seconds(86_400, 3_600),
    )
}

fn seconds(maximum: u32, example: u32) -> MetaSchema {
    MetaSchema { example: Some(example.into()), ..integer_schema(0, maximum) }
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
    let schema = text_schema(min_length, max_length, pattern);
    MetaSchema { example: Some(example.into()), ..schema }
}
