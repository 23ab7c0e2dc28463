//! Bodies of requests: read by the server's front, checked here as a whole, so that a client is told
//! everything that is wrong at once.

use poem::http::{HeaderMap, header};
use poem::{FromRequest, Request, RequestBody, Result};
use poem_openapi::impl_apirequest_for_payload;
use poem_openapi::payload::{ParsePayload, Payload};
use poem_openapi::registry::{MetaSchemaRef, Registry};
use poem_openapi::types::Type;
use serde_json::{Map, Value};

use super::case::ENCODED;
use super::idempotency;
use super::schema::FromJson;
use crate::http::problem::{FieldError, Kind, Problem};

/// The most bytes of a body.
pub const MAX_BODY: usize = 64 * 1024;

/// Why a request has come without its body.
#[derive(Debug, Clone, Copy)]
pub enum Unread {
    /// It was longer than [`MAX_BODY`] and was not kept.
    TooLarge,
    /// It did not arrive whole.
    Broken,
    /// It did not arrive in time.
    TooSlow,
}

impl From<Unread> for Problem {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::TooLarge => {
                let detail = format!("A body may have {MAX_BODY} bytes at most.");
                Self::new(Kind::BodyTooLarge, detail)
            }
            Unread::Broken => Self::new(Kind::MalformedRequest, "The body did not arrive whole."),
            Unread::TooSlow => {
                Self::new(Kind::MalformedRequest, "The body did not arrive in time.")
            }
        }
    }
}

/// A request's body as JSON object of type `T`.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

/// An object that is read field by field.
pub trait FromFields: Type + Sized {
    /// Takes the fields that it knows; none where one that it needs is missing or not valid.
    fn from_fields(fields: &mut Fields) -> Option<Self>;
}

/// The fields of a JSON object, and what is wrong with those that were read.
#[derive(Debug)]
pub struct Fields {
    object: Map<String, Value>,
    errors: Vec<FieldError>,
}

impl Fields {
    /// Takes a field that must be there.
    pub(super) fn required<T: FromJson>(&mut self, name: &str) -> Option<T> {
        match self.object.remove(name) {
            Some(value) => self.parse(name, &value),
            None => {
                self.refuse(name, "is required".to_owned());
                None
            }
        }
    }

    /// Takes a field that may be missing or `null`.
    pub(super) fn optional<T: FromJson>(&mut self, name: &str) -> Option<T> {
        match self.object.remove(name) {
            None | Some(Value::Null) => None,
            Some(value) => self.parse(name, &value),
        }
    }

    fn parse<T: FromJson>(&mut self, name: &str, value: &Value) -> Option<T> {
        match T::from_json(value) {
            Ok(value) => Some(value),
            Err(reason) => {
                self.refuse(name, reason.to_string());
                None
            }
        }
    }

    fn refuse(&mut self, name: &str, detail: String) {
        self.errors.push(FieldError { pointer: format!("/{name}"), detail });
    }
}

fn parse<T: FromFields>(bytes: &[u8]) -> Result<T, Problem> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| {
        Problem::new(Kind::MalformedRequest, format!("The body is not JSON: {error}."))
    })?;
    let Value::Object(object) = value else {
        let error =
            FieldError { pointer: String::new(), detail: "must be a JSON object".to_owned() };
        return Err(Problem::invalid(vec![error]));
    };
    let mut fields = Fields { object, errors: Vec::new() };
    match T::from_fields(&mut fields) {
        Some(value) if fields.errors.is_empty() => Ok(value),
        Some(_) | None => Err(Problem::invalid(fields.errors)),
    }
}

/// Whether the body is not JSON itself but what some coding has made of it. `identity` is none.
fn is_encoded(headers: &HeaderMap) -> bool {
    let fields = headers.get_all(header::CONTENT_ENCODING);
    let mut codings = fields.iter().flat_map(|field| field.as_bytes().split(|byte| *byte == b','));
    codings.any(|coding| {
        let coding = coding.trim_ascii();
        !coding.is_empty() && !coding.eq_ignore_ascii_case(b"identity")
    })
}

impl<T: FromFields> Payload for JsonBody<T> {
    const CONTENT_TYPE: &'static str = "application/json";

    fn check_content_type(content_type: &str) -> bool {
        // Parameters such as charset=utf-8 say nothing that JSON does not (RFC 8259, section 8.1).
        let essence = content_type.split(';').next().unwrap_or_default();
        essence.trim().eq_ignore_ascii_case(Self::CONTENT_TYPE)
    }

    fn schema_ref() -> MetaSchemaRef {
        T::schema_ref()
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

impl<T: FromFields> ParsePayload for JsonBody<T> {
    const IS_REQUIRED: bool = true;

    async fn from_request(request: &Request, body: &mut RequestBody) -> Result<Self> {
        if is_encoded(request.headers()) {
            return Err(Problem::new(Kind::UnsupportedContentEncoding, ENCODED).into());
        }
        if let Some(unread) = request.extensions().get::<Unread>() {
            return Err(Problem::from(*unread).into());
        }
        idempotency::key(request.headers())?;
        let bytes = <Vec<u8> as FromRequest>::from_request(request, body).await?;
        Ok(Self(parse(&bytes)?))
    }
}

impl_apirequest_for_payload!(JsonBody<T>, T: FromFields);
