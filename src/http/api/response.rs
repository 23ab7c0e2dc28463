//! Successful responses of operations: JSON objects, and lists that the server sends page by page.

use std::marker::PhantomData;

use futures_util::stream::once;
use futures_util::{StreamExt, TryStreamExt};
use poem::{Body, IntoResponse, Response, ResponseBuilder};
use poem_openapi::ApiResponse;
use poem_openapi::registry::{MetaResponses, Registry};
use poem_openapi::types::Type;
use serde::Serialize;

use super::list_aborter::ListAborter;
use super::operation::{JSON, Operation, responses};
use crate::domain::Error;
use crate::domain::links::{Link, LinkPages};
use crate::http::problem::{Problem, ProblemDetails};

/// Result of operation `O`.
pub type OperationResult<O> = Result<OperationResponse<O>, Problem>;

/// Successful response of operation `O`.
#[derive(Debug)]
pub struct OperationResponse<O>(Response, PhantomData<fn() -> O>);

impl<O: Operation> OperationResponse<O> {
    /// Creates a response whose body is a JSON object.
    pub(super) fn object(body: &O::Body) -> Self
    where
        O::Body: Serialize,
    {
        Self::new(Self::builder().body(to_json(body)))
    }

    /// Creates the 201 response to a request that created something, or a replay of that response.
    pub(super) fn created(body: &O::Body, location: String, is_replay: bool) -> Self
    where
        O::Body: Serialize,
    {
        let mut response = Self::builder().header("Location", location);
        if is_replay {
            response = response.header("Idempotent-Replayed", "true");
        }
        Self::new(response.body(to_json(body)))
    }

    /// Creates a response whose body is a list. `next` is the value of the header `Link`, or `None`
    /// on the last page.
    pub(super) fn list(body: Body, next: Option<String>) -> Self {
        let mut response = Self::builder();
        if let Some(next) = next {
            response = response.header("Link", next);
        }
        Self::new(response.body(body))
    }

    fn builder() -> ResponseBuilder {
        Response::builder().status(O::KIND.success()).content_type(JSON)
    }

    const fn new(response: Response) -> Self {
        Self(response, PhantomData)
    }
}

impl<O> IntoResponse for OperationResponse<O> {
    fn into_response(self) -> Response {
        self.0
    }
}

impl<O: Operation> ApiResponse for OperationResponse<O> {
    fn meta() -> MetaResponses {
        MetaResponses { responses: responses::<O>() }
    }

    fn register(registry: &mut Registry) {
        O::Body::register(registry);
        ProblemDetails::register(registry);
    }
}

/// Declares no responses, because [`OperationResponse`] already declares the problems.
impl ApiResponse for Problem {
    fn meta() -> MetaResponses {
        MetaResponses { responses: Vec::new() }
    }

    fn register(_: &mut Registry) {}
}

/// Serialises a response body as JSON.
fn to_json(object: &impl Serialize) -> String {
    // The objects contain only texts and numbers, whose serialisation cannot fail.
    serde_json::to_string(object).unwrap_or_default()
}

/// Returns the body of a list, `{"data": [ … ]}`, with each link converted to `W`. The first page
/// is read before this function returns, so that the server can still return 503 if the database is
/// unavailable. The other pages are read while the client receives the list.
pub(super) async fn list_body<W: From<Link> + Serialize>(
    mut pages: LinkPages,
    aborter: ListAborter,
) -> Result<Body, Error> {
    let first = pages.try_next().await?.unwrap_or_default();
    let (mut begin, mut separator) = (r#"{"data":["#, "");
    let mut write = move |links: Vec<Link>| {
        let mut bytes = std::mem::take(&mut begin).as_bytes().to_vec();
        for link in links {
            bytes.extend_from_slice(std::mem::replace(&mut separator, ",").as_bytes());
            serde_json::to_writer(&mut bytes, &W::from(link))?;
        }
        serde_json::Result::Ok(bytes)
    };
    let chunks = once(async { Ok(first) })
        .chain(pages)
        .map(move |page| match page {
            Ok(page) => write(page).map_err(|error| aborter.abort(&error)),
            Err(error) => Err(aborter.abort(&error)),
        })
        .chain(once(async { Ok(b"]}".to_vec()) }));
    Ok(Body::from_bytes_stream(chunks))
}
