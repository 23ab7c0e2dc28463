//! Types of JSON members: their schemas, and their conversion from JSON.

use std::borrow::Cow;

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::{ToJSON, Type};
use serde::Serialize;
use serde_json::Value;

use crate::values::{ErrorCode, ValidationError};

/// Conversion of a field from JSON. Its errors are meant for clients, unlike those of poem-openapi.
pub trait FromJson: Sized {
    /// Converts a JSON value.
    ///
    /// # Errors
    /// If the value is not valid.
    fn from_json(value: &Value) -> Result<Self, ValidationError>;
}

impl FromJson for bool {
    fn from_json(value: &Value) -> Result<Self, ValidationError> {
        value.as_bool().ok_or(ErrorCode::WrongType.because("must be true or false"))
    }
}

/// Converts the items of an array, of which there must be at least one.
///
/// # Errors
/// If the value is not an array, has too many items, or an item is invalid.
pub fn list<T>(
    value: &Value,
    max_items: usize,
    parse: impl Fn(&Value) -> Result<T, ValidationError>,
) -> Result<Vec<T>, ValidationError> {
    let items = value.as_array().ok_or(ErrorCode::WrongType.because("must be an array"))?;
    if items.is_empty() || items.len() > max_items {
        let reason = format!("must have 1 to {max_items} items");
        return Err(ErrorCode::of_length(items.len()).because(reason));
    }
    let numbered =
        |(index, item)| parse(item).map_err(|error| ValidationError { item: Some(index), ..error });
    items.iter().enumerate().map(numbered).collect()
}

/// Returns the schema of an array with 1 to `max_items` items.
pub fn list_schema(max_items: usize, item: MetaSchemaRef) -> MetaSchema {
    MetaSchema {
        items: Some(Box::new(item)),
        min_items: Some(1),
        max_items: Some(max_items),
        ..MetaSchema::new("array")
    }
}

/// Implements [`Type`] with a schema.
macro_rules! schema_type {
    ($type:ty, $schema:expr) => {
        const _: () = {
            use poem_openapi::registry::MetaSchemaRef;

            impl poem_openapi::types::Type for $type {
                const IS_REQUIRED: bool = true;
                type RawValueType = Self;
                type RawElementValueType = Self;

                fn name() -> std::borrow::Cow<'static, str> {
                    stringify!($type).into()
                }

                fn schema_ref() -> MetaSchemaRef {
                    MetaSchemaRef::Inline(Box::new($schema))
                }

                fn as_raw_value(&self) -> Option<&Self> {
                    Some(self)
                }

                fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
                    Box::new(std::iter::once(self))
                }
            }
        };
    };
}

/// Implements a conversion that `#[derive(Object)]` requires, and nothing calls: requests are read by
/// [`FromJson`], and responses never are.
macro_rules! never_parsed {
    ([$($generics:tt)*] $type:ty) => {
        impl<$($generics)*> ::poem_openapi::types::ParseFromJSON for $type
        where
            Self: ::poem_openapi::types::Type,
        {
            fn parse_from_json(
                _: Option<::serde_json::Value>,
            ) -> ::poem_openapi::types::ParseResult<Self> {
                Err(::poem_openapi::types::ParseError::custom("is never read"))
            }
        }
    };
}

/// Makes a type the type of a field of requests: implements [`FromJson`], and the traits that
/// `#[derive(Object)]` requires.
macro_rules! request_field {
    ($type:ty, $parse:expr, $schema:expr) => {
        $crate::http::openapi::field::schema_type!($type, $schema);

        const _: () = {
            use poem_openapi::types::ToJSON;
            use serde_json::Value;

            use $crate::http::openapi::field::FromJson;
            use $crate::values::ValidationError;

            impl FromJson for $type {
                fn from_json(value: &Value) -> Result<Self, ValidationError> {
                    let parse: fn(&Value) -> Result<Self, ValidationError> = $parse;
                    parse(value).map_err(|error| match value.as_str() {
                        Some(text) => $crate::http::openapi::field::of_text(error, text, &$schema),
                        None => error,
                    })
                }
            }

    $crate::http::openapi::field::never_parsed!([] $type);

            impl ToJSON for $type {
                /// poem-openapi requires this function, although the server never sends request
                /// objects.
                fn to_json(&self) -> Option<Value> {
                    None
                }
            }
        };
    };
}

/// Defines types of fields of responses, each of which wraps a value and has a schema.
macro_rules! response_fields {
    ($($(#[$attribute:meta])* $name:ident($inner:ty): $schema:expr;)+) => {$(
        $(#[$attribute])*
        #[derive(Debug, Clone, serde::Serialize)]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        $crate::http::openapi::field::schema_type!($name, $schema);

        impl From<$inner> for $name {
            fn from(value: $inner) -> Self {
                Self(value)
            }
        }

        $crate::http::openapi::field::never_parsed!([] $name);

        impl ::poem_openapi::types::ToJSON for $name {
            fn to_json(&self) -> Option<::serde_json::Value> {
                ::serde_json::to_value(self).ok()
            }
        }
    )+};
}

/// Defines types of parts of paths, each with a parser, an example, a schema, and the error of a text that does
/// not parse, because nothing has that name.
macro_rules! segment {
    ($(
        $(#[$attribute:meta])*
        $name:ident($inner:ty): $parse:expr, $example:expr, $schema:expr, $missing:expr;
    )+) => {$(
        $(#[$attribute])*
        #[derive(Debug)]
        pub struct $name(pub Option<$inner>);

        impl $name {
            /// Returns what the text says.
            ///
            /// # Errors
            /// If it does not parse, that of a thing that does not exist.
            pub fn parsed(self) -> Result<$inner, $crate::domain::Error> {
                self.0.ok_or_else(|| $missing)
            }
        }

        $crate::http::openapi::field::schema_type!(
            $name,
            ::poem_openapi::registry::MetaSchema { example: Some($example.into()), ..$schema }
        );

        impl ::poem_openapi::types::ParseFromParameter for $name {
            fn parse_from_parameter(text: &str) -> ::poem_openapi::types::ParseResult<Self> {
                let parse: fn(&str) -> Option<$inner> = $parse;
                Ok(Self(parse(text)))
            }
        }
    )+};
}

/// Sets the example of an object in the document.
macro_rules! example {
    ($type:ty, $example:expr) => {
        impl poem_openapi::types::Example for $type {
            fn example() -> Self {
                $example
            }
        }
    };
}

pub(crate) use {example, never_parsed, request_field, response_fields, schema_type, segment};

/// A field of responses that is always present and may be `null`. poem-openapi would declare an
/// `Option` as a field that may be absent.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct Nullable<T>(pub Option<T>);

impl<T, U: Into<T>> From<Option<U>> for Nullable<T> {
    fn from(value: Option<U>) -> Self {
        Self(value.map(Into::into))
    }
}

impl<T: Type> Type for Nullable<T> {
    const IS_REQUIRED: bool = true;
    type RawValueType = T::RawValueType;
    type RawElementValueType = T::RawElementValueType;

    fn name() -> Cow<'static, str> {
        format!("Nullable{}", T::name()).into()
    }

    fn schema_ref() -> MetaSchemaRef {
        T::schema_ref().merge(MetaSchema { nullable: true, ..MetaSchema::ANY })
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn as_raw_value(&self) -> Option<&Self::RawValueType> {
        self.0.as_ref()?.as_raw_value()
    }

    fn raw_element_iter<'a>(
        &'a self,
    ) -> Box<dyn Iterator<Item = &'a Self::RawElementValueType> + 'a> {
        self.0.raw_element_iter()
    }
}

never_parsed!([T] Nullable<T>);

impl<T: ToJSON> ToJSON for Nullable<T> {
    fn to_json(&self) -> Option<Value> {
        Some(self.0.to_json().unwrap_or_default())
    }
}

/// Converts a text.
///
/// # Errors
/// If the value is not a string.
pub fn text(value: &Value) -> Result<&str, ValidationError> {
    value.as_str().ok_or_else(|| ErrorCode::WrongType.because("must be a string"))
}

/// Converts an integer. It may be written as `4` or as `4.0`, which are the same number in JSON. One that is
/// too large becomes the nearest `i64`, which no field accepts either.
///
/// # Errors
/// If the value is not a whole number.
pub fn integer(value: &Value) -> Result<i64, ValidationError> {
    let whole = value.as_i64().or_else(|| {
        let number = value.as_f64()?;
        // Floats beyond 2⁵³ are not exact integers, but no field accepts such large values.
        #[expect(clippy::cast_possible_truncation, reason = "whole, and the cast saturates")]
        (number.fract() == 0.0).then_some(number as i64)
    });
    whole.ok_or_else(|| ErrorCode::WrongType.because("must be an integer"))
}

/// Returns the error of a text, with the code of its length if it is empty or longer than declared.
pub fn of_text(error: ValidationError, text: &str, schema: &MetaSchema) -> ValidationError {
    let is_long = schema.max_length.is_some_and(|most| text.chars().count() > most);
    let is_short = text.is_empty() && schema.min_length.is_some_and(|least| least > 0);
    match (is_long, is_short) {
        (true, _) => ValidationError { code: ErrorCode::TooLong, ..error },
        (false, true) => ValidationError { code: ErrorCode::OutOfRange, ..error },
        (false, false) => error,
    }
}

/// Returns the schema of a text that has a minimum and a maximum length and matches `pattern`.
pub fn text_schema(min_length: usize, max_length: usize, pattern: &str) -> MetaSchema {
    MetaSchema {
        min_length: Some(min_length),
        max_length: Some(max_length),
        pattern: Some(pattern.to_owned()),
        ..MetaSchema::new("string")
    }
}

// Patterns name only characters of ASCII, as `\xNN`: PCRE, with which generated clients for PHP compare
// bytes, and RE2 have no `\u`. Texts with other control characters match them, and are rejected.

/// Returns the schema of a text without control characters, of at most `max_length` characters.
pub fn label_schema(max_length: usize) -> MetaSchema {
    let pattern = r"^[^\x00-\x1F\x7F]*$";
    MetaSchema { min_length: None, ..text_schema(0, max_length, pattern) }
}

/// Returns the schema of a text without control characters that is not blank, of at most
/// `max_length` characters.
pub fn note_schema(max_length: usize) -> MetaSchema {
    let pattern = r"^[^\x00-\x1F\x7F]*[^\s\x00-\x1F\x7F][^\x00-\x1F\x7F]*$";
    text_schema(1, max_length, pattern)
}

/// Title by which the document recognizes [`nothing_schema`].
pub const NOTHING: &str = "nothing";

/// Returns the schema that no value matches. poem-openapi has none, so the document replaces it by
/// `false`.
pub fn nothing_schema() -> MetaSchema {
    MetaSchema { title: Some(NOTHING.to_owned()), ..MetaSchema::ANY }
}

/// Title by which the document recognizes an enumeration of responses to which later versions may add.
pub const EXTENSIBLE: &str = "extensible";

/// Returns the schema of an integer from `minimum` to `maximum`.
pub fn integer_schema(minimum: u32, maximum: u32) -> MetaSchema {
    MetaSchema {
        minimum: Some(minimum.into()),
        maximum: Some(maximum.into()),
        ..MetaSchema::new_with_format("integer", "int32")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whole_float_is_an_integer() {
        assert_eq!(integer(&json!(4)), Ok(4));
        assert_eq!(integer(&json!(4.0)), Ok(4));
        assert_eq!(integer(&json!(u64::MAX)), Ok(i64::MAX));
        assert_eq!(integer(&json!(-1e300)), Ok(i64::MIN));
        for value in [json!(4.5), json!("4"), json!(true), json!(null)] {
            assert!(integer(&value).is_err(), "{value}");
        }
    }
}
