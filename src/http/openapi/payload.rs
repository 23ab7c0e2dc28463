//! Bodies of successful responses, and the problems that operations return instead.

use std::marker::PhantomData;

use poem::{Body, IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::payload::Payload;
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, MetaSchemaRef, Registry};
use poem_openapi::types::{ToHeader, Type};
use serde::Serialize;

use super::headers::{EntityTag, Replayed};
use crate::http::problem::{PROBLEM_JSON, Problem, ProblemDetails};

/// Media type of successful responses.
pub const JSON: &str = "application/json";

/// Media type of JSON merge patches (RFC 7396).
pub const MERGE_PATCH: &str = "application/merge-patch+json";

/// Result of an operation.
pub type OperationResult<T> = Result<T, Problem>;

/// A JSON body with the schema of `T`, complete or as a stream.
#[derive(Debug)]
pub struct Json<T>(Body, PhantomData<fn() -> T>);

impl<T> Json<T> {
    /// Creates a complete body.
    pub(in crate::http) fn new(object: &T) -> Self
    where
        T: Serialize,
    {
        // The objects contain only texts and numbers, whose serialisation cannot fail.
        Self::from_stream(serde_json::to_string(object).unwrap_or_default().into())
    }

    /// Wraps a body that the server sends while it reads it.
    pub(in crate::http) const fn from_stream(body: Body) -> Self {
        Self(body, PhantomData)
    }
}

impl<T: Type> Payload for Json<T> {
    const CONTENT_TYPE: &'static str = JSON;

    fn schema_ref() -> MetaSchemaRef {
        T::schema_ref()
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

impl<T> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        Response::builder().content_type(JSON).body(self.0)
    }
}

// The document replaces the descriptions of these responses by those of the operations.

/// Response with an object.
#[derive(Debug, ApiResponse)]
pub enum OkResponse<T: Type> {
    /// The object.
    #[oai(status = 200)]
    Ok(Json<T>),
}

impl<T: Type + Serialize> OkResponse<T> {
    /// Creates the response with what the domain returned.
    pub(in crate::http) fn new(object: impl Into<T>) -> Self {
        Self::Ok(Json::new(&object.into()))
    }
}

/// Response with an object and its entity tag.
#[derive(Debug, ApiResponse)]
pub enum TaggedResponse<T: Type> {
    /// The object.
    #[oai(status = 200)]
    Ok(Json<T>, #[oai(header = "ETag")] EntityTag),
}

/// Response with a list and, in the header `L`, the next page.
#[derive(Debug, ApiResponse)]
pub enum ListResponse<T: Type, L: Type + ToHeader> {
    /// The list.
    #[oai(status = 200)]
    Ok(Json<T>, #[oai(header = "Link")] Option<L>),
}

/// Response with a new object and, in the header `L`, its address.
#[derive(Debug, ApiResponse)]
pub enum CreatedResponse<T: Type, L: Type + ToHeader> {
    /// The object.
    #[oai(status = 201)]
    Created(
        Json<T>,
        #[oai(header = "Location")] L,
        #[oai(header = "Idempotent-Replayed")] Option<Replayed>,
    ),
}

impl<T: Type + Serialize, L: Type + ToHeader> CreatedResponse<T, L> {
    /// Creates the response with what the domain returned.
    pub(in crate::http) fn new(object: impl Into<T>, location: L, is_replay: bool) -> Self {
        Self::Created(Json::new(&object.into()), location, Replayed::from_flag(is_replay))
    }
}

/// Response without content.
#[derive(Debug, ApiResponse)]
pub enum NoContentResponse {
    /// Nothing.
    #[oai(status = 204)]
    NoContent,
}

/// Declares a response without a status, from which the document derives the responses of the
/// problems that each operation names.
impl ApiResponse for Problem {
    fn meta() -> MetaResponses {
        let schema = ProblemDetails::schema_ref();
        let content = vec![MetaMediaType { content_type: PROBLEM_JSON, schema }];
        let response = MetaResponse {
            description: "",
            status: None,
            status_range: None,
            content,
            headers: Vec::new(),
        };
        MetaResponses { responses: vec![response] }
    }

    fn register(registry: &mut Registry) {
        ProblemDetails::register(registry);
    }
}
