//! JSON bodies of requests.

use poem::http::{HeaderMap, header};
use poem::{Request, RequestBody as PoemBody, Result};
use poem_openapi::registry::{MetaMediaType, MetaRequest, Registry};
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};
use serde_json::Value;

use super::idempotency;
use super::if_match::{self, UnevaluatedCondition};
pub(in crate::http) use super::json_fields::request_object;
pub use super::json_fields::{
    Clearable, FromFields, JsonFields, Nested, OptionalNested, Replaceable,
};
use super::payload::{JSON, MERGE_PATCH};
use crate::http::problem::Problem;
use crate::http::problem_examples::ProblemExample;
use crate::http::problem_type::ProblemType;
use crate::http::query::UnknownParameter;
use crate::http::request_body::{BodyError, MAX_BODY, RequestBody};

/// Extractor of a request body: a JSON object, converted to `T`.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

/// Extractor of a request body that may be absent, which is the same as an empty object.
#[derive(Debug)]
pub struct OptionalBody<T>(pub T);

/// Extractor of a JSON merge patch (RFC 7396), whose media type it accepts too.
#[derive(Debug)]
pub struct MergePatch<T>(pub T);

/// Returns the problem of a body that is not JSON.
#[expect(clippy::needless_pass_by_value, reason = "it converts an error")]
pub(super) fn malformed(error: serde_json::Error) -> Problem {
    Problem::new(ProblemType::MALFORMED_REQUEST, format!("The body is not JSON: {error}."))
}

/// Parses a request object.
pub(super) fn parse<T: FromFields>(bytes: &[u8]) -> Result<T, Problem> {
    if !bytes.trim_ascii_start().starts_with(b"{") {
        serde_json::from_slice::<Value>(bytes).map_err(malformed)?;
        return Err(ProblemExample::NOT_AN_OBJECT.problem());
    }
    let mut fields: JsonFields = serde_json::from_slice(bytes).map_err(malformed)?;
    let object = fields.finish();
    match object {
        Some(value) if fields.errors.is_empty() => Ok(value),
        Some(_) | None => Err(Problem::invalid(fields.errors)),
    }
}

/// Returns whether the headers name a content coding other than `identity`.
fn is_encoded(headers: &HeaderMap) -> bool {
    let fields = headers.get_all(header::CONTENT_ENCODING);
    let mut codings = fields.iter().flat_map(|field| field.as_bytes().split(|byte| *byte == b','));
    codings.any(|coding| {
        let coding = coding.trim_ascii();
        !coding.is_empty() && !coding.eq_ignore_ascii_case(b"identity")
    })
}

/// Returns whether a value of `Content-Type` is a media type. It ignores parameters (RFC 8259,
/// section 11).
fn is(content_type: &str, media_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(media_type)
}

/// Implements [`ApiExtractor`] for a body of one of these media types.
macro_rules! body_extractor {
    ($body:ident, $required:expr, $media_types:expr, $problem:expr) => {
        impl<'a, T: FromFields> ApiExtractor<'a> for $body<T> {
            const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::RequestObject];
            type ParamType = ();
            type ParamRawType = ();

            fn register(registry: &mut Registry) {
                T::register_with_example(registry);
            }

            fn request_meta() -> Option<MetaRequest> {
                let content =
                    |content_type| MetaMediaType { content_type, schema: T::schema_ref() };
                let content = $media_types.into_iter().map(content).collect();
                Some(MetaRequest { description: None, content, required: $required })
            }

            async fn from_request(
                request: &'a Request,
                _: &mut PoemBody,
                _: ExtractParamOptions<()>,
            ) -> Result<Self> {
                // A request without a body may have no type either.
                let is_typed = $required || request.content_type().is_some();
                if is_typed {
                    check_type(request, &$media_types, &$problem)?;
                }
                let bytes =
                    read_then_check_headers(request, MAX_BODY, &ProblemExample::TOO_LARGE, |_| {
                        true
                    })
                    .await?;
                if !$required && bytes.is_empty() {
                    return Ok(Self(parse(b"{}")?));
                }
                check_type(request, &$media_types, &$problem)?;
                Ok(Self(parse(&bytes)?))
            }
        }
    };
}

body_extractor!(JsonBody, true, [JSON], ProblemExample::NOT_JSON);
body_extractor!(OptionalBody, false, [JSON], ProblemExample::NOT_JSON);
body_extractor!(MergePatch, true, [JSON, MERGE_PATCH], ProblemExample::NOT_A_PATCH);

/// Checks that the body of a request has an accepted media type and no content coding.
fn check_type(
    request: &Request,
    accepted: &[&str],
    otherwise: &ProblemExample,
) -> Result<(), Problem> {
    let is_accepted = |name| accepted.iter().any(|media_type| is(name, media_type));
    if !request.content_type().is_some_and(is_accepted) {
        return Err(otherwise.problem());
    }
    if is_encoded(request.headers()) {
        return Err(ProblemExample::CONTENT_ENCODED.problem());
    }
    Ok(())
}

/// Checks that the body of a request is sent as JSON, without a content coding.
pub(in crate::http) fn check_is_json(request: &Request) -> Result<(), Problem> {
    check_type(request, &[JSON], &ProblemExample::NOT_JSON)
}

/// Reads a body of at most `max` bytes from the [`RequestBody`], because
/// [`HttpService`](crate::http::HttpService) has taken it out of poem's own body. `has_room` returns
/// whether the server has memory for this many bytes of it. The errors of headers and of the query follow
/// those of the body's size, and precede those of its content.
pub(in crate::http) async fn read_then_check_headers(
    request: &Request,
    max: usize,
    too_large: &ProblemExample,
    has_room: impl FnMut(usize) -> bool,
) -> Result<Vec<u8>, Problem> {
    let body = request
        .data::<RequestBody>()
        .ok_or_else(|| Problem::internal_error(&"the request was routed without its body"))?;
    let bytes = body.read(max, has_room).await.map_err(|error| match error {
        BodyError::TooLarge => too_large.problem(),
        BodyError::Incomplete | BodyError::TooSlow | BodyError::NoRoom => error.into(),
    })?;
    // The error of a malformed header takes precedence over that of an invalid body.
    idempotency::key(request.headers())?;
    if_match::precondition(request.headers())?;
    if let Some(condition) = request.data::<UnevaluatedCondition>() {
        return Err(condition.problem());
    }
    if let Some(unknown) = request.data::<UnknownParameter>() {
        return Err(unknown.problem());
    }
    Ok(bytes)
}
