//! Bodies of answers: JSON, whole or in a stream.

use std::fmt::Debug;
use std::marker::PhantomData;

use futures_util::{Stream, StreamExt, TryStreamExt};
use poem::{Body, IntoResponse, Response};
use poem_openapi::payload::Payload;
use poem_openapi::registry::{MetaSchemaRef, Registry};
use poem_openapi::types::Type;
use serde::Serialize;

use crate::domain::Error;

pub(super) const JSON: &str = "application/json";

/// An object of type `T` as JSON.
#[derive(Debug)]
pub struct Json<T>(pub T);

impl<T: Type + Send> Payload for Json<T> {
    const CONTENT_TYPE: &'static str = JSON;

    fn schema_ref() -> MetaSchemaRef {
        T::schema_ref()
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

impl<T: Serialize + Send> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        // Wire objects have only text, numbers and each other: they always are JSON.
        Body::from_json(&self.0).unwrap_or_default().with_content_type(JSON).into_response()
    }
}

/// A list of type `L`, `{"data": [ … ]}`, sent while it is read.
pub struct JsonList<L> {
    body: Body,
    list: PhantomData<fn() -> L>,
}

impl<L> Debug for JsonList<L> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JsonList(…)")
    }
}

impl<L> JsonList<L> {
    /// A list of these alone.
    pub async fn of_part<I, W>(links: Vec<I>) -> Result<Self, Error>
    where
        I: Send + 'static,
        W: From<I> + Serialize,
    {
        Self::of::<I, W>(futures_util::stream::once(async { Ok(links) })).await
    }

    /// Reads the first page, so that a database that is away is answered as such; the others follow
    /// as the client takes them. When one of those fails the connection is broken: the list is
    /// never closed as if it were whole.
    pub async fn of<I, W>(
        pages: impl Stream<Item = Result<Vec<I>, Error>> + Send + 'static,
    ) -> Result<Self, Error>
    where
        I: Send + 'static,
        W: From<I> + Serialize,
    {
        let mut pages = Box::pin(pages);
        let first = pages.try_next().await?.unwrap_or_default();
        let mut is_first = true;
        let items = futures_util::stream::once(async { Ok(first) })
            .chain(pages)
            .map(move |page| {
                let mut bytes = Vec::new();
                if is_first {
                    bytes.extend_from_slice(br#"{"data":["#);
                }
                for item in page.unwrap_or_else(|error| break_off(&error)) {
                    if !is_first {
                        bytes.push(b',');
                    }
                    is_first = false;
                    serde_json::to_writer(&mut bytes, &W::from(item))?;
                }
                // An empty first page leaves the list empty: there is no second.
                is_first = false;
                Ok::<_, std::io::Error>(bytes)
            })
            .chain(futures_util::stream::once(async { Ok(b"]}".to_vec()) }));
        Ok(Self { body: Body::from_bytes_stream(items), list: PhantomData })
    }
}

/// Unwinds the connection's task, which drops the connection. An error would not: poem polls a
/// connection again whose answer failed, and hyper then ends the answer as if it were whole.
fn break_off(error: &Error) -> ! {
    tracing::error!(%error, "a list broke off");
    std::panic::resume_unwind(Box::new("a list broke off"))
}

impl<L: Type> Payload for JsonList<L> {
    const CONTENT_TYPE: &'static str = JSON;

    fn schema_ref() -> MetaSchemaRef {
        L::schema_ref()
    }

    fn register(registry: &mut Registry) {
        L::register(registry);
    }
}

impl<L: Send> IntoResponse for JsonList<L> {
    fn into_response(self) -> Response {
        self.body.with_content_type(JSON).into_response()
    }
}
