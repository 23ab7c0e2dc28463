//! Bodies of successful responses, and the problems that operations return instead.

use std::marker::PhantomData;

use poem::{Body, IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::payload::Payload;
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, MetaSchemaRef, Registry};
use poem_openapi::types::{ToHeader, Type};
use serde::Serialize;

use super::headers::{EntityTag, EventIdHeader, Replayed, Tagged};
use crate::domain::changes::Changed;
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

/// Response with what a request changed, which repeating does not change again.
#[derive(Debug, ApiResponse)]
pub enum RepeatedResponse<T: Type> {
    /// The object.
    #[oai(status = 200)]
    Ok(Json<T>, #[oai(header = "Idempotent-Replayed")] Option<Replayed>),
}

impl<T: Type + Serialize> RepeatedResponse<T> {
    /// Creates the response with what the domain returned.
    pub(in crate::http) fn new<V>(changed: &Changed<V>) -> Self
    where
        T: for<'a> From<&'a Changed<V>>,
    {
        Self::from_object(changed, changed.is_replay)
    }

    /// Creates the response with an object.
    pub(in crate::http) fn from_object(object: impl Into<T>, is_replay: bool) -> Self {
        Self::Ok(Json::new(&object.into()), Replayed::from_flag(is_replay))
    }
}

/// Response with an object and its entity tag.
#[derive(Debug, ApiResponse)]
pub enum TaggedResponse<T: Type> {
    /// The object.
    #[oai(status = 200)]
    Ok(Json<T>, #[oai(header = "ETag")] EntityTag),
}

impl<T: Type + Serialize + Tagged> TaggedResponse<T> {
    /// Creates the response with what the domain returned.
    pub(in crate::http) fn new(object: impl Into<T>) -> Self {
        let object = object.into();
        Self::Ok(Json::new(&object), object.etag())
    }
}

/// Response with an object after a change of it.
#[derive(Debug, ApiResponse)]
pub enum ChangedResponse<T: Type> {
    /// The object.
    #[oai(status = 200)]
    Ok(
        Json<T>,
        #[oai(header = "ETag")] EntityTag,
        #[oai(header = "Event-Id")] Option<EventIdHeader>,
    ),
}

impl<T: Type + Serialize + Tagged> ChangedResponse<T> {
    /// Creates the response with what the domain returned, and the event of the change.
    pub(in crate::http) fn new(object: impl Into<T>, event: Option<i64>) -> Self {
        let object = object.into();
        Self::Ok(Json::new(&object), object.etag(), EventIdHeader::from_event(event))
    }
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

/// Response with a new object and, in the header `L`, its address, after a change that creates it.
#[derive(Debug, ApiResponse)]
pub enum AddedResponse<T: Type, L: Type + ToHeader> {
    /// The object.
    #[oai(status = 201)]
    Created(
        Json<T>,
        #[oai(header = "Location")] L,
        #[oai(header = "ETag")] EntityTag,
        #[oai(header = "Event-Id")] Option<EventIdHeader>,
        #[oai(header = "Idempotent-Replayed")] Option<Replayed>,
    ),
}

impl<T: Type + Serialize + Tagged, L: Type + ToHeader> AddedResponse<T, L> {
    /// Creates the response with what the domain returned, and the event of the change.
    pub(in crate::http) fn new(
        object: impl Into<T>,
        location: L,
        event: Option<i64>,
        is_replay: bool,
    ) -> Self {
        let object = object.into();
        let (event, replayed) = (EventIdHeader::from_event(event), Replayed::from_flag(is_replay));
        Self::Created(Json::new(&object), location, object.etag(), event, replayed)
    }
}

/// Response without content, after a change.
#[derive(Debug, ApiResponse)]
pub enum NoContentResponse {
    /// Nothing.
    #[oai(status = 204)]
    NoContent(#[oai(header = "Event-Id")] Option<EventIdHeader>),
}

impl NoContentResponse {
    /// Creates the response to a change with this event.
    pub(in crate::http) fn new(event: Option<i64>) -> Self {
        Self::NoContent(EventIdHeader::from_event(event))
    }
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
