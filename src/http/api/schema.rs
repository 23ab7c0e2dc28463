//! The fields of requests: their schemas in the OpenAPI document, and their conversion from JSON.

use std::borrow::Cow;

use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::{
    ParseError, ParseFromJSON, ParseFromParameter, ParseResult, ToJSON, Type,
};
use serde::Serialize;
use serde_json::Value;

use crate::values::{
    Campaign, Colour, Destination, ErrorCorrection, Margin, ShortCode, Timestamp, Title,
    ValidationError,
};

/// Custom code as the client sends it. It is not parsed yet, because a plan without custom codes
/// accepts any text.
#[derive(Debug)]
pub struct CustomCode(pub String);

/// Code of an existing link. `None` if the text is not a valid short code, so that no link has it.
#[derive(Debug)]
pub struct CodeText(pub Option<ShortCode>);

/// Code of a link in a response.
#[derive(Debug, Serialize)]
pub struct WireCode(pub String);

/// Conversion of a field from JSON. Its errors are meant for clients, unlike those of poem-openapi.
pub(super) trait FromJson: Sized {
    /// Converts a JSON value.
    fn from_json(value: &Value) -> Result<Self, ValidationError>;
}

/// Implements [`FromJson`], and the traits that `#[derive(Object)]` requires of a field's type.
macro_rules! field_type {
    ($type:ty, $parse:expr, $schema:expr) => {
        impl Type for $type {
            const IS_REQUIRED: bool = true;
            type RawValueType = Self;
            type RawElementValueType = Self;

            fn name() -> Cow<'static, str> {
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

        impl FromJson for $type {
            fn from_json(value: &Value) -> Result<Self, ValidationError> {
                let parse: fn(&Value) -> Result<Self, ValidationError> = $parse;
                parse(value)
            }
        }

        impl ParseFromJSON for $type {
            fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
                Self::from_json(&value.unwrap_or_default()).map_err(ParseError::custom)
            }
        }

        impl ToJSON for $type {
            /// poem-openapi requires this function, although the server never sends request
            /// objects.
            fn to_json(&self) -> Option<Value> {
                None
            }
        }
    };
}

field_type!(
    Destination,
    |value| Destination::parse(text(value)?),
    // The schema has no `format: uri`, because some accepted destinations are not URIs.
    MetaSchema {
        min_length: Some(8),
        max_length: Some(Destination::MAX_LENGTH),
        pattern: Some("^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]".to_owned()),
        ..MetaSchema::new("string")
    }
);

field_type!(Title, |value| Title::parse(text(value)?), label_schema(Title::MAX_LENGTH));

field_type!(Campaign, |value| Campaign::parse(text(value)?), label_schema(Campaign::MAX_LENGTH));

field_type!(
    Timestamp,
    |value| Timestamp::from_rfc3339(text(value)?),
    MetaSchema { max_length: Some(64), ..MetaSchema::new_with_format("string", "date-time") }
);

field_type!(
    CustomCode,
    |value| Ok(Self(text(value)?.to_owned())),
    MetaSchema {
        min_length: Some(ShortCode::MIN_CUSTOM_LENGTH),
        max_length: Some(ShortCode::MAX_CUSTOM_LENGTH),
        pattern: Some("^[0-9A-Za-z_-]{3,64}$".to_owned()),
        ..MetaSchema::new("string")
    }
);

field_type!(CodeText, |value| Ok(Self(ShortCode::parse(text(value)?).ok())), code_schema());

field_type!(WireCode, |value| Ok(Self(text(value)?.to_owned())), code_schema());

field_type!(
    ErrorCorrection,
    |value| ErrorCorrection::parse(text(value)?),
    MetaSchema {
        enum_items: ["L", "M", "Q", "H"].map(Value::from).to_vec(),
        ..MetaSchema::new("string")
    }
);

field_type!(Margin, |value| Margin::new(integer(value)?), integer_schema(0, Margin::MAX.into()));

field_type!(
    Colour,
    |value| Colour::parse(text(value)?),
    MetaSchema {
        min_length: Some(7),
        max_length: Some(7),
        pattern: Some("^#[0-9A-Fa-f]{6}$".to_owned()),
        ..MetaSchema::new("string")
    }
);

impl ParseFromParameter for CodeText {
    fn parse_from_parameter(value: &str) -> ParseResult<Self> {
        Ok(Self(ShortCode::parse(value).ok()))
    }
}

fn text(value: &Value) -> Result<&str, ValidationError> {
    value.as_str().ok_or_else(|| ValidationError::because("must be a string"))
}

/// Converts an integer. It may be written as `4` or as `4.0`, which are the same number in JSON.
fn integer(value: &Value) -> Result<i64, ValidationError> {
    let whole = value.as_i64().or_else(|| {
        let number = value.as_f64()?;
        // Floats beyond 2⁵³ are not exact integers, but no field accepts such large values.
        #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
        (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
    });
    whole.ok_or_else(|| ValidationError::because("must be an integer"))
}

/// Pattern of a percent-encoded short code in a path, with slashes.
pub(super) const PATH_PATTERN: &str = "[!$%&'()*+,./0-9:;=@A-Z_a-z~-]+";
/// Pattern of a percent-encoded short code as one path segment.
pub(super) const SEGMENT_PATTERN: &str = "[!$%&'()*+,.0-9:;=@A-Z_a-z~-]+";

/// Returns the schema of the code of a link, which may have been imported.
fn code_schema() -> MetaSchema {
    // Neither control characters nor whitespace, nor what separates the parts of a URL.
    let pattern = "^[^\\u0000-\\u0020#%?\\\\\\u007F-\\u00A0\\u1680\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000]+$";
    MetaSchema {
        min_length: Some(1),
        max_length: Some(ShortCode::MAX_LENGTH),
        pattern: Some(pattern.to_owned()),
        ..MetaSchema::new("string")
    }
}

/// Returns the schema of a text without control characters, of at most `max_length` characters.
pub(super) fn label_schema(max_length: usize) -> MetaSchema {
    MetaSchema {
        max_length: Some(max_length),
        pattern: Some(r"^[^\u0000-\u001F\u007F-\u009F]*$".to_owned()),
        ..MetaSchema::new("string")
    }
}

/// Returns the schema of an integer from `minimum` to `maximum`.
pub(super) fn integer_schema(minimum: u32, maximum: u32) -> MetaSchema {
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
        for value in [json!(4.5), json!("4"), json!(true), json!(null), json!(1e300)] {
            assert!(integer(&value).is_err(), "{value}");
        }
    }
}
