//! The header `Idempotency-Key`, which makes retries safe
//! (draft-ietf-httpapi-idempotency-key-header).

use poem::http::{HeaderMap, HeaderName};

use super::field::text_schema;
use super::parameter::parameter_extractor;
use crate::domain::Addresses;
use crate::domain::idempotency::{Fingerprint, IdempotentRequest};
use crate::http::problem::Problem;
use crate::http::problem_examples::ProblemExample;
use crate::values::{BaseUrl, IdempotencyKey};

/// Name of the header.
pub(super) const HEADER: &str = "Idempotency-Key";
/// The same, parsed, since every creation is asked for it.
static NAME: HeaderName = HeaderName::from_static("idempotency-key");
/// Pattern of the values that [`IdempotencyKey::parse`] accepts: with or without quotation marks.
const PATTERN: &str = r#"^([!#-~][!-~]{0,254}|"([ !#-\[\]-~]|\\["\\]){1,255}")$"#;
/// Maximum length of a value: a quoted key in which every character is escaped.
const MAX_LENGTH: usize = 2 * IdempotencyKey::MAX_LENGTH + 2;

/// The idempotency key of a request, if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKeyHeader(Option<IdempotencyKey>);

impl IdempotencyKeyHeader {
    /// Returns the data of an idempotent request: the key, the fingerprint and the base URL of the
    /// service. Returns `None` if the request has no key.
    pub(in crate::http) fn for_request(
        self,
        base_url: &BaseUrl,
        fingerprint: impl FnOnce() -> Fingerprint,
    ) -> Option<IdempotentRequest> {
        let base_url = base_url.as_str().to_owned();
        self.0.map(|key| IdempotentRequest {
            key,
            fingerprint: fingerprint(),
            base_url,
            origin: None,
            member: None,
        })
    }

    /// Does the same as [`for_request`](Self::for_request), for a response with the short URL of an
    /// owner's link.
    pub(in crate::http) fn for_link_of(
        self,
        owner_id: i64,
        addresses: &Addresses,
        fingerprint: impl FnOnce() -> Fingerprint,
    ) -> Option<IdempotentRequest> {
        let request = self.for_request(addresses.base_url(), fingerprint)?;
        Some(IdempotentRequest { origin: addresses.domain_origin(owner_id), ..request })
    }
}

parameter_extractor!(
    [] IdempotencyKeyHeader,
    Header,
    false,
    text_schema(1, MAX_LENGTH, PATTERN),
    |request, _| key(request.headers()).map(Self)
);

/// Returns the idempotency key of a request, or `None` if it has none. If the header is repeated,
/// all values must be the same.
pub(in crate::http) fn key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, Problem> {
    let mut keys = headers.get_all(&NAME).iter();
    let Some(first) = keys.next() else { return Ok(None) };
    if keys.any(|other| other != first) {
        return Err(ProblemExample::MALFORMED_KEY.problem());
    }
    let key = IdempotencyKey::parse(first.as_bytes());
    key.map(Some).map_err(|error| Problem::malformed_header(HEADER, &error))
}

#[cfg(test)]
mod tests {
    use boon::{Compiler, SchemaIndex, Schemas};
    use poem_openapi::ApiExtractor as _;
    use poem_openapi::registry::MetaSchemaRef;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn schema() -> (Schemas, SchemaIndex) {
        let Some(MetaSchemaRef::Inline(schema)) = IdempotencyKeyHeader::param_schema_ref() else {
            panic!("inline")
        };
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("key.json", serde_json::to_value(schema).unwrap()).unwrap();
        let index = compiler.compile("key.json", &mut schemas).unwrap();
        (schemas, index)
    }

    #[test]
    fn schema_accepts_the_same_values_as_the_parser() {
        let (schemas, index) = schema();
        let of_length = |length: usize| {
            (0..3).map(move |kind| match kind {
                0 => "x".repeat(length),
                1 => format!("\"{}\"", "x".repeat(length)),
                _ => format!("\"{}\"", r#"\""#.repeat(length)),
            })
        };
        let long = [0, 1, 254, 255, 256, 257].into_iter().flat_map(of_length);
        let short = r#"["\\!#~ a\u{7f}é]{0,5}"#;
        let mut runner = proptest::test_runner::TestRunner::default();
        let check = |value: String| {
            let is_accepted = IdempotencyKey::parse(value.as_bytes()).is_ok();
            let is_declared = schemas.validate(&json!(value), index).is_ok();
            prop_assert_eq!(is_accepted, is_declared, "{}", value);
            Ok(())
        };
        long.for_each(|value| check(value).unwrap());
        runner.run(&short, check).unwrap();
    }
}
