//! The headers of answers, as the document describes them.

use std::borrow::Cow;

use poem::http::{HeaderValue, StatusCode};
use poem_openapi::registry::{MetaHeader, MetaSchema, MetaSchemaRef};
use poem_openapi::types::{ToHeader, Type};

use super::cursor::Cursor;
use super::schema::document_type;
use crate::http::problem::{EXAMPLE_REQUEST, EXAMPLE_SERVICE};

/// Makes a header one of the document's types.
macro_rules! header_type {
    ($(#[$doc:meta])* $type:ident, $schema:expr) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $type(pub String);

        document_type!($type, "Header", $schema);

        impl ToHeader for $type {
            fn to_header(&self) -> Option<HeaderValue> {
                self.0.parse().ok()
            }
        }
    };
}

header_type!(
    /// Where the link that was made is described.
    LinkLocation,
    location(
        "http://127.0.0.1:8080/api/v1/stats/Vd7hK2m",
        "^https?://[^/]+/api/v1/stats/[0-9A-Za-z_-]{3,64}$"
    )
);
header_type!(
    /// Where the image of a QR code is.
    ImageLocation,
    location(
        "http://127.0.0.1:8080/Vd7hK2m/qr.svg",
        "^https?://[^/]+/[0-9A-Za-z_-]{3,64}/qr[.]svg$"
    )
);
header_type!(
    /// Where a list of links goes on (RFC 8288).
    NextLinks,
    next("/api/v1/links")
);
header_type!(
    /// Where a list of QR codes goes on (RFC 8288).
    NextQrCodes,
    next("/api/v1/qrcodes")
);
header_type!(
    /// That an answer was given before.
    Replayed,
    MetaSchema { enum_items: vec!["true".into()], ..example("true") }
);
header_type!(
    /// The identifier of a request.
    RequestIdHeader,
    MetaSchema {
        min_length: Some(16),
        max_length: Some(16),
        pattern: Some("^[0-9a-f]{16}$".to_owned()),
        ..example(EXAMPLE_REQUEST)
    }
);

impl Replayed {
    /// What an answer says that was given before.
    pub(super) fn yes() -> Self {
        Self("true".to_owned())
    }
}

fn location(url: &str, pattern: &str) -> MetaSchema {
    MetaSchema {
        format: Some("uri"),
        min_length: Some(8),
        max_length: Some(2048),
        pattern: Some(pattern.to_owned()),
        ..example(url)
    }
}

fn next(path: &str) -> MetaSchema {
    let url = format!("{EXAMPLE_SERVICE}{path}?limit=100&cursor={}", Cursor::EXAMPLE);
    MetaSchema {
        min_length: Some(16),
        max_length: Some(8192),
        pattern: Some("^<https?://[^>]+>; rel=\"next\"$".to_owned()),
        ..example(&format!("<{url}>; rel=\"next\""))
    }
}

/// What a problem of that status says in headers.
pub(super) fn of_problem(status: StatusCode) -> Vec<MetaHeader> {
    match status {
        StatusCode::UNAUTHORIZED => vec![required(
            "WWW-Authenticate",
            "How to authenticate (RFC 9110): the key as a bearer token.",
            MetaSchema {
                min_length: Some(6),
                max_length: Some(256),
                pattern: Some("^Bearer realm=\"[^\"]+\"".to_owned()),
                ..example("Bearer realm=\"terse\"")
            },
        )],
        StatusCode::METHOD_NOT_ALLOWED => vec![required(
            "Allow",
            "The methods that the path supports.",
            MetaSchema {
                min_length: Some(3),
                max_length: Some(256),
                pattern: Some("^[A-Z]+(, [A-Z]+)*$".to_owned()),
                ..MetaSchema::new("string")
            },
        )],
        StatusCode::UNSUPPORTED_MEDIA_TYPE => vec![MetaHeader {
            required: false,
            ..required(
                "Accept-Encoding",
                "If the body was compressed: the encodings that are accepted (RFC 9110).",
                MetaSchema {
                    min_length: Some(1),
                    max_length: Some(256),
                    pattern: Some("^[a-z]+(, [a-z]+)*$".to_owned()),
                    ..example("identity")
                },
            )
        }],
        StatusCode::SERVICE_UNAVAILABLE => vec![required(
            "Retry-After",
            "How many seconds to wait before trying again.",
            MetaSchema {
                minimum: Some(0.0),
                maximum: Some(3600.0),
                example: Some(1.into()),
                ..MetaSchema::new_with_format("integer", "int32")
            },
        )],
        _ => Vec::new(),
    }
}

fn required(name: &str, description: &str, schema: MetaSchema) -> MetaHeader {
    MetaHeader {
        name: name.to_owned(),
        description: Some(description.to_owned()),
        required: true,
        deprecated: false,
        schema: MetaSchemaRef::Inline(Box::new(schema)),
    }
}

/// A text, such as this.
fn example(text: &str) -> MetaSchema {
    MetaSchema { example: Some(text.into()), ..MetaSchema::new("string") }
}
