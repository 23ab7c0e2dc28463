//! Request objects, and their fields. All fields are checked, so that one response reports every
//! invalid field.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::{ToJSON, Type};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::field::{FromJson, never_parsed, nothing_schema};
use crate::http::problem::FieldError;
use crate::values::{ErrorCode, ValidationError};

/// Maximum number of unknown members that an error lists.
pub(super) const MAX_UNKNOWN: usize = 50;

/// A request object that is created from the fields of a JSON object.
pub trait FromFields: Type + Sized {
    /// Whether members that the object does not have are errors; otherwise they are ignored.
    const IS_STRICT: bool;

    /// Returns the example in the document.
    fn example() -> Value;

    /// Registers the schema with its example.
    fn register_with_example(registry: &mut Registry) {
        Self::register(registry);
        complete_schema(registry, &Self::name(), Self::example(), Self::IS_STRICT);
    }

    /// Creates the object. `fields` collects the errors. Returns `None` if a field is invalid, or
    /// missing although it is required.
    fn from_fields(fields: &mut JsonFields) -> Option<Self>;
}

/// Adds an example to a registered schema, and forbids unknown members if it is strict.
pub(in crate::http) fn complete_schema(
    registry: &mut Registry,
    name: &str,
    example: Value,
    is_strict: bool,
) {
    if let Some(schema) = registry.schemas.get_mut(name) {
        schema.example = Some(example);
        if is_strict {
            let nothing = MetaSchemaRef::Inline(Box::new(nothing_schema()));
            schema.additional_properties = Some(Box::new(nothing));
        }
    }
}

/// Type of a field of a request object.
pub trait RequestField: Sized {
    /// Creates the field from its member of the JSON object, `None` if there is none.
    ///
    /// # Errors
    /// If the member is missing or invalid.
    fn from_member(member: Option<&Value>) -> Result<Self, ValidationError>;

    /// Reads the field from `fields`, which notes the error if the member is missing or invalid.
    fn read(fields: &mut JsonFields, name: &str) -> Option<Self> {
        fields.read(name)
    }
}

/// An object within a request object.
#[derive(Debug)]
pub struct Nested<T>(pub T);

/// An optional object within a request object, for which `null` is the same as none.
#[derive(Debug)]
pub struct OptionalNested<T>(pub Option<T>);

impl<T: FromFields> RequestField for Nested<T> {
    fn from_member(member: Option<&Value>) -> Result<Self, ValidationError> {
        member.map_or(Err(ErrorCode::Required.because("is required")), |_| {
            Err(ErrorCode::WrongType.because("must be an object"))
        })
    }

    fn read(fields: &mut JsonFields, name: &str) -> Option<Self> {
        match fields.take_object(name) {
            Some(object) => fields.read_object(*object, name).map(Self),
            None => fields.read(name),
        }
    }
}

impl<T: FromFields> RequestField for OptionalNested<T> {
    fn from_member(member: Option<&Value>) -> Result<Self, ValidationError> {
        match member.filter(|value| !value.is_null()) {
            None => Ok(Self(None)),
            Some(_) => Err(ErrorCode::WrongType.because("must be an object")),
        }
    }

    fn read(fields: &mut JsonFields, name: &str) -> Option<Self> {
        match fields.take_object(name) {
            Some(object) => fields.read_object(*object, name).map(|value| Self(Some(value))),
            None => fields.read(name),
        }
    }
}

/// A required field.
impl<T: FromJson> RequestField for T {
    fn from_member(member: Option<&Value>) -> Result<Self, ValidationError> {
        Self::from_json(member.ok_or(ErrorCode::Required.because("is required"))?)
    }
}

/// An optional field, for which `null` is the same as none.
impl<T: FromJson> RequestField for Option<T> {
    fn from_member(member: Option<&Value>) -> Result<Self, ValidationError> {
        member.filter(|value| !value.is_null()).map(T::from_json).transpose()
    }
}

/// A field of a patch that can be changed but not removed. `None`: it stays.
#[derive(Debug)]
pub struct Replaceable<T>(pub Option<T>);

impl<T: FromJson> RequestField for Replaceable<T> {
    fn from_member(member: Option<&Value>) -> Result<Self, ValidationError> {
        let is_null = member.is_some_and(Value::is_null);
        if is_null {
            return Err(ErrorCode::WrongType.because("must not be null"));
        }
        member.map(T::from_json).transpose().map(Self)
    }
}

/// A field of a patch that `null` removes. `None`: it stays, and `Some(None)`: it is removed.
#[derive(Debug)]
pub struct Clearable<T>(pub Option<Option<T>>);

impl<T: FromJson> RequestField for Clearable<T> {
    fn from_member(member: Option<&Value>) -> Result<Self, ValidationError> {
        let value = |value: &Value| (!value.is_null()).then(|| T::from_json(value)).transpose();
        member.map(value).transpose().map(Self)
    }
}

/// Implements what `#[derive(Object)]` requires of the type of a member, whose schema is that of its value.
macro_rules! member_type {
    ($type:ident<T: $bound:ident>, $is_required:expr, $schema:expr, $register:expr) => {
        impl<T: $bound> Type for $type<T> {
            const IS_REQUIRED: bool = $is_required;
            type RawValueType = T::RawValueType;
            type RawElementValueType = T::RawElementValueType;

            fn name() -> Cow<'static, str> {
                T::name()
            }

            fn schema_ref() -> MetaSchemaRef {
                $schema
            }

            fn register(registry: &mut Registry) {
                let register: fn(&mut Registry) = $register;
                register(registry);
            }

            fn as_raw_value(&self) -> Option<&Self::RawValueType> {
                None
            }

            fn raw_element_iter<'a>(
                &'a self,
            ) -> Box<dyn Iterator<Item = &'a Self::RawElementValueType> + 'a> {
                Box::new(std::iter::empty())
            }
        }

        never_parsed!([T] $type<T>);

        impl<T: $bound> ToJSON for $type<T> {
            fn to_json(&self) -> Option<Value> {
                None
            }
        }
    };
}

member_type!(Nested<T: FromFields>, true, T::schema_ref(), T::register_with_example);
member_type!(OptionalNested<T: FromFields>, false, T::schema_ref(), |registry| {
    T::register_with_example(registry);
    // OpenAPI 3.0 cannot say that a reference may be null.
    if let Some(schema) = registry.schemas.get_mut(&*T::name()) {
        schema.nullable = true;
    }
});
member_type!(Replaceable<T: Type>, false, T::schema_ref(), T::register);
member_type!(
    Clearable<T: Type>,
    false,
    T::schema_ref().merge(MetaSchema { nullable: true, ..MetaSchema::ANY }),
    T::register
);

/// Defines a request object, whose example stands before it. `strict` rejects unknown members. A member
/// `name?: Type` may be missing or `null`. After `Into` stands what the domain gets, made of all members, so
/// that none can be forgotten.
macro_rules! request_object {
    (@into $name:ident $fields:tt) => {};
    (@into $name:ident { $($field:ident)* } $domain:ty = $value:expr) => {
        impl From<$name> for $domain {
            fn from($name { $($field),* }: $name) -> Self {
                $value
            }
        }
    };
    (
        @member $object:tt
        $(#[$attribute:meta])* $visibility:vis $name:ident?: $type:ty, $($rest:tt)*
    ) => {
        $crate::http::openapi::json_fields::request_object!(
            @member $object $($rest)*
            { $(#[$attribute])* #[oai(nullable)] $visibility $name: Option<$type> }
        );
    };
    (@member $object:tt $(#[$attribute:meta])* $visibility:vis $name:ident: $type:ty, $($rest:tt)*) => {
        $crate::http::openapi::json_fields::request_object!(
            @member $object $($rest)* { $(#[$attribute])* $visibility $name: $type }
        );
    };
    ($example:expr; strict $($object:tt)*) => {
        $crate::http::openapi::json_fields::request_object!(@ true, $example; $($object)*);
    };
    ($example:expr; $($object:tt)*) => {
        $crate::http::openapi::json_fields::request_object!(@ false, $example; $($object)*);
    };
    (
        @member (
            $is_strict:expr, $example:expr,
            $(#[$attribute:meta])* $name:ident $(: $domain:ty = $value:expr)?
        )
        $({ $(#[$field_attribute:meta])* $visibility:vis $field:ident: $type:ty })*
    ) => {
        #[derive(Debug, ::poem_openapi::Object)]
        $(#[$attribute])*
        pub struct $name { $($(#[$field_attribute])* $visibility $field: $type,)* }

        impl $crate::http::openapi::json_fields::FromFields for $name {
            const IS_STRICT: bool = $is_strict;

            fn example() -> ::serde_json::Value {
                $example
            }

            fn from_fields(
                fields: &mut $crate::http::openapi::json_fields::JsonFields,
            ) -> Option<Self> {
                $(
                    let $field = <$type as $crate::http::openapi::json_fields::RequestField>::read(
                        fields,
                        stringify!($field),
                    );
                )*
                Some(Self { $($field: $field?,)* })
            }
        }

        $crate::http::openapi::json_fields::request_object!(
            @into $name { $($field)* } $($domain = $value)?
        );
    };
    (
        @ $is_strict:expr, $example:expr;
        $(#[$attribute:meta])*
        pub struct $name:ident $(: Into<$domain:ty> = $value:expr =>)? { $($members:tt)* }
    ) => {
        $crate::http::openapi::json_fields::request_object!(
            @member ($is_strict, $example, $(#[$attribute])* $name $(: $domain = $value)?) $($members)*
        );
    };
}

pub(in crate::http) use request_object;

/// The fields of a JSON object, and the errors found so far.
#[derive(Debug)]
pub struct JsonFields {
    members: HashMap<String, Member>,
    /// The errors found so far.
    pub(super) errors: Vec<FieldError>,
}

/// Value of a field of a JSON object. A repeated field is ambiguous (RFC 8259, section 4), but a
/// map of serde_json would silently contain the last value.
#[derive(Debug)]
enum Member {
    /// Anything but an object.
    Once(Value),
    Object(Box<JsonFields>),
    Repeated,
}

impl Member {
    /// Returns the value, of an object without its fields: no field but [`Nested`] accepts an object.
    fn into_value(self) -> Value {
        match self {
            Self::Once(value) => value,
            Self::Object(_) | Self::Repeated => Value::Object(Map::new()),
        }
    }
}

impl<'de> Deserialize<'de> for Member {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MemberVisitor)
    }
}

struct MemberVisitor;

impl<'de> Visitor<'de> for MemberVisitor {
    type Value = Member;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Member, E> {
        Ok(Member::Once(Value::Null))
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Member, E> {
        Ok(Member::Once(flag.into()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Member, E> {
        Ok(Member::Once(number.into()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Member, E> {
        Ok(Member::Once(number.into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Member, E> {
        Ok(Member::Once(number.into()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Member, E> {
        Ok(Member::Once(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Member, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = array.next_element::<Member>()? {
            items.push(item.into_value());
        }
        Ok(Member::Once(items.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Member, A::Error> {
        JsonFieldsVisitor.visit_map(object).map(|fields| Member::Object(Box::new(fields)))
    }
}

impl JsonFields {
    /// Reads a field. Returns `None`, and notes the error, if it is invalid.
    pub(in crate::http) fn read<T: RequestField>(&mut self, name: &str) -> Option<T> {
        let parsed = match self.members.remove(name) {
            None => T::from_member(None),
            Some(Member::Repeated) => {
                Err(ErrorCode::NotAllowed.because("must not appear more than once"))
            }
            Some(member) => T::from_member(Some(&member.into_value())),
        };
        let note = |error: ValidationError| {
            let item = error.item.map_or_else(String::new, |item| format!("/{item}"));
            self.errors.push(FieldError::at_pointer(format!("/{name}{item}"), &error));
        };
        parsed.map_err(note).ok()
    }

    /// Removes a field whose value is an object, and returns the object.
    fn take_object(&mut self, name: &str) -> Option<Box<Self>> {
        match self.members.remove(name)? {
            Member::Object(object) => Some(object),
            other @ (Member::Once(_) | Member::Repeated) => {
                self.members.insert(name.to_owned(), other);
                None
            }
        }
    }

    /// Creates an object from the fields of the object `name`, and notes its errors.
    fn read_object<T: FromFields>(&mut self, mut object: Self, name: &str) -> Option<T> {
        let value = object.finish();
        let prefix = format!("/{name}");
        self.errors.extend(object.errors.into_iter().map(|error| error.below(&prefix)));
        value
    }

    /// Creates an object from all fields, and notes unknown ones.
    pub(super) fn finish<T: FromFields>(&mut self) -> Option<T> {
        let object = T::from_fields(self);
        if T::IS_STRICT {
            let unknown = std::mem::take(&mut self.members).into_keys();
            let unknown = unknown.map(|name| unknown_member(&name));
            self.errors.extend(unknown.take(MAX_UNKNOWN));
        }
        object
    }
}

impl<'de> Deserialize<'de> for JsonFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(JsonFieldsVisitor)
    }
}

struct JsonFieldsVisitor;

impl<'de> Visitor<'de> for JsonFieldsVisitor {
    type Value = JsonFields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<JsonFields, A::Error> {
        let mut members = HashMap::new();
        while let Some((name, member)) = object.next_entry()? {
            members.entry(name).and_modify(|member| *member = Member::Repeated).or_insert(member);
        }
        Ok(JsonFields { members, errors: Vec::new() })
    }
}

/// Returns the error of a member that the object does not have.
pub(super) fn unknown_member(name: &str) -> FieldError {
    let pointer = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
    let unknown =
        |pointer, reason| FieldError::at_pointer(pointer, &ErrorCode::Unknown.because(reason));
    if name.is_empty() || pointer.chars().count() > FieldError::MAX_PLACE {
        return unknown(String::new(), "must not have a member with an empty or very long name");
    }
    unknown(pointer, "is unknown, or cannot be written")
}
