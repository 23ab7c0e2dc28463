//! Lists of response objects.

use std::borrow::Cow;

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::{Example, ToJSON, Type};
use serde::Serialize;
use serde_json::json;

/// A thing that lists have.
pub trait Listed: Type + Example + ToJSON {
    /// Description of a page of its list.
    const PAGE: &'static str;
}

/// A page of a list, whose schema has the name of the thing's and `List`.
#[derive(Debug, Serialize)]
pub struct List<T> {
    data: Vec<T>,
}

impl<T: From<U>, U> From<Vec<U>> for List<T> {
    fn from(items: Vec<U>) -> Self {
        Self { data: items.into_iter().map(T::from).collect() }
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
            let description = Some("The items of the page.");
            let data = MetaSchema { description, ..MetaSchema::ANY };
            MetaSchema {
                title: Some(Self::name().into_owned()),
                description: Some(T::PAGE),
                required: vec!["data"],
                properties: vec![("data", Vec::<T>::schema_ref().merge(data))],
                example: Some(json!({ "data": [T::example().to_json()] })),
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
