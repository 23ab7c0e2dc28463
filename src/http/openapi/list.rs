//! Pages of lists of response objects.

use std::borrow::Cow;

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::{Example, ToJSON, Type};
use serde::Serialize;
use serde_json::json;

use super::field::{Nullable, response_fields, text_schema};
use crate::http::cursor::Cursor;

/// Maximum number of items of a page.
pub const MAX_ITEMS: u32 = 1_000;

/// A thing that lists have.
pub trait Listed: Type + Example + ToJSON {
    /// Description of a page of its list.
    const PAGE: &'static str;
}

response_fields! {
    /// Where the next page of a list begins.
    CursorText(String): text_schema(Cursor::LENGTH, Cursor::LENGTH, "^[0-9a-f]{32}$");
}

/// A page of a list, whose schema has the name of the thing's and `List`.
#[derive(Debug, Serialize)]
pub struct List<T> {
    data: Vec<T>,
    next_cursor: Nullable<CursorText>,
}

impl<T> List<T> {
    /// Creates a page with these items, after which the list continues with `next`, if there is a next page.
    pub fn new<U: Into<T>>(items: Vec<U>, next: Option<Cursor>) -> Self {
        let next_cursor = next.map(|cursor| cursor.to_string()).into();
        Self { data: items.into_iter().map(Into::into).collect(), next_cursor }
    }
}

impl<T: Listed> Type for List<T> {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        format!("{}List", T::name()).into()
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Reference(Self::name().into_owned())
    }

    fn register(registry: &mut Registry) {
        registry.create_schema::<Self, _>(Self::name().into_owned(), |registry| {
            T::register(registry);
            let described = |text| MetaSchema { description: Some(text), ..MetaSchema::ANY };
            let max_items = Some(MAX_ITEMS as usize);
            let data = MetaSchema { max_items, ..described("The items of the page.") };
            let next = described(
                "Where the next page begins: the parameter `cursor` of the next request. `null` on the last \
                 page.",
            );
            MetaSchema {
                title: Some(Self::name().into_owned()),
                description: Some(T::PAGE),
                required: vec!["data", "next_cursor"],
                properties: vec![
                    ("data", Vec::<T>::schema_ref().merge(data)),
                    ("next_cursor", Nullable::<CursorText>::schema_ref().merge(next)),
                ],
                example: Some(
                    json!({ "data": [T::example().to_json()], "next_cursor": Cursor::EXAMPLE }),
                ),
                ..MetaSchema::new("object")
            }
        });
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(std::iter::once(self))
    }
}
