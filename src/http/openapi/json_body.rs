//! JSON bodies of requests. All fields are checked, so that one response reports every invalid
//! field.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use poem::http::{HeaderMap, header};
use poem::{Request, RequestBody as PoemBody, Result};
use poem_openapi::registry::{MetaMediaType, MetaRequest, MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::{ParseError, ParseFromJSON, ParseResult, ToJSON, Type};
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::field::{FromJson, nothing_schema};
use super::payload::{JSON, MERGE_PATCH};
use super::{idempotency, if_match};
use crate::http::problem::{FieldError, Problem};
use crate::http::problem_examples::ProblemExample;
use crate::http::problem_type::ProblemType;
use crate::http::request_body::{BodyError, MAX_BODY, RequestBody};
use crate::values::ValidationError;

/// Maximum number of unknown members that an error lists.
const MAX_UNKNOWN: usize = 50;

/// Extractor of a request body: a JSON object, converted to `T`.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

/// Extractor of a JSON merge patch (RFC 7396), whose media type it accepts too.
#[derive(Debug)]
pub struct MergePatch<T>(pub T);

/// A request object that is created from the fields of a JSON object.
pub trait FromFields: Type + Sized {
    /// Whether members that the object does not have are errors; otherwise they are ignored.
    const IS_STRICT: bool;

    /// Returns the example in the document.
    fn example() -> Value;

    /// Registers the schema with its example.
    fn register_with_example(registry: &mut Registry) {
        Self::register(registry);
        complete_schema(registry, &Self::name(), Self::example(), Self::IS_STRICT);
    }

    /// Creates the object. `fields` collects the errors. Returns `None` if a field is invalid, or
    /// missing although it is required.
    fn from_fields(fields: &mut JsonFields) -> Option<Self>;
}

/// Adds an example to a registered schema, and forbids unknown members if it is strict.
pub(in crate::http) fn complete_schema(
    registry: &mut Registry,
    name: &str,
    example: Value,
    is_strict: bool,
) {
    if let Some(schema) = registry.schemas.get_mut(name) {
        schema.example = Some(example);
        if is_strict {
            let nothing = MetaSchemaRef::Inline(Box::new(nothing_schema()));
            schema.additional_properties = Some(Box::new(nothing));
        }
    }
}

/// Type of a field of a request object.
pub trait RequestField: Sized {
    /// Creates the field from its member of the JSON object, `None` if there is none.
    ///
    /// # Errors
    /// If the member is missing or invalid.
    fn from_member(member: Option<&Value>) -> Result<Self, ValidationError>;
}

/// A required field.
impl<T: FromJson> RequestField for T {
    fn from_member(member: Option<&Value>) -> Result<Self, ValidationError> {
        Self::from_json(member.ok_or(ValidationError::because("is required"))?)
    }
}

/// An optional field, for which `null` is the same as none.
impl<T: FromJson> RequestField for Option<T> {
    fn from_member(member: Option<&Value>) -> Result<Self, ValidationError> {
        member.filter(|value| !value.is_null()).map(T::from_json).transpose()
    }
}

/// A field of a patch that can be changed but not removed. `None`: it stays.
#[derive(Debug)]
pub struct Replaceable<T>(pub Option<T>);

impl<T: FromJson> RequestField for Replaceable<T> {
    fn from_member(member: Option<&Value>) -> Result<Self, ValidationError> {
        let is_null = member.is_some_and(Value::is_null);
        if is_null {
            return Err(ValidationError::because("must not be null"));
        }
        member.map(T::from_json).transpose().map(Self)
    }
}

/// A field of a patch that `null` removes. `None`: it stays, and `Some(None)`: it is removed.
#[derive(Debug)]
pub struct Clearable<T>(pub Option<Option<T>>);

impl<T: FromJson> RequestField for Clearable<T> {
    fn from_member(member: Option<&Value>) -> Result<Self, ValidationError> {
        let value = |value: &Value| (!value.is_null()).then(|| T::from_json(value)).transpose();
        member.map(value).transpose().map(Self)
    }
}

/// Implements what `#[derive(Object)]` requires of the type of an optional field.
macro_rules! patch_field {
    ($type:ident, $is_nullable:expr) => {
        impl<T: Type> Type for $type<T> {
            const IS_REQUIRED: bool = false;
            type RawValueType = T::RawValueType;
            type RawElementValueType = T::RawElementValueType;

            fn name() -> Cow<'static, str> {
                T::name()
            }

            fn schema_ref() -> MetaSchemaRef {
                T::schema_ref().merge(MetaSchema { nullable: $is_nullable, ..MetaSchema::ANY })
            }

            fn as_raw_value(&self) -> Option<&Self::RawValueType> {
                None
            }

            fn raw_element_iter<'a>(
                &'a self,
            ) -> Box<dyn Iterator<Item = &'a Self::RawElementValueType> + 'a> {
                Box::new(std::iter::empty())
            }
        }

        impl<T: Type + FromJson> ParseFromJSON for $type<T> {
            fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
                Self::from_member(value.as_ref()).map_err(ParseError::custom)
            }
        }

        impl<T: Type> ToJSON for $type<T> {
            fn to_json(&self) -> Option<Value> {
                None
            }
        }
    };
}

patch_field!(Replaceable, false);
patch_field!(Clearable, true);

/// Defines a request object, whose example stands before it. `strict` rejects unknown members.
macro_rules! request_object {
    ($example:expr; strict $($object:tt)*) => {
        $crate::http::openapi::json_body::request_object!(@ true, $example; $($object)*);
    };
    ($example:expr; $($object:tt)*) => {
        $crate::http::openapi::json_body::request_object!(@ false, $example; $($object)*);
    };
    (
        @ $is_strict:expr, $example:expr;
        $(#[$attribute:meta])*
        pub struct $name:ident { $($(#[$field_attribute:meta])* $field:ident: $type:ty,)* }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, ::poem_openapi::Object)]
        pub struct $name { $($(#[$field_attribute])* $field: $type,)* }

        impl $crate::http::openapi::json_body::FromFields for $name {
            const IS_STRICT: bool = $is_strict;

            fn example() -> ::serde_json::Value {
                $example
            }

            fn from_fields(
                fields: &mut $crate::http::openapi::json_body::JsonFields,
            ) -> Option<Self> {
                $(let $field = fields.read(stringify!($field));)*
                Some(Self { $($field: $field?,)* })
            }
        }
    };
}

pub(in crate::http) use request_object;

/// The fields of a JSON object, and the errors found so far.
#[derive(Debug)]
pub struct JsonFields {
    members: HashMap<String, Member>,
    errors: Vec<FieldError>,
}

/// Value of a field of a JSON object. A repeated field is ambiguous (RFC 8259, section 4), but a
/// map of serde_json would silently contain the last value.
#[derive(Debug)]
enum Member {
    Once(Value),
    Repeated,
}

impl JsonFields {
    /// Reads a field. Returns `None`, and notes the error, if it is invalid.
    pub(in crate::http) fn read<T: RequestField>(&mut self, name: &str) -> Option<T> {
        let parsed = match self.members.remove(name) {
            None => T::from_member(None),
            Some(Member::Once(value)) => T::from_member(Some(&value)),
            Some(Member::Repeated) => {
                Err(ValidationError::because("must not appear more than once"))
            }
        };
        let note = |reason: ValidationError| {
            let (pointer, detail) = (format!("/{name}"), reason.to_string());
            self.errors.push(FieldError { pointer, detail });
        };
        parsed.map_err(note).ok()
    }
}

impl<'de> Deserialize<'de> for JsonFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(JsonFieldsVisitor)
    }
}

struct JsonFieldsVisitor;

impl<'de> Visitor<'de> for JsonFieldsVisitor {
    type Value = JsonFields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<JsonFields, A::Error> {
        let mut members = HashMap::new();
        while let Some((name, value)) = object.next_entry()? {
            members
                .entry(name)
                .and_modify(|member| *member = Member::Repeated)
                .or_insert(Member::Once(value));
        }
        Ok(JsonFields { members, errors: Vec::new() })
    }
}

/// Returns the problem of a body that is not JSON.
#[expect(clippy::needless_pass_by_value, reason = "it converts an error")]
pub(super) fn malformed(error: serde_json::Error) -> Problem {
    Problem::new(ProblemType::MALFORMED_REQUEST, format!("The body is not JSON: {error}."))
}

/// Parses a request object.
pub(super) fn parse<T: FromFields>(bytes: &[u8]) -> Result<T, Problem> {
    if !bytes.trim_ascii_start().starts_with(b"{") {
        serde_json::from_slice::<Value>(bytes).map_err(malformed)?;
        return Err(ProblemExample::invalid("", "must be a JSON object").problem());
    }
    let mut fields: JsonFields = serde_json::from_slice(bytes).map_err(malformed)?;
    let object = T::from_fields(&mut fields);
    if T::IS_STRICT {
        let unknown = fields.members.into_keys().map(|name| unknown_member(&name));
        fields.errors.extend(unknown.take(MAX_UNKNOWN));
    }
    match object {
        Some(value) if fields.errors.is_empty() => Ok(value),
        Some(_) | None => Err(Problem::invalid(fields.errors)),
    }
}

/// Returns the error of a member that the object does not have.
pub(super) fn unknown_member(name: &str) -> FieldError {
    let pointer = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
    if name.is_empty() || pointer.chars().count() > FieldError::MAX_POINTER {
        let detail = "must not have a member with an empty or very long name".to_owned();
        return FieldError { pointer: String::new(), detail };
    }
    FieldError { pointer, detail: "is unknown, or cannot be written".to_owned() }
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

/// Implements [`ApiExtractor`] for a body. `$accepts` tells whether it accepts a media type.
macro_rules! body_extractor {
    ($body:ident, $accepts:expr, $problem:expr) => {
        impl<'a, T: FromFields> ApiExtractor<'a> for $body<T> {
            const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::RequestObject];
            type ParamType = ();
            type ParamRawType = ();

            fn register(registry: &mut Registry) {
                T::register_with_example(registry);
            }

            fn request_meta() -> Option<MetaRequest> {
                let content = vec![MetaMediaType { content_type: JSON, schema: T::schema_ref() }];
                Some(MetaRequest { description: None, content, required: true })
            }

            async fn from_request(
                request: &'a Request,
                _: &mut PoemBody,
                _: ExtractParamOptions<()>,
            ) -> Result<Self> {
                check_type(request, $accepts, &$problem)?;
                let bytes = read(request, MAX_BODY, &ProblemExample::TOO_LARGE).await?;
                Ok(Self(parse(&bytes)?))
            }
        }
    };
}

body_extractor!(JsonBody, |name| is(name, JSON), ProblemExample::NOT_JSON);
body_extractor!(
    MergePatch,
    |name| is(name, JSON) || is(name, MERGE_PATCH),
    ProblemExample::NOT_A_PATCH
);

/// Checks that the body of a request has an accepted media type and no content coding.
fn check_type(
    request: &Request,
    accepts: impl FnOnce(&str) -> bool,
    otherwise: &ProblemExample,
) -> Result<(), Problem> {
    if !request.content_type().is_some_and(accepts) {
        return Err(otherwise.problem());
    }
    if is_encoded(request.headers()) {
        return Err(ProblemExample::CONTENT_ENCODED.problem());
    }
    Ok(())
}

/// Checks that the body of a request is sent as JSON, without a content coding.
pub(in crate::http) fn check_is_json(request: &Request) -> Result<(), Problem> {
    check_type(request, |name| is(name, JSON), &ProblemExample::NOT_JSON)
}

/// Reads a body of at most `max` bytes from the [`RequestBody`], because
/// [`HttpService`](crate::http::HttpService) has taken it out of poem's own body.
pub(in crate::http) async fn read(
    request: &Request,
    max: usize,
    too_large: &ProblemExample,
) -> Result<Vec<u8>, Problem> {
    let body = request
        .data::<RequestBody>()
        .ok_or_else(|| Problem::internal_error(&"the request was routed without its body"))?;
    let bytes = body.read(max).await.map_err(|error| match error {
        BodyError::TooLarge => too_large.problem(),
        BodyError::Incomplete | BodyError::TooSlow => error.into(),
    })?;
    // The error of a malformed header takes precedence over that of an invalid body.
    idempotency::key(request.headers())?;
    if_match::precondition(request.headers())?;
    Ok(bytes)
}
