//! Successful responses of operations: JSON objects, and lists that the server sends page by page.

use std::future::{pending, ready};
use std::marker::PhantomData;
use std::sync::Arc;

use futures_util::future::Either;
use futures_util::stream::once;
use futures_util::{StreamExt, TryStreamExt};
use poem::{Body, IntoResponse, Response, ResponseBuilder};
use poem_openapi::ApiResponse;
use poem_openapi::registry::{MetaResponses, Registry};
use poem_openapi::types::Type;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::caller::Caller;
use super::operation::{JSON, Operation, responses};
use crate::domain::links::{Link, LinkPages};
use crate::domain::{Error, keys};
use crate::http::connections::response_token;
use crate::http::problem::{Problem, ProblemDetails};
use crate::http::state::AppState;

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
///
/// The response is aborted if the database fails, or as soon as the caller's key is no longer
/// valid.
pub(super) async fn list_body<W: From<Link> + Serialize>(
    mut pages: LinkPages,
    app: &AppState,
    caller: Caller,
) -> Result<Body, Error> {
    let first = pages.try_next().await?.unwrap_or_default();
    let (mut begin, mut separator) = (r#"{"data":["#, "");
    let mut write = move |links: Vec<Link>| {
        let mut bytes = std::mem::take(&mut begin).as_bytes().to_vec();
        for link in links {
            bytes.extend_from_slice(std::mem::replace(&mut separator, ",").as_bytes());
            serde_json::to_writer(&mut bytes, &W::from(link)).map_err(|error| error.to_string())?;
        }
        Ok(bytes)
    };
    let Caller { key, request_id, owner_id: _ } = caller;
    let response = response_token();
    let aborted = response.clone();
    // Ends with the body. The body itself cannot check the key, because nothing polls it while the
    // client does not read.
    let in_progress = CancellationToken::new();
    let end = in_progress.clone().drop_guard();
    let (store, caches) = (app.store.clone(), Arc::clone(&app.caches));
    tokio::spawn(async move {
        let invalid = keys::wait_until_invalid(&store, &caches.keys, key);
        if in_progress.run_until_cancelled(invalid).await.is_some() {
            let error = "the API key is no longer valid";
            tracing::warn!(%request_id, error, "list response aborted");
            response.cancel();
        }
    });
    let chunks = once(async { Ok(first) })
        .chain(pages)
        .then(move |page| {
            let _ = &end;
            match page.map_err(|error| error.to_string()).and_then(&mut write) {
                Ok(bytes) => Either::Left(ready(bytes)),
                Err(error) => {
                    tracing::error!(%request_id, error, "list response aborted");
                    aborted.cancel();
                    Either::Right(pending())
                }
            }
        })
        .chain(once(async { b"]}".to_vec() }))
        .map(Ok::<_, std::io::Error>);
    Ok(Body::from_bytes_stream(chunks))
}
