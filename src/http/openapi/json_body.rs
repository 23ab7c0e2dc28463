//! JSON bodies of requests. All fields are checked, so that one response reports every invalid
//! field.

use std::collections::HashMap;
use std::fmt;

use poem::http::{HeaderMap, header};
use poem::{Request, RequestBody as PoemBody, Result};
use poem_openapi::registry::{MetaMediaType, MetaRequest, Registry};
use poem_openapi::types::Type;
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::field::FromJson;
use super::idempotency;
use super::payload::JSON;
use crate::http::problem::{FieldError, Problem};
use crate::http::problem_examples::ProblemExample;
use crate::http::problem_type::ProblemType;
use crate::http::request_body::RequestBody;
use crate::values::ValidationError;

/// Extractor of a request body: a JSON object, converted to `T`.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

/// A request object that is created from the fields of a JSON object.
pub trait FromFields: Type + Sized {
    /// Returns the example in the document.
    fn example() -> Value;

    /// Creates the object. `fields` collects the errors. Returns `None` if a field is invalid, or
    /// missing although it is required.
    fn from_fields(fields: &mut JsonFields) -> Option<Self>;
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

/// Defines a request object, whose example stands before it.
macro_rules! request_object {
    (
        $example:expr;
        $(#[$attribute:meta])*
        pub struct $name:ident { $($(#[$field_attribute:meta])* $field:ident: $type:ty,)* }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, ::poem_openapi::Object)]
        pub struct $name { $($(#[$field_attribute])* $field: $type,)* }

        impl $crate::http::openapi::json_body::FromFields for $name {
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

fn parse<T: FromFields>(bytes: &[u8]) -> Result<T, Problem> {
    let malformed = |error: serde_json::Error| {
        Problem::new(ProblemType::MALFORMED_REQUEST, format!("The body is not JSON: {error}."))
    };
    if !bytes.trim_ascii_start().starts_with(b"{") {
        serde_json::from_slice::<Value>(bytes).map_err(malformed)?;
        return Err(ProblemExample::invalid("", "must be a JSON object").problem());
    }
    let mut fields: JsonFields = serde_json::from_slice(bytes).map_err(malformed)?;
    match T::from_fields(&mut fields) {
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

/// Returns whether a media type is JSON. It ignores parameters (RFC 8259, section 11).
fn is_json(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(JSON)
}

impl<'a, T: FromFields> ApiExtractor<'a> for JsonBody<T> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::RequestObject];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        T::register(registry);
        if let Some(schema) = registry.schemas.get_mut(&*T::name()) {
            schema.example = Some(T::example());
        }
    }

    fn request_meta() -> Option<MetaRequest> {
        let content = vec![MetaMediaType { content_type: JSON, schema: T::schema_ref() }];
        Some(MetaRequest { description: None, content, required: true })
    }

    /// Reads the body from the [`RequestBody`], because [`HttpService`](crate::http::HttpService)
    /// has taken it out of poem's own body.
    async fn from_request(
        request: &'a Request,
        _: &mut PoemBody,
        _: ExtractParamOptions<()>,
    ) -> Result<Self> {
        if !request.content_type().is_some_and(is_json) {
            return Err(ProblemExample::NOT_JSON.problem().into());
        }
        if is_encoded(request.headers()) {
            return Err(ProblemExample::CONTENT_ENCODED.problem().into());
        }
        let body = request
            .data::<RequestBody>()
            .ok_or_else(|| Problem::internal_error(&"the request was routed without its body"))?;
        let bytes = body.read().await.map_err(Problem::from)?;
        // The error of a malformed idempotency key takes precedence over that of an invalid body.
        idempotency::key(request.headers())?;
        Ok(Self(parse(&bytes)?))
    }
}
