//! Bodies of requests, checked as a whole, so that a client is told everything that is wrong at once.

use poem::http::{HeaderMap, header};
use poem::{Request, RequestBody, Result};
use poem_openapi::impl_apirequest_for_payload;
use poem_openapi::payload::{ParsePayload, Payload};
use poem_openapi::registry::{MetaSchemaRef, Registry};
use poem_openapi::types::Type;
use serde_json::Value;

use super::case::Case;
use super::idempotency;
use super::members::{Member, Members};
use super::schema::FromJson;
use crate::http::problem::{FieldError, Kind, Problem};
use crate::http::upload::{Unread, Upload};

impl From<Unread> for Problem {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::TooLarge => Case::TOO_LARGE.problem(),
            Unread::Broken => Self::new(Kind::MalformedRequest, "The body did not arrive in full."),
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
    object: Members,
    errors: Vec<FieldError>,
}

impl Fields {
    /// Takes a field that must be there.
    pub(super) fn required<T: FromJson>(&mut self, name: &str) -> Option<T> {
        match self.object.0.remove(name) {
            Some(member) => self.parse(name, member),
            None => {
                self.refuse(name, "is required".to_owned());
                None
            }
        }
    }

    /// Takes a field that may be missing or `null`.
    pub(super) fn optional<T: FromJson>(&mut self, name: &str) -> Option<T> {
        match self.object.0.remove(name) {
            None | Some(Member::Once(Value::Null)) => None,
            Some(member) => self.parse(name, member),
        }
    }

    fn parse<T: FromJson>(&mut self, name: &str, member: Member) -> Option<T> {
        let parsed = match member {
            Member::Once(value) => T::from_json(&value).map_err(|reason| reason.to_string()),
            Member::Repeated => Err("must not appear more than once".to_owned()),
        };
        parsed.map_err(|reason| self.refuse(name, reason)).ok()
    }

    fn refuse(&mut self, name: &str, detail: String) {
        self.errors.push(FieldError { pointer: format!("/{name}"), detail });
    }
}

fn parse<T: FromFields>(bytes: &[u8]) -> Result<T, Problem> {
    let malformed = |error: serde_json::Error| {
        Problem::new(Kind::MalformedRequest, format!("The body is not JSON: {error}."))
    };
    if !bytes.trim_ascii_start().starts_with(b"{") {
        serde_json::from_slice::<Value>(bytes).map_err(malformed)?;
        let error =
            FieldError { pointer: String::new(), detail: "must be a JSON object".to_owned() };
        return Err(Problem::invalid(vec![error]));
    }
    let object = serde_json::from_slice(bytes).map_err(malformed)?;
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

    /// poem's own body is empty: the front keeps what there is as an `Upload`.
    async fn from_request(request: &Request, _: &mut RequestBody) -> Result<Self> {
        if is_encoded(request.headers()) {
            return Err(Case::ENCODED.problem().into());
        }
        let upload = request
            .data::<Upload>()
            .ok_or_else(|| Problem::defect(&"the request came by a way that keeps no body"))?;
        let bytes = upload.read().await.map_err(Problem::from)?;
        idempotency::key(request.headers())?;
        Ok(Self(parse(&bytes)?))
    }
}

impl_apirequest_for_payload!(JsonBody<T>, T: FromFields);
