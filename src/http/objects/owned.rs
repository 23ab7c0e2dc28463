//! Things with their owners, as the operator sees them.

use std::borrow::Cow;

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::{Example, ToJSON, Type};
use serde::Serialize;
use serde_json::Value;

use super::fields::{Identifier, Text};
use crate::http::openapi::field::never_parsed;
use crate::http::openapi::headers::{EntityTag, Tagged};
use crate::http::openapi::page::Listed;

/// A thing with its owner. Its schema is that of the thing with two more members.
#[derive(Debug, Serialize)]
pub struct Owned<T> {
    #[serde(flatten)]
    thing: T,
    owner_id: Identifier,
    owner_name: Text,
}

impl<T> Owned<T> {
    /// Names the owner of a thing.
    pub fn new(thing: T, owner_id: i64, owner: &str) -> Self {
        Self { thing, owner_id: Identifier(owner_id), owner_name: Text(owner.to_owned()) }
    }
}

impl<T: Example> Example for Owned<T> {
    fn example() -> Self {
        Self::new(T::example(), 7, "acme")
    }
}

impl<T: Tagged> Tagged for Owned<T> {
    fn etag(&self) -> EntityTag {
        self.thing.etag()
    }
}

impl<T: Listed + Serialize> Listed for Owned<T> {
    const PAGE: &'static str = T::PAGE;
}

impl<T: Type + Example + Serialize> Type for Owned<T> {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn schema_ref() -> MetaSchemaRef {
        T::schema_ref()
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
        let Some(schema) = registry.schemas.get_mut(&*T::name()) else { return };
        let members = [
            ("owner_id", "Identifies the owner.", Identifier::schema_ref()),
            ("owner_name", "The owner's name.", Text::schema_ref()),
        ];
        for (name, description, member) in members {
            if !schema.required.contains(&name) {
                let described = MetaSchema { description: Some(description), ..MetaSchema::ANY };
                schema.properties.push((name, member.merge(described)));
                schema.required.push(name);
            }
        }
        schema.example = Self::example().to_json();
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(std::iter::once(self))
    }
}

impl<T: Serialize> ToJSON for Owned<T>
where
    Self: Type,
{
    fn to_json(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }
}

never_parsed!([T] Owned<T>);
