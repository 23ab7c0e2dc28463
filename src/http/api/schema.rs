//! How Terse's values look in the document, and how they are read from JSON.

use std::borrow::Cow;

use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::{
    Example, ParseError, ParseFromJSON, ParseFromParameter, ParseResult, ToJSON, Type,
};
use serde_json::Value;

use super::cursor::Cursor;
use super::list_query::{Active, Limit};
use crate::values::{
    Campaign, Colour, Destination, ErrorCorrection, Invalid, Margin, ShortCode, Title,
};

/// The pattern of a short code.
const CODE_PATTERN: &str = "^[0-9A-Za-z_-]{3,64}$";
/// The beginning of a destination.
const DESTINATION_PATTERN: &str = "^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]";
/// No control characters.
const LABEL_PATTERN: &str = r"^[^\u0000-\u001F\u007F-\u009F]*$";
const COLOUR_PATTERN: &str = "^#[0-9A-Fa-f]{6}$";

/// The code that a client asks for, which only the plan makes binding: any string is taken.
#[derive(Debug)]
pub struct CustomCode(pub String);

/// The code of a link that is asked for: a text that no link can have as its code is answered like
/// any other that no link has.
#[derive(Debug)]
pub struct CodeText(pub Option<ShortCode>);

fn text(value: &Value) -> Result<&str, Invalid> {
    value.as_str().ok_or_else(|| Invalid::because("must be a string"))
}

/// A whole number, however it is written: to JSON `4` and `4.0` are the same number.
fn integer(value: &Value) -> Result<i64, Invalid> {
    let whole = value.as_i64().or_else(|| {
        let number = value.as_f64()?;
        // Beyond 2⁵³ a float does not know its neighbours, and no field goes that far.
        #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
        (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
    });
    whole.ok_or_else(|| Invalid::because("must be an integer"))
}

/// A value that can be read from JSON, with a reason where it cannot: poem-openapi's own errors are
/// for developers of a server, not for its clients.
pub(super) trait FromJson: Sized {
    /// Takes a JSON value.
    fn from_json(value: &Value) -> Result<Self, Invalid>;
}

/// Makes a value one of the document's types, by its schema.
macro_rules! document_type {
    ($type:ty, $name:literal, $schema:expr) => {
        impl Type for $type {
            const IS_REQUIRED: bool = true;
            type RawValueType = Self;
            type RawElementValueType = Self;

            fn name() -> Cow<'static, str> {
                $name.into()
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
}
pub(super) use document_type;

/// One of the document's types that bodies are made of: also how it is read from JSON, and how it is
/// shown as JSON.
macro_rules! wire_type {
    ($type:ty, $name:literal, $schema:expr, $parse:expr, $show:expr) => {
        document_type!($type, $name, $schema);

        impl FromJson for $type {
            fn from_json(value: &Value) -> Result<Self, Invalid> {
                let parse: fn(&Value) -> Result<Self, Invalid> = $parse;
                parse(value)
            }
        }

        impl ParseFromJSON for $type {
            fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
                Self::from_json(&value.unwrap_or_default()).map_err(ParseError::custom)
            }
        }

        impl ToJSON for $type {
            fn to_json(&self) -> Option<Value> {
                let show: fn(&Self) -> Value = $show;
                Some(show(self))
            }
        }
    };
}

/// Makes a type of what is answered, which was checked when it came in, by its schema.
macro_rules! answer_type {
    ($(#[$doc:meta])* $type:ident($inner:ty), $name:literal, $schema:expr) => {
        $(#[$doc])*
        #[derive(Debug, serde::Serialize)]
        #[serde(transparent)]
        pub struct $type(pub $inner);

        document_type!($type, $name, $schema);

        impl ParseFromJSON for $type {
            fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
                ParseFromJSON::parse_from_json(value).map(Self).map_err(ParseError::propagate)
            }
        }

        impl ToJSON for $type {
            fn to_json(&self) -> Option<Value> {
                self.0.to_json()
            }
        }
    };
}

fn string() -> MetaSchema {
    MetaSchema::new("string")
}

wire_type!(
    Destination,
    "Destination",
    MetaSchema {
        format: Some("uri"),
        min_length: Some(8),
        max_length: Some(Destination::MAX_LENGTH),
        ..string()
    },
    |value| Destination::parse(text(value)?),
    |destination| destination.as_str().into()
);

wire_type!(
    Title,
    "Title",
    MetaSchema {
        max_length: Some(Title::MAX_LENGTH),
        pattern: Some(LABEL_PATTERN.to_owned()),
        ..string()
    },
    |value| Title::parse(text(value)?),
    |title| title.as_str().into()
);

wire_type!(
    Campaign,
    "Campaign",
    MetaSchema {
        max_length: Some(Campaign::MAX_LENGTH),
        pattern: Some(LABEL_PATTERN.to_owned()),
        ..string()
    },
    |value| Campaign::parse(text(value)?),
    |campaign| campaign.as_str().into()
);

wire_type!(
    CustomCode,
    "CustomCode",
    code_schema(),
    |value| Ok(CustomCode(text(value)?.to_owned())),
    |code| code.0.as_str().into()
);

wire_type!(
    CodeText,
    "ShortCode",
    code_schema(),
    |value| Ok(CodeText(ShortCode::parse(text(value)?).ok())),
    |code| code.0.as_ref().map(ShortCode::as_str).into()
);

wire_type!(
    ErrorCorrection,
    "ErrorCorrection",
    MetaSchema { enum_items: ["L", "M", "Q", "H"].map(Value::from).to_vec(), ..string() },
    |value| ErrorCorrection::parse(text(value)?),
    |level| level.letter().into()
);

wire_type!(
    Margin,
    "Margin",
    MetaSchema {
        format: Some("int32"),
        minimum: Some(0.0),
        maximum: Some(f64::from(Margin::MAX)),
        ..MetaSchema::new("integer")
    },
    |value| Margin::new(integer(value)?),
    |margin| margin.modules().into()
);

wire_type!(
    Colour,
    "Colour",
    MetaSchema {
        min_length: Some(7),
        max_length: Some(7),
        pattern: Some(COLOUR_PATTERN.to_owned()),
        ..string()
    },
    |value| Colour::parse(text(value)?),
    |colour| colour.to_string().into()
);

answer_type!(
    /// The code of a link.
    Code(String),
    "Code",
    code_schema()
);

answer_type!(
    /// Where a link leads.
    DestinationUrl(String),
    "DestinationUrl",
    MetaSchema {
        min_length: Some(8),
        max_length: Some(Destination::MAX_LENGTH),
        pattern: Some(DESTINATION_PATTERN.to_owned()),
        ..string()
    }
);

answer_type!(
    /// How often a link was followed.
    Clicks(i64),
    "Clicks",
    MetaSchema {
        format: Some("int64"),
        minimum: Some(0.0),
        maximum: Some(9_007_199_254_740_991.0),
        ..MetaSchema::new("integer")
    }
);

answer_type!(
    /// Yes or no.
    Flag(i32),
    "Flag",
    flag_schema()
);

impl From<bool> for Flag {
    fn from(yes: bool) -> Self {
        Self(yes.into())
    }
}

document_type!(
    Limit,
    "Limit",
    MetaSchema {
        format: Some("int32"),
        minimum: Some(1.0),
        maximum: Some(f64::from(Limit::MAX)),
        ..MetaSchema::new("integer")
    }
);

document_type!(Active, "Active", flag_schema());

document_type!(
    Cursor,
    "Cursor",
    MetaSchema {
        min_length: Some(Cursor::LENGTH),
        max_length: Some(Cursor::LENGTH),
        pattern: Some(Cursor::PATTERN.to_owned()),
        ..string()
    }
);

impl Example for Destination {
    #[expect(clippy::expect_used, reason = "a constant, which the document is made with in tests")]
    fn example() -> Self {
        Self::parse("https://example.org/spring?utm_source=mail").expect("a destination")
    }
}

impl Example for DestinationUrl {
    fn example() -> Self {
        Self(Destination::example().as_str().to_owned())
    }
}

impl Example for Code {
    fn example() -> Self {
        Self("Vd7hK2m".to_owned())
    }
}

impl Example for CodeText {
    fn example() -> Self {
        Self(ShortCode::parse(&Code::example().0).ok())
    }
}

impl ParseFromParameter for CodeText {
    fn parse_from_parameter(value: &str) -> ParseResult<Self> {
        Ok(Self(ShortCode::parse(value).ok()))
    }
}

/// The schema of a short code.
fn code_schema() -> MetaSchema {
    MetaSchema {
        min_length: Some(ShortCode::MIN_LENGTH),
        max_length: Some(ShortCode::MAX_LENGTH),
        pattern: Some(CODE_PATTERN.to_owned()),
        ..string()
    }
}

/// The schema of 0 for no and 1 for yes.
fn flag_schema() -> MetaSchema {
    MetaSchema {
        format: Some("int32"),
        minimum: Some(0.0),
        maximum: Some(1.0),
        ..MetaSchema::new("integer")
    }
}

/// A label that is always answered, `null` where there is none: generated clients then have a field
/// that is there and may be empty, not one that may be missing.
#[derive(Debug, serde::Serialize)]
#[serde(transparent)]
pub struct Nullable(pub Option<String>);

impl Type for Nullable {
    const IS_REQUIRED: bool = true;
    type RawValueType = String;
    type RawElementValueType = String;

    fn name() -> Cow<'static, str> {
        "Nullable".into()
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Inline(Box::new(MetaSchema { nullable: true, ..string() }))
    }

    fn as_raw_value(&self) -> Option<&String> {
        self.0.as_ref()
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a String> + 'a> {
        Box::new(self.0.iter())
    }
}

impl ParseFromJSON for Nullable {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        match value {
            None | Some(Value::Null) => Ok(Self(None)),
            Some(value) => {
                let text = text(&value).map_err(ParseError::custom)?;
                Ok(Self(Some(text.to_owned())))
            }
        }
    }
}

impl ToJSON for Nullable {
    fn to_json(&self) -> Option<Value> {
        Some(self.0.clone().into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_whole_number_may_be_written_with_a_point() {
        assert_eq!(integer(&json!(4)), Ok(4));
        assert_eq!(integer(&json!(4.0)), Ok(4));
        for value in [json!(4.5), json!("4"), json!(true), json!(null), json!(1e300)] {
            assert!(integer(&value).is_err(), "{value}");
        }
    }
}
