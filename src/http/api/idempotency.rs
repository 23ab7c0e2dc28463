//! The header `Idempotency-Key`, by which a client may send a request again
//! (draft-ietf-httpapi-idempotency-key-header).

use poem::http::HeaderMap;
use poem::{Request, RequestBody, Result};
use poem_openapi::registry::{MetaParamIn, MetaSchema, MetaSchemaRef};
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};
use serde::Serialize;

use super::answer::JsonText;
use crate::domain::idempotency::{Answer, Fingerprint, Keyed};
use crate::http::problem::{Kind, Problem};
use crate::values::IdempotencyKey;

/// The header's name.
pub(super) const HEADER: &str = "Idempotency-Key";
/// What [`IdempotencyKey::parse`] takes, as the document has it: bare, or in quotation marks.
const PATTERN: &str = r#"^([!#-~][!-~]{0,254}|"([ !#-\[\]-~]|\\["\\]){1,255}")$"#;
/// The longest: each character is escaped, and quotation marks around them.
const MAX_LENGTH: usize = 2 * IdempotencyKey::MAX_LENGTH + 2;

/// The key that came with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key(pub Option<IdempotencyKey>);

impl Key {
    /// The key, and what is asked for under it.
    pub(super) fn of(self, fingerprint: impl FnOnce() -> Fingerprint) -> Option<Keyed> {
        self.0.map(|key| Keyed { key, fingerprint: fingerprint() })
    }
}

impl<'a> ApiExtractor<'a> for Key {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::Parameter];
    type ParamType = ();
    type ParamRawType = ();

    fn param_in() -> Option<MetaParamIn> {
        Some(MetaParamIn::Header)
    }

    fn param_schema_ref() -> Option<MetaSchemaRef> {
        let schema = MetaSchema {
            min_length: Some(1),
            max_length: Some(MAX_LENGTH),
            pattern: Some(PATTERN.to_owned()),
            ..MetaSchema::new("string")
        };
        Some(MetaSchemaRef::Inline(Box::new(schema)))
    }

    async fn from_request(
        request: &'a Request,
        _: &mut RequestBody,
        _: ExtractParamOptions<()>,
    ) -> Result<Self> {
        Ok(Self(key(request.headers())?))
    }
}

/// The one key that the headers carry, once or several times. Bodies ask for it as well, since one
/// that is malformed comes before a body that is not valid.
pub(super) fn key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, Problem> {
    let mut keys = headers.get_all(HEADER).iter();
    let Some(first) = keys.next() else { return Ok(None) };
    let malformed = |detail: &str| {
        Problem::new(Kind::MalformedRequest, format!("The header {HEADER} {detail}."))
    };
    if keys.any(|other| other != first) {
        return Err(malformed("appears with different values"));
    }
    let key = IdempotencyKey::parse(first.as_bytes());
    key.map(Some).map_err(|reason| malformed(&reason.to_string()))
}

/// The answer of a creation.
pub(super) fn created<T: Serialize>(object: &T, location: String) -> Answer {
    Answer { status: 201, location, body: JsonText::of(object).into_text() }
}

#[cfg(test)]
mod tests {
    use boon::{Compiler, SchemaIndex, Schemas};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn schema() -> (Schemas, SchemaIndex) {
        let Some(MetaSchemaRef::Inline(schema)) = Key::param_schema_ref() else { panic!("inline") };
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("key.json", serde_json::to_value(schema).unwrap()).unwrap();
        let index = compiler.compile("key.json", &mut schemas).unwrap();
        (schemas, index)
    }

    #[test]
    fn the_document_says_of_every_value_whether_it_is_taken() {
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
            let is_taken = IdempotencyKey::parse(value.as_bytes()).is_ok();
            let is_declared = schemas.validate(&json!(value), index).is_ok();
            prop_assert_eq!(is_taken, is_declared, "{}", value);
            Ok(())
        };
        long.for_each(|value| check(value).unwrap());
        runner.run(&short, check).unwrap();
    }
}
