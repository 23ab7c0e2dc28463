//! JSON bodies of requests: an object, or a long array of request objects, each of which is parsed by itself.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use poem::http::{HeaderMap, header};
use poem::{Request, RequestBody as PoemBody, Result};
use poem_openapi::registry::{MetaMediaType, MetaRequest, Registry};
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::idempotency;
use super::if_match;
pub(in crate::http) use super::json_fields::request_object;
pub use super::json_fields::{
    Clearable, FromFields, JsonFields, Nested, OptionalNested, Replaceable,
};
use super::json_fields::{MAX_UNKNOWN, unknown_member};
use super::page::NO_OWNER;
use super::payload::{JSON, MERGE_PATCH};
use crate::domain;
use crate::domain::links::OwnerPermit;
use crate::http::caller::Caller;
use crate::http::problem::{FieldError, Problem};
use crate::http::problem_examples::ProblemExample;
use crate::http::problem_type::ProblemType;
use crate::http::request_body::{MAX_BODY, RequestBody};
use crate::http::state::AppState;
use crate::values::{ErrorCode, ValidationError};

/// Extractor of a request body: a JSON object, converted to `T`.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

/// Extractor of a request body that may be larger. The memory of those that are is bounded, together with that
/// of batches.
#[derive(Debug)]
pub struct LargeBody<T>(pub T);

/// Extractor of a request body that may be absent, which is the same as an empty object.
#[derive(Debug)]
pub struct OptionalBody<T>(pub T);

/// Extractor of a JSON merge patch (RFC 7396), whose media type it accepts too.
#[derive(Debug)]
pub struct MergePatch<T>(pub T);

/// The problem of what a request has besides its body and its operation does not accept. It stands in the data
/// of the request, because the errors of the body's type and size precede it.
#[derive(Debug, Clone)]
pub struct Refusal(pub Problem);

/// Maximum size of most bodies in bytes, and the problem of larger ones.
const SMALL: (usize, ProblemExample) = (MAX_BODY, ProblemExample::TOO_LARGE);
/// Those of a [`LargeBody`].
const LARGE: (usize, ProblemExample) = (1024 * 1024, ProblemExample::LARGE_BODY_TOO_LARGE);

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
    ($body:ident, $required:expr, $media_types:expr, $problem:expr, $limit:expr) => {
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
                let mut memory = BodyMemory { request, parts: Vec::new() };
                let has_room = |length| memory.has_room(length);
                let (max, too_large) = $limit;
                let bytes = read_then_check_headers(request, max, &too_large, has_room).await?;
                if !$required && bytes.is_empty() {
                    return Ok(Self(parse(b"{}")?));
                }
                check_type(request, &$media_types, &$problem)?;
                let _permit = memory.permit_to_parse().await?;
                Ok(Self(parse(&bytes)?))
            }
        }
    };
}

body_extractor!(JsonBody, true, [JSON], ProblemExample::NOT_JSON, SMALL);
body_extractor!(LargeBody, true, [JSON], ProblemExample::NOT_JSON, LARGE);
body_extractor!(OptionalBody, false, [JSON], ProblemExample::NOT_JSON, SMALL);
body_extractor!(MergePatch, true, [JSON, MERGE_PATCH], ProblemExample::NOT_A_PATCH, SMALL);

/// The memory of a body, which needs permits if the body is larger than [`MAX_BODY`].
struct BodyMemory<'a> {
    request: &'a Request,
    parts: Vec<OwnerPermit>,
}

impl<'a> BodyMemory<'a> {
    /// Returns the permits of the server, and the owner whose permits they are; the operator's programs have
    /// those of no owner.
    fn permits(&self) -> Option<(&'a AppState, i64)> {
        let app = self.request.data::<Arc<AppState>>()?;
        Some((app, self.request.data::<Caller>().map_or(NO_OWNER, |caller| caller.owner_id)))
    }

    fn has_room(&mut self, length: usize) -> bool {
        length <= MAX_BODY
            || self.permits().is_some_and(|(app, owner_id)| {
                app.body_permits.hold_body(&mut self.parts, owner_id, length)
            })
    }

    /// Waits for the permit to parse the body, if it needs one.
    async fn permit_to_parse(&self) -> Result<Option<OwnerPermit>, Problem> {
        let Some((app, owner_id)) = self.permits().filter(|_| !self.parts.is_empty()) else {
            return Ok(None);
        };
        let permit = app.batch_permits.acquire(owner_id).await;
        permit.map(Some).map_err(|error| domain::Error::from(error).into())
    }
}

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
    let bytes = body.read(max, has_room).await;
    let bytes = bytes.map_err(|error| Problem::from_body(error, too_large))?;
    // The error of a malformed header takes precedence over that of an invalid body.
    idempotency::key(request.headers())?;
    if_match::precondition(request.headers())?;
    match request.data::<Refusal>() {
        Some(Refusal(problem)) => Err(problem.clone()),
        None => Ok(bytes),
    }
}

/// An element of the array.
#[derive(Debug)]
pub struct Element<'a, T> {
    /// Its JSON text.
    pub text: &'a str,
    /// The request object, or the problem of the element with pointers from the body.
    pub parsed: Result<T, Problem>,
}

/// Parses a body whose members are the array `name` with 1 to `max` elements and, if it is there, `option`.
/// Returns the JSON text of `option`, and the elements. An element may have
/// as many bytes as a body. The parser holds one element at a time as a tree, which takes many times
/// the memory of its text.
///
/// # Errors
/// If the body is not such an object. An invalid element does not make the body invalid.
pub fn elements<'a, T: FromFields>(
    bytes: &'a [u8],
    name: &'static str,
    option: &'static str,
    max: usize,
) -> Result<(Option<&'a str>, impl Iterator<Item = Element<'a, T>>), Problem> {
    let is_object = bytes.trim_ascii_start().starts_with(b"{");
    if !is_object {
        serde_json::from_slice::<IgnoredAny>(bytes).map_err(malformed)?;
        return Err(ProblemExample::NOT_AN_OBJECT.problem());
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let members = reader.deserialize_map(MembersVisitor { name, option }).map_err(malformed)?;
    reader.end().map_err(malformed)?;
    let Members { mut found, options, unknown } = members;
    let pointer = format!("/{name}");
    let mut errors = unknown;
    if options.len() > 1 {
        let repeated = ErrorCode::NotAllowed.because("must not appear more than once");
        errors.push(FieldError::at_pointer(format!("/{option}"), &repeated));
    }
    let option = options.first().map(|option| option.get());
    let array = if found.len() > 1 {
        Err(ErrorCode::NotAllowed.because("must not appear more than once"))
    } else {
        let missing = ErrorCode::Required.because("is required");
        found.pop().ok_or(missing).and_then(|text| array(text, max))
    };
    match array {
        Ok(texts) if errors.is_empty() => {
            let texts = texts.into_iter().enumerate();
            let element = move |(index, text)| element(text, &format!("{pointer}/{index}"));
            Ok((option, texts.map(element)))
        }
        Ok(_) => Err(Problem::invalid(errors)),
        Err(error) => {
            errors.push(FieldError::at_pointer(pointer, &error));
            Err(Problem::invalid(errors))
        }
    }
}

/// Returns the texts of the elements of an array.
fn array(text: &RawValue, max: usize) -> Result<Vec<&RawValue>, ValidationError> {
    if !text.get().starts_with('[') {
        return Err(ErrorCode::WrongType.because("must be an array"));
    }
    let malformed = |error| ValidationError::because(format!("is malformed: {error}"));
    // Counted first, without memory, because a long array would need many times that of its text.
    let ignored: Vec<IgnoredAny> = serde_json::from_str(text.get()).map_err(malformed)?;
    if (1..=max).contains(&ignored.len()) {
        serde_json::from_str(text.get()).map_err(malformed)
    } else {
        let reason = format!("must have 1 to {max} elements, not {}", ignored.len());
        Err(ErrorCode::of_length(ignored.len()).because(reason))
    }
}

fn element<'a, T: FromFields>(text: &'a RawValue, pointer: &str) -> Element<'a, T> {
    let text = text.get();
    let parsed = if text.len() > MAX_BODY {
        Err(ProblemExample::TOO_LARGE.problem())
    } else {
        parse(text.as_bytes()).map_err(|problem| problem.below(pointer))
    };
    Element { text, parsed }
}

/// The members of the body.
struct Members<'a> {
    /// The values of the array's name.
    found: Vec<&'a RawValue>,
    /// The values of the option.
    options: Vec<&'a RawValue>,
    unknown: Vec<FieldError>,
}

struct MembersVisitor {
    name: &'static str,
    option: &'static str,
}

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Members<'de>, A::Error> {
        let mut members = Members { found: Vec::new(), options: Vec::new(), unknown: Vec::new() };
        while let Some(name) = object.next_key::<Cow<'_, str>>()? {
            if name == self.name && members.found.len() < 2 {
                members.found.push(object.next_value()?);
            } else if name == self.option && members.options.len() < 2 {
                members.options.push(object.next_value()?);
            } else {
                object.next_value::<IgnoredAny>()?;
                let is_known = name == self.name || name == self.option;
                if !is_known && members.unknown.len() < MAX_UNKNOWN {
                    members.unknown.push(unknown_member(&name));
                }
            }
        }
        Ok(members)
    }
}
