//! Bodies of answers: JSON, whole or in a stream.

use std::fmt::{Debug, Display};
use std::marker::PhantomData;

use futures_util::{StreamExt, TryStreamExt};
use poem::{Body, IntoResponse, Response};
use poem_openapi::payload::Payload;
use poem_openapi::registry::{MetaSchemaRef, Registry};
use poem_openapi::types::Type;
use serde::Serialize;

use crate::domain::Error;
use crate::domain::links::Pages;
use crate::http::request_id::RequestId;

pub(super) const JSON: &str = "application/json";

/// An object of type `T` as JSON.
#[derive(Debug)]
pub struct JsonText<T>(String, PhantomData<fn() -> T>);

impl<T: Serialize> JsonText<T> {
    /// Writes the object.
    pub(super) fn of(object: &T) -> Self {
        // Wire objects have only text, numbers and each other: they always are JSON.
        Self::written(serde_json::to_string(object).unwrap_or_default())
    }
}

impl<T> JsonText<T> {
    /// What was written so, and may have been sent before.
    pub(super) fn written(text: String) -> Self {
        Self(text, PhantomData)
    }

    /// What is sent.
    pub(super) fn into_text(self) -> String {
        self.0
    }
}

impl<T: Type + Send> Payload for JsonText<T> {
    const CONTENT_TYPE: &'static str = JSON;

    fn schema_ref() -> MetaSchemaRef {
        T::schema_ref()
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

impl<T: Send> IntoResponse for JsonText<T> {
    fn into_response(self) -> Response {
        self.0.with_content_type(JSON).into_response()
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
    /// Reads the first page, so that a database that is away is answered as such; the others follow
    /// as the client takes them. When one of those fails the connection is broken: the list is
    /// never closed as if it were whole.
    pub async fn of<I, W>(mut pages: Pages<I>, request_id: RequestId) -> Result<Self, Error>
    where
        I: Send + 'static,
        W: From<I> + Serialize,
    {
        let first = pages.try_next().await?.unwrap_or_default();
        let mut text = ListText::default();
        let chunks = futures_util::stream::once(async { Ok(first) })
            .chain(pages)
            .map(move |page| {
                let page = page.unwrap_or_else(|error| break_off(&error, request_id));
                text.page::<I, W>(page).unwrap_or_else(|error| break_off(&error, request_id))
            })
            .chain(futures_util::stream::once(async { ListText::END.to_vec() }))
            .map(Ok::<_, std::io::Error>);
        Ok(Self { body: Body::from_bytes_stream(chunks), list: PhantomData })
    }
}

/// The text of a list while it is written: what each page adds to it.
#[derive(Debug, Default)]
struct ListText {
    has_begun: bool,
    has_items: bool,
}

impl ListText {
    const BEGIN: &[u8] = br#"{"data":["#;
    const END: &[u8] = b"]}";

    fn page<I, W: From<I> + Serialize>(&mut self, items: Vec<I>) -> serde_json::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        if !self.has_begun {
            bytes.extend_from_slice(Self::BEGIN);
            self.has_begun = true;
        }
        for item in items {
            if self.has_items {
                bytes.push(b',');
            }
            self.has_items = true;
            serde_json::to_writer(&mut bytes, &W::from(item))?;
        }
        Ok(bytes)
    }
}

/// Unwinds the connection's task, which drops the connection. An error would not: poem polls a
/// connection again whose answer failed, and hyper then ends the answer as if it were whole.
fn break_off(error: &dyn Display, request_id: RequestId) -> ! {
    tracing::error!(%request_id, %error, "a list broke off");
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
